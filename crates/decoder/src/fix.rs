//! FIX market data (35=W, 35=X) from a TCP stream, however it is cut into segments: the twin of `decoder_fix`.
//!
//! ```text
//!  bytes ─ fields ─ message: BodyLength, CheckSum, MsgSeqNum ─ good? ─ events
//!             └──── entries: instrument, scale, numbers ─────────┘
//! ```
//! `docs/reference/rules.md`, "FIX market data", says what a message ends as. It is written from FIX 4.4, as the hardware is.

mod entries;
mod number;

use formats::Listener;
use formats::fix::SOH;
use instrument::Table;

use crate::count;
pub use entries::Entries;
use number::digits;

/// How a message begins.
const START: &[u8] = b"8=FIX";
/// A message of so many bytes is truncated.
const LONGEST: usize = 1 << 16;
/// The last so many bytes outside messages may hold the beginning of one.
const TAIL: usize = 64;

/// What became of messages, and bytes outside them. 32 bits, wrapping.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Messages with prices.
    pub fix_prices: u32,
    /// Other good messages.
    pub fix_other: u32,
    /// Messages with a wrong CheckSum.
    pub fix_bad_checksum: u32,
    /// Messages with a wrong BodyLength.
    pub fix_bad_length: u32,
    /// Messages whose fields are missing, twice, empty or out of order.
    pub fix_malformed: u32,
    /// Messages with a price or a quantity that is not a number at its scale.
    pub fix_bad_number: u32,
    /// Messages with prices that are sent again.
    pub fix_repeated: u32,
    /// Messages within which another began, or that are too long.
    pub fix_truncated: u32,
    /// How often bytes outside messages began.
    pub fix_skipped: u32,
    /// Entries of an instrument that is not in the table.
    pub fix_unknown_instrument: u32,
}

/// What MsgType (35) says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Type {
    /// 35=W or X.
    Prices,
    /// 35=A or 4: MsgSeqNum starts again after it.
    BeginsAnew,
    #[default]
    Other,
}

/// The open message, without the field that is not complete yet.
#[derive(Clone, Debug, Default)]
struct Message {
    /// Bytes, from the 8 of `8=FIX` on.
    length: usize,
    /// Their sum, modulo 256.
    sum: u8,
    /// Fields after BeginString.
    fields: usize,
    /// The value of BodyLength.
    body_length: Option<usize>,
    /// Where the body begins.
    body: usize,
    message_type: Type,
    /// MsgSeqNum.
    sequence: Option<u32>,
    /// PossDupFlag is there and is not N.
    duplicate: bool,
    malformed: bool,
}

impl Message {
    fn add(&mut self, bytes: &[u8]) {
        self.length += bytes.len();
        self.sum = self.sum.wrapping_add(formats::fix::checksum(bytes));
    }

    /// A field other than BeginString and CheckSum.
    fn field(&mut self, tag: u32, value: &[u8], entries: &mut Entries, instruments: &Table) {
        let place = self.fields;
        self.fields += 1;
        match (place, tag) {
            (0, 9) => self.body_length = digits(value, 5).map(|length| length as usize),
            (1, 35) => {
                self.message_type = match value {
                    b"W" | b"X" => Type::Prices,
                    b"A" | b"4" => Type::BeginsAnew,
                    _ => Type::Other,
                };
                entries.begin(value == b"X");
            }
            (0 | 1, _) | (_, 9 | 35) => self.malformed = true,
            (_, 43) => self.duplicate |= value != b"N",
            _ if self.message_type != Type::Prices => {}
            (_, 34) => {
                self.malformed |= self.sequence.is_some() || entries.begun();
                self.sequence = digits(value, 9);
                self.malformed |= self.sequence.is_none();
            }
            _ => entries.field(tag, value, instruments),
        }
    }
}

/// The decoder of a FIX session's stream.
#[derive(Clone, Debug, Default)]
pub struct Fix {
    /// The field that is not complete yet.
    field: Vec<u8>,
    message: Option<Message>,
    /// The bytes outside messages have been counted.
    skipping: bool,
    entries: Entries,
    /// The highest MsgSeqNum that was taken.
    highest: u32,
    counters: Counters,
}

impl Fix {
    /// Takes the next bytes of the stream, and gives the events of the messages that end in them.
    pub fn bytes(&mut self, bytes: &[u8], instruments: &Table, listener: &mut impl Listener) {
        for part in bytes.split_inclusive(|byte| *byte == SOH) {
            if part.last() != Some(&SOH) {
                self.field.extend_from_slice(part);
                self.bound();
            } else if self.field.is_empty() {
                self.end_field(part, instruments, listener);
            } else {
                let mut field = std::mem::take(&mut self.field);
                field.extend_from_slice(part);
                self.end_field(&field, instruments, listener);
                field.clear();
                self.field = field;
            }
        }
    }

