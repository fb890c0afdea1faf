//! Order logs in FAST: decoder, and books that are rebuilt from the snapshots which the exchange sends in a cycle.
//!
//! ```text
//!  feed ─ Fast ─┬─ stages ─ a book is untradable ─ what comes is recorded
//!               └─ Since ─────────────────┐
//!  channel of snapshots ─ Snapshots ──────┴─ clear, the snapshot's orders, the events since, tradable
//! ```

use book::Book;
use decoder::Fast;
use decoder::fast::{Cause, Counters, Snapshot, SnapshotCounters, Snapshots};
use formats::{Event, FeedInfo, Listener, Source, Symbol, mold};
use instrument::Table;
use strategy::events::trade_of;

use crate::rebuild::{Fit, RebuildError, Rebuilt};
use crate::trading::{Frame, Trading};

/// Events that are stored while a snapshot is awaited, at most: some 64 MiB.
const MOST_EVENTS: usize = 1 << 19;

/// The last events of a feed, without a gap among them.
#[derive(Clone, Debug, Default)]
pub struct Since {
    /// The number of the first message, and that after the last.
    first: u64,
    end: u64,
    events: Vec<Event>,
}

impl Since {
    /// Begins anew, empty: `next` is the number of the feed's next message.
    pub fn begin(&mut self, next: u64) {
        (self.first, self.end) = (next, next);
        self.events.clear();
    }

    /// A datagram was taken; `next` is the number of the feed's next message. If there are too many events, it begins anew.
    pub fn end(&mut self, next: u64) {
        self.end = next;
        if self.events.len() > MOST_EVENTS {
            self.begin(next);
        }
    }

    /// Whether what it has goes on from a snapshot, whose next message has this number.
    pub const fn fit(&self, next: u64) -> Fit {
        if next < self.first {
            Fit::TooOld
        } else if next > self.end {
            Fit::Ahead
        } else {
            Fit::Fits
        }
    }
}

impl Listener for Since {
    fn frame(&mut self, info: &FeedInfo) {
        // After a gap, or in a new session.
        if info.first_sequence != self.end {
            self.begin(info.first_sequence);
        }
    }

    fn event(&mut self, event: &Event) {
        self.events.push(*event);
    }
}

/// Rebuilds the book of an instrument; it is tradable then. `trade` gets the price of each trade.
///
/// # Errors
/// The book could not be rebuilt: the instrument is untradable.
pub fn rebuild_book(
    book: &mut Book,
    table: &Table,
    instrument: u32,
    snapshot: &Snapshot,
    since: &Since,
    trade: &mut impl FnMut(i64),
) -> Result<Rebuilt, RebuildError> {
    if since.fit(snapshot.next) != Fit::Fits {
        return Err(RebuildError::Unfit);
    }
    book.clear(instrument)?;
    let mut rebuilt = Rebuilt::default();
    for event in &snapshot.events {
        book.restore(instrument, event)?;
        rebuilt.orders += u64::from(matches!(
            event.kind,
            formats::Kind::Add | formats::Kind::Level
        ));
    }
    for event in &since.events {
        if event.sequence < snapshot.next {
            continue;
        }
        let event = table.resolve(event);
        let of_order = || Some(book.order(event.order_id)?.instrument);
        if event.instrument.map(u32::from).or_else(of_order) != Some(instrument) {
            continue;
        }
        let event = book.with_price(&event);
        let change = book.restore(instrument, &event)?;
        if let Some((_, traded)) = trade_of(&event, change.as_ref()) {
            trade(traded.price);
        }
        rebuilt.since += 1;
    }
    book.tradable(instrument, since.end)?;
    Ok(rebuilt)
}

/// A feed in FAST.
#[derive(Clone, Debug)]
pub struct OrderLog {
    pub(crate) decoder: Fast,
    snapshots: Option<Snapshots>,
    /// What came since a book became untradable; `None`: all can be relied on.
    since: Option<Since>,
    /// Snapshots of instruments, one of each.
    waiting: Vec<(u32, Snapshot)>,
}

impl OrderLog {
    /// Of this decoder, and this reader of snapshots, if there is one.
    pub const fn new(decoder: Fast, snapshots: Option<Snapshots>) -> Self {
        OrderLog {
            decoder,
            snapshots,
            since: None,
            waiting: Vec::new(),
        }
    }

    /// Takes a datagram.
    pub(crate) fn datagram(&mut self, payload: &[u8], frame: &mut Frame<'_>) -> mold::Cause {
        let mut booking = Booking {
            frame,
            since: self.since.as_mut(),
        };
        let cause = self.decoder.datagram(payload, &mut booking);
        if let (Some(since), Some(next)) = (&mut self.since, self.decoder.expected()) {
            since.end(next);
        }
        match cause {
            Cause::Good => mold::Cause::Packet,
            Cause::Old => mold::Cause::Old,
            Cause::Malformed(_) | Cause::Faulty(_) => mold::Cause::Malformed,
        }
    }
}

