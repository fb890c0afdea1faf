//! Messages, groups, sequences and references.

use formats::fast::{MapWriter, put_unsigned};

use super::{EncodeError, EncodeFault, Encoder};
use crate::message::{Fields, Message, Node};
use crate::program::{Code, Step};
use crate::template::{Decimal, Kind, Operator};

/// Messages inside each other at most.
const DEEPEST: u32 = 64;

/// A field's value; absent where it is not listed.
fn node(fields: &Fields, index: usize) -> &Node {
    let found = fields.iter().find(|(at, _)| *at as usize == index);
    found.map_or(&Node::Absent, |(_, node)| node)
}

fn unsigned(node: &Node) -> Result<Option<u64>, EncodeFault> {
    match node {
        Node::Absent => Ok(None),
        Node::Unsigned(value) => Ok(Some(*value)),
        _ => Err(EncodeFault::WrongType),
    }
}

fn signed(node: &Node) -> Result<Option<i64>, EncodeFault> {
    match node {
        Node::Absent => Ok(None),
        Node::Signed(value) => Ok(Some(*value)),
        _ => Err(EncodeFault::WrongType),
    }
}

fn decimal(node: &Node) -> Result<Option<Decimal>, EncodeFault> {
    match node {
        Node::Absent => Ok(None),
        Node::Decimal(value) => Ok(Some(*value)),
        _ => Err(EncodeFault::WrongType),
    }
}

fn bytes(node: &Node) -> Result<Option<&[u8]>, EncodeFault> {
    match node {
        Node::Absent => Ok(None),
        Node::Bytes(value) => Ok(Some(value)),
        _ => Err(EncodeFault::WrongType),
    }
}

/// Where the next step is.
struct Place {
    template: usize,
    /// Its program, where the application type around a reference makes it another one.
    variant: usize,
    depth: u32,
}

impl Place {
    fn error(&self, at: usize) -> impl FnOnce(EncodeFault) -> EncodeError + use<> {
        let template = self.template;
        move |fault| EncodeError {
            fault,
            template,
            instruction: Some(at),
        }
    }
}

impl Encoder {
    fn take_map(&mut self) -> MapWriter {
        let mut map = self.maps.pop().unwrap_or_default();
        map.clear();
        map
    }

    /// A message, or what a dynamic reference refers to.
    pub(super) fn put_message(
        &mut self,
        message: &Message,
        out: &mut Vec<u8>,
        depth: u32,
        application_type: Option<u32>,
    ) -> Result<(), EncodeError> {
        let index = message.template;
        let fault = |fault| EncodeError {
            fault,
            template: index,
            instruction: None,
        };
        if depth > DEEPEST {
            return Err(fault(EncodeFault::TooDeep));
        }
        let id = self.ids.get(index).copied().flatten();
        let id = id.ok_or_else(|| fault(EncodeFault::NoTemplate))?;
        let start = out.len();
        let mut map = self.take_map();
        let variant = self.program.variant(index, application_type.unwrap_or(0));
        let template = self.program.templates.get(variant);
        let reset = application_type.is_none() && template.is_some_and(|template| template.reset);
        let known = !self.identifies && self.dictionary.template == Some(id);
        map.push(!known);
        if !known {
            put_unsigned(out, u64::from(id));
        }
        self.dictionary.template = Some(id);
        if reset {
            self.dictionary.reset();
        }
        self.dictionary.enter(&self.program, variant);
        let place = Place {
            template: index,
            variant,
            depth,
        };
        self.put_steps(&place, 0, &message.fields, &mut map, out)?;
        map.insert(out, start);
        self.maps.push(map);
        Ok(())
    }

    fn step(&self, place: &Place, at: usize) -> Option<Step> {
        let template = self.program.templates.get(place.variant)?;
        template.steps.get(at).copied()
    }

