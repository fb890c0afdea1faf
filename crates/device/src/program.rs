//! The strategy of a core as a program: loaded while events wait (`alu_slot`).

use crate::driver::{Driver, Error, Registers};
use crate::orders::{high, low};
use crate::registers::operation_state::{DONE, PREVIOUS};
use crate::registers::program_refused;

/// Operation 18 (docs/reference/order-operations.md).
const OPERATION: u32 = 18;
const HOLD: u32 = 8;
const RELEASE: u32 = 9;
const STATUS: u32 = 10;

/// A word of the program, its data or its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramWord {
    /// 0 to 3: what it is (`alu_pkg::alu_load_e`).
    pub what: u8,
    /// Which one.
    pub address: u16,
    /// Its bits.
    pub value: u64,
}

impl<R: Registers> Driver<R> {
    /// Loads the strategy: its events wait meanwhile. `false`: this core has no processor. `client_id` is that of all its orders, which are prepared
    /// as they are asked for.
    ///
    /// # Errors
    /// The core did not answer, or refused a word.
    pub fn load_program(
        &mut self,
        words: impl IntoIterator<Item = ProgramWord>,
        client_id: u32,
    ) -> Result<bool, Error<R::Error>> {
        self.write_program(words, &[RELEASE, 1, client_id])
    }

    /// Other parameters: words of the data, all at once between two events. `false`: this core has no processor.
    ///
    /// # Errors
    /// The core did not answer, or refused a word.
    pub fn set_program_words(
        &mut self,
        words: impl IntoIterator<Item = ProgramWord>,
        client_id: u32,
    ) -> Result<bool, Error<R::Error>> {
        self.write_program(words, &[RELEASE, 0, client_id])
    }

    fn write_program(
        &mut self,
        words: impl IntoIterator<Item = ProgramWord>,
        release: &[u32],
    ) -> Result<bool, Error<R::Error>> {
        if DONE.get(self.begin(OPERATION, 0, &[HOLD])?) == 0 {
            return Ok(false);
        }
        for word in words {
            let operands = [word.what.into(), low(word.value), high(word.value)];
            self.operate(OPERATION, word.address.into(), &operands)?;
        }
        self.operate(OPERATION, 0, release)?;
        Ok(true)
    }

    /// Whether a fault has stopped the strategy.
    ///
    /// # Errors
    /// The core did not answer.
    pub fn program_stopped(&mut self) -> Result<bool, Error<R::Error>> {
        Ok(PREVIOUS.get(self.begin(OPERATION, 0, &[STATUS])?) != 0)
    }

    /// How many of its intents could not be orders, and were not sent.
    ///
    /// # Errors
    /// The core did not answer.
    pub fn program_refused(&mut self) -> Result<u32, Error<R::Error>> {
        self.read(program_refused::ADDRESS)
    }
}
