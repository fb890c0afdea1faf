//! Walks the tree of a template along the bytes of a message (sections 6 and 10).

use super::dictionary::{Context, Dictionaries, Dictionary, State};
use super::error::{Code, Error};
use super::input::{Input, PresenceMap};
use super::template::{
    Data, Instruction, Key, Kind, Name, Primitive, Sequence, SplitDecimal, Template, Templates,
};
use super::{NESTING, Options, Reset, WORK};
use crate::{Fields, Message, Value};

/// One packet being decoded.
pub struct Walk<'a> {
    pub(super) templates: &'a Templates,
    pub(super) dictionaries: &'a mut Dictionaries,
    pub(super) input: Input<'a>,
    options: Options,
    /// Groups, sequences and references around the instruction.
    nesting: usize,
    /// Instructions that may still be decoded.
    work: usize,
}

impl<'a> Walk<'a> {
    pub fn new(
        templates: &'a Templates,
        dictionaries: &'a mut Dictionaries,
        bytes: &'a [u8],
        options: Options,
    ) -> Self {
        Walk {
            templates,
            dictionaries,
            input: Input::new(bytes, options.reportable),
            options,
            nesting: 0,
            work: WORK,
        }
    }

    pub fn offset(&self) -> usize {
        self.input.offset()
    }

    pub fn is_at_end(&self) -> bool {
        self.input.is_at_end()
    }

    /// A message: a segment with a template identifier at the top of the stream.
    pub fn message(&mut self) -> Result<Message, Error> {
        if self.options.reset == Reset::EachMessage {
            self.dictionaries.reset();
        }
        let (template, fields) = self.identified_segment(None, true)?;
        Ok(Message {
            template: template.name.local.clone(),
            fields,
        })
    }

    /// A segment with presence map and template identifier: a message, or what a dynamic reference leads to.
    fn identified_segment(
        &mut self,
        application_type: Option<&'a Name>,
        is_message: bool,
    ) -> Result<(&'a Template, Fields), Error> {
        let start = self.offset();
        let mut map = self.at(start, |walk| walk.input.presence_map())?;
        let template = self.template_identifier(&mut map)?;
        if is_message && template.reset {
            self.dictionaries.reset();
        }
        let mut fields = Fields::new();
        self.template(template, application_type, &mut map, &mut fields)?;
        self.end_segment(start, &map)?;
        Ok((template, fields))
    }

