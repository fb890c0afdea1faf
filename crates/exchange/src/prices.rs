//! Prices to clients by FIX: a snapshot (35=W), then what changes (35=X).
//!
//! A client asks for the best prices (MarketDepth 1), for the best N levels of a side, or for the full book (0), and for trades. Increments
//! are about the same levels. A full book that is too long for one message goes on in increments.

mod snapshot;
mod top;

use formats::Side;
use formats::fix::{
    MarketDataRequest, MdEntryType, MdRequestRejectReason, MdUpdateAction, SubscriptionRequestType,
};

use crate::engine::{Engine, PriceLevel};
use crate::listing::Listing;
use crate::order::Event;
use crate::outgoing::Outbox;
use crate::records::Name;
use snapshot::{send_increments, send_snapshot};
use top::Top;

/// Subscriptions of all clients to one instrument.
const MOST_SUBSCRIPTIONS: usize = 1_024;

#[derive(Clone, Debug)]
struct Subscription {
    client: u32,
    /// MDReqID; none where the client did not ask.
    request: Option<Name>,
    depth: Depth,
    trades: bool,
    bids: bool,
    offers: bool,
}

/// MarketDepth (264).
#[derive(Clone, Debug)]
enum Depth {
    /// 0.
    Full,
    /// 1.
    Best,
    /// Larger: so many levels of a side.
    Top(Top),
}

impl Depth {
    fn of(levels: u32) -> Self {
        match levels {
            0 => Depth::Full,
            1 => Depth::Best,
            levels => Depth::Top(Top::new(levels as usize)),
        }
    }

    /// Levels of a side, at most.
    const fn levels(&self) -> usize {
        match self {
            Depth::Full => usize::MAX,
            Depth::Best => 1,
            Depth::Top(top) => top.levels(),
        }
    }
}

impl Subscription {
    const fn wants_side(&self, what: MdEntryType) -> bool {
        match what {
            MdEntryType::Trade => self.trades,
            MdEntryType::Bid => self.bids,
            MdEntryType::Offer => self.offers,
            _ => false,
        }
    }

    /// Whether it gets each change as it is; a subscription to the best N levels computes its own changes.
    const fn wants(&self, change: &Change) -> bool {
        let of_depth = match self.depth {
            _ if matches!(change.what, MdEntryType::Trade) => true,
            Depth::Full => !change.best,
            Depth::Best => change.best,
            Depth::Top(_) => false,
        };
        of_depth && self.wants_side(change.what)
    }
}

/// Why a request for prices is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unavailable {
    pub(crate) reason: Option<MdRequestRejectReason>,
    pub(crate) text: &'static str,
}

/// A level that something happened at, and what that added.
#[derive(Clone, Copy, Debug)]
struct Touched {
    instrument: u32,
    side: Side,
    price: i64,
    added: i128,
}

/// What is sent.
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

/// All subscriptions, and what was sent to them.
#[derive(Debug, Default)]
pub(crate) struct Prices {
    /// By instrument.
    subscriptions: Vec<Vec<Subscription>>,
    count: usize,
    touched: Vec<Touched>,
    changes: Vec<Change>,
    /// Where the message to one subscription is built.
    wanted: Vec<Change>,
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

    /// Notes what an event changes; does nothing without subscriptions.
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

    /// Sends to all subscriptions what changed since the last time.
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
        self.tell(engine, listings, outbox);
        self.changes.clear();
    }

    fn tell(&mut self, engine: &Engine, listings: &[Listing], outbox: &mut dyn Outbox) {
        self.changes.sort_by_key(|change| change.instrument);
        for changes in self.changes.chunk_by(|a, b| a.instrument == b.instrument) {
            let Some(instrument) = changes.first().map(|change| change.instrument) else {
                continue;
            };
            let (Some(listing), Some(subscriptions)) = (
                listings.get(instrument as usize),
                self.subscriptions.get_mut(instrument as usize),
            ) else {
                continue;
            };
            for subscription in subscriptions {
                self.wanted.clear();
                let wanted = changes.iter().filter(|change| subscription.wants(change));
                self.wanted.extend(wanted);
                if let Depth::Top(top) = &mut subscription.depth {
                    for side in [Side::Buy, Side::Sell] {
                        top.update(instrument, side, engine, &mut self.wanted);
                    }
                    let wanted = |change: &Change| match change.what {
                        MdEntryType::Trade => true,
                        MdEntryType::Bid => subscription.bids,
                        MdEntryType::Offer => subscription.offers,
                        _ => false,
                    };
                    self.wanted.retain(wanted);
                }
                send_increments(subscription, listing, &self.wanted, outbox);
            }
        }
    }

    /// A client that did not ask follows the best prices and the trades.
    pub(crate) fn follow(&mut self, client: u32, instrument: u32) {
        let subscription = Subscription {
            client,
            request: None,
            depth: Depth::Best,
            trades: true,
            bids: true,
            offers: true,
        };
        self.add(instrument, subscription);
    }

    /// Adds a subscription in place of one with the same name.
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

    /// Answers a request with a snapshot, and remembers it if it says so.
    pub(crate) fn subscribe(
        &mut self,
        client: u32,
        instrument: u32,
        message: &MarketDataRequest<'_>,
        engine: &Engine,
        listings: &[Listing],
        outbox: &mut dyn Outbox,
    ) -> Result<(), Unavailable> {
        let request = Name::new(message.request_id).ok_or(Unavailable {
            reason: None,
            text: "MDReqID longer than 32 bytes",
        })?;
        let has = |wanted| message.entry_types.iter().any(|found| found == wanted);
        let mut subscription = Subscription {
            client,
            request: Some(request),
            depth: Depth::of(message.depth),
            trades: has(MdEntryType::Trade),
            bids: has(MdEntryType::Bid),
            offers: has(MdEntryType::Offer),
        };
        self.look(instrument, engine);
        let remembers = message.subscription == SubscriptionRequestType::Subscribe;
        send_snapshot(
            &mut subscription,
            instrument,
            engine,
            listings,
            remembers,
            outbox,
        )?;
        if remembers && !self.add(instrument, subscription) {
            return Err(Unavailable {
                reason: Some(MdRequestRejectReason::InsufficientBandwidth),
                text: "Too many subscriptions to the instrument",
            });
        }
        Ok(())
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
        let subscriptions = self.subscriptions.get_mut(instrument as usize);
        let mut found = subscriptions
            .into_iter()
            .flatten()
            .filter(|found| found.client == client && found.request.is_none());
        if let Some(subscription) = found.next() {
            // One level of a side always fits.
            let _ = send_snapshot(subscription, instrument, engine, listings, true, outbox);
        }
    }

    /// There may have been no subscription so far: the best prices are the present ones.
    fn look(&mut self, instrument: u32, engine: &Engine) {
        if let Some(best) = self.best.get_mut(instrument as usize) {
            *best = [Side::Buy, Side::Sell].map(|side| engine.levels(instrument, side).next());
        }
    }

    /// Drops a client's subscription with a name, or all of them.
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
