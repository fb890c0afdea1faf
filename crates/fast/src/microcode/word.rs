//! The words of a program, as they are encoded: `rtl/decoder/fast/fast_pkg.sv` has the same structures.

use super::GROUP_SIZE;
use crate::template::Operator;

/// A write into the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// 0: a group; 1: an instruction; 2: a row of the jump table; 3: the hash of the jump table; 7: eight bytes of the text memory.
    pub what: u8,
    /// Which one.
    pub index: u16,
    /// The word, its lowest 32 bits first.
    pub data: [u32; 5],
}

/// Eight bytes of the text memory.
pub(super) fn load_text(index: usize, piece: u64) -> Load {
    let mut out = Writer::default();
    out.put(piece, 64);
    out.load(7, index)
}

/// Puts members together, the highest first.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Writer {
    low: u128,
    high: u32,
}

impl Writer {
    pub(super) fn put(&mut self, value: u64, bits: u32) {
        let mask = if bits == 64 { !0 } else { (1 << bits) - 1 };
        let out = (self.low >> (128 - bits)) as u64;
        self.high = if bits < 32 {
            self.high << bits | out as u32
        } else {
            out as u32
        };
        self.low = self.low << bits | u128::from(value & mask);
    }

    fn flag(&mut self, value: bool) {
        self.put(u64::from(value), 1);
    }

    pub(super) fn load(&self, what: u8, index: usize) -> Load {
        let mut data = [0; 5];
        for (at, word) in data.iter_mut().enumerate().take(4) {
            *word = (self.low >> (32 * at)) as u32;
        }
        data[4] = self.high;
        Load {
            what,
            index: index as u16,
            data,
        }
    }
}

/// What an instruction means for the walk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WalkKind {
    /// An integer, or a mantissa.
    #[default]
    Field = 0,
    /// No token: a constant. With [`Walk::waits`] that of a length, or if [`Walk::nullable`] of an exponent.
    Value = 1,
    /// A string.
    Text = 2,
    /// An exponent: where it is absent, the next instruction is skipped.
    Exponent = 3,
    /// The presence map of an entry.
    Map = 4,
    /// The length of a sequence, which begins in the next group.
    Length = 5,
    /// A group with a presence map, which begins in the next group of instructions.
    Group = 6,
    /// A group without.
    Branch = 7,
    /// A byte vector, after its length, which is as an exponent. Encoded as [`WalkKind::Text`] that takes no token.
    Bytes = 8,
    /// A constant string in the text memory, whose value is waited for. Encoded as [`WalkKind::Value`].
    Literal = 9,
}

/// The first word of an instruction: which tokens it takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Walk {
    /// It has no presence-map bit, as if that were set.
    pub unconditional: bool,
    /// Which of the bits that its group takes is its own.
    pub bit_index: u8,
    /// There is something to do with its bit set.
    pub act_set: bool,
    /// There is without it.
    pub act_clear: bool,
    /// What it is.
    pub kind: WalkKind,
    /// NULL can stand for no value.
    pub nullable: bool,
    /// The walk waits for its value, where that is not in the token; of a string or byte vector in any case, for it is put together.
    pub waits: bool,
    /// It waits once there was a string of more than eight bytes in the dictionary.
    pub waits_long: bool,
    /// Its dictionary entry.
    pub slot: u8,
}

/// What ends after a group of instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ends {
    /// Nothing.
    #[default]
    Nothing = 0,
    /// The message.
    Message = 1,
    /// An entry without a presence map.
    Entry = 2,
    /// An entry with one.
    EntryMap = 3,
    /// A group of fields with one.
    Group = 4,
    /// Nothing: a dynamic template reference comes after it.
    Reference = 5,
}

/// Four instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// Their first words; those that are not used do nothing.
    pub walk: [Walk; GROUP_SIZE],
    /// Presence-map bits that they take, but for the mantissa's of `takes_more`.
    pub map_bits: u8,
    /// One more, for the last instruction, unless the exponent among them is absent.
    pub takes_more: bool,
    /// What ends.
    pub ends: Ends,
    /// The group to go on with where a sequence has no entries, or a group is absent.
    pub target: u16,
}

impl Walk {
    /// Whether it gives the length of a sequence.
    pub(super) fn is_length(&self) -> bool {
        let constant = self.kind == WalkKind::Value && self.waits && !self.nullable;
        self.kind == WalkKind::Length || constant
    }

