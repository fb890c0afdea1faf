//! `tickwire sim` of a desk with a strategy: a file through the core with its order book, the same pipeline in software beside it; every order compared,
//! byte for byte.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use cosim::orders::{FOLLOWED, Program, RingLine, Trader};
use cosim::{Feed, Preset, Width};
use device::FastEngines;
use feed::PacketSource;
use live::{Desk, NotTaken, Recording};
use report::distribution::Distribution;
use serde::Serialize;

use super::one_line::Latency;
use super::{Arguments, trader};
use crate::commands::compile::Target;
use crate::console::Console;
use crate::error::Error;
use crate::input::{Packets, version_name};
use crate::stop;

/// Packets that are given to the core one after the other: the strategy keeps so many orders, and more.
const AT_ONCE: usize = 8;

/// An order that left.
#[derive(Serialize)]
#[serde(tag = "type", rename = "order")]
struct Order {
    /// The packet it followed, from 0 on.
    packet: u64,
    last_first_cycles: u64,
}

/// What the core's ring says, if it has one.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Line {
    /// What the strategy emits.
    Record { tag: u8, values: Vec<i64> },
    /// What went wrong in the stages since the last such line.
    Incidents {
        /// By the core's clock.
        time_ns: u64,
        incidents: Vec<String>,
    },
}

impl From<RingLine> for Line {
    fn from(told: RingLine) -> Self {
        match told {
            RingLine::Record(record) => Line::Record {
                tag: record.tag,
                values: record.values().to_vec(),
            },
            RingLine::Incidents { incidents, time_ns } => Line::Incidents {
                time_ns,
                incidents: incidents.iter().map(|one| one.to_string()).collect(),
            },
        }
    }
}

/// How it ended.
#[derive(Serialize)]
#[serde(tag = "type", rename = "summary")]
struct Simulated {
    file: PathBuf,
    /// ITCH and its version, or FAST.
    feed: String,
    preset: &'static str,
    packets: u64,
    orders_sent: u64,
    orders_refused: u64,
    /// What the strategy has emitted, of a core that has a ring.
    #[serde(skip_serializing_if = "Option::is_none")]
    records: Option<u64>,
    simulated_cycles: u64,
    mismatches: u64,
    /// Packets that the wire-rate FAST engine did, of a core that has one; and those that it could not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    at_wire_rate: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unread: Option<u32>,
    /// Packets that FAST could not read or its map did not take, by cause; of a core that decodes FAST.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_taken: Option<BTreeMap<&'static str, u32>>,
    /// How far FAST was behind the wire at most: clock cycles from a packet's last beat to its verdict, and bytes that waited.
    #[serde(skip_serializing_if = "Option::is_none")]
    lag_cycles_most: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    waiting_bytes_most: Option<u32>,
    #[serde(flatten)]
    latency: Latency,
}

impl fmt::Display for Simulated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (file, cycles) = (self.file.display(), self.simulated_cycles);
        writeln!(
            f,
            "{file}: {}, core {}: {} packets in {cycles} cycles",
            self.feed, self.preset, self.packets
        )?;
        write!(
            f,
            "{} orders, each equal to the software's, byte for byte; {} refused by risk in both",
            self.orders_sent, self.orders_refused
        )?;
        if let Some(records) = self.records {
            write!(
                f,
                "\n{records} records of the strategy, each equal to the software's"
            )?;
        }
        if let (Some(at_wire_rate), Some(unread)) = (self.at_wire_rate, self.unread) {
            let engines = FastEngines {
                wire_rate: at_wire_rate,
                unread,
            };
            write!(f, "\n{engines}")?;
        }
        if let (Some(cycles), Some(bytes)) = (self.lag_cycles_most, self.waiting_bytes_most) {
            write!(
                f,
                "\na packet's verdict came {cycles} cycles after its last byte at most; {bytes} bytes waited at most"
            )?;
        }
        if let Some(causes) = self.not_taken.as_ref().filter(|causes| !causes.is_empty()) {
            write!(f, "\nnot taken: {}", NotTaken(causes))?;
        }
        write!(f, "{}", self.latency)
    }
}

/// Makes a desk's strategy in the language ready for a core, and tells what takes time or is other than the desk says: its model is built, if it is a
/// module; of a strategy that the core follows fewer orders may be open.
///
/// # Errors
/// The model cannot be built.
pub fn ready_program(desk: &cosim::orders::Desk, console: Console) -> Result<(), Error> {
    let Some(program) = &desk.program else {
        return Ok(());
    };
    let open = desk.limits.max_open_orders;
    if program.follows_orders() && open > FOLLOWED {
        console.note(&format!(
            "max_open_orders is {open}; a core follows {FOLLOWED}: so many may be open, in the software beside it too"
        ));
    }
    build_model(program, console)
}

