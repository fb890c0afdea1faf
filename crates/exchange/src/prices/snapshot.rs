//! Snapshots (35=W) and increments (35=X), as they are sent.

use formats::Side;
use formats::fix::{
    IncrementalEntry, MarketDataIncrement, MarketDataSnapshot, MdEntryType, MdRequestRejectReason,
    MdUpdateAction, SnapshotEntry,
};

use super::{Change, Depth, Subscription, Unavailable, entry_type};
use crate::engine::Engine;
use crate::listing::Listing;
use crate::outgoing::{Outbox, Outgoing};
use crate::records::Name;
use crate::report::whole;

/// Levels of a side in a snapshot: 1,000 of them and a trade have 38 kB at most, and a message's body has room for 64.
const SNAPSHOT_LEVELS: usize = 500;
/// Entries of an increment; more make another one.
const ENTRIES: usize = 32;

/// Sends changes to a client, in as many messages as it takes.
pub(super) fn send_increments(
    subscription: &Subscription,
    listing: &Listing,
    changes: &[Change],
    outbox: &mut dyn Outbox,
) {
    for changes in changes.chunks(ENTRIES) {
        let mut entries = [IncrementalEntry::default(); ENTRIES];
        for (entry, change) in entries.iter_mut().zip(changes) {
            *entry = IncrementalEntry {
                action: change.action,
                entry_type: Some(change.what),
                symbol: Some(listing.symbol.0.trim_ascii_end()),
                price: Some(listing.decimal(change.price)),
                size: Some(whole(change.quantity)),
                ..IncrementalEntry::default()
            };
        }
        let increment = MarketDataIncrement {
            request_id: subscription.request.as_ref().map(Name::bytes),
            entries: entries.get(..changes.len()).unwrap_or_default().into(),
        };
        outbox.send(subscription.client, &Outgoing::Increment(increment));
    }
}

/// Sends the book to the depth of a subscription. Levels that a snapshot has no room for follow in increments, if the client gets
/// changes (`goes_on`); else the request is refused.
pub(super) fn send_snapshot(
    subscription: &mut Subscription,
    instrument: u32,
    engine: &Engine,
    listings: &[Listing],
    goes_on: bool,
    outbox: &mut dyn Outbox,
) -> Result<(), Unavailable> {
    let Some(listing) = listings.get(instrument as usize) else {
        return Ok(());
    };
    let depth = subscription.depth.levels();
    let (mut entries, mut rest) = (vec![], vec![]);
    for side in [Side::Buy, Side::Sell] {
        let what = entry_type(side);
        if !subscription.wants_side(what) {
            continue;
        }
        let mut levels = engine.levels(instrument, side).take(depth);
        let first = levels.by_ref().take(SNAPSHOT_LEVELS);
        entries.extend(first.map(|level| SnapshotEntry {
            entry_type: what,
            price: Some(listing.decimal(level.price)),
            size: Some(whole(level.quantity)),
            ..SnapshotEntry::default()
        }));
        rest.extend(levels.map(|level| Change {
            instrument,
            action: MdUpdateAction::New,
            what,
            best: false,
            price: level.price,
            quantity: level.quantity,
        }));
    }
    if !rest.is_empty() && !goes_on {
        return Err(Unavailable {
            reason: Some(MdRequestRejectReason::InsufficientBandwidth),
            text: "A snapshot has room for 500 levels of a side: subscribe, or ask for fewer",
        });
    }
    let last = engine.last_price(instrument);
    if let Some(last) = last.filter(|_| subscription.trades) {
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
    send_increments(subscription, listing, &rest, outbox);
    if let Depth::Top(top) = &mut subscription.depth {
        for side in [Side::Buy, Side::Sell] {
            top.remember(side, instrument, engine);
        }
    }
    Ok(())
}
