//! The fields of FAST messages out of the lines of a ring.

use fast::Decimal;
use fast::microcode::{Numbering, RingKind};

use crate::ring::{Class, Line, Status};

/// A value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RingValue<'a> {
    /// An unsigned integer.
    Unsigned(u64),
    /// A signed one.
    Signed(i64),
    /// A decimal.
    Decimal(Decimal),
    /// A string. NUL characters before its first other one in each eight are not told apart from none.
    Text(&'a [u8]),
}

/// Something that a line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldItem<'a> {
    /// A message of the template with this identifier begins.
    Message(u32),
    /// Inside it, the fields of the template with this identifier begin, to which it refers.
    Reference(u32),
    /// A field, by its tag.
    Field(u32, RingValue<'a>),
    /// An entry of a sequence ends.
    EntryEnd,
    /// The message ends.
    MessageEnd,
    /// The packet is over: only now its fields count, or not.
    Packet {
        /// They count.
        good: bool,
    },
    /// Lines are missing here.
    Lost,
}

/// What is kept from one line to the next: a value that is in two of them, and whether a message is open.
#[derive(Clone, Debug)]
pub struct FieldReader {
    numbering: Numbering,
    exponent: Option<i32>,
    text: Vec<u8>,
    in_message: bool,
}

/// What `wrong` says of a number that the program has not.
const UNKNOWN: &str =
    "a line has a field number that the program has not: another program wrote it";

impl FieldReader {
    /// For a program whose fields were numbered so.
    pub fn new(numbering: Numbering) -> Self {
        FieldReader {
            numbering,
            exponent: None,
            text: Vec::with_capacity(256),
            in_message: false,
        }
    }

    /// Gives what a line says, in order. Lines of bytes and events say nothing here.
    ///
    /// # Errors
    /// A field number that the program has not.
    #[inline]
    pub fn line(
        &mut self,
        line: &Line,
        mut take: impl FnMut(FieldItem<'_>),
    ) -> Result<(), &'static str> {
        match (line.class, line.status()) {
            (Class::Fields, _) => {}
            (_, Some(Status::Verdict { good, .. })) => {
                self.forget();
                take(FieldItem::Packet { good });
                return Ok(());
            }
            (_, Some(Status::Lost(_))) => {
                self.forget();
                take(FieldItem::Lost);
                return Ok(());
            }
            _ => return Ok(()),
        }
        for (tag, value) in line.values() {
            if tag == 0 {
                // The first identifier of a message is its own.
                take(if std::mem::replace(&mut self.in_message, true) {
                    FieldItem::Reference(value as u32)
                } else {
                    FieldItem::Message(value as u32)
                });
                continue;
            }
            let continues = tag & 0x80 != 0;
            let (field, kind) = self.numbering.field(tag & 0x7f).ok_or(UNKNOWN)?;
            let value = match kind {
                RingKind::Unsigned => RingValue::Unsigned(value),
                RingKind::Signed => RingValue::Signed(value as i64),
                RingKind::Decimal if continues => {
                    self.exponent = Some(value as i32);
                    continue;
                }
                RingKind::Decimal => RingValue::Decimal(Decimal {
                    exponent: self.exponent.take().unwrap_or(0),
                    mantissa: value as i64,
                }),
                RingKind::Text => {
                    let bytes = value.to_be_bytes();
                    let above = value.leading_zeros() as usize / 8;
                    self.text
                        .extend_from_slice(bytes.get(above..).unwrap_or(&[]));
                    if continues {
                        continue;
                    }
                    take(FieldItem::Field(field, RingValue::Text(&self.text)));
                    self.text.clear();
                    continue;
                }
            };
            take(FieldItem::Field(field, value));
        }
        if line.entry_end {
            take(FieldItem::EntryEnd);
        }
        if line.message_end {
            self.in_message = false;
            take(FieldItem::MessageEnd);
        }
        Ok(())
    }

    /// What was begun goes no further.
    fn forget(&mut self) {
        self.text.clear();
        self.exponent = None;
        self.in_message = false;
    }
}
