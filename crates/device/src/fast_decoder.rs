//! The FAST decoder of a core: its program and its table of events, loaded while packets wait (`decoder_fast`).

use fast::microcode::Load;

use crate::driver::{Driver, Error, Registers};
use crate::registers::fast_overflow;
use crate::registers::operation_state::DONE;

/// Operation 16 (docs/reference/order-operations.md).
const OPERATION: u32 = 16;
const HOLD: u32 = 8;
const RELEASE: u32 = 9;

/// The first operand's bits that say whose decoder it is; a core knows four feeds at most.
const fn of(feed: u8) -> u32 {
    (feed as u32 & 3) << 4
}

/// A word of the engine's program or of the table after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FastWord {
    /// 0 to 3, 7: a word of the program (`fast_pkg::load_e`); 4 to 6: of the table (`fast_events_pkg::event_load_e`, plus 4).
    pub what: u8,
    /// Which one.
    pub index: u16,
    /// Its bits, the lowest 32 first; the table has three.
    pub data: [u32; 5],
}

/// A word of the engine's program.
impl From<Load> for FastWord {
    fn from(load: Load) -> Self {
        FastWord {
            what: load.what,
            index: load.index,
            data: load.data,
        }
    }
}

impl<R: Registers> Driver<R> {
    /// Loads the FAST decoder of a feed (0 where there is one alone): packets wait in its buffer meanwhile, then it begins with empty dictionaries, and with the next packet's number. `false`:
    /// this core has none of that feed. `reset_each_packet`: every packet begins with empty dictionaries.
    ///
    /// # Errors
    /// The core did not answer, or refused a word.
    pub fn load_fast(
        &mut self,
        feed: u8,
        words: impl IntoIterator<Item = FastWord>,
        reset_each_packet: bool,
    ) -> Result<bool, Error<R::Error>> {
        if !self.hold_fast(feed)? {
            return Ok(false);
        }
        for word in words {
            let [a, b, c, d, e] = word.data;
            let operands = [u32::from(word.what) | of(feed), a, b, c, d, e];
            // The meaning of a value has a few bits, and there are thousands; other words of the table have three.
            let used = match word.what {
                5 => 2,
                4 | 6 => 4,
                _ => operands.len(),
            };
            self.operate(OPERATION, word.index.into(), &operands[..used])?;
        }
        self.release_fast(feed, reset_each_packet)?;
        Ok(true)
    }

    /// From the feed's next packet on they wait in its decoder's buffer, until [`Driver::release_fast`]. `false`: this core has no FAST decoder of that feed.
    ///
    /// # Errors
    /// The core did not answer.
    pub fn hold_fast(&mut self, feed: u8) -> Result<bool, Error<R::Error>> {
        if u32::from(feed) >= self.feeds() {
            return Ok(false);
        }
        Ok(DONE.get(self.begin(OPERATION, 0, &[HOLD | of(feed)])?) != 0)
    }

    /// The feed's packets are decoded again, with empty dictionaries.
    ///
    /// # Errors
    /// The core did not answer, or does not hold them.
    pub fn release_fast(
        &mut self,
        feed: u8,
        reset_each_packet: bool,
    ) -> Result<(), Error<R::Error>> {
        let operands = [RELEASE | of(feed), reset_each_packet.into()];
        self.operate(OPERATION, 0, &operands)?;
        Ok(())
    }

    /// How many packets found no room in the decoder's buffer.
    ///
    /// # Errors
    /// The core did not answer.
    pub fn fast_overflow(&mut self) -> Result<u32, Error<R::Error>> {
        self.read(fast_overflow::ADDRESS)
    }
}