    /// From step `at` to the end of the group, of the entry or of the template.
    fn put_steps(
        &mut self,
        place: &Place,
        mut at: usize,
        fields: &Fields,
        map: &mut MapWriter,
        out: &mut Vec<u8>,
    ) -> Result<(), EncodeError> {
        while let Some(step) = self.step(place, at) {
            let error = place.error(at);
            match step.code {
                Code::End => return Ok(()),
                Code::PlainLength | Code::Length => {
                    self.put_sequence(place, at, &step, fields, map, out)?;
                    at = self.end(place, at + 1);
                }
                Code::Group | Code::OptionalGroup => {
                    self.put_group(place, at, &step, node(fields, at), map, out)?;
                    at = step.end as usize;
                }
                Code::Reference => match node(fields, at) {
                    Node::Message(message) => {
                        let around = Some(step.initial as u32);
                        self.put_message(message, out, place.depth + 1, around)?;
                    }
                    Node::Absent => return Err(error(EncodeFault::Missing)),
                    _ => return Err(error(EncodeFault::WrongType)),
                },
                Code::DecimalParts => {
                    let mantissa = self.step(place, at + 1).unwrap_or(step);
                    let value = decimal(node(fields, at));
                    value
                        .and_then(|value| self.put_parts(&step, &mantissa, value, map, out))
                        .map_err(error)?;
                    at += 1;
                }
                _ => self
                    .put_field(&step, node(fields, at), map, out)
                    .map_err(error)?,
            }
            at += 1;
        }
        Ok(())
    }

    fn put_field(
        &mut self,
        step: &Step,
        node: &Node,
        map: &mut MapWriter,
        out: &mut Vec<u8>,
    ) -> Result<(), EncodeFault> {
        // A mandatory constant need not be given.
        if step.operator == Operator::Constant && !step.nullable && *node == Node::Absent {
            return Ok(());
        }
        match step.kind {
            Kind::Unsigned(_) => self.put_integer(step, unsigned(node)?, map, out),
            Kind::Signed(_) => self.put_integer(step, signed(node)?, map, out),
            Kind::Decimal => self.put_decimal(step, decimal(node)?, map, out),
            _ => self.put_text(step, bytes(node)?, map, out),
        }
    }

    fn end(&self, place: &Place, start: usize) -> usize {
        let step = self.step(place, start);
        step.map_or(start, |step| step.end as usize)
    }

    /// What is in a bracket, with a presence map of its own if it has one.
    fn put_segment(
        &mut self,
        place: &Place,
        start: usize,
        fields: &Fields,
        map: &mut MapWriter,
        out: &mut Vec<u8>,
    ) -> Result<(), EncodeError> {
        if !self.step(place, start).is_some_and(|step| step.own_map) {
            return self.put_steps(place, start + 1, fields, map, out);
        }
        let at = out.len();
        let mut own = self.take_map();
        self.put_steps(place, start + 1, fields, &mut own, out)?;
        own.insert(out, at);
        self.maps.push(own);
        Ok(())
    }

    fn put_group(
        &mut self,
        place: &Place,
        at: usize,
        step: &Step,
        node: &Node,
        map: &mut MapWriter,
        out: &mut Vec<u8>,
    ) -> Result<(), EncodeError> {
        let error = place.error(at);
        let empty = Fields::new();
        let fields = match node {
            Node::Group(fields) => fields,
            // A mandatory group whose fields are all absent or constant.
            Node::Absent if !step.nullable => &empty,
            Node::Absent => {
                map.push(false);
                return Ok(());
            }
            _ => return Err(error(EncodeFault::WrongType)),
        };
        if step.nullable {
            map.push(true);
        }
        self.put_segment(place, at, fields, map, out)
    }

    fn put_sequence(
        &mut self,
        place: &Place,
        at: usize,
        step: &Step,
        fields: &Fields,
        map: &mut MapWriter,
        out: &mut Vec<u8>,
    ) -> Result<(), EncodeError> {
        let entries = match node(fields, at + 1) {
            Node::Sequence(entries) => Some(entries),
            Node::Absent => None,
            _ => return Err(place.error(at)(EncodeFault::WrongType)),
        };
        let length = entries.map(|entries| entries.len() as u64);
        self.put_integer(step, length, map, out)
            .map_err(place.error(at))?;
        for entry in entries.map_or(&[][..], Vec::as_slice) {
            self.put_segment(place, at + 1, entry, map, out)?;
        }
        Ok(())
    }
}
