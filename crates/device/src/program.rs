//! The strategy of a core as a program: loaded while events wait (`processor_slot`).

use formats::Side;
use formats::fix::TimeInForce;

use crate::driver::{Driver, Error, Registers};
use crate::orders::{high, low};
use crate::registers::operation_state::DONE;
use crate::registers::program_refused;

/// Operation 18 (docs/reference/order-operations.md).
const OPERATION: u32 = 18;
const HOLD: u32 = 8;
const RELEASE: u32 = 9;
const PREPARE: u32 = 11;

/// A word of the program, its data or its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramWord {
    /// 0 to 3: what it is (`processor_pkg::processor_load_e`).
    pub what: u8,
    /// Which one.
    pub address: u16,
    /// Its bits.
    pub value: u64,
}

/// An order that the core prepares before the strategy asks for one like it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AheadOrder {
    /// The index of its instrument.
    pub instrument: u8,
    /// A market order.
    pub market: bool,
    /// Its side.
    pub side: Side,
    /// How long it stays.
    pub time_in_force: TimeInForce,
    /// Its quantity.
    pub quantity: u32,
}

impl<R: Registers> Driver<R> {
    /// How many orders of its strategy a core keeps prepared (`strategy_orders`).
    pub const PREPARED_ORDERS: usize = 16;

    /// Loads the strategy: its events wait meanwhile. `false`: this core has no processor. `client_id` is that of all its orders. Those of `ahead` are
    /// prepared before the first event, [`Driver::PREPARED_ORDERS`] at most; another when it is asked for, and then it waits some 400 cycles. Instruments, templates of
    /// messages and limits must be there already; an order that does not fit its message is left out, and refused when it is asked for.
    ///
    /// # Errors
    /// The core did not answer, or refused a word.
    pub fn load_program(
        &mut self,
        words: impl IntoIterator<Item = ProgramWord>,
        client_id: u32,
        ahead: impl IntoIterator<Item = AheadOrder>,
    ) -> Result<bool, Error<R::Error>> {
        if !self.write_program(words, &[HOLD, 1, client_id])? {
            return Ok(false);
        }
        for order in ahead.into_iter().take(Self::PREPARED_ORDERS) {
            let in_force = u32::from(order.time_in_force as u8 - b'0');
            let kind = order.side as u32 | u32::from(order.market) << 1 | in_force << 2;
            let operands = [PREPARE, kind, order.quantity];
            self.begin(OPERATION, order.instrument.into(), &operands)?;
        }
        self.operate(OPERATION, 0, &[RELEASE])?;
        Ok(true)
    }

    /// Stops the strategy between two events, and writes; it stays stopped.
    fn write_program(
        &mut self,
        words: impl IntoIterator<Item = ProgramWord>,
        hold: &[u32],
    ) -> Result<bool, Error<R::Error>> {
        if DONE.get(self.begin(OPERATION, 0, hold)?) == 0 {
            return Ok(false);
        }
        for word in words {
            let operands = [word.what.into(), low(word.value), high(word.value)];
            self.operate(OPERATION, word.address.into(), &operands)?;
        }
        Ok(true)
    }

    /// How many of its intents could not be orders, and were not sent.
    ///
    /// # Errors
    /// The core did not answer.
    pub fn program_refused(&mut self) -> Result<u32, Error<R::Error>> {
        self.read(program_refused::ADDRESS)
    }
}