/// Books events, and records them if they are needed.
struct Booking<'a, 'b> {
    frame: &'a mut Frame<'b>,
    since: Option<&'a mut Since>,
}

impl Listener for Booking<'_, '_> {
    fn frame(&mut self, info: &FeedInfo) {
        self.frame.frame(info);
        if let Some(since) = &mut self.since {
            since.frame(info);
        }
    }

    #[inline]
    fn event(&mut self, event: &Event) {
        if let Some(since) = &mut self.since {
            since.event(event);
        }
        let stages = &*self.frame.stages;
        let event = stages.instruments.resolve(event);
        let event = stages.book.with_price(&event);
        self.frame.booked(&event);
    }

    fn is_ours(&self, symbol: Option<Symbol>) -> bool {
        self.frame.is_ours(symbol)
    }
}

/// What became of the snapshot of an instrument whose book could not be relied on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recovered {
    /// The instrument.
    pub instrument: u32,
    /// The number of the feed's first message that was not in the snapshot.
    pub next: u64,
    /// What its book was made of. After an error it is untradable still, and the next snapshot is tried.
    pub rebuilt: Result<Rebuilt, RebuildError>,
}

impl Trading {
    /// Takes a datagram of the channel of snapshots: those of books that cannot be relied on wait for [`Trading::recover`].
    pub fn snapshot_datagram(&mut self, payload: &[u8]) {
        let Some(log) = self.decoder.order_log_mut() else {
            return;
        };
        let (Some(snapshots), waiting) = (&mut log.snapshots, &mut log.waiting) else {
            return;
        };
        let (book, table) = (&self.stages.book, &self.stages.instruments);
        let since = log.since.as_ref();
        // What is wrong with a packet is counted.
        let _ = snapshots.datagram(payload, &mut |snapshot: Snapshot| {
            let Some(instrument) = table.index(Source::Feed, snapshot.symbol).map(u32::from) else {
                return;
            };
            let status = book.status(instrument);
            let needed = matches!(
                status,
                Some(book::Status::Untradable(_) | book::Status::Rebuilding)
            );
            if needed && since.is_some_and(|since| since.fit(snapshot.next) != Fit::TooOld) {
                waiting.retain(|(other, _)| *other != instrument);
                waiting.push((instrument, snapshot));
            }
        });
    }

    /// Rebuilds the books of these instruments that cannot be relied on, as far as their snapshots are there; records the feed until all are
    /// rebuilt. To be called between two datagrams, again and again.
    pub fn recover(&mut self, instruments: &[u32]) -> Vec<Recovered> {
        let untradable = self.untradable(instruments);
        let stages = &mut self.stages;
        let log = self.decoder.order_log_mut();
        let Some(log) = log.filter(|log| log.snapshots.is_some()) else {
            return vec![];
        };
        if untradable.is_empty() {
            if log.since.take().is_some() {
                log.waiting = vec![];
            }
            return vec![];
        }
        let Some(next) = log.decoder.expected() else {
            return vec![];
        };
        let since = log.since.get_or_insert_with(|| {
            let mut since = Since::default();
            since.begin(next);
            since
        });
        let mut recovered = vec![];
        log.waiting.retain(|(instrument, snapshot)| {
            if !untradable.contains(instrument) {
                return false;
            }
            match since.fit(snapshot.next) {
                Fit::Ahead => return true,
                // The feed lost more since: the next snapshot has it.
                Fit::TooOld | Fit::OtherSession => return false,
                Fit::Fits => {}
            }
            let risk = &mut stages.risk;
            // There are 256 at most.
            let mut price = |price| risk.price(*instrument as u8, price);
            let rebuilt = rebuild_book(
                &mut stages.book,
                &stages.instruments,
                *instrument,
                snapshot,
                since,
                &mut price,
            );
            recovered.push(Recovered {
                instrument: *instrument,
                next: snapshot.next,
                rebuilt,
            });
            false
        });
        if !recovered.is_empty() && self.untradable(instruments).is_empty() {
            // What was lost is made up for.
            self.clear_gap();
        }
        recovered
    }

    /// The number of the next message of a feed in FAST; `None`: nothing has come, or the feed is ITCH.
    pub fn next_in_order_log(&self) -> Option<u64> {
        self.decoder.order_log()?.decoder.expected()
    }

    /// The feed has begun anew, with any number: for a host that gets old numbers alone.
    pub fn restart_feed(&mut self) {
        if let Some(log) = self.decoder.order_log_mut() {
            log.decoder.restart();
        }
    }

    /// What the decoder of FAST counted; `None`: the feed is ITCH.
    pub fn fast_counters(&self) -> Option<Counters> {
        Some(self.decoder.order_log()?.decoder.counters())
    }

    /// What the reader of FAST snapshots counted; `None`: there is none.
    pub fn snapshot_counters(&self) -> Option<SnapshotCounters> {
        let snapshots = self.decoder.order_log()?.snapshots.as_ref()?;
        Some(snapshots.counters())
    }
}
