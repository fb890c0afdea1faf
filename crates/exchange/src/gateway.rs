//! Requests of clients to orders of the engine, and what is refused on the way.

use wire::fix::{
    CancelRejectResponse, Decimal, ExecType, MarketDataRequest, NewOrderSingle, OrdStatus, OrdType,
    OrderCancelReject, OrderCancelReplaceRequest, OrderCancelRequest, SubscriptionRequestType,
    TimeInForce, Timestamp, Version,
};
use wire::{Side, Symbol};

use crate::exchange::{Exchange, reject};
use crate::listing::Listing;
use crate::order::{self, Kind, NewOrder, OrderId, Refusal, Replacement};
use crate::outgoing::{Outbox, Outgoing};
use crate::records::{Known, Name, Record};
use crate::report::{Digits, Pending, Reporter, report, whole};

/// Why an order is refused, beyond what the engine refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum Refused {
    #[error("Unknown symbol")]
    Symbol,
    #[error("ClOrdID longer than 32 bytes")]
    Name,
    #[error("Duplicate ClOrdID")]
    Duplicate,
    #[error("Too many orders today")]
    Names,
    #[error("OrderQty missing, or not a whole number")]
    Quantity,
    #[error("Price missing, or not a multiple of the tick")]
    Price,
    #[error("StopPx missing, or not a multiple of the tick")]
    StopPrice,
    #[error("Unknown order")]
    Unknown,
    #[error("Refused on purpose")]
    Fault,
    #[error("Too late to cancel")]
    Late,
    #[error("OrdType of a replacement must be that of the order")]
    Type,
    #[error("{0}")]
    Engine(#[from] Refusal),
}

impl Refused {
    /// OrdRejReason (103).
    const fn order_code(self, version: Version) -> u32 {
        match self {
            Refused::Symbol => 1,
            Refused::Engine(Refusal::LargeQuantity) => 3,
            Refused::Duplicate => 6,
            Refused::Quantity | Refused::Engine(Refusal::ZeroQuantity)
                if matches!(version, Version::Fix44) =>
            {
                13
            }
            _ if matches!(version, Version::Fix44) => 99,
            _ => 0,
        }
    }

    /// CxlRejReason (102).
    const fn cancel_code(self, version: Version) -> u32 {
        match self {
            Refused::Late => 0,
            Refused::Unknown | Refused::Engine(Refusal::Order | Refusal::Client) => 1,
            Refused::Duplicate if matches!(version, Version::Fix44) => 6,
            _ if matches!(version, Version::Fix44) => 99,
            _ => 2,
        }
    }
}

/// A symbol of the wire, if it can be one of ours.
fn symbol(text: &[u8]) -> Option<Symbol> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

const fn kind(order_type: OrdType) -> Kind {
    match order_type {
        OrdType::Limit => Kind::Limit,
        OrdType::Market => Kind::Market,
        OrdType::Stop => Kind::Stop,
        OrdType::StopLimit => Kind::StopLimit,
    }
}

/// A whole quantity that is not negative.
fn quantity(value: Option<Decimal>) -> Result<u64, Refused> {
    let value = value
        .and_then(|value| value.at_scale(0))
        .ok_or(Refused::Quantity)?;
    u64::try_from(value).map_err(|_| Refused::Quantity)
}

/// Limit and trigger in ticks; 0 where the kind has none.
fn prices(
    listing: &Listing,
    kind: Kind,
    price: Option<Decimal>,
    stop: Option<Decimal>,
) -> Result<(i64, i64), Refused> {
    let ticks = |wanted: bool, value: Option<Decimal>, refused| {
        if !wanted {
            return Ok(0);
        }
        value.and_then(|value| listing.ticks(value)).ok_or(refused)
    };
    Ok((
        ticks(kind.has_limit(), price, Refused::Price)?,
        ticks(kind.is_stop(), stop, Refused::StopPrice)?,
    ))
}

