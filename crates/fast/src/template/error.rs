//! What is wrong with a template file, where, and what to do about it.

use std::fmt;

use serde::Serialize;
use thiserror::Error;

use super::{DEEPEST_NESTING, LARGEST_FILE, MOST_INSTRUCTIONS};

/// A place in the XML.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Place {
    /// From 1.
    pub line: u32,
    /// In characters, from 1.
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Fault {
    /// The file is too large.
    #[error("{0} bytes of XML: the limit is {LARGEST_FILE}; split the file")]
    TooLarge(
        /// Its size, in bytes.
        usize,
    ),
    /// A document type declaration: entities are not expanded.
    #[error(
        "a document type declaration (DTD) is not accepted; remove <!DOCTYPE …> and write entities out"
    )]
    DocumentType,
    /// S1: the XML is not well-formed.
    #[error("[S1] {0}")]
    Xml(
        /// What the parser says.
        String,
    ),
    /// S1: the root is neither `templates` nor `template`.
    #[error("[S1] the root element must be templates or template")]
    Root,
    /// S1: a file without a template.
    #[error("[S1] no template in this file{}", elsewhere(foreign))]
    NoTemplates {
        /// The namespace of what is there instead.
        foreign: Option<String>,
    },
    /// S1: an element that may not be here.
    #[error("[S1] {child} may not be inside this element; here may be {expected}")]
    Child {
        /// The element that is too many.
        child: String,
        /// What may be here.
        expected: &'static str,
    },
    /// S1: two elements of which one may be there.
    #[error("[S1] {0} is given twice; remove one")]
    Twice(
        /// Which.
        &'static str,
    ),
    /// S1: an attribute is missing.
    #[error("[S1] the attribute {0} is missing")]
    Missing(
        /// Which.
        &'static str,
    ),
    /// S1: an attribute has a value that it cannot have.
    #[error("[S1] {attribute}={value:?}: it must be {expected}")]
    Attribute {
        /// The attribute.
        attribute: &'static str,
        /// Its value.
        value: String,
        /// What it must be.
        expected: &'static str,
    },
    /// S1: an attribute that the specification does not have. Passed over, with a warning.
    #[error("[S1] the specification has no attribute {0} here: ignored")]
    UnknownAttribute(
        /// Which.
        String,
    ),
    /// S1: two templates of one name.
    #[error("[S1] there is a template of this name already, at {0}; rename one")]
    DuplicateName(
        /// The first.
        Place,
    ),
    /// Two templates of one identifier.
    #[error(
        "template id {id} is used already, at {first}; a decoder could not tell the two apart: change one"
    )]
    DuplicateId {
        /// The identifier.
        id: u32,
        /// The first.
        first: Place,
    },
    /// S2: an operator for a type that cannot have it.
    #[error("[S2] the operator {operator} is not applicable to {field}; {applicable} have it")]
    Operator {
        /// The operator.
        operator: &'static str,
        /// The field's type.
        field: &'static str,
        /// Which types have it.
        applicable: &'static str,
    },
    /// S3: an initial value that is none of the type.
    #[error("[S3] value={value:?} is not {expected}")]
    InitialValue {
        /// As it is written.
        value: String,
        /// What it must be.
        expected: &'static str,
    },
    /// S4: a constant without a value.
    #[error("[S4] a constant needs the attribute value")]
    NoConstant,
    /// S5: a default without a value, in a mandatory field.
    #[error(
        "[S5] the default of a mandatory field needs the attribute value; or make the field optional"
    )]
    NoDefault,
    /// D8: a static reference to a template that is not there.
    #[error("[D8] there is no template {0} in this file")]
    NoTemplate(
        /// The name it refers to.
        String,
    ),
    /// Templates that refer to each other in a circle.
    #[error("static references go in a circle: {0}; a template cannot be a part of itself")]
    Cycle(
        /// The names, in order.
        String,
    ),
    /// Too deep.
    #[error("groups, sequences and static references more than {DEEPEST_NESTING} deep")]
    TooDeep,
    /// Too many instructions.
    #[error("more than {MOST_INSTRUCTIONS} instructions, static references written out")]
    TooMany,
}

fn elsewhere(foreign: &Option<String>) -> String {
    foreign.as_ref().map_or_else(String::new, |uri| {
        format!(
            ": its elements are in the namespace {uri:?}, which is none of template definitions; theirs is http://www.fixprotocol.org/ns/fast/td/1.1"
        )
    })
}

/// An error in a template file, or a warning.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{place}: {}{fault}", element_prefix(element))]
pub struct TemplateError {
    /// Where.
    pub place: Place,
    /// The element, as `<uInt32 name="Price">`; empty if it is the whole file.
    pub element: String,
    /// What is wrong.
    pub fault: Fault,
}

fn element_prefix(element: &str) -> String {
    if element.is_empty() {
        return String::new();
    }
    format!("{element}: ")
}

impl TemplateError {
    /// The code of the specification: `S1` to `S5` or `D8`; none for the limits and the circles that it does not number.
    pub fn code(&self) -> Option<&'static str> {
        match self.fault {
            Fault::Operator { .. } => Some("S2"),
            Fault::InitialValue { .. } => Some("S3"),
            Fault::NoConstant => Some("S4"),
            Fault::NoDefault => Some("S5"),
            Fault::NoTemplate(_) => Some("D8"),
            Fault::TooLarge(_)
            | Fault::DocumentType
            | Fault::DuplicateId { .. }
            | Fault::Cycle(_)
            | Fault::TooDeep
            | Fault::TooMany => None,
            _ => Some("S1"),
        }
    }
}
