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

unsafe extern "C" {
    pub fn fast_wire_new() -> *mut c_void;
    pub fn fast_wire_free(sim: *mut c_void);
    pub fn fast_wire_run(sim: *mut c_void, cycles: u64);
    pub fn fast_wire_cycle(sim: *const c_void) -> u64;
    pub fn fast_wire_packet(sim: *mut c_void, packet: *const Packet) -> u64;
    pub fn fast_wire_load(sim: *mut c_void, what: u8, index: u8, data: *const u32);
    pub fn fast_wire_idle(sim: *const c_void) -> u8;
    pub fn fast_wire_records(sim: *const c_void, records: *mut *const Record) -> u64;
    pub fn fast_wire_clear(sim: *mut c_void);
    pub fn fast_wire_asserted(sim: *const c_void) -> u8;
}
