//! Fields and their operators (sections 6.2.1 to 6.2.5 and 6.3).

use roxmltree::Node;

use super::super::attributes::{at, is_optional, required};
use super::super::error::{Fault, TemplateError};
use super::super::initial::convert;
use super::super::slots::{Entry, Key, Part};
use super::super::{Initial, Instruction, Kind, Name, Operator, Slot, Width, tag_of_name};
use super::{Compiler, Context, Segment};

/// An operator of the XML.
#[derive(Clone, Copy)]
struct Applied<'a, 'input> {
    operator: Operator,
    node: Option<Node<'a, 'input>>,
}

/// Whether an element is an operator.
pub(super) fn is_operator(tag: &str) -> bool {
    operator(tag).is_some()
}

fn operator(tag: &str) -> Option<Operator> {
    Some(match tag {
        "constant" => Operator::Constant,
        "default" => Operator::Default,
        "copy" => Operator::Copy,
        "increment" => Operator::Increment,
        "delta" => Operator::Delta,
        "tail" => Operator::Tail,
        _ => return None,
    })
}

/// A field's number: its `id` if that is one.
pub(super) fn tag(node: Node<'_, '_>, name: &Name) -> u32 {
    let id = node.attribute("id").and_then(|id| id.trim().parse().ok());
    id.unwrap_or_else(|| tag_of_name(name))
}

/// S2: increment is for integers, tail for strings and byte vectors.
fn applicable(kind: Kind, operator: Operator, node: Node<'_, '_>) -> Result<(), TemplateError> {
    let field = match kind {
        Kind::Decimal => "a decimal",
        Kind::Ascii | Kind::Unicode => "a string",
        Kind::Bytes => "a byte vector",
        _ => "an integer",
    };
    let integer = matches!(
        kind,
        Kind::Unsigned(_) | Kind::Signed(_) | Kind::Exponent | Kind::Mantissa | Kind::Length
    );
    let text = matches!(kind, Kind::Ascii | Kind::Unicode | Kind::Bytes);
    let applicable = match operator {
        Operator::Increment if !integer => "integers",
        Operator::Tail if !text => "strings and byte vectors",
        _ => return Ok(()),
    };
    let operator = operator.name();
    let fault = Fault::Operator {
        operator,
        field,
        applicable,
    };
    Err(at(node, fault))
}

/// What a field is, before its operator.
struct Described<'a, 'input> {
    node: Node<'a, 'input>,
    kind: Kind,
    nullable: bool,
    name: Name,
    part: Part,
    tag: u32,
    length_name: Option<Name>,
}

impl<'a, 'input> Compiler<'a, 'input> {
    /// The operator among an element's children.
    fn operator(
        &self,
        node: Node<'a, 'input>,
        other: &[&str],
        expected: &'static str,
    ) -> Result<Applied<'a, 'input>, TemplateError> {
        let mut found = Applied {
            operator: Operator::None,
            node: None,
        };
        for child in self.children(node) {
            let tag = child.tag_name().name();
            if let Some(operator) = operator(tag) {
                if found.node.is_some() {
                    return Err(at(node, Fault::Twice("an operator")));
                }
                if let Some(inner) = self.children(child).next() {
                    let child_name = inner.tag_name().name().chars().take(60).collect();
                    let expected = "nothing";
                    let fault = Fault::Child {
                        child: child_name,
                        expected,
                    };
                    return Err(at(child, fault));
                }
                found = Applied {
                    operator,
                    node: Some(child),
                };
            } else if !other.contains(&tag) {
                let child = tag.chars().take(60).collect();
                return Err(at(node, Fault::Child { child, expected }));
            }
        }
        Ok(found)
    }

    /// The only child of a name.
    fn only(
        &self,
        node: Node<'a, 'input>,
        tag: &'static str,
    ) -> Result<Option<Node<'a, 'input>>, TemplateError> {
        let mut found = self
            .children(node)
            .filter(|child| child.tag_name().name() == tag);
        let first = found.next();
        if found.next().is_some() {
            return Err(at(node, Fault::Twice(tag)));
        }
        Ok(first)
    }

    pub(super) fn field(
        &mut self,
        node: Node<'a, 'input>,
        context: &Context<'a>,
        segment: &mut Segment,
    ) -> Result<(), TemplateError> {
        let context = Context {
            // Only ancestors pass on a dictionary, and a field is none.
            dictionary: context.dictionary,
            ..context.within(node)
        };
        let name = context.name(required(node, "name")?);
        let mut described = Described {
            node,
            kind: Kind::Decimal,
            nullable: is_optional(node)?,
            tag: tag(node, &name),
            name,
            part: Part::Field,
            length_name: None,
        };
        described.kind = match node.tag_name().name() {
            "uInt8" => Kind::Unsigned(Width::W8),
            "uInt16" => Kind::Unsigned(Width::W16),
            "uInt32" => Kind::Unsigned(Width::W32),
            "uInt64" => Kind::Unsigned(Width::W64),
            "int8" => Kind::Signed(Width::W8),
            "int16" => Kind::Signed(Width::W16),
            "int32" => Kind::Signed(Width::W32),
            "int64" => Kind::Signed(Width::W64),
            "byteVector" => Kind::Bytes,
            "string" => match node.attribute("charset").map(str::trim) {
                None | Some("ascii") => Kind::Ascii,
                Some("unicode") => Kind::Unicode,
                Some(value) => {
                    let fault = Fault::Attribute {
                        attribute: "charset",
                        value: value.chars().take(40).collect(),
                        expected: "ascii or unicode",
                    };
                    return Err(at(node, fault));
                }
            },
            _ => return self.decimal(described, &context, segment),
        };
        let applied = if matches!(described.kind, Kind::Unicode | Kind::Bytes) {
            if let Some(length) = self.only(node, "length")? {
                let within = context.within(length);
                described.length_name = Some(within.name(required(length, "name")?));
            }
            self.operator(node, &["length"], "length and one operator")?
        } else {
            self.operator(node, &[], "one operator")?
        };
        self.emit(described, applied, &context, segment)
    }

