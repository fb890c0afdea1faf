//! The feed as an order log in FAST 1.1, as the currency market of the Moscow Exchange has it: X-OLR-CURR, the same packets on lines A and
//! B, and snapshots of the books in a cycle on lines of their own (W-OLS-CURR).
//!
//! ```text
//!  event ── entry ─┐                        ┌─ line A
//!  event ── entry ─┴ commit ─ X-OLR-CURR ───┴─ line B
//!  books ── each instrument in turn ─ W-OLS-CURR ─ lines of the snapshots
//! ```
//! An entry is an order that enters (MDUpdateAction 0), has another quantity left (1), or leaves (2); MDEntryType is its side, MDEntryID its
//! number, MDEntryPx its price. One that leaves has no quantity. Orders that never enter the book are not published. At the beginning each book is cleared (MDEntryType `J`), and its orders enter.
//! The templates are read from a file of the exchange's; [`LayoutError`] says what is wrong with one that cannot be used.
//!
//! Every packet is its number (four bytes, little-endian, equal to MsgSeqNum) and one message, encoded with empty dictionaries.

pub mod generate;
mod layout;
mod packets;
mod snapshots;

use fast::{Decimal, Encoder, Fields, Templates};
use formats::Side;
use formats::fix::Timestamp;

use super::Publisher;
use super::line::Line;
use crate::engine::Engine;
use crate::listing::{Listing, PRICE_SCALE};
use crate::order::{Event, OrderId};
use crate::report::Digits;

pub use layout::LayoutError;
use layout::{Datum, Layout, Values, Wanted, values_error};
use packets::Packets;
use snapshots::Snapshots;

/// The template of the order log, and its name.
const LOG: (u32, &str) = (3610, "X-OLR-CURR");
/// That of a snapshot.
const SNAPSHOT: (u32, &str) = (3600, "W-OLS-CURR");
/// That of a heartbeat.
const HEARTBEAT: (u32, &str) = (2108, "0");

/// Numbers of fields, as in the FIX dictionary and in the Moscow Exchange's.
mod tag {
    pub(super) const MSG_SEQ_NUM: u32 = 34;
    pub(super) const SENDING_TIME: u32 = 52;
    pub(super) const SYMBOL: u32 = 55;
    pub(super) const RPT_SEQ: u32 = 83;
    pub(super) const ENTRY_TYPE: u32 = 269;
    pub(super) const PRICE: u32 = 270;
    pub(super) const SIZE: u32 = 271;
    pub(super) const ENTRY_TIME: u32 = 273;
    pub(super) const ENTRY_ID: u32 = 278;
    pub(super) const UPDATE_ACTION: u32 = 279;
    pub(super) const SESSION: u32 = 336;
    pub(super) const LAST_PROCESSED: u32 = 369;
    pub(super) const SESSION_PART: u32 = 625;
    pub(super) const LAST_FRAGMENT: u32 = 893;
    pub(super) const ROUTE_FIRST: u32 = 7944;
    pub(super) const ORIG_TIME: u32 = 9412;
    pub(super) const ORDER_STATUS: u32 = 10_505;
}

const fn wanted(tag: u32, name: &'static str, values: Values, needed: bool) -> Wanted {
    Wanted {
        tag,
        name,
        values,
        needed,
    }
}

