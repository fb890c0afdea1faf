//! The words that load the processor (`alu_load_e`), in a core or alone.

use crate::image::Image;

/// The number of the timer's handler.
const TIMER: u16 = 3;
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
    /// The place of a handler's first instruction ([9:0]); [10]: there is that handler; [63:16]: of the timer's, its interval in ns.
    Entry = 2,
    /// [0]: a fault stops the strategy; [1]: its orders are numbered from 1 again.
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
            .chain(self.entry_loads())
            .chain([control])
            .chain(self.parameter_loads(parameters))
    }

    /// The words that say which handlers there are.
    pub fn entry_loads(&self) -> impl Iterator<Item = Load> {
        let entries = (0..).zip(&self.entries);
        entries.map(|(handler, entry)| {
            let every = if handler == TIMER { self.every } else { 0 };
            Load {
                what: What::Entry,
                address: handler,
                value: entry.map_or(0, |entry| {
                    (every.min(LONGEST) as u64) << 16 | 1 << 10 | u64::from(entry.at)
                }),
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
