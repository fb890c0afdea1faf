//! New orders, and the status of an order.

use formats::fix::{ExecType, NewOrderSingle, OrdStatus, TimeInForce, Timestamp, Version};

use super::{Refused, kind, prices, quantity, symbol};
use crate::exchange::Exchange;
use crate::order::{NewOrder, OrderId};
use crate::outgoing::{Outbox, Outgoing};
use crate::records::{Name, NameState, Record};
use crate::report::{Digits, report, whole};

impl Exchange {
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

    /// Refuses an order on purpose. The journal does not have it.
    pub(crate) fn refuse_order(
        &mut self,
        client: u32,
        message: &NewOrderSingle<'_>,
        now: Timestamp,
        outbox: &mut dyn Outbox,
    ) {
        let execution = self.uncounted_execution(now);
        self.reject_order(client, message, (Refused::Fault, execution), now, outbox);
    }

    /// Refuses an order that the journal cannot take, and does not have either.
    pub(crate) fn refuse_unstored_order(
        &mut self,
        client: u32,
        message: &NewOrderSingle<'_>,
        now: Timestamp,
        outbox: &mut dyn Outbox,
    ) {
        let execution = self.uncounted_execution(now);
        self.reject_order(client, message, (Refused::Storage, execution), now, outbox);
    }

    /// Reports that an order is refused: why, and the ExecID.
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
        let report = formats::fix::ExecutionReport {
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
            ..formats::fix::ExecutionReport::default()
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
        let kind = kind(message.order_type).ok_or(Refused::Unsupported)?;
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
            time_in_force: super::time_in_force(time_in_force).ok_or(Refused::Unsupported)?,
            price,
            trigger,
            quantity,
        };
        // The engine's own checks first, so that nothing is stored of a refused order.
        self.engine.check(&order)?;
        self.orders += 1;
        let tag = u64::from(self.records.insert(record));
        let (engine, mut reporter) = self.reporter(now, outbox, None);
        engine.submit(&NewOrder { tag, ..order }, &mut reporter)?;
        Ok(())
    }

    /// The report with the status of an order, if it is there.
    pub fn status(&mut self, client: u32, name: &[u8], outbox: &mut dyn Outbox) {
        let version = self.version(client);
        let Some(name) = Name::new(name) else { return };
        let NameState::Live(place) = self.records.known(client, &name) else {
            return;
        };
        if let Some(record) = self.records.get_mut(u64::from(place))
            && let Some(listing) = self.listings.get(record.instrument as usize)
        {
            let number = Digits::new(record.number);
            let mut report = report(record, listing, version, &number);
            report.execution_id = b"0";
            report.status = match record.traded {
                0 => OrdStatus::New,
                _ => OrdStatus::PartiallyFilled,
            };
            match version {
                Version::Fix44 => report.execution_type = ExecType::OrderStatus,
                // ExecTransType says that it is a status, ExecType what the status is.
                Version::Fix42 => {
                    report.transaction_type = Some(b'3');
                    report.execution_type = match record.traded {
                        0 => ExecType::New,
                        _ => ExecType::PartialFill,
                    };
                }
            }
            outbox.send(client, &Outgoing::Report(report));
        }
    }
}