    /// The connection began or ended: the open message and the highest number are forgotten.
    pub fn restart(&mut self) {
        self.field.clear();
        (self.message, self.skipping, self.highest) = (None, false, 0);
    }

    /// What was counted so far.
    pub const fn counters(&self) -> Counters {
        self.counters
    }

    /// No buffer grows without limit, whatever comes.
    fn bound(&mut self) {
        let open = self.message.as_ref().map_or(0, |message| message.length);
        if open + self.field.len() >= LONGEST {
            if self.message.take().is_some() {
                count(&mut self.counters.fix_truncated);
            }
            let surplus = self.field.len().saturating_sub(TAIL);
            self.field.drain(..surplus);
        }
    }

    /// A field is complete: `bytes` end with its SOH.
    fn end_field(&mut self, bytes: &[u8], instruments: &Table, listener: &mut impl Listener) {
        let text = bytes.get(..bytes.len() - 1).unwrap_or_default();
        if let Some(at) = begin_string(text)
            && (at == 0 || self.message.is_none())
        {
            if self.message.is_some() {
                count(&mut self.counters.fix_truncated);
            }
            let mut message = Message::default();
            message.add(bytes.get(at..).unwrap_or_default());
            (self.message, self.skipping) = (Some(message), false);
            return;
        }
        let Some(message) = &mut self.message else {
            if !self.skipping {
                count(&mut self.counters.fix_skipped);
            }
            self.skipping = true;
            return;
        };
        message.malformed |= text.len() < 3;
        let (tag, value) = tag_and_value(text);
        if tag == 10 {
            if let Some(mut message) = self.message.take() {
                self.end_message(&mut message, value, listener);
            }
            return;
        }
        message.field(tag, value, &mut self.entries, instruments);
        message.add(bytes);
        if message.fields == 1 {
            message.body = message.length;
        }
        if message.length >= LONGEST {
            self.message = None;
            count(&mut self.counters.fix_truncated);
        }
    }

    fn end_message(
        &mut self,
        message: &mut Message,
        checksum: &[u8],
        listener: &mut impl Listener,
    ) {
        let prices = message.message_type == Type::Prices;
        if prices {
            message.malformed |= !self.entries.end() || message.sequence.is_none();
            let unknown = &mut self.counters.fix_unknown_instrument;
            *unknown = unknown.wrapping_add(self.entries.unknown());
        }
        let sum = digits(checksum, 3).filter(|_| checksum.len() == 3);
        let sequence = message.sequence.unwrap_or(0);
        let counters = &mut self.counters;
        count(if message.malformed || message.fields < 2 {
            &mut counters.fix_malformed
        } else if message.body_length != Some(message.length - message.body) {
            &mut counters.fix_bad_length
        } else if sum != Some(message.sum.into()) {
            &mut counters.fix_bad_checksum
        } else if !prices {
            if message.message_type == Type::BeginsAnew && !message.duplicate {
                self.highest = 0;
            }
            &mut counters.fix_other
        } else if self.entries.bad_number() {
            &mut counters.fix_bad_number
        } else if message.duplicate || sequence <= self.highest {
            &mut counters.fix_repeated
        } else {
            self.highest = sequence;
            self.entries.give(sequence.into(), listener);
            &mut counters.fix_prices
        });
    }
}

/// Where the last `8=FIX` of a field is, if the field is a BeginString from there on: not after a digit, and without another `=`.
fn begin_string(text: &[u8]) -> Option<usize> {
    let starts = |at: &usize| {
        let after_digit = at.checked_sub(1).and_then(|before| text.get(before));
        text.get(*at..).is_some_and(|rest| rest.starts_with(START))
            && !after_digit.is_some_and(u8::is_ascii_digit)
    };
    let at = (0..text.len()).rev().find(starts)?;
    let value = text.get(at + 2..)?;
    (!value.contains(&b'=')).then_some(at)
}

/// Tag and value; tag 0, which does not exist, if there is no `=` or more than one, or the tag is longer than those that matter.
fn tag_and_value(text: &[u8]) -> (u32, &[u8]) {
    let mut parts = text.split(|byte| *byte == b'=');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(tag), Some(value), None) if tag.first() != Some(&b'0') => {
            (digits(tag, 3).unwrap_or(0), value)
        }
        _ => (0, &[]),
    }
}
