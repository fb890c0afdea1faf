//! What a FAST message says once it is decoded.

/// The fields of a message, a group or an element of a sequence: name and value, in the template's order.
///
/// Every field of the template is there, constants too; one that has no value is [`Value::Absent`].
pub type Fields = Vec<(String, Value)>;

/// A decoded message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The local name of its template.
    pub template: String,
    /// Its fields. Those of a statically referenced template stand in the place of the reference.
    pub fields: Fields,
}

impl Message {
    /// The first field of this name at the top of the message, or `None`.
    pub fn field(&self, name: &str) -> Option<&Value> {
        field(&self.fields, name)
    }
}

/// The first of `fields` that has this name, or `None`.
pub fn field<'a>(fields: &'a [(String, Value)], name: &str) -> Option<&'a Value> {
    fields
        .iter()
        .find(|(of, _)| of == name)
        .map(|(_, value)| value)
}

/// The value of a field (section 5 of the FAST 1.1 specification).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// An optional field, group or sequence without a value.
    Absent,
    /// `uInt8` to `uInt64`.
    Unsigned(u64),
    /// `int8` to `int64`.
    Signed(i64),
    /// A decimal: mantissa times ten to the power of the exponent, as it was sent (not normalized).
    Decimal {
        /// -63 to 63.
        exponent: i32,
        /// The digits, with the sign.
        mantissa: i64,
    },
    /// A string of seven-bit characters.
    Ascii(String),
    /// A string with `charset="unicode"`.
    Unicode(String),
    /// A byte vector.
    Bytes(Vec<u8>),
    /// A group; or, under the local name of the template that was chosen, what a dynamic template reference led to.
    Group(Fields),
    /// The elements of a sequence. Its length field is not told apart: it is the number of elements.
    Sequence(Vec<Fields>),
}
