//! The words that load the processor (`alu_load_e`), in a core or alone.

use crate::image::{Entry, Image};

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum What {
    /// A word of data.
    Data = 0,
    /// An instruction.
    Instruction = 1,
    /// The place of a handler's first instruction ([9:0]); [10]: there is that handler.
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

/// The value of [`What::Entry`].
pub fn entry_word(entry: Option<Entry>) -> u64 {
    entry.map_or(0, |entry| 1 << 10 | u64::from(entry.at))
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
        let entries = self.entries.iter().enumerate();
        let entries =
            entries.map(move |(handler, entry)| load(What::Entry, handler, entry_word(*entry)));
        let control = load(What::Control, 0, u64::from(stops) | 2);
        data.chain(program)
            .chain(entries)
            .chain([control])
            .chain(self.parameter_loads(parameters))
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
