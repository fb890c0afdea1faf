//! The words of the tables, as `fast_wire_pkg` has them.

use crate::template::Operator;

/// The bit of a presence map's mask that stands for the map's bit of this number. The first byte's bits are the lowest seven, its first bit the highest.
pub const fn map_mask(bit: u16) -> u16 {
    if bit < 7 {
        1 << (6 - bit)
    } else {
        1 << (20 - bit)
    }
}

/// How many tokens there are, by the presence map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// That need no bit.
    pub base: u8,
    /// Bits that each add one.
    pub one: u16,
    /// Those of them that add another.
    pub two: u16,
}

impl Tokens {
    /// How many, with this presence map.
    pub const fn count(&self, map: u16) -> u32 {
        self.base as u32 + (map & self.one).count_ones() + (map & self.two).count_ones()
    }
}

/// Where a field is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// It is somewhere.
    pub used: bool,
    /// Tokens before it.
    pub before: Tokens,
    /// Its bit of the presence map.
    pub bit: u16,
    /// It has none.
    pub always: bool,
}

/// A word for the engine's load port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Which table (`fast_wire_pkg::load_e`).
    pub what: u8,
    /// Of which template of the engine's set.
    pub template: u8,
    /// Which word of it.
    pub index: u8,
    /// The word, lowest bits first.
    pub data: [u32; 5],
}

/// Bits, the highest first.
#[derive(Default)]
struct Bits([u32; 5]);

impl Bits {
    fn push(mut self, value: u128, width: u32) -> Self {
        for bit in (0..width).rev() {
            let mut carry = (value >> bit & 1) as u32;
            for word in &mut self.0 {
                (*word, carry) = (*word << 1 | carry, *word >> 31);
            }
        }
        self
    }

    fn flag(self, value: bool) -> Self {
        self.push(value.into(), 1)
    }

    fn place(self, place: &Place) -> Self {
        self.flag(place.used)
            .push(place.before.base.into(), 6)
            .push(place.before.one.into(), 14)
            .push(place.before.two.into(), 14)
            .push(place.bit.into(), 14)
            .flag(place.always)
    }

    fn load(self, what: u8, index: usize) -> Load {
        Load {
            what,
            template: 0,
            index: index as u8,
            data: self.0,
        }
    }
}

impl Place {
    /// To watch what is there.
    pub(super) fn load(&self, index: usize) -> Load {
        Bits::default().place(self).load(4, index)
    }
}

/// `template_t`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TemplateWord {
    /// Tokens of an entry after its presence map; without one, after its first token.
    pub tokens: Tokens,
    /// The bits of the presence map that a field takes.
    pub known: u16,
    /// Entries have none.
    pub no_map: bool,
    /// Bit r: with r tokens left, decimals as two, the next is the exponent of an optional decimal.
    pub exponents: u32,
    /// Or likely is: every null exponent has to be where one is watched.
    pub guessed: bool,
    /// The one bit of the presence map that a field after exponents needs; none: 0.
    pub late: u16,
    /// With that field there, tokens left before it: exponents before it are a row higher then.
    pub late_row: u8,
    /// Tokens before the first entry.
    pub header: u8,
    /// The message's presence map.
    pub header_map: u8,
    /// Bytes of the identifier.
    pub id_bytes: u8,
    /// The identifier.
    pub id: u32,
    /// The second byte of a Reset; 0: there is none.
    pub reset_id: u8,
    /// A packet without one is not done: the engine has no dictionary for what outlives a packet.
    pub needs_reset: bool,
    /// The wanted fields' dictionary entries outlive a packet.
    pub outlives: bool,
    /// Which token of the header is the sequence's length.
    pub length_at: u8,
    /// It may be absent.
    pub length_nullable: bool,
}

impl TemplateWord {
    /// The rows of exponents in an entry with this presence map.
    pub const fn exponents_with(&self, map: u16) -> u32 {
        if map & self.late == 0 {
            return self.exponents;
        }
        let below = (1 << self.late_row) - 1;
        self.exponents & below | (self.exponents & !below) << 1
    }

    pub(super) fn load(&self) -> Load {
        Bits::default()
            .flag(true)
            .push(self.tokens.one.into(), 14)
            .push(self.tokens.two.into(), 14)
            .push(self.known.into(), 14)
            .push(self.tokens.base.into(), 6)
            .flag(self.no_map)
            .push(self.exponents.into(), 32)
            .flag(self.guessed)
            .push(self.late.into(), 14)
            .push(self.late_row.into(), 5)
            .push(self.header.into(), 4)
            .push(self.header_map.into(), 7)
            .push(self.id_bytes.into(), 2)
            .push(self.id.into(), 21)
            .push(self.reset_id.into(), 8)
            .flag(self.needs_reset)
            .flag(self.outlives)
            .push(self.length_at.into(), 4)
            .flag(self.length_nullable)
            .load(0, 0)
    }
}

const fn operator_number(operator: Operator) -> u8 {
    match operator {
        Operator::Default => 1,
        Operator::Copy => 2,
        Operator::Increment => 3,
        Operator::Delta => 4,
        _ => 0,
    }
}

/// `field_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldWord {
    /// Where it is.
    pub place: Place,
    /// NULL stands for no value.
    pub nullable: bool,
    /// The token is signed.
    pub signed: bool,
    /// So is the value.
    pub type_signed: bool,
    /// Of an integer: 0 to 3 for 8, 16, 32 and 64 bits.
    pub size: u8,
    /// It is a text.
    pub text: bool,
    /// It is a decimal.
    pub decimal: bool,
    /// Its operator.
    pub operator: Operator,
}

impl Default for FieldWord {
    fn default() -> Self {
        FieldWord {
            place: Place::default(),
            nullable: false,
            signed: false,
            type_signed: false,
            size: 0,
            text: false,
            decimal: false,
            operator: Operator::None,
        }
    }
}

impl FieldWord {
    pub(super) fn load(&self, index: usize) -> Load {
        Bits::default()
            .place(&self.place)
            .flag(self.nullable)
            .flag(self.signed)
            .flag(self.type_signed)
            .push(self.size.into(), 2)
            .flag(self.text)
            .flag(self.decimal)
            .push(operator_number(self.operator).into(), 3)
            .load(1, index)
    }
}

/// `initial_t`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InitialWord {
    /// There is one.
    pub present: bool,
    /// Characters of a text.
    pub count: u8,
    /// Of a decimal.
    pub exponent: i8,
    /// The integer or mantissa, or the characters, the last one lowest.
    pub value: i128,
}

impl InitialWord {
    pub(super) fn load(&self, index: usize) -> Load {
        Bits::default()
            .flag(self.present)
            .push(self.count.into(), 4)
            .push(self.exponent as u128 & 0x7f, 7)
            .push(self.value as u128, 84)
            .load(2, index)
    }
}

/// `header_t`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeaderWord {
    /// It is wanted.
    pub used: bool,
    /// Which token.
    pub at: u8,
    /// NULL stands for no value.
    pub nullable: bool,
    /// The token is signed.
    pub signed: bool,
    /// So is the value.
    pub type_signed: bool,
    /// 0 to 3 for 8, 16, 32 and 64 bits.
    pub size: u8,
}

impl HeaderWord {
    pub(super) fn load(&self, index: usize) -> Load {
        Bits::default()
            .flag(self.used)
            .push(self.at.into(), 4)
            .flag(self.nullable)
            .flag(self.signed)
            .flag(self.type_signed)
            .push(self.size.into(), 2)
            .load(3, index)
    }
}
