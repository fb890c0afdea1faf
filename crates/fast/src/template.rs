//! Templates as instructions (section 6): what decoder, encoder, listing and hardware are made from.
//!
//! A template is a flat list. Groups and sequences are brackets in it, each start with the index of its end; static references are
//! written out.
//! Everything that the XML leaves to scope rules is resolved: presence-map bits are numbered, dictionary entries are [`Slot`]s.

mod attributes;
mod compile;
mod eligible;
mod error;
mod initial;
mod listing;
mod slots;

use std::collections::HashMap;

use serde::Serialize;

pub use eligible::{LateBits, Reason, eligible, late_bits, watched_exponents};
pub(crate) use eligible::{is_optional_decimal, tokens};
pub use error::{Fault, Place, TemplateError};
pub use initial::Initial;
pub use slots::{Scope, Slot};

/// Bytes of XML at most: 16 MiB.
pub const LARGEST_FILE: usize = 16 << 20;
/// Groups, sequences and static references inside each other at most.
pub const DEEPEST_NESTING: usize = 32;
/// Instructions of all templates together at most, static references written out.
pub const MOST_INSTRUCTIONS: usize = 1 << 16;

/// How wide an integer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub enum Width {
    /// 8 bits.
    W8,
    /// 16 bits.
    W16,
    /// 32 bits.
    W32,
    /// 64 bits.
    W64,
}

impl Width {
    /// In bits.
    pub const fn bits(self) -> u32 {
        match self {
            Width::W8 => 8,
            Width::W16 => 16,
            Width::W32 => 32,
            Width::W64 => 64,
        }
    }
}

/// What an instruction is about (section 6.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Kind {
    /// An unsigned integer.
    Unsigned(Width),
    /// A signed integer.
    Signed(Width),
    /// A decimal without an operator, or with one for both parts.
    Decimal,
    /// The exponent of a decimal whose parts have operators of their own: an `int32`. The mantissa follows.
    Exponent,
    /// The mantissa of such a decimal: an `int64`. Where the exponent is absent, it is not processed.
    Mantissa,
    /// An ASCII string.
    Ascii,
    /// A Unicode string.
    Unicode,
    /// A byte vector.
    Bytes,
    /// The length of a sequence: a `uInt32`. The sequence's start follows.
    Length,
    /// A group begins.
    GroupStart,
    /// The group ends.
    GroupEnd,
    /// The entries of a sequence begin.
    SequenceStart,
    /// An entry ends, and after the last one the sequence.
    SequenceEnd,
    /// A dynamic template reference: a message inside the message.
    TemplateReference,
}

impl Kind {
    /// The number of the type of a value, 0 to 11: fields that share a dictionary entry must agree on it (D4).
    pub const fn value_type(self) -> u8 {
        match self {
            Kind::Unsigned(width) => width as u8,
            Kind::Length => Width::W32 as u8,
            Kind::Signed(width) => 4 + width as u8,
            Kind::Exponent => 4 + Width::W32 as u8,
            Kind::Mantissa => 4 + Width::W64 as u8,
            Kind::Decimal => 8,
            Kind::Ascii => 9,
            Kind::Unicode => 10,
            Kind::Bytes => 11,
            _ => 12,
        }
    }

    /// Whether it is a field with a value, not structure.
    pub const fn is_field(self) -> bool {
        !matches!(
            self,
            Kind::GroupStart
                | Kind::GroupEnd
                | Kind::SequenceStart
                | Kind::SequenceEnd
                | Kind::TemplateReference
        )
    }
}

/// A field operator (section 6.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Operator {
    /// No operator.
    None,
    /// 6.3.3.
    Constant,
    /// 6.3.4.
    Default,
    /// 6.3.5.
    Copy,
    /// 6.3.6.
    Increment,
    /// 6.3.7.
    Delta,
    /// 6.3.8.
    Tail,
}

impl Operator {
    /// Whether it reads and writes a dictionary.
    pub const fn has_slot(self) -> bool {
        matches!(
            self,
            Operator::Copy | Operator::Increment | Operator::Delta | Operator::Tail
        )
    }

    /// Whether a field with it takes a presence-map bit (10.5.1).
    pub const fn takes_bit(self, nullable: bool) -> bool {
        match self {
            Operator::None | Operator::Delta => false,
            Operator::Constant => nullable,
            Operator::Default | Operator::Copy | Operator::Increment | Operator::Tail => true,
        }
    }

    /// Its name in XML; empty for none.
    pub const fn name(self) -> &'static str {
        match self {
            Operator::None => "",
            Operator::Constant => "constant",
            Operator::Default => "default",
            Operator::Copy => "copy",
            Operator::Increment => "increment",
            Operator::Delta => "delta",
            Operator::Tail => "tail",
        }
    }
}

/// `mantissa` · 10^`exponent`, the two as they are (10.6.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Decimal {
    /// -63 to 63.
    pub exponent: i32,
    /// All digits.
    pub mantissa: i64,
}

