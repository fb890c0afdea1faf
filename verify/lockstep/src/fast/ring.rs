//! The FAST engine with a ring in host memory (`tests/rtl/fast_ring_tb.sv`): what it decodes, and the frames that it gets, are written there through AXI4.

use device::ring::Memory;

use super::model::{RingModel, WithRing};
use super::{Engine, Width, Wire};
use crate::testbench::functions;

/// What is written into the ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Producer {
    /// Decoded fields and verdicts.
    Fields,
    /// The frames as they came.
    Frames,
    /// Both.
    Both,
}

/// An engine, a ring, and its memory.
pub struct RingEngine {
    engine: Engine,
    ring: &'static RingModel,
}

impl RingEngine {
    /// An engine after reset, without a program and without a ring.
    pub fn new(width: Width) -> Self {
        let design = width.design(
            ["fast_ring8", "fast_ring64"],
            "fast_ring_tb",
            include_str!("../../../../tests/rtl/fast_ring_tb.sv"),
            1,
        );
        // SAFETY: `WithRing` mirrors the table of cpp/fast.inc.
        let WithRing {
            engine: model,
            ring,
        } = unsafe { functions(&design) };
        // SAFETY: it takes nothing.
        let sim = unsafe { (model.new)() };
        RingEngine {
            engine: Engine { width, model, sim },
            ring,
        }
    }

    /// The engine.
    pub fn engine(&mut self) -> &mut Engine {
        &mut self.engine
    }

    /// Begins a ring of 2^`size_log2` lines, empty.
    pub fn begin(&mut self, producer: Producer, size_log2: u8) {
        let what = match producer {
            Producer::Fields => 1,
            Producer::Frames => 2,
            Producer::Both => 3,
        };
        // SAFETY: `sim` came from `new`.
        unsafe { (self.ring.ring)(self.engine.sim, what, 0x0123_4567_8000, size_log2) }
    }

    /// Tells the core how many lines were read, modulo 2^32.
    pub fn position(&mut self, position: u32) {
        // SAFETY: `sim` came from `new`.
        unsafe { (self.ring.position)(self.engine.sim, position) }
    }

    /// Cycles of 256 in which memory takes nothing.
    pub fn slow(&mut self, slow: u8) {
        // SAFETY: `sim` came from `new`.
        unsafe { (self.ring.slow)(self.engine.sim, slow) }
    }

    /// Sends a packet; returns the cycle of its last beat.
    pub fn packet(&mut self, bytes: &[u8], wire: &Wire) -> u64 {
        self.engine.packet(bytes, wire)
    }

    /// The cycles in which the engine gave a field or verdict since the last call.
    pub fn field_cycles(&mut self) -> Vec<u64> {
        let records = self.engine.records();
        records.iter().map(|record| record.cycle).collect()
    }

    /// The cycle in which each line of the ring was in memory.
    pub fn line_cycles(&self) -> Vec<u64> {
        let mut first = std::ptr::null();
        // SAFETY: `sim` came from `new`; the model changes the list only in calls that take `&mut self`.
        unsafe {
            let count = (self.ring.cycles)(self.engine.sim, &mut first) as usize;
            match count {
                0 => Vec::new(),
                _ => std::slice::from_raw_parts(first, count).to_vec(),
            }
        }
    }

    /// Records that found no room.
    pub fn lost(&self) -> u32 {
        // SAFETY: `sim` came from `new`.
        unsafe { (self.ring.lost)(self.engine.sim) }
    }
}

impl Memory for RingEngine {
    fn word(&self, index: usize) -> u64 {
        let mut first = std::ptr::null();
        // SAFETY: `sim` came from `new`, and the index is within the memory.
        unsafe {
            let count = (self.ring.memory)(self.engine.sim, &mut first) as usize;
            if index < count { *first.add(index) } else { 0 }
        }
    }
}
