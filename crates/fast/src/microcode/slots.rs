//! Where previous values are in the engine.

use std::collections::{BTreeSet, HashMap};

use super::{Limit, MOST_SLOTS, MOST_TEXTS};
use crate::template::{Instruction, Kind, Templates};

/// The dictionary entry of each slot.
pub(super) struct Slots {
    /// Those of strings come first: the engine has a text memory for so many.
    entries: HashMap<u16, usize>,
    /// For a decimal's slot, the entry of its mantissa; its exponent has the slot's own.
    mantissas: HashMap<u16, usize>,
    /// How many instructions use a slot.
    uses: HashMap<u16, usize>,
}

/// Whether it is a string or byte vector.
const fn is_text(kind: Kind) -> bool {
    matches!(kind, Kind::Ascii | Kind::Unicode | Kind::Bytes)
}

impl Slots {
    pub(super) fn new(templates: &Templates) -> Self {
        let all = templates.all().iter();
        let users: Vec<(u16, Kind)> = all
            .flat_map(|one| &one.instructions)
            .filter_map(|one| Some((one.slot?.0, one.kind)))
            .collect();
        let texts: BTreeSet<u16> = users
            .iter()
            .filter(|(_, kind)| is_text(*kind))
            .map(|(slot, _)| *slot)
            .collect();
        let others = 0..u16::try_from(templates.slot_count()).unwrap_or(u16::MAX);
        let others = others.filter(|slot| !texts.contains(slot));
        let order = texts.iter().copied().chain(others);
        let entries: HashMap<u16, usize> = order
            .enumerate()
            .map(|(entry, slot)| (slot, entry))
            .collect();
        let mut slots = Slots {
            mantissas: HashMap::new(),
            uses: HashMap::new(),
            entries,
        };
        let mut next = slots.entries.len();
        for (slot, kind) in users {
            *slots.uses.entry(slot).or_default() += 1;
            if kind == Kind::Decimal && !slots.mantissas.contains_key(&slot) {
                slots.mantissas.insert(slot, next);
                next += 1;
            }
        }
        slots
    }

    fn entry(number: usize) -> Result<u8, Limit> {
        if number >= MOST_SLOTS {
            return Err(Limit::Slots);
        }
        Ok(number as u8)
    }

    /// The entry of a field, or of an exponent.
    pub(super) fn of(&self, instruction: &Instruction) -> Result<u8, Limit> {
        let Some(slot) = instruction.slot else {
            return Ok(0);
        };
        let entry = self.entries.get(&slot.0).copied().unwrap_or(0);
        if is_text(instruction.kind) && entry >= MOST_TEXTS {
            return Err(Limit::Texts);
        }
        Self::entry(entry)
    }

    /// The entry of a mantissa.
    pub(super) fn mantissa(&self, instruction: &Instruction) -> Result<u8, Limit> {
        let slot = instruction.slot.map_or(0, |slot| slot.0);
        Self::entry(self.mantissas.get(&slot).copied().unwrap_or(0))
    }

    /// Whether other instructions use the entry of this one.
    pub(super) fn is_shared(&self, instruction: &Instruction) -> bool {
        let slot = instruction.slot.map_or(0, |slot| slot.0);
        self.uses.get(&slot).copied().unwrap_or(0) > 1
    }
}