/// A name: equal only to one of the same namespace (section 7).
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Name {
    /// The namespace's URI; empty for none.
    pub namespace: String,
    /// The name in it.
    pub local: String,
}

/// One instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Instruction {
    /// What it is about.
    pub kind: Kind,
    /// Its operator; none for structure.
    pub operator: Operator,
    /// Optional presence: NULL can stand for no value, a group can be absent. False for a mantissa.
    pub nullable: bool,
    /// Which bit of its segment's presence map it takes, from 0; the template identifier's is 0. After the mantissa of an optional decimal
    /// that takes a bit, the bits are one further to the front where that decimal's exponent is absent.
    pub map_bit: Option<u16>,
    /// Starts: whether group or entries have a presence map of their own.
    pub own_map: bool,
    /// Starts with a map of their own: how many bits it has.
    pub map_bits: u16,
    /// The dictionary entry it uses.
    pub slot: Option<Slot>,
    /// The initial value.
    pub initial: Option<Initial>,
    /// The field's number: its `id`, or [made from its name](tag_of_name) where that is no number.
    pub tag: u32,
    /// The field's name; the decimal's for exponent and mantissa, the sequence's for a length without a name.
    pub name: Name,
    /// The name of a byte vector's or Unicode string's length, if it has one.
    pub length_name: Option<Name>,
    /// Dynamic references: the number of the application type around it, from 1; 0 is the type `any`. A template without a `typeRef` of
    /// its own is then processed in its [variant](Templates::variant) for this type.
    pub application_type: u16,
    /// Starts: the index of the end. Ends: the index of the start. Others: their own.
    pub partner: usize,
    /// Where it stands in the XML.
    pub place: Place,
}

/// A template.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Template {
    /// The identifier in the stream: the attribute `id`. Without one, only other templates can refer to it.
    pub id: Option<u32>,
    /// Its name.
    pub name: Name,
    /// Whether every dictionary is reset before it is processed (`reset` of the Session Control Protocol).
    pub reset: bool,
    /// The instructions, in the order of the stream.
    pub instructions: Vec<Instruction>,
    /// Bits of the message's presence map, the template identifier's included.
    pub map_bits: u16,
    /// Where it stands in the XML.
    pub place: Place,
}

/// A set of templates, compiled.
#[derive(Clone, Debug)]
pub struct Templates {
    templates: Vec<Template>,
    by_id: HashMap<u32, usize>,
    /// For each application type around a dynamic reference, the templates that differ there, by their index.
    variants: Vec<HashMap<usize, Template>>,
    slots: Vec<slots::Entry>,
    warnings: Vec<TemplateError>,
}

impl Templates {
    /// Compiles an XML document with one `template` or with `templates` (sections 3 to 9).
    ///
    /// # Errors
    /// The first that is found: S1 to S5, D8, or a limit that the document exceeds.
    pub fn parse(xml: &str) -> Result<Self, TemplateError> {
        compile::compile(xml)
    }

    /// The templates, in the order of the document.
    pub fn all(&self) -> &[Template] {
        &self.templates
    }

    /// The template with this identifier, and its index.
    pub fn by_id(&self, id: u32) -> Option<(usize, &Template)> {
        let index = *self.by_id.get(&id)?;
        Some((index, self.templates.get(index)?))
    }

    /// The template with this local name, and its index; the first of several.
    pub fn by_name(&self, local: &str) -> Option<(usize, &Template)> {
        let mut all = self.templates.iter().enumerate();
        all.find(|(_, template)| template.name.local == local)
    }

    /// The template of this index as it is where a dynamic reference leads to it from within an application type (6.1, 6.4): only the
    /// slots of dictionary `type` differ.
    pub fn variant(&self, index: usize, application_type: u16) -> Option<&Template> {
        let variants = usize::from(application_type).checked_sub(1);
        let variant = variants.and_then(|at| self.variants.get(at)?.get(&index));
        variant.or_else(|| self.templates.get(index))
    }

    /// How many application types there are around dynamic references, `any` not counted.
    pub fn application_types(&self) -> usize {
        self.variants.len()
    }

    /// How many dictionary entries the templates use.
    pub fn slot_count(&self) -> usize {
        self.slots.len()
    }

    /// The dictionary and the key of an entry, as they are read.
    pub fn describe_slot(&self, slot: Slot) -> Option<String> {
        self.slots.get(slot.index()).map(slots::Entry::describe)
    }

    /// What was passed over: attributes that the specification does not have.
    pub fn warnings(&self) -> &[TemplateError] {
        &self.warnings
    }

    /// A listing that reads next to the XML.
    pub fn listing(&self) -> String {
        listing::listing(self)
    }
}

/// The number of a field without a numeric `id`: FNV-1a of namespace and name, highest bit set.
pub fn tag_of_name(name: &Name) -> u32 {
    let bytes = name.namespace.bytes().chain([0]).chain(name.local.bytes());
    let hash = bytes.fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    hash | 1 << 31
}
