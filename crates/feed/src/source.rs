//! Market data out of files: BinaryFILE as messages, pcap and pcapng as datagrams with their time stamps.
//!
//! Everything streams: a file of any size is read through a window of a few MiB. Errors name the file and the byte. Files compressed with gzip or
//! Zstandard are read as what is in them, which is where the byte is then.

mod binary;
mod capture;
mod compressed;
mod contents;
mod frame;
mod window;

use std::io;
use std::path::{Path, PathBuf};

use formats::itch::Version;
use thiserror::Error;

pub use binary::{MessageReader, Record};
pub use capture::{CaptureReader, Datagram, Skipped};
pub use contents::{Contents, Protocol};
use window::Window;

/// Why a source ends early.
#[derive(Debug, Error)]
pub enum SourceError {
    /// The file cannot be opened.
    #[error("{}: cannot open: {cause}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// The file cannot be read on.
    #[error("{}: byte {offset}: cannot read: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Bytes from its start.
        offset: u64,
        /// What the system says.
        cause: io::Error,
    },
    /// The file's content is not what it should be.
    #[error("{}: byte {offset}: {fault}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// Where the record at fault begins, in bytes from the start.
        offset: u64,
        /// What is wrong there.
        fault: Fault,
    },
    /// A capture without a datagram that can be used.
    #[error("{}: no {} in this capture: {contents}", path.display(), contents.wanted())]
    Nothing {
        /// The file.
        path: PathBuf,
        /// What it has instead.
        contents: Box<Contents>,
    },
}

impl SourceError {
    /// Whether the file is cut off: what is before is whole.
    pub fn is_truncation(&self) -> bool {
        let SourceError::Content { fault, .. } = self else {
            return false;
        };
        matches!(fault, Fault::Truncated { .. } | Fault::CutStream)
    }
}

/// Who is told what is to be known of a file that was read all the same: where it is cut off ([`SourceError::is_truncation`]), and what follows its
/// end mark ([`Fault::AfterEnd`]).
pub type Notice = fn(&SourceError);

/// What is wrong with a file's content.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// Nothing in it.
    #[error("the file is empty")]
    Empty,
    /// Neither a capture nor BinaryFILE.
    #[error(
        "neither pcap, pcapng nor ITCH with two-byte lengths (BinaryFILE); is it compressed otherwise than with gzip or zstd, or raw ITCH without lengths?"
    )]
    Unrecognized,
    /// The file ends inside a record.
    #[error(
        "truncated: a {what} of {needed} bytes begins here, but only {found} are left; copy the file again, or cut it off at this byte"
    )]
    Truncated {
        /// The record.
        what: &'static str,
        /// Its length, in bytes.
        needed: u64,
        /// Bytes up to the file's end.
        found: u64,
    },
    /// The file ends before what was compressed does, but not inside a record.
    #[error("truncated: the compressed file is cut off here; copy it again")]
    CutStream,
    /// What follows the end mark of a BinaryFILE is not read.
    #[error(
        "the end mark (a length of 0) is here, but {bytes} bytes follow, which are not read; if they are another session, put it into a file of its own"
    )]
    AfterEnd {
        /// How many.
        bytes: u64,
    },
    /// A message that the version does not have.
    #[error("{0}; the lengths are out of step, or the version is another one (--itch)")]
    Message(#[from] formats::itch::Error),
    /// A message that no packet carries.
    #[error(
        "a message of {length} bytes does not go into a MoldUDP64 packet: 5 bytes to {payload} with the packet's headers"
    )]
    Packet {
        /// Its length, in bytes.
        length: usize,
        /// UDP payload of a packet, in bytes.
        payload: usize,
    },
    /// A capture record that contradicts itself.
    #[error("{0}")]
    Capture(&'static str),
    /// A message that fits into no packet.
    #[error("a message of {message} bytes does not fit into a packet of {mtu} (--mtu)")]
    Mtu {
        /// The message's length, in bytes.
        message: usize,
        /// The largest UDP payload, in bytes.
        mtu: usize,
    },
    /// A record longer than those that are read.
    #[error(
        "a {what} of {length} bytes: the limit is {} (libpcap's); either the lengths are out of step, or leave it out (editcap)",
        capture::LONGEST
    )]
    TooLong {
        /// The record.
        what: &'static str,
        /// The length it claims, in bytes.
        length: u64,
    },
}

