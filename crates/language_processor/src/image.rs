//! A strategy as the processor has it.

use language::program::{Handler, Input, Program};
use language::slot;

use crate::instruction::{INPUTS, INSTRUCTIONS, Instruction, NOWHERE, Taken, WORDS};

/// A handler of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Entry {
    /// Its first instruction.
    pub at: u16,
    /// Most cycles from its event to its end, if the book answers at once; and how often it may ask the book for a level.
    pub cycles: u64,
    /// How often it may ask the book for a level.
    pub levels: u64,
}

/// Words of the data memory that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Region {
    /// The first.
    pub at: u16,
    /// How many there are.
    pub length: u16,
}

/// A field of the state in the data memory. A ring has its values here, and before them three words: the place of its newest value, how many it has, their sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Placed {
    /// Its values.
    pub values: Region,
    /// It is a ring.
    pub ring: bool,
}

/// Words before a ring's values: the place of the newest.
pub(crate) const HEAD: u16 = 3;
/// How many it has.
pub(crate) const COUNT: u16 = 2;
/// Their sum.
pub(crate) const SUM: u16 = 1;

/// A program with what its data memory holds at first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// The strategy's name.
    pub name: String,
    /// At most [`INSTRUCTIONS`].
    pub instructions: Vec<Instruction>,
    /// The line of the source that each instruction is for.
    pub lines: Vec<u32>,
    /// [`WORDS`] words.
    pub data: Vec<i64>,
    /// The handlers of a book, a trade, a report and the timer.
    pub entries: [Option<Entry>; 4],
    /// The interval of the timer, in ns; 0: there is none.
    pub every: i64,
    /// Its parameters.
    pub parameters: Region,
    /// The position in each instrument, which whoever drives the processor keeps.
    pub positions: Region,
    /// Whether a handler reads one.
    pub reads_positions: bool,
    /// Whether `on_book` is called at each change of the book.
    pub each_change: bool,
    /// The fields of the state.
    pub fields: Vec<Placed>,
    /// What the words are called, for the listing: in the order of their addresses.
    pub names: Vec<(u16, String)>,
}

impl Image {
    /// The instruction's bits, [`Instruction::bits`], as the program memory has them.
    pub fn words(&self) -> impl Iterator<Item = u64> + '_ {
        self.instructions.iter().map(Instruction::bits)
    }

    /// How many words of the data memory have a use.
    pub fn used(&self) -> usize {
        let named = self.names.iter().map(|(at, _)| *at);
        named.filter(|at| *at != NOWHERE).count()
    }
}

/// The handlers in the order of [`Image::entries`], with what they are called.
pub(crate) fn handlers(program: &Program) -> [(&'static str, Option<&Handler>); 4] {
    [
        ("on_book", program.on_book.as_ref()),
        ("on_trade", program.on_trade.as_ref()),
        ("on_order", program.on_order.as_ref()),
        ("on_timer", program.on_timer.as_ref()),
    ]
}

/// The address of an input, as `a`.
pub const fn input(input: Input) -> u16 {
    INPUTS + slot::place(input) as u16
}

/// What an input's address is called; the last ones are the units'.
pub(crate) const INPUT_NAMES: [&str; Taken::Orders as usize + 1] = [
    "now",
    "open_orders",
    "instrument",
    "changed/kind",
    "tradable/side",
    "bid.price/price",
    "bid.quantity/quantity",
    "bid.orders/order",
    "ask.price/remaining",
    "ask.quantity/reason",
    "ask.orders",
    "product",
    "quotient",
    "order",
    "level.price",
    "level.quantity",
    "level.orders",
];

const _: () = assert!(WORDS == 512 && INSTRUCTIONS == 1024);