    fn put(&self, out: &mut Writer) {
        out.flag(self.unconditional);
        out.put(u64::from(self.bit_index), 2);
        out.flag(self.act_set);
        out.flag(self.act_clear);
        let kind = match self.kind {
            WalkKind::Bytes => WalkKind::Text,
            WalkKind::Literal => WalkKind::Value,
            kind => kind,
        };
        out.put(kind as u64, 3);
        out.flag(!matches!(
            self.kind,
            WalkKind::Value | WalkKind::Branch | WalkKind::Bytes | WalkKind::Literal
        ));
        out.flag((self.kind == WalkKind::Exponent && self.nullable) || self.waits_long);
        // A token's value is known, unless it is a delta: a length with one has no presence-map bit. Nor has a subtraction length, whose NULL skips two.
        let known = match self.kind {
            WalkKind::Length | WalkKind::Exponent => !self.unconditional,
            WalkKind::Value | WalkKind::Literal | WalkKind::Text | WalkKind::Bytes => false,
            _ => true,
        };
        out.flag(self.waits && !known);
        out.flag(self.waits && !self.unconditional && self.kind != WalkKind::Literal);
        out.put(u64::from(self.slot), 8);
    }
}

impl Group {
    fn put(&self, out: &mut Writer) {
        for walk in self.walk.iter().rev() {
            walk.put(out);
        }
        out.flag(self.walk[0].kind == WalkKind::Map);
        out.put(u64::from(self.map_bits), 3);
        out.flag(self.takes_more);
        out.put(self.ends as u64, 3);
        let length = self.walk.iter().find(|walk| walk.is_length());
        out.flag(length.is_some());
        out.flag(length.is_some_and(|walk| walk.nullable));
        out.put(u64::from(self.target), 9);
    }

    pub(super) fn load(&self, index: usize) -> Load {
        let mut out = Writer::default();
        self.put(&mut out);
        out.load(0, index)
    }
}

/// What a value is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ValueKind {
    /// None.
    #[default]
    None = 0,
    /// An unsigned integer.
    Unsigned = 1,
    /// A signed integer.
    Signed = 2,
    /// The exponent of a decimal; unsigned, the length of a byte vector.
    Exponent = 3,
    /// The mantissa, which comes after it.
    Mantissa = 4,
    /// A constant decimal.
    Decimal = 5,
    /// A string or byte vector.
    Text = 6,
    /// A group that may be absent.
    Group = 7,
}

/// The second word of an instruction: what its operator makes of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Execute {
    /// The field's number.
    pub tag: u32,
    /// The initial value, or the constant: an integer, a mantissa, characters with the last in the lowest byte; of more than eight their place in
    /// [`Program::texts`](super::Program::texts).
    pub initial: u64,
    /// Of a constant decimal the exponent, of a string its length.
    pub extra: i8,
    /// The operator.
    pub operator: Operator,
    /// What the value is.
    pub kind: ValueKind,
    /// 8, 16, 32, 64 bits: 0 to 3.
    pub width: u8,
    /// [`Kind::value_type`](crate::Kind::value_type).
    pub value_type: u8,
    /// NULL can stand for no value.
    pub nullable: bool,
    /// There is an initial value.
    pub has_initial: bool,
    /// The value leaves.
    pub wanted: bool,
    /// Of a decimal's part: the decimal has one operator for both.
    pub whole: bool,
    /// The token is a signed integer.
    pub signed_token: bool,
    /// So is the value.
    pub signed_value: bool,
}

impl Default for Execute {
    fn default() -> Self {
        Execute {
            tag: 0,
            initial: 0,
            extra: 0,
            operator: Operator::None,
            kind: ValueKind::None,
            width: 0,
            value_type: 0,
            nullable: false,
            has_initial: false,
            wanted: false,
            whole: false,
            signed_token: false,
            signed_value: false,
        }
    }
}

impl Execute {
    pub(super) fn load(&self, index: usize) -> Load {
        let mut out = Writer::default();
        out.put(u64::from(self.tag), 32);
        out.put(self.initial, 64);
        out.put(self.extra as u64, 7);
        out.put(self.operator as u64, 3);
        out.put(self.kind as u64, 3);
        out.put(u64::from(self.width), 2);
        out.put(u64::from(self.value_type), 4);
        for flag in [
            self.nullable,
            self.has_initial,
            self.wanted,
            self.whole,
            self.signed_token,
            self.signed_value,
        ] {
            out.flag(flag);
        }
        out.load(1, index)
    }
}

/// A row of the jump table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// It is a template's.
    pub used: bool,
    /// All dictionaries are reset before the template.
    pub reset: bool,
    /// The template has no instructions.
    pub empty: bool,
    /// The template's identifier.
    pub id: u32,
    /// The first group.
    pub start: u16,
    /// What is in it.
    pub group: Group,
}

impl Row {
    pub(super) fn load(&self, index: usize) -> Load {
        let mut out = Writer::default();
        out.flag(self.used);
        out.flag(self.reset);
        out.flag(self.empty);
        out.put(u64::from(self.id), 32);
        out.put(u64::from(self.start + 1), 9);
        self.group.put(&mut out);
        out.load(2, index)
    }
}
