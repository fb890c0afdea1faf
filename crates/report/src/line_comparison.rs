//! The same packets on lines A and B, each with its own losses, under every setting of the core's arbiter: what was delivered, and when.

use std::ops::ControlFlow;
use std::time::Duration;

use cosim::{Setup, Width};
use feed::PacketSource;
use feed::replay::{Impairment, Line};
use feed::source::SourceError;
use serde::{Deserialize, Serialize};

use crate::distribution::Summary;
use crate::lines::{self, Arbitration, Played, Source, Window};
use crate::packets::Packets;
use crate::{Error, Progress};

/// The lines, and the windows to try.
#[derive(Clone, Debug)]
pub struct Options {
    /// Of the core.
    pub width: Width,
    /// Probability that a packet is lost, on each line by itself.
    pub loss: [f64; 2],
    /// Line B is so many nanoseconds behind.
    pub skew: u64,
    /// The time window, in nanoseconds.
    pub time: u64,
    /// The count window, in messages.
    pub count: u16,
    /// Of the losses.
    pub seed: u64,
}

impl Default for Options {
    /// What `make demo` shows.
    fn default() -> Self {
        Options {
            width: Width::Xgmii,
            loss: [0.05, 0.05],
            skew: 2_000,
            time: 4_000,
            count: 2,
            seed: 1,
        }
    }
}

/// What became of the messages under one setting.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// The setting, for people.
    pub label: String,
    /// The setting, for files.
    pub key: String,
    /// Packets delivered to the decoder.
    pub packets: u64,
    /// Messages in them.
    pub messages: u64,
    /// Messages that were not.
    pub lost: u64,
    /// Gaps that the decoder saw.
    pub gaps: u64,
    /// Reports sent, each equal to the software's of what was delivered.
    pub reports: u64,
    /// From the last byte of a message's first copy on either line to its delivery, in nanoseconds.
    pub nanoseconds: Summary,
    /// Those delays, each with the messages that had it; sorted.
    pub delays: Vec<(f64, u64)>,
}

/// All settings, side by side.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LineComparison {
    /// Bits in a beat of the core.
    pub width: u32,
    /// Packets that were to come, on each line.
    pub packets: u64,
    /// Messages in them.
    pub messages: u64,
    /// Packets that each line lost.
    pub lost: [u64; 2],
    /// Line B is so many nanoseconds behind.
    pub skew: u64,
    /// The settings.
    pub rows: Vec<Row>,
}

/// Runs the packets once for each setting.
///
/// # Errors
/// Hardware and software differ; a packet or the setup is refused.
pub fn compare_lines(
    setup: &Setup,
    packets: &Packets,
    options: &Options,
    progress: Progress,
) -> Result<LineComparison, Error> {
    let cycles = (options.time * 1_000).div_ceil(options.width.cycle_picoseconds());
    let arbitration = |source, window| Arbitration {
        source,
        window,
        time: u32::try_from(cycles).unwrap_or(u32::MAX),
        count: options.count,
        idle_limit: 0,
    };
    let time = format!("{} µs", options.time as f64 / 1e3);
    let count = format!("{} messages", options.count);
    let high = Source::HighReliability;
    let settings = [
        (
            "line A alone".to_owned(),
            "line_a",
            arbitration(Source::LineA, Window::Time),
        ),
        (
            "line B alone".to_owned(),
            "line_b",
            arbitration(Source::LineB, Window::Time),
        ),
        (
            "low latency".to_owned(),
            "low_latency",
            arbitration(Source::LowLatency, Window::Time),
        ),
        (
            format!("high reliability, {time}"),
            "time",
            arbitration(high, Window::Time),
        ),
        (
            format!("high reliability, {count}"),
            "count",
            arbitration(high, Window::Count),
        ),
        (
            format!("high reliability, {time} & {count}"),
            "time_and_count",
            arbitration(high, Window::TimeAndCount),
        ),
    ];
    let mut comparison = LineComparison {
        width: options.width.bits(),
        packets: 0,
        messages: 0,
        lost: [0; 2],
        skew: options.skew,
        rows: vec![],
    };
    for (label, key, arbitration) in settings {
        let played = play(setup, packets, options, &arbitration, &mut |done| {
            progress(&format!("two lines, {label}"), done, packets.len() as u64);
        })?;
        (comparison.packets, comparison.messages) = played.offered;
        let lost = |line: usize| played.lines.get(line).map_or(0, |line| line.lost);
        comparison.lost = [lost(0), lost(1)];
        comparison
            .rows
            .push(row(label, key, options.width, &played));
    }
    Ok(comparison)
}

