//! Cancels and replacements.

use formats::Side;
use formats::fix::{
    CancelRejectResponse, OrdStatus, OrderCancelReject, OrderCancelReplaceRequest,
    OrderCancelRequest, Timestamp,
};

use super::{Refused, kind, prices, quantity, symbol};
use crate::exchange::Exchange;
use crate::order::Replacement;
use crate::outgoing::{Outbox, Outgoing};
use crate::records::{End, Name, NameState, Record};
use crate::report::{Digits, Pending};

impl Exchange {
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
            NameState::Live(place) | NameState::Replaced(place) => place,
            NameState::Done(..) => return Err(Refused::Late),
            NameState::Unknown => return Err(Refused::Unknown),
        };
        let record = *self.records.get(u64::from(place)).ok_or(Refused::Unknown)?;
        if record.name != name {
            return Err(Refused::Replaced(record.name));
        }
        let same =
            symbol(text).and_then(|symbol| self.symbols.get(&symbol)) == Some(&record.instrument);
        if same && record.side == side {
            Ok((place, record))
        } else {
            Err(Refused::Other)
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
        let other = |asked| asked != record.time_in_force;
        if message.time_in_force.is_some_and(other) {
            return Err(Refused::TimeInForce);
        }
        let listing = self
            .listings
            .get(record.instrument as usize)
            .ok_or(Refused::Symbol)?;
        let (price, trigger) = prices(
            listing,
            kind(record.order_type).ok_or(Refused::Unsupported)?,
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

    /// Refuses a cancel request that the journal cannot take.
    pub(crate) fn refuse_unstored_cancel(
        &mut self,
        client: u32,
        message: &OrderCancelRequest<'_>,
        now: Timestamp,
        outbox: &mut dyn Outbox,
    ) {
        let names = (message.client_order_id, message.original_client_order_id);
        let response = CancelRejectResponse::Cancel;
        self.refuse_cancel(client, names, response, Refused::Storage, now, outbox);
    }

    /// Refuses a replace request that the journal cannot take.
    pub(crate) fn refuse_unstored_replace(
        &mut self,
        client: u32,
        message: &OrderCancelReplaceRequest<'_>,
        now: Timestamp,
        outbox: &mut dyn Outbox,
    ) {
        let names = (message.client_order_id, message.original_client_order_id);
        let response = CancelRejectResponse::Replace;
        self.refuse_cancel(client, names, response, Refused::Storage, now, outbox);
    }

    fn refuse_cancel(
        &self,
        client: u32,
        names: (&[u8], &[u8]),
        response_to: CancelRejectResponse,
        refused: Refused,
        now: Timestamp,
        outbox: &mut dyn Outbox,
    ) {
        let (reason, text) = (
            refused.cancel_code(self.version(client)),
            refused.to_string(),
        );
        self.reject_change(client, names, response_to, (reason, &text), now, outbox);
    }

    /// Reports that a cancel or replace request is refused: why, and the state of the order that it names.
    pub(super) fn reject_change(
        &self,
        client: u32,
        (name, original): (&[u8], &[u8]),
        response_to: CancelRejectResponse,
        (reason, text): (u32, &str),
        now: Timestamp,
        outbox: &mut dyn Outbox,
    ) {
        let known = Name::new(original)
            .map_or(NameState::Unknown, |name| self.records.known(client, &name));
        let order = match known {
            NameState::Live(place) | NameState::Replaced(place) => {
                let record = self.records.get(u64::from(place));
                record.map(|record| match record.traded {
                    0 => (record.number, OrdStatus::New),
                    _ => (record.number, OrdStatus::PartiallyFilled),
                })
            }
            NameState::Done(number, End::Filled) => Some((number, OrdStatus::Filled)),
            NameState::Done(number, End::Canceled) => Some((number, OrdStatus::Canceled)),
            NameState::Unknown => None,
        };
        let number = order.map(|(number, _)| Digits::new(number));
        let reject = OrderCancelReject {
            order_id: number.as_ref().map_or(b"NONE", Digits::bytes),
            client_order_id: name,
            original_client_order_id: original,
            status: order.map_or(OrdStatus::Rejected, |(_, status)| status),
            transact_time: Some(now),
            response_to,
            reason: Some(reason),
            text: Some(text.as_bytes()),
        };
        outbox.send(client, &Outgoing::CancelReject(reject));
    }
}