const SEQUENCE: Wanted = wanted(tag::MSG_SEQ_NUM, "MsgSeqNum", Values::Numbers, true);
const SENDING_TIME: Wanted = wanted(tag::SENDING_TIME, "SendingTime", Values::Numbers, false);
const SYMBOL: Wanted = wanted(tag::SYMBOL, "Symbol", Values::Text, true);
const RPT_SEQ: Wanted = wanted(tag::RPT_SEQ, "RptSeq", Values::Numbers, false);
const ENTRY_TYPE: Wanted = wanted(tag::ENTRY_TYPE, "MDEntryType", Values::Text, true);
const ENTRY_ID: Wanted = wanted(tag::ENTRY_ID, "MDEntryID", Values::Text, true);
const PRICE: Wanted = wanted(tag::PRICE, "MDEntryPx", Values::Decimals, true);
const SIZE: Wanted = wanted(tag::SIZE, "MDEntrySize", Values::Decimals, true);
const ORDER_STATUS: Wanted = wanted(tag::ORDER_STATUS, "OrderStatus", Values::Text, false);
const SESSION: Wanted = wanted(tag::SESSION, "TradingSessionID", Values::Text, false);
const SESSION_PART: Wanted = wanted(
    tag::SESSION_PART,
    "TradingSessionSubID",
    Values::Text,
    false,
);

