//! Requests for prices.

use wire::fix::{MarketDataRequest, SubscriptionRequestType};

use super::symbol;
use crate::exchange::{Exchange, reject};
use crate::outgoing::Outbox;

impl Exchange {
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
}
