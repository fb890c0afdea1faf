//! The C interface of the Verilated arbiters (`cpp/arbiter.inc`).

use std::ffi::c_void;

/// Counters of pulses, in the order of `sample` in `cpp/arbiter.inc`.
pub const PULSES: usize = 11;

#[repr(C)]
pub struct Packet {
    pub data: *const u8,
    pub begin: u64,
    pub length: u32,
    pub good: u32,
}

#[repr(C)]
pub struct Change {
    pub cycle: u64,
    pub mode: u32,
    pub time_window: u32,
    pub count_window: u32,
    pub idle_limit: u32,
    pub flush: u32,
}

#[repr(C)]
pub struct Seen {
    pub begin: u64,
    pub end: u64,
    pub offset: u64,
    pub length: u32,
    pub output: u32,
    pub err: u32,
}

#[repr(C)]
pub struct Noted {
    pub cycle: u64,
    pub from: u64,
    pub to: u64,
    pub kind: u32,
}

#[repr(C)]
pub struct Record {
    pub seen: *const Seen,
    pub seen_count: u64,
    pub told: *const Noted,
    pub told_count: u64,
    pub bytes: *const u8,
    pub pulses: [[u64; 2]; PULSES],
    pub asserted: u32,
}

/// The functions of one model, in the order of `kFunctions` in `cpp/arbiter.inc`. All but `new` take what `new` returned.
#[repr(C)]
pub struct Model {
    pub new: unsafe extern "C" fn() -> *mut c_void,
    pub free: unsafe extern "C" fn(*mut c_void),
    #[allow(clippy::type_complexity)]
    pub run: unsafe extern "C" fn(
        *mut c_void,
        *const Packet,
        u64,
        *const Packet,
        u64,
        *const Change,
        u64,
        u64,
    ),
    pub record: unsafe extern "C" fn(*mut c_void, *mut Record),
}
