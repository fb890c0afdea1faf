//! Random templates before they are XML. The attributes are kept as they will be written; next to them stands what they mean,
//! known to the generator because it chose both. The reader of the reference decoder has no part in it.

use std::collections::{BTreeSet, HashSet};

/// A file of templates.
#[derive(Clone, Debug)]
pub struct File {
    /// Whether every element is written as `td:…`.
    pub prefixed: bool,
    /// Attributes of `<templates>`; `None` where a single `<template>` is the root.
    pub attributes: Option<Vec<Attribute>>,
    pub templates: Vec<Template>,
    /// The order of the templates in the XML.
    pub order: Vec<usize>,
}

/// Name and value of an attribute.
pub type Attribute = (&'static str, String);

#[derive(Clone, Debug)]
pub struct Template {
    pub name: String,
    pub attributes: Vec<Attribute>,
    /// The namespace of its name.
    pub namespace: String,
    pub identifier: Option<u32>,
    pub reset: bool,
    pub type_reference: Option<TypeReference>,
    pub body: Vec<Instruction>,
    /// Groups, sequences and dynamic references inside each other, with those of the templates that it refers to.
    pub depth: usize,
    /// The templates that become part of it by static references, itself included.
    pub parts: BTreeSet<usize>,
}

#[derive(Clone, Debug)]
pub struct TypeReference {
    pub attributes: Vec<Attribute>,
    /// Namespace and name.
    pub identity: String,
}

#[derive(Clone, Debug)]
pub enum Instruction {
    Field(Field),
    Decimal(Decimal),
    Group(Group),
    Sequence(Sequence),
    /// The index of the template and the attributes.
    Static(usize, Vec<Attribute>),
    /// The indices of the templates that it may lead to.
    Dynamic(Vec<usize>),
}

#[derive(Clone, Debug)]
pub struct Field {
    pub name: String,
    pub element: &'static str,
    pub attributes: Vec<Attribute>,
    /// Name of the length of a byte vector.
    pub length: Option<String>,
    pub primitive: Primitive,
}

/// A decimal with operators for its parts.
#[derive(Clone, Debug)]
pub struct Decimal {
    pub name: String,
    pub attributes: Vec<Attribute>,
    pub exponent: Primitive,
    pub mantissa: Primitive,
}

#[derive(Clone, Debug)]
pub struct Group {
    pub name: String,
    pub attributes: Vec<Attribute>,
    pub optional: bool,
    pub type_reference: Option<TypeReference>,
    pub body: Vec<Instruction>,
}

#[derive(Clone, Debug)]
pub struct Sequence {
    pub name: String,
    pub attributes: Vec<Attribute>,
    /// Attributes of `<length>`; `None` where the element is left out.
    pub length_attributes: Option<Vec<Attribute>>,
    pub length: Primitive,
    pub type_reference: Option<TypeReference>,
    pub body: Vec<Instruction>,
}

#[derive(Clone, Debug)]
pub struct Primitive {
    pub kind: Kind,
    /// The integers that the field may have: those of its type, or fewer.
    pub least: i128,
    pub greatest: i128,
    pub optional: bool,
    pub operator: Operator,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Integer { signed: bool, bits: u32 },
    Decimal,
    Ascii,
    Unicode,
    Bytes,
}

#[derive(Clone, Debug)]
pub enum Operator {
    None,
    Constant(Initial),
    Default(Option<Initial>),
    Copy(Slot),
    Increment(Slot),
    Delta(Slot),
    Tail(Slot),
}

/// An initial value and how it is written.
#[derive(Clone, Debug)]
pub struct Initial {
    pub item: Item,
    pub text: String,
}

/// Where an operator has its previous value.
#[derive(Clone, Debug)]
pub struct Slot {
    pub scope: Scope,
    /// Namespace and key.
    pub key: String,
    pub initial: Option<Initial>,
    pub attributes: Vec<Attribute>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    Global,
    Template,
    Type,
    User(String),
}

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    Integer(i128),
    Decimal(i32, i64),
    Text(Vec<u8>),
}

impl Scope {
    pub fn of(dictionary: &str) -> Self {
        match dictionary {
            "global" => Scope::Global,
            "template" => Scope::Template,
            "type" => Scope::Type,
            name => Scope::User(name.to_owned()),
        }
    }
}

impl Slot {
    /// The entry, where this template and this application type are current.
    pub fn entry(&self, template: usize, application_type: Option<&str>) -> String {
        match &self.scope {
            Scope::Global => format!("global/{}", self.key),
            Scope::Template => format!("template {template}/{}", self.key),
            Scope::Type => format!("type {}/{}", application_type.unwrap_or("any"), self.key),
            Scope::User(name) => format!("user {name}/{}", self.key),
        }
    }
}

