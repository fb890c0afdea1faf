//! Prices to clients by FIX: a snapshot (35=W), then what changes (35=X).
//!
//! A client asks for the best prices (MarketDepth 1) or for all levels (any other depth), and for trades. A snapshot has the best 50
//! levels of a side; the increments tell of every level.

use wire::Side;
use wire::fix::{
    IncrementalEntry, MarketDataIncrement, MarketDataRequest, MarketDataSnapshot, MdEntryType,
    MdUpdateAction, SnapshotEntry, SubscriptionRequestType,
};

use crate::engine::{Engine, PriceLevel};
use crate::listing::Listing;
use crate::order::Event;
use crate::outgoing::{Outbox, Outgoing};
use crate::records::Name;
use crate::report::whole;

/// Levels of a side in a snapshot.
const SNAPSHOT_LEVELS: usize = 50;
/// Entries of an increment; more make another one.
const ENTRIES: usize = 32;
/// Subscriptions of all clients to one instrument.
const MOST_SUBSCRIPTIONS: usize = 1_024;

#[derive(Clone, Debug)]
struct Subscription {
    client: u32,
    /// MDReqID; none where the client did not ask.
    request: Option<Name>,
    best_only: bool,
    trades: bool,
    bids: bool,
    offers: bool,
}

impl Subscription {
    const fn wants(&self, change: &Change) -> bool {
        match change.what {
            MdEntryType::Trade => self.trades,
            MdEntryType::Bid => self.bids && self.best_only == change.best,
            MdEntryType::Offer => self.offers && self.best_only == change.best,
        }
    }
}

/// A level that something happened at, and what that added.
#[derive(Clone, Copy, Debug)]
struct Touched {
    instrument: u32,
    side: Side,
    price: i64,
    added: i128,
}

/// What is told.
#[derive(Clone, Copy, Debug)]
struct Change {
    instrument: u32,
    action: MdUpdateAction,
    what: MdEntryType,
    /// Whether it is about the best price, not about a level.
    best: bool,
    price: i64,
    quantity: u64,
}

/// Who listens to what, and what they were told.
#[derive(Debug, Default)]
pub(crate) struct Prices {
    /// By instrument.
    subscriptions: Vec<Vec<Subscription>>,
    count: usize,
    touched: Vec<Touched>,
    changes: Vec<Change>,
    /// The best bid and offer as last seen, by instrument.
    best: Vec<[Option<PriceLevel>; 2]>,
}

const fn entry_type(side: Side) -> MdEntryType {
    match side {
        Side::Buy => MdEntryType::Bid,
        Side::Sell => MdEntryType::Offer,
    }
}

impl Prices {
    pub(crate) fn new(instruments: usize) -> Self {
        Prices {
            subscriptions: vec![vec![]; instruments],
            best: vec![[None; 2]; instruments],
            ..Prices::default()
        }
    }

    /// Notes what an event changes; nothing while nobody listens.
    pub(crate) fn event(&mut self, event: &Event) {
        if self.count == 0 {
            return;
        }
        let (instrument, side, price, added) = match *event {
            Event::Rested {
                instrument,
                order,
                side,
                price,
            } => (instrument, side, price, i128::from(order.remaining)),
            Event::Traded {
                instrument,
                price,
                quantity,
                side,
                ..
            } => {
                self.changes.push(Change {
                    instrument,
                    action: MdUpdateAction::New,
                    what: MdEntryType::Trade,
                    best: false,
                    price,
                    quantity,
                });
                let maker = if side == Side::Buy {
                    Side::Sell
                } else {
                    Side::Buy
                };
                (instrument, maker, price, -i128::from(quantity))
            }
            Event::Reduced {
                instrument,
                side,
                price,
                removed,
                displayed: true,
                ..
            } => (instrument, side, price, -i128::from(removed)),
            Event::Replaced {
                instrument,
                side,
                old_price,
                old_remaining,
                displayed: true,
                ..
            } => (instrument, side, old_price, -i128::from(old_remaining)),
            Event::Removed {
                instrument,
                order,
                side,
                price,
                displayed: true,
                ..
            } => (instrument, side, price, -i128::from(order.remaining)),
            _ => return,
        };
        self.touched.push(Touched {
            instrument,
            side,
            price,
            added,
        });
    }

