//! `rtl/book`, cycle-accurate, and in lockstep with its twin in software, `book`.
//!
//! | module | what it does |
//! |---|---|
//! | [`lockstep`] | the same events, verdicts and requests to both; everything that leaves is compared |
//! | [`twin`] | what the hardware has to say, from the twin, and the differences that are allowed |
//! | [`stream`] | random events, valid and not |
//! | [`market`] | files of ITCH messages, through both |
//!
//! Cycle 0 is the first after reset.

pub mod lockstep;
pub mod market;
mod model;
pub mod stream;
pub mod twin;

use std::ffi::c_void;
use std::ptr::NonNull;

use book::Limits;

use crate::testbench::functions;
pub use lockstep::{Lockstep, Spacing, Stats};
use model::{Input, Output, Read, Request};
pub use twin::Window;

/// Instruments of the hardware: `book_pkg::Instruments`.
pub const INSTRUMENTS: usize = 16;

/// Ticks in a window: `book_pkg::WindowTicks`.
pub const WINDOW_TICKS: i64 = 8_190;

/// A book in its testbench.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Design {
    /// `book_stage` as it is by default.
    Default,
    /// Tables so small that sets, the stash, the levels and the log are full again and again.
    Small,
    /// One that takes price levels too, with a small log.
    Levels,
}

impl Design {
    /// Those of orders alone.
    pub const OF_ORDERS: [Design; 2] = [Design::Default, Design::Small];

    /// Limits of the twin. The twin has room for any level: what does not fit in the hardware it reports afterwards ([`twin`]).
    pub fn limits(self) -> Limits {
        let (orders, log) = match self {
            Design::Default => (12_288, 512),
            Design::Small => (112, 16),
            Design::Levels => (12_288, 16),
        };
        let id_bits = match self {
            Design::Levels => Limits::HARDWARE_OF_BOTH.id_bits,
            _ => Limits::HARDWARE.id_bits,
        };
        Limits {
            orders,
            levels: u32::MAX,
            window: Some((WINDOW_TICKS / 2) as u32),
            level_orders: u32::MAX,
            level_quantity: u64::MAX,
            log,
            id_bits,
            ..Limits::HARDWARE
        }
    }

    /// Places of the order table, the stash not included: `WAYS << SETS_LOG2`.
    pub fn places(self) -> u32 {
        match self {
            Design::Default | Design::Levels => 8 << 11,
            Design::Small => 4 << 5,
        }
    }

    /// Events and verdicts that may wait in the hardware without the loss of one, with something to spare: `FIFO`.
    pub fn waiting(self) -> usize {
        match self {
            Design::Default => 100,
            Design::Small | Design::Levels => 48,
        }
    }

    fn model(self) -> &'static model::Model {
        let (name, parameters): (_, &[(&str, u64)]) = match self {
            Design::Default => ("book", &[]),
            Design::Small => (
                "book_small",
                &[
                    ("WAYS", 4),
                    ("SETS_LOG2", 5),
                    ("ORDERS", 112),
                    ("LEVEL_SETS_LOG2", 5),
                    ("LOG", 16),
                    ("FIFO", 64),
                ],
            ),
            Design::Levels => ("book_levels", &[("LOG", 16), ("FIFO", 64), ("LEVELS", 1)]),
        };
        let design = cosim::Design {
            name,
            top: "book_tb",
            parameters: parameters.to_vec(),
            files: vec![("book_tb.sv", include_str!("../../../tests/rtl/book_tb.sv"))],
            shim: include_str!("../cpp/book.inc"),
            defines: vec![],
        };
        // SAFETY: `Model` mirrors the table of cpp/book.inc.
        unsafe { functions(&design) }
    }
}

/// A Verilated book. It comes out of `new` reset.
pub(crate) struct Hardware {
    model: &'static model::Model,
    handle: NonNull<c_void>,
    output: Output,
}

impl Hardware {
    /// One that has seen nothing yet.
    pub fn new(design: Design) -> Self {
        let model = design.model();
        // SAFETY: no precondition.
        let handle =
            NonNull::new(unsafe { (model.new)() }).expect("operator new does not return null");
        Hardware {
            model,
            handle,
            output: Output::default(),
        }
    }

    /// Runs a cycle; returns what left in it, if anything did.
    pub fn cycle(&mut self, input: &Input) -> Option<Output> {
        // SAFETY: `handle` is live until drop; both structures mirror those of the model.
        let any = unsafe { (self.model.cycle)(self.handle.as_ptr(), input, &mut self.output) };
        (any != 0).then_some(self.output)
    }

    /// Which instruments were tradable in the last cycle, as far as `all_tradable` says: a bit each.
    pub fn all_tradable(&self) -> u16 {
        self.output.all_tradable
    }

    /// What the host asks for from the next cycle on; `None`: nothing.
    pub fn request(&mut self, request: Option<&Request>) {
        let request = request.map_or(std::ptr::null(), std::ptr::from_ref);
        // SAFETY: as above; the model copies it.
        unsafe { (self.model.request)(self.handle.as_ptr(), request) }
    }

    /// Begins to read a side's best levels in the next cycle; nothing happens while a read has not ended.
    pub fn read(&mut self, read: &Read) {
        // SAFETY: as above; the model copies it.
        unsafe { (self.model.read)(self.handle.as_ptr(), read) }
    }

    /// Whether an assertion of the RTL has failed; which is on standard output.
    pub fn asserted(&self) -> bool {
        // SAFETY: as above.
        unsafe { (self.model.asserted)(self.handle.as_ptr()) != 0 }
    }
}

impl Drop for Hardware {
    fn drop(&mut self) {
        // SAFETY: made by `new`, not yet freed.
        unsafe { (self.model.free)(self.handle.as_ptr()) }
    }
}
