//! Hardware and software on the same packets, heartbeat by heartbeat.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use cosim::{Setup, Width};
use feed::socket::Wait;
use serde::{Deserialize, Serialize};

use crate::distribution::{Distribution, Summary};
use crate::fast_lines::FastLines;
use crate::line_comparison::LineComparison;
use crate::packets::{Heartbeat, Packets};
use crate::placed::StopOrders;
use crate::{Error, Progress, hardware, software};

/// What to compare.
#[derive(Clone, Debug)]
pub struct Options {
    /// Cores to simulate.
    pub widths: Vec<Width>,
    /// Software pipelines to run: how they wait, and how many times the market's own speed packets come.
    pub software: Vec<(Wait, f64)>,
    /// Longest silence left between packets to the software.
    pub longest_silence: Duration,
}

impl Default for Options {
    /// Both cores; software blocking and busy-poll at 1x and blocking at 8x.
    fn default() -> Self {
        Options {
            widths: Width::ALL.to_vec(),
            software: vec![
                (Wait::BusyPoll, 1.0),
                (Wait::Blocking, 1.0),
                (Wait::Blocking, 8.0),
            ],
            longest_silence: Duration::from_micros(100),
        }
    }
}

/// The answers of one core or one pipeline.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Series {
    /// What it is, for people: `FPGA, 64 bits at 156.25 MHz`.
    pub label: String,
    /// What it is, for files: `fpga_w64`.
    pub key: String,
    /// Whether it is the core.
    pub hardware: bool,
    /// Last→first, in nanoseconds.
    pub nanoseconds: Summary,
    /// Last→first, in cycles; of a core only.
    pub cycles: Option<Summary>,
    /// Seconds that began and were not answered: of software, reports lost or a second late.
    pub missed: u64,
    /// Nanoseconds by index of the heartbeat.
    pub answers: BTreeMap<usize, f64>,
    cycles_of: BTreeMap<usize, u64>,
}

/// A second that began, in market time.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Row {
    /// Which.
    pub heartbeat: Heartbeat,
    /// Time of the packet, in nanoseconds since midnight.
    pub time: u64,
    /// UDP payload, in bytes.
    pub bytes: usize,
    /// Messages in it.
    pub messages: u16,
}

/// Both, side by side.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Comparison {
    /// What was replayed.
    pub data: String,
    /// Its ITCH.
    pub version: formats::itch::Version,
    /// Packets replayed.
    pub packets: usize,
    /// Messages in them.
    pub messages: u64,
    /// Symbols reported.
    pub symbols: Vec<formats::Symbol>,
    /// Reports and counters in which hardware and software differ: 0, or this would be an error.
    pub mismatches: u64,
    /// Cores first.
    pub series: Vec<Series>,
    /// Seconds that began.
    pub rows: Vec<Row>,
    /// Messages by second of market time.
    pub rate: BTreeMap<u64, u64>,
    /// Two lines with losses, where that was compared too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<LineComparison>,
    /// Stop orders, where they were measured too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stops: Vec<StopOrders>,
    /// A FAST feed on two lines, where that was shown too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fast: Option<FastLines>,
    /// The report of tick to trade on an order log that belongs to it, from the folder of this one's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tick_to_trade: Option<String>,
}

/// Runs packets through every core and pipeline asked for.
///
/// # Errors
/// Hardware and software differ; a setup or a socket is refused; no second begins in the data.
pub fn compare(
    setup: &Setup,
    packets: &Packets,
    options: &Options,
    progress: Progress,
) -> Result<Comparison, Error> {
    compare_after(setup, packets, options, &mut || (), progress)
}

/// The same; `before_software` is called when all cores are done and software is to be measured, with the machine to itself.
///
/// # Errors
/// As [`compare`].
pub fn compare_after(
    setup: &Setup,
    packets: &Packets,
    options: &Options,
    before_software: &mut dyn FnMut(),
    progress: Progress,
) -> Result<Comparison, Error> {
    let heartbeats = packets
        .heartbeats(&setup.pipeline)
        .map_err(cosim::SetupError::from)?;
    if heartbeats.is_empty() {
        return Err(Error::Nothing);
    }
    let index_of: BTreeMap<usize, usize> = heartbeats
        .iter()
        .enumerate()
        .map(|(index, beat)| (beat.packet, index))
        .collect();
    let mut series = vec![];
    for width in &options.widths {
        let run = hardware::run(*width, setup, packets, hardware::Pace::Times(1.0), progress)?;
        series.push(of_core(&run, &heartbeats, &index_of));
    }
    before_software();
    for (wait, speed) in &options.software {
        let pace = software::Pace {
            speed: *speed,
            longest: options.longest_silence,
        };
        let run = software::run(&setup.pipeline, packets, &heartbeats, *wait, pace, progress)?;
        series.push(of_software(&run, *wait, *speed, &index_of));
    }
    let (mut rows, mut rate, mut messages) = (vec![], BTreeMap::new(), 0);
    let mut beats = heartbeats.iter().peekable();
    for (index, packet) in packets.iter().enumerate() {
        let count = u64::from(packet.messages);
        messages += count;
        *rate.entry(packet.time / 1_000_000_000).or_default() += count;
        if let Some(heartbeat) = beats.next_if(|beat| beat.packet == index) {
            let (bytes, messages) = (packet.payload.len(), packet.messages);
            rows.push(Row {
                heartbeat: *heartbeat,
                time: packet.time,
                bytes,
                messages,
            });
        }
    }
    Ok(Comparison {
        data: packets.name.clone(),
        version: packets.version,
        packets: packets.len(),
        messages,
        symbols: setup.pipeline.symbols.iter().flatten().copied().collect(),
        mismatches: 0,
        series,
        rows,
        rate,
        lines: None,
        stops: vec![],
        fast: None,
        tick_to_trade: None,
    })
}

