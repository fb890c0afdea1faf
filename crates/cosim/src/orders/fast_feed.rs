//! A feed in FAST, for a core and for software.

use decoder::Fast;
use decoder::fast::{Hardware, Map, WireRate};
use device::{Driver, FastWord};
use fast::microcode::Room;
use fast::{Framing, Settings, Templates};

use super::Problem;
use crate::Core;

/// What a decoder of FAST is made of.
#[derive(Clone, Copy, Debug)]
pub struct FastFeed<'a> {
    /// The exchange's templates.
    pub templates: &'a Templates,
    /// Which of their fields are which members of an event.
    pub map: &'a Map,
    /// When dictionaries are reset.
    pub settings: Settings,
    /// Of a recording that begins in the middle of a session: the packet before its first. Books are empty after it, and tradable. A feed of price levels
    /// fills them, but for the levels that do not change. `None`: books can be relied on from the session's first message on.
    pub before: Option<&'a [u8]>,
}

impl FastFeed<'_> {
    /// Loads program and table into a core.
    ///
    /// # Errors
    /// The map does not fit the templates or the hardware; the core has no FAST decoder.
    pub fn load(&self, core: &mut Driver<Core>) -> Result<(), Problem> {
        let hardware = Hardware::new(self.templates, self.map, Room::default());
        let hardware = hardware.map_err(|error| Problem::Testbench(error.to_string()))?;
        let program = hardware.program.loads().into_iter().map(FastWord::from);
        let table = hardware.table.iter().map(|load| FastWord {
            what: load.what + 4,
            index: load.index,
            data: [load.data[0], load.data[1], load.data[2], 0, 0],
        });
        // For a core that reads an order log; any other does none of these words.
        let resets = self.settings.reset_each_packet;
        let wire = WireRate::new(self.templates, self.map, resets);
        let wire = wire.map_or_else(|_| WireRate::none(), |wire| wire.loads);
        let words = program
            .chain(table)
            .chain(wire.into_iter().map(FastWord::from));
        if core.load_fast(0, words, resets)? {
            Ok(())
        } else {
            Err(Problem::Testbench("the preset has no FAST decoder".into()))
        }
    }

    /// The decoder in software.
    ///
    /// # Errors
    /// The map does not fit the templates.
    pub fn decoder(&self, framing: Framing) -> Result<Fast, Problem> {
        let decoder = Fast::new(self.templates, self.settings, framing, self.map);
        decoder.map_err(|error| Problem::Testbench(error.to_string()))
    }
}
