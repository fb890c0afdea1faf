//! The hardware and its twin in software, `arbiter::Arbiter`, in lockstep: the same packets, gaps and counters, exactly.
//!
//! The twin's only times are the ends of packets. So each packet, or change by the host, comes only when the one before it has had all its effects in
//! hardware ([`QUIET`]), and not where a window is about to close ([`MARGIN`]). What overlaps in time is compared with the rules, in
//! [`compare`](super::compare).

mod script;
mod twin;

use arbiter::{Counters, Window};

use super::{Arbiter, Change, Design, Gap, Record, Seen, Settings};
pub use script::{Setting, random_script};
use twin::Played;

/// From the end of a packet, a change, or the end of a window in software, until all of it has happened in hardware, except what leaves the store: a
/// packet is in its place after 16 cycles at most, what it forces begins to leave within 16 more.
pub const QUIET: u64 = 40;

/// For each packet that leaves the store, in addition to its beats.
pub const QUIET_RELEASED: u64 = 16;

/// Before a window ends in software, nothing happens for this long: hardware counts from 7 to 18 cycles after the packet's end.
pub const MARGIN: u64 = 24;

/// What comes next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// A packet ends on a line (0 is A); whether its frame proves good.
    #[allow(missing_docs)] // as in `Sent`
    Packet {
        line: usize,
        bytes: Vec<u8>,
        good: bool,
    },
    /// The host sets mode and windows; the time in cycles.
    Window(Window),
    /// The host flushes.
    Flush,
}

/// An action, and so many cycles between the least pause and it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// In cycles.
    pub pause: u64,
    /// What happens.
    pub action: Action,
}

/// All that happens to an arbiter.
#[derive(Clone, Debug)]
pub struct Script {
    /// Which.
    pub design: Design,
    /// To begin with; the idle limit stays.
    pub settings: Settings,
    /// In order.
    pub steps: Vec<Step>,
}

/// What an event in software has to be in hardware: from one cycle up to, not including, another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Not before.
    pub from: u64,
    /// The next step begins.
    pub until: u64,
}

/// Plays the script to both.
///
/// # Errors
/// The first difference, in words.
pub fn compare(script: &Script) -> Result<(Record, Counters), String> {
    let played = twin::play(script);
    let sent = played.sent.iter().map(|(begin, step)| {
        let Action::Packet { line, bytes, good } = &script.steps[*step].action else {
            unreachable!("only packets are sent")
        };
        super::Sent {
            line: *line,
            begin: *begin,
            bytes,
            good: *good,
        }
    });
    let record = Arbiter::new(script.design).run(sent, &played.changes, played.until);
    if record.asserted {
        return Err("an assertion failed, see above".into());
    }
    differences(&record, &played)?;
    Ok((record, played.counters))
}

fn differences(record: &Record, played: &Played) -> Result<(), String> {
    for (name, hardware, software) in [
        ("low latency", &record.low, &played.packets[0]),
        ("high reliability", &record.high, &played.packets[1]),
    ] {
        // What ends in err did not leave.
        let hardware: Vec<&Seen> = hardware.iter().filter(|seen| !seen.err).collect();
        let same = |seen: &Seen, bytes: &Vec<u8>| seen.bytes == *bytes;
        in_step(name, &hardware, software, |seen| seen.begin, same)?;
    }
    for (name, hardware, software) in [
        ("gaps, low latency", &record.low_gaps, &played.gaps[0]),
        ("gaps, high reliability", &record.high_gaps, &played.gaps[1]),
    ] {
        let hardware: Vec<&Gap> = hardware.iter().collect();
        let same = |gap: &Gap, bounds: &(u64, u64)| (gap.from, gap.to) == *bounds;
        in_step(name, &hardware, software, |gap| gap.cycle, same)?;
    }
    let resets: Vec<&u64> = record.resets.iter().collect();
    in_step(
        "resets",
        &resets,
        &played.resets,
        |cycle| *cycle,
        |_, ()| true,
    )?;
    let silences: Vec<&(u64, usize)> = record.silences.iter().collect();
    let same = |told: &(u64, usize), line: &usize| told.1 == *line;
    in_step(
        "silent lines",
        &silences,
        &played.silences,
        |told| told.0,
        same,
    )?;
    counters(record, &played.counters)
}

