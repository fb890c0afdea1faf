//! Messages as JSON, and back without loss.
//!
//! ```json
//! {"template":"Quote","id":2,"fields":{"Price":"942755e-2","Symbol":"GAZP","Entries":[{"Size":100}]}}
//! ```
//! Integers are numbers, decimals text of mantissa and exponent as they were encoded, byte vectors text of hexadecimal digits; absent
//! fields are left out. A name that is there twice in one group has the index of its instruction behind it.

use serde_json::Value;
use thiserror::Error;

use crate::message::{Fields, Message, Node};
use crate::template::{Decimal, Instruction, Kind, Template, Templates};

/// Why JSON is no message.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum JsonError {
    /// No JSON.
    #[error("not JSON: {0}")]
    Syntax(#[from] serde_json::Error),
    /// No template.
    #[error("no template {0} in the template file; \"id\" or \"template\" names one")]
    NoTemplate(
        /// As it is named.
        String,
    ),
    /// A field that the template does not have.
    #[error("template {template} has no field {field:?} here")]
    NoField {
        /// The template.
        template: String,
        /// The field.
        field: String,
    },
    /// A value that is not of the field's type.
    #[error("field {field:?}: {value} is no {expected}")]
    Value {
        /// The field.
        field: String,
        /// As it is written.
        value: String,
        /// What it must be.
        expected: &'static str,
    },
}

/// Writes and reads messages of a set of templates.
#[derive(Clone, Debug)]
pub struct Json<'t> {
    templates: &'t Templates,
    /// The names of instructions, for each template; empty where there is none.
    names: Vec<Vec<String>>,
}

/// The names of a template's instructions.
fn names(template: &Template) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(template.instructions.len());
    // The names of each bracket that is open.
    let mut open = vec![std::collections::HashSet::new()];
    for (index, instruction) in template.instructions.iter().enumerate() {
        let named = !matches!(
            instruction.kind,
            Kind::Length | Kind::Mantissa | Kind::GroupEnd | Kind::SequenceEnd
        );
        let mut name = String::new();
        if named {
            name = match instruction.kind {
                Kind::TemplateReference => "templateRef".into(),
                _ => instruction.name.local.clone(),
            };
            if let Some(level) = open.last_mut()
                && !level.insert(name.clone())
            {
                name = format!("{name}#{index}");
                level.insert(name.clone());
            }
        }
        match instruction.kind {
            Kind::GroupStart | Kind::SequenceStart => open.push(Default::default()),
            Kind::GroupEnd | Kind::SequenceEnd => {
                open.pop();
            }
            _ => {}
        }
        names.push(name);
    }
    names
}

fn quoted(text: &str, out: &mut String) {
    // A string is always serialized.
    out.push_str(&serde_json::to_string(text).unwrap_or_default());
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn of_hexadecimal(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) || !text.is_ascii() {
        return None;
    }
    let pairs = (0..text.len()).step_by(2);
    pairs
        .map(|at| u8::from_str_radix(text.get(at..at + 2)?, 16).ok())
        .collect()
}

fn of_decimal(text: &str) -> Option<Decimal> {
    let (mantissa, exponent) = text.split_once('e')?;
    Some(Decimal {
        exponent: exponent.parse().ok()?,
        mantissa: mantissa.parse().ok()?,
    })
}

impl<'t> Json<'t> {
    /// For these templates.
    pub fn new(templates: &'t Templates) -> Self {
        Json {
            templates,
            names: templates.all().iter().map(names).collect(),
        }
    }

    /// A message on one line.
    pub fn write(&self, message: &Message) -> String {
        let mut out = String::new();
        self.message(message, &mut out);
        out
    }

    fn message(&self, message: &Message, out: &mut String) {
        let template = self.templates.all().get(message.template);
        let name = template.map_or("", |template| &template.name.local);
        out.push_str("{\"template\":");
        quoted(name, out);
        if let Some(id) = template.and_then(|template| template.id) {
            out.push_str(&format!(",\"id\":{id}"));
        }
        out.push_str(",\"fields\":");
        self.fields(message.template, &message.fields, out);
        out.push('}');
    }

    fn fields(&self, template: usize, fields: &Fields, out: &mut String) {
        out.push('{');
        let mut first = true;
        for (index, node) in fields {
            if *node == Node::Absent {
                continue;
            }
            if !std::mem::take(&mut first) {
                out.push(',');
            }
            let names = self.names.get(template);
            let name = names.and_then(|names| names.get(*index as usize));
            quoted(name.map_or("", String::as_str), out);
            out.push(':');
            let kind = self.instruction(template, *index).map(|each| each.kind);
            self.node(template, kind, node, out);
        }
        out.push('}');
    }

    fn instruction(&self, template: usize, index: u32) -> Option<&Instruction> {
        let template = self.templates.all().get(template)?;
        template.instructions.get(index as usize)
    }

