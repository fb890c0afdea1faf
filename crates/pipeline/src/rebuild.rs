//! Books that are rebuilt: from a snapshot, and from what the feed has said since.
//!
//! ```text
//!  feed ─┬─ Trading ─ a book is untradable ─ who drives it asks for a snapshot
//!        └─ Backlog ──────────────┐                          │
//!                 Trading::rebuild: clear, the snapshot's orders, the messages since, tradable
//! ```

use book::{RebuildError as BookError, Status};
use formats::Kind;
use formats::binary_file;
use formats::itch;
use formats::mold::Header;
use strategy::events::trade_of;
use thiserror::Error;

use crate::trading::Trading;

/// The last messages of a feed, without a gap among them.
#[derive(Clone, Debug)]
pub struct Backlog {
    session: [u8; 10],
    /// The number of the first, and that after the last.
    first: u64,
    end: u64,
    /// Messages after their lengths.
    bytes: Vec<u8>,
    bound: usize,
}

/// How a snapshot relates to a backlog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// The backlog goes on where the snapshot ends.
    Fits,
    /// The feed has not reached the snapshot's end yet.
    Ahead,
    /// Messages between them are missing.
    TooOld,
    /// It is of another session.
    OtherSession,
}

impl Backlog {
    /// Stores so many bytes of messages at most.
    pub const fn new(bound: usize) -> Self {
        Backlog {
            session: [0; 10],
            first: 0,
            end: 0,
            bytes: Vec::new(),
            bound,
        }
    }

    /// Begins anew, empty: `next` is the number of the feed's next message.
    pub fn begin(&mut self, session: [u8; 10], next: u64) {
        (self.session, self.first, self.end) = (session, next, next);
        self.bytes.clear();
    }

    /// Stores the messages of a good datagram, the next that [`Trading::datagram`] took. After a gap, in a new session, and when it is full, it begins anew.
    pub fn record(&mut self, payload: &[u8]) {
        let Some((header, blocks)) = Header::parse(payload) else {
            return;
        };
        if header.session != self.session || header.sequence != self.end {
            self.begin(header.session, header.sequence);
        }
        self.end = self.end.wrapping_add(header.messages().into());
        if self.bytes.len() + blocks.len() > self.bound {
            self.begin(header.session, self.end);
            return;
        }
        // Blocks of MoldUDP64 are messages after their lengths.
        self.bytes.extend_from_slice(blocks);
    }

    /// Whether what it has goes on from a snapshot, whose next message has this number.
    pub fn fit(&self, session: [u8; 10], next: u64) -> Fit {
        if session != self.session {
            Fit::OtherSession
        } else if next < self.first {
            Fit::TooOld
        } else if next > self.end {
            Fit::Ahead
        } else {
            Fit::Fits
        }
    }

    /// The messages from a number on, with their numbers.
    fn from(&self, next: u64) -> impl Iterator<Item = (u64, &[u8])> {
        let messages = binary_file::Messages::new(&self.bytes).flatten();
        (self.first..)
            .zip(messages)
            .skip_while(move |(number, _)| *number < next)
    }
}

/// Why a book is not rebuilt. The instrument stays untradable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum RebuildError {
    /// The snapshot and the backlog do not fit together.
    #[error("the snapshot does not go with what the feed has said since")]
    Unfit,
    /// A message of the snapshot is none.
    #[error("the snapshot: {0}")]
    Message(itch::Error),
    /// The book does not take it.
    #[error(transparent)]
    Book(#[from] BookError),
}

/// What a rebuilt book was made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rebuilt {
    /// Orders of the snapshot.
    pub orders: u64,
    /// Messages of the feed since.
    pub since: u64,
}

impl Trading {
    /// Where an ITCH feed is: its session, and the number of its next message; `None`: nothing has come yet.
    pub fn position(&self) -> Option<([u8; 10], u64)> {
        self.decoder.itch()?.position()
    }

    /// Rebuilds the book of an instrument; it is tradable then. `snapshot` are the ITCH messages of a snapshot, others' too, and `next` is the number of the feed's
    /// first message that is not in it. `backlog` has what came since, up to the last datagram.
    ///
    /// # Errors
    /// The book could not be rebuilt: the instrument is untradable.
    pub fn rebuild<'a>(
        &mut self,
        instrument: u32,
        snapshot: impl Iterator<Item = &'a [u8]>,
        session: [u8; 10],
        next: u64,
        backlog: &Backlog,
    ) -> Result<Rebuilt, RebuildError> {
        let complete = self.position() == Some((session, backlog.end));
        if !complete || backlog.fit(session, next) != Fit::Fits {
            return Err(RebuildError::Unfit);
        }
        self.stages.book.clear(instrument)?;
        let mut rebuilt = Rebuilt::default();
        for message in snapshot {
            let kind = self.restore(instrument, message, 0)?;
            rebuilt.orders += u64::from(kind == Some(Kind::Add));
        }
        for (number, message) in backlog.from(next) {
            match self.restore(instrument, message, number) {
                // The feed's decoder has passed it over, too.
                Err(RebuildError::Message(_)) | Ok(None) => {}
                Ok(Some(_)) => rebuilt.since += 1,
                Err(error) => return Err(error),
            }
        }
        self.stages.book.tradable(instrument, backlog.end)?;
        Ok(rebuilt)
    }

    /// Rebuilds the book of an instrument that had no orders and no levels before this message of the feed; it is tradable then.
    ///
    /// # Errors
    /// The feed has said something about it since: the instrument is untradable.
    pub fn rebuild_empty(&mut self, instrument: u32, next: u64) -> Result<(), RebuildError> {
        self.stages.book.clear(instrument)?;
        Ok(self.stages.book.tradable(instrument, next)?)
    }

    /// Books the event of a message, if it is about the instrument: its kind then.
    fn restore(
        &mut self,
        instrument: u32,
        message: &[u8],
        number: u64,
    ) -> Result<Option<Kind>, RebuildError> {
        let version = self.decoder.itch().ok_or(RebuildError::Unfit)?.version();
        let event = decoder::itch::event(version, message, 0, number, true);
        let event = event.map_err(RebuildError::Message)?;
        let stages = &mut self.stages;
        let event = stages.locates.resolve(&stages.instruments, &event);
        let of_order = || Some(stages.book.order(event.order_id)?.instrument);
        if event.instrument.map(u32::from).or_else(of_order) != Some(instrument) {
            return Ok(None);
        }
        let change = stages.book.restore(instrument, &event)?;
        if let Some((instrument, trade)) = trade_of(&event, change.as_ref()) {
            // There are 256 at most.
            stages.risk.price(instrument as u8, trade.price);
        }
        Ok(Some(event.kind))
    }

    /// The instruments among these whose books cannot be relied on.
    pub fn untradable(&self, instruments: &[u32]) -> Vec<u32> {
        let lost = |instrument: &u32| {
            let status = self.status(*instrument);
            matches!(status, Some(Status::Untradable(_) | Status::Rebuilding))
        };
        instruments.iter().copied().filter(lost).collect()
    }
}
