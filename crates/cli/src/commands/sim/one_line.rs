//! `tickwire sim` on one line: frames at the minimum gap, every report compared with the software's.

use std::fmt;
use std::path::{Path, PathBuf};

use cosim::{Frame, Lockstep, Preset, Setup};
use feed::PacketSource;
use formats::counters::Counters;
use formats::frame::UdpFrame;
use formats::report::{Part, Row};
use formats::{ipv4, udp};
use report::distribution::{Distribution, Summary};
use report::placed;
use serde::Serialize;

use super::Arguments;
use crate::console::Console;
use crate::error::Error;
use crate::input::{Packets, version_name};
use crate::stop;

/// A packet of a report.
#[derive(Serialize)]
#[serde(tag = "type", rename = "report")]
pub struct Report {
    number: u32,
    second: u32,
    part: u8,
    parts: u8,
    sequence: u64,
    lost: u64,
    last_first_cycles: u64,
    symbols: Vec<Row>,
}

impl Report {
    /// As it is printed.
    pub fn new(part: Part, last_first_cycles: u64) -> Self {
        let header = part.header;
        Self {
            number: header.number,
            second: header.second,
            part: header.part,
            parts: header.parts,
            sequence: header.sequence,
            lost: header.lost,
            last_first_cycles,
            symbols: part.rows,
        }
    }
}

/// The report in a frame of the core: after Ethernet, IPv4 and UDP, before the FCS.
pub fn parse(frame: &[u8]) -> Option<Part> {
    const HEADERS: usize = formats::ethernet::HEADER + ipv4::HEADER + udp::HEADER;
    let end = frame.len().checked_sub(formats::fcs::LENGTH)?;
    Part::parse(frame.get(HEADERS..end)?).ok()
}

/// How it ended.
#[derive(Serialize)]
#[serde(tag = "type", rename = "summary")]
struct Simulated {
    file: PathBuf,
    itch: &'static str,
    width: u32,
    packets: u64,
    reports: u64,
    simulated_cycles: u64,
    mismatches: u64,
    #[serde(flatten)]
    latency: Latency,
    counters: Counters,
}

impl fmt::Display for Simulated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: ITCH {}, core of {} bits: ",
            self.file.display(),
            self.itch,
            self.width
        )?;
        writeln!(
            f,
            "{} packets in {} cycles",
            self.packets, self.simulated_cycles
        )?;
        write!(
            f,
            "{} reports, each equal to the software's, byte for byte",
            self.reports
        )?;
        write!(f, "{}", self.latency)?;
        let counted = self.counters.iter().filter(|(_, value)| *value > 0);
        write!(f, "\ncounters (the others are 0)")?;
        for (name, value) in counted {
            write!(f, "\n  {name:<20} {value:>12}")?;
        }
        Ok(())
    }
}

/// Last byte in to first byte out, and a table of it.
#[derive(Serialize)]
pub struct Latency {
    last_first_cycles: Option<Summary>,
    /// The clock that place and route reached for the preset.
    clock_mhz: Option<f64>,
    /// At that clock.
    last_first_ns: Option<Summary>,
}

impl Latency {
    /// Of so many cycles in the core of this preset.
    pub fn new(cycles: Option<Summary>, preset: &Preset) -> Self {
        let clock_mhz = placed::reached(Path::new(placed::FOLDER), preset.name, preset.width);
        Latency {
            last_first_cycles: cycles,
            clock_mhz,
            last_first_ns: cycles
                .zip(clock_mhz)
                .map(|(cycles, mhz)| cycles.scaled(1_000.0 / mhz)),
        }
    }
}

impl fmt::Display for Latency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(cycles) = self.last_first_cycles else {
            return Ok(());
        };
        write!(f, "\nlast→first  {:>8}", "cycles")?;
        match self.clock_mhz {
            Some(mhz) => write!(f, " {:>8}  placed at {mhz:.1} MHz", "ns")?,
            None => write!(f, "  this preset was never placed, so no nanoseconds")?,
        }
        for (name, cycles) in [
            ("min", cycles.min),
            ("mean", cycles.mean),
            ("p50", cycles.p50),
            ("p95", cycles.p95),
            ("p99", cycles.p99),
            ("p99.9", cycles.p999),
            ("max", cycles.max),
            ("sd", cycles.sd),
        ] {
            write!(f, "\n  {name:<9} {cycles:>8.1}")?;
            if let Some(mhz) = self.clock_mhz {
                write!(f, " {:>8.1}", cycles * 1_000.0 / mhz)?;
            }
        }
        Ok(())
    }
}

/// The headers of the feed's frames: to the first group, or to the core itself where there is none.
fn headers(setup: &Setup) -> UdpFrame {
    let [group, ..] = setup.net.groups;
    let feed = setup.feed();
    if group.is_unspecified() {
        let (destination_mac, destination_ip) = (setup.net.local_mac, setup.net.local_ip);
        return UdpFrame {
            destination_mac,
            destination_ip,
            ..feed
        };
    }
    feed
}

/// Runs a file on line A.
///
/// # Errors
/// The file cannot be read; hardware and software differ.
pub fn simulate(
    file: &Path,
    setup: &Setup,
    preset: &Preset,
    arguments: &Arguments,
    console: Console,
) -> Result<(), Error> {
    let mut packets = Packets::open(file, &arguments.read, &arguments.packet_options)?;
    let width = preset.width;
    let mut lockstep = Lockstep::of(preset, setup)?;
    let headers = headers(setup);
    let bar = console.bytes("simulating", packets.position().1);
    let (mut count, mut reports) = (0, 0);
    let mut bytes = Vec::new();
    let mut cycles = Distribution::default();
    while !stop::requested() && arguments.packets.is_none_or(|packets| count < packets) {
        let Some(packet) = packets.next_packet()? else {
            break;
        };
        let time = packet.time;
        bytes.clear();
        headers
            .emit(packet.payload, &mut bytes)
            .map_err(report::Error::from)?;
        lockstep.core().set_time(time);
        count += 1;
        if count % 256 == 0 {
            bar.set_position(packets.position().0);
        }
        let Some(heartbeat) = lockstep
            .frame(Frame::new(&bytes))
            .map_err(report::Error::from)?
        else {
            continue;
        };
        let last_first = heartbeat.last_first();
        reports += 1;
        cycles.add(last_first);
        for part in heartbeat.parts.iter().filter_map(|part| parse(&part.bytes)) {
            console.json_line(&Report::new(part, last_first))?;
        }
    }
    let counters = lockstep.check().map_err(report::Error::from)?;
    bar.finish_and_clear();
    console.print(&Simulated {
        file: file.to_owned(),
        itch: version_name(setup.pipeline.version),
        width: width.bits(),
        packets: count,
        reports,
        simulated_cycles: lockstep.core().cycle(),
        mismatches: 0,
        latency: Latency::new((reports > 0).then(|| cycles.summary()), preset),
        counters,
    })
}
