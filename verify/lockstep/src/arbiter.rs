//! `rtl/arbiter`, cycle-accurate, and what must hold for it by `docs/reference/arbitration.md`.
//!
//! | module | what it does |
//! |---|---|
//! | [`lines`] | random lines A and B: what was sent, what of it arrives, when, and in what state |
//! | [`low_latency`] | what the low-latency output does, to the cycle |
//! | [`high_reliability`] | what must hold for the high-reliability output, whatever its timing |
//! | [`compare`] | lines through the hardware, compared with both |
//! | [`lockstep`] | packets one after another through the hardware and its twin in software, `arbiter`, compared with each other |
//! | [`micex`] | both lines of a real market, as lines |
//!
//! Cycle 0 is the first after reset. A packet's `begin` and `end` are the cycles of its first and last beat, at the line or at the output.

pub mod compare;
pub mod high_reliability;
pub mod lines;
pub mod lockstep;
pub mod low_latency;
pub mod micex;
mod model;

use std::ffi::c_void;
use std::ptr::NonNull;

use arbiter::{Mode, Protocol};

use crate::testbench::functions;
use model::Model;

/// An arbiter in its testbench: width and protocol. All keep 8 packets and remember an old session for 2,000 cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Design {
    /// 8 bits, Moscow Exchange's preamble.
    Moex8,
    /// 64 bits, the same.
    Moex64,
    /// 64 bits, MoldUDP64.
    Mold64,
    /// 128 bits, MoldUDP64.
    Mold128,
    /// 128 bits, ARCA: 32 bits of sequence number.
    Arca128,
}

impl Design {
    /// All of them.
    pub const ALL: [Design; 5] = [
        Design::Moex8,
        Design::Moex64,
        Design::Mold64,
        Design::Mold128,
        Design::Arca128,
    ];

    /// Packets that are kept of a line, the one being received with them: half of `PACKETS`.
    pub const SLOTS: usize = 4;

    /// `HOLD` of the RTL: cycles for which an old session is remembered.
    pub const HOLD: u64 = 2_000;

    /// From a packet's last beat to `ended` of `packet_store`, and to `overflow`, in cycles.
    pub const ENDED: u64 = 2;

    /// Bytes in a beat: `W / 8` of the RTL.
    pub fn beat(self) -> usize {
        match self {
            Design::Moex8 => 1,
            Design::Moex64 | Design::Mold64 => 8,
            Design::Mold128 | Design::Arca128 => 16,
        }
    }

    /// The protocol of its packets.
    pub fn protocol(self) -> Protocol {
        match self {
            Design::Moex8 | Design::Moex64 => Protocol::MOEX,
            Design::Mold64 | Design::Mold128 => Protocol::MOLD_UDP64,
            Design::Arca128 => Protocol::ARCA,
        }
    }

    /// Beats of a packet of so many bytes.
    pub fn beats(self, bytes: usize) -> u64 {
        bytes.div_ceil(self.beat()) as u64
    }

    /// Bytes up to the last of sequence number and count.
    pub fn header(self) -> usize {
        let protocol = self.protocol();
        let end = |field: arbiter::Field| field.offset + field.bytes;
        end(protocol.sequence).max(protocol.count.map_or(0, end))
    }

    /// The beat, from 0, in which number and count are complete.
    pub fn number_beat(self) -> u64 {
        ((self.header() - 1) / self.beat()) as u64
    }

    /// Cycles after a packet that passed in which none begins: the next wanted number is known two cycles after it.
    pub fn pause(self) -> u64 {
        2_u64.saturating_sub(self.number_beat())
    }

    /// Cycles that a packet waits at most for an output that is busy: as long as a wrong guess takes, plus the pause.
    pub fn patience(self) -> u64 {
        self.number_beat() + 1 + self.pause()
    }

