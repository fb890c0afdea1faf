//! Where the reference has the state: one word after the other.

use language::Program;
use language::program::Shape;

/// The words of a field. A ring has its values, the newest first and 0 where it has none, and then how many there are.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    /// The first.
    pub first: usize,
    /// How many values.
    pub length: usize,
    /// It is a ring.
    pub ring: bool,
    /// It is one value.
    pub scalar: bool,
}

/// The words of each field, and how many there are in all; at least 1.
pub fn layout(program: &Program) -> (Vec<Words>, usize) {
    let mut first = 0;
    let fields = program.fields.iter().enumerate();
    let fields = fields.map(|(index, field)| {
        let words = Words {
            first,
            length: program.length(index),
            ring: matches!(field.shape, Shape::Ring(_)),
            scalar: field.shape == Shape::Scalar,
        };
        first += words.length + usize::from(words.ring);
        words
    });
    let fields = fields.collect();
    (fields, first.max(1))
}

/// A number of 64 bits with a sign.
pub fn number(value: i64) -> String {
    match value {
        0.. => format!("64'sd{value}"),
        i64::MIN => "64'sh8000000000000000".into(),
        _ => format!("-64'sd{}", -value),
    }
}