    /// Tells those who listen what changed since the last time.
    pub(crate) fn flush(&mut self, engine: &Engine, listings: &[Listing], outbox: &mut dyn Outbox) {
        if self.touched.is_empty() {
            return;
        }
        self.touched.sort_unstable_by_key(|touched| {
            (touched.instrument, touched.side as u8, touched.price)
        });
        for same in self
            .touched
            .chunk_by(|a, b| (a.instrument, a.side, a.price) == (b.instrument, b.side, b.price))
        {
            let Some(&Touched {
                instrument,
                side,
                price,
                ..
            }) = same.first()
            else {
                continue;
            };
            let quantity = engine.quantity_at(instrument, side, price);
            let before =
                i128::from(quantity) - same.iter().map(|touched| touched.added).sum::<i128>();
            let action = match (before, quantity) {
                (before, after) if before == i128::from(after) => continue,
                (0, _) => MdUpdateAction::New,
                (_, 0) => MdUpdateAction::Delete,
                _ => MdUpdateAction::Change,
            };
            let what = entry_type(side);
            self.changes.push(Change {
                instrument,
                action,
                what,
                best: false,
                price,
                quantity,
            });
        }
        for same in self.touched.chunk_by(|a, b| a.instrument == b.instrument) {
            let Some(&Touched { instrument, .. }) = same.first() else {
                continue;
            };
            let Some(seen) = self.best.get_mut(instrument as usize) else {
                continue;
            };
            for (side, seen) in [Side::Buy, Side::Sell].into_iter().zip(seen) {
                let now = engine.levels(instrument, side).next();
                let told = std::mem::replace(seen, now);
                let (action, level) = match (told, now) {
                    (told, now) if told == now => continue,
                    (None, Some(now)) => (MdUpdateAction::New, now),
                    (Some(_), Some(now)) => (MdUpdateAction::Change, now),
                    (Some(told), None) => (
                        MdUpdateAction::Delete,
                        PriceLevel {
                            quantity: 0,
                            ..told
                        },
                    ),
                    (None, None) => continue,
                };
                let (what, PriceLevel { price, quantity }) = (entry_type(side), level);
                self.changes.push(Change {
                    instrument,
                    action,
                    what,
                    best: true,
                    price,
                    quantity,
                });
            }
        }
        self.touched.clear();
        self.tell(listings, outbox);
        self.changes.clear();
    }

    fn tell(&mut self, listings: &[Listing], outbox: &mut dyn Outbox) {
        self.changes.sort_by_key(|change| change.instrument);
        for changes in self.changes.chunk_by(|a, b| a.instrument == b.instrument) {
            let Some(instrument) = changes.first().map(|change| change.instrument as usize) else {
                continue;
            };
            let (Some(listing), Some(subscriptions)) =
                (listings.get(instrument), self.subscriptions.get(instrument))
            else {
                continue;
            };
            for subscription in subscriptions {
                let mut entries = [IncrementalEntry::default(); ENTRIES];
                let mut count = 0;
                let mut wanted = changes
                    .iter()
                    .filter(|change| subscription.wants(change))
                    .peekable();
                while let Some(change) = wanted.next() {
                    entries[count] = IncrementalEntry {
                        action: change.action,
                        entry_type: Some(change.what),
                        symbol: Some(listing.symbol.0.trim_ascii_end()),
                        price: Some(listing.decimal(change.price)),
                        size: Some(whole(change.quantity)),
                        ..IncrementalEntry::default()
                    };
                    count += 1;
                    if count == ENTRIES || wanted.peek().is_none() {
                        let increment = MarketDataIncrement {
                            request_id: subscription.request.as_ref().map(Name::bytes),
                            entries: entries[..count].into(),
                        };
                        outbox.send(subscription.client, &Outgoing::Increment(increment));
                        count = 0;
                    }
                }
            }
        }
    }

    /// A client that did not ask follows the best prices and the trades.
    pub(crate) fn follow(&mut self, client: u32, instrument: u32) {
        let subscription = Subscription {
            client,
            request: None,
            best_only: true,
            trades: true,
            bids: true,
            offers: true,
        };
        self.add(instrument, subscription);
    }

