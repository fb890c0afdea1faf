//! How long the software decoder takes for a message.

use std::hint::black_box;

use fast::{Decoder, Field, Templates, Value, Visitor};
use report::fast_lines::market;
use rustix::time::{ClockId, clock_gettime};

use super::Error;
use crate::Progress;

/// As in mFAST's public example.
const MESSAGES: usize = 30_001;

/// What a message takes.
#[derive(Clone, Copy, Debug)]
pub struct Speed {
    /// Bytes of a message, on average.
    pub bytes: f64,
    /// Entries of a message, on average.
    pub entries: f64,
    /// Nanoseconds of the thread's processor time, the best pass.
    pub best_ns: f64,
    /// The median pass.
    pub median_ns: f64,
}

/// Keeps every value, each at the place of its field: what an application does that works on the entry at hand. Every value that it would see is handed
/// over, constants included.
#[derive(Default)]
pub struct Record {
    values: [u64; 32],
    entries: u64,
}

impl Visitor for Record {
    #[inline(always)]
    fn field(&mut self, field: Field, value: Value<'_>) {
        let value = match value {
            Value::Absent => u64::MAX,
            Value::Unsigned(value) => value,
            Value::Signed(value) => value as u64,
            Value::Decimal(value) => (value.mantissa as u64) ^ ((value.exponent as u64) << 56),
            Value::Ascii(text) | Value::Unicode(text) | Value::Bytes(text) => {
                u64::from(text.first().copied().unwrap_or(0)) + text.len() as u64
            }
        };
        self.values[field.index as usize % 32] = value;
    }

    #[inline(always)]
    fn sequence_start(&mut self, _: Field, length: u32) {
        self.entries += u64::from(length);
    }

    #[inline(always)]
    fn entry_end(&mut self, _: usize) {
        black_box(&self.values);
    }
}

/// Nanoseconds of processor time of this thread.
pub fn thread_ns() -> f64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.tv_sec as f64 * 1e9 + now.tv_nsec as f64
}

/// Decodes the generated messages in so many passes, single thread, every field to a value.
///
/// # Errors
/// None: the messages are good.
pub fn speed(passes: u32, progress: Progress) -> Result<Speed, Error> {
    let templates = Templates::parse(market::TEMPLATE)?;
    let bytes = market::messages(&templates, MESSAGES)?;
    let mut times = Vec::new();
    let mut entries = 0;
    for pass in 0..passes {
        progress(
            "FAST, decoded in software",
            u64::from(pass),
            u64::from(passes),
        );
        let mut decoder = Decoder::new(&templates);
        let mut record = Record::default();
        let begun = thread_ns();
        let mut at = 0;
        while at < bytes.len() {
            at += decoder.message(&bytes[at..], &mut record)?;
        }
        times.push((thread_ns() - begun) / MESSAGES as f64);
        entries = record.entries;
    }
    times.sort_by(f64::total_cmp);
    let each = |total: u64| total as f64 / MESSAGES as f64;
    Ok(Speed {
        bytes: each(bytes.len() as u64),
        entries: each(entries),
        best_ns: times.first().copied().unwrap_or(f64::NAN),
        median_ns: times.get(times.len() / 2).copied().unwrap_or(f64::NAN),
    })
}
