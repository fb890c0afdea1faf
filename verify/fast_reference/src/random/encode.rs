//! Random messages: walks the templates of the model, picks values, and writes them, with previous values of its own.

use std::collections::HashMap;

use rand::Rng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use super::limits::Limits;
use super::model::{Decimal, File, Instruction, Item, Kind, Sequence, identity};
use super::write::{self, Segment};
use crate::reference::Reset;
use crate::{Fields, Message, Value};

/// What is chosen leads nowhere: a mandatory field with a delta operator has an empty previous value. Another message is tried.
pub struct DeadEnd;

/// The key of the template identifier (section 10).
const IDENTIFIER: &str = "template identifier";

/// Where an instruction stands.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    pub template: usize,
    pub application_type: Option<&'a str>,
}

/// Writes messages one after the other.
pub struct Encoder<'a> {
    pub(super) file: &'a File,
    pub(super) limits: &'a Limits,
    pub(super) rng: &'a mut ChaCha8Rng,
    /// Previous values; `None` is empty, what is not there is undefined.
    pub(super) entries: HashMap<String, Option<Item>>,
    /// Bytes of this message so far, roughly.
    pub(super) written: usize,
}

impl<'a> Encoder<'a> {
    pub fn new(file: &'a File, limits: &'a Limits, rng: &'a mut ChaCha8Rng) -> Self {
        Encoder {
            file,
            limits,
            rng,
            entries: HashMap::new(),
            written: 0,
        }
    }

    /// Makes all previous values undefined.
    pub fn reset(&mut self) {
        self.entries.clear();
    }

    pub(super) fn chance(&mut self, probability: f64) -> bool {
        self.rng.random_bool(probability)
    }

    /// A message of a random template with at most `room` bytes, or `None` if it became longer, or was a dead end; then nothing
    /// has happened.
    pub fn message(&mut self, room: usize) -> Option<(Vec<u8>, Message)> {
        let before = self.entries.clone();
        if self.limits.reset == Reset::EachMessage {
            self.reset();
        }
        self.written = 0;
        let identified: Vec<usize> = (0..self.file.templates.len())
            .filter(|&index| self.file.templates[index].identifier.is_some())
            .collect();
        let &index = identified.choose(self.rng)?;
        match self.identified(index, None, true) {
            Ok((bytes, fields)) if bytes.len() <= room => {
                let template = self.file.templates[index].name.clone();
                Some((bytes, Message { template, fields }))
            }
            _ => {
                self.entries = before;
                None
            }
        }
    }

    /// A segment with a template identifier.
    fn identified(
        &mut self,
        index: usize,
        application_type: Option<&'a str>,
        is_message: bool,
    ) -> Result<(Vec<u8>, Fields), DeadEnd> {
        let template = &self.file.templates[index];
        let mut segment = Segment::default();
        let identifier = Item::Integer(template.identifier.ok_or(DeadEnd)?.into());
        let is_previous = self.entries.get(IDENTIFIER) == Some(&Some(identifier.clone()));
        if is_previous && self.chance(0.7) {
            segment.bits.push(false);
        } else {
            segment.bits.push(true);
            if let Item::Integer(value) = identifier {
                segment.body.extend(write::unsigned(value));
            }
        }
        self.entries.insert(IDENTIFIER.to_owned(), Some(identifier));
        if is_message && template.reset {
            self.reset();
        }
        let mut fields = Fields::new();
        self.template(index, application_type, &mut segment, &mut fields)?;
        Ok((segment.bytes(), fields))
    }

    fn template(
        &mut self,
        index: usize,
        application_type: Option<&'a str>,
        segment: &mut Segment,
        fields: &mut Fields,
    ) -> Result<(), DeadEnd> {
        let template = &self.file.templates[index];
        let place = Place {
            template: index,
            application_type: identity(&template.type_reference).or(application_type),
        };
        self.body(&template.body, place, segment, fields)
    }

    fn body(
        &mut self,
        body: &'a [Instruction],
        place: Place<'a>,
        segment: &mut Segment,
        fields: &mut Fields,
    ) -> Result<(), DeadEnd> {
        for instruction in body {
            self.instruction(instruction, place, segment, fields)?;
        }
        Ok(())
    }