fn build_model(program: &Program, console: Console) -> Result<(), Error> {
    if program.slot() != cosim::Strategy::External {
        return Ok(());
    }
    console.note("building the strategy's model");
    let model = program.model().map_err(cosim::orders::Problem::from)?;
    if let Some(model) = model {
        let how = match model.is_reused() {
            true => "it was built before: loaded",
            false => "built and loaded",
        };
        console.note(&format!("{how} in {:.1} s", model.took().as_secs_f64()));
    }
    Ok(())
}

/// A core that a desk is to run in.
pub struct Wanted {
    /// The one that was named.
    pub preset: Option<&'static Preset>,
    /// Its width.
    pub width: Width,
    /// What a strategy in the language becomes there.
    pub target: Target,
}

/// Runs the command for a desk that has a strategy.
///
/// # Errors
/// The desk does not fit the core; the file, templates or map cannot be read; hardware and software differ.
pub fn simulate(
    file: &Path,
    desk: &Desk,
    config: &pipeline::Config,
    wanted: &Wanted,
    arguments: &Arguments,
    console: Console,
) -> Result<(), Error> {
    if desk.has_stops() {
        return Err(Error::Stops);
    }
    let Wanted {
        preset: named,
        width,
        target,
    } = *wanted;
    let feed = match desk.feed.fast {
        Some(_) => Feed::Fast,
        None => Feed::Itch,
    };
    let preset = trader(desk, feed, named, width, target)?;
    let read = &arguments.read;
    let mut recording =
        Recording::open(Some(desk), file, read.options(), config.version, &console)?;
    if preset.is_order_log() {
        recording.after_first()?;
    }
    let first_price = |symbol| recording.first_price(symbol);
    let period = width.cycle_picoseconds();
    let in_core = desk.in_core(config, period, target.into(), first_price)?;
    ready_program(&in_core, console)?;
    let (trader, mut packets, name) = match recording.fast_in_core() {
        Some(fast) => (
            Trader::of_order_log(preset, &in_core, &fast)?,
            Packets::of_any_protocol(file, read)?,
            "FAST".to_owned(),
        ),
        None => (
            Trader::of(preset, &in_core)?,
            Packets::open(file, read, &arguments.packet_options)?,
            format!("ITCH {}", version_name(config.version)),
        ),
    };
    if recording.is_joined() {
        packets.next_packet()?;
    }
    let packets = (packets, u64::from(recording.is_joined()));
    trade(trader, packets, name, preset, file, arguments, console)
}

/// Gives the packets to both, some at a time, and tells what came of it. So many of the file's packets were taken before.
fn trade(
    mut trader: Trader,
    (mut packets, before): (impl PacketSource, u64),
    feed: String,
    preset: &Preset,
    file: &Path,
    arguments: &Arguments,
    console: Console,
) -> Result<(), Error> {
    let bar = console.bytes("simulating", packets.position().1);
    let mut cycles = Distribution::default();
    let (mut count, mut ended) = (before, false);
    while !ended {
        let mut some = Vec::with_capacity(AT_ONCE);
        while some.len() < AT_ONCE {
            let wanted = arguments
                .packets
                .is_none_or(|packets| count + (some.len() as u64) < packets);
            let packet = match wanted && !stop::requested() {
                true => packets.next_packet()?,
                false => None,
            };
            let Some(packet) = packet else {
                ended = true;
                break;
            };
            some.push(packet.payload.to_vec());
        }
        for order in trader.datagrams(&some)? {
            cycles.add(order.last_first);
            console.json_line(&Order {
                packet: count + order.packet as u64,
                last_first_cycles: order.last_first,
            })?;
        }
        for told in trader.take_told() {
            console.json_line(&Line::from(told))?;
        }
        trader.end_not_followed().map_err(Error::from)?;
        count += some.len() as u64;
        bar.set_position(packets.position().0);
    }
    bar.finish_and_clear();
    let engines = trader.fast_engines().map_err(Error::from)?;
    let in_fast = preset.feed == cosim::Feed::Fast;
    let causes = trader.fast_causes().map_err(Error::from)?;
    let lag = trader.fast_lag().map_err(Error::from)?;
    let compared = *trader.compared();
    let cycles = (compared.sent > 0).then(|| cycles.summary());
    console.print(&Simulated {
        file: file.to_owned(),
        feed,
        preset: preset.name,
        packets: count,
        orders_sent: compared.sent,
        orders_refused: compared.refused,
        records: preset.ring.then_some(compared.records),
        simulated_cycles: trader.cycle(),
        mismatches: 0,
        at_wire_rate: preset.is_order_log().then_some(engines.wire_rate),
        unread: preset.is_order_log().then_some(engines.unread),
        not_taken: in_fast.then(|| causes.into_iter().collect()),
        lag_cycles_most: in_fast.then_some(lag.most),
        waiting_bytes_most: in_fast.then_some(lag.waiting_most),
        latency: Latency::new(cycles, preset),
    })
}
