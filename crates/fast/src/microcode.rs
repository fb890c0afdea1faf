//! Programs for the FAST engine in hardware (`rtl/decoder/fast`): instruction set, assembler, listing.
//!
//! ```text
//!  Templates ── assemble ── Program ─┬─ loads: what the host writes into the engine
//!                    text ── parse ──┴─ listing: four columns, which parse reads again
//! ```
//! An instruction is two words: [`Walk`] says which tokens it takes and what follows it, [`Execute`] what its operator makes of them. Four instructions
//! are a [`Group`]: of these the engine finds the first that has something to do, once a cycle. `docs/reference/fast-microcode.md` has the encoding.

mod assemble;
mod hash;
mod listing;
mod members;
mod numbering;
mod parse;
mod slots;
mod text;
mod word;

use thiserror::Error;

pub use assemble::{Wanted, assemble};
pub use hash::Patterns;
pub use numbering::{MOST_NUMBERS, Numbering, RingKind, TooManyFields};
pub use parse::{Fault, ParseError};
pub use word::{Ends, Execute, Group, Load, Row, ValueKind, Walk, WalkKind};

/// Instructions of a group.
pub const GROUP_SIZE: usize = 4;
/// Groups of instructions that any engine has room for.
pub const MOST_GROUPS: usize = 512;
/// Bits of a presence map at most: five bytes.
pub const MOST_MAP_BITS: u16 = 35;
/// Dictionary entries at most.
pub const MOST_SLOTS: usize = 256;
/// Bytes of a string in the dictionary, of an initial value and of a constant at most.
pub const MOST_CHARACTERS: usize = 64;
/// Dictionary entries that strings share, at most.
pub const MOST_TEXTS: usize = 32;
/// Pieces of eight bytes in the text memory, which has the initial values and constants of more than eight.
pub const MOST_TEXT_PIECES: usize = 192;

/// An instruction that never acts: what a group is filled with.
const NOTHING: Walk = Walk {
    unconditional: true,
    bit_index: 0,
    act_set: false,
    act_clear: false,
    kind: WalkKind::Field,
    nullable: false,
    waits: false,
    waits_long: false,
    slot: 0,
};

/// What an engine has room for: the parameters of `fast_engine`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Groups of instructions: 512 at most.
    pub groups: usize,
    /// Sequences, and groups with a presence map, inside each other.
    pub nesting: usize,
}

impl Default for Room {
    fn default() -> Self {
        Room {
            groups: 256,
            nesting: 8,
        }
    }
}

/// Why the engine cannot take a template.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Limit {
    /// A constant or an initial value that is too long.
    #[error("the constant or initial value of {0} has {1} bytes; at most {MOST_CHARACTERS} fit")]
    Initial(
        /// The field.
        String,
        /// Its bytes.
        usize,
    ),
    /// Constants and initial values that are too long together.
    #[error(
        "constants and initial values of more than eight bytes take more than {MOST_TEXT_PIECES} pieces of eight"
    )]
    TextMemory,
    /// Too many dictionary entries of strings.
    #[error("strings and byte vectors use more than {MOST_TEXTS} dictionary entries")]
    Texts,
    /// A dynamic template reference from within an application type, on which fields of a template depend that it may lead to.
    #[error(
        "a dynamic template reference may lead to {0}, whose dictionary entries depend on the application type around it"
    )]
    ApplicationType(
        /// That template.
        String,
    ),
    /// A presence map that is too long.
    #[error("a presence map has {0} bits; at most {MOST_MAP_BITS} fit")]
    MapBits(
        /// How many.
        u16,
    ),
    /// Brackets that are too deep.
    #[error("sequences and groups are {0} deep; at most {1} fit")]
    Nesting(
        /// How deep.
        usize,
        /// The room.
        usize,
    ),
    /// A sequence whose entries take no bytes, so that billions fit a packet.
    #[error("an entry of {0} takes no bytes")]
    FreeEntries(
        /// The sequence.
        String,
    ),
    /// A dictionary that is too large.
    #[error("the operators use more than {MOST_SLOTS} dictionary entries")]
    Slots,
    /// A program that is too long.
    #[error("the program has no room left: {0} groups of instructions")]
    Groups(
        /// The room.
        usize,
    ),
    /// An identifier that the jump table cannot keep apart from another's.
    #[error("no jump table keeps identifier {0} apart from the others")]
    Identifier(
        /// The identifier.
        u32,
    ),
}

/// A template that is not in a program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("template {name}: {limit}")]
pub struct Refused {
    /// Its index in [`Templates::all`](crate::Templates::all).
    pub template: usize,
    /// Its name.
    pub name: String,
    /// Why.
    pub limit: Limit,
}

/// A template in a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subroutine {
    /// Its name.
    pub name: String,
    /// Its row of the jump table.
    pub row: Row,
}

/// A program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// The groups, and of each the words of its four instructions.
    pub groups: Vec<(Group, [Execute; GROUP_SIZE])>,
    /// The text memory: constants and initial values of more than eight bytes, in pieces of eight. The last piece of each has its last byte lowest.
    pub texts: Vec<u64>,
    /// The templates, in the order of the document.
    pub subroutines: Vec<Subroutine>,
    /// What keeps their identifiers apart.
    pub patterns: Patterns,
    /// Templates that have an identifier, and are not in it.
    pub refused: Vec<Refused>,
}

impl Program {
    /// What is written into the engine, in any order, while it holds: all rows of the jump table too, so that nothing of a program before is left.
    pub fn loads(&self) -> Vec<Load> {
        let mut loads = vec![self.patterns.load()];
        for (index, (group, instructions)) in self.groups.iter().enumerate() {
            loads.push(group.load(index));
            for (at, execute) in instructions.iter().enumerate() {
                loads.push(execute.load(index * GROUP_SIZE + at));
            }
        }
        let texts = self.texts.iter().enumerate();
        loads.extend(texts.map(|(index, piece)| word::load_text(index, *piece)));
        let mut rows = vec![Row::default(); hash::ROWS];
        for subroutine in &self.subroutines {
            let at = self.patterns.row(subroutine.row.id);
            if let Some(row) = rows.get_mut(at) {
                *row = subroutine.row;
            }
        }
        loads.extend(rows.iter().enumerate().map(|(index, row)| row.load(index)));
        loads
    }

    /// The subroutine of a template's identifier.
    pub fn subroutine(&self, id: u32) -> Option<&Subroutine> {
        self.subroutines.iter().find(|each| each.row.id == id)
    }
}