/// The same things in the same order, each in its slot.
fn in_step<H: std::fmt::Debug, S: std::fmt::Debug>(
    name: &str,
    hardware: &[&H],
    software: &[(Slot, S)],
    cycle: impl Fn(&H) -> u64,
    same: impl Fn(&H, &S) -> bool,
) -> Result<(), String> {
    for index in 0..hardware.len().max(software.len()) {
        match (hardware.get(index), software.get(index)) {
            (Some(h), Some((slot, s)))
                if same(h, s) && (slot.from..slot.until).contains(&cycle(h)) => {}
            (h, s) => return Err(format!("{name}, the {index}th: {h:?} instead of {s:?}")),
        }
    }
    Ok(())
}

/// Whatever both count.
fn counters(record: &Record, software: &Counters) -> Result<(), String> {
    let totals = &record.totals;
    let low = &software.low_latency;
    let high = &software.high_reliability;
    let by_line = |count: &dyn Fn(usize) -> u32| [0, 1].map(|line| u64::from(count(line)));
    let cut_through = |line: usize| high.lines[line].passed - software.store[line].released;
    for (name, hardware, software) in [
        (
            "passed",
            totals.passed,
            by_line(&|line| low.lines[line].passed),
        ),
        (
            "refused",
            totals.refused,
            by_line(&|line| low.lines[line].refused),
        ),
        (
            "missed",
            totals.missed,
            by_line(&|line| low.lines[line].missed),
        ),
        ("bad", totals.bad, by_line(&|line| low.lines[line].bad)),
        (
            "malformed",
            totals.malformed,
            by_line(&|line| software.lines[line].malformed),
        ),
        ("far", totals.far, by_line(&|line| software.lines[line].far)),
        (
            "stale",
            totals.stale,
            by_line(&|line| software.lines[line].stale),
        ),
        ("cut_through", totals.cut_through, by_line(&cut_through)),
        (
            "kept",
            totals.kept,
            by_line(&|line| software.store[line].kept),
        ),
        (
            "too_long",
            totals.too_long,
            by_line(&|line| software.store[line].too_long),
        ),
        (
            "overflow",
            totals.overflow,
            by_line(&|line| software.store[line].overflow),
        ),
    ] {
        if hardware != software {
            return Err(format!("{name}: {hardware:?} instead of {software:?}"));
        }
    }
    let released: u32 = software.store.iter().map(|store| store.released).sum();
    let forced: u32 = software.store.iter().map(|store| store.forced).sum();
    for (name, hardware, software) in [
        (
            "released",
            record.released.len() as u64,
            u64::from(released),
        ),
        ("forced", record.high_gaps.len() as u64, forced.into()),
        (
            "low-latency gap",
            record.low_gaps.len() as u64,
            low.gap.into(),
        ),
        (
            "high-reliability gap",
            record.high_gaps.len() as u64,
            high.gap.into(),
        ),
        (
            "session_reset",
            record.resets.len() as u64,
            software.session_reset.into(),
        ),
    ] {
        if hardware != software {
            return Err(format!("{name}: {hardware} instead of {software}"));
        }
    }
    Ok(())
}

/// The shortest script found that still differs, by leaving out more and more of it, and its difference.
pub fn shortened(mut script: Script, mut fault: String) -> (Script, String) {
    let mut share = script.steps.len() / 2;
    while share > 0 {
        let mut at = 0;
        let before = script.steps.len();
        while at < script.steps.len() {
            let mut shorter = script.clone();
            shorter
                .steps
                .drain(at..(at + share).min(script.steps.len()));
            match compare(&shorter) {
                Ok(_) => at += share,
                Err(other) => (script, fault) = (shorter, other),
            }
        }
        if share > 1 || script.steps.len() == before {
            share /= 2;
        }
    }
    (script, fault)
}

