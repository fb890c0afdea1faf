//! Lines through the hardware, compared with the rules.

use super::high_reliability::{self, Summary};
use super::lines::{Lines, Setting};
use super::low_latency;
use super::{Arbiter, Design, Record};

/// What a comparison went through.
#[derive(Clone, Debug)]
pub struct Compared {
    /// What the hardware did.
    pub record: Record,
    /// Of the high-reliability output.
    pub high: Summary,
    /// Cycles from line to low-latency output of each packet that was expected there.
    pub low_latency: Vec<u64>,
}

/// Runs the lines through the hardware and compares.
///
/// # Errors
/// The first difference, in words, with its cycle.
pub fn compare(lines: &Lines) -> Result<Compared, String> {
    let record = Arbiter::new(lines.design).run(lines.sent(), &lines.changes, lines.until);
    if record.asserted {
        return Err("an assertion failed, see above".into());
    }
    let expected = low_latency::expected(lines);
    let resets: Vec<u64> = expected.resets.iter().map(|reset| reset.cycle).collect();
    first_difference("session resets, cycles", &record.resets, &resets)?;
    first_difference("low latency", &record.low, &expected.low)?;
    first_difference("low latency, gaps", &record.low_gaps, &expected.low_gaps)?;
    let totals = &record.totals;
    for (name, hardware, rules) in [
        ("passed", totals.passed, expected.passed),
        ("refused", totals.refused, expected.refused),
        ("missed", totals.missed, expected.missed),
        ("bad", totals.bad, expected.bad),
        ("malformed", totals.malformed, expected.malformed),
        ("far", totals.far, expected.far),
        ("stale", totals.stale, expected.stale),
    ] {
        if hardware != rules {
            return Err(format!("{name}: {hardware:?} instead of {rules:?}"));
        }
    }
    let high = high_reliability::check(lines, &record, &expected.resets)?;
    Ok(Compared {
        record,
        high,
        low_latency: expected.first_latency,
    })
}

fn first_difference<T: PartialEq + std::fmt::Debug>(
    what: &str,
    hardware: &[T],
    rules: &[T],
) -> Result<(), String> {
    let same = hardware.iter().zip(rules).take_while(|(a, b)| a == b);
    let index = same.count();
    if index == hardware.len() && index == rules.len() {
        return Ok(());
    }
    let (hardware, rules) = (hardware.get(index), rules.get(index));
    Err(format!(
        "{what}, the {index}th: {hardware:?} instead of {rules:?}"
    ))
}

/// The result of random lines.
#[derive(Clone, Debug, Default)]
pub struct RandomRun {
    /// Packets that arrived, on both lines.
    pub packets: usize,
    /// Each with its seed and its setting.
    pub faults: Vec<String>,
    /// Kept packets that left.
    pub released: u64,
    /// Of them, with a gap before.
    pub forced: u64,
    /// Packets cut through on the high-reliability output.
    pub cut_through: u64,
    /// Packets that found no room.
    pub overflows: usize,
    /// Session resets.
    pub resets: usize,
}

/// Random lines of one seed after another, until so many packets have arrived. `progress` gets how many have.
pub fn random_lines(
    design: Design,
    first_seed: u64,
    packets: usize,
    mut progress: impl FnMut(usize),
) -> RandomRun {
    let mut run = RandomRun::default();
    for seed in first_seed.. {
        if run.packets >= packets {
            break;
        }
        let setting = Setting::random(design, seed, 2_000);
        let lines = Lines::new(&setting);
        run.packets += lines.arrivals.len();
        match compare(&lines) {
            Ok(compared) => {
                run.released += compared.high.released;
                run.forced += compared.high.forced;
                run.cut_through += compared.high.cut_through;
                run.overflows += compared.record.overflows.len();
                run.resets += compared.record.resets.len();
            }
            Err(fault) => run
                .faults
                .push(format!("seed {seed}: {fault}\n{setting:?}")),
        }
        progress(run.packets);
    }
    run
}
