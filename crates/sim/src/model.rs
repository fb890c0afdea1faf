//! The C interface of the Verilated cores (`cpp/shim.inc`), one set of functions a width.

use std::ffi::{c_int, c_void};

/// No byte of the frame is flagged as an error.
pub const NO_ERROR: u32 = u32::MAX;

#[repr(C)]
pub struct Send {
    pub data: *const u8,
    pub length: u32,
    pub gap: u32,
    pub lane: u32,
    pub error_at: u32,
    pub at: u64,
    pub line: u32,
    pub first: u64,
    pub last: u64,
}

#[repr(C)]
pub struct Received {
    pub first: u64,
    pub last: u64,
    pub gap: u64,
    pub length: u32,
    pub malformed: u32,
}

#[repr(C)]
pub struct HostFrame {
    pub cycle: u64,
    pub length: u32,
    pub line: u32,
}

#[repr(C)]
pub struct Delivered {
    pub cycle: u64,
    pub sequence: u64,
    pub messages: u64,
}

#[repr(C)]
pub struct Beat {
    pub data: u64,
    pub control: u8,
    pub error: u8,
}

/// The functions of one model. All but `new` take what `new` returned.
pub struct Model {
    pub new: unsafe extern "C" fn() -> *mut c_void,
    pub free: unsafe extern "C" fn(*mut c_void),
    pub reset: unsafe extern "C" fn(*mut c_void),
    pub cycle: unsafe extern "C" fn(*const c_void) -> u64,
    pub run: unsafe extern "C" fn(*mut c_void, u64),
    pub run_until_idle: unsafe extern "C" fn(*mut c_void, u64, u64) -> c_int,
    pub send: unsafe extern "C" fn(*mut c_void, *mut Send, u64),
    pub step: unsafe extern "C" fn(*mut c_void, *mut Beat),
    pub received: unsafe extern "C" fn(*const c_void, *mut *const Received, *mut *const u8) -> u64,
    pub host: unsafe extern "C" fn(*const c_void, *mut *const HostFrame, *mut *const u8) -> u64,
    pub delivered: unsafe extern "C" fn(*const c_void, *mut *const Delivered) -> u64,
    pub clear: unsafe extern "C" fn(*mut c_void),
    pub set_time: unsafe extern "C" fn(*mut c_void, u64),
    pub write: unsafe extern "C" fn(*mut c_void, u32, u32) -> c_int,
    pub write_at: unsafe extern "C" fn(*mut c_void, u64, u32, u32),
    pub read: unsafe extern "C" fn(*mut c_void, u32, *mut u32) -> c_int,
}

macro_rules! model {
    ($model:ident, $new:ident, $free:ident, $reset:ident, $cycle:ident, $run:ident, $run_until_idle:ident, $send:ident, $step:ident,
     $received:ident, $host:ident, $delivered:ident, $clear:ident, $set_time:ident, $write:ident, $write_at:ident, $read:ident) => {
        unsafe extern "C" {
            fn $new() -> *mut c_void;
            fn $free(sim: *mut c_void);
            fn $reset(sim: *mut c_void);
            fn $cycle(sim: *const c_void) -> u64;
            fn $run(sim: *mut c_void, cycles: u64);
            fn $run_until_idle(sim: *mut c_void, quiet: u64, limit: u64) -> c_int;
            fn $send(sim: *mut c_void, frames: *mut Send, count: u64);
            fn $step(sim: *mut c_void, beat: *mut Beat);
            fn $received(
                sim: *const c_void,
                frames: *mut *const Received,
                bytes: *mut *const u8,
            ) -> u64;
            fn $host(
                sim: *const c_void,
                frames: *mut *const HostFrame,
                bytes: *mut *const u8,
            ) -> u64;
            fn $delivered(sim: *const c_void, delivered: *mut *const Delivered) -> u64;
            fn $clear(sim: *mut c_void);
            fn $set_time(sim: *mut c_void, nanoseconds: u64);
            fn $write(sim: *mut c_void, address: u32, value: u32) -> c_int;
            fn $write_at(sim: *mut c_void, cycle: u64, address: u32, value: u32);
            fn $read(sim: *mut c_void, address: u32, value: *mut u32) -> c_int;
        }
        pub static $model: Model = Model {
            new: $new,
            free: $free,
            reset: $reset,
            cycle: $cycle,
            run: $run,
            run_until_idle: $run_until_idle,
            send: $send,
            step: $step,
            received: $received,
            host: $host,
            delivered: $delivered,
            clear: $clear,
            set_time: $set_time,
            write: $write,
            write_at: $write_at,
            read: $read,
        };
    };
}

model!(
    CORE8,
    core8_new,
    core8_free,
    core8_reset,
    core8_cycle,
    core8_run,
    core8_run_until_idle,
    core8_send,
    core8_step,
    core8_received,
    core8_host,
    core8_delivered,
    core8_clear,
    core8_set_time,
    core8_write,
    core8_write_at,
    core8_read
);
model!(
    CORE64,
    core64_new,
    core64_free,
    core64_reset,
    core64_cycle,
    core64_run,
    core64_run_until_idle,
    core64_send,
    core64_step,
    core64_received,
    core64_host,
    core64_delivered,
    core64_clear,
    core64_set_time,
    core64_write,
    core64_write_at,
    core64_read
);
