//! The C interface of a Verilated core (`cpp/shim.inc`).

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
pub struct PathMark {
    pub cycle: u64,
    pub path: u64,
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

/// What has left by one way since the model was made: how much, a hash of its bytes, and one of the cycles in which it left.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest {
    /// Frames, beats, reports or lines.
    pub count: u64,
    /// Of their bytes.
    pub bytes: u64,
    /// Of their cycles.
    pub cycles: u64,
}

/// The functions of one model, in the order of `kFunctions` at the end of `cpp/shim.inc`. All but `new` take what `new` returned.
#[repr(C)]
#[derive(Clone, Debug)]
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
    pub passed: unsafe extern "C" fn(*const c_void, *mut *const PathMark) -> u64,
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
    pub memory_begin: unsafe extern "C" fn(*mut c_void, u64, u64),
    pub memory: unsafe extern "C" fn(*const c_void, *mut *const u64) -> u64,
    pub memory_lines: unsafe extern "C" fn(*const c_void, *mut *const u64) -> u64,
    pub attach: unsafe extern "C" fn(*mut c_void, *const c_void) -> c_int,
    pub digests: unsafe extern "C" fn(*const c_void, *mut *const Digest) -> u64,
}
