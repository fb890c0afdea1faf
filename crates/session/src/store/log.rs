//! A file that only grows, in frames: after a sudden end a commit is there completely or not at all.
//!
//! ```text
//! TICKWIREJOURNAL2                                                            16 bytes, once
//! length (u32 LE) | CRC-32 of the payload (u32 LE) | check (u32 LE) | payload
//! ```
//! The check is the CRC-32 of the frame's place in the file (u64 LE), its length and its CRC: a damaged length is detected,
//! and a frame at another place is invalid.
//!
//! A frame is given to the kernel in one write; at [`Durability::Power`] the disk is then asked to write it. One commit serves all that
//! waits. When a file is opened, what a sudden end left of a last frame is cut off; a broken frame before a good one is damage: it is
//! reported and not touched.
//!
//! Why no embedded database: a commit of redb 3 writes several pages and costs some 50 µs where this costs 3, and a database file
//! that was cut makes redb panic. What a database would index is small enough for memory.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use thiserror::Error;

use super::file::{Gate, LogFile};

const MAGIC: &[u8; 16] = b"TICKWIREJOURNAL3";
/// What files of earlier versions begin with: the exchange's journal, and the database of a session.
const EARLIER: [&[u8]; 3] = [b"TICKWIREJOURNAL2", b"TICKWIREJOURNAL1", b"redb"];
/// Length, CRC and check of a frame.
const HEAD: usize = 12;
/// Room is reserved in steps of so many bytes; where the disk has less left, in quarters of it.
const STEP: u64 = 1 << 20;
const SMALLEST_STEP: u64 = 1 << 14;

/// What a commit survives. Without a file nothing is stored, and the end of the process loses everything: that level is called `memory`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Durability {
    /// `process`: the end of the process, however sudden (`kill -9`, a crash), since the kernel has the data. A power cut, or a crash of
    /// the kernel, can lose what the kernel had not written yet: the last 30 seconds or so.
    #[default]
    Process,
    /// `power`: a power cut too. Each commit waits for the disk; what arrives meanwhile shares the next one.
    Power,
}

impl fmt::Display for Durability {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Durability::Process => "process",
            Durability::Power => "power",
        })
    }
}

impl FromStr for Durability {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "process" => Ok(Durability::Process),
            "power" => Ok(Durability::Power),
            _ => Err(format!("durability {text:?}: write process or power")),
        }
    }
}

/// What went wrong with a file.
#[derive(Debug, Error)]
pub enum LogError {
    /// The system refuses a call.
    #[error("{}: cannot {action} the file: {cause}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What was to be done.
        action: &'static str,
        /// What the system says.
        cause: io::Error,
    },
    /// The disk is full.
    #[error(
        "{}: the disk is full ({cause}); nothing that was acknowledged is lost: free some space, or move the file to another disk, and start again",
        path.display()
    )]
    Full {
        /// The file.
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// The file is something else.
    #[error("{}: neither a journal nor a session's store: name another file", .0.display())]
    Other(PathBuf),
    /// The file has nothing in it.
    #[error("{}: the file was cut to {length} bytes: restore the file from a copy, or delete it to begin anew", path.display())]
    Cut {
        /// The file.
        path: PathBuf,
        /// What is left.
        length: u64,
    },
    /// The file is of an earlier version.
    #[error(
        "{}: written by an earlier version of Tickwire, whose files this one does not read: name another file or folder, or delete it to begin anew",
        .0.display()
    )]
    Earlier(PathBuf),
    /// Another process has it open.
    #[error("{} is in use by another process", .0.display())]
    InUse(PathBuf),
    /// Not the trace of a sudden end: there is more after it, or it was complete once.
    #[error(
        "{}: damaged at byte {at} of {length}: restore the file from a copy{}", path.display(),
        if *.cuttable { format!(", or give up everything from there on: truncate -s {at} {}", path.display()) } else { ", or delete it to begin anew".into() }
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where the broken frame begins.
        at: u64,
        /// How long the file is.
        length: u64,
        /// Whether what is before it is usable.
        cuttable: bool,
    },
    /// After an earlier failure it is not known what the file holds.
    #[error("{}: an earlier write failed: start again", .0.display())]
    Broken(PathBuf),
    /// More at once than a frame can hold.
    #[error("{}: more than 4 GiB in one commit", .0.display())]
    TooMuch(PathBuf),
}

/// A file, open to be read once from its beginning and then to be written at its end.
#[derive(Debug)]
pub(super) struct Log {
    file: LogFile,
    durability: Durability,
    /// Where the next frame goes.
    end: u64,
    /// The next frame: room for its head, then its payload.
    pending: Vec<u8>,
    /// The disk has room up to here.
    reserved: u64,
    /// The file system cannot reserve.
    cannot_reserve: bool,
    /// What the file holds after its end is not known.
    broken: bool,
}

