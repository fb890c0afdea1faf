//! A window over a file: bytes from a known offset on, filled on demand.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::compressed::{Compression, Input};
use super::{Fault, Notice, SourceError};

/// The window's size to begin with; it grows only for a record that is longer.
const CAPACITY: usize = 1 << 20;

/// Reads a file forward and knows its offset. Of a compressed file, bytes and offsets are those of what is in it.
#[derive(Debug)]
pub struct Window {
    path: PathBuf,
    input: Input,
    /// Of the file as it is stored.
    length: Option<u64>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Of `start`, in the file.
    offset: u64,
    /// The compressed file ended before its end mark.
    is_cut: bool,
    notice: Option<Notice>,
}

impl Window {
    pub fn open(path: &Path, notice: Option<Notice>) -> Result<Self, SourceError> {
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
        let mut window = Self {
            path: path.to_owned(),
            input: Input::Plain(file),
            length,
            buffer: vec![0; CAPACITY],
            start: 0,
            end: 0,
            offset: 0,
            is_cut: false,
            notice,
        };
        window.fill(Compression::MAGIC)?;
        if let Some(compression) = Compression::recognize(window.bytes()) {
            let begun = window.bytes().to_vec();
            window.end = 0;
            window.input = window
                .input
                .decompressed(compression, begun)
                .map_err(failed)?;
        }
        Ok(window)
    }

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

    /// Bytes of the file read so far, as it is stored, and its length if it is a regular file.
    pub fn position(&self) -> (u64, Option<u64>) {
        let read = self.input.compressed_bytes();
        (read.unwrap_or(self.offset), self.length)
    }

    /// How many bytes are left. Where only reading tells, they are read.
    pub fn rest(&mut self) -> Result<u64, SourceError> {
        if let (Input::Plain(_), Some(length)) = (&self.input, self.length) {
            return Ok(length.saturating_sub(self.offset));
        }
        let mut rest = 0;
        loop {
            let count = self.fill(1)?;
            if count == 0 {
                return Ok(rest);
            }
            rest += count as u64;
            self.consume(count);
        }
    }

    /// An error about a beginning that shows nothing known.
    #[cold]
    pub fn unrecognized(&self) -> SourceError {
        self.fault(match self.is_cut {
            true => Fault::CutStream,
            false => Fault::Unrecognized,
        })
    }

    /// All bytes that are left.
    pub fn all(&mut self) -> Result<Vec<u8>, SourceError> {
        let mut all = Vec::new();
        loop {
            match self.goes_on() {
                Ok(true) => {
                    all.extend_from_slice(self.bytes());
                    self.consume(self.bytes().len());
                }
                Ok(false) => return Ok(all),
                Err(error) if self.ends_with(&error) => return Ok(all),
                Err(error) => return Err(error),
            }
        }
    }

    /// Whether this error is the end of what is to be read: the file is cut off there, and there is who is told so.
    #[cold]
    pub fn ends_with(&self, error: &SourceError) -> bool {
        error.is_truncation() && self.tell(error)
    }

    /// Tells what is to be known of the file, if anyone wants to.
    #[cold]
    pub fn tell(&self, error: &SourceError) -> bool {
        self.notice.inspect(|notice| notice(error)).is_some()
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
            match self.input.read(&mut self.buffer[self.end..]) {
                Ok(0) => break,
                Ok(count) => self.end += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // The decompressors' word for it.
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    self.is_cut = true;
                    break;
                }
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

    /// Whether a record can begin: `false` at the file's end.
    ///
    /// # Errors
    /// There is more, but the compressed file is cut off.
    #[inline]
    pub fn goes_on(&mut self) -> Result<bool, SourceError> {
        if self.fill(1)? > 0 {
            return Ok(true);
        }
        if self.is_cut {
            return Err(self.fault(Fault::CutStream));
        }
        Ok(false)
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
