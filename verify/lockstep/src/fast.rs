//! The FAST engine of `rtl/decoder/fast`, Verilated at both widths, and held against the software decoder: [`Lockstep`] gives both the same packets and
//! compares every field and every verdict.

mod events;
mod item;
mod lockstep;
mod model;
pub mod random;
mod ring;

use std::ffi::c_void;

use fast::ErrorCode;
use fast::microcode::Program;

use crate::testbench::functions;
use cosim::Design;
pub use cosim::fast_items::{FromDecoder, Item};
pub use events::{EventsEngine, Packet as EventsPacket};
pub use item::FromFields;
pub use lockstep::{Lockstep, Statistics, Wire};
use model::{Model, Packet, Record};
pub use ring::{Producer, RingEngine};

/// Bits in a beat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// A byte a cycle.
    W8,
    /// Eight bytes a cycle.
    W64,
}

impl Width {
    const fn bits(self) -> u32 {
        match self {
            Width::W8 => 8,
            Width::W64 => 64,
        }
    }

    /// A testbench of the engine with what takes its fields: the model's name by width, its top and its text, and PRESET of its shim.
    fn design(
        self,
        names: [&'static str; 2],
        top: &'static str,
        text: &'static str,
        preset: u32,
    ) -> Design<'static> {
        let (name, file) = (
            names[usize::from(self == Width::W64)],
            match preset {
                0 => "fast_engine_tb.sv",
                1 => "fast_ring_tb.sv",
                _ => "fast_events_tb.sv",
            },
        );
        Design {
            name,
            top,
            parameters: vec![("W", self.bits().into())],
            files: vec![(file, text)],
            shim: include_str!("../cpp/fast.inc"),
            defines: vec![("WIDTH", self.bits()), ("PRESET", preset)],
        }
    }
}

/// What is wrong with a packet, as the engine says (`fast_pkg::fast_error_e`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// An error that the software has too.
    Fast(ErrorCode),
    /// The frame's verdict was bad.
    Frame,
    /// The packet buffer was full.
    Overflow,
    /// A string that the dictionary has no room for.
    TooLong,
    /// A template reference inside too many others, sequences and groups.
    TooDeep,
    /// No code.
    Unknown(u8),
}

impl Code {
    fn of(code: u8) -> Self {
        Code::Fast(match code {
            1 => ErrorCode::D2,
            2 => ErrorCode::D4,
            3 => ErrorCode::D5,
            4 => ErrorCode::D6,
            5 => ErrorCode::D7,
            6 => ErrorCode::D9,
            7 => ErrorCode::R1,
            8 => ErrorCode::R2,
            9 => ErrorCode::R4,
            10 => ErrorCode::R6,
            11 => ErrorCode::R7,
            12 => ErrorCode::R8,
            13 => ErrorCode::R9,
            16 => ErrorCode::Truncated,
            17 => return Code::Frame,
            18 => return Code::Overflow,
            19 => return Code::TooLong,
            20 => return Code::TooDeep,
            code => return Code::Unknown(code),
        })
    }
}

/// A Verilated engine.
pub struct Engine {
    width: Width,
    model: &'static Model,
    sim: *mut c_void,
}

// The model is used by whoever owns the engine, and by nobody else.
unsafe impl Send for Engine {}

impl Drop for Engine {
    fn drop(&mut self) {
        // SAFETY: `sim` came from `new`, and nobody uses it after this.
        unsafe { (self.model.free)(self.sim) }
    }
}

impl Engine {
    /// An engine after reset, without a program.
    pub fn new(width: Width) -> Self {
        let design = width.design(
            ["fast8", "fast64"],
            "fast_engine_tb",
            include_str!("../../../tests/rtl/fast_engine_tb.sv"),
            0,
        );
        // SAFETY: `Model` mirrors the table of cpp/fast.inc.
        let model: &Model = unsafe { functions(&design) };
        // SAFETY: it takes nothing.
        let sim = unsafe { (model.new)() };
        Engine { width, model, sim }
    }

    /// Bytes in a beat.
    pub fn lanes(&self) -> u64 {
        u64::from(self.width.bits() / 8)
    }

    /// The number of the next cycle.
    pub fn cycle(&self) -> u64 {
        // SAFETY: `sim` came from `new`.
        unsafe { (self.model.cycle)(self.sim) }
    }

    /// Cycles without a beat.
    pub fn run(&mut self, cycles: u64) {
        // SAFETY: `sim` came from `new`.
        unsafe { (self.model.run)(self.sim, cycles) }
    }

    /// Loads a program: holds packets back, waits until none is being decoded, writes, and begins with empty dictionaries.
    pub fn load(&mut self, program: &Program) {
        self.hold(true);
        while !self.held() {
            self.run(1);
        }
        for load in program.loads() {
            // SAFETY: `sim` came from `new`, and five words are read.
            unsafe { (self.model.load)(self.sim, load.what, load.index, load.data.as_ptr()) }
        }
        // SAFETY: `sim` came from `new`.
        unsafe { (self.model.restart)(self.sim) }
        self.hold(false);
    }

    /// Holds packets back, or no longer.
    pub fn hold(&mut self, hold: bool) {
        // SAFETY: `sim` came from `new`.
        unsafe { (self.model.hold)(self.sim, u8::from(hold)) }
    }

    /// Whether it holds, and no packet is being decoded.
    pub fn held(&self) -> bool {
        // SAFETY: `sim` came from `new`.
        unsafe { (self.model.held)(self.sim) != 0 }
    }

    /// Whether every packet begins with empty dictionaries.
    pub fn reset_each_packet(&mut self, on: bool) {
        // SAFETY: `sim` came from `new`.
        unsafe { (self.model.reset_each_packet)(self.sim, u8::from(on)) }
    }

    /// Beats in the packet buffer.
    pub fn waiting(&self) -> u64 {
        // SAFETY: `sim` came from `new`.
        unsafe { (self.model.waiting)(self.sim) }
    }

    /// Whether an assertion of the RTL has failed.
    pub fn asserted(&self) -> bool {
        // SAFETY: `sim` came from `new`.
        unsafe { (self.model.asserted)(self.sim) != 0 }
    }

    /// Sends a packet; returns the cycle of its last beat.
    fn packet(&mut self, bytes: &[u8], wire: &Wire) -> u64 {
        let packet = Packet {
            data: bytes.as_ptr(),
            length: bytes.len() as u32,
            err: u8::from(wire.err),
            empty_end: u8::from(wire.empty_end),
            gaps: wire.gaps,
            random: wire.random,
        };
        // SAFETY: `sim` came from `new`, and `length` bytes are read.
        unsafe { (self.model.packet)(self.sim, &packet) }
    }

    /// Takes what has left since the last call.
    fn records(&mut self) -> Vec<Record> {
        let mut first = std::ptr::null();
        // SAFETY: `sim` came from `new`; the records stay where they are until `clear`, and are copied before.
        unsafe {
            let count = (self.model.records)(self.sim, &mut first) as usize;
            let records = if count == 0 {
                Vec::new()
            } else {
                std::slice::from_raw_parts(first, count).to_vec()
            };
            (self.model.clear)(self.sim);
            records
        }
    }
}
