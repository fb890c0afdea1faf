//! Cancels and replacements.

use wire::Side;
use wire::fix::{
    CancelRejectResponse, OrdStatus, OrderCancelReject, OrderCancelReplaceRequest,
    OrderCancelRequest, Timestamp,
};

use super::{Refused, kind, prices, quantity, symbol};
use crate::exchange::Exchange;
use crate::order::Replacement;
use crate::outgoing::{Outbox, Outgoing};
use crate::records::{Known, Name, Record};
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
}