    /// Adds a subscription in the stead of one of the same name.
    fn add(&mut self, instrument: u32, new: Subscription) -> bool {
        let Some(subscriptions) = self.subscriptions.get_mut(instrument as usize) else {
            return false;
        };
        let before = subscriptions.len();
        subscriptions.retain(|old| (old.client, old.request) != (new.client, new.request));
        self.count -= before - subscriptions.len();
        if subscriptions.len() >= MOST_SUBSCRIPTIONS {
            return false;
        }
        subscriptions.push(new);
        self.count += 1;
        true
    }

    /// Answers a request with a snapshot, and remembers it if it says so; `false` if it cannot be remembered.
    pub(crate) fn subscribe(
        &mut self,
        client: u32,
        instrument: u32,
        message: &MarketDataRequest<'_>,
        engine: &Engine,
        listings: &[Listing],
        outbox: &mut dyn Outbox,
    ) -> bool {
        let Some(request) = Name::new(message.request_id) else {
            return false;
        };
        let has = |wanted| message.entry_types.iter().any(|found| found == wanted);
        let subscription = Subscription {
            client,
            request: Some(request),
            best_only: message.depth == 1,
            trades: has(MdEntryType::Trade),
            bids: has(MdEntryType::Bid),
            offers: has(MdEntryType::Offer),
        };
        self.look(instrument, engine);
        if message.subscription == SubscriptionRequestType::Subscribe
            && !self.add(instrument, subscription.clone())
        {
            return false;
        }
        send_snapshot(&subscription, instrument, engine, listings, outbox);
        true
    }

    /// The best prices of an instrument to a client that did not ask.
    pub(crate) fn snapshot(
        &mut self,
        client: u32,
        instrument: u32,
        engine: &Engine,
        listings: &[Listing],
        outbox: &mut dyn Outbox,
    ) {
        self.look(instrument, engine);
        let subscriptions = self
            .subscriptions
            .get(instrument as usize)
            .into_iter()
            .flatten();
        let mut found =
            subscriptions.filter(|found| found.client == client && found.request.is_none());
        if let Some(subscription) = found.next() {
            send_snapshot(subscription, instrument, engine, listings, outbox);
        }
    }

    /// Nobody may have listened so far: the best prices are what they are now.
    fn look(&mut self, instrument: u32, engine: &Engine) {
        if let Some(best) = self.best.get_mut(instrument as usize) {
            *best = [Side::Buy, Side::Sell].map(|side| engine.levels(instrument, side).next());
        }
    }

    /// Drops what a client asked for under a name, or all of it.
    pub(crate) fn forget(&mut self, client: u32, request: Option<&[u8]>) {
        for subscriptions in &mut self.subscriptions {
            let before = subscriptions.len();
            subscriptions.retain(|old| {
                let named = request
                    .is_none_or(|request| old.request.is_some_and(|old| old.bytes() == request));
                old.client != client || !named
            });
            self.count -= before - subscriptions.len();
        }
    }
}

fn send_snapshot(
    subscription: &Subscription,
    instrument: u32,
    engine: &Engine,
    listings: &[Listing],
    outbox: &mut dyn Outbox,
) {
    let Some(listing) = listings.get(instrument as usize) else {
        return;
    };
    let levels = if subscription.best_only {
        1
    } else {
        SNAPSHOT_LEVELS
    };
    let mut entries = Vec::with_capacity(2 * SNAPSHOT_LEVELS + 1);
    for (side, wanted) in [
        (Side::Buy, subscription.bids),
        (Side::Sell, subscription.offers),
    ] {
        let levels = engine
            .levels(instrument, side)
            .take(if wanted { levels } else { 0 });
        entries.extend(levels.map(|level| SnapshotEntry {
            entry_type: entry_type(side),
            price: Some(listing.decimal(level.price)),
            size: Some(whole(level.quantity)),
            ..SnapshotEntry::default()
        }));
    }
    if let Some(last) = engine
        .last_price(instrument)
        .filter(|_| subscription.trades)
    {
        entries.push(SnapshotEntry {
            entry_type: MdEntryType::Trade,
            price: Some(listing.decimal(last)),
            ..SnapshotEntry::default()
        });
    }
    let snapshot = MarketDataSnapshot {
        request_id: subscription.request.as_ref().map(Name::bytes),
        symbol: listing.symbol.0.trim_ascii_end(),
        entries: entries[..].into(),
    };
    outbox.send(subscription.client, &Outgoing::Snapshot(snapshot));
}
