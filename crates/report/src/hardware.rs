//! Packets through the Verilated core, its twin beside it.

use cosim::{Frame, Lockstep, MINIMUM_GAP, Setup, StartLane, Width};

use crate::packets::{Heartbeat, Packets, second_of_report};
use crate::{Error, Progress};

/// How fast packets follow each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// At so many times their own speed. Silence is cut to [`LONGEST_SILENCE`] and the core's time moved on instead.
    Times(f64),
    /// At the minimum gap; a report is waited for, then the next frame follows at once.
    LineRate,
}

/// Idle cycles at most between two frames: enough for everything in the core to come to rest.
pub const LONGEST_SILENCE: u64 = 64;

/// A second that began, answered by the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Which.
    pub heartbeat: Heartbeat,
    /// Last byte in to first byte out, in cycles.
    pub cycles: u64,
}

/// The result of a run.
#[derive(Clone, Debug)]
pub struct Run {
    /// Of the core.
    pub width: Width,
    /// The answers, in order.
    pub answers: Vec<Answer>,
    /// Cycles simulated.
    pub cycles: u64,
    /// The counters, equal in the core and its twin.
    pub counters: formats::counters::Counters,
}

/// Runs packets through a core and its twin; every report and every counter is compared.
///
/// # Errors
/// The first difference; a setup or a packet that is refused.
pub fn run(
    width: Width,
    setup: &Setup,
    packets: &Packets,
    pace: Pace,
    progress: Progress,
) -> Result<Run, Error> {
    let mut lockstep = Lockstep::new(width, setup)?;
    let headers = setup.feed();
    let mut answers = vec![];
    let mut bytes = vec![];
    let mut before = None;
    let name = format!("core, {} bits", width.bits());
    for (index, packet) in packets.iter().enumerate() {
        if index % 256 == 0 {
            progress(&name, index as u64, packets.len() as u64);
        }
        if let Pace::Times(speed) = pace {
            let silence = packet.time.saturating_sub(before.unwrap_or(packet.time)) as f64 / speed;
            let cycles = (silence * 1_000.0) as u64 / width.cycle_picoseconds();
            lockstep.core().run(cycles.min(LONGEST_SILENCE));
            lockstep.core().set_time(packet.time);
            before = Some(packet.time);
        }
        bytes.clear();
        headers.emit(packet.payload, &mut bytes)?;
        let frame = Frame {
            gap: MINIMUM_GAP,
            lane: StartLane::Deficit,
            ..Frame::new(&bytes)
        };
        if let Some(heartbeat) = lockstep.frame(frame)? {
            let second = heartbeat
                .parts
                .first()
                .and_then(|part| second_of_report(part.bytes.get(42..)?))
                .unwrap_or(0);
            answers.push(Answer {
                heartbeat: Heartbeat {
                    packet: index,
                    second,
                },
                cycles: heartbeat.last_first(),
            });
        }
    }
    progress(&name, packets.len() as u64, packets.len() as u64);
    let counters = lockstep.check()?;
    Ok(Run {
        width,
        answers,
        cycles: lockstep.core().cycle(),
        counters,
    })
}
