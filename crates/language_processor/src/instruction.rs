//! An instruction, its 36 bits, and how many cycles it takes. The source is `rtl/strategy/processor/processor_pkg.sv`, which has the same numbers.

/// Words of the data memory.
pub const WORDS: usize = 512;
/// Instructions of the program memory.
pub const INSTRUCTIONS: usize = 1024;
/// Cycles from an event to its handler's first instruction.
pub const START: u64 = 5;
/// Cycles of a jump to an instruction that is further away than that, and of what waits for a unit, besides its own.
pub const JUMP: u64 = 5;

/// In place of an address: the word that the last `index` found. As `b` it is read, as `to` written.
pub const INDEXED: u16 = 512;
/// In place of an address, as `a` only: an input, by its number.
pub const INPUTS: u16 = 512;
/// As `to`: the result is not kept. The word of that address is never read.
pub const NOWHERE: u16 = 511;

/// What an instruction does. The flag is set by comparisons and `test`, and read by `select` and the jumps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Operation {
    /// Nothing.
    Wait = 0,
    /// `a`.
    Move,
    /// `a + b`.
    Add,
    /// `a - b`.
    Subtract,
    /// `a & b`.
    And,
    /// `a | b`.
    Or,
    /// `a ^ b`.
    Xor,
    /// `a >> 1`, with the sign.
    Half,
    /// The flag is set: `a`; else `b`.
    Select,
    /// The flag: `a` is not 0. The result is not used.
    Test,
    /// The flag, and the result: `a == b`.
    Equal,
    /// `a != b`.
    NotEqual,
    /// `a < b`.
    Less,
    /// `a >= b`.
    GreaterEqual,
    /// `a > b`.
    Greater,
    /// `a <= b`.
    LessEqual,
    /// Goes on at `to`.
    Jump,
    /// The same if the flag is set.
    JumpIf,
    /// The same if it is not.
    JumpUnless,
    /// The indexed word is `to + a` from here on, if `a` is in 0 to `b` − 1; else there is none, a fault.
    Index,
    /// Begins `a * b`; [`Taken::Product`] has it after [`MULTIPLY_WAITS`].
    Multiply,
    /// `a // b`; goes on when [`Taken::Quotient`] has it.
    Divide,
    /// `a % b`, the same.
    Modulo,
    /// `a << b`, the same.
    ShiftLeft,
    /// `a >> b`, the same.
    ShiftRight,
    /// Level `b` of side `a` of the event's book; goes on when [`Taken::Price`] and those after it have it.
    Level,
    /// Price `a` and quantity `b` of the next intent.
    Terms,
    /// A new order of instrument `a`, of the kind `b` ([`Kind`]). [`Taken::Order`] has its number after [`NEW_WAITS`].
    New,
    /// The cancel of order `a`.
    Cancel,
    /// Other terms of order `a`.
    Replace,
    /// `a` is the next value of the next record.
    Value,
    /// A record with the tag `to`.
    Emit,
    /// The handler is over.
    End,
}

/// Instructions between `Multiply` and the one that reads the product.
pub const MULTIPLY_WAITS: usize = 5;
/// Instructions between `Index` and the one that reads the word.
pub const INDEX_WAITS: usize = 2;
/// Instructions between `New` and the one that reads the order's number.
pub const NEW_WAITS: usize = 2;

/// What the units have: inputs after those of the event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u16)]
pub enum Taken {
    /// A product.
    Product = 11,
    /// A quotient, a rest, or what was shifted.
    Quotient = 12,
    /// A new order's number, 0 if it was dropped.
    Order = 13,
    /// A level's price.
    Price = 14,
    /// A level's quantity.
    Quantity = 15,
    /// A level's number of orders.
    Orders = 16,
}

impl Taken {
    /// Its address, as `a`.
    pub const fn address(self) -> u16 {
        INPUTS + self as u16
    }
}

/// What order `New` asks for, in its `b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Kind {
    /// Buy or sell.
    pub side: formats::Side,
    /// It has a price.
    pub limit: bool,
    /// FIX's TimeInForce (59).
    pub time_in_force: u8,
}