    /// A decimal with one operator or none, or with one for each part.
    fn decimal(
        &mut self,
        described: Described<'a, 'input>,
        context: &Context<'a>,
        segment: &mut Segment,
    ) -> Result<(), TemplateError> {
        let node = described.node;
        let expected = "one operator, or exponent and mantissa";
        let parts = ["exponent", "mantissa"];
        let applied = self.operator(node, &parts, expected)?;
        let exponent = self.only(node, "exponent")?;
        let mantissa = self.only(node, "mantissa")?;
        if exponent.is_none() && mantissa.is_none() {
            return self.emit(described, applied, context, segment);
        }
        if let Some(operator) = applied.node {
            let child = operator.tag_name().name().into();
            return Err(at(node, Fault::Child { child, expected }));
        }
        let none = Applied {
            operator: Operator::None,
            node: None,
        };
        let of = |compiler: &Self, part: Option<Node<'a, 'input>>| match part {
            None => Ok(none),
            Some(part) => compiler.operator(part, &[], "one operator"),
        };
        let (exponent_operator, mantissa_operator) = (of(self, exponent)?, of(self, mantissa)?);
        let part = |node: Option<Node<'a, 'input>>, kind, part, nullable| Described {
            node: node.unwrap_or(described.node),
            kind,
            nullable,
            name: described.name.clone(),
            part,
            tag: described.tag,
            length_name: None,
        };
        let first = part(exponent, Kind::Exponent, Part::Exponent, described.nullable);
        let second = part(mantissa, Kind::Mantissa, Part::Mantissa, false);
        self.emit(first, exponent_operator, context, segment)?;
        self.emit(second, mantissa_operator, context, segment)
    }

    /// The length of a sequence, with or without an element of its own.
    pub(super) fn length(
        &mut self,
        sequence: Node<'a, 'input>,
        length: Option<Node<'a, 'input>>,
        sequence_name: &Name,
        context: &Context<'a>,
        segment: &mut Segment,
    ) -> Result<(), TemplateError> {
        let nullable = is_optional(sequence)?;
        let mut described = Described {
            node: length.unwrap_or(sequence),
            kind: Kind::Length,
            nullable,
            name: sequence_name.clone(),
            part: Part::Length,
            tag: tag(sequence, sequence_name),
            length_name: None,
        };
        let Some(node) = length else {
            let applied = Applied {
                operator: Operator::None,
                node: None,
            };
            return self.emit(described, applied, context, segment);
        };
        let context = Context {
            dictionary: context.dictionary,
            ..context.within(node)
        };
        if let Some(local) = node.attribute("name") {
            described.name = context.name(local.trim());
            described.part = Part::Field;
        }
        described.tag = tag(node, &described.name);
        let applied = self.operator(node, &[], "one operator")?;
        self.emit(described, applied, &context, segment)
    }

    /// The initial value and the dictionary entry of an operator.
    fn operands(
        &mut self,
        described: &Described<'a, 'input>,
        applied: Applied<'a, 'input>,
        context: &Context<'a>,
    ) -> Result<(Option<Initial>, Option<Slot>), TemplateError> {
        let Some(node) = applied.node else {
            return Ok((None, None));
        };
        applicable(described.kind, applied.operator, described.node)?;
        let initial = node.attribute("value");
        let initial = initial.map(|text| convert(described.kind, text));
        let initial = initial
            .transpose()
            .map_err(|fault| at(described.node, fault))?;
        match (applied.operator, &initial) {
            (Operator::Constant, None) => return Err(at(described.node, Fault::NoConstant)),
            (Operator::Default, None) if !described.nullable => {
                return Err(at(described.node, Fault::NoDefault));
            }
            _ => {}
        }
        if !applied.operator.has_slot() {
            return Ok((initial, None));
        }
        let within = context.within(node);
        let key = match node.attribute("key").map(str::trim) {
            Some("") => {
                let fault = Fault::Attribute {
                    attribute: "key",
                    value: String::new(),
                    expected: "a name",
                };
                return Err(at(node, fault));
            }
            Some(key) => Key {
                name: within.name(key),
                part: Part::Field,
            },
            None => Key {
                name: described.name.clone(),
                part: described.part,
            },
        };
        let scope = within.scope(within.dictionary);
        match self.slots.number(Entry { scope, key }) {
            Some(slot) => Ok((initial, Some(slot))),
            None => Err(at(node, Fault::TooMany)),
        }
    }

    fn emit(
        &mut self,
        described: Described<'a, 'input>,
        applied: Applied<'a, 'input>,
        context: &Context<'a>,
        segment: &mut Segment,
    ) -> Result<(), TemplateError> {
        self.count(described.node)?;
        let (initial, slot) = self.operands(&described, applied, context)?;
        let takes_bit = applied.operator.takes_bit(described.nullable);
        let map_bit = if takes_bit { segment.take_bit() } else { None };
        let partner = segment.instructions.len();
        segment.push(Instruction {
            kind: described.kind,
            operator: applied.operator,
            nullable: described.nullable,
            map_bit,
            own_map: false,
            map_bits: 0,
            slot,
            initial,
            tag: described.tag,
            name: described.name,
            length_name: described.length_name,
            application_type: 0,
            partner,
            place: self.lines.place(described.node),
        });
        Ok(())
    }
}
