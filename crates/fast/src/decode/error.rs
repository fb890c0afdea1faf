//! Dynamic and reportable errors (section 4 and appendix 4).

use std::fmt;

use formats::fast::Fault;
use thiserror::Error;

use super::name_of;
use crate::template::Templates;

/// What is wrong with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
#[non_exhaustive]
pub enum ErrorCode {
    /// D2: an integer outside its type.
    #[error("[D2] the integer is outside the range of its type")]
    D2,
    /// D4: the previous value is of another type.
    #[error("[D4] the previous value in the dictionary is of another type")]
    D4,
    /// D5: nothing in the stream, nothing before, no initial value.
    #[error(
        "[D5] a mandatory field is not in the stream, and has neither a previous nor an initial value"
    )]
    D5,
    /// D6: nothing in the stream, and the previous value is empty.
    #[error("[D6] a mandatory field or a delta needs the previous value, which is empty")]
    D6,
    /// D7: more is subtracted than there is.
    #[error("[D7] the subtraction length is larger than the previous string, or than an int32")]
    D7,
    /// D9: no template has this identifier.
    #[error("[D9] no template has the identifier in the stream; is it the right template file?")]
    D9,
    /// D12: a block of no bytes.
    #[error("[D12] a block of size zero")]
    D12,
    /// R1: a decimal out of range.
    #[error("[R1] the exponent is outside -63 to 63, or the mantissa no int64")]
    R1,
    /// R2: not UTF-8.
    #[error("[R2] the Unicode string is not valid UTF-8")]
    R2,
    /// R4: a delta leads outside the type.
    #[error("[R4] the sum of previous value and delta is outside the range of the type")]
    R4,
    /// R6: an integer with needless bytes.
    #[error("[R6] an integer in an overlong encoding")]
    R6,
    /// R7: a presence map with needless bytes.
    #[error("[R7] an overlong presence map")]
    R7,
    /// R8: bits that no field takes.
    #[error("[R8] the presence map has more bits than its segment takes")]
    R8,
    /// R9: a string with needless bytes.
    #[error("[R9] a string in an overlong encoding")]
    R9,
    /// The packet ends inside a message.
    #[error("the packet ends inside a message")]
    Truncated,
    /// Dynamic references too deep.
    #[error("dynamic template references more than {} deep", super::run::DEEPEST)]
    TooDeep,
    /// A sequence of entries that take no bytes.
    #[error(
        "more than {} entries that take no bytes",
        super::run::MOST_FREE_ENTRIES
    )]
    TooManyEntries,
    /// A string that outgrows the dictionary.
    #[error(
        "a string of more than {} bytes with an operator",
        crate::dictionary::LONGEST_TEXT
    )]
    TooLong,
}

impl ErrorCode {
    /// All of them, in order.
    pub const ALL: [ErrorCode; 18] = [
        ErrorCode::D2,
        ErrorCode::D4,
        ErrorCode::D5,
        ErrorCode::D6,
        ErrorCode::D7,
        ErrorCode::D9,
        ErrorCode::D12,
        ErrorCode::R1,
        ErrorCode::R2,
        ErrorCode::R4,
        ErrorCode::R6,
        ErrorCode::R7,
        ErrorCode::R8,
        ErrorCode::R9,
        ErrorCode::Truncated,
        ErrorCode::TooDeep,
        ErrorCode::TooManyEntries,
        ErrorCode::TooLong,
    ];

    /// The name of its counter.
    pub const fn name(self) -> &'static str {
        match self {
            ErrorCode::D2 => "d2",
            ErrorCode::D4 => "d4",
            ErrorCode::D5 => "d5",
            ErrorCode::D6 => "d6",
            ErrorCode::D7 => "d7",
            ErrorCode::D9 => "d9",
            ErrorCode::D12 => "d12",
            ErrorCode::R1 => "r1",
            ErrorCode::R2 => "r2",
            ErrorCode::R4 => "r4",
            ErrorCode::R6 => "r6",
            ErrorCode::R7 => "r7",
            ErrorCode::R8 => "r8",
            ErrorCode::R9 => "r9",
            ErrorCode::Truncated => "truncated",
            ErrorCode::TooDeep => "too_deep",
            ErrorCode::TooManyEntries => "too_many_entries",
            ErrorCode::TooLong => "too_long",
        }
    }

    /// `D2` and so on; none for truncation and the limits that the specification does not number.
    pub const fn code(self) -> Option<&'static str> {
        Some(match self {
            ErrorCode::D2 => "D2",
            ErrorCode::D4 => "D4",
            ErrorCode::D5 => "D5",
            ErrorCode::D6 => "D6",
            ErrorCode::D7 => "D7",
            ErrorCode::D9 => "D9",
            ErrorCode::D12 => "D12",
            ErrorCode::R1 => "R1",
            ErrorCode::R2 => "R2",
            ErrorCode::R4 => "R4",
            ErrorCode::R6 => "R6",
            ErrorCode::R7 => "R7",
            ErrorCode::R8 => "R8",
            ErrorCode::R9 => "R9",
            _ => return None,
        })
    }
}

impl From<Fault> for ErrorCode {
    #[inline(always)]
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Truncated => ErrorCode::Truncated,
            Fault::TooLarge => ErrorCode::D2,
        }
    }
}

/// An error, and where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub struct Error {
    /// What.
    pub code: ErrorCode,
    /// Bytes from the packet's start: where the field ends that it was found in.
    pub offset: usize,
    /// The index of the template, once it is known.
    pub template: Option<usize>,
    /// The index of the instruction, if it is one's fault.
    pub instruction: Option<usize>,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: {}", self.offset, self.code)
    }
}

impl Error {
    /// With the names of template and field.
    pub fn describe(&self, templates: &Templates) -> String {
        let Some(template) = self.template.and_then(|index| templates.all().get(index)) else {
            return self.to_string();
        };
        let field = self
            .instruction
            .map_or("", |index| name_of(template, index));
        let separator = if field.is_empty() { "" } else { ", field " };
        format!(
            "{self} (template {}{separator}{field})",
            template.name.local
        )
    }
}

/// Which reportable errors are errors. Those that are not are passed over: an overlong encoding is read, a sum wraps around, what is not
/// UTF-8 is given as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reportable(u16);

impl Reportable {
    /// All of them, as the specification recommends during development and testing. They cost next to nothing here.
    pub const ALL: Reportable = Reportable(u16::MAX);
    /// None.
    pub const NONE: Reportable = Reportable(0);

    const fn bit(code: ErrorCode) -> u16 {
        match code {
            ErrorCode::R1 => 1,
            ErrorCode::R2 => 2,
            ErrorCode::R4 => 4,
            ErrorCode::R6 => 8,
            ErrorCode::R7 => 16,
            ErrorCode::R8 => 32,
            ErrorCode::R9 => 64,
            _ => 0,
        }
    }

    /// With this one too.
    #[must_use]
    pub const fn with(self, code: ErrorCode) -> Self {
        Reportable(self.0 | Self::bit(code))
    }

    /// Without this one.
    #[must_use]
    pub const fn without(self, code: ErrorCode) -> Self {
        Reportable(self.0 & !Self::bit(code))
    }

    /// Whether it is reported. Dynamic errors always are.
    #[inline(always)]
    pub const fn has(self, code: ErrorCode) -> bool {
        let bit = Self::bit(code);
        bit == 0 || self.0 & bit != 0
    }
}

impl Default for Reportable {
    fn default() -> Self {
        Reportable::ALL
    }
}
