//! Events of the engine to execution reports, prices and feeds.

use formats::fix::{Decimal, ExecType, ExecutionReport, OrdStatus, Timestamp, Version};

use crate::exchange::Client;
use crate::listing::Listing;
use crate::order::{Cause, Event, Party, Sink};
use crate::outgoing::{Outbox, Outgoing};
use crate::prices::Prices;
use crate::publish::Publisher;
use crate::records::{End, Name, Record, Records};

/// A number as text, without allocation.
pub(crate) struct Digits {
    bytes: [u8; 20],
    first: usize,
}

impl Digits {
    pub(crate) fn new(mut number: u64) -> Self {
        let mut digits = Digits {
            bytes: [b'0'; 20],
            first: 20,
        };
        for (at, place) in digits.bytes.iter_mut().enumerate().rev() {
            *place = b'0' + (number % 10) as u8;
            (digits.first, number) = (at, number / 10);
            if number == 0 {
                break;
            }
        }
        digits
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes.get(self.first..).unwrap_or_default()
    }
}

/// What a request is about to do to an order, reported once the engine agrees.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pending {
    /// ClOrdID of the request.
    pub(crate) name: Name,
    /// The order after that, for a replacement.
    pub(crate) quantity: u64,
    pub(crate) price: Option<Decimal>,
    pub(crate) stop_price: Option<Decimal>,
}

/// Takes the engine's events while one request is acted on.
pub(crate) struct Reporter<'a> {
    pub(crate) records: &'a mut Records,
    pub(crate) listings: &'a [Listing],
    pub(crate) clients: &'a [Client],
    pub(crate) executions: &'a mut u64,
    pub(crate) prices: &'a mut Prices,
    pub(crate) publishers: &'a mut [Box<dyn Publisher>],
    pub(crate) outbox: &'a mut dyn Outbox,
    pub(crate) now: Timestamp,
    pub(crate) pending: Option<Pending>,
}

/// What is the same in all reports of an order.
pub(crate) fn report<'a>(
    record: &'a Record,
    listing: &'a Listing,
    version: Version,
    number: &'a Digits,
) -> ExecutionReport<'a> {
    let traded = i128::from(record.traded);
    // Two digits more than prices have, rounded to the nearest.
    let hundredths = record.notional * i128::from(listing.tick) * 100;
    let average = if traded == 0 {
        0
    } else {
        (hundredths + traded / 2) / traded
    };
    ExecutionReport {
        order_id: number.bytes(),
        client_order_id: Some(record.name.bytes()),
        transaction_type: (version == Version::Fix42).then_some(b'0'),
        symbol: listing.symbol.0.trim_ascii_end(),
        side: record.side,
        quantity: Some(whole(record.quantity)),
        order_type: Some(record.order_type),
        price: record.price,
        stop_price: record.stop_price,
        time_in_force: Some(record.time_in_force),
        leaves_quantity: whole(record.quantity.saturating_sub(record.traded)),
        cumulative_quantity: whole(record.traded),
        average_price: Decimal::new(
            i64::try_from(average).unwrap_or(i64::MAX),
            crate::listing::PRICE_SCALE + 2,
        ),
        ..ExecutionReport::default()
    }
}

/// A quantity as FIX writes it.
pub(crate) fn whole(quantity: u64) -> Decimal {
    Decimal::new(i64::try_from(quantity).unwrap_or(i64::MAX), 0)
}

impl Reporter<'_> {
    /// Sends a report of an order. `change` sets its special fields; `other` is another name that it may need.
    fn report(
        &mut self,
        tag: u64,
        other: Name,
        change: impl for<'r> FnOnce(&mut ExecutionReport<'r>, &'r Record, &'r Name, Version),
    ) {
        let Some(record) = self.records.get_mut(tag) else {
            return;
        };
        let (Some(listing), Some(client)) = (
            self.listings.get(record.instrument as usize),
            self.clients.get(record.client as usize),
        ) else {
            return;
        };
        *self.executions += 1;
        let (order, execution) = (Digits::new(record.number), Digits::new(*self.executions));
        let mut report = report(record, listing, client.version, &order);
        report.execution_id = execution.bytes();
        report.transact_time = Some(self.now);
        report.status = if record.traded == 0 {
            OrdStatus::New
        } else {
            OrdStatus::PartiallyFilled
        };
        change(&mut report, record, &other, client.version);
        self.outbox.send(record.client, &Outgoing::Report(report));
    }

    /// One side of a trade.
    fn traded(&mut self, party: &Party, ticks: i64, quantity: u64) {
        if let Some(record) = self.records.get_mut(party.tag) {
            record.traded += quantity;
            record.notional += i128::from(ticks) * i128::from(quantity);
        }
        let filled = party.remaining == 0;
        let listings = self.listings;
        self.report(party.tag, Name::default(), |report, record, _, version| {
            report.execution_type = match version {
                Version::Fix44 => ExecType::Trade,
                Version::Fix42 if filled => ExecType::Fill,
                Version::Fix42 => ExecType::PartialFill,
            };
            if filled {
                report.status = OrdStatus::Filled;
            }
            report.last_quantity = Some(whole(quantity));
            report.last_price = listings
                .get(record.instrument as usize)
                .map(|listing| listing.decimal(ticks));
        });
        if filled {
            self.records.remove(party.tag, End::Filled);
        }
    }

    /// An order was changed by a replacement.
    fn replaced(&mut self, order: &Party) {
        let Some(pending) = self.pending else { return };
        let Some(record) = self.records.get_mut(order.tag) else {
            return;
        };
        let old = record.name;
        record.id = order.id;
        record.quantity = pending.quantity;
        (record.price, record.stop_price) = (pending.price, pending.stop_price);
        self.records.rename(order.tag as u32, pending.name);
        self.report(order.tag, old, |report, _, old, version| {
            report.execution_type = ExecType::Replaced;
            report.original_client_order_id = Some(old.bytes());
            if version == Version::Fix42 {
                report.status = OrdStatus::Replaced;
            }
        });
    }

    fn removed(&mut self, order: &Party, cause: Cause) {
        let requested = self.pending.filter(|_| cause == Cause::Requested);
        let name = requested.map(|pending| pending.name).unwrap_or_default();
        self.report(order.tag, name, |report, record, name, _| {
            (report.execution_type, report.status) = (ExecType::Canceled, OrdStatus::Canceled);
            report.leaves_quantity = whole(0);
            if requested.is_some() {
                report.client_order_id = Some(name.bytes());
                report.original_client_order_id = Some(record.name.bytes());
            } else {
                report.text = Some(b"Not filled at once");
            }
        });
        self.records.remove(order.tag, End::Canceled);
    }
}

impl Sink for Reporter<'_> {
    fn event(&mut self, event: &Event) {
        match event {
            Event::Accepted { order, .. } => {
                if let Some(record) = self.records.get_mut(order.tag) {
                    record.id = order.id;
                }
                self.report(order.tag, Name::default(), |report, _, _, _| {
                    report.execution_type = ExecType::New;
                });
            }
            Event::Traded {
                price,
                quantity,
                maker,
                taker,
                ..
            } => {
                self.traded(maker, *price, *quantity);
                self.traded(taker, *price, *quantity);
            }
            Event::Reduced { order, .. } | Event::Replaced { order, .. } => self.replaced(order),
            Event::Removed { order, cause, .. } => self.removed(order, *cause),
            // The client learns it from the first trade, or the order's end.
            Event::Rested { .. } | Event::Triggered { .. } => {}
        }
        self.prices.event(event);
        for publisher in self.publishers.iter_mut() {
            publisher.event(event, self.now);
        }
    }
}