fn of_core(
    run: &hardware::Run,
    heartbeats: &[Heartbeat],
    index_of: &BTreeMap<usize, usize>,
) -> Series {
    let width = run.width;
    let clock = match width {
        Width::Gmii => "125 MHz",
        Width::Xgmii => "156.25 MHz",
    };
    let cycles_of: BTreeMap<usize, u64> = run
        .answers
        .iter()
        .filter_map(|answer| Some((*index_of.get(&answer.heartbeat.packet)?, answer.cycles)))
        .collect();
    let cycles = cycles_of
        .values()
        .copied()
        .collect::<Distribution>()
        .summary();
    Series {
        label: format!("FPGA, {} bits at {clock}", width.bits()),
        key: format!("fpga_w{}", width.bits()),
        hardware: true,
        nanoseconds: cycles.scaled(width.cycle_picoseconds() as f64 / 1_000.0),
        cycles: Some(cycles),
        missed: heartbeats.len() as u64 - cycles_of.len() as u64,
        answers: cycles_of
            .iter()
            .map(|(index, cycles)| (*index, width.nanoseconds(*cycles)))
            .collect(),
        cycles_of,
    }
}

fn of_software(
    run: &software::Run,
    wait: Wait,
    speed: f64,
    index_of: &BTreeMap<usize, usize>,
) -> Series {
    let (name, key) = match wait {
        Wait::Blocking => ("blocking", "blocking"),
        Wait::BusyPoll => ("busy-poll", "busy_poll"),
    };
    let nanoseconds = run
        .answers
        .iter()
        .map(|answer| answer.nanoseconds)
        .collect::<Distribution>()
        .summary();
    let answers = run.answers.iter().filter_map(|answer| {
        Some((
            *index_of.get(&answer.heartbeat.packet)?,
            answer.nanoseconds as f64,
        ))
    });
    Series {
        label: format!("Software, {name} sockets, {speed}x"),
        key: format!("software_{key}_{speed}x"),
        hardware: false,
        nanoseconds,
        cycles: None,
        missed: run.heartbeats - run.answers.len() as u64,
        answers: answers.collect(),
        cycles_of: BTreeMap::new(),
    }
}

impl Comparison {
    /// A row a heartbeat: packet, its time and size, and each latency; empty where there was no answer.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_csv(&self, path: &Path) -> Result<(), Error> {
        let failed = |cause: std::io::Error| Error::Write {
            path: path.to_owned(),
            cause,
        };
        let mut out = csv::Writer::from_writer(vec![]);
        let mut header: Vec<String> = ["packet", "time_ns", "second", "payload_bytes", "messages"]
            .map(String::from)
            .to_vec();
        for series in &self.series {
            header.extend(series.cycles.map(|_| format!("{}_cycles", series.key)));
            header.push(format!("{}_ns", series.key));
        }
        let mut records = vec![header];
        for (index, row) in self.rows.iter().enumerate() {
            let Row {
                heartbeat,
                time,
                bytes,
                messages,
            } = row;
            let mut record: Vec<String> = vec![
                heartbeat.packet.to_string(),
                time.to_string(),
                heartbeat.second.to_string(),
                bytes.to_string(),
                messages.to_string(),
            ];
            for series in &self.series {
                record.extend(series.cycles.map(|_| {
                    series
                        .cycles_of
                        .get(&index)
                        .map_or_else(String::new, u64::to_string)
                }));
                record.push(
                    series
                        .answers
                        .get(&index)
                        .map_or_else(String::new, f64::to_string),
                );
            }
            records.push(record);
        }
        for record in records {
            out.write_record(record).map_err(|e| failed(e.into()))?;
        }
        let bytes = out.into_inner().map_err(|e| failed(e.into_error()))?;
        crate::write(path, &bytes)
    }

    /// What system B published, for a table beside ours: the system, and last→first in microseconds.
    pub const PUBLISHED: [(&'static str, &'static str); 2] = [
        ("System B (2011): FPGA, 1x to 8x", "2.7"),
        ("System B (2011): CPU, 1x", "38 ± 22"),
    ];

    /// The comparison as a table for a terminal.
    pub fn table(&self) -> String {
        use std::fmt::Write;
        let mut text = String::new();
        let line = |text: &mut String, label: &str, cells: [String; 7]| {
            let cells: String = cells
                .iter()
                .fold(String::new(), |line, cell| line + &format!("{cell:>10}"));
            let _ = writeln!(text, "{label:<40}{cells}");
        };
        line(
            &mut text,
            "last byte in → first byte out, µs",
            ["min", "mean", "p50", "p99", "p99.9", "max", "sd"].map(String::from),
        );
        for series in &self.series {
            let s = series.nanoseconds;
            line(
                &mut text,
                &series.label,
                [s.min, s.mean, s.p50, s.p99, s.p999, s.max, s.sd]
                    .map(|ns| format!("{:.3}", ns / 1_000.0)),
            );
        }
        for (label, microseconds) in Self::PUBLISHED {
            let _ = writeln!(text, "{label:<40}{:>10}{microseconds:>10}", "");
        }
        if let Some(lines) = &self.lines {
            let _ = write!(text, "\n{}", lines.table());
        }
        if let Some(fast) = &self.fast {
            let _ = write!(text, "\n{}\n", fast.table());
        }
        text
    }
}
