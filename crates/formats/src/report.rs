//! The report packet: what leaves at each second (docs/reference/rules.md, "The report").

use std::net::Ipv4Addr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::bytes::Field;
use crate::ethernet::MacAddress;
use crate::event::Symbol;
use crate::frame::{NetConfig, UdpFrame};

/// The first four bytes.
pub const MAGIC: [u8; 4] = *b"TWST";
/// The version this module reads and writes.
pub const VERSION: u8 = 1;
/// Length of the header, in bytes.
pub const HEADER: usize = 64;
/// Length of a symbol's row, in bytes.
pub const ROW: usize = 64;
/// The most symbols in one packet.
pub const SYMBOLS_PER_PART: usize = 16;

/// Length of a side within a row, in bytes.
const SIDE: usize = 28;
const FLAG_ACCUMULATE: u8 = 1;
const FLAG_ITCH_50: u8 = 2;

/// Where reports go; the mirror of `report_config_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportConfig {
    /// Receiver's MAC.
    pub destination_mac: MacAddress,
    /// Receiver.
    pub destination_ip: Ipv4Addr,
    /// Our port.
    pub source_port: u16,
    /// Receiver's port.
    pub destination_port: u16,
}

impl ReportConfig {
    /// The frame a report travels in: from our addresses in `net`, without a UDP checksum.
    pub const fn frame(&self, net: &NetConfig) -> UdpFrame {
        let source = (net.local_mac, net.local_ip, self.source_port);
        let destination = (
            self.destination_mac,
            self.destination_ip,
            self.destination_port,
        );
        UdpFrame {
            checksum: false,
            ..UdpFrame::new(source, destination)
        }
    }
}

/// The header of a part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Whether statistics go on over heartbeats.
    pub accumulate: bool,
    /// Whether the feed is ITCH 5.0 (else 4.1).
    pub itch_50: bool,
    /// Which part this is, from 0.
    pub part: u8,
    /// How many parts the report has.
    pub parts: u8,
    /// Number of the report, from 1.
    pub number: u32,
    /// The second that begins, since midnight.
    pub second: u32,
    /// Index of the first symbol in this part.
    pub first_symbol: u16,
    /// Symbols in this part.
    pub symbols: u16,
    /// Symbols in all.
    pub total_symbols: u16,
    /// MoldUDP64 session.
    pub session: [u8; 10],
    /// Number of the message that begins the second.
    pub sequence: u64,
    /// Messages lost so far.
    pub lost: u64,
    /// Number of the frame's first message.
    pub first_sequence: u64,
}

impl Header {
    /// Appends the header's 64 bytes to `out`.
    pub fn emit(&self, out: &mut Vec<u8>) {
        MAGIC.put(out);
        VERSION.put(out);
        let accumulate = if self.accumulate { FLAG_ACCUMULATE } else { 0 };
        let itch_50 = if self.itch_50 { FLAG_ITCH_50 } else { 0 };
        (accumulate | itch_50).put(out);
        self.part.put(out);
        self.parts.put(out);
        self.number.put(out);
        self.second.put(out);
        self.first_symbol.put(out);
        self.symbols.put(out);
        self.total_symbols.put(out);
        self.session.put(out);
        self.sequence.put(out);
        self.lost.put(out);
        self.first_sequence.put(out);
        0_u64.put(out);
    }

    fn take(bytes: &mut &[u8]) -> Option<([u8; 4], u8, Self)> {
        let magic = Field::take(bytes)?;
        let version = Field::take(bytes)?;
        let flags = u8::take(bytes)?;
        let header = Header {
            accumulate: flags & FLAG_ACCUMULATE != 0,
            itch_50: flags & FLAG_ITCH_50 != 0,
            part: Field::take(bytes)?,
            parts: Field::take(bytes)?,
            number: Field::take(bytes)?,
            second: Field::take(bytes)?,
            first_symbol: Field::take(bytes)?,
            symbols: Field::take(bytes)?,
            total_symbols: Field::take(bytes)?,
            session: Field::take(bytes)?,
            sequence: Field::take(bytes)?,
            lost: Field::take(bytes)?,
            first_sequence: Field::take(bytes)?,
        };
        u64::take(bytes)?;
        Some((magic, version, header))
    }
}

