//! A file on its way into a book, message by message.

use std::collections::BTreeSet;
use std::path::Path;

use book::{Book, Change, Limits};
use decoder::Itch;
use feed::source::{Source, SourceError};
use formats::itch::Version;
use formats::{Event, FeedInfo, Kind, Listener, Symbol, mold};
use instrument::Directory;

use crate::error::Error;
use crate::input::{ReadOptions, version_of};

/// How far to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// All of it.
    End,
    /// Up to the last message that is not later, in nanoseconds after midnight.
    Time(u64),
    /// Up to the message of this number.
    Message(u64),
}

impl Until {
    /// Whether a message comes after it.
    const fn is_before(self, time: u64, number: u64) -> bool {
        match self {
            Until::End => false,
            Until::Time(end) => time > end,
            Until::Message(end) => number > end,
        }
    }
}

/// What is given of each change: the book after it, the time of its message, the change.
pub type Each<'a> = &'a mut dyn FnMut(&Book, u64, &Change);

/// A file, and its books so far.
#[derive(Debug)]
pub struct Player {
    source: Source,
    decoder: Itch,
    version: Version,
    taken: Taken,
    /// A message of a BinaryFILE, or a datagram, that is not booked yet.
    loaded: Vec<u8>,
    is_loaded: bool,
    /// There is no more.
    ended: bool,
}

/// What was taken out of the file so far.
#[derive(Debug)]
struct Taken {
    book: Book,
    directory: Directory,
    /// Only these; all, if there are none.
    wanted: BTreeSet<Symbol>,
    /// By index of the directory.
    is_wanted: Vec<bool>,
    /// Changes by index of the directory.
    changes: Vec<u64>,
    /// Messages taken.
    messages: u64,
    /// Orders that entered.
    booked: u64,
    /// The number of the first order that entered.
    first_order: Option<u64>,
    first: Option<(u64, u64)>,
    /// Time and number of the last message taken.
    last: (u64, u64),
    /// Second of the last `T` (4.1).
    seconds: u32,
    /// A message that comes after what was asked for has been seen.
    is_past: bool,
}

/// Takes events up to a point.
struct Taker<'a, 'b> {
    taken: &'a mut Taken,
    until: Until,
    each: Each<'b>,
}

impl Listener for Taker<'_, '_> {
    fn frame(&mut self, info: &FeedInfo) {
        if info.new_session {
            self.taken.directory.new_session();
        }
        self.taken.book.frame(info);
    }

    fn event(&mut self, event: &Event) {
        let (time, number) = (event.time_ns(), event.sequence);
        let taken = &mut *self.taken;
        if taken.is_past || self.until.is_before(time, number) {
            taken.is_past = true;
            return;
        }
        taken.seconds = event.seconds;
        taken.messages += 1;
        taken.first.get_or_insert((time, number));
        taken.last = (time, number);
        let index = taken.directory.index(event);
        taken.list_new_symbols();
        let ours = |index: u32| taken.is_wanted[index as usize];
        if !index.is_none_or(ours) {
            return;
        }
        let Some(change) = taken.book.apply_to(index, event) else {
            return;
        };
        taken.changes[change.instrument as usize] += 1;
        if event.kind == Kind::Add {
            taken.booked += 1;
            taken.first_order.get_or_insert(number);
        }
        (self.each)(&taken.book, time, &change);
    }
}

impl Taken {
    fn list_new_symbols(&mut self) {
        while let Some(symbol) = self.directory.symbols().get(self.is_wanted.len()) {
            let wanted = self.wanted.is_empty() || self.wanted.contains(symbol);
            self.is_wanted.push(wanted);
            self.changes.push(0);
            self.book.add_instrument();
        }
    }
}

impl Player {
    /// Opens a file, of which these symbols are wanted; all, if there are none.
    ///
    /// # Errors
    /// It cannot be opened, or is of no known format; a capture without any ITCH.
    pub fn open(path: &Path, read: &ReadOptions, wanted: BTreeSet<Symbol>) -> Result<Self, Error> {
        let version = version_of(path, read)?.ok_or_else(|| Error::NoBook {
            path: path.to_owned(),
        })?;
        Ok(Player {
            source: read.open(path)?,
            decoder: Itch::new(version),
            version,
            taken: Taken {
                book: Book::new(0, Limits::UNLIMITED),
                directory: Directory::default(),
                wanted,
                is_wanted: vec![],
                changes: vec![],
                messages: 0,
                booked: 0,
                first_order: None,
                first: None,
                last: (0, 0),
                seconds: 0,
                is_past: false,
            },
            loaded: vec![],
            is_loaded: false,
            ended: false,
        })
    }

    /// Reads what comes next, if that has not been done; `false`: there is no more.
    fn load(&mut self) -> Result<bool, SourceError> {
        if self.is_loaded || self.ended {
            return Ok(self.is_loaded);
        }
        self.loaded.clear();
        match &mut self.source {
            Source::Messages(reader) => {
                if let Some(record) = reader.next_message()? {
                    self.loaded.extend_from_slice(record.message);
                    self.is_loaded = true;
                }
            }
            Source::Datagrams(reader) => {
                if let Some(datagram) = reader.next_datagram()? {
                    self.loaded.extend_from_slice(datagram.payload);
                    self.is_loaded = true;
                }
            }
        }
        self.ended = !self.is_loaded;
        Ok(self.is_loaded)
    }