    fn model(self) -> &'static Model {
        // Its name, and its protocol by number (`arbiter_pkg::preset`).
        let (name, protocol) = match self {
            Design::Moex8 => ("arbiter8_moex", 3),
            Design::Moex64 => ("arbiter64_moex", 3),
            Design::Mold64 => ("arbiter64_mold", 0),
            Design::Mold128 => ("arbiter128_mold", 0),
            Design::Arca128 => ("arbiter128_arca", 2),
        };
        let width = self.beat() as u32 * 8;
        let design = cosim::Design {
            name,
            top: "arbiter_tb",
            parameters: vec![("W", width.into()), ("PRESET", protocol)],
            files: vec![(
                "arbiter_tb.sv",
                include_str!("../../../tests/rtl/arbiter_tb.sv"),
            )],
            shim: include_str!("../cpp/arbiter.inc"),
            defines: vec![("WIDTH", width), ("PRESET", protocol as u32)],
        };
        // SAFETY: `Model` mirrors the table of cpp/arbiter.inc.
        unsafe { functions(&design) }
    }
}

/// A packet for a line.
#[derive(Clone, Copy, Debug)]
pub struct Sent<'a> {
    /// 0 is A, 1 is B.
    pub line: usize,
    /// Cycle of its first beat; the others follow without a pause. Packets of a line do not overlap.
    pub begin: u64,
    /// UDP payload, at least a byte.
    pub bytes: &'a [u8],
    /// Whether its frame proves good.
    pub good: bool,
}

/// What the host sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// What closes the window.
    pub mode: Mode,
    /// In cycles.
    pub time_window: u32,
    /// In messages.
    pub count_window: u16,
    /// In cycles of silence; 0: never.
    pub idle_limit: u32,
}

/// New settings, or a flush, in a cycle.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// The first cycle in which they count; no two changes share one.
    pub cycle: u64,
    /// From then on.
    pub settings: Settings,
    /// Everything that is kept leaves.
    pub flush: bool,
}

/// A packet on an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Cycle of its first beat.
    pub begin: u64,
    /// Cycle of its last beat.
    pub end: u64,
    /// What was let through.
    pub bytes: Vec<u8>,
    /// It ended in `err`.
    pub err: bool,
}

/// Lost messages: numbers `from` up to, not including, `to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// Cycle of the pulse.
    pub cycle: u64,
    /// First that is lost.
    pub from: u64,
    /// First that is not.
    pub to: u64,
}

/// How often each pulse came, by line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // as the rules name them
pub struct Totals {
    pub passed: [u64; 2],
    pub refused: [u64; 2],
    pub missed: [u64; 2],
    pub bad: [u64; 2],
    pub malformed: [u64; 2],
    pub far: [u64; 2],
    pub stale: [u64; 2],
    pub kept: [u64; 2],
    pub cut_through: [u64; 2],
    pub too_long: [u64; 2],
    pub overflow: [u64; 2],
}

/// All that came out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The low-latency output.
    pub low: Vec<Seen>,
    /// The high-reliability output.
    pub high: Vec<Seen>,
    /// Of the low-latency output.
    pub low_gaps: Vec<Gap>,
    /// Of the high-reliability output.
    pub high_gaps: Vec<Gap>,
    /// Cycles in which `released` was high: a kept packet's first beat is on the output three cycles later.
    pub released: Vec<u64>,
    /// Cycles in which `session_reset` was high.
    pub resets: Vec<u64>,
    /// Cycle and line of each `overflow`: [`Design::ENDED`] after the packet's last beat.
    pub overflows: Vec<(u64, usize)>,
    /// Cycle and line of each `line_silent`.
    pub silences: Vec<(u64, usize)>,
    /// Of the pulses.
    pub totals: Totals,
    /// An assertion of the RTL failed; which is on standard output.
    pub asserted: bool,
}

/// A Verilated arbiter. It comes out of `new` reset.
pub struct Arbiter {
    model: &'static Model,
    handle: NonNull<c_void>,
    design: Design,
}

impl Arbiter {
    /// One that has seen nothing yet.
    pub fn new(design: Design) -> Self {
        let model = design.model();
        // SAFETY: no precondition.
        let handle =
            NonNull::new(unsafe { (model.new)() }).expect("operator new does not return null");
        Arbiter {
            model,
            handle,
            design,
        }
    }