/// How to read a file.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// The ITCH version; `None`: detected from the first messages (BinaryFILE only).
    pub version: Option<Version>,
    /// Whether to pass on messages that the version does not have, instead of stopping at them.
    pub lenient: bool,
    /// Of a capture, only datagrams to this UDP port.
    pub port: Option<u16>,
    /// A capture of another protocol than MoldUDP64: any datagram will do.
    pub any_protocol: bool,
    /// Who is told that a file is cut off, which then is its end. Without anyone it is an error.
    pub notice: Option<Notice>,
}

/// What a file's first bytes show it to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// ITCH messages, each after a big-endian 16-bit length.
    BinaryFile,
    /// libpcap's first format, micro- or nanoseconds, either byte order.
    Pcap,
    /// pcapng.
    PcapNg,
}

/// A file opened and recognized.
#[derive(Debug)]
pub enum Source {
    /// Messages without packets.
    Messages(MessageReader),
    /// Datagrams as captured.
    Datagrams(CaptureReader),
}

impl Source {
    /// Opens a file and finds out what it is.
    ///
    /// # Errors
    /// It cannot be opened or read, or is of no known format.
    pub fn open(path: &Path, options: Options) -> Result<Self, SourceError> {
        let mut window = Window::open(path, options.notice)?;
        Ok(match Self::recognize(&mut window)? {
            Format::BinaryFile => Source::Messages(MessageReader::new(window, options)?),
            Format::Pcap => Source::Datagrams(CaptureReader::pcap(window, options)?),
            Format::PcapNg => Source::Datagrams(CaptureReader::pcapng(window, options)),
        })
    }

    fn recognize(window: &mut Window) -> Result<Format, SourceError> {
        window.fill(4)?;
        let Some(magic) = window.bytes().first_chunk::<4>() else {
            return Err(match window.goes_on()? {
                true => window.unrecognized(),
                false => window.fault(Fault::Empty),
            });
        };
        Ok(match *magic {
            [0x0a, 0x0d, 0x0d, 0x0a] => Format::PcapNg,
            [0xd4, 0xc3, 0xb2, 0xa1] | [0x4d, 0x3c, 0xb2, 0xa1] => Format::Pcap,
            [0xa1, 0xb2, 0xc3, 0xd4] | [0xa1, 0xb2, 0x3c, 0x4d] => Format::Pcap,
            _ => Format::BinaryFile,
        })
    }

    /// What the file is.
    pub const fn format(&self) -> Format {
        match self {
            Source::Messages(_) => Format::BinaryFile,
            Source::Datagrams(capture) => capture.format(),
        }
    }
}

/// A file of messages of any protocol.
#[derive(Debug)]
pub enum Payloads {
    /// The datagrams of a capture.
    Datagrams(Box<CaptureReader>),
    /// All bytes of a file that is no capture.
    Bytes(Vec<u8>),
}

impl Payloads {
    /// Opens a file; one that is no capture is read to its end.
    ///
    /// # Errors
    /// It cannot be opened or read.
    pub fn open(path: &Path, options: Options) -> Result<Self, SourceError> {
        let mut window = Window::open(path, options.notice)?;
        let reader = match Source::recognize(&mut window) {
            Ok(Format::Pcap) => CaptureReader::pcap(window, options)?,
            Ok(Format::PcapNg) => CaptureReader::pcapng(window, options),
            Ok(Format::BinaryFile) | Err(SourceError::Content { .. }) => {
                return Ok(Payloads::Bytes(window.all()?));
            }
            Err(error) => return Err(error),
        };
        Ok(Payloads::Datagrams(Box::new(reader)))
    }
}
