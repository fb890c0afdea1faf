//! The exchange's part of the [journal](session::Journal) that it shares with its sessions: every order, cancel and replacement, as FIX
//! messages, `8=FIX.4.4|9=…|35=D|49=client|52=time|…|10=…|`, after the [state](crate::snapshot) when the file began.
//!
//! A request is added before it is acted on, and is written, with the answers to it, in the next commit; nothing that follows from it
//! leaves before.

use std::path::{Path, PathBuf};

use formats::fix::{self, Body, Encoder, Header, Timestamp};
use session::{Gate, LogError};
use thiserror::Error;

use crate::exchange::{Client, Exchange};
use crate::listing::ListingError;

/// The longest message, in bytes.
const LONGEST: usize = 4_096;
/// Room on the disk that a request must find: for itself, some 250 reports that follow from it, and the end of every session.
const ROOM: u64 = 1 << 16;

/// What went wrong with a journal.
#[derive(Debug, Error)]
pub enum JournalError {
    /// The file.
    #[error(transparent)]
    File(#[from] LogError),
    /// Orders of instruments that are not traded now.
    #[error("{}: has live orders in {symbols}, which this exchange does not list: add {symbols} to the symbols, or name another journal", path.display())]
    Symbols {
        /// The file.
        path: PathBuf,
        /// The instruments.
        symbols: String,
    },
    /// An instrument whose ticks or band have changed.
    #[error(
        "{}: {symbol} was listed with another tick, band or largest quantity: list it as it was, or name another journal",
        path.display()
    )]
    Listing {
        /// The file.
        path: PathBuf,
        /// The instrument.
        symbol: String,
    },
    /// What is traded makes no sense.
    #[error(transparent)]
    Instrument(#[from] ListingError),
    /// A message of unreasonable length: it is refused, the next ones are not.
    #[error("a message longer than {LONGEST} bytes")]
    TooLong,
}

impl JournalError {
    /// Whether the cause is lack of room on the disk.
    pub const fn is_full(&self) -> bool {
        matches!(self, JournalError::File(LogError::Full { .. }))
    }
}

/// A journal, open for writing at its end.
#[derive(Debug)]
pub(crate) struct Journal {
    file: session::Journal,
    buffer: Vec<u8>,
}

/// What an exchange found in its journal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Requests that were acted on since the journal was begun.
    pub requests: u64,
    /// Bytes of a commit that a sudden end left unfinished, and that were cut off.
    pub dropped: u64,
}

/// An exchange that reads a journal.
struct Reader(Exchange);

impl session::Recover for Reader {
    fn state(&mut self, bytes: &[u8]) -> bool {
        self.0.restore(bytes, false).is_some()
    }

    fn entry(&mut self, bytes: &[u8]) -> bool {
        self.0.again(bytes).is_some()
    }
}

/// Reads a file into an exchange that lists what the file lists.
pub(crate) fn read(
    path: &Path,
    durability: session::Durability,
    limits: session::Limits,
    empty: Exchange,
) -> Result<(Journal, Exchange, u64), JournalError> {
    let mut reader = Reader(empty);
    let (file, dropped) = session::Journal::open(path, durability, limits, &mut reader)?;
    let journal = Journal {
        file,
        buffer: vec![0; LONGEST],
    };
    Ok((journal, reader.0, dropped))
}

impl Journal {
    /// The file.
    pub(crate) const fn file(&self) -> &session::Journal {
        &self.file
    }

    pub(crate) fn set_gate(&self, gate: Option<Gate>) {
        self.file.set_gate(gate);
    }

    /// Adds a message of a client, the `sequence`th; it finds room on the disk.
    pub(crate) fn append<'a>(
        &mut self,
        client: &Client,
        message: &impl Body<'a>,
        sequence: u64,
        now: Timestamp,
    ) -> Result<(), JournalError> {
        self.file.reserve(ROOM)?;
        let header = Header {
            sender: &client.name,
            target: b"JOURNAL",
            sequence,
            sending_time: now,
            ..Header::default()
        };
        let length = encode(&mut self.buffer, client, &header, message)?;
        self.file
            .append(self.buffer.get(..length).unwrap_or_default());
        Ok(())
    }
}

fn encode<'a, B: Body<'a>>(
    buffer: &mut [u8],
    client: &Client,
    header: &Header<'_>,
    message: &B,
) -> Result<usize, JournalError> {
    let mut encoder = Encoder::new(buffer, client.version.begin_string(), B::MSG_TYPE);
    header.put(&mut encoder);
    message.put(&mut encoder);
    encoder
        .finish()
        .map_err(|fix::TooSmall| JournalError::TooLong)
}