    /// The time of the message that comes next, in nanoseconds after midnight, of a datagram that of its first; of what has none, that of the last.
    ///
    /// # Errors
    /// The file cannot be read on.
    pub fn next_time(&mut self) -> Result<Option<u64>, SourceError> {
        if !self.load()? {
            return Ok(None);
        }
        let message = match self.source {
            Source::Messages(_) => Some(&self.loaded[..]),
            Source::Datagrams(_) => mold::Packet::parse(&self.loaded)
                .ok()
                .and_then(|packet| packet.messages().next()),
        };
        let event = message.and_then(|message| {
            decoder::itch::event(self.version, message, self.taken.seconds, 0, true).ok()
        });
        Ok(Some(
            event.map_or(self.taken.last.0, |event| event.time_ns()),
        ))
    }

    /// Books what comes next, a message of a BinaryFILE or a datagram; `false`: there is no more up to there.
    ///
    /// # Errors
    /// The file cannot be read on.
    pub fn step(&mut self, until: Until, each: Each<'_>) -> Result<bool, SourceError> {
        if self.taken.is_past || !self.load()? {
            return Ok(false);
        }
        self.is_loaded = false;
        let (seconds, number) = (self.taken.seconds, self.taken.last.1 + 1);
        let mut taker = Taker {
            taken: &mut self.taken,
            until,
            each,
        };
        match self.source {
            Source::Messages(_) => {
                let message = &self.loaded[..];
                // What the version does not have is counted as a message and is no event (--lenient).
                if decoder::itch::give(self.version, message, seconds, number, true, &mut taker)
                    .is_err()
                {
                    taker.taken.last.1 = number;
                    taker.taken.messages += 1;
                }
            }
            Source::Datagrams(_) => {
                self.decoder.datagram(&self.loaded, &mut taker);
            }
        }
        self.taken.book.verdict(true);
        Ok(!self.taken.is_past)
    }

    /// Whether the file was good for anything.
    ///
    /// # Errors
    /// A capture without MoldUDP64.
    pub fn check(&self) -> Result<(), Error> {
        match &self.source {
            Source::Datagrams(reader) => Ok(reader.check()?),
            Source::Messages(_) => Ok(()),
        }
    }

    /// Reads on up to there, so that reading can go on from there: of a capture up to the datagram that has it.
    ///
    /// # Errors
    /// The file cannot be read on.
    pub fn seek(&mut self, until: Until) -> Result<(), SourceError> {
        while let Some(time) = self.next_time()? {
            if until.is_before(time, self.taken.last.1 + 1) {
                break;
            }
            self.step(Until::End, &mut |_, _, _| ())?;
        }
        Ok(())
    }

    /// Whether the file has this point: something at or before it, and something at or after it.
    pub const fn reached(&self, until: Until) -> bool {
        let Some((first_time, first)) = self.taken.first else {
            return false;
        };
        let (time, number) = self.taken.last;
        match until {
            Until::End => true,
            Until::Time(end) => first_time <= end && (self.taken.is_past || end <= time),
            Until::Message(end) => first <= end && (self.taken.is_past || end <= number),
        }
    }

    /// Times of the first and the last message taken.
    pub fn times(&self) -> (u64, u64) {
        (
            self.taken.first.map_or(0, |first| first.0),
            self.taken.last.0,
        )
    }

    /// Their numbers.
    pub fn numbers(&self) -> (u64, u64) {
        (
            self.taken.first.map_or(0, |first| first.1),
            self.taken.last.1,
        )
    }

    /// The number of the first order that entered; 0: there is none.
    pub fn first_order(&self) -> u64 {
        self.taken.first_order.unwrap_or(0)
    }

    /// Orders that entered so far.
    pub const fn booked(&self) -> u64 {
        self.taken.booked
    }

    /// The books.
    pub const fn book(&self) -> &Book {
        &self.taken.book
    }

    /// The instruments.
    pub const fn directory(&self) -> &Directory {
        &self.taken.directory
    }

    /// The instruments that are wanted, the most active first, with their changes.
    pub fn most_active(&self) -> Vec<(u32, u64)> {
        let all = (0..).zip(&self.taken.changes);
        let wanted = all.filter(|(index, _)| self.taken.is_wanted[*index as usize]);
        let mut active: Vec<(u32, u64)> = wanted.map(|(index, count)| (index, *count)).collect();
        active.sort_by_key(|(index, changes)| (std::cmp::Reverse(*changes), *index));
        active
    }

    /// Bytes read so far.
    pub fn position(&self) -> u64 {
        match &self.source {
            Source::Messages(reader) => reader.position().0,
            Source::Datagrams(reader) => reader.position().0,
        }
    }

    /// The file's length, where it is known.
    pub fn length(&self) -> Option<u64> {
        match &self.source {
            Source::Messages(reader) => reader.position().1,
            Source::Datagrams(reader) => reader.position().1,
        }
    }
}