/// OrderStatus of an order that is in the book; one that leaves has none.
const ACTIVE: Datum<'static> = Datum::Text(b"O");
/// The currency market's trading session, and its normal part.
const IN_SESSION: (u32, Datum<'static>) = (tag::SESSION, Datum::Text(b"CETS"));
const IN_PART: (u32, Datum<'static>) = (tag::SESSION_PART, Datum::Text(b"N"));

/// What an entry does (MDUpdateAction, 279).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Add = 0,
    Change = 1,
    Delete = 2,
}

/// An order at a price, in ticks.
#[derive(Clone, Copy, Debug)]
struct Published {
    instrument: u32,
    order: OrderId,
    side: Side,
    price: i64,
}

/// The publisher.
pub struct FastPublisher {
    log: Layout,
    heartbeat: Option<Layout>,
    templates: Templates,
    packets: Packets,
    lines: Vec<Box<dyn Line>>,
    snapshots: Option<Snapshots>,
    listings: Vec<Listing>,
    /// RptSeq (83) of each instrument's last entry.
    reports: Vec<u64>,
    /// What happened since the last commit.
    entries: Vec<Fields>,
    /// The time of the last of it.
    sending_time: Timestamp,
}

impl FastPublisher {
    /// An order log on these lines, in the templates of an exchange. Messages are numbered from 1.
    ///
    /// # Errors
    /// Template 3610 is not there, or cannot carry what is published.
    pub fn new(templates: &Templates, lines: Vec<Box<dyn Line>>) -> Result<Self, LayoutError> {
        let header = [SEQUENCE, SENDING_TIME];
        let entry = [
            wanted(tag::UPDATE_ACTION, "MDUpdateAction", Values::Numbers, true),
            ENTRY_TYPE,
            ENTRY_ID,
            SYMBOL,
            RPT_SEQ,
            wanted(tag::ENTRY_TIME, "MDEntryTime", Values::Numbers, false),
            wanted(tag::ORIG_TIME, "OrigTime", Values::Numbers, false),
            PRICE,
            SIZE,
            ORDER_STATUS,
            SESSION,
            SESSION_PART,
        ];
        let mut publisher = FastPublisher {
            log: Layout::new(templates, LOG, &header, &entry)?,
            // A feed without heartbeats is one, too.
            heartbeat: Layout::new(templates, HEARTBEAT, &header, &[]).ok(),
            templates: templates.clone(),
            packets: Packets::new(Encoder::new(templates)),
            lines,
            snapshots: None,
            listings: vec![],
            reports: vec![],
            entries: vec![],
            sending_time: Timestamp(0),
        };
        publisher.try_values()?;
        Ok(publisher)
    }

    /// It sends snapshots of the books to these lines, each instrument once in `cycle` nanoseconds, or later where books
    /// are large: 40 µs for each order, and 16 packets a millisecond at most.
    ///
    /// # Errors
    /// Template 3600 is not there, or cannot carry what is published.
    pub fn with_snapshots(
        mut self,
        lines: Vec<Box<dyn Line>>,
        cycle: u64,
    ) -> Result<Self, LayoutError> {
        self.snapshots = Some(Snapshots::new(&self.templates, lines, cycle)?);
        Ok(self)
    }

    /// The number of the next message (MsgSeqNum).
    pub const fn next_sequence(&self) -> u32 {
        self.packets.next()
    }

    /// Encodes a message of extreme values, to find out before the market begins.
    fn try_values(&mut self) -> Result<(), LayoutError> {
        let order = |order: u64, price: i64, quantity: Option<i64>| LogEntry {
            action: Action::Delete,
            side: Side::Sell,
            order,
            symbol: b"SYMBOL_8",
            report: i32::MAX as u64,
            time: LAST_TIME,
            price: decimal(price, PRICE_SCALE),
            quantity,
        };
        let entries = vec![
            order(u64::MAX, u32::MAX.into(), Some(u32::MAX.into())).fields(&self.log),
            order(1, 1, Some(1)).fields(&self.log),
            order(1, 10_000, None).fields(&self.log),
            self.log.entry(&cleared(b"SYMBOL_8")),
        ];
        let header = [
            (tag::MSG_SEQ_NUM, Datum::Number(u32::MAX.into())),
            (tag::SENDING_TIME, Datum::Number(991_231_235_959_999_999)),
        ];
        self.packets
            .try_message(&self.log, &header, entries)
            .map_err(|error| values_error(&error, &self.templates))?;
        if let Some(heartbeat) = &self.heartbeat
            && self
                .packets
                .try_message(heartbeat, &header, vec![])
                .is_err()
        {
            self.heartbeat = None;
        }
        Ok(())
    }

    /// Adds an entry about an order; `quantity` is what is left of it.
    fn push(&mut self, action: Action, told: Published, quantity: Option<u64>, now: Timestamp) {
        let Some(listing) = self.listings.get(told.instrument as usize) else {
            return;
        };
        let report = self.reports.get_mut(told.instrument as usize);
        let report = report.map_or(0, |report| {
            // It has 31 bits.
            *report = (*report + 1) & i32::MAX as u64;
            *report
        });
        let entry = LogEntry {
            action,
            side: told.side,
            order: told.order.0,
            symbol: listing.symbol.0.trim_ascii_end(),
            report,
            time: Clock::of(now),
            price: decimal(listing.price(told.price), PRICE_SCALE),
            quantity: quantity.map(|quantity| quantity as i64),
        };
        self.entries.push(entry.fields(&self.log));
        self.sending_time = now;
    }

    /// Sends what happened.
    fn flush(&mut self) {
        if self.entries.is_empty() {
            return;
        }
        let entries = std::mem::take(&mut self.entries);
        let (packets, lines) = (&mut self.packets, &mut self.lines);
        publish(packets, lines, &self.log, entries, self.sending_time);
    }
}

impl Publisher for FastPublisher {
    fn begin(&mut self, listings: &[Listing], engine: &Engine, now: Timestamp) {
        self.listings = listings.to_vec();
        self.reports = vec![0; listings.len()];
        self.sending_time = now;
        for (instrument, listing) in (0..).zip(listings) {
            let symbol = listing.symbol.0.trim_ascii_end();
            self.entries.push(self.log.entry(&cleared(symbol)));
            for side in [Side::Buy, Side::Sell] {
                for order in engine.orders(instrument, side) {
                    let told = Published {
                        instrument,
                        order: order.party.id,
                        side,
                        price: order.price,
                    };
                    self.push(Action::Add, told, Some(order.party.remaining), now);
                }
            }
        }
        self.flush();
    }

    fn event(&mut self, event: &Event, now: Timestamp) {
        let (action, told, quantity) = match *event {
            Event::Rested {
                instrument,
                order,
                side,
                price,
            } => {
                let told = Published {
                    instrument,
                    order: order.id,
                    side,
                    price,
                };
                (Action::Add, told, order.remaining)
            }
            Event::Traded {
                instrument,
                price,
                side,
                maker,
                ..
            } => {
                let told = Published {
                    instrument,
                    order: maker.id,
                    // The event has the taker's.
                    side: opposite(side),
                    price,
                };
                (Action::Change, told, maker.remaining)
            }
            Event::Reduced {
                instrument,
                order,
                side,
                price,
                displayed: true,
                removed,
            } if removed > 0 => {
                let told = Published {
                    instrument,
                    order: order.id,
                    side,
                    price,
                };
                (Action::Change, told, order.remaining)
            }
            // The log has no replacement: the order leaves, and what enters the book of the one after it enters.
            Event::Replaced {
                instrument,
                old,
                side,
                old_price,
                displayed: true,
                ..
            } => {
                let told = Published {
                    instrument,
                    order: old,
                    side,
                    price: old_price,
                };
                (Action::Delete, told, 0)
            }
            Event::Removed {
                instrument,
                order,
                side,
                price,
                displayed: true,
                ..
            } => {
                let told = Published {
                    instrument,
                    order: order.id,
                    side,
                    price,
                };
                (Action::Delete, told, 0)
            }
            _ => return,
        };
        match quantity {
            0 => self.push(Action::Delete, told, None, now),
            _ => self.push(action, told, Some(quantity), now),
        }
    }

    fn end(&mut self) {
        self.flush();
    }

    fn snapshot(&mut self, engine: &Engine, now: Timestamp) {
        // A snapshot is of the books after the last message that left.
        if let Some(snapshots) = self.snapshots.as_mut().filter(|_| self.entries.is_empty()) {
            let last = self.packets.next().wrapping_sub(1);
            snapshots.turn(engine, &self.listings, &self.reports, last, now);
        }
    }

    fn heartbeat(&mut self, now: Timestamp) {
        // What is not committed yet goes before it.
        let Some(layout) = self.heartbeat.as_ref().filter(|_| self.entries.is_empty()) else {
            return;
        };
        publish(&mut self.packets, &mut self.lines, layout, vec![], now);
    }
}

/// An entry about an order.
#[derive(Clone, Copy, Debug)]
struct LogEntry<'a> {
    action: Action,
    side: Side,
    order: u64,
    symbol: &'a [u8],
    /// RptSeq of its instrument.
    report: u64,
    /// When it happened.
    time: Clock,
    price: Datum<'static>,
    /// What is left of the order; `None`: it leaves.
    quantity: Option<i64>,
}