    fn node(&self, template: usize, kind: Option<Kind>, node: &Node, out: &mut String) {
        match node {
            Node::Absent => out.push_str("null"),
            Node::Unsigned(value) => out.push_str(&value.to_string()),
            Node::Signed(value) => out.push_str(&value.to_string()),
            Node::Decimal(value) => {
                out.push_str(&format!("\"{}e{}\"", value.mantissa, value.exponent));
            }
            Node::Bytes(bytes) if kind == Some(Kind::Bytes) => {
                quoted(&hexadecimal(bytes), out);
            }
            Node::Bytes(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => quoted(text, out),
                Err(_) => out.push_str(&format!("{{\"bytes\":\"{}\"}}", hexadecimal(bytes))),
            },
            Node::Group(fields) => self.fields(template, fields, out),
            Node::Sequence(entries) => {
                out.push('[');
                for (index, entry) in entries.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    self.fields(template, entry, out);
                }
                out.push(']');
            }
            Node::Message(message) => self.message(message, out),
        }
    }

    /// A message of a line.
    ///
    /// # Errors
    /// It is no JSON, or no message of the templates.
    pub fn read(&self, line: &str) -> Result<Message, JsonError> {
        self.read_message(&serde_json::from_str(line)?)
    }

    /// As [`Json::read`]; also the number in `sequence`, if there is one.
    ///
    /// # Errors
    /// As [`Json::read`].
    pub fn read_numbered(&self, line: &str) -> Result<(Message, Option<u32>), JsonError> {
        let value: Value = serde_json::from_str(line)?;
        let sequence = value.get("sequence").and_then(Value::as_u64);
        let sequence = sequence.and_then(|number| u32::try_from(number).ok());
        Ok((self.read_message(&value)?, sequence))
    }

    fn read_message(&self, value: &Value) -> Result<Message, JsonError> {
        let id = value.get("id").and_then(Value::as_u64);
        let name = value.get("template").and_then(Value::as_str);
        let found = match id {
            Some(id) => u32::try_from(id)
                .ok()
                .and_then(|id| self.templates.by_id(id)),
            None => name.and_then(|name| self.templates.by_name(name)),
        };
        let Some((template, _)) = found else {
            let id = id.map(|id| id.to_string());
            let named = id.or(name.map(str::to_owned)).unwrap_or_default();
            return Err(JsonError::NoTemplate(named));
        };
        let last = self.names.get(template).map_or(0, Vec::len);
        Ok(Message {
            template,
            fields: match value.get("fields") {
                None => Fields::new(),
                Some(fields) => self.read_fields(template, 0, last, fields)?,
            },
        })
    }

    /// The fields between two instructions.
    fn read_fields(
        &self,
        template: usize,
        from: usize,
        to: usize,
        value: &Value,
    ) -> Result<Fields, JsonError> {
        let template_name = || {
            let found = self.templates.all().get(template);
            found.map_or_else(String::new, |template| template.name.local.clone())
        };
        let Some(object) = value.as_object() else {
            return Err(JsonError::Value {
                field: template_name(),
                value: value.to_string(),
                expected: "object of fields",
            });
        };
        let names = self.names.get(template).map_or(&[][..], Vec::as_slice);
        let (mut fields, mut at) = (Fields::new(), from);
        while at < to {
            let index = at as u32;
            let Some(instruction) = self.instruction(template, index) else {
                break;
            };
            let name = names.get(at).map_or("", String::as_str);
            if !name.is_empty()
                && let Some(value) = object.get(name)
            {
                let node = self.read_node(template, at, instruction, name, value)?;
                fields.push((index, node));
            }
            if matches!(instruction.kind, Kind::GroupStart | Kind::SequenceStart) {
                at = instruction.partner;
            }
            at += 1;
        }
        if fields.len() < object.len() {
            let known: Vec<&str> = fields
                .iter()
                .filter_map(|(index, _)| names.get(*index as usize).map(String::as_str))
                .collect();
            let field = object.keys().find(|key| !known.contains(&key.as_str()));
            return Err(JsonError::NoField {
                template: template_name(),
                field: field.cloned().unwrap_or_default(),
            });
        }
        Ok(fields)
    }

    fn read_node(
        &self,
        template: usize,
        at: usize,
        instruction: &Instruction,
        name: &str,
        value: &Value,
    ) -> Result<Node, JsonError> {
        if value.is_null() {
            return Ok(Node::Absent);
        }
        let body = |value| self.read_fields(template, at + 1, instruction.partner, value);
        let text = value.as_str();
        let (node, expected) = match instruction.kind {
            Kind::Unsigned(_) => (value.as_u64().map(Node::Unsigned), "unsigned integer"),
            Kind::Signed(_) => (value.as_i64().map(Node::Signed), "signed integer"),
            Kind::Decimal | Kind::Exponent => (
                text.and_then(of_decimal).map(Node::Decimal),
                "text such as \"125e-1\", mantissa and exponent",
            ),
            Kind::Bytes => (
                text.and_then(of_hexadecimal).map(Node::Bytes),
                "text of hexadecimal digits",
            ),
            Kind::Ascii | Kind::Unicode => {
                let raw = value.get("bytes").and_then(Value::as_str);
                let raw = raw.and_then(of_hexadecimal);
                let text = text.map(|text| text.as_bytes().to_vec());
                (text.or(raw).map(Node::Bytes), "text")
            }
            Kind::GroupStart => (Some(Node::Group(body(value)?)), ""),
            Kind::SequenceStart => match value.as_array() {
                None => (None, "array of entries"),
                Some(entries) => {
                    let entries: Result<Vec<Fields>, JsonError> =
                        entries.iter().map(body).collect();
                    (Some(Node::Sequence(entries?)), "")
                }
            },
            _ => (Some(Node::Message(Box::new(self.read_message(value)?))), ""),
        };
        node.ok_or_else(|| JsonError::Value {
            field: name.into(),
            value: value.to_string().chars().take(60).collect(),
            expected,
        })
    }
}
