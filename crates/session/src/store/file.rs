//! A file that is locked and written by position, and the calls of the system that this takes.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FallocateFlags, FlockOperation, fallocate, flock};
use rustix::io::Errno;

use super::log::LogError;

/// A call of the system that changes a file.
#[derive(Debug)]
pub enum Call<'a> {
    /// Bytes are written.
    Write {
        /// How many.
        length: usize,
        /// How many of them reach the file if the call is made to fail.
        passes: &'a mut usize,
    },
    /// The disk is asked to write everything.
    Sync,
    /// Room is reserved.
    Reserve,
    /// The end is cut off.
    Truncate,
    /// A new file takes the place of the old one.
    Rename,
}

/// Looks at each call before it is made, and may make it fail: disks that are full or broken, and processes that end in between, for
/// tests.
pub type Gate = Box<dyn FnMut(Call<'_>) -> io::Result<()> + Send>;

/// A file with an exclusive lock.
pub(super) struct LogFile {
    file: File,
    pub(super) path: PathBuf,
    gate: Option<Gate>,
}

impl std::fmt::Debug for LogFile {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("LogFile")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

/// What the system says, with the file; a full disk is a separate error.
pub(super) fn failed(path: &Path, action: &'static str, cause: io::Error) -> LogError {
    let path = path.to_owned();
    match cause.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            LogError::Full { path, cause }
        }
        _ => LogError::File {
            path,
            action,
            cause,
        },
    }
}

impl LogFile {
    /// Opens a file that is there, or gives `None` if it is not.
    pub(super) fn open(path: &Path) -> Result<Option<Self>, LogError> {
        let file = match OpenOptions::new().read(true).write(true).open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(cause) => return Err(failed(path, "open", cause)),
        };
        let file = Self::locked(file, path)?;
        // Between the two calls another process may have put a new file in its place.
        let ours = file.file.metadata();
        let there = std::fs::metadata(path);
        match (ours, there) {
            (Ok(ours), Ok(there)) if ours.ino() == there.ino() => Ok(Some(file)),
            _ => Err(LogError::InUse(path.to_owned())),
        }
    }

    /// An empty file, whatever was there.
    pub(super) fn create(path: &Path) -> Result<Self, LogError> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(|cause| failed(path, "create", cause))?;
        let mut file = Self::locked(file, path)?;
        file.truncate(0)?;
        Ok(file)
    }

    fn locked(file: File, path: &Path) -> Result<Self, LogError> {
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(LogFile {
                file,
                path: path.to_owned(),
                gate: None,
            }),
            Err(Errno::WOULDBLOCK) => Err(LogError::InUse(path.to_owned())),
            Err(cause) => Err(failed(path, "lock", cause.into())),
        }
    }

    /// Puts a gate in front of every call from now on.
    pub(super) fn set_gate(&mut self, gate: Option<Gate>) {
        self.gate = gate;
    }

    pub(super) const fn take_gate(&mut self) -> Option<Gate> {
        self.gate.take()
    }

    fn pass(&mut self, call: Call<'_>) -> io::Result<()> {
        self.gate.as_mut().map_or(Ok(()), |gate| gate(call))
    }

    /// How long it is, in bytes.
    pub(super) fn length(&self) -> Result<u64, LogError> {
        let metadata = self.file.metadata();
        metadata
            .map(|metadata| metadata.len())
            .map_err(|cause| failed(&self.path, "read", cause))
    }

    /// Reads exactly so many bytes.
    pub(super) fn read(&self, bytes: &mut [u8], at: u64) -> Result<(), LogError> {
        self.file
            .read_exact_at(bytes, at)
            .map_err(|cause| failed(&self.path, "read", cause))
    }

    pub(super) fn write(&mut self, bytes: &[u8], at: u64) -> Result<(), LogError> {
        let (length, mut passes) = (bytes.len(), 0);
        let mut written = self.pass(Call::Write {
            length,
            passes: &mut passes,
        });
        if written.is_ok() {
            written = self.file.write_all_at(bytes, at);
        } else {
            let passed = bytes.get(..passes).unwrap_or_default();
            self.file
                .write_all_at(passed, at)
                .map_err(|cause| failed(&self.path, "write", cause))?;
        }
        written.map_err(|cause| failed(&self.path, "write", cause))
    }

    /// Waits until the disk has everything.
    pub(super) fn sync(&mut self) -> Result<(), LogError> {
        self.pass(Call::Sync)
            .and_then(|()| self.file.sync_data())
            .map_err(|cause| failed(&self.path, "flush", cause))
    }

    /// Reserves room after the end of the file, which stays where it is. Returns whether it could: some file systems cannot.
    pub(super) fn reserve(&mut self, at: u64, length: u64) -> Result<bool, LogError> {
        let reserved = self.pass(Call::Reserve).and_then(|()| {
            fallocate(&self.file, FallocateFlags::KEEP_SIZE, at, length).map_err(io::Error::from)
        });
        match reserved {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::Unsupported => Ok(false),
            Err(cause) => Err(failed(&self.path, "reserve room for", cause)),
        }
    }

    pub(super) fn truncate(&mut self, length: u64) -> Result<(), LogError> {
        self.pass(Call::Truncate)
            .and_then(|()| self.file.set_len(length))
            .map_err(|cause| failed(&self.path, "cut", cause))
    }

    /// Takes the place and the name of another file. Everything is on the disk before, so that a power cut leaves one of the two.
    pub(super) fn take_place(&mut self, path: &Path) -> Result<(), LogError> {
        self.sync()?;
        self.pass(Call::Rename)
            .and_then(|()| std::fs::rename(&self.path, path))
            .map_err(|cause| failed(&self.path, "rename", cause))?;
        path.clone_into(&mut self.path);
        Ok(())
    }

    /// Waits until the disk knows the file by its name.
    pub(super) fn sync_folder(&self) -> io::Result<()> {
        let folder = self.path.parent();
        let folder = folder.filter(|folder| *folder != Path::new(""));
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
    }
}
