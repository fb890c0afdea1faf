//! The C interface of the Verilated FAST engines (`cpp/fast.inc`), one set of functions a width.

use std::ffi::c_void;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Record {
    pub cycle: u64,
    pub value: u64,
    pub tag: u32,
    pub offset: u16,
    pub what: u8,
    pub kind: u8,
    pub count: u8,
    pub exponent: u8,
    pub first: u8,
    pub last: u8,
    pub entry_end: u8,
    pub message_end: u8,
    pub good: u8,
    pub code: u8,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    pub data: *const u8,
    pub length: u32,
    pub err: u8,
    pub empty_end: u8,
    pub gaps: u8,
    pub random: u64,
}

/// The functions of one model. All but `new` take what `new` returned.
pub struct Model {
    pub lanes: u64,
    pub new: unsafe extern "C" fn() -> *mut c_void,
    pub free: unsafe extern "C" fn(*mut c_void),
    pub run: unsafe extern "C" fn(*mut c_void, u64),
    pub cycle: unsafe extern "C" fn(*const c_void) -> u64,
    pub packet: unsafe extern "C" fn(*mut c_void, *const Packet) -> u64,
    pub load: unsafe extern "C" fn(*mut c_void, u8, u16, *const u32),
    pub hold: unsafe extern "C" fn(*mut c_void, u8),
    pub held: unsafe extern "C" fn(*const c_void) -> u8,
    pub reset_each_packet: unsafe extern "C" fn(*mut c_void, u8),
    pub restart: unsafe extern "C" fn(*mut c_void),
    pub waiting: unsafe extern "C" fn(*const c_void) -> u64,
    pub records: unsafe extern "C" fn(*const c_void, *mut *const Record) -> u64,
    pub clear: unsafe extern "C" fn(*mut c_void),
    pub asserted: unsafe extern "C" fn(*const c_void) -> u8,
}

macro_rules! model {
    ($model:ident, $lanes:literal, $new:ident, $free:ident, $run:ident, $cycle:ident, $packet:ident, $load:ident, $hold:ident, $held:ident,
     $reset_each_packet:ident, $restart:ident, $waiting:ident, $records:ident, $clear:ident, $asserted:ident) => {
        unsafe extern "C" {
            fn $new() -> *mut c_void;
            fn $free(sim: *mut c_void);
            fn $run(sim: *mut c_void, cycles: u64);
            fn $cycle(sim: *const c_void) -> u64;
            fn $packet(sim: *mut c_void, packet: *const Packet) -> u64;
            fn $load(sim: *mut c_void, what: u8, index: u16, data: *const u32);
            fn $hold(sim: *mut c_void, hold: u8);
            fn $held(sim: *const c_void) -> u8;
            fn $reset_each_packet(sim: *mut c_void, on: u8);
            fn $restart(sim: *mut c_void);
            fn $waiting(sim: *const c_void) -> u64;
            fn $records(sim: *const c_void, records: *mut *const Record) -> u64;
            fn $clear(sim: *mut c_void);
            fn $asserted(sim: *const c_void) -> u8;
        }
        pub static $model: Model = Model {
            lanes: $lanes,
            new: $new,
            free: $free,
            run: $run,
            cycle: $cycle,
            packet: $packet,
            load: $load,
            hold: $hold,
            held: $held,
            reset_each_packet: $reset_each_packet,
            restart: $restart,
            waiting: $waiting,
            records: $records,
            clear: $clear,
            asserted: $asserted,
        };
    };
}

model!(
    FAST8,
    1,
    fast8_new,
    fast8_free,
    fast8_run,
    fast8_cycle,
    fast8_packet,
    fast8_load,
    fast8_hold,
    fast8_held,
    fast8_reset_each_packet,
    fast8_restart,
    fast8_waiting,
    fast8_records,
    fast8_clear,
    fast8_asserted
);
model!(
    FAST64,
    8,
    fast64_new,
    fast64_free,
    fast64_run,
    fast64_cycle,
    fast64_packet,
    fast64_load,
    fast64_hold,
    fast64_held,
    fast64_reset_each_packet,
    fast64_restart,
    fast64_waiting,
    fast64_records,
    fast64_clear,
    fast64_asserted
);
model!(
    FAST_RING8,
    1,
    fast_ring8_new,
    fast_ring8_free,
    fast_ring8_run,
    fast_ring8_cycle,
    fast_ring8_packet,
    fast_ring8_load,
    fast_ring8_hold,
    fast_ring8_held,
    fast_ring8_reset_each_packet,
    fast_ring8_restart,
    fast_ring8_waiting,
    fast_ring8_records,
    fast_ring8_clear,
    fast_ring8_asserted
);
model!(
    FAST_RING64,
    8,
    fast_ring64_new,
    fast_ring64_free,
    fast_ring64_run,
    fast_ring64_cycle,
    fast_ring64_packet,
    fast_ring64_load,
    fast_ring64_hold,
    fast_ring64_held,
    fast_ring64_reset_each_packet,
    fast_ring64_restart,
    fast_ring64_waiting,
    fast_ring64_records,
    fast_ring64_clear,
    fast_ring64_asserted
);

/// The further functions of an engine with a ring in host memory.
pub struct RingModel {
    pub ring: unsafe extern "C" fn(*mut c_void, u8, u64, u8),
    pub position: unsafe extern "C" fn(*mut c_void, u32),
    pub slow: unsafe extern "C" fn(*mut c_void, u8),
    pub memory: unsafe extern "C" fn(*const c_void, *mut *const u64) -> u64,
    pub cycles: unsafe extern "C" fn(*const c_void, *mut *const u64) -> u64,
    pub lost: unsafe extern "C" fn(*const c_void) -> u32,
}

macro_rules! ring_model {
    ($model:ident, $ring:ident, $position:ident, $slow:ident, $memory:ident, $cycles:ident, $lost:ident) => {
        unsafe extern "C" {
            fn $ring(sim: *mut c_void, what: u8, base: u64, size_log2: u8);
            fn $position(sim: *mut c_void, position: u32);
            fn $slow(sim: *mut c_void, slow: u8);
            fn $memory(sim: *const c_void, words: *mut *const u64) -> u64;
            fn $cycles(sim: *const c_void, cycles: *mut *const u64) -> u64;
            fn $lost(sim: *const c_void) -> u32;
        }
        pub static $model: RingModel = RingModel {
            ring: $ring,
            position: $position,
            slow: $slow,
            memory: $memory,
            cycles: $cycles,
            lost: $lost,
        };
    };
}

ring_model!(
    RING8,
    fast_ring8_ring,
    fast_ring8_ring_position,
    fast_ring8_ring_slow,
    fast_ring8_ring_memory,
    fast_ring8_ring_cycles,
    fast_ring8_ring_lost
);
ring_model!(
    RING64,
    fast_ring64_ring,
    fast_ring64_ring_position,
    fast_ring64_ring_slow,
    fast_ring64_ring_memory,
    fast_ring64_ring_cycles,
    fast_ring64_ring_lost
);
