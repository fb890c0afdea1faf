//! The C interface of the Verilated order books (`cpp/book.inc`), one set of functions a design.

use std::ffi::c_void;

/// Levels of a side that a change shows: `K` of the RTL.
pub const LEVELS: usize = 8;
/// Levels that a read gives: `WalkLevels`.
pub const READ_LEVELS: usize = 16;

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Input {
    pub price: u64,
    pub quantity: u64,
    pub id: u64,
    pub new_id: u64,
    pub sequence: u64,
    pub early_id: u64,
    pub number: u64,
    pub event: u8,
    pub kind: u8,
    pub known: u8,
    pub instrument: u8,
    pub sell: u8,
    pub verdict: u8,
    pub good: u8,
    pub gap: u8,
    pub new_session: u8,
    pub non_printable: u8,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Request {
    pub id: u64,
    pub next: u64,
    pub shares: u32,
    pub price: u32,
    pub low_price: u32,
    pub low_tick: u32,
    pub end_price: u32,
    pub inverse: u32,
    pub size: u32,
    pub shift: u8,
    pub request: u8,
    pub instrument: u8,
    pub sell: u8,
    pub restore: u8,
    pub depth: u8,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Level {
    pub tick: u32,
    pub shares: u32,
    pub orders: u16,
    pub live: u8,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Read {
    pub instrument: u8,
    pub sell: u8,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadLevel {
    pub shares: u32,
    pub tick: u16,
    pub orders: u16,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Output {
    pub bid: Level,
    pub ask: Level,
    pub levels: [Level; LEVELS],
    pub read: [ReadLevel; READ_LEVELS],
    pub improving_price: u32,
    pub improving_shares: u32,
    pub trade_price: u32,
    pub trade_quantity: u32,
    pub all_tradable: u16,
    pub change: u8,
    pub known: u8,
    pub instrument: u8,
    pub sell: u8,
    pub undo: u8,
    pub fault: u8,
    pub cause: u8,
    pub shown: u8,
    pub best_changed: u8,
    pub complete: u8,
    pub levels_all: u8,
    pub tradable: u8,
    pub improving: u8,
    pub improving_instrument: u8,
    pub improving_sell: u8,
    pub trade: u8,
    pub trade_instrument: u8,
    pub trade_sell: u8,
    pub trade_priced: u8,
    pub verdict: u8,
    pub verdict_good: u8,
    pub count_fault: u8,
    pub count_cause: u8,
    pub count_not_ours: u8,
    pub count_undone: u8,
    pub count_overflow: u8,
    pub host_ready: u8,
    pub host_done: u8,
    pub read_found: u8,
    pub read_ends: u8,
    pub read_done: u8,
}

/// The functions of one model, in the order of `kFunctions` in `cpp/book.inc`. All but `new` take what `new` returned.
#[repr(C)]
pub struct Model {
    pub new: unsafe extern "C" fn() -> *mut c_void,
    pub free: unsafe extern "C" fn(*mut c_void),
    pub cycle: unsafe extern "C" fn(*mut c_void, *const Input, *mut Output) -> u8,
    pub request: unsafe extern "C" fn(*mut c_void, *const Request),
    pub read: unsafe extern "C" fn(*mut c_void, *const Read),
    pub asserted: unsafe extern "C" fn(*const c_void) -> u8,
}
