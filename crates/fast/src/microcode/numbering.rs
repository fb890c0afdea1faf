//! Numbers of seven bits for the fields of a program, for the lines of the ring in host memory.

use std::collections::BTreeMap;

use thiserror::Error;

use super::text::SUBTRACTION;
use super::{Execute, Program, ValueKind};

/// What the values of a field are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RingKind {
    /// Unsigned integers.
    Unsigned,
    /// Signed integers.
    Signed,
    /// Decimals: exponent, then mantissa.
    Decimal,
    /// Strings and byte vectors, in pieces of up to eight characters.
    Text,
}

impl RingKind {
    const fn of(execute: &Execute) -> Option<Self> {
        Some(match execute.kind {
            // The length of a byte vector, the subtraction length of a delta.
            ValueKind::Exponent if !execute.signed_value => RingKind::Text,
            ValueKind::Exponent if execute.value_type == SUBTRACTION => RingKind::Text,
            ValueKind::Unsigned => RingKind::Unsigned,
            ValueKind::Signed => RingKind::Signed,
            ValueKind::Exponent | ValueKind::Mantissa | ValueKind::Decimal => RingKind::Decimal,
            ValueKind::Text => RingKind::Text,
            ValueKind::None | ValueKind::Group => return None,
        })
    }
}

/// A line has seven bits for a field's number, and 0 is the template's identifier.
pub const MOST_NUMBERS: usize = 127;

/// The program has more fields that are wanted than numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{0} fields are wanted; a ring's lines have numbers for {MOST_NUMBERS}")]
pub struct TooManyFields(
    /// How many.
    pub usize,
);

/// The fields of a program by number, from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbering {
    fields: Vec<(u32, RingKind)>,
}

impl Numbering {
    /// Gives the wanted fields of a program numbers in place of their tags, in the order of its instructions. A tag that is of two kinds has two numbers.
    ///
    /// # Errors
    /// There are too many; the program is unchanged.
    pub fn number(program: &mut Program) -> Result<Self, TooManyFields> {
        let mut numbers = BTreeMap::new();
        let mut fields = Vec::new();
        for execute in program.groups.iter().flat_map(|(_, executes)| executes) {
            if let Some(field) = field(execute) {
                numbers.entry(field).or_insert_with(|| {
                    fields.push(field);
                    fields.len() as u32
                });
            }
        }
        if fields.len() > MOST_NUMBERS {
            return Err(TooManyFields(fields.len()));
        }
        for execute in program.groups.iter_mut().flat_map(|(_, executes)| executes) {
            if let Some(number) = field(execute).and_then(|field| numbers.get(&field)) {
                execute.tag = *number;
            }
        }
        Ok(Numbering { fields })
    }

    /// The field of a number: its tag, and what its values are.
    pub fn field(&self, number: u8) -> Option<(u32, RingKind)> {
        let index = usize::from(number).checked_sub(1)?;
        self.fields.get(index).copied()
    }
}

fn field(execute: &Execute) -> Option<(u32, RingKind)> {
    let kind = RingKind::of(execute)?;
    execute.wanted.then_some((execute.tag, kind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Templates;
    use crate::microcode::{Room, Wanted, assemble};

    #[test]
    fn each_wanted_field_has_one_number_and_a_decimal_one_for_both_parts() {
        let xml = r#"<templates><template name="A" id="1"><uInt32 name="X" id="268"/><decimal name="P" id="270"/><string name="S" id="55"/></template>
            <template name="B" id="2"><int32 name="X" id="268"/><string name="S" id="55"/></template></templates>"#;
        let templates = Templates::parse(xml).expect("well-formed");
        let mut program = assemble(&templates, &Wanted::All, Room::default());
        let numbering = Numbering::number(&mut program).expect("few fields");
        assert_eq!(numbering.field(0), None);
        assert_eq!(numbering.field(1), Some((268, RingKind::Unsigned)));
        assert_eq!(numbering.field(2), Some((270, RingKind::Decimal)));
        assert_eq!(numbering.field(3), Some((55, RingKind::Text)));
        assert_eq!(numbering.field(4), Some((268, RingKind::Signed)));
        assert_eq!(numbering.field(5), None);
        let tags: Vec<u32> = program
            .groups
            .iter()
            .flat_map(|(_, executes)| executes)
            .filter(|execute| execute.wanted && execute.kind != ValueKind::None)
            .map(|execute| execute.tag)
            .collect();
        assert_eq!(tags, [1, 2, 2, 3, 4, 3]);
    }

    #[test]
    fn more_fields_than_numbers_are_refused() {
        let fields: String = (0..128)
            .map(|id| format!(r#"<uInt32 name="F{id}" id="{}"/>"#, id + 1))
            .collect();
        let xml =
            format!(r#"<templates><template name="A" id="1">{fields}</template></templates>"#);
        let templates = Templates::parse(&xml).expect("well-formed");
        let mut program = assemble(&templates, &Wanted::All, Room::default());
        assert_eq!(Numbering::number(&mut program), Err(TooManyFields(128)));
    }
}