impl Exchange {
    fn version(&self, client: u32) -> Version {
        self.clients
            .get(client as usize)
            .map_or(Version::Fix44, |client| client.version)
    }

    /// A name that was not used before.
    fn unused(&self, client: u32, text: &[u8]) -> Result<Name, Refused> {
        let name = Name::new(text).ok_or(Refused::Name)?;
        if self.records.known(client, &name) != Known::Unknown {
            return Err(Refused::Duplicate);
        }
        if self.records.names() >= self.settings.most_names {
            return Err(Refused::Names);
        }
        Ok(name)
    }

    pub(crate) fn new_order(
        &mut self,
        client: u32,
        message: &NewOrderSingle<'_>,
        now: Timestamp,
        outbox: &mut dyn Outbox,
    ) {
        if let Err(refused) = self.try_new_order(client, message, now, outbox) {
            self.executions += 1;
            self.reject_order(client, message, (refused, self.executions), now, outbox);
        }
    }

    /// Refuses an order on purpose. The journal does not know of it, so that its ExecID must not be one of those counted.
    pub(crate) fn refuse_order(
        &mut self,
        client: u32,
        message: &NewOrderSingle<'_>,
        now: Timestamp,
        outbox: &mut dyn Outbox,
    ) {
        self.reject_order(client, message, (Refused::Fault, now.0), now, outbox);
    }

    /// Tells that an order is refused: why, and the ExecID.
    fn reject_order(
        &self,
        client: u32,
        message: &NewOrderSingle<'_>,
        (refused, execution): (Refused, u64),
        now: Timestamp,
        outbox: &mut dyn Outbox,
    ) {
        let version = self.version(client);
        let (execution, text) = (Digits::new(execution), refused.to_string());
        let report = wire::fix::ExecutionReport {
            order_id: b"NONE",
            client_order_id: Some(message.client_order_id),
            execution_id: execution.bytes(),
            transaction_type: (version == Version::Fix42).then_some(b'0'),
            execution_type: ExecType::Rejected,
            status: OrdStatus::Rejected,
            reject_reason: Some(refused.order_code(version)),
            account: message.account,
            symbol: message.symbol,
            side: message.side,
            quantity: message.quantity,
            order_type: Some(message.order_type),
            price: message.price,
            stop_price: message.stop_price,
            leaves_quantity: whole(0),
            cumulative_quantity: whole(0),
            average_price: whole(0),
            transact_time: Some(now),
            text: Some(text.as_bytes()),
            ..wire::fix::ExecutionReport::default()
        };
        outbox.send(client, &Outgoing::Report(report));
    }

    fn try_new_order(
        &mut self,
        client: u32,
        message: &NewOrderSingle<'_>,
        now: Timestamp,
        outbox: &mut dyn Outbox,
    ) -> Result<(), Refused> {
        let instrument =
            symbol(message.symbol).and_then(|symbol| self.symbols.get(&symbol).copied());
        let instrument = instrument.ok_or(Refused::Symbol)?;
        let listing = self
            .listings
            .get(instrument as usize)
            .ok_or(Refused::Symbol)?;
        let name = self.unused(client, message.client_order_id)?;
        let quantity = quantity(message.quantity)?;
        let kind = kind(message.order_type);
        let (price, trigger) = prices(listing, kind, message.price, message.stop_price)?;
        let time_in_force = message.time_in_force.unwrap_or(TimeInForce::Day);
        let record = Record {
            id: OrderId::default(),
            number: self.orders + 1,
            client,
            instrument,
            name,
            side: message.side,
            order_type: message.order_type,
            time_in_force,
            price: message.price,
            stop_price: message.stop_price,
            quantity,
            traded: 0,
            notional: 0,
        };
        let order = NewOrder {
            instrument,
            client,
            tag: 0,
            side: message.side,
            kind,
            time_in_force: match time_in_force {
                TimeInForce::Day | TimeInForce::GoodTillCancel => order::TimeInForce::Day,
                TimeInForce::ImmediateOrCancel => order::TimeInForce::ImmediateOrCancel,
                TimeInForce::FillOrKill => order::TimeInForce::FillOrKill,
            },
            price,
            trigger,
            quantity,
        };
        // The engine's own checks first, so that nothing is kept of an order that is refused.
        self.engine.check(&order)?;
        self.orders += 1;
        let tag = u64::from(self.records.insert(record));
        let (engine, mut reporter) = self.reporter(now, outbox, None);
        engine.submit(&NewOrder { tag, ..order }, &mut reporter)?;
        Ok(())
    }