    fn instruction(
        &mut self,
        instruction: &'a Instruction,
        place: Place<'a>,
        segment: &mut Segment,
        fields: &mut Fields,
    ) -> Result<(), DeadEnd> {
        let length = segment.body.len();
        match instruction {
            Instruction::Field(field) => {
                let item = self.field(&field.primitive, place, segment)?;
                fields.push((field.name.clone(), value(item, field.primitive.kind)));
            }
            Instruction::Decimal(decimal) => {
                let value = self.decimal(decimal, place, segment)?;
                fields.push((decimal.name.clone(), value));
            }
            Instruction::Group(group) => {
                let is_there = !group.optional || self.chance(0.6);
                if group.optional {
                    segment.bits.push(is_there);
                }
                let value = if is_there {
                    let place = inside(place, identity(&group.type_reference));
                    Value::Group(self.segment(&group.body, place, segment)?)
                } else {
                    Value::Absent
                };
                fields.push((group.name.clone(), value));
            }
            Instruction::Sequence(sequence) => {
                let value = self.sequence(sequence, place, segment)?;
                fields.push((sequence.name.clone(), value));
                // The elements have counted themselves.
                return Ok(());
            }
            Instruction::Static(index, _) => {
                self.template(*index, place.application_type, segment, fields)?;
            }
            Instruction::Dynamic(targets) => {
                let &index = targets.choose(self.rng).ok_or(DeadEnd)?;
                let (bytes, inner) = self.identified(index, place.application_type, false)?;
                segment.body.extend(bytes);
                let name = self.file.templates[index].name.clone();
                fields.push((name, Value::Group(inner)));
            }
        }
        self.written += segment.body.len() - length;
        Ok(())
    }

    /// A group or an element, with a presence map if it needs one.
    fn segment(
        &mut self,
        body: &'a [Instruction],
        place: Place<'a>,
        around: &mut Segment,
    ) -> Result<Fields, DeadEnd> {
        let mut fields = Fields::new();
        let mut segment = Segment::default();
        self.body(body, place, &mut segment, &mut fields)?;
        if self.file.take_bits(body) {
            around.body.extend(segment.bytes());
        } else {
            around.body.extend(segment.body);
        }
        Ok(fields)
    }

    fn sequence(
        &mut self,
        sequence: &'a Sequence,
        place: Place<'a>,
        segment: &mut Segment,
    ) -> Result<Value, DeadEnd> {
        let place = inside(place, identity(&sequence.type_reference));
        let mut length = sequence.length.clone();
        // A message that is long already gets no more elements than it must.
        if self.written > self.limits.packet_bytes / 4 {
            length.greatest = 0;
        }
        let Some(Item::Integer(length)) = self.field(&length, place, segment)? else {
            return Ok(Value::Absent);
        };
        let mut elements = Vec::new();
        for _ in 0..length {
            elements.push(self.segment(&sequence.body, place, segment)?);
        }
        Ok(Value::Sequence(elements))
    }

    /// The mantissa is written if and only if the exponent has a value (section 10.5.1).
    fn decimal(
        &mut self,
        decimal: &Decimal,
        place: Place,
        segment: &mut Segment,
    ) -> Result<Value, DeadEnd> {
        let Some(exponent) = self.field(&decimal.exponent, place, segment)? else {
            return Ok(Value::Absent);
        };
        let mantissa = self.field(&decimal.mantissa, place, segment)?;
        match (exponent, mantissa) {
            (Item::Integer(exponent), Some(Item::Integer(mantissa))) => Ok(Value::Decimal {
                exponent: exponent as i32,
                mantissa: mantissa as i64,
            }),
            _ => Err(DeadEnd),
        }
    }
}

/// The place inside an element that may have a `<typeRef>`.
fn inside<'a>(place: Place<'a>, application_type: Option<&'a str>) -> Place<'a> {
    Place {
        application_type: application_type.or(place.application_type),
        ..place
    }
}

/// The value as the decoder should give it.
fn value(item: Option<Item>, kind: Kind) -> Value {
    match (item, kind) {
        (None, _) => Value::Absent,
        (Some(Item::Integer(value)), Kind::Integer { signed: true, .. }) => {
            Value::Signed(value as i64)
        }
        (Some(Item::Integer(value)), _) => Value::Unsigned(value as u64),
        (Some(Item::Decimal(exponent, mantissa)), _) => Value::Decimal { exponent, mantissa },
        (Some(Item::Text(text)), Kind::Ascii) => {
            Value::Ascii(String::from_utf8_lossy(&text).into_owned())
        }
        (Some(Item::Text(text)), Kind::Unicode) => {
            Value::Unicode(String::from_utf8_lossy(&text).into_owned())
        }
        (Some(Item::Text(text)), _) => Value::Bytes(text),
    }
}
