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

/// The functions of one model. All but `new` take what `new` returned.
pub struct Model {
    /// Templates of its set.
    pub templates: usize,
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

macro_rules! model {
    ($model:ident, $templates:literal, $new:ident, $free:ident, $several:ident, $run:ident, $cycle:ident, $packet:ident, $load:ident, $idle:ident, $records:ident,
     $clear:ident, $asserted:ident) => {
        unsafe extern "C" {
            fn $new() -> *mut c_void;
            fn $free(sim: *mut c_void);
            fn $several(sim: *mut c_void, several: u8);
            fn $run(sim: *mut c_void, cycles: u64);
            fn $cycle(sim: *const c_void) -> u64;
            fn $packet(sim: *mut c_void, packet: *const Packet) -> u64;
            fn $load(sim: *mut c_void, template: u8, what: u8, index: u8, data: *const u32);
            fn $idle(sim: *const c_void) -> u8;
            fn $records(sim: *const c_void, records: *mut *const Record) -> u64;
            fn $clear(sim: *mut c_void);
            fn $asserted(sim: *const c_void) -> u8;
        }
        pub static $model: Model = Model {
            templates: $templates,
            new: $new,
            free: $free,
            several: $several,
            run: $run,
            cycle: $cycle,
            packet: $packet,
            load: $load,
            idle: $idle,
            records: $records,
            clear: $clear,
            asserted: $asserted,
        };
    };
}

model!(
    ONE,
    1,
    fast_wire_new,
    fast_wire_free,
    fast_wire_several,
    fast_wire_run,
    fast_wire_cycle,
    fast_wire_packet,
    fast_wire_load,
    fast_wire_idle,
    fast_wire_records,
    fast_wire_clear,
    fast_wire_asserted
);
model!(
    SET,
    8,
    fast_wire_set_new,
    fast_wire_set_free,
    fast_wire_set_several,
    fast_wire_set_run,
    fast_wire_set_cycle,
    fast_wire_set_packet,
    fast_wire_set_load,
    fast_wire_set_idle,
    fast_wire_set_records,
    fast_wire_set_clear,
    fast_wire_set_asserted
);
