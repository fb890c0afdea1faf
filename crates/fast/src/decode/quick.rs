//! The quick way through the steps of a template: what nearly every field of nearly every message is.
//!
//! Position and presence map are in registers, and a field that takes the usual way costs one jump. Anything else, an overlong integer, a
//! type that is exceeded, an entry of the dictionary that is not assigned, the last bytes of a packet, goes [the general
//! way](Run::general_step).

use formats::fast::{PresenceMap, STOP, quick_unsigned};

mod fields;

use fields::{Lookahead, Taken};

use super::error::ErrorCode;
use super::run::Run;
use super::{Field, Value, Visitor};
use crate::program::{Quick, Step};

impl Step {
    /// The field that it is about.
    #[inline(always)]
    pub(super) fn field(&self) -> Field {
        Field {
            tag: self.tag,
            index: self.index,
        }
    }
}

/// The entries of a sequence.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entries {
    pub count: u32,
    /// Whether each has a presence map of its own.
    pub own_map: bool,
}

impl<'p, 'b, V: Visitor> Run<'p, 'b, V> {
    /// From step `at` to the end: once, or for each entry of a sequence.
    ///
    /// This is the quick way: position and presence map in registers, and only what nearly every field is. Whatever is not, even if it is
    /// an error, [`Run::general_step`] does.
    pub(super) fn repeat(
        &mut self,
        steps: &'p [Step],
        at: usize,
        map: &mut PresenceMap<'b>,
        entries: Option<Entries>,
    ) -> Result<(), ErrorCode> {
        let Some(bits) = map.word() else {
            return self.repeat_general(steps, at, map, entries);
        };
        // The map of the entry at hand, or the one around.
        let mut current = *map;
        let end = self.reader.bytes().len();
        let mut front = Lookahead {
            rest: self.reader.rest(),
            bits,
        };
        let mut entry = 0;
        loop {
            if let Some(Entries { count, own_map }) = entries {
                if entry == count {
                    break;
                }
                self.visitor.entry_start(entry, end - front.rest.len());
                entry += 1;
                match front.rest.first() {
                    _ if !own_map => {}
                    Some(first) if first & STOP != 0 => {
                        front.bits = u64::from(*first) << 57;
                        front.rest = &front.rest[1..];
                    }
                    _ => {
                        self.reader.go_to(end - front.rest.len());
                        let mut own = self.own_map()?;
                        let Some(word) = own.word() else {
                            self.general_steps(steps, at, &mut own)?;
                            self.used_up(&own)?;
                            self.visitor.entry_end(self.reader.position());
                            front.rest = self.reader.rest();
                            continue;
                        };
                        front.bits = word;
                        front.rest = self.reader.rest();
                    }
                }
            }
            let mut list = steps.get(at..).unwrap_or(&[]).iter();
            'fields: while let Some(first) = list.next() {
                // The step at hand: of a pair, at last the second.
                let mut step = first;
                'quick: {
                    /// Reads one step, or a step and the next one; leaves the block for what is not as usual.
                    macro_rules! run {
                        ($first:expr, $last:expr) => {{
                            if $first(self, step, &mut front) == Taken::Not {
                                break 'quick;
                            }
                            let Some(next) = list.next() else {
                                break 'fields;
                            };
                            step = next;
                            run!($last)
                        }};
                        ($last:expr) => {{
                            match $last(self, step, &mut front) {
                                Taken::Value => {}
                                Taken::Null => {
                                    // Where one field is absent, the next ones often are.
                                    while step.next_is_optional
                                        && front.rest.first() == Some(&STOP)
                                        && let Some(next) = list.next()
                                    {
                                        step = next;
                                        front.rest = &front.rest[1..];
                                        self.visitor.field(step.field(), Value::Absent);
                                    }
                                }
                                Taken::Not => break 'quick,
                            }
                            continue 'fields;
                        }};
                    }
                    match first.quick {
                        Quick::Unsigned => run!(Self::unsigned),
                        Quick::OptionalUnsigned => run!(Self::optional_unsigned),
                        Quick::Signed => run!(Self::signed),
                        Quick::OptionalSigned => run!(Self::optional_signed),
                        Quick::Decimal => run!(Self::decimal),
                        Quick::OptionalDecimal => run!(Self::optional_decimal),
                        Quick::Ascii => run!(Self::ascii_text::<false>),
                        Quick::OptionalAscii => run!(Self::ascii_text::<true>),
                        Quick::UnsignedCopy => run!(Self::unsigned_copy),
                        Quick::OptionalUnsignedCopy => run!(Self::optional_unsigned_copy),
                        Quick::UnsignedIncrement => run!(Self::unsigned_increment),
                        Quick::UnsignedDelta => run!(Self::unsigned_delta::<false>),
                        Quick::OptionalUnsignedDelta => run!(Self::unsigned_delta::<true>),
                        Quick::SignedDelta => run!(Self::signed_delta::<false>),
                        Quick::OptionalSignedDelta => run!(Self::signed_delta::<true>),
                        Quick::AsciiCopy => run!(Self::ascii_copy::<false>),
                        Quick::OptionalAsciiCopy => run!(Self::ascii_copy::<true>),
                        Quick::UnsignedConstant => run!(Self::unsigned_constant),
                        Quick::ShortConstant => run!(Self::short_constant),
                        Quick::OptionalUnsignedThenOptionalSigned => {
                            run!(Self::optional_unsigned, Self::optional_signed)
                        }
                        Quick::OptionalDecimalThenOptionalSigned => {
                            run!(Self::optional_decimal, Self::optional_signed)
                        }
                        Quick::UnsignedCopyThenAscii => {
                            run!(Self::unsigned_copy, Self::ascii_text::<false>)
                        }
                        Quick::OptionalUnsignedDeltaThenUnsignedConstant => {
                            run!(Self::unsigned_delta::<true>, Self::unsigned_constant)
                        }
                        Quick::OptionalUnsignedDeltaThenUnsignedDelta => {
                            run!(Self::unsigned_delta::<true>, Self::unsigned_delta::<false>)
                        }
                        Quick::UnsignedIncrementThenUnsignedDelta => {
                            run!(Self::unsigned_increment, Self::unsigned_delta::<false>)
                        }
                        Quick::UnsignedThenOptionalUnsignedCopy => {
                            run!(Self::unsigned, Self::optional_unsigned_copy)
                        }
                        Quick::OptionalAsciiCopyThenOptionalUnsignedCopy => {
                            run!(Self::ascii_copy::<true>, Self::optional_unsigned_copy)
                        }
                        Quick::ShortConstantThenShortConstant => {
                            run!(Self::short_constant, Self::short_constant)
                        }
                        Quick::PlainLength => {
                            if let Some((length, next)) = quick_unsigned(front.rest, step.longest) {
                                self.reader.go_to(end - next.len());
                                current.set_word(front.bits);
                                self.visitor.field(step.field(), Value::Unsigned(length));
                                let start = step.index as usize + 1;
                                if let Err(code) = self.entries(steps, start, length, &mut current)
                                {
                                    self.failed.get_or_insert(start - 1);
                                    return Err(code);
                                }
                                let after =
                                    steps.get(start).map_or(start, |start| start.end as usize) + 1;
                                list = steps.get(after..).unwrap_or(&[]).iter();
                                front.rest = self.reader.rest();
                                front.bits = current.word().unwrap_or(0);
                                continue 'fields;
                            }
                        }
                        Quick::End => break 'fields,
                        Quick::General => {}
                    }
                }
                self.reader.go_to(end - front.rest.len());
                current.set_word(front.bits);
                let next = self.general_step(steps, step.index as usize, step, &mut current)?;
                list = steps.get(next..).unwrap_or(&[]).iter();
                front.rest = self.reader.rest();
                front.bits = current.word().unwrap_or(0);
            }
            let Some(Entries { own_map, .. }) = entries else {
                break;
            };
            if own_map && front.bits != 0 && self.report.has(ErrorCode::R8) {
                // The error's place is the end of the entry.
                self.reader.go_to(end - front.rest.len());
                return Err(ErrorCode::R8);
            }
            self.visitor.entry_end(end - front.rest.len());
        }
        self.reader.go_to(end - front.rest.len());
        if !entries.is_some_and(|entries| entries.own_map) {
            map.set_word(front.bits);
        }
        Ok(())
    }
}
