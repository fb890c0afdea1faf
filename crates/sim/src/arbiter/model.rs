//! The C interface of the Verilated arbiters (`cpp/arbiter.inc`), one set of functions a design.

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
pub struct Told {
    pub cycle: u64,
    pub from: u64,
    pub to: u64,
    pub kind: u32,
}

#[repr(C)]
pub struct Record {
    pub seen: *const Seen,
    pub seen_count: u64,
    pub told: *const Told,
    pub told_count: u64,
    pub bytes: *const u8,
    pub pulses: [[u64; 2]; PULSES],
    pub asserted: u32,
}

/// The functions of one model. All but `new` take what `new` returned.
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

macro_rules! model {
    ($model:ident, $new:ident, $free:ident, $run:ident, $record:ident) => {
        unsafe extern "C" {
            fn $new() -> *mut c_void;
            fn $free(sim: *mut c_void);
            fn $run(
                sim: *mut c_void,
                a: *const Packet,
                a_count: u64,
                b: *const Packet,
                b_count: u64,
                changes: *const Change,
                change_count: u64,
                until: u64,
            );
            fn $record(sim: *mut c_void, record: *mut Record);
        }
        pub static $model: Model = Model {
            new: $new,
            free: $free,
            run: $run,
            record: $record,
        };
    };
}

model!(
    MOEX8,
    arbiter8_moex_new,
    arbiter8_moex_free,
    arbiter8_moex_run,
    arbiter8_moex_record
);
model!(
    MOEX64,
    arbiter64_moex_new,
    arbiter64_moex_free,
    arbiter64_moex_run,
    arbiter64_moex_record
);
model!(
    MOLD64,
    arbiter64_mold_new,
    arbiter64_mold_free,
    arbiter64_mold_run,
    arbiter64_mold_record
);
model!(
    MOLD128,
    arbiter128_mold_new,
    arbiter128_mold_free,
    arbiter128_mold_run,
    arbiter128_mold_record
);
model!(
    ARCA128,
    arbiter128_arca_new,
    arbiter128_arca_free,
    arbiter128_arca_run,
    arbiter128_arca_record
);
