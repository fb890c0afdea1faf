//! Bytes to values (sections 6.3 and 10).
//!
//! A [`Decoder`] takes packets: messages back to back that stand or fall together. Values go to a [`Visitor`] as they are decoded. At an
//! error, the packet is dropped from there, and **the dictionary is as it was before the packet**, the template identifier included: the
//! next packet is decoded as if this one had not come. The visitor is told ([`Visitor::dropped`]), for it may have been given the messages
//! before the error.
//!
//! Nothing is allocated after the dictionary's strings have reached their longest.

mod decimal;
mod error;
pub(crate) mod integer;
mod packet;
mod quick;
mod run;
pub(crate) mod text;

use crate::template::{Decimal, Template};

pub use error::{Error, ErrorCode, Reportable};
pub use packet::{Decoder, Settings};

/// Which field a value is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its number: [`Instruction::tag`](crate::Instruction::tag).
    pub tag: u32,
    /// The index of its instruction in the template.
    pub index: u32,
}

/// A value of a field. Strings are lent until the callback returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// An optional field has none.
    Absent,
    /// Of an unsigned integer.
    Unsigned(u64),
    /// Of a signed integer.
    Signed(i64),
    /// Of a decimal.
    Decimal(Decimal),
    /// Of an ASCII string: every byte is below 128.
    Ascii(&'a [u8]),
    /// Of a Unicode string: UTF-8, unless R2 is not reported.
    Unicode(&'a [u8]),
    /// Of a byte vector.
    Bytes(&'a [u8]),
}

/// Takes what is decoded, in the order of the template. Every method does nothing unless it is written.
pub trait Visitor {
    /// Whether constants are given too. A mandatory constant is known from the template.
    const CONSTANTS: bool = true;

    /// A message begins. `index`: the template's in [`Templates::all`](crate::Templates::all).
    #[inline(always)]
    fn message_start(&mut self, index: usize) {
        let _ = index;
    }

    /// A field has a value, or none. Exponent and mantissa of a decimal come as one, with the exponent's field. The length of a sequence
    /// comes here, and with the sequence's start.
    fn field(&mut self, field: Field, value: Value<'_>);

    /// A group begins. An absent one gives [`Value::Absent`] to [`Visitor::field`] instead.
    #[inline(always)]
    fn group_start(&mut self, field: Field) {
        let _ = field;
    }

    /// The group ends.
    #[inline(always)]
    fn group_end(&mut self) {}

    /// A sequence of so many entries begins. An absent one has only a length without a value.
    #[inline(always)]
    fn sequence_start(&mut self, field: Field, length: u32) {
        let _ = (field, length);
    }

    /// An entry of the sequence begins, at byte `at` of the bytes that are decoded.
    #[inline(always)]
    fn entry_start(&mut self, index: u32, at: usize) {
        let _ = (index, at);
    }

    /// The entry ends, before byte `at`.
    #[inline(always)]
    fn entry_end(&mut self, at: usize) {
        let _ = at;
    }

    /// The sequence ends.
    #[inline(always)]
    fn sequence_end(&mut self) {}

    /// A dynamic template reference: fields of the template `index` follow.
    #[inline(always)]
    fn reference_start(&mut self, field: Field, index: usize) {
        let _ = (field, index);
    }

    /// The reference ends.
    #[inline(always)]
    fn reference_end(&mut self) {}

    /// The message is complete and without an error.
    #[inline(always)]
    fn message_end(&mut self) {}

    /// The packet is dropped, with all its messages.
    #[inline(always)]
    fn dropped(&mut self, error: &Error) {
        let _ = error;
    }
}

/// Takes nothing: what is wrong with a packet is found all the same.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nobody;

impl Visitor for Nobody {
    const CONSTANTS: bool = false;

    #[inline(always)]
    fn field(&mut self, _: Field, _: Value<'_>) {}
}

/// The name of a template's instruction, for messages.
fn name_of(template: &Template, index: usize) -> &str {
    template
        .instructions
        .get(index)
        .map_or("", |instruction| &instruction.name.local)
}
