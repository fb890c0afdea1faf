//! The C interface of the Verilated FAST engines (`cpp/fast.inc`).

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

/// The functions of one model, in the order of `kFunctions` in `cpp/fast.inc`. All but `new` take what `new` returned.
#[repr(C)]
pub struct Model {
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

/// The further functions of an engine with a ring in host memory.
#[repr(C)]
pub struct RingModel {
    pub ring: unsafe extern "C" fn(*mut c_void, u8, u64, u8),
    pub position: unsafe extern "C" fn(*mut c_void, u32),
    pub slow: unsafe extern "C" fn(*mut c_void, u8),
    pub memory: unsafe extern "C" fn(*const c_void, *mut *const u64) -> u64,
    pub cycles: unsafe extern "C" fn(*const c_void, *mut *const u64) -> u64,
    pub lost: unsafe extern "C" fn(*const c_void) -> u32,
}

/// An event, or a verdict on a packet, of an engine with `fast_events`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct EventRecord {
    pub cycle: u64,
    pub symbol: u64,
    pub price: u64,
    pub quantity: u64,
    pub order_id: u64,
    pub time: u64,
    pub sequence: u64,
    pub what: u8,
    pub kind: u8,
    pub message_type: u8,
    pub side: u8,
    pub has_symbol: u8,
    pub last: u8,
    pub good: u8,
    pub fault: u8,
}

/// The further functions of an engine with `fast_events`.
#[repr(C)]
pub struct EventsModel {
    pub table: unsafe extern "C" fn(*mut c_void, u8, u16, *const u32),
    pub events: unsafe extern "C" fn(*const c_void, *mut *const EventRecord) -> u64,
    pub clear: unsafe extern "C" fn(*mut c_void),
}

/// The functions of an engine with a ring.
#[repr(C)]
pub struct WithRing {
    pub engine: Model,
    pub ring: RingModel,
}

/// The functions of an engine with `fast_events`.
#[repr(C)]
pub struct WithEvents {
    pub engine: Model,
    pub events: EventsModel,
}
