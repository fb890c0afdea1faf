//! Where an entry's null exponents are looked for: by the tokens that are left.

use super::word::map_mask;
use super::{NULL_ROWS, Room};
use crate::template::{
    Instruction, Kind, LateBits, Template, is_optional_decimal, late_bits, tokens,
    watched_exponents,
};

/// Exponents of optional decimals: where the walk looks for a null one, and which are watched.
#[derive(Default)]
pub(super) struct Exponents {
    pub(super) rows: u32,
    pub(super) guessed: bool,
    pub(super) late: u16,
    pub(super) late_row: u8,
    /// By their index in the entry.
    pub(super) watched: Vec<usize>,
}

impl Exponents {
    /// `start`: where the sequence begins; `entries`: what is inside.
    pub(super) fn new(
        template: &Template,
        start: usize,
        entries: &[Instruction],
        room: &Room,
    ) -> Self {
        let late = match late_bits(template) {
            LateBits::None => None,
            LateBits::One(at) => Some(at - start - 1),
            LateBits::Many => return Self::unsure(template, start, entries, room),
        };
        let watched = watched_exponents(template);
        let mut exponents = Exponents::default();
        // Tokens to the entry's end, without the late field.
        let mut left = 0;
        for (index, instruction) in entries.iter().enumerate().rev() {
            let tokens = tokens(instruction);
            if late == Some(index) {
                if left + 1 < NULL_ROWS {
                    exponents.late = instruction.map_bit.map_or(0, map_mask);
                    exponents.late_row = left as u8 + 1;
                }
                continue;
            }
            left += tokens;
            if !is_optional_decimal(instruction) {
                continue;
            }
            if left < NULL_ROWS {
                exponents.rows |= 1 << left;
            }
            let most = left + usize::from(late.is_some_and(|late| index < late));
            if most >= NULL_ROWS || watched.contains(&(start + 1 + index)) {
                exponents.watched.push(index);
            }
        }
        exponents
    }

    /// Where bits of the presence map decide that are more than one, the tokens that are left do not tell it surely: such exponents are watched; where there is
    /// room to watch all, the walk guesses: decimals that come later are there, and any of the other fields with a bit. A copied decimal that is there no more takes others
    /// with it (X-OLR-CURR: a delete after an add has neither size nor status), so it is the entry with more bits that has the null exponent. A wrong guess
    /// is found out, and costs no more than a null exponent that is not reckoned with.
    fn unsure(template: &Template, start: usize, entries: &[Instruction], room: &Room) -> Self {
        let unsure = watched_exponents(template);
        let (mut sure, mut guesses) = (0_u32, 0_u32);
        let (mut all, mut watched) = (vec![], vec![]);
        // Tokens to the entry's end: at most, and with no bit but those of decimals.
        let (mut most, mut left) = (0, 0);
        for (index, instruction) in entries.iter().enumerate().rev() {
            let tokens = tokens(instruction);
            most += tokens;
            if instruction.map_bit.is_none() || instruction.kind == Kind::Decimal {
                left += tokens;
            }
            if !is_optional_decimal(instruction) {
                continue;
            }
            all.push(index);
            if most < NULL_ROWS && !unsure.contains(&(start + 1 + index)) {
                sure |= 1 << left;
                continue;
            }
            watched.push(index);
            for row in left..=most.min(NULL_ROWS - 1) {
                guesses |= 1 << row;
            }
        }
        let guessed = all.len() <= room.watches && guesses != 0;
        Exponents {
            rows: if guessed { sure | guesses } else { sure },
            guessed,
            watched: if guessed { all } else { watched },
            ..Exponents::default()
        }
    }
}
