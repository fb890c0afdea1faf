//! A window over a file: bytes from a known offset on, filled on demand.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::{Fault, SourceError};

/// The window's size to begin with; it grows only for a record that is longer.
const CAPACITY: usize = 1 << 20;

/// Reads a file forward and knows its offset.
#[derive(Debug)]
pub struct Window<R> {
    path: PathBuf,
    file: R,
    length: Option<u64>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Of `start`, in the file.
    offset: u64,
}

impl Window<File> {
    pub fn open(path: &Path) -> Result<Self, SourceError> {
        let failed = |cause| SourceError::Open {
            path: path.to_owned(),
            cause,
        };
        let file = File::open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if metadata.is_dir() {
            return Err(failed(io::Error::from(io::ErrorKind::IsADirectory)));
        }
        let length = metadata.is_file().then_some(metadata.len());
        Ok(Self {
            path: path.to_owned(),
            file,
            length,
            buffer: vec![0; CAPACITY],
            start: 0,
            end: 0,
            offset: 0,
        })
    }
}

impl<R: Read> Window<R> {
    /// The bytes at hand.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Offset in the file of the first byte at hand.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file's length, if it is a regular file.
    pub const fn length(&self) -> Option<u64> {
        self.length
    }

    /// Tries to have at least `wanted` bytes at hand; gives how many there are: fewer only at the file's end.
    #[inline]
    pub fn fill(&mut self, wanted: usize) -> Result<usize, SourceError> {
        let available = self.end - self.start;
        if available >= wanted {
            Ok(available)
        } else {
            self.read_on(wanted)
        }
    }

    #[cold]
    fn read_on(&mut self, wanted: usize) -> Result<usize, SourceError> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.buffer.len() < wanted {
            self.buffer.resize(wanted, 0);
        }
        while self.end < wanted {
            match self.file.read(&mut self.buffer[self.end..]) {
                Ok(0) => break,
                Ok(count) => self.end += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(cause) => {
                    let offset = self.offset + self.end as u64;
                    return Err(SourceError::Read {
                        path: self.path.clone(),
                        offset,
                        cause,
                    });
                }
            }
        }
        Ok(self.end)
    }

    /// As [`Window::fill`], but with fewer bytes there is an error at the present offset.
    #[inline]
    pub fn need(&mut self, what: &'static str, needed: usize) -> Result<(), SourceError> {
        let found = self.fill(needed)?;
        if found >= needed {
            return Ok(());
        }
        Err(self.fault(Fault::Truncated {
            what,
            needed: needed as u64,
            found: found as u64,
        }))
    }

    /// Moves past bytes at hand.
    #[inline]
    pub fn consume(&mut self, count: usize) {
        let count = count.min(self.end - self.start);
        self.start += count;
        self.offset += count as u64;
    }

    /// The last `count` bytes that were moved past: they stay until the next fill.
    #[inline]
    pub fn behind(&self, count: usize) -> &[u8] {
        &self.buffer[self.start.saturating_sub(count)..self.start]
    }

    /// An error at the present offset.
    #[cold]
    pub fn fault(&self, fault: impl Into<Fault>) -> SourceError {
        self.fault_at(self.offset, fault)
    }

    /// An error at an offset.
    #[cold]
    pub fn fault_at(&self, offset: u64, fault: impl Into<Fault>) -> SourceError {
        SourceError::Content {
            path: self.path.clone(),
            offset,
            fault: fault.into(),
        }
    }
}
