//! `tickwire sim` with lines A and B: loss on each, B behind A, and the core's arbiter between them and the decoder.

use std::fmt;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use arbiter::Output;
use clap::{Args, ValueEnum};
use cosim::{Setup, Width};
use feed::PacketSource;
use feed::replay::{Impairment, Line, LineCounters as Carried};
use formats::counters::Counters;
use formats::counters::{ArbiterCounters, LineCounters, NetCounters};
use formats::ethernet::MacAddress;
use formats::frame::UdpFrame;
use live::desk::Desk;
use report::distribution::Summary;
use report::lines::{self, Arbitration, Options, Played, Source, Window};
use serde::Serialize;

use super::one_line::{Report, parse};
use crate::commands::replay::probability;
use crate::console::Console;
use crate::error::Error;
use crate::input::{Packets, nanoseconds, version_name};
use crate::stop;

/// Silence that stays in addition to line B's skew and the time window, in nanoseconds: for a report and all that is on its way.
const MARGIN: u64 = 12_000;

/// Lines A and B. Any of these makes it two lines, as does a desk that names two.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Two lines (any of these, or a desk with two)")]
pub struct LineOptions {
    /// The same packets again on line B
    #[arg(long)]
    line_b: bool,
    /// Probability that a packet is lost, on each line by itself
    #[arg(long, value_name = "P", value_parser = probability)]
    loss: Option<f64>,
    /// The same for line B, if it differs
    #[arg(long, value_name = "P", value_parser = probability)]
    loss_b: Option<f64>,
    /// Line B is so much behind line A
    #[arg(long, value_name = "TIME", value_parser = nanoseconds)]
    skew: Option<u64>,
    /// Seed of the random choices: the same seed loses the same packets, as in tickwire replay [default: 1]
    #[arg(long)]
    seed: Option<u64>,
    /// What the decoder gets [default: the desk's, or low-latency]
    #[arg(long, value_name = "OUTPUT")]
    output: Option<OutputName>,
    /// What ends the wait on the high-reliability output [default: the desk's, or both]
    #[arg(long, value_name = "WINDOW")]
    window: Option<WindowName>,
    /// The time window [default: the desk's, or 10us]
    #[arg(long, value_name = "TIME", value_parser = nanoseconds)]
    window_time: Option<u64>,
    /// The count window, in messages [default: the desk's, or 1000]
    #[arg(long, value_name = "N")]
    window_count: Option<u16>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum OutputName {
    LineA,
    LineB,
    LowLatency,
    HighReliability,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum WindowName {
    Time,
    Count,
    Both,
}

impl LineOptions {
    /// Whether there are two lines.
    ///
    /// # Errors
    /// The desk names more than the core has.
    pub fn two(&self, desk: Option<&Desk>) -> Result<bool, Error> {
        let lines = desk.map_or(1, |desk| desk.lines().len());
        if lines > 2 {
            let fault = format!("the core has two, the desk names {lines}");
            return Err(report::Error::Lines(fault).into());
        }
        let Self {
            line_b,
            loss,
            loss_b,
            skew,
            seed,
            output,
            window,
            window_time,
            window_count,
        } = self;
        let asked = *line_b
            || loss.or(*loss_b).is_some()
            || skew.or(*seed).or(*window_time).is_some()
            || output.is_some()
            || window.is_some()
            || window_count.is_some();
        Ok(asked || lines == 2)
    }

    /// As the registers take it; the second number is the time window in nanoseconds.
    fn arbitration(&self, desk: Option<&Desk>, width: Width) -> (Arbitration, u64) {
        let from_desk = desk.map(|desk| (desk.arbitration.output(), desk.arbitration.window()));
        let (output, window) = from_desk.unwrap_or_else(|| {
            let window = arbiter::Window {
                time: 10_000,
                ..arbiter::Window::default()
            };
            (Output::LowLatency, window)
        });
        let time = self.window_time.unwrap_or(window.time);
        let cycles = |ns: u64| ns.saturating_mul(1_000).div_ceil(width.cycle_picoseconds());
        let source = match (self.output, output) {
            (Some(OutputName::LineA), _) => Source::LineA,
            (Some(OutputName::LineB), _) => Source::LineB,
            (Some(OutputName::LowLatency), _) | (None, Output::LowLatency) => Source::LowLatency,
            (Some(OutputName::HighReliability), _) | (None, Output::HighReliability) => {
                Source::HighReliability
            }
        };
        let kind = match (self.window, window.mode) {
            (Some(WindowName::Time), _) | (None, arbiter::Mode::Time) => Window::Time,
            (Some(WindowName::Count), _) | (None, arbiter::Mode::Count) => Window::Count,
            (Some(WindowName::Both), _) | (None, arbiter::Mode::TimeAndCount) => {
                Window::TimeAndCount
            }
        };
        let count = u64::from(self.window_count.unwrap_or(u16::MAX)).min(match self.window_count {
            Some(_) => u64::MAX,
            None => window.count,
        });
        let arbitration = Arbitration {
            source,
            window: kind,
            time: u32::try_from(cycles(time)).unwrap_or(u32::MAX),
            count: u16::try_from(count).unwrap_or(u16::MAX),
            idle_limit: 0,
        };
        (arbitration, time)
    }

    fn lines(&self) -> [Line; 2] {
        let loss = self.loss.unwrap_or(0.0);
        let line = |line: u64, loss, delay| Line {
            delay: Duration::from_nanos(delay),
            impairment: Impairment {
                loss,
                seed: self.seed.unwrap_or(1).wrapping_mul(2).wrapping_add(line),
                ..Impairment::default()
            },
        };
        [
            line(0, loss, 0),
            line(1, self.loss_b.unwrap_or(loss), self.skew.unwrap_or(0)),
        ]
    }
}

/// Headers of the frames of each line: to the desk's groups, and to the core if there is no group.
fn headers(setup: &Setup, desk: Option<&Desk>) -> [UdpFrame; 2] {
    let lines = desk.map(Desk::lines).unwrap_or_default();
    let [a, b] = Options::new(setup).headers;
    if lines.is_empty() {
        return [a, b];
    }
    let headers = |index: usize| {
        let address = lines[index.min(lines.len() - 1)].address;
        let group = address.ip().is_multicast();
        let (mac, ip) = match group {
            true => (MacAddress::of_group(*address.ip()), *address.ip()),
            false => (setup.net.local_mac, setup.net.local_ip),
        };
        UdpFrame {
            destination_mac: mac,
            destination_ip: ip,
            destination_port: address.port(),
            ..a
        }
    };
    [headers(0), headers(1)]
}

/// How it ended.
#[derive(Serialize)]
#[serde(tag = "type", rename = "summary")]
struct Summed {
    file: PathBuf,
    itch: &'static str,
    width: u32,
    output: &'static str,
    window: &'static str,
    window_cycles: u32,
    window_count: u16,
    packets: u64,
    messages: u64,
    packets_delivered: u64,
    messages_delivered: u64,
    messages_lost: u64,
    reports: u64,
    simulated_cycles: u64,
    mismatches: u64,
    /// From the last byte of a message's first copy to the decoder's verdict.
    delay_ns: Option<Summary>,
    /// From the last byte of the first copy of the packet that began the second, to the first byte of the report.
    last_first_cycles: Option<Summary>,
    last_first_ns: Option<Summary>,
    lines: [OfLine; 2],
    arbiter: ArbiterCounters,
    last_gap: Option<[u64; 2]>,
    counters: Counters,
}

/// What a line carried, and what became of it.
#[derive(Serialize)]
struct OfLine {
    line: &'static str,
    offered: u64,
    lost: u64,
    frames: NetCounters,
    arbiter: LineCounters,
}

impl OfLine {
    fn new(
        line: &'static str,
        carried: &Carried,
        frames: NetCounters,
        arbiter: LineCounters,
    ) -> Self {
        OfLine {
            line,
            offered: carried.offered,
            lost: carried.lost,
            frames,
            arbiter,
        }
    }
}

impl fmt::Display for Summed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: ITCH {}, core of {} bits, ",
            self.file.display(),
            self.itch,
            self.width
        )?;
        write!(f, "two lines, {}", self.output)?;
        if self.output == "high reliability" {
            write!(
                f,
                ", window: {}, {} cycles, {} messages",
                self.window, self.window_cycles, self.window_count
            )?;
        }
        write!(
            f,
            "\n{} packets in {} cycles; delivered {}",
            self.packets, self.simulated_cycles, self.packets_delivered
        )?;
        write!(
            f,
            "\n{} messages; delivered {}, lost {}",
            self.messages, self.messages_delivered, self.messages_lost
        )?;
        write!(
            f,
            "\n{} reports, each equal to the software's of what was delivered, byte for byte",
            self.reports
        )?;
        if let (Some(delay), Some(report)) = (self.delay_ns, self.last_first_ns) {
            write!(
                f,
                "\nfrom the last byte of the first copy on either line, ns at the lines' rate"
            )?;
            write!(
                f,
                "\n  {:<22}{:>9}{:>9}{:>9}{:>9}{:>9}",
                "", "min", "mean", "p50", "p99", "max"
            )?;
            for (name, s) in [("to the verdict", delay), ("to the report", report)] {
                write!(
                    f,
                    "\n  {name:<22}{:>9.1}{:>9.1}{:>9.1}{:>9.1}{:>9.1}",
                    s.min, s.mean, s.p50, s.p99, s.max
                )?;
            }
        }
        let [a, b] = &self.lines;
        write!(f, "\nby line (the others are 0){:>11}{:>12}", "A", "B")?;
        let rows = |line: &OfLine| {
            [("offered", line.offered), ("lost on it", line.lost)]
                .into_iter()
                .chain(line.frames.iter())
                .chain(line.arbiter.iter())
        };
        for ((name, a), (_, b)) in rows(a).zip(rows(b)).filter(|((_, a), (_, b))| a + b > 0) {
            write!(f, "\n  {name:<23}{a:>12}{b:>12}")?;
        }
        write!(f, "\nboth lines, and after them (the others are 0)")?;
        let feed = self.counters.feed.iter();
        for (name, value) in self
            .arbiter
            .iter()
            .chain(feed)
            .filter(|(_, value)| *value > 0)
        {
            write!(f, "\n  {name:<23}{value:>12}")?;
        }
        match self.last_gap {
            Some([from, to]) => write!(f, "\nlast gap of high reliability: from {from} up to {to}"),
            None => Ok(()),
        }
    }
}

