//! The journal: every order, cancel and replacement that was acted on, as FIX messages in a file that only grows.
//!
//! ```text
//! TICKWIREJOURNAL1                      16 bytes, once
//! length (u32 LE) | CRC-32 (u32 LE) | 8=FIX.4.4|9=…|35=D|49=client|52=time|…|10=…|
//! ```
//! A record is handed to the kernel in one write before it is acted on: it survives the end of the process, however sudden. Whether it
//! survives that of the machine too is a setting. What a sudden end left of the last record is cut off when the file is opened.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use thiserror::Error;
use wire::fix::{self, Body, Encoder, Header, Timestamp};

use crate::exchange::Client;

const MAGIC: &[u8; 16] = b"TICKWIREJOURNAL1";
/// Length and CRC.
const PREFIX: usize = 8;
/// The longest message, in bytes.
const LONGEST: usize = 4_096;

/// What went wrong with a journal.
#[derive(Debug, Error)]
pub enum JournalError {
    /// The file cannot be opened, read or written.
    #[error("{path}: {cause}")]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// The file is something else.
    #[error("{0} is no journal")]
    NoJournal(PathBuf),
    /// Another process has it open.
    #[error("{0} is in use")]
    InUse(PathBuf),
    /// Records behind a broken one: not the trace of a sudden end, but damage.
    #[error("{path}: byte {at}: a broken record, and more behind it")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where the record begins.
        at: u64,
    },
    /// A message longer than any that makes sense: that one is refused, the next ones are not.
    #[error("a message longer than {LONGEST} bytes")]
    TooLong,
}

/// When a record is safe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Safety {
    /// From the end of the process: the kernel has it.
    #[default]
    Process,
    /// From the end of the machine: the disk has it. A millisecond an order, or several.
    Machine,
}

/// A journal, open for writing at its end. The file is locked.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    safety: Safety,
    buffer: Vec<u8>,
    /// Records, for MsgSeqNum.
    records: u64,
    dropped: u64,
    /// Where the next record goes.
    end: u64,
}

impl Journal {
    /// Opens a journal, or begins one.
    ///
    /// # Errors
    /// The file cannot be opened, is something else, or is in use.
    pub fn open(path: &Path, safety: Safety) -> Result<Self, JournalError> {
        let failed = |cause| JournalError::File {
            path: path.to_owned(),
            cause,
        };
        let mut options = OpenOptions::new();
        let mut file = options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(failed)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => return Err(JournalError::InUse(path.to_owned())),
            Err(cause) => return Err(failed(cause.into())),
        }
        let mut magic = vec![];
        (&mut file)
            .take(MAGIC.len() as u64)
            .read_to_end(&mut magic)
            .map_err(failed)?;
        if magic.len() < MAGIC.len() && MAGIC.starts_with(&magic) {
            file.seek(SeekFrom::Start(0)).map_err(failed)?;
            file.write_all(MAGIC).map_err(failed)?;
        } else if magic != MAGIC {
            return Err(JournalError::NoJournal(path.to_owned()));
        }
        Ok(Journal {
            file,
            path: path.to_owned(),
            safety,
            buffer: vec![0; PREFIX + LONGEST],
            records: 0,
            dropped: 0,
            end: MAGIC.len() as u64,
        })
    }

    /// Bytes of a broken last record that were cut off.
    pub const fn dropped(&self) -> u64 {
        self.dropped
    }

    fn failed(&self, cause: io::Error) -> JournalError {
        JournalError::File {
            path: self.path.clone(),
            cause,
        }
    }

    /// Calls `each` with every record, cuts a broken one off at the end, and stands behind the last.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged before its end.
    pub fn replay(&mut self, mut each: impl FnMut(&[u8])) -> Result<(), JournalError> {
        let mut at = MAGIC.len() as u64;
        let end = self
            .file
            .metadata()
            .map_err(|cause| self.failed(cause))?
            .len();
        self.file
            .seek(SeekFrom::Start(at))
            .map_err(|cause| self.failed(cause))?;
        let mut reader = BufReader::with_capacity(1 << 16, &self.file);
        let mut record = vec![];
        loop {
            record.clear();
            let mut prefix = [0; PREFIX];
            let whole = end.saturating_sub(at) >= PREFIX as u64;
            if !whole {
                break;
            }
            reader
                .read_exact(&mut prefix)
                .map_err(|cause| self.failed(cause))?;
            let [a, b, c, d, crc @ ..] = prefix;
            let length = u64::from(u32::from_le_bytes([a, b, c, d]));
            let next = at + PREFIX as u64 + length;
            if length == 0 || length > LONGEST as u64 || next > end {
                self.broken(at, next, end)?;
                break;
            }
            (&mut reader)
                .take(length)
                .read_to_end(&mut record)
                .map_err(|cause| self.failed(cause))?;
            if record.len() as u64 != length || crc32fast::hash(&record) != u32::from_le_bytes(crc)
            {
                self.broken(at, next, end)?;
                break;
            }
            each(&record);
            self.records += 1;
            at = next;
        }
        (self.dropped, self.end) = (end.saturating_sub(at), at);
        self.file.set_len(at).map_err(|cause| self.failed(cause))?;
        self.file
            .seek(SeekFrom::Start(at))
            .map_err(|cause| self.failed(cause))?;
        Ok(())
    }

    /// A broken record is the trace of a sudden end only if nothing is behind it.
    fn broken(&self, at: u64, next: u64, end: u64) -> Result<(), JournalError> {
        if next >= end {
            return Ok(());
        }
        let path = self.path.clone();
        Err(JournalError::Damaged { path, at })
    }

    /// Appends a message of a client.
    pub(crate) fn append<'a>(
        &mut self,
        client: &Client,
        message: &impl Body<'a>,
        now: Timestamp,
    ) -> Result<(), JournalError> {
        let header = Header {
            sender: &client.name,
            target: b"JOURNAL",
            sequence: self.records + 1,
            sending_time: now,
            ..Header::default()
        };
        let (prefix, body) = self.buffer.split_at_mut(PREFIX);
        let length = encode(body, client, &header, message)?;
        let crc = crc32fast::hash(body.get(..length).unwrap_or_default());
        prefix.copy_from_slice(&(u64::from(crc) << 32 | length as u64).to_le_bytes());
        let record = self.buffer.get(..PREFIX + length).unwrap_or_default();
        let written = self.file.write_all(record);
        let written = written.and_then(|()| match self.safety {
            Safety::Process => Ok(()),
            Safety::Machine => self.file.sync_data(),
        });
        match written {
            Ok(()) => {
                self.records += 1;
                self.end += record.len() as u64;
                Ok(())
            }
            Err(cause) => {
                // What was written of it must not stand in front of another.
                let _ = self.file.set_len(self.end);
                let _ = self.file.seek(SeekFrom::Start(self.end));
                Err(self.failed(cause))
            }
        }
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
