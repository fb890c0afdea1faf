//! The one module with unsafe code: it owns the machine code's memory, calls it, and reads the book for it.
//!
//! Why it is sound:
//! - The code comes from `translate` alone. It takes a signature that is fixed here, and keeps to it.
//! - It reads and writes only within the slices of [`Memory`]. `translate` reaches them by constant positions of [`crate::memory`], which are within the
//!   lengths that `Compiled::new` allocates, and by indexes that the code compares with a length first. Intents are counted before they are written;
//!   records have room for the most that the checker has worked out.
//! - It has no other state, starts no thread, and keeps no pointer.
//! - The memory of the code lives as long as [`Code`], which alone calls it.
#![allow(unsafe_code)]

use std::ffi::c_void;

use cranelift_jit::JITModule;
use language::{Depth, Level};
use wire::Side;

/// What the code is called with: inputs, parameters, state, positions, output, and the book to give to [`read_level`].
type Function =
    extern "C" fn(*const i64, *const i64, *mut i64, *const i64, *mut i64, *const c_void);

/// How many handlers a program has at most.
pub(crate) const HANDLERS: usize = 4;

/// What a handler works on.
pub(crate) struct Memory<'a> {
    pub(crate) inputs: &'a [i64],
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

    /// Whether the program has that handler.
    #[inline]
    pub(crate) const fn has(&self, handler: usize) -> bool {
        self.functions[handler].is_some()
    }

    /// Runs a handler, if the program has it.
    #[inline]
    pub(crate) fn run(&self, handler: usize, memory: Memory<'_>) {
        let Some(function) = self.functions[handler] else {
            return;
        };
        // The code hands this address on to `read_level`, which runs before this call returns.
        let depth: *const &dyn Depth = &memory.depth;
        function(
            memory.inputs.as_ptr(),
            memory.parameters.as_ptr(),
            memory.state.as_mut_ptr(),
            memory.positions.as_ptr(),
            memory.output.as_mut_ptr(),
            depth.cast(),
        );
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
