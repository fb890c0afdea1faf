//! The words that load the processor (`processor_load_e`), in a core or alone.

use crate::image::Image;

/// The number of the handler of the book, of reports, of the timer's.
const BOOK: u16 = 0;
const ORDER: u16 = 2;
const TIMER: u16 = 3;
/// A bit in the word of the handler of the book: the strategy reads levels of it.
const READS_LEVELS: u64 = 1 << 11;
/// Another: it is called at each change of the book.
const EACH_CHANGE: u64 = 1 << 12;
/// Bits in the word of the handler of reports: the slot is to follow the strategy's orders, and to tell it its positions.
const FOLLOWS: u64 = 1 << 11;
const READS_POSITIONS: u64 = 1 << 12;
/// The longest interval of a timer that a core counts, in ns: more than a day, which has 2^46.3, so that a longer one is as good as this.
const LONGEST: i64 = 1 << 47;

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum What {
    /// A word of data.
    Data = 0,
    /// An instruction.
    Instruction = 1,
    /// The place of a handler's first instruction (\[9:0\]); \[10\]: there is that handler; \[63:16\]: of the timer's, its interval in ns. Of that of
    /// the book, \[11\]: the strategy reads levels, \[12\]: it is called at each change. Of that of reports, whether there is one or not: \[11\]: the slot follows the strategy's orders; \[12\]: it reads positions, whose words begin at \[25:16\].
    Entry = 2,
    /// \[0\]: a fault stops the strategy; \[1\]: its orders are numbered from 1 again.
    Control = 3,
}

/// A word to be written while no handler runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Load {
    /// What it is.
    pub what: What,
    /// Its address: of a word of data, of an instruction, a handler's number.
    pub address: u16,
    /// It.
    pub value: u64,
}

impl Image {
    /// All words of the program at its start, with these parameters; what lacks is 0. `stops`: whether a fault stops it.
    pub fn loads(&self, parameters: &[i64], stops: bool) -> impl Iterator<Item = Load> {
        let load = |what, address: usize, value| Load {
            what,
            address: address as u16,
            value,
        };
        let data = self.data.iter().enumerate();
        let data = data.map(move |(at, word)| load(What::Data, at, *word as u64));
        let program = self.words().enumerate();
        let program = program.map(move |(at, word)| load(What::Instruction, at, word));
        let control = load(What::Control, 0, u64::from(stops) | 2);
        data.chain(program)
            .chain(self.entry_loads(self.positions.at))
            .chain([control])
            .chain(self.parameter_loads(parameters))
    }

    /// The words that say which handlers there are. `positions`: where the words of positions begin.
    pub fn entry_loads(&self, positions: u16) -> impl Iterator<Item = Load> {
        let (mut own, mut of_book) = (0, 0);
        if self.reads_levels() {
            of_book |= READS_LEVELS;
        }
        if self.each_change {
            of_book |= EACH_CHANGE;
        }
        if self.follows_orders() {
            own |= FOLLOWS;
        }
        if self.reads_positions {
            own |= READS_POSITIONS | u64::from(positions) << 16;
        }
        let entries = (0..).zip(&self.entries);
        entries.map(move |(handler, entry)| {
            let every = if handler == TIMER { self.every } else { 0 };
            Load {
                what: What::Entry,
                address: handler,
                value: entry.map_or(0, |entry| {
                    (every.min(LONGEST) as u64) << 16 | 1 << 10 | u64::from(entry.at)
                }) | match handler {
                    BOOK => of_book,
                    ORDER => own,
                    _ => 0,
                },
            }
        })
    }

    /// The words of other parameters, in their order.
    pub fn parameter_loads(&self, values: &[i64]) -> impl Iterator<Item = Load> {
        let region = self.parameters;
        let values = values.iter().take(region.length.into());
        (region.at..).zip(values).map(|(address, value)| Load {
            what: What::Data,
            address,
            value: *value as u64,
        })
    }
}
