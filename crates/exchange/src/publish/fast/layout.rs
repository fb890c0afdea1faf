//! Where the fields that are published stand in a template.

use fast::{Decimal, EncodeError, Fields, Kind, Message, Node, Operator, Template, Templates};
use thiserror::Error;

/// A field that the publisher has a value for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// Its number.
    pub(super) tag: u32,
    /// Its name in the FIX dictionary.
    pub(super) name: &'static str,
    /// What its values are.
    pub(super) values: Values,
    /// Whether the template must have it.
    pub(super) needed: bool,
}

/// What the values of a field are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Values {
    /// Whole numbers, from 0.
    Numbers,
    /// Characters, or digits.
    Text,
    /// Decimals.
    Decimals,
}

impl Values {
    /// Whether a field of this kind can have them.
    const fn fit(self, kind: Kind) -> bool {
        match self {
            Values::Numbers => matches!(kind, Kind::Unsigned(_) | Kind::Signed(_)),
            Values::Text => matches!(kind, Kind::Ascii | Kind::Unicode),
            Values::Decimals => matches!(kind, Kind::Decimal | Kind::Exponent),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Values::Numbers => "an integer",
            Values::Text => "a string",
            Values::Decimals => "a decimal",
        }
    }
}

/// A value that a field gets.
#[derive(Clone, Copy, Debug)]
pub(super) enum Datum<'a> {
    /// Of a field of [`Values::Numbers`].
    Number(u64),
    /// Of a field of [`Values::Text`].
    Text(&'a [u8]),
    /// Of a field of [`Values::Decimals`].
    Decimal(Decimal),
}

/// Why a template file cannot be published with.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LayoutError {
    /// The file does not have the template.
    #[error(
        "the template file has no template {id} ({name}): name the file of the exchange that has it, or desks/fast/order-log.xml"
    )]
    NoTemplate {
        /// Its identifier.
        id: u32,
        /// Its name at the Moscow Exchange.
        name: &'static str,
    },
    /// The template lacks a field that the order log needs.
    #[error(
        "template {template} has no field {name} ({tag}) {place}: it must be like X-OLR-CURR (3610) or W-OLS-CURR (3600) of the Moscow Exchange"
    )]
    NoField {
        /// The template's identifier.
        template: u32,
        /// The field's number.
        tag: u32,
        /// Its name in the FIX dictionary.
        name: &'static str,
        /// Where it is looked for.
        place: &'static str,
    },
    /// A field has another type than its values.
    #[error("template {template}: field {name} ({tag}) must be {needed}")]
    Type {
        /// The template's identifier.
        template: u32,
        /// The field's number.
        tag: u32,
        /// Its name in the FIX dictionary.
        name: &'static str,
        /// The type that it must have.
        needed: &'static str,
    },
    /// A field that every message must have, and that the exchange has no value for.
    #[error(
        "template {template}: field {name} ({tag}) is mandatory, and the exchange has no value for it: make it optional or a constant"
    )]
    Mandatory {
        /// The template's identifier.
        template: u32,
        /// The field's number.
        tag: u32,
        /// Its name in the template.
        name: String,
    },
    /// Not one sequence, or groups and references.
    #[error("template {template}: it must have {needed}, and no group or template reference")]
    Structure {
        /// The template's identifier.
        template: u32,
        /// What it must have.
        needed: &'static str,
    },
    /// The operators or the types of the template cannot carry the values.
    #[error("the template cannot carry the exchange's values: {0}")]
    Values(
        /// Which field, and why.
        String,
    ),
}

/// A field of the template that gets a value.
#[derive(Clone, Copy, Debug)]
struct Place {
    tag: u32,
    index: u32,
    kind: Kind,
}

/// Where the fields of a template are.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// The index of the template.
    template: usize,
    /// The start of the sequence of entries, if there are entries.
    sequence: Option<u32>,
    header: Vec<Place>,
    entry: Vec<Place>,
}

