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

#[repr(C)]
pub struct Report {
    pub number: u64,
    pub time: u64,
    pub client_id: u32,
    pub what: u8,
    pub reason: u8,
}

#[repr(C)]
#[derive(Default)]
pub struct Answer {
    pub number: u64,
    pub answer: u32,
    pub valid: u32,
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
    pub pass_time: unsafe extern "C" fn(*mut c_void, c_int, c_int),
    pub session: unsafe extern "C" fn(*const c_void, *mut *const u8) -> u64,
    pub reports: unsafe extern "C" fn(*const c_void, *mut *const Report) -> u64,
    pub clear_session_bytes: unsafe extern "C" fn(*mut c_void),
    pub clear_reports: unsafe extern "C" fn(*mut c_void),
    pub message: unsafe extern "C" fn(*mut c_void, *const u8, u64, c_int, u32),
    pub answer: unsafe extern "C" fn(*const c_void, *mut Answer),
    pub queue: unsafe extern "C" fn(*mut c_void, *const Send),
    pub sending: unsafe extern "C" fn(*mut c_void) -> c_int,
}

macro_rules! model {
    ($model:ident, $new:ident, $free:ident, $reset:ident, $cycle:ident, $run:ident, $run_until_idle:ident, $send:ident, $step:ident,
     $received:ident, $host:ident, $delivered:ident, $clear:ident, $set_time:ident, $write:ident, $write_at:ident, $read:ident,
     $pass_time:ident, $session:ident, $reports:ident, $clear_session_bytes:ident, $clear_reports:ident, $message:ident, $answer:ident,
     $queue:ident, $sending:ident) => {
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
            fn $pass_time(sim: *mut c_void, tick: c_int, millisecond: c_int);
            fn $session(sim: *const c_void, bytes: *mut *const u8) -> u64;
            fn $reports(sim: *const c_void, reports: *mut *const Report) -> u64;
            fn $clear_session_bytes(sim: *mut c_void);
            fn $clear_reports(sim: *mut c_void);
            fn $message(
                sim: *mut c_void,
                bytes: *const u8,
                length: u64,
                numbered: c_int,
                number_at: u32,
            );
            fn $answer(sim: *const c_void, answer: *mut Answer);
            fn $queue(sim: *mut c_void, frame: *const Send);
            fn $sending(sim: *mut c_void) -> c_int;
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
            pass_time: $pass_time,
            session: $session,
            reports: $reports,
            clear_session_bytes: $clear_session_bytes,
            clear_reports: $clear_reports,
            message: $message,
            answer: $answer,
            queue: $queue,
            sending: $sending,
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
    core8_read,
    core8_pass_time,
    core8_session,
    core8_reports,
    core8_clear_session_bytes,
    core8_clear_reports,
    core8_message,
    core8_answer,
    core8_queue,
    core8_sending
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
    core64_read,
    core64_pass_time,
    core64_session,
    core64_reports,
    core64_clear_session_bytes,
    core64_clear_reports,
    core64_message,
    core64_answer,
    core64_queue,
    core64_sending
);
model!(
    SESSION8,
    session8_new,
    session8_free,
    session8_reset,
    session8_cycle,
    session8_run,
    session8_run_until_idle,
    session8_send,
    session8_step,
    session8_received,
    session8_host,
    session8_delivered,
    session8_clear,
    session8_set_time,
    session8_write,
    session8_write_at,
    session8_read,
    session8_pass_time,
    session8_session,
    session8_reports,
    session8_clear_session_bytes,
    session8_clear_reports,
    session8_message,
    session8_answer,
    session8_queue,
    session8_sending
);
model!(
    SESSION64,
    session64_new,
    session64_free,
    session64_reset,
    session64_cycle,
    session64_run,
    session64_run_until_idle,
    session64_send,
    session64_step,
    session64_received,
    session64_host,
    session64_delivered,
    session64_clear,
    session64_set_time,
    session64_write,
    session64_write_at,
    session64_read,
    session64_pass_time,
    session64_session,
    session64_reports,
    session64_clear_session_bytes,
    session64_clear_reports,
    session64_message,
    session64_answer,
    session64_queue,
    session64_sending
);
