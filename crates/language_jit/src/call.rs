//! The one module with unsafe code: it owns the machine code's memory, calls it, and reads the book for it.
//!
//! Why it is sound:
//! - The code comes from `translate` alone. It takes a signature that is fixed here, and keeps to it.
//! - Of moment and event it reads members, at the offsets that the compiler has them at, with their sizes. The handler of an event is given that event,
//!   and the checker lets a handler read the members of its own event alone.
//! - Else it reads and writes only within the slices of [`Memory`]. `translate` reaches them by constant positions of [`crate::memory`], which are within the
//!   lengths that `Compiled::new` allocates, and by indexes that the code compares with a length first. Intents are counted before they are written;
//!   records have room for the most that the checker has worked out.
//! - It has no other state, starts no thread, and keeps no pointer.
//! - The memory of the code lives as long as [`Code`], which alone calls it.
#![allow(unsafe_code)]

use std::ffi::c_void;

use cranelift_jit::JITModule;
use formats::Side;
use language::{Depth, Event, Level, Moment};

/// What the code is called with: moment, event, parameters, state, positions, output, and the book to give to [`read_level`]. It gives something other
/// than 0 if it has written to the output.
type Function = extern "C" fn(
    *const c_void,
    *const c_void,
    *const i64,
    *mut i64,
    *const i64,
    *mut i64,
    *const c_void,
) -> i64;

/// How many values a [`Function`] takes.
pub(crate) const GIVEN: usize = 7;

/// How many handlers a program has at most.
pub(crate) const HANDLERS: usize = 4;

/// What a handler works on.
pub(crate) struct Memory<'a> {
    pub(crate) moment: &'a Moment<'a>,
    pub(crate) event: &'a Event<'a>,
    pub(crate) parameters: &'a [i64],
    pub(crate) state: &'a mut [i64],
    pub(crate) positions: &'a [i64],
    pub(crate) output: &'a mut [i64],
    pub(crate) depth: &'a dyn Depth,
}

/// The compiled handlers.
pub(crate) struct Code {
    /// Always there until it is dropped.
    module: Option<JITModule>,
    functions: [Option<Function>; HANDLERS],
}

impl Code {
    /// Takes over a finished module and the functions in it.
    pub(crate) fn new(
        module: JITModule,
        ids: [Option<cranelift_module::FuncId>; HANDLERS],
    ) -> Self {
        let functions = ids.map(|id| {
            id.map(|id| {
                let address = module.get_finalized_function(id);
                // SAFETY: the address is that of finished code, which `translate` made with the signature of `Function`.
                unsafe { std::mem::transmute::<*const u8, Function>(address) }
            })
        });
        Code {
            module: Some(module),
            functions,
        }
    }

    /// Runs the handler of the event, if the program has it; returns whether anything is in the output.
    #[inline]
    pub(crate) fn run(&self, memory: Memory<'_>) -> bool {
        let moment: *const Moment<'_> = memory.moment;
        let (handler, event): (usize, *const c_void) = match *memory.event {
            Event::Book(change, _) => (0, std::ptr::from_ref(change).cast()),
            Event::Trade(trade) => (1, std::ptr::from_ref(trade).cast()),
            Event::Report(report) => (2, std::ptr::from_ref(report).cast()),
            // A timer's handler reads the moment alone.
            Event::Timer => (3, moment.cast()),
        };
        let Some(function) = self.functions[handler] else {
            return false;
        };
        // The code hands this address on to `read_level`, which runs before this call returns.
        let depth: *const &dyn Depth = &memory.depth;
        function(
            moment.cast(),
            event,
            memory.parameters.as_ptr(),
            memory.state.as_mut_ptr(),
            memory.positions.as_ptr(),
            memory.output.as_mut_ptr(),
            depth.cast(),
        ) != 0
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: no function of the module is running, for `run` borrows `self`; and nobody else has their addresses.
            unsafe { module.free_memory() }
        }
    }
}

/// What the code calls to read a level of the book, with a number that it has found to be in range. A panic of the book ends the process, as it must
/// where there is nobody to catch it.
pub(crate) extern "C" fn read_level(depth: *const c_void, side: i64, number: i64, into: *mut i64) {
    // SAFETY: the code gives on what `run` gave it, which is the address of a reference that lives until `run` returns.
    let depth = unsafe { *depth.cast::<&dyn Depth>() };
    let side = if side == 0 { Side::Buy } else { Side::Sell };
    let Level {
        price,
        quantity,
        orders,
    } = depth.level(side, number as usize);
    // SAFETY: the code gives the address of three words on its own stack.
    unsafe { into.cast::<[i64; 3]>().write([price, quantity, orders]) }
}
