//! The wire-rate FAST engine of `rtl/decoder/fast/wire`, Verilated, and held against the software decoder: [`Lockstep`] gives both the same packets and compares
//! every wanted field of every entry.

mod lockstep;
mod model;
pub mod random;

use std::ffi::c_void;

use fast::wire_rate::{MOST_TEMPLATES, Tables};

use crate::testbench::functions;
use cosim::Design;
pub use lockstep::{Arrival, LAST_ENTRY, Lockstep, SAVED, SCOUT, Statistics, Taken, VERDICT};
pub use model::{FIELDS, HEADERS};
use model::{Model, Packet, Record};

/// Why a packet is not done (`fast_wire_pkg::reason_e`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trap {
    /// The frame's verdict was bad.
    Frame,
    /// Another template, or an unusual presence map of the message.
    Template,
    /// A value of the header.
    Header,
    /// Two entries begin in one beat.
    Starts,
    /// More than four null exponents in a beat.
    Nulls,
    /// A null exponent that is only watched for.
    Late,
    /// An entry's presence map.
    Map,
    /// A wanted value.
    Value,
    /// The packet ends inside an entry.
    End,
    /// The sequence's length.
    Length,
    /// No reason.
    Unknown(u8),
}

impl Trap {
    fn of(reason: u8) -> Self {
        match reason {
            1 => Trap::Frame,
            2 => Trap::Template,
            3 => Trap::Header,
            4 => Trap::Late,
            5 => Trap::Starts,
            6 => Trap::Nulls,
            7 => Trap::Map,
            8 => Trap::Value,
            9 => Trap::End,
            10 => Trap::Length,
            reason => Trap::Unknown(reason),
        }
    }
}

/// How an engine is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// For one template.
    One,
    /// The same in fewer cycles, as with tables that are constants.
    Short,
    /// With room for `MOST_TEMPLATES`, and a scout.
    Set,
}

/// A Verilated engine.
pub struct Engine {
    sim: *mut c_void,
    model: &'static Model,
    shape: Shape,
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
    /// An engine after reset, without tables.
    pub fn new(shape: Shape) -> Self {
        let name = match shape {
            Shape::One => "fast_wire",
            Shape::Short => "fast_wire_short",
            Shape::Set => "fast_wire_set",
        };
        let templates = if shape == Shape::Set {
            MOST_TEMPLATES as u64
        } else {
            1
        };
        let design = Design {
            name,
            top: "fast_wire_tb",
            parameters: vec![
                ("TEMPLATES", templates),
                ("SHORT", (shape == Shape::Short).into()),
            ],
            files: vec![(
                "fast_wire_tb.sv",
                include_str!("../../../tests/rtl/fast_wire_tb.sv"),
            )],
            shim: include_str!("../cpp/fast_wire.inc"),
            defines: vec![("WIDTH", 64)],
        };
        // SAFETY: `Model` mirrors the table of cpp/fast_wire.inc.
        let model: &Model = unsafe { functions(&design) };
        // SAFETY: it takes nothing.
        let sim = unsafe { (model.new)() };
        Engine { sim, model, shape }
    }

    /// Cycles from a packet's last beat to its last entry; to its verdict two more.
    pub fn last_entry(&self) -> u64 {
        match self.shape {
            Shape::One => LAST_ENTRY,
            Shape::Short => LAST_ENTRY - SAVED,
            Shape::Set => LAST_ENTRY + SCOUT,
        }
    }

    /// The number of the next cycle.
    pub fn cycle(&self) -> u64 {
        // SAFETY: `sim` came from `new`.
        unsafe { (self.model.cycle)(self.sim) }
    }

    /// Whether further messages of a packet are done, where packets begin with empty dictionaries.
    pub fn set_several(&mut self, several: bool) {
        // SAFETY: `sim` came from `new`.
        unsafe { (self.model.several)(self.sim, several.into()) }
    }

    /// Cycles without a beat.
    pub fn run(&mut self, cycles: u64) {
        // SAFETY: `sim` came from `new`.
        unsafe { (self.model.run)(self.sim, cycles) }
    }

    /// Loads the tables of so many templates, when no packet is in it any more.
    pub fn load<'t>(&mut self, tables: impl Iterator<Item = &'t Tables>) {
        while !self.idle() {
            self.run(1);
        }
        let templates = if self.shape == Shape::Set {
            MOST_TEMPLATES
        } else {
            1
        };
        for (number, tables) in (0..templates as u8).zip(tables) {
            for load in tables.loads_of(number) {
                // SAFETY: `sim` came from `new`, and five words are read.
                unsafe {
                    (self.model.load)(
                        self.sim,
                        load.template,
                        load.what,
                        load.index,
                        load.data.as_ptr(),
                    );
                }
            }
        }
        // Until every stage has them.
        self.run(16);
    }

    /// Whether no packet is in it.
    pub fn idle(&self) -> bool {
        // SAFETY: `sim` came from `new`.
        unsafe { (self.model.idle)(self.sim) != 0 }
    }

    /// Whether an assertion of the RTL has failed.
    pub fn asserted(&self) -> bool {
        // SAFETY: `sim` came from `new`.
        unsafe { (self.model.asserted)(self.sim) != 0 }
    }

    /// Sends a packet; returns the cycle of its last beat.
    fn packet(&mut self, bytes: &[u8], arrival: &Arrival) -> u64 {
        let packet = Packet {
            data: bytes.as_ptr(),
            length: bytes.len() as u32,
            err: u8::from(arrival.err),
            empty_end: u8::from(arrival.empty_end),
            skip: arrival.skip & 7,
            gaps: arrival.gaps,
            random: arrival.random,
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
