//! Messages as trees: what the decoder's callbacks build, and what the encoder takes.

use crate::decode::{Error, Field, Value, Visitor};
use crate::template::{Decimal, Kind, Templates};

/// A field's value, with its structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// An optional field, group or sequence that is not there.
    Absent,
    /// Of an unsigned integer.
    Unsigned(u64),
    /// Of a signed integer.
    Signed(i64),
    /// Of a decimal.
    Decimal(Decimal),
    /// Of a string or a byte vector.
    Bytes(Vec<u8>),
    /// The fields of a group.
    Group(Fields),
    /// The entries of a sequence.
    Sequence(Vec<Fields>),
    /// The message of a dynamic template reference.
    Message(Box<Message>),
}

/// Fields by the index of their instruction, in the order of the template. A sequence stands at the index of its start, a decimal of two
/// parts at its exponent's. Fields that are not listed are absent, or constants.
pub type Fields = Vec<(u32, Node)>;

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The index of its template.
    pub template: usize,
    /// Its fields.
    pub fields: Fields,
}

/// A bracket that is open.
#[derive(Clone, Debug)]
enum Open {
    Message(usize),
    Group(u32),
    Entry,
    Sequence(u32, Vec<Fields>),
    Reference(u32, usize),
}

/// Builds messages from the decoder's callbacks. Of a packet that is dropped nothing is kept.
#[derive(Clone, Debug)]
pub struct MessageBuilder<'t> {
    templates: &'t Templates,
    open: Vec<(Open, Fields)>,
    current: Fields,
    template: usize,
    complete: Vec<Message>,
}

impl<'t> MessageBuilder<'t> {
    /// A builder without messages.
    pub fn new(templates: &'t Templates) -> Self {
        MessageBuilder {
            templates,
            open: Vec::new(),
            current: Fields::new(),
            template: 0,
            complete: Vec::new(),
        }
    }

    /// The messages since the last call. Call it after every packet: an error drops all that have not been taken.
    pub fn take(&mut self) -> Vec<Message> {
        std::mem::take(&mut self.complete)
    }

    fn open(&mut self, bracket: Open) {
        let outer = std::mem::take(&mut self.current);
        self.open.push((bracket, outer));
    }

    fn close(&mut self) {
        let Some((bracket, outer)) = self.open.pop() else {
            return;
        };
        let fields = std::mem::replace(&mut self.current, outer);
        match bracket {
            Open::Message(template) => self.complete.push(Message { template, fields }),
            Open::Group(index) => self.current.push((index, Node::Group(fields))),
            Open::Sequence(index, entries) => self.current.push((index, Node::Sequence(entries))),
            Open::Entry => {
                if let Some((Open::Sequence(_, entries), _)) = self.open.last_mut() {
                    entries.push(fields);
                }
            }
            Open::Reference(index, outer) => {
                let template = std::mem::replace(&mut self.template, outer);
                let message = Box::new(Message { template, fields });
                self.current.push((index, Node::Message(message)));
            }
        }
    }

    fn is_length(&self, index: u32) -> bool {
        let template = self.templates.all().get(self.template);
        let instruction = template.and_then(|each| each.instructions.get(index as usize));
        instruction.is_some_and(|instruction| instruction.kind == Kind::Length)
    }
}

impl Visitor for MessageBuilder<'_> {
    fn message_start(&mut self, index: usize) {
        self.template = index;
        self.open(Open::Message(index));
    }

    fn field(&mut self, field: Field, value: Value<'_>) {
        let mut index = field.index;
        if self.is_length(index) {
            if value != Value::Absent {
                return;
            }
            // The sequence is absent.
            index += 1;
        }
        let node = match value {
            Value::Absent => Node::Absent,
            Value::Unsigned(value) => Node::Unsigned(value),
            Value::Signed(value) => Node::Signed(value),
            Value::Decimal(value) => Node::Decimal(value),
            Value::Ascii(bytes) | Value::Unicode(bytes) | Value::Bytes(bytes) => {
                Node::Bytes(bytes.to_vec())
            }
        };
        self.current.push((index, node));
    }

    fn group_start(&mut self, field: Field) {
        self.open(Open::Group(field.index));
    }

    fn group_end(&mut self) {
        self.close();
    }

    fn sequence_start(&mut self, field: Field, _: u32) {
        self.open(Open::Sequence(field.index, Vec::new()));
    }

    fn entry_start(&mut self, _: u32, _: usize) {
        self.open(Open::Entry);
    }

    fn entry_end(&mut self, _: usize) {
        self.close();
    }

    fn sequence_end(&mut self) {
        self.close();
    }

    fn reference_start(&mut self, field: Field, index: usize) {
        let outer = std::mem::replace(&mut self.template, index);
        self.open(Open::Reference(field.index, outer));
    }

    fn reference_end(&mut self) {
        self.close();
    }

    fn message_end(&mut self) {
        self.close();
    }

    fn dropped(&mut self, _: &Error) {
        self.open.clear();
        self.current.clear();
        self.complete.clear();
    }
}