    /// Runs cycles 0 up to, not including, `until`, with all that is sent and all changes, each in order of its cycles.
    pub fn run<'a>(
        self,
        sent: impl IntoIterator<Item = Sent<'a>>,
        changes: &[Change],
        until: u64,
    ) -> Record {
        let mut lines: [Vec<model::Packet>; 2] = Default::default();
        let mut free = [0; 2];
        for packet in sent {
            assert!(!packet.bytes.is_empty() && packet.begin >= free[packet.line]);
            free[packet.line] = packet.begin + self.design.beats(packet.bytes.len());
            lines[packet.line].push(model::Packet {
                data: packet.bytes.as_ptr(),
                begin: packet.begin,
                length: packet.bytes.len() as u32,
                good: packet.good.into(),
            });
        }
        let changes: Vec<model::Change> = changes
            .iter()
            .map(|change| model::Change {
                cycle: change.cycle,
                mode: match change.settings.mode {
                    Mode::Time => 0,
                    Mode::Count => 1,
                    Mode::TimeAndCount => 2,
                },
                time_window: change.settings.time_window,
                count_window: change.settings.count_window.into(),
                idle_limit: change.settings.idle_limit,
                flush: change.flush.into(),
            })
            .collect();
        let [a, b] = &lines;
        // SAFETY: `handle` is live until drop; the packets' bytes are borrowed for longer than this call.
        unsafe {
            (self.model.run)(
                self.handle.as_ptr(),
                a.as_ptr(),
                a.len() as u64,
                b.as_ptr(),
                b.len() as u64,
                changes.as_ptr(),
                changes.len() as u64,
                until,
            );
        }
        self.record()
    }

    fn record(&self) -> Record {
        let mut raw = std::mem::MaybeUninit::<model::Record>::zeroed();
        // SAFETY: `record` fills it in; its pointers are to what the model owns until drop, with the counts it says.
        let (raw, seen, told) = unsafe {
            (self.model.record)(self.handle.as_ptr(), raw.as_mut_ptr());
            let raw = raw.assume_init();
            let seen = slice(raw.seen, raw.seen_count);
            let told = slice(raw.told, raw.told_count);
            (raw, seen, told)
        };
        let [
            passed,
            refused,
            missed,
            bad,
            malformed,
            far,
            stale,
            kept,
            cut_through,
            too_long,
            overflow,
        ] = raw.pulses;
        let mut record = Record {
            totals: Totals {
                passed,
                refused,
                missed,
                bad,
                malformed,
                far,
                stale,
                kept,
                cut_through,
                too_long,
                overflow,
            },
            asserted: raw.asserted != 0,
            ..Record::default()
        };
        for seen in seen {
            // SAFETY: as above: `offset` and `length` are within `bytes`.
            let bytes = unsafe { slice(raw.bytes.add(seen.offset as usize), seen.length.into()) };
            let output = if seen.output == 0 {
                &mut record.low
            } else {
                &mut record.high
            };
            output.push(Seen {
                begin: seen.begin,
                end: seen.end,
                bytes: bytes.to_vec(),
                err: seen.err != 0,
            });
        }
        for told in told {
            let cycle = told.cycle;
            let gap = Gap {
                cycle,
                from: told.from,
                to: told.to,
            };
            match told.kind {
                0 => record.low_gaps.push(gap),
                1 => record.high_gaps.push(gap),
                2 => record.released.push(cycle),
                3 => record.resets.push(cycle),
                kind @ (4 | 5) => record.overflows.push((cycle, kind as usize - 4)),
                kind => record.silences.push((cycle, kind as usize - 6)),
            }
        }
        record
    }
}

/// # Safety
/// As [`std::slice::from_raw_parts`], but null is allowed where there is nothing.
unsafe fn slice<'a, T>(data: *const T, length: u64) -> &'a [T] {
    if length == 0 {
        &[]
    } else {
        // SAFETY: what the caller promises.
        unsafe { std::slice::from_raw_parts(data, length as usize) }
    }
}

impl Drop for Arbiter {
    fn drop(&mut self) {
        // SAFETY: made by `new`, not yet freed.
        unsafe { (self.model.free)(self.handle.as_ptr()) }
    }
}