/// Length, CRC and check of a payload at a place.
fn head(at: u64, length: u32, crc: u32) -> [u8; HEAD] {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&at.to_le_bytes());
    hasher.update(&length.to_le_bytes());
    hasher.update(&crc.to_le_bytes());
    let mut head = [0; HEAD];
    let parts = [length, crc, hasher.finalize()];
    for (place, part) in head.chunks_exact_mut(4).zip(parts) {
        place.copy_from_slice(&part.to_le_bytes());
    }
    head
}

/// Length and CRC, if this is the head of a frame at this place.
fn parse_head(bytes: &[u8], at: u64) -> Option<(u32, u32)> {
    let found: &[u8; HEAD] = bytes.first_chunk()?;
    let [a, b, c, d, e, f, g, h, ..] = *found;
    let (length, crc) = (
        u32::from_le_bytes([a, b, c, d]),
        u32::from_le_bytes([e, f, g, h]),
    );
    (*found == head(at, length, crc)).then_some((length, crc))
}

impl Log {
    fn on(file: LogFile, durability: Durability, end: u64) -> Self {
        Log {
            file,
            durability,
            end,
            pending: vec![0; HEAD],
            reserved: 0,
            cannot_reserve: false,
            broken: false,
        }
    }

    /// Opens a file that is there; `None` if it is not. It has to be [read](Log::read) before anything is written.
    pub(super) fn open(path: &Path, durability: Durability) -> Result<Option<Self>, LogError> {
        let Some(file) = LogFile::open(path)? else {
            return Ok(None);
        };
        let length = file.length()?;
        let mut magic = vec![0; length.min(MAGIC.len() as u64) as usize];
        file.read(&mut magic, 0)?;
        let path = path.to_owned();
        if magic == MAGIC {
            // What an end in the middle of a rewrite left.
            let _ = std::fs::remove_file(beside(&path));
            Ok(Some(Log::on(file, durability, MAGIC.len() as u64)))
        } else if EARLIER.iter().any(|earlier| magic.starts_with(earlier)) {
            Err(LogError::Earlier(path))
        } else if MAGIC.starts_with(&magic) {
            Err(LogError::Cut { path, length })
        } else {
            Err(LogError::Other(path))
        }
    }

    /// A new file beside the place that it will [take](Log::replace).
    pub(super) fn create(path: &Path, durability: Durability) -> Result<Self, LogError> {
        let mut file = LogFile::create(&beside(path))?;
        file.write(MAGIC, 0)?;
        Ok(Log::on(file, durability, MAGIC.len() as u64))
    }

    /// As [`Log::create`], for the place of this one, through the same gate.
    pub(super) fn successor(&mut self) -> Result<Self, LogError> {
        let gate = self.file.take_gate();
        let created = LogFile::create(&beside(&self.file.path));
        let mut file = match created {
            Ok(file) => file,
            Err(error) => {
                self.file.set_gate(gate);
                return Err(error);
            }
        };
        file.set_gate(gate);
        let mut log = Log::on(file, self.durability, MAGIC.len() as u64);
        match log.file.write(MAGIC, 0) {
            Ok(()) => Ok(log),
            Err(error) => {
                self.give_up(log);
                Err(error)
            }
        }
    }

    /// Drops a successor that is not used.
    pub(super) fn give_up(&mut self, mut successor: Log) {
        self.file.set_gate(successor.file.take_gate());
        // Fails where it does not matter: the next successor begins with an empty file.
        let _ = std::fs::remove_file(&successor.file.path);
    }

    /// Takes a place for good; the file that had it is gone. If this fails it is still there.
    pub(super) fn replace(&mut self, path: &Path) -> Result<(), LogError> {
        self.file.take_place(path)?;
        // After a power cut the old file might be back: nothing may be acknowledged that is only in this one.
        self.broken = self.file.sync_folder().is_err();
        Ok(())
    }

    /// The file.
    pub(super) fn path(&self) -> &Path {
        &self.file.path
    }

    /// Where the next frame goes: how long the file is.
    pub(super) const fn end(&self) -> u64 {
        self.end
    }

    /// See [`Gate`].
    pub(super) fn set_gate(&mut self, gate: Option<Gate>) {
        self.file.set_gate(gate);
    }

    /// Calls `each` with the place and the bytes of every payload; `each` returns whether it understood. Returns how many bytes follow that are no
    /// frame: what a sudden end left, to be [cut off](Log::cut).
    pub(super) fn read(
        &mut self,
        mut each: impl FnMut(u64, &[u8]) -> bool,
    ) -> Result<u64, LogError> {
        let length = self.file.length()?;
        let mut payload = vec![];
        while length - self.end >= HEAD as u64 {
            let mut head = [0; HEAD];
            self.file.read(&mut head, self.end)?;
            let Some((size, crc)) = parse_head(&head, self.end) else {
                break;
            };
            let at = self.end + HEAD as u64;
            if u64::from(size) > length - at {
                break;
            }
            payload.resize(size as usize, 0);
            self.file.read(&mut payload, at)?;
            if crc32fast::hash(&payload) != crc {
                break;
            }
            if !each(at, &payload) {
                return Err(self.damaged(length));
            }
            self.end = at + u64::from(size);
        }
        if self.is_frame_after(self.end, length)? {
            return Err(self.damaged(length));
        }
        Ok(length - self.end)
    }