impl Kind {
    /// Its bits: time in force \[4:2\], limit \[1\], sell \[0\].
    pub const fn bits(self) -> u16 {
        (self.time_in_force as u16) << 2 | (self.limit as u16) << 1 | self.side as u16
    }

    /// The kind of these bits.
    pub const fn of(bits: u16) -> Self {
        Kind {
            side: if bits & 1 == 0 {
                formats::Side::Buy
            } else {
                formats::Side::Sell
            },
            limit: bits >> 1 & 1 == 1,
            time_in_force: (bits >> 2 & 7) as u8,
        }
    }
}

impl Operation {
    /// All of them, by number.
    pub const ALL: [Operation; 33] = {
        use Operation::{
            Add, And, Cancel, Divide, Emit, End, Equal, Greater, GreaterEqual, Half, Index, Jump,
            JumpIf, JumpUnless, Less, LessEqual, Level, Modulo, Move, Multiply, New, NotEqual, Or,
            Replace, Select, ShiftLeft, ShiftRight, Subtract, Terms, Test, Value, Wait, Xor,
        };
        [
            Wait,
            Move,
            Add,
            Subtract,
            And,
            Or,
            Xor,
            Half,
            Select,
            Test,
            Equal,
            NotEqual,
            Less,
            GreaterEqual,
            Greater,
            LessEqual,
            Jump,
            JumpIf,
            JumpUnless,
            Index,
            Multiply,
            Divide,
            Modulo,
            ShiftLeft,
            ShiftRight,
            Level,
            Terms,
            New,
            Cancel,
            Replace,
            Value,
            Emit,
            End,
        ]
    };

    /// Whether `to` is a word that gets the result.
    pub const fn writes(self) -> bool {
        use Operation::{Add, And, Half, LessEqual, Move, Or, Select, Subtract, Test, Xor};
        matches!(self, Move | Add | Subtract | And | Or | Xor | Half | Select)
            || (self as u8 > Test as u8 && self as u8 <= LessEqual as u8)
    }

    /// Whether it is a comparison or `test`.
    pub const fn sets_flag(self) -> bool {
        self as u8 >= Operation::Test as u8 && self as u8 <= Operation::LessEqual as u8
    }

    /// Whether it goes on at `to`, always or at times.
    pub const fn jumps(self) -> bool {
        matches!(
            self,
            Operation::Jump | Operation::JumpIf | Operation::JumpUnless
        )
    }

    /// Cycles until a unit answers, for what waits for one. The book's own are not in it.
    pub const fn unit_cycles(self) -> Option<u64> {
        match self {
            Operation::Divide
            | Operation::Modulo
            | Operation::ShiftLeft
            | Operation::ShiftRight => Some(69),
            Operation::Level => Some(2),
            _ => None,
        }
    }
}

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// What it does.
    pub operation: Operation,
    /// Where the result goes, or where the program goes on.
    pub to: u16,
    /// The first operand.
    pub a: u16,
    /// The second one.
    pub b: u16,
}

impl Instruction {
    /// Its bits: operation \[35:30\], `to` \[29:20\], `a` \[19:10\], `b` \[9:0\].
    pub const fn bits(&self) -> u64 {
        (self.operation as u64) << 30
            | (self.to as u64) << 20
            | (self.a as u64) << 10
            | self.b as u64
    }

    /// The instruction of these bits; `None`: there is no such operation.
    pub fn of(bits: u64) -> Option<Self> {
        let operation = Operation::ALL.get((bits >> 30) as usize)?;
        Some(Instruction {
            operation: *operation,
            to: (bits >> 20 & 1023) as u16,
            a: (bits >> 10 & 1023) as u16,
            b: (bits & 1023) as u16,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_has_its_place_in_the_list_and_comes_back_from_its_bits() {
        for (number, operation) in Operation::ALL.into_iter().enumerate() {
            assert_eq!(operation as usize, number);
            let instruction = Instruction {
                operation,
                to: 1023,
                a: 512,
                b: 1,
            };
            assert_eq!(Instruction::of(instruction.bits()), Some(instruction));
        }
        assert_eq!(Instruction::of(63 << 30), None);
    }

    #[test]
    fn a_kind_of_order_comes_back_from_its_bits() {
        for bits in 0..32 {
            assert_eq!(Kind::of(bits).bits(), bits);
        }
    }
}
