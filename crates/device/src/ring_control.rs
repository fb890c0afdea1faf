//! The ring's settings in the core (`rtl/host/ring/ring_config.sv`): operation 17 (docs/reference/order-operations.md).

use crate::driver::{Driver, Error, Registers};
use crate::registers as map;

const OPERATION: u32 = 17;
const POSITION: u32 = 0;
const BEGIN: u32 = 1;
const END: u32 = 2;

/// What a core writes into its ring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Producers {
    /// What FAST decodes, and each packet's verdict.
    pub fields: bool,
    /// The packets that it is given, as they came: UDP payloads.
    pub packets: bool,
    /// The events of the market data, and the verdict on them, packet by packet; of the first feed.
    pub events: bool,
    /// What goes wrong in any stage ([`Incidents`](crate::ring::Incidents)), and what a strategy emits.
    pub stages: bool,
}

/// What became of the ring since it began, each modulo 2^32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RingCounters {
    /// Lines that were written.
    pub written: u32,
    /// Records that found no room, for the host had not read.
    pub lost: u32,
    /// Writes that memory did not answer with OKAY.
    pub errors: u32,
}

impl<R: Registers> Driver<R> {
    /// Begins a ring of 2^`size_log2` lines (1 to 24), empty, at this address, a multiple of 64; its memory is zero. `false`: this core has no ring.
    ///
    /// # Errors
    /// The core did not answer, or has no ring of that size.
    pub fn begin_ring(
        &mut self,
        base: u64,
        size_log2: u32,
        producers: Producers,
    ) -> Result<bool, Error<R::Error>> {
        if !self.has_ring() {
            return Ok(false);
        }
        let bits = [
            producers.fields,
            producers.packets,
            producers.events,
            producers.stages,
        ];
        let what = (8..).zip(bits).map(|(bit, on)| u32::from(on) << bit);
        let what: u32 = what.sum();
        let (low, high) = (base as u32, (base >> 32) as u32);
        self.operate(OPERATION, 0, &[BEGIN, low, high, size_log2 & 0xff | what])?;
        Ok(true)
    }

    /// Says how many lines were read ([`Ring::position`](crate::Ring::position)): the core may write over them.
    ///
    /// # Errors
    /// The core did not answer, or has no ring.
    pub fn set_ring_position(&mut self, position: u32) -> Result<(), Error<R::Error>> {
        self.operate(OPERATION, 0, &[POSITION, position])
    }

    /// Ends the ring: nothing is written any more.
    ///
    /// # Errors
    /// The core did not answer, or has no ring.
    pub fn end_ring(&mut self) -> Result<(), Error<R::Error>> {
        self.operate(OPERATION, 0, &[END])
    }

    /// What became of it.
    ///
    /// # Errors
    /// The core did not answer.
    pub fn ring_counters(&mut self) -> Result<RingCounters, Error<R::Error>> {
        Ok(RingCounters {
            written: self.registers().read32(map::ring_written::ADDRESS)?,
            lost: self.registers().read32(map::ring_lost::ADDRESS)?,
            errors: self.registers().read32(map::ring_errors::ADDRESS)?,
        })
    }
}