    /// Cuts off what follows the last good frame.
    pub(super) fn cut(&mut self) -> Result<(), LogError> {
        self.file.truncate(self.end)
    }

    /// The frame that comes next is damaged.
    pub(super) fn damaged(&self, length: u64) -> LogError {
        LogError::Damaged {
            path: self.file.path.clone(),
            at: self.end,
            length,
            cuttable: true,
        }
    }

    /// Whether a good frame begins anywhere after a place: then this is not the end.
    fn is_frame_after(&self, at: u64, length: u64) -> Result<bool, LogError> {
        let mut rest = vec![0; (length - at) as usize];
        self.file.read(&mut rest, at)?;
        for (from, window) in rest.windows(HEAD).enumerate().skip(1) {
            let Some((size, crc)) = parse_head(window, at + from as u64) else {
                continue;
            };
            let payload = rest
                .get(from + HEAD..)
                .and_then(|rest| rest.get(..size as usize));
            if payload.is_some_and(|payload| crc32fast::hash(payload) == crc) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Adds a record to the next frame: what `write` appends. Returns where its first byte will be.
    pub(super) fn append(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> u64 {
        let at = self.end + self.pending.len() as u64;
        write(&mut self.pending);
        at
    }

    /// Bytes that wait for a commit.
    pub(super) const fn pending(&self) -> usize {
        self.pending.len() - HEAD
    }

    /// Bytes that were written, or wait for it.
    pub(super) fn bytes(&self, at: u64, length: u32) -> Result<Vec<u8>, LogError> {
        if let Some(from) = at.checked_sub(self.end) {
            let waiting = self.pending.get(from as usize..);
            let waiting = waiting.and_then(|waiting| waiting.get(..length as usize));
            return Ok(waiting.unwrap_or_default().to_vec());
        }
        let mut bytes = vec![0; length as usize];
        self.file.read(&mut bytes, at)?;
        Ok(bytes)
    }

    /// Makes sure that what waits and so many bytes more have room on the disk.
    pub(super) fn reserve(&mut self, bytes: u64) -> Result<(), LogError> {
        let wanted = self.end + self.pending.len() as u64 + bytes;
        if wanted <= self.reserved || self.cannot_reserve {
            return Ok(());
        }
        let mut step = STEP.max(wanted - self.end);
        loop {
            match self.file.reserve(self.end, step) {
                Ok(true) => {
                    self.reserved = self.end + step;
                    return Ok(());
                }
                Ok(false) => {
                    self.cannot_reserve = true;
                    return Ok(());
                }
                Err(LogError::Full { .. })
                    if step / 4 >= SMALLEST_STEP && self.end + step / 4 >= wanted =>
                {
                    step /= 4;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Writes what waits as one frame, and waits for the disk where that was asked for. If that fails it still waits, and the file is as
    /// it was.
    pub(super) fn commit(&mut self) -> Result<(), LogError> {
        if self.pending() == 0 {
            return Ok(());
        }
        self.write()?;
        if self.durability == Durability::Power
            && let Err(error) = self.file.sync()
        {
            // The kernel may have dropped what it could not write: only a restart shows it.
            self.broken = true;
            return Err(error);
        }
        Ok(())
    }

    /// Writes what waits as one frame, without waiting for the disk.
    pub(super) fn write(&mut self) -> Result<(), LogError> {
        if self.broken {
            return Err(LogError::Broken(self.file.path.clone()));
        }
        let Ok(length) = u32::try_from(self.pending()) else {
            return Err(LogError::TooMuch(self.file.path.clone()));
        };
        let payload = self.pending.get(HEAD..).unwrap_or_default();
        let head = head(self.end, length, crc32fast::hash(payload));
        if let Some(place) = self.pending.first_chunk_mut() {
            *place = head;
        }
        if let Err(error) = self.file.write(&self.pending, self.end) {
            // What was written of it must not stay before another frame; its room is freed too.
            self.reserved = 0;
            self.broken = self.file.truncate(self.end).is_err();
            return Err(error);
        }
        self.end += self.pending.len() as u64;
        self.pending.truncate(HEAD);
        // The memory of a burst is freed.
        self.pending.shrink_to(1 << 20);
        Ok(())
    }
}

/// Where a new file is made that will take the place of another.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    name.into()
}