fn play(
    setup: &Setup,
    packets: &Packets,
    options: &Options,
    arbitration: &Arbitration,
    progress: &mut dyn FnMut(u64),
) -> Result<Played, Error> {
    let line = |index: u64, delay| Line {
        delay: Duration::from_nanos(delay),
        impairment: Impairment {
            loss: options.loss[index as usize],
            seed: options.seed * 2 + index,
            ..Impairment::default()
        },
    };
    let lines = lines::Options {
        lines: [line(0, 0), line(1, options.skew)],
        // What waits has left then, and a report.
        longest_silence: options.skew + options.time + report_time(setup, options.width),
        ..lines::Options::new(setup)
    };
    let mut source = InMemory {
        packets: Box::new(packets.iter()),
        taken: 0,
    };
    let progress = |(done, _): (u64, Option<u64>)| {
        progress(done);
        ControlFlow::Continue(())
    };
    lines::play(
        options.width,
        setup,
        arbitration,
        &mut source,
        &lines,
        |_| (),
        progress,
    )
}

/// Nanoseconds within which a report has left, from the end of the packet that began its second: its bytes, and as much as two smallest frames.
fn report_time(setup: &Setup, width: Width) -> u64 {
    let symbols = setup.pipeline.symbols.len() as u64;
    let headers = 8 + 42 + 64 + 4;
    let cycles = (headers + 64 * symbols + 168) * 8 / u64::from(width.bits());
    cycles * width.cycle_picoseconds() / 1_000
}

fn row(label: String, key: &str, width: Width, played: &Played) -> Row {
    let cycle = width.cycle_picoseconds() as f64 / 1_000.0;
    Row {
        label,
        key: key.to_owned(),
        packets: played.delivered.0,
        messages: played.delivered.1,
        lost: played.offered.1.saturating_sub(played.delivered.1),
        gaps: played.counters.feed.mold_gap.into(),
        reports: played.counters.feed.report_sent.into(),
        nanoseconds: played.delays.summary().scaled(cycle),
        delays: played
            .messages_by_delay
            .iter()
            .map(|(cycles, messages)| (width.nanoseconds(*cycles), *messages))
            .collect(),
    }
}

/// Packets in memory as a source; its position counts packets.
struct InMemory<'a> {
    packets: Box<dyn Iterator<Item = crate::packets::Packet<'a>> + 'a>,
    taken: u64,
}

impl PacketSource for InMemory<'_> {
    fn next_packet(&mut self) -> Result<Option<feed::Packet<'_>>, SourceError> {
        self.taken += 1;
        Ok(self.packets.next().map(|packet| feed::Packet {
            time: packet.time,
            payload: packet.payload,
        }))
    }

    fn position(&self) -> (u64, Option<u64>) {
        (self.taken, None)
    }
}

impl LineComparison {
    /// The lines, described in a sentence.
    pub fn sentence(&self) -> String {
        format!(
            "{} packets, {} messages, on lines A and B; A loses {} packets, B {} and is {} µs behind; core of {} bits.",
            self.packets,
            self.messages,
            self.lost[0],
            self.lost[1],
            self.skew as f64 / 1e3,
            self.width
        )
    }

    /// As a table for a terminal.
    pub fn table(&self) -> String {
        use std::fmt::Write;
        let mut text = format!("{}\n", self.sentence());
        let heads = ["packets", "messages", "lost", "gaps", "reports"];
        let heads = heads.map(|head| format!("{head:>9}")).concat();
        let _ = writeln!(
            text,
            "{:<40}{heads}{:>9}{:>9}{:>9}",
            "delivered to the decoder, delay in ns", "mean", "p99", "max"
        );
        for row in &self.rows {
            let s = row.nanoseconds;
            let counts = [row.packets, row.messages, row.lost, row.gaps, row.reports];
            let counts = counts.map(|count| format!("{count:>9}")).concat();
            let _ = writeln!(
                text,
                "{:<40}{counts}{:>9.0}{:>9.0}{:>9.0}",
                row.label, s.mean, s.p99, s.max
            );
        }
        text
    }
}
