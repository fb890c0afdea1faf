//! Requests for prices.

use formats::fix::{
    MarketDataRequest, MarketDataRequestReject, MdEntryType, MdRequestRejectReason,
    SubscriptionRequestType,
};

use super::symbol;
use crate::exchange::Exchange;
use crate::outgoing::{Outbox, Outgoing};
use crate::prices::Unavailable;

/// MDUpdateType (265) of a client that wants a snapshot at each change.
const FULL_REFRESH: u32 = 0;

impl Exchange {
    pub(crate) fn price_request(
        &mut self,
        client: u32,
        message: &MarketDataRequest<'_>,
        outbox: &mut dyn Outbox,
    ) {
        if let Err(unavailable) = self.try_price_request(client, message, outbox) {
            refuse(client, message.request_id, unavailable, outbox);
        }
    }

    fn try_price_request(
        &mut self,
        client: u32,
        message: &MarketDataRequest<'_>,
        outbox: &mut dyn Outbox,
    ) -> Result<(), Unavailable> {
        if message.subscription == SubscriptionRequestType::Unsubscribe {
            self.prices.forget(client, Some(message.request_id));
            return Ok(());
        }
        if message.symbols.is_empty() || message.entry_types.is_empty() {
            return Err(Unavailable {
                reason: None,
                text: "NoRelatedSym (146) and NoMDEntryTypes (267) are required",
            });
        }
        let published = |entry: MdEntryType| {
            matches!(
                entry,
                MdEntryType::Bid | MdEntryType::Offer | MdEntryType::Trade
            )
        };
        if !message.entry_types.iter().all(published) {
            return Err(Unavailable {
                reason: Some(MdRequestRejectReason::UnsupportedEntryType),
                text: "Only bids, offers and trades: MDEntryType (269) 0, 1 and 2",
            });
        }
        if message.subscription == SubscriptionRequestType::Subscribe
            && message.update_type == Some(FULL_REFRESH)
        {
            return Err(Unavailable {
                reason: Some(MdRequestRejectReason::UnsupportedUpdateType),
                text: "Changes come as increments: MDUpdateType (265) 1",
            });
        }
        let unknown = Unavailable {
            reason: Some(MdRequestRejectReason::UnknownSymbol),
            text: "Unknown symbol",
        };
        let known =
            |text: &[u8]| symbol(text).and_then(|symbol| self.symbols.get(&symbol).copied());
        // All of them or none.
        if message
            .symbols
            .iter()
            .any(|entry| known(entry.symbol).is_none())
        {
            return Err(unknown);
        }
        for entry in &message.symbols {
            let instrument = symbol(entry.symbol)
                .and_then(|symbol| self.symbols.get(&symbol).copied())
                .ok_or(unknown)?;
            let (engine, listings) = (&self.engine, &self.listings);
            self.prices
                .subscribe(client, instrument, message, engine, listings, outbox)?;
        }
        Ok(())
    }
}

fn refuse(client: u32, request_id: &[u8], unavailable: Unavailable, outbox: &mut dyn Outbox) {
    let reject = MarketDataRequestReject {
        request_id,
        reason: unavailable.reason,
        text: Some(unavailable.text.as_bytes()),
    };
    outbox.send(client, &Outgoing::RequestReject(reject));
}