impl Layout {
    /// Finds the fields of a template. Without wanted fields of entries it has no sequence.
    pub(super) fn new(
        templates: &Templates,
        (id, name): (u32, &'static str),
        header: &[Wanted],
        entry: &[Wanted],
    ) -> Result<Self, LayoutError> {
        let found = templates.by_id(id);
        let (index, template) = found.ok_or(LayoutError::NoTemplate { id, name })?;
        let mut layout = Layout {
            template: index,
            sequence: None,
            header: vec![],
            entry: vec![],
        };
        layout.places(id, template, header, entry)?;
        if layout.sequence.is_some() == entry.is_empty() {
            let needed = if entry.is_empty() {
                "no sequence"
            } else {
                "one sequence"
            };
            return Err(LayoutError::Structure {
                template: id,
                needed,
            });
        }
        for (wanted, places, place) in [
            (header, &layout.header, "before its sequence"),
            (entry, &layout.entry, "in its sequence"),
        ] {
            let missing = |wanted: &&Wanted| {
                wanted.needed && places.iter().all(|place| place.tag != wanted.tag)
            };
            if let Some(missing) = wanted.iter().find(missing) {
                return Err(LayoutError::NoField {
                    template: id,
                    tag: missing.tag,
                    name: missing.name,
                    place,
                });
            }
        }
        Ok(layout)
    }

    fn places(
        &mut self,
        id: u32,
        template: &Template,
        header: &[Wanted],
        entry: &[Wanted],
    ) -> Result<(), LayoutError> {
        let mut in_sequence = false;
        for (index, instruction) in (0..).zip(&template.instructions) {
            let (wanted, places) = if in_sequence {
                (entry, &mut self.entry)
            } else {
                (header, &mut self.header)
            };
            match instruction.kind {
                Kind::SequenceStart if self.sequence.is_none() => {
                    (self.sequence, in_sequence) = (Some(index), true);
                    continue;
                }
                Kind::SequenceEnd => {
                    in_sequence = false;
                    continue;
                }
                // Their field is the sequence, or the exponent before them.
                Kind::Length | Kind::Mantissa => continue,
                kind if !kind.is_field() => {
                    return Err(LayoutError::Structure {
                        template: id,
                        needed: "one sequence at most",
                    });
                }
                _ => {}
            }
            let tag = instruction.tag;
            let new = places.iter().all(|place| place.tag != tag);
            match wanted.iter().find(|wanted| wanted.tag == tag && new) {
                Some(wanted) if !wanted.values.fit(instruction.kind) => {
                    return Err(LayoutError::Type {
                        template: id,
                        tag,
                        name: wanted.name,
                        needed: wanted.values.name(),
                    });
                }
                Some(_) => places.push(Place {
                    tag,
                    index,
                    kind: instruction.kind,
                }),
                None if !instruction.nullable && instruction.operator != Operator::Constant => {
                    return Err(LayoutError::Mandatory {
                        template: id,
                        tag,
                        name: instruction.name.local.clone(),
                    });
                }
                None => {}
            }
        }
        Ok(())
    }

    /// The fields of an entry. Those that the template does not have are left out.
    pub(super) fn entry(&self, values: &[(u32, Datum<'_>)]) -> Fields {
        fields(&self.entry, values)
    }

    /// A message with these values before its entries.
    pub(super) fn message(&self, values: &[(u32, Datum<'_>)], entries: Vec<Fields>) -> Message {
        let mut fields = fields(&self.header, values);
        if let Some(sequence) = self.sequence {
            fields.push((sequence, Node::Sequence(entries)));
        }
        Message {
            template: self.template,
            fields,
        }
    }
}

/// The entries of a message again.
pub(super) fn entries(message: Message) -> Vec<Fields> {
    let entries = message.fields.into_iter().find_map(|(_, node)| match node {
        Node::Sequence(entries) => Some(entries),
        _ => None,
    });
    entries.unwrap_or_default()
}

/// The error of a message that shows whether a template can carry the values.
pub(super) fn values_error(error: &EncodeError, templates: &Templates) -> LayoutError {
    LayoutError::Values(error.describe(templates))
}

fn fields(places: &[Place], values: &[(u32, Datum<'_>)]) -> Fields {
    let node = |place: &Place| {
        let (_, datum) = values.iter().find(|(tag, _)| *tag == place.tag)?;
        let node = match (datum, place.kind) {
            // Whatever does not fit is refused by the encoder.
            (Datum::Number(number), Kind::Signed(_)) => {
                Node::Signed(i64::try_from(*number).unwrap_or(i64::MAX))
            }
            (Datum::Number(number), _) => Node::Unsigned(*number),
            (Datum::Text(text), _) => Node::Bytes(text.to_vec()),
            (Datum::Decimal(decimal), _) => Node::Decimal(*decimal),
        };
        Some((place.index, node))
    };
    places.iter().filter_map(node).collect()
}
