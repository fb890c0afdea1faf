//! Captures that are written: pcap with nanoseconds, Ethernet.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use formats::fix::Timestamp;
use formats::frame::UdpFrame;

use crate::partial::Partial;

/// FCS of an Ethernet frame: a capture has none.
const FCS: usize = 4;

/// A capture that is being written.
#[derive(Debug)]
pub struct Writer {
    out: BufWriter<File>,
    partial: Partial,
    headers: UdpFrame,
    frame: Vec<u8>,
}

impl Writer {
    /// Begins a file; an existing one is replaced when it is complete. Each packet gets these headers.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn create(path: &Path, headers: UdpFrame) -> io::Result<Self> {
        const SNAP_LENGTH: u32 = 65_535;
        let (file, partial) = Partial::create(path)?;
        let mut out = BufWriter::with_capacity(1 << 20, file);
        // Version 2.4; the last is Ethernet.
        for word in [0xa1b2_3c4d, 4 << 16 | 2, 0, 0, SNAP_LENGTH, 1_u32] {
            out.write_all(&word.to_le_bytes())?;
        }
        Ok(Writer {
            out,
            partial,
            headers,
            frame: Vec::new(),
        })
    }

    /// Writes a UDP payload, with the time of its arrival.
    ///
    /// # Errors
    /// It does not fit a frame; the file cannot be written.
    pub fn packet(&mut self, time: Timestamp, payload: &[u8]) -> io::Result<()> {
        self.frame.clear();
        let emitted = self.headers.emit(payload, &mut self.frame);
        emitted.map_err(|error| io::Error::other(error.to_string()))?;
        let frame = &self.frame[..self.frame.len().saturating_sub(FCS)];
        let (seconds, rest) = (time.0 / 1_000_000_000, time.0 % 1_000_000_000);
        let length = frame.len() as u32;
        for word in [seconds as u32, rest as u32, length, length] {
            self.out.write_all(&word.to_le_bytes())?;
        }
        self.out.write_all(frame)
    }

    /// Ends the file.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()?;
        self.partial.complete()
    }
}
