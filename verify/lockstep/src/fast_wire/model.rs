//! The C interface of the Verilated engine (`cpp/fast_wire.inc`).

use std::ffi::c_void;

/// Wanted fields.
pub const FIELDS: usize = 10;
/// Wanted integers of the header.
pub const HEADERS: usize = 2;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Value {
    pub low: u64,
    pub high: u64,
    pub count: u8,
    pub exponent: u8,
    pub absent: u8,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Record {
    pub cycle: u64,
    pub what: u8,
    pub last: u8,
    pub good: u8,
    pub reason: u8,
    pub header_absent: u8,
    pub header: [u64; HEADERS],
    pub values: [Value; FIELDS],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    pub data: *const u8,
    pub length: u32,
    pub err: u8,
    pub empty_end: u8,
    pub skip: u8,
    pub gaps: u8,
    pub random: u64,
}

/// The functions of one model, in the order of `kFunctions` in `cpp/fast_wire.inc`. All but `new` take what `new` returned.
#[repr(C)]
pub struct Model {
    pub new: unsafe extern "C" fn() -> *mut c_void,
    pub free: unsafe extern "C" fn(*mut c_void),
    pub several: unsafe extern "C" fn(*mut c_void, u8),
    pub run: unsafe extern "C" fn(*mut c_void, u64),
    pub cycle: unsafe extern "C" fn(*const c_void) -> u64,
    pub packet: unsafe extern "C" fn(*mut c_void, *const Packet) -> u64,
    pub load: unsafe extern "C" fn(*mut c_void, u8, u8, u8, *const u32),
    pub idle: unsafe extern "C" fn(*const c_void) -> u8,
    pub records: unsafe extern "C" fn(*const c_void, *mut *const Record) -> u64,
    pub clear: unsafe extern "C" fn(*mut c_void),
    pub asserted: unsafe extern "C" fn(*const c_void) -> u8,
}
