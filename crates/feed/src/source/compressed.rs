//! Compressed files: gzip (RFC 1952) and Zstandard (RFC 8878), recognized by what they begin with.

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Chain, Cursor, Read};

use flate2::bufread::MultiGzDecoder;

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    Gzip,
    Zstandard,
}

impl Compression {
    /// As many bytes tell it.
    pub const MAGIC: usize = 4;

    /// What a file that begins so is compressed with; `None`: nothing.
    pub fn recognize(begun: &[u8]) -> Option<Self> {
        match *begun {
            // Deflate, which is the only method that there is.
            [0x1f, 0x8b, 8, ..] => Some(Compression::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Compression::Zstandard),
            // A skippable frame, such as pzstd begins with.
            [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Compression::Zstandard),
            _ => None,
        }
    }
}

/// A file of which the beginning has been read already; counts what is taken.
pub struct Counted {
    file: Chain<Cursor<Vec<u8>>, File>,
    taken: u64,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.taken += count as u64;
        Ok(count)
    }
}

/// Where a window's bytes come from.
pub enum Input {
    Plain(File),
    /// One member after the other.
    Gzip(Box<MultiGzDecoder<BufReader<Counted>>>),
    /// One frame after the other.
    Zstandard(Box<zstd::Decoder<'static, BufReader<Counted>>>),
}

impl Input {
    /// The same file decompressed, of which these bytes have been read already.
    pub fn decompressed(self, compression: Compression, begun: Vec<u8>) -> io::Result<Self> {
        /// Compressed bytes that are read at once.
        const READ: usize = 1 << 16;
        let Input::Plain(file) = self else {
            return Ok(self);
        };
        let file = Cursor::new(begun).chain(file);
        let counted = BufReader::with_capacity(READ, Counted { file, taken: 0 });
        Ok(match compression {
            Compression::Gzip => Input::Gzip(Box::new(MultiGzDecoder::new(counted))),
            Compression::Zstandard => {
                Input::Zstandard(Box::new(zstd::Decoder::with_buffer(counted)?))
            }
        })
    }

    /// Bytes of the file taken so far, of a compressed one.
    pub fn compressed_bytes(&self) -> Option<u64> {
        let counted = match self {
            Input::Plain(_) => return None,
            Input::Gzip(decoder) => decoder.get_ref(),
            Input::Zstandard(decoder) => decoder.get_ref(),
        };
        Some(counted.get_ref().taken)
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Input::Plain(file) => file.read(buffer),
            Input::Gzip(decoder) => decoder.read(buffer),
            Input::Zstandard(decoder) => decoder.read(buffer),
        }
    }
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Input::Plain(_) => "Plain",
            Input::Gzip(_) => "Gzip",
            Input::Zstandard(_) => "Zstandard",
        })
    }
}