    /// The template identifier: a mandatory field with a copy operator in the global dictionary, under a key of its own
    /// (section 10).
    fn template_identifier(&mut self, map: &mut PresenceMap) -> Result<&'a Template, Error> {
        let templates = self.templates;
        self.at(self.offset(), |walk| {
            let entry = (Dictionary::Global, Key::TemplateIdentifier);
            let identifier = if map.take() {
                walk.input.unsigned()?
            } else {
                match walk.dictionaries.state(&entry, Kind::LENGTH)? {
                    State::Assigned(Data::Integer(identifier)) => identifier,
                    _ => return Err(Code::D5),
                }
            };
            let template = u32::try_from(identifier)
                .ok()
                .and_then(|identifier| templates.identified(identifier))
                .ok_or(Code::D9)?;
            walk.dictionaries
                .set(entry, Kind::LENGTH, Some(Data::Integer(identifier)));
            Ok(template)
        })
    }

    /// The instructions of a template, with the application type that is current outside it.
    fn template(
        &mut self,
        template: &'a Template,
        application_type: Option<&'a Name>,
        map: &mut PresenceMap,
        fields: &mut Fields,
    ) -> Result<(), Error> {
        let context = Context {
            template: &template.name,
            application_type: template.application_type.as_ref().or(application_type),
        };
        self.instructions(&template.instructions, context, map, fields)
    }

    /// A group or an element: a segment of its own if any of its instructions has a bit (sections 6.2.5 and 6.2.6).
    fn segment(
        &mut self,
        instructions: &'a [Instruction],
        context: Context<'a>,
    ) -> Result<Fields, Error> {
        let start = self.offset();
        let mut map = PresenceMap::default();
        if self.templates.have_bits(instructions) {
            map = self.at(start, |walk| walk.input.presence_map())?;
        }
        let mut fields = Fields::new();
        self.instructions(instructions, context, &mut map, &mut fields)?;
        self.end_segment(start, &map)?;
        Ok(fields)
    }

    /// R8 for the presence map at `start`, now that all instructions have taken their bits.
    fn end_segment(&self, start: usize, map: &PresenceMap) -> Result<(), Error> {
        let is_signalled = self.options.reportable == super::Reportable::Signal;
        if is_signalled && map.has_more() {
            return Err(Error {
                code: Code::R8,
                offset: start,
            });
        }
        Ok(())
    }

    fn instructions(
        &mut self,
        instructions: &'a [Instruction],
        context: Context<'a>,
        map: &mut PresenceMap,
        fields: &mut Fields,
    ) -> Result<(), Error> {
        let start = self.offset();
        self.nesting += 1;
        if self.nesting > NESTING {
            return Err(Error {
                code: Code::Nesting,
                offset: start,
            });
        }
        for instruction in instructions {
            self.at(self.offset(), |walk| walk.spend(1))?;
            self.instruction(instruction, context, map, fields)?;
        }
        self.nesting -= 1;
        Ok(())
    }

    fn instruction(
        &mut self,
        instruction: &'a Instruction,
        context: Context<'a>,
        map: &mut PresenceMap,
        fields: &mut Fields,
    ) -> Result<(), Error> {
        match instruction {
            Instruction::Field(name, primitive) => {
                let value = self.at(self.offset(), |walk| {
                    let data = walk.primitive(primitive, context, map)?;
                    data.map_or(Ok(Value::Absent), |data| value_of(data, primitive.kind))
                })?;
                fields.push((name.clone(), value));
            }
            Instruction::SplitDecimal(decimal) => {
                let value = self.split_decimal(decimal, context, map)?;
                fields.push((decimal.name.clone(), value));
            }
            Instruction::Group(group) => {
                let value = if group.optional && !map.take() {
                    Value::Absent
                } else {
                    let context = inside(context, group.application_type.as_ref());
                    Value::Group(self.segment(&group.instructions, context)?)
                };
                fields.push((group.name.clone(), value));
            }
            Instruction::Sequence(sequence) => {
                let value = self.sequence(sequence, context, map)?;
                fields.push((sequence.name.clone(), value));
            }
            Instruction::StaticReference(name) => {
                let templates = self.templates;
                let template = self.at(self.offset(), |_| templates.named(name).ok_or(Code::D8))?;
                self.template(template, context.application_type, map, fields)?;
            }
            Instruction::DynamicReference => {
                let (template, inner) = self.identified_segment(context.application_type, false)?;
                fields.push((template.name.local.clone(), Value::Group(inner)));
            }
        }
        Ok(())
    }

    /// A decimal with an operator for each part: the mantissa is there if and only if the exponent is (section 10.5.1).
    fn split_decimal(
        &mut self,
        decimal: &SplitDecimal,
        context: Context,
        map: &mut PresenceMap,
    ) -> Result<Value, Error> {
        let exponent = self.at(self.offset(), |walk| {
            let data = walk.primitive(&decimal.exponent, context, map)?;
            data.map(|data| match data {
                Data::Integer(exponent @ -63..=63) => Ok(exponent as i32),
                _ => Err(Code::R1),
            })
            .transpose()
        })?;
        let Some(exponent) = exponent else {
            return Ok(Value::Absent);
        };
        self.at(self.offset(), |walk| {
            match walk.primitive(&decimal.mantissa, context, map)? {
                Some(Data::Integer(mantissa)) => Ok(Value::Decimal {
                    exponent,
                    mantissa: i64::try_from(mantissa).map_err(|_| Code::R1)?,
                }),
                _ => Ok(Value::Absent),
            }
        })
    }

    /// Section 6.2.5.
    fn sequence(
        &mut self,
        sequence: &'a Sequence,
        context: Context<'a>,
        map: &mut PresenceMap,
    ) -> Result<Value, Error> {
        let context = inside(context, sequence.application_type.as_ref());
        let length = self.at(self.offset(), |walk| {
            walk.primitive(&sequence.length, context, map)
        })?;
        let Some(Data::Integer(length)) = length else {
            return Ok(Value::Absent);
        };
        let mut elements = Vec::new();
        for _ in 0..length {
            self.at(self.offset(), |walk| walk.spend(1))?;
            elements.push(self.segment(&sequence.instructions, context)?);
        }
        Ok(Value::Sequence(elements))
    }

    /// The value of a field, and what it costs.
    fn primitive(
        &mut self,
        primitive: &Primitive,
        context: Context,
        map: &mut PresenceMap,
    ) -> Result<Option<Data>, Code> {
        let data = self.operate(primitive, context, map)?;
        if let Some(Data::Text(text)) = &data {
            self.spend(text.len() / 16)?;
        }
        Ok(data)
    }

    fn spend(&mut self, work: usize) -> Result<(), Code> {
        self.work = self.work.checked_sub(work).ok_or(Code::Work)?;
        Ok(())
    }

    /// What `step` gives; its error stands at `offset`.
    fn at<T>(
        &mut self,
        offset: usize,
        step: impl FnOnce(&mut Self) -> Result<T, Code>,
    ) -> Result<T, Error> {
        step(self).map_err(|code| Error { code, offset })
    }
}

/// The context inside an element that may have a `<typeRef>` (section 6.1).
fn inside<'a>(context: Context<'a>, application_type: Option<&'a Name>) -> Context<'a> {
    Context {
        application_type: application_type.or(context.application_type),
        ..context
    }
}

/// The value as the application gets it.
fn value_of(data: Data, kind: Kind) -> Result<Value, Code> {
    Ok(match (data, kind) {
        (Data::Integer(value), Kind::Integer { signed: true, .. }) => {
            Value::Signed(i64::try_from(value).map_err(|_| Code::D2)?)
        }
        (Data::Integer(value), _) => Value::Unsigned(u64::try_from(value).map_err(|_| Code::D2)?),
        (Data::Decimal { exponent, mantissa }, _) => Value::Decimal { exponent, mantissa },
        (Data::Text(text), Kind::Ascii) => {
            Value::Ascii(String::from_utf8(text).map_err(|_| Code::R2)?)
        }
        (Data::Text(text), Kind::Unicode) => {
            Value::Unicode(String::from_utf8(text).map_err(|_| Code::R2)?)
        }
        (Data::Text(text), _) => Value::Bytes(text),
    })
}
