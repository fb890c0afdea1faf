//! Attributes and elements of the template definition, as the schema has them (appendix 1).

use roxmltree::Node;

use super::error::{Fault, Place, TemplateError};

/// What the namespaces of the template definition begin with: `fast/td/1.1`, and those of the drafts (`fast/td/1.0`,
/// `template-definition`).
const TEMPLATE_DEFINITIONS: &str = "http://www.fixprotocol.org/ns/";
/// What those of the Session Control Protocol begin with.
const SESSION_CONTROLS: &str = "http://www.fixprotocol.org/ns/fast/scp/";
/// Its version 1.1.
const SESSION_CONTROL: &str = "http://www.fixprotocol.org/ns/fast/scp/1.1";

/// An element's namespace; empty for none, also where `xmlns=""` says so.
fn namespace<'a>(node: Node<'a, '_>) -> &'a str {
    node.tag_name().namespace().unwrap_or_default()
}

/// Whether an element is of the template definition; foreign ones are passed over (section 9). Exchanges mix its namespaces, and none, in one
/// file: an element in none is of it, unless it is unknown and what is around it is in a namespace.
pub(super) fn is_defined(node: Node<'_, '_>) -> bool {
    match namespace(node) {
        "" => {
            let around = node.parent_element();
            known(node.tag_name().name()).is_some()
                || around.is_none_or(|around| namespace(around).is_empty())
        }
        uri => uri.starts_with(TEMPLATE_DEFINITIONS) && !uri.starts_with(SESSION_CONTROLS),
    }
}

/// Where the lines of a document begin: finding a place in it takes no walk through it.
#[derive(Debug)]
pub(super) struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    /// Characters are counted in lines of so many bytes at most; in longer ones a column is in bytes.
    const LONGEST: usize = 4096;

    pub(super) fn new(text: &'a str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = [0].into_iter().chain(ends.map(|(at, _)| at + 1)).collect();
        Lines { text, starts }
    }

    /// Where an element stands.
    pub(super) fn place(&self, node: Node<'_, '_>) -> Place {
        let at = node.range().start;
        let line = self.starts.partition_point(|start| *start <= at);
        let start = self
            .starts
            .get(line.saturating_sub(1))
            .copied()
            .unwrap_or(0);
        let before = self.text.get(start..at).unwrap_or("");
        let column = if before.len() <= Self::LONGEST {
            before.chars().count()
        } else {
            before.len()
        };
        Place {
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: u32::try_from(column + 1).unwrap_or(u32::MAX),
        }
    }
}

/// Where an element stands: a walk through the document, for errors.
pub(super) fn place(node: Node<'_, '_>) -> Place {
    let position = node.document().text_pos_at(node.range().start);
    Place {
        line: position.row,
        column: position.col,
    }
}

/// An element as it is shown in an error.
pub(super) fn shown(node: Node<'_, '_>) -> String {
    let tag = node.tag_name().name();
    match node.attribute("name") {
        Some(name) => format!(
            "<{tag} name={:?}>",
            name.chars().take(60).collect::<String>()
        ),
        None => format!("<{tag}>"),
    }
}

/// An error at an element.
pub(super) fn at(node: Node<'_, '_>, fault: Fault) -> TemplateError {
    TemplateError {
        place: place(node),
        element: shown(node),
        fault,
    }
}

/// The name, without whitespace around it.
pub(super) fn required<'a>(
    node: Node<'a, '_>,
    attribute: &'static str,
) -> Result<&'a str, TemplateError> {
    match node.attribute(attribute).map(str::trim) {
        None | Some("") => Err(at(node, Fault::Missing(attribute))),
        Some(value) => Ok(value),
    }
}

/// Whether presence is optional.
pub(super) fn is_optional(node: Node<'_, '_>) -> Result<bool, TemplateError> {
    match node.attribute("presence").map(str::trim) {
        None | Some("mandatory") => Ok(false),
        Some("optional") => Ok(true),
        Some(value) => Err(at(
            node,
            Fault::Attribute {
                attribute: "presence",
                value: value.into(),
                expected: "mandatory or optional",
            },
        )),
    }
}

/// Whether a template resets the dictionaries: `reset` of the Session Control Protocol, or without its namespace, as some exchanges write
/// it.
pub(super) fn is_reset(node: Node<'_, '_>) -> bool {
    let value = node
        .attribute((SESSION_CONTROL, "reset"))
        .or_else(|| node.attribute("reset"));
    value.is_some_and(|value| {
        let value = value.trim();
        ["yes", "y", "true", "t", "1"]
            .iter()
            .any(|yes| value.eq_ignore_ascii_case(yes))
    })
}

/// The attributes without a namespace that an element may have; `None`: no element of the template definition.
pub(super) const fn known(tag: &str) -> Option<&'static [&'static str]> {
    Some(match tag.as_bytes() {
        b"templates" => &["ns", "templateNs", "dictionary"],
        b"template" => &["name", "templateNs", "id", "ns", "dictionary", "reset"],
        b"typeRef" => &["name", "ns"],
        b"group" | b"sequence" => &["name", "ns", "id", "presence", "dictionary"],
        b"string" => &["name", "ns", "id", "presence", "charset"],
        b"length" => &["name", "ns", "id"],
        b"exponent" | b"mantissa" => &[],
        b"constant" | b"default" => &["value"],
        b"copy" | b"increment" | b"delta" | b"tail" => &["dictionary", "key", "ns", "value"],
        b"templateRef" => &["name", "templateNs"],
        b"int8" | b"uInt8" | b"int16" | b"uInt16" | b"int32" | b"uInt32" | b"int64" | b"uInt64"
        | b"decimal" | b"byteVector" => &["name", "ns", "id", "presence"],
        _ => return None,
    })
}

/// Notes the attributes that the schema does not have.
pub(super) fn warn(node: Node<'_, '_>, warnings: &mut Vec<TemplateError>) {
    /// More would say nothing new.
    const MOST: usize = 100;
    let Some(known) = known(node.tag_name().name()) else {
        return;
    };
    for attribute in node.attributes() {
        let unknown = attribute.namespace().is_none() && !known.contains(&attribute.name());
        if unknown && warnings.len() < MOST {
            warnings.push(at(node, Fault::UnknownAttribute(attribute.name().into())));
        }
    }
}