impl Kind {
    /// Least and greatest value of an integer type (the table of section 6.2.1); 0 and 0 for the others.
    pub fn range(self) -> (i128, i128) {
        match self {
            Kind::Integer { signed, bits } => {
                let count = 2_i128.pow(bits);
                if signed {
                    (-count / 2, count / 2 - 1)
                } else {
                    (0, count - 1)
                }
            }
            _ => (0, 0),
        }
    }
}

impl Primitive {
    /// Whether the field may have this value.
    pub fn allows(&self, item: &Item) -> bool {
        match item {
            Item::Integer(value) => (self.least..=self.greatest).contains(value),
            _ => true,
        }
    }

    fn slot(&self) -> Option<&Slot> {
        match &self.operator {
            Operator::None | Operator::Constant(_) | Operator::Default(_) => None,
            Operator::Copy(slot)
            | Operator::Increment(slot)
            | Operator::Delta(slot)
            | Operator::Tail(slot) => Some(slot),
        }
    }

    fn takes_bit(&self) -> bool {
        match &self.operator {
            Operator::Constant(_) => self.optional,
            Operator::None | Operator::Delta(_) => false,
            _ => true,
        }
    }
}

impl File {
    /// Whether these instructions need a presence map.
    pub fn take_bits(&self, body: &[Instruction]) -> bool {
        body.iter().any(|instruction| match instruction {
            Instruction::Field(field) => field.primitive.takes_bit(),
            Instruction::Decimal(decimal) => {
                decimal.exponent.takes_bit() || decimal.mantissa.takes_bit()
            }
            Instruction::Group(group) => group.optional,
            Instruction::Sequence(sequence) => sequence.length.takes_bit(),
            Instruction::Static(index, _) => self.take_bits(&self.templates[*index].body),
            Instruction::Dynamic(_) => false,
        })
    }

    /// How many dictionary entries all templates together can touch, the template identifier included.
    pub fn entries(&self) -> usize {
        let mut entries = HashSet::new();
        let mut seen = HashSet::new();
        for index in 0..self.templates.len() {
            self.collect_template(index, None, &mut entries, &mut seen);
        }
        entries.len() + 1
    }

    fn collect_template<'a>(
        &'a self,
        index: usize,
        outside: Option<&'a str>,
        entries: &mut HashSet<String>,
        seen: &mut HashSet<(usize, Option<&'a str>)>,
    ) {
        let template = &self.templates[index];
        let application_type = identity(&template.type_reference).or(outside);
        if seen.insert((index, application_type)) {
            self.collect(&template.body, index, application_type, entries, seen);
        }
    }

    fn collect<'a>(
        &'a self,
        body: &'a [Instruction],
        template: usize,
        application_type: Option<&'a str>,
        entries: &mut HashSet<String>,
        seen: &mut HashSet<(usize, Option<&'a str>)>,
    ) {
        let mut add = |primitive: &Primitive, application_type: Option<&str>| {
            if let Some(slot) = primitive.slot() {
                entries.insert(slot.entry(template, application_type));
            }
        };
        for instruction in body {
            match instruction {
                Instruction::Field(field) => add(&field.primitive, application_type),
                Instruction::Decimal(decimal) => {
                    add(&decimal.exponent, application_type);
                    add(&decimal.mantissa, application_type);
                }
                Instruction::Sequence(sequence) => {
                    let inside = identity(&sequence.type_reference).or(application_type);
                    add(&sequence.length, inside);
                }
                _ => {}
            }
        }
        for instruction in body {
            match instruction {
                Instruction::Field(_) | Instruction::Decimal(_) => {}
                Instruction::Group(group) => {
                    let inside = identity(&group.type_reference).or(application_type);
                    self.collect(&group.body, template, inside, entries, seen);
                }
                Instruction::Sequence(sequence) => {
                    let inside = identity(&sequence.type_reference).or(application_type);
                    self.collect(&sequence.body, template, inside, entries, seen);
                }
                Instruction::Static(index, _) => {
                    self.collect_template(*index, application_type, entries, seen);
                }
                Instruction::Dynamic(targets) => {
                    for index in targets {
                        self.collect_template(*index, application_type, entries, seen);
                    }
                }
            }
        }
    }
}

/// The application type that a `<typeRef>` names.
pub fn identity(reference: &Option<TypeReference>) -> Option<&str> {
    reference
        .as_ref()
        .map(|reference| reference.identity.as_str())
}