/// The result of random scripts.
#[derive(Clone, Debug, Default)]
pub struct LockstepRun {
    /// Packets sent, on both lines.
    pub packets: usize,
    /// Each with its seed, and the steps that are needed for it.
    pub faults: Vec<String>,
    /// Kept packets that left.
    pub released: usize,
    /// Of them, with a gap before.
    pub forced: usize,
    /// Packets that ended with err.
    pub refused: usize,
    /// Session resets.
    pub resets: usize,
    /// Packets of an old session.
    pub stale: u64,
    /// Lines that fell silent.
    pub silences: usize,
    /// Packets too long to be kept.
    pub too_long: u64,
    /// Packets on the high-reliability output that began with known messages.
    pub overlapping: usize,
}

/// How many packets of an output begin with messages that came before.
fn overlapping(design: Design, seen: &[Seen]) -> usize {
    let protocol = design.protocol();
    let good = seen.iter().filter(|seen| !seen.err);
    let numbers: Vec<_> = good
        .filter_map(|seen| protocol.numbers(&seen.bytes))
        .collect();
    let begins_before = |pair: &&[arbiter::Numbers]| {
        let next = protocol.next(pair[0].sequence, pair[0].count);
        let known = protocol.distance(pair[1].sequence, next);
        (1..u64::from(pair[1].count)).contains(&known)
    };
    numbers.windows(2).filter(begins_before).count()
}

/// Random scripts of one seed after another, until so many packets were sent. `progress` gets how many.
pub fn random_lockstep(
    design: Design,
    first_seed: u64,
    packets: usize,
    mut progress: impl FnMut(usize),
) -> LockstepRun {
    let mut run = LockstepRun::default();
    for seed in first_seed.. {
        if run.packets >= packets {
            break;
        }
        let script = random_script(&Setting::random(design, seed));
        let is_packet = |step: &&Step| matches!(step.action, Action::Packet { .. });
        run.packets += script.steps.iter().filter(is_packet).count();
        match compare(&script) {
            Ok((record, _)) => {
                run.released += record.released.len();
                run.forced += record.high_gaps.len();
                run.refused += record.low.iter().filter(|seen| seen.err).count();
                run.resets += record.resets.len();
                run.stale += record.totals.stale.iter().sum::<u64>();
                run.silences += record.silences.len();
                run.too_long += record.totals.too_long.iter().sum::<u64>();
                run.overlapping += overlapping(design, &record.high);
            }
            Err(fault) => {
                // One is enough to examine; the others may be the same.
                let first = run.faults.is_empty();
                let (script, fault) = if first {
                    shortened(script, fault)
                } else {
                    (script, fault)
                };
                let steps = if first {
                    format!("\n{}", script.describe())
                } else {
                    String::new()
                };
                run.faults.push(format!("seed {seed}: {fault}{steps}"));
            }
        }
        progress(run.packets);
    }
    run
}

impl Script {
    /// The steps, one a line.
    pub fn describe(&self) -> String {
        let protocol = self.design.protocol();
        let mut text = format!("{:?}, {:?}\n", self.design, self.settings);
        for step in &self.steps {
            let action = match &step.action {
                Action::Packet { line, bytes, good } => {
                    let numbers = protocol.numbers(bytes);
                    let line = ['A', 'B'][*line];
                    let good = if *good { "" } else { ", bad" };
                    format!("{line}: {} bytes, {numbers:?}{good}", bytes.len())
                }
                other => format!("{other:?}"),
            };
            text += &format!("  +{} {action}\n", step.pause);
        }
        text
    }
}

/// From a cycle on.
fn change(cycle: u64, settings: Settings, flush: bool) -> Change {
    Change {
        cycle,
        settings,
        flush,
    }
}
