//! Templates as the XML has them: a tree of instructions (section 6), each with the names that apply in its place.

use std::collections::HashMap;

/// A name: the namespace that applies in its place, and the local name (section 7).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Name {
    pub namespace: String,
    pub local: String,
}

/// All templates of a file.
#[derive(Clone, Debug, Default)]
pub struct Templates {
    pub list: Vec<Template>,
    pub by_name: HashMap<Name, usize>,
    pub by_identifier: HashMap<u32, usize>,
}

/// `<template>` (section 6).
#[derive(Clone, Debug)]
pub struct Template {
    pub name: Name,
    /// The `id`, with which the stream names the template; without it only static references can.
    pub identifier: Option<u32>,
    /// A message of this template resets all dictionaries before its fields are decoded.
    pub reset: bool,
    /// `<typeRef>`: the application type, if the template names one.
    pub application_type: Option<Name>,
    pub instructions: Vec<Instruction>,
}

/// What stands in a template, a group or a sequence (section 6).
#[derive(Clone, Debug)]
pub enum Instruction {
    /// A field of a primitive type, decimals with one operator included.
    Field(String, Primitive),
    /// `<decimal>` with an operator for each part (section 6.2.2).
    SplitDecimal(SplitDecimal),
    /// `<group>` (section 6.2.6).
    Group(Group),
    /// `<sequence>` (section 6.2.5).
    Sequence(Sequence),
    /// `<templateRef name="…"/>` (section 6.4).
    StaticReference(Name),
    /// `<templateRef/>` (section 6.4).
    DynamicReference,
}

/// A value of a primitive type with its operator.
#[derive(Clone, Debug)]
pub struct Primitive {
    pub kind: Kind,
    pub optional: bool,
    pub operator: Operator,
}

/// The primitive types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Integer { signed: bool, bits: u32 },
    Decimal,
    Ascii,
    Unicode,
    Bytes,
}

/// A decimal in two parts: `exponent` is an int32, optional if the decimal is; `mantissa` a mandatory int64.
#[derive(Clone, Debug)]
pub struct SplitDecimal {
    pub name: String,
    pub exponent: Primitive,
    pub mantissa: Primitive,
}

#[derive(Clone, Debug)]
pub struct Group {
    pub name: String,
    pub optional: bool,
    pub application_type: Option<Name>,
    pub instructions: Vec<Instruction>,
}

#[derive(Clone, Debug)]
pub struct Sequence {
    pub name: String,
    /// A uInt32, optional if the sequence is.
    pub length: Primitive,
    pub application_type: Option<Name>,
    pub instructions: Vec<Instruction>,
}

/// Field operators (section 6.3) with their initial values.
#[derive(Clone, Debug)]
pub enum Operator {
    None,
    Constant(Data),
    Default(Option<Data>),
    Copy(Access),
    Increment(Access),
    Delta(Access),
    Tail(Access),
}

/// How an operator gets at its previous value (section 6.3.1).
#[derive(Clone, Debug)]
pub struct Access {
    pub dictionary: Scope,
    pub key: Key,
    pub initial: Option<Data>,
}

/// The `dictionary` attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    Global,
    Template,
    Type,
    User(String),
}

/// The name of an entry in a dictionary. The variants after the first are the names that section 6.2 calls generated:
/// unique to a name, and equal to none that a template gives.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    Named(Name),
    ExponentOf(Name),
    MantissaOf(Name),
    LengthOf(Name),
    TemplateIdentifier,
}

/// A value on its way: every integer type in one that is wider, every kind of text as bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Data {
    Integer(i128),
    Decimal { exponent: i32, mantissa: i64 },
    Text(Vec<u8>),
}

impl Kind {
    pub const EXPONENT: Kind = Kind::Integer {
        signed: true,
        bits: 32,
    };
    pub const MANTISSA: Kind = Kind::Integer {
        signed: true,
        bits: 64,
    };
    pub const LENGTH: Kind = Kind::Integer {
        signed: false,
        bits: 32,
    };

    /// Least and greatest value of an integer type (the table of section 6.2.1); 0 and 0 for the others.
    pub fn range(self) -> (i128, i128) {
        match self {
            Kind::Integer { signed: true, bits } => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            Kind::Integer {
                signed: false,
                bits,
            } => (0, (1 << bits) - 1),
            _ => (0, 0),
        }
    }
}

impl Primitive {
    /// Whether the field has a bit in the presence map (section 10.5.1).
    pub fn has_bit(&self) -> bool {
        match self.operator {
            Operator::None | Operator::Delta(_) => false,
            Operator::Constant(_) => self.optional,
            Operator::Default(_)
            | Operator::Copy(_)
            | Operator::Increment(_)
            | Operator::Tail(_) => true,
        }
    }
}

impl Templates {
    pub fn named(&self, name: &Name) -> Option<&Template> {
        self.by_name.get(name).map(|&index| &self.list[index])
    }

    pub fn identified(&self, identifier: u32) -> Option<&Template> {
        self.by_identifier
            .get(&identifier)
            .map(|&index| &self.list[index])
    }

    /// Whether a group or an element of these instructions starts with a presence map: whether any of them has a bit in it
    /// (sections 6.2.5 and 6.2.6). What brings a presence map of its own does not count, a statically referenced template does.
    pub fn have_bits(&self, instructions: &[Instruction]) -> bool {
        instructions.iter().any(|instruction| match instruction {
            Instruction::Field(_, primitive) => primitive.has_bit(),
            Instruction::SplitDecimal(decimal) => {
                decimal.exponent.has_bit() || decimal.mantissa.has_bit()
            }
            Instruction::Group(group) => group.optional,
            Instruction::Sequence(sequence) => sequence.length.has_bit(),
            Instruction::StaticReference(name) => self
                .named(name)
                .is_some_and(|template| self.have_bits(&template.instructions)),
            Instruction::DynamicReference => false,
        })
    }
}
