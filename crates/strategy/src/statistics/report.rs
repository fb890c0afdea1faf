//! The bytes of a report, part by part.

use formats::report::{HEADER, Header, ROW, Row, SYMBOLS_PER_PART};

/// The payloads of a report.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Report<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        const FULL: usize = HEADER + SYMBOLS_PER_PART * ROW;
        let (part, rest) = self.rest.split_at_checked(FULL.min(self.rest.len()))?;
        self.rest = rest;
        (!part.is_empty()).then_some(part)
    }
}

/// A report of so many symbols: all parts, back to back.
#[derive(Clone, Debug)]
pub struct Buffer {
    symbols: usize,
    bytes: Vec<u8>,
}

impl Buffer {
    pub fn new(symbols: usize) -> Self {
        Buffer {
            symbols,
            bytes: Vec::with_capacity(parts(symbols) * HEADER + symbols * ROW),
        }
    }

    pub fn parts(&self) -> Report<'_> {
        Report { rest: &self.bytes }
    }

    /// Writes the report; `header` has everything except the part's own members.
    pub fn write(&mut self, header: Header, mut rows: impl Iterator<Item = Row>) {
        let parts = parts(self.symbols);
        self.bytes.clear();
        for part in 0..parts {
            let first = part * SYMBOLS_PER_PART;
            let here = SYMBOLS_PER_PART.min(self.symbols - first);
            // At most 256 symbols in 16 parts: the casts lose nothing.
            let header = Header {
                part: part as u8,
                parts: parts as u8,
                first_symbol: first as u16,
                symbols: here as u16,
                total_symbols: self.symbols as u16,
                ..header
            };
            header.emit(&mut self.bytes);
            let rows = rows.by_ref().take(here);
            rows.for_each(|row| row.emit(&mut self.bytes));
        }
    }
}

/// A report has a part even without symbols: it is the answer to the heartbeat.
fn parts(symbols: usize) -> usize {
    symbols.div_ceil(SYMBOLS_PER_PART).max(1)
}