impl LogEntry<'_> {
    /// Its values, those that the recorded feed has: no MDEntryDate, and of an order that leaves neither quantity nor status.
    fn fields(&self, layout: &Layout) -> Fields {
        let id = Digits::new(self.order);
        let mut values = vec![
            (tag::UPDATE_ACTION, Datum::Number(self.action as u64)),
            (tag::ENTRY_TYPE, entry_type(self.side)),
            (tag::ENTRY_ID, Datum::Text(id.bytes())),
            (tag::SYMBOL, Datum::Text(self.symbol)),
            (tag::RPT_SEQ, Datum::Number(self.report)),
            (tag::ENTRY_TIME, Datum::Number(self.time.time * 1_000)),
            (tag::ORIG_TIME, Datum::Number(self.time.microseconds)),
            (tag::PRICE, self.price),
            IN_SESSION,
            IN_PART,
        ];
        if let Some(quantity) = self.quantity {
            values.push((tag::SIZE, decimal(quantity, 0)));
            values.push((tag::ORDER_STATUS, ACTIVE));
        }
        layout.entry(&values)
    }
}

/// Sends entries to the lines, in as many messages as they need.
fn publish(
    packets: &mut Packets,
    lines: &mut [Box<dyn Line>],
    layout: &Layout,
    entries: Vec<Fields>,
    now: Timestamp,
) {
    let time = Clock::of(now).sending_time();
    let header = |part: packets::Part| {
        vec![
            (tag::MSG_SEQ_NUM, Datum::Number(part.number.into())),
            (tag::SENDING_TIME, Datum::Number(time)),
        ]
    };
    packets.make(layout, entries, header, &mut |packet: &[u8]| {
        send(lines, packet);
    });
}