/// Runs a file on two lines.
///
/// # Errors
/// The file cannot be read; hardware and software differ.
pub fn simulate(
    file: &Path,
    setup: &Setup,
    width: Width,
    desk: Option<&Desk>,
    arguments: &super::Arguments,
    console: Console,
) -> Result<(), Error> {
    let options = &arguments.line_options;
    if desk.is_some_and(|desk| desk.arbitration.request_server().is_some()) {
        console.note("the simulated core asks no request server: what both lines lose stays lost");
    }
    let mut packets = Packets::open(file, &arguments.read, &arguments.packet_options)?;
    let (arbitration, window_ns) = options.arbitration(desk, width);
    let waits = match arbitration.source {
        Source::HighReliability if arbitration.window != Window::Count => window_ns,
        _ => 0,
    };
    let skew = options.skew.unwrap_or(0);
    let played = {
        let play = Options {
            lines: options.lines(),
            headers: headers(setup, desk),
            longest_silence: skew.saturating_add(waits).saturating_add(MARGIN),
            packets: arguments.packets.unwrap_or(u64::MAX),
            ..Options::new(setup)
        };
        let bar = console.bytes("simulating", packets.position().1);
        let mut printed = Ok(());
        let played = lines::play(
            width,
            setup,
            &arbitration,
            &mut packets,
            &play,
            |answer| {
                if let Some(part) = parse(&answer.bytes)
                    && printed.is_ok()
                {
                    printed = console.json_line(&Report::new(part, answer.last_first));
                }
            },
            |(position, _)| {
                bar.set_position(position);
                match stop::requested() {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            },
        );
        bar.finish_and_clear();
        printed?;
        played?
    };
    console.print(&summed(file, setup, width, &arbitration, played))
}

fn summed(
    file: &Path,
    setup: &Setup,
    width: Width,
    arbitration: &Arbitration,
    played: Played,
) -> Summed {
    let cycle = width.cycle_picoseconds() as f64 / 1_000.0;
    let some = |summary: Summary| (summary.count > 0).then_some(summary);
    let (delays, last_first) = (
        some(played.delays.summary()),
        some(played.last_first.summary()),
    );
    let carried = |line: usize| played.lines.get(line).copied().unwrap_or_default();
    let [a, b] = played.arbiter_lines;
    Summed {
        file: file.to_owned(),
        itch: version_name(setup.pipeline.version),
        width: width.bits(),
        output: match arbitration.source {
            Source::LineA => "line A",
            Source::LineB => "line B",
            Source::LowLatency => "low latency",
            Source::HighReliability => "high reliability",
        },
        window: match arbitration.window {
            Window::Time => "time",
            Window::Count => "count",
            Window::TimeAndCount => "time & count",
        },
        window_cycles: arbitration.time,
        window_count: arbitration.count,
        packets: played.offered.0,
        messages: played.offered.1,
        packets_delivered: played.delivered.0,
        messages_delivered: played.delivered.1,
        messages_lost: played.offered.1.saturating_sub(played.delivered.1),
        reports: played.counters.feed.report_sent.into(),
        simulated_cycles: played.cycles,
        mismatches: 0,
        delay_ns: delays.map(|delays| delays.scaled(cycle)),
        last_first_cycles: last_first,
        last_first_ns: last_first.map(|cycles| cycles.scaled(cycle)),
        lines: [
            OfLine::new("A", &carried(0), played.counters.net, a),
            OfLine::new("B", &carried(1), played.line_b, b),
        ],
        arbiter: played.arbiter,
        last_gap: played.last_gap.map(|gap| [gap.from, gap.to]),
        counters: played.counters,
    }
}