    /// The engine, and what takes its events.
    fn reporter<'a>(
        &'a mut self,
        now: Timestamp,
        outbox: &'a mut dyn Outbox,
        pending: Option<Pending>,
    ) -> (&'a mut crate::Engine, Reporter<'a>) {
        let reporter = Reporter {
            records: &mut self.records,
            listings: &self.listings,
            clients: &self.clients,
            executions: &mut self.executions,
            prices: &mut self.prices,
            publishers: &mut self.publishers,
            outbox,
            now,
            pending,
        };
        (&mut self.engine, reporter)
    }

    /// The order a client names.
    fn named(
        &mut self,
        client: u32,
        original: &[u8],
        text: &[u8],
        side: Side,
    ) -> Result<(u32, Record), Refused> {
        let name = Name::new(original).ok_or(Refused::Unknown)?;
        let place = match self.records.known(client, &name) {
            Known::Live(place) => place,
            Known::Done => return Err(Refused::Late),
            Known::Unknown => return Err(Refused::Unknown),
        };
        let record = *self
            .records
            .get_mut(u64::from(place))
            .ok_or(Refused::Unknown)?;
        let same =
            symbol(text).and_then(|symbol| self.symbols.get(&symbol)) == Some(&record.instrument);
        if same && record.side == side {
            Ok((place, record))
        } else {
            Err(Refused::Unknown)
        }
    }

    pub(crate) fn cancel_order(
        &mut self,
        client: u32,
        message: &OrderCancelRequest<'_>,
        now: Timestamp,
        outbox: &mut dyn Outbox,
    ) {
        if let Err(refused) = self.try_cancel(client, message, now, outbox) {
            let names = (message.client_order_id, message.original_client_order_id);
            self.refuse_cancel(
                client,
                names,
                CancelRejectResponse::Cancel,
                refused,
                now,
                outbox,
            );
        }
    }

    fn try_cancel(
        &mut self,
        client: u32,
        message: &OrderCancelRequest<'_>,
        now: Timestamp,
        outbox: &mut dyn Outbox,
    ) -> Result<(), Refused> {
        let (_, record) = self.named(
            client,
            message.original_client_order_id,
            message.symbol,
            message.side,
        )?;
        let pending = Pending {
            name: self.unused(client, message.client_order_id)?,
            quantity: record.quantity,
            price: record.price,
            stop_price: record.stop_price,
        };
        let (engine, mut reporter) = self.reporter(now, outbox, Some(pending));
        Ok(engine.cancel(client, record.id, &mut reporter)?)
    }

    pub(crate) fn replace_order(
        &mut self,
        client: u32,
        message: &OrderCancelReplaceRequest<'_>,
        now: Timestamp,
        outbox: &mut dyn Outbox,
    ) {
        if let Err(refused) = self.try_replace(client, message, now, outbox) {
            let names = (message.client_order_id, message.original_client_order_id);
            self.refuse_cancel(
                client,
                names,
                CancelRejectResponse::Replace,
                refused,
                now,
                outbox,
            );
        }
    }

    fn try_replace(
        &mut self,
        client: u32,
        message: &OrderCancelReplaceRequest<'_>,
        now: Timestamp,
        outbox: &mut dyn Outbox,
    ) -> Result<(), Refused> {
        let (place, record) = self.named(
            client,
            message.original_client_order_id,
            message.symbol,
            message.side,
        )?;
        if message.order_type != record.order_type {
            return Err(Refused::Type);
        }
        let listing = self
            .listings
            .get(record.instrument as usize)
            .ok_or(Refused::Symbol)?;
        let (price, trigger) = prices(
            listing,
            kind(record.order_type),
            message.price,
            message.stop_price,
        )?;
        let quantity = quantity(message.quantity)?;
        let pending = Pending {
            name: self.unused(client, message.client_order_id)?,
            quantity,
            price: message.price,
            stop_price: message.stop_price,
        };
        let with = Replacement {
            tag: u64::from(place),
            price,
            trigger,
            quantity,
        };
        let (engine, mut reporter) = self.reporter(now, outbox, Some(pending));
        engine.replace(client, record.id, &with, &mut reporter)?;
        Ok(())
    }

    fn refuse_cancel(
        &mut self,
        client: u32,
        (name, original): (&[u8], &[u8]),
        response_to: CancelRejectResponse,
        refused: Refused,
        now: Timestamp,
        outbox: &mut dyn Outbox,
    ) {
        let version = self.version(client);
        let known =
            Name::new(original).map_or(Known::Unknown, |name| self.records.known(client, &name));
        let record = match known {
            Known::Live(place) => self.records.get_mut(u64::from(place)).copied(),
            Known::Done | Known::Unknown => None,
        };
        let number = record.map(|record| Digits::new(record.number));
        let text = refused.to_string();
        let reject = OrderCancelReject {
            order_id: number.as_ref().map_or(b"NONE", Digits::bytes),
            client_order_id: name,
            original_client_order_id: original,
            status: match record {
                Some(record) if record.traded > 0 => OrdStatus::PartiallyFilled,
                Some(_) => OrdStatus::New,
                None => OrdStatus::Rejected,
            },
            transact_time: Some(now),
            response_to,
            reason: Some(refused.cancel_code(version)),
            text: Some(text.as_bytes()),
        };
        outbox.send(client, &Outgoing::CancelReject(reject));
    }

    pub(crate) fn price_request(
        &mut self,
        client: u32,
        message: &MarketDataRequest<'_>,
        outbox: &mut dyn Outbox,
    ) {
        if message.subscription == SubscriptionRequestType::Unsubscribe {
            self.prices.forget(client, Some(message.request_id));
            return;
        }
        if message.symbols.is_empty() || message.entry_types.is_empty() {
            return reject(
                client,
                b"V",
                b"NoRelatedSym and NoMDEntryTypes are required",
                outbox,
            );
        }
        let known =
            |text: &[u8]| symbol(text).and_then(|symbol| self.symbols.get(&symbol).copied());
        if message
            .symbols
            .iter()
            .any(|entry| known(entry.symbol).is_none())
        {
            return reject(client, b"V", b"Unknown symbol", outbox);
        }
        for entry in &message.symbols {
            let Some(instrument) =
                symbol(entry.symbol).and_then(|symbol| self.symbols.get(&symbol).copied())
            else {
                continue;
            };
            if !self.prices.subscribe(
                client,
                instrument,
                message,
                &self.engine,
                &self.listings,
                outbox,
            ) {
                return reject(
                    client,
                    b"V",
                    b"Too many subscriptions, or MDReqID longer than 32 bytes",
                    outbox,
                );
            }
        }
    }

    /// The report that says how an order stands, if it is there.
    pub fn status(&mut self, client: u32, name: &[u8], outbox: &mut dyn Outbox) {
        let version = self.version(client);
        let Some(name) = Name::new(name) else { return };
        let Known::Live(place) = self.records.known(client, &name) else {
            return;
        };
        if let Some(record) = self.records.get_mut(u64::from(place))
            && let Some(listing) = self.listings.get(record.instrument as usize)
        {
            let number = Digits::new(record.number);
            let mut report = report(record, listing, version, &number);
            (report.execution_id, report.execution_type) = (b"0", ExecType::OrderStatus);
            outbox.send(client, &Outgoing::Report(report));
        }
    }
}