/// The orders of one side of one symbol. A side without orders is all zeros.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SideStatistics {
    /// Orders.
    pub count: u32,
    /// Lowest price, in 1/10,000 dollar.
    pub minimum: u32,
    /// Highest price, in 1/10,000 dollar.
    pub maximum: u32,
    /// Shares.
    pub volume: u64,
    /// Sum of the prices, in 1/10,000 dollar: divided by `count` it is the exact average.
    pub sum: u64,
}

impl SideStatistics {
    /// Counts an order.
    #[inline(always)]
    pub const fn add(&mut self, price: u32, shares: u32) {
        self.minimum = if self.count == 0 || price < self.minimum {
            price
        } else {
            self.minimum
        };
        self.maximum = if price > self.maximum {
            price
        } else {
            self.maximum
        };
        self.count = self.count.wrapping_add(1);
        self.volume = self.volume.wrapping_add(shares as u64);
        self.sum = self.sum.wrapping_add(price as u64);
    }

    /// As in the row.
    #[inline(always)]
    fn to_bytes(self) -> [u8; SIDE] {
        let mut bytes = [0; SIDE];
        bytes[..4].copy_from_slice(&self.count.to_be_bytes());
        bytes[4..8].copy_from_slice(&self.minimum.to_be_bytes());
        bytes[8..12].copy_from_slice(&self.maximum.to_be_bytes());
        bytes[12..20].copy_from_slice(&self.volume.to_be_bytes());
        bytes[20..].copy_from_slice(&self.sum.to_be_bytes());
        bytes
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        Some(SideStatistics {
            count: Field::take(bytes)?,
            minimum: Field::take(bytes)?,
            maximum: Field::take(bytes)?,
            volume: Field::take(bytes)?,
            sum: Field::take(bytes)?,
        })
    }
}

/// The row of a symbol slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Row {
    /// The symbol; `None`: the slot is empty.
    pub symbol: Option<Symbol>,
    /// Its bids.
    pub buy: SideStatistics,
    /// Its offers.
    pub sell: SideStatistics,
}

impl Row {
    /// Appends the row's 64 bytes to `out`.
    #[inline]
    pub fn emit(&self, out: &mut Vec<u8>) {
        let mut bytes = [0; ROW];
        bytes[..8].copy_from_slice(&self.symbol.map_or([0; 8], |symbol| symbol.0));
        bytes[8..8 + SIDE].copy_from_slice(&self.buy.to_bytes());
        bytes[8 + SIDE..].copy_from_slice(&self.sell.to_bytes());
        out.extend_from_slice(&bytes);
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        let symbol = Symbol::take(bytes)?;
        let symbol = (symbol.to_u64() != 0).then_some(symbol);
        Some(Row {
            symbol,
            buy: SideStatistics::take(bytes)?,
            sell: SideStatistics::take(bytes)?,
        })
    }
}

/// Why bytes are not a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Error {
    /// Fewer bytes than a header.
    #[error("{0} bytes are fewer than the header's 64")]
    TooShort(usize),
    /// It does not begin with `TWST`.
    #[error("it does not begin with TWST")]
    Magic,
    /// A version this module does not know.
    #[error("report version {0}; only 1 is known")]
    Version(u8),
    /// The length is not that of a header and the rows it announces.
    #[error("{found} bytes; the header's {symbols} symbols need {}", HEADER + ROW * usize::from(*.symbols))]
    Length {
        /// Symbols announced.
        symbols: u16,
        /// Bytes found.
        found: usize,
    },
}

/// A complete part of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its header.
    pub header: Header,
    /// Its rows: as many as `header.symbols` says.
    pub rows: Vec<Row>,
}

impl Part {
    /// The part in a UDP payload.
    pub fn parse(payload: &[u8]) -> Result<Self, Error> {
        let mut rest = payload;
        let (magic, version, header) =
            Header::take(&mut rest).ok_or(Error::TooShort(payload.len()))?;
        if magic != MAGIC {
            return Err(Error::Magic);
        }
        if version != VERSION {
            return Err(Error::Version(version));
        }
        let wrong_length = Error::Length {
            symbols: header.symbols,
            found: payload.len(),
        };
        if rest.len() != ROW * usize::from(header.symbols) {
            return Err(wrong_length);
        }
        let rows = (0..header.symbols)
            .map(|_| Row::take(&mut rest))
            .collect::<Option<_>>();
        Ok(Part {
            header,
            rows: rows.ok_or(wrong_length)?,
        })
    }

    /// Appends the part to `out`.
    pub fn emit(&self, out: &mut Vec<u8>) {
        self.header.emit(out);
        self.rows.iter().for_each(|row| row.emit(out));
    }
}