/// The values of an entry that says a book is empty.
fn cleared(symbol: &[u8]) -> [(u32, Datum<'_>); 3] {
    [
        (tag::UPDATE_ACTION, Datum::Number(Action::Add as u64)),
        (tag::ENTRY_TYPE, Datum::Text(b"J")),
        (tag::SYMBOL, Datum::Text(symbol)),
    ]
}

const fn entry_type(side: Side) -> Datum<'static> {
    match side {
        Side::Buy => Datum::Text(b"0"),
        Side::Sell => Datum::Text(b"1"),
    }
}

const fn opposite(side: Side) -> Side {
    match side {
        Side::Buy => Side::Sell,
        Side::Sell => Side::Buy,
    }
}

/// A decimal as the exchange sends it: without zeros at its end, be they before the point.
const fn decimal(mut mantissa: i64, decimals: u8) -> Datum<'static> {
    let mut exponent = -(decimals as i32);
    while mantissa != 0 && mantissa % 10 == 0 {
        (mantissa, exponent) = (mantissa / 10, exponent + 1);
    }
    Datum::Decimal(Decimal { exponent, mantissa })
}

fn send(lines: &mut [Box<dyn Line>], packet: &[u8]) {
    for line in lines {
        line.send(packet);
    }
}

/// A time as the fields have it, in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Clock {
    /// YYYYMMDD.
    date: u64,
    /// HHMMSS.
    time: u64,
    /// Of the second.
    microseconds: u64,
}

/// The last microsecond of a day.
const LAST_TIME: Clock = Clock {
    date: 25_541_231,
    time: 235_959,
    microseconds: 999_999,
};

impl Clock {
    fn of(now: Timestamp) -> Self {
        // YYYYMMDD-HH:MM:SS.sss
        let text = now.text();
        let digits = |part: &[u8]| {
            let digits = part.iter().filter(|byte| byte.is_ascii_digit());
            digits.fold(0, |number, byte| number * 10 + u64::from(byte - b'0'))
        };
        let (date, rest) = text.split_at(8);
        let (time, _) = rest.split_at(9);
        Clock {
            date: digits(date),
            time: digits(time),
            microseconds: now.0 % 1_000_000_000 / 1_000,
        }
    }

    /// SendingTime: YYMMDDHHMMSSuuuuuu.
    const fn sending_time(self) -> u64 {
        (self.date % 1_000_000 * 1_000_000 + self.time) * 1_000_000 + self.microseconds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_in_the_digits_of_the_exchange() {
        // 2026-11-21 16:56:14.123456789 UTC.
        let clock = Clock::of(Timestamp(1_795_280_174_123_456_789));
        assert_eq!(
            (clock.date, clock.time, clock.microseconds),
            (20_261_121, 165_614, 123_456)
        );
        assert_eq!(clock.sending_time(), 261_121_165_614_123_456);
    }

    #[test]
    fn zeros_at_the_end_of_a_decimal_are_not_sent() {
        // The recorded order log has 59.955 as 59955e-3, 60 as 6e1, and a quantity of 230 as 23e1.
        for (mantissa, decimals, expected) in [
            (599_550, 4, (59_955, -3)),
            (600_000, 4, (6, 1)),
            (626_325, 4, (626_325, -4)),
            (230, 0, (23, 1)),
            (1, 0, (1, 0)),
            (0, 4, (0, -4)),
        ] {
            let Datum::Decimal(Decimal { exponent, mantissa }) = decimal(mantissa, decimals) else {
                panic!("a decimal")
            };
            assert_eq!((mantissa, exponent), expected);
        }
    }
}
