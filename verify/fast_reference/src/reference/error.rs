//! Why bytes are not a message, and why XML is not a set of templates.

use thiserror::Error;

/// An error of a stream and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("byte {offset}: {code}")]
pub struct Error {
    /// What is wrong.
    pub code: Code,
    /// The first byte of the field, presence map, template identifier or length in which the error was found, counted
    /// from the start of the bytes handed over. A field that takes no bytes stands where the next byte would be read.
    pub offset: usize,
}

/// What is wrong with a stream: the dynamic and reportable errors of appendix 4 that a decoder without application types can
/// meet, and three that the specification leaves open.
///
/// D1, D10, D11, R3 and R5 belong to the conversion to application types, which this decoder does not have; D3 belongs to
/// encoders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Error)]
pub enum Code {
    /// Section 6.2.1. Also a byte vector of more than 4,294,967,295 bytes, whose length is a `uInt32` (6.2.4).
    #[error("D2: an integer is outside the range of its type")]
    D2,
    /// Section 6.3.1. Raised when the entry is read or written, unless it is undefined.
    #[error("D4: the previous value is of another type")]
    D4,
    /// Sections 6.3.5 and 6.3.6; also a first template identifier that is left out (section 10).
    #[error(
        "D5: a mandatory field is not in the stream, has no previous value and no initial value"
    )]
    D5,
    /// Sections 6.3.5 to 6.3.7; for the tail operator the case that is D5 elsewhere (6.3.8).
    #[error("D6: a mandatory field is not in the stream and its previous value is empty")]
    D6,
    /// Sections 6.3.7.3 and 6.3.7.5; for the tail operator the case that is D6 elsewhere (6.3.8).
    #[error("D7: more is subtracted than the base value has")]
    D7,
    /// Section 6.4.
    #[error("D8: no template has the name of a static reference")]
    D8,
    /// Sections 6.4 and 10.3.
    #[error("D9: no template has this identifier")]
    D9,
    /// Section 10.
    #[error("D12: a block has zero size")]
    D12,
    /// Sections 6.2.2 and 6.3.7.2. Raised always: the value would not be a decimal.
    #[error("R1: an exponent is outside -63 to 63, or a mantissa does not fit an int64")]
    R1,
    /// Sections 6.3.7.4 and 6.3.8.2. Raised always, and for every operator: the value would not be a string.
    #[error("R2: a Unicode string is not valid UTF-8")]
    R2,
    /// Section 6.3.7.1. Raised always: the value would not fit its type.
    #[error("R4: base and delta give a value outside the range of the type")]
    R4,
    /// Section 10.6.1. Raised where [`Reportable::Signal`](super::Reportable::Signal) is chosen.
    #[error("R6: an integer is overlong")]
    R6,
    /// Section 10.5. Raised where [`Reportable::Signal`](super::Reportable::Signal) is chosen.
    #[error("R7: a presence map is overlong")]
    R7,
    /// Section 10.5: a bit is set that no instruction used. Raised where
    /// [`Reportable::Signal`](super::Reportable::Signal) is chosen, at the place of the presence map.
    #[error("R8: a presence map has more bits than needed")]
    R8,
    /// Section 10.6.3. Raised where [`Reportable::Signal`](super::Reportable::Signal) is chosen.
    #[error("R9: a string is overlong")]
    R9,
    /// The specification has no code for it: the bytes end inside a message.
    #[error("the bytes end inside a message")]
    Truncated,
    /// The specification has no limit: references lead more than [`NESTING`](super::NESTING) deep.
    #[error("groups, sequences and references are nested too deep")]
    Nesting,
    /// The specification has no limit: a packet decodes to more than [`WORK`](super::WORK) instructions, which only templates
    /// that take values from no bytes can do.
    #[error("a packet decodes to too much")]
    Work,
}

/// An error of a template definition and its place.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: {code}: {reason}")]
pub struct TemplateError {
    /// What is wrong.
    pub code: StaticCode,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    /// What was found there, for a reader.
    pub reason: String,
}

/// What is wrong with a template definition: the static errors of appendix 4, and three that the specification leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Error)]
pub enum StaticCode {
    /// Section 4.
    #[error("S1 (not a valid template definition)")]
    S1,
    /// Section 6.3.
    #[error("S2 (the operator does not apply to the type)")]
    S2,
    /// Section 6.3.2.
    #[error("S3 (the initial value is not a value of the type)")]
    S3,
    /// Section 6.3.3.
    #[error("S4 (a constant without a value)")]
    S4,
    /// Section 6.3.4.
    #[error("S5 (a mandatory default without a value)")]
    S5,
    /// Two templates have one name or one identifier.
    #[error("duplicate")]
    Duplicate,
    /// A template refers statically to itself, directly or through others.
    #[error("cycle of references")]
    Cycle,
    /// The XML, or a template with its references, is larger or deeper than this reader takes.
    #[error("too large")]
    Limit,
}
