//! Why a message cannot be encoded.

use thiserror::Error;

use crate::template::Templates;

/// What is wrong with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EncodeFault {
    /// The message's template is not of the set, or has no identifier.
    #[error("there is no template of this index, or it has no id")]
    NoTemplate,
    /// A mandatory field without a value.
    #[error("a mandatory field has no value")]
    Missing,
    /// A value of another type than the field's.
    #[error("the value is not of the field's type")]
    WrongType,
    /// D2: an integer outside its type.
    #[error("[D2] the integer is outside the range of its type")]
    Range,
    /// D3: a decimal whose part is another than the constant.
    #[error("[D3] the operators of exponent and mantissa cannot give this decimal")]
    Decimal,
    /// A value that is not the constant.
    #[error("the value is not the template's constant")]
    Constant,
    /// D4: the previous value is of another type.
    #[error("[D4] the previous value in the dictionary is of another type")]
    PreviousType,
    /// D6: a delta from an empty value.
    #[error("[D6] a delta needs the previous value, which is empty")]
    PreviousEmpty,
    /// A tail can replace the end of the string before, or all of it, but not shorten it.
    #[error("the operator tail cannot make the previous string shorter")]
    Tail,
    /// R1: a decimal out of range.
    #[error("[R1] the exponent is outside -63 to 63")]
    Exponent,
    /// R2: not UTF-8.
    #[error("[R2] the Unicode string is not valid UTF-8")]
    Unicode,
    /// Not ASCII.
    #[error("[R3] the string is not ASCII; the template must say charset=\"unicode\"")]
    Ascii,
    /// A string that outgrows the dictionary, or a sequence above 32 bits.
    #[error("the string or the sequence is too long")]
    TooLong,
    /// Dynamic references too deep.
    #[error("messages too deep inside each other")]
    TooDeep,
}

/// An error, and which field it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{fault}")]
pub struct EncodeError {
    /// What.
    pub fault: EncodeFault,
    /// The index of the template.
    pub template: usize,
    /// The index of the instruction, if it is one's.
    pub instruction: Option<usize>,
}

impl EncodeError {
    /// With the names of template and field.
    pub fn describe(&self, templates: &Templates) -> String {
        let Some(template) = templates.all().get(self.template) else {
            return self.to_string();
        };
        let field = self
            .instruction
            .and_then(|at| template.instructions.get(at));
        let field = field.map_or_else(String::new, |field| format!(", field {}", field.name.local));
        format!("template {}{field}: {}", template.name.local, self.fault)
    }
}
