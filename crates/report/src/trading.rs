//! Tick to trade (system E): the packets of a recording through the core with its order book and through the software on sockets; each order's latency.
//!
//! The core's orders are those of the software, byte for byte, or it is an error ([`cosim::orders::Trader`]); the software on sockets must give as many.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use cosim::orders::{Desk, FastFeed, Problem, Program, SentOrder, TickToTrade, Trader};
use cosim::{Preset, Strategy};
use device::FastEngines;
use formats::itch::Version;
use language_jit::Compiled;
use pipeline::Programs;
use serde::Serialize;
use serde_json::{Value, json};

use crate::distribution::{Distribution, Summary};
use crate::packets::Packets;
use crate::tick_to_trade::Intake;
use crate::{Error, Progress, placed};

mod chart;
mod lines;
mod measured;
mod pace;
mod report;
mod software;
mod stages;
mod text;

pub use lines::TradedLines;
pub use measured::{MeasuredError, read_latencies};
pub use pace::Pace;
pub use stages::StageSummaries;

/// What to measure.
#[derive(Clone, Debug)]
pub struct Options<'f> {
    /// An order log in FAST; `None`: ITCH.
    pub fast: Option<FastFeed<'f>>,
    /// The cores.
    pub cores: Vec<InCore>,
    /// When they get the packets: a row of each core for each.
    pub paces: Vec<Pace>,
    /// How the software gets the packets: a row for each.
    pub software: Vec<Intake>,
    /// Of a feed in FAST: the packets come on lines A and B to the first core that has two too, each of which loses a packet with this probability.
    pub loss: Option<f64>,
}

/// A core, and what decides in it.
#[derive(Clone, Debug)]
pub struct InCore {
    /// The core.
    pub preset: &'static Preset,
    /// The desk's strategy in the language as this core takes it.
    pub program: Option<Program>,
}

/// A run of the core.
#[derive(Clone, Debug)]
pub struct Run {
    /// The orders that left; `packet` is the place in the recording.
    pub orders: Vec<SentOrder>,
    /// What was compared.
    pub compared: TickToTrade,
    /// Clock cycles.
    pub cycles: u64,
    /// How many packets its wire-rate engine did, and how many not; 0 of a core without a wire-rate engine.
    pub engines: FastEngines,
    /// Seconds from the strategy's program to the first packet: the model of its module, built, if it has one; the core, loaded, its session up.
    pub edit_to_simulation_seconds: f64,
    /// Seconds from the first packet to the last, of the simulation and the software that it is compared with.
    pub simulation_seconds: f64,
}

/// The latencies of one core, or of the software.
#[derive(Clone, Debug, Serialize)]
pub struct Series {
    /// What it is, for people.
    pub label: String,
    /// What it is, for files: `fpga_w64`; with a strategy in the language `fpga_w64_processor`, `fpga_w64_module`.
    pub key: String,
    /// Last→first, in cycles; of a core.
    pub cycles: Option<Summary>,
    /// Last→first, in nanoseconds: of a core at the clock that it was placed at; `None`: it never was.
    pub nanoseconds: Option<Summary>,
    /// Packets that its wire-rate FAST engine did; of a core that has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_wire_rate: Option<u32>,
    /// Packets that this engine could not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unread: Option<u32>,
    /// The clock, in MHz.
    pub clock_mhz: Option<f64>,
    /// [`Run::edit_to_simulation_seconds`], of a core with a strategy in the language.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edit_to_simulation_seconds: Option<f64>,
    /// [`Run::simulation_seconds`], of a core.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simulation_seconds: Option<f64>,
    /// Whether the model of its module was built before, so that these seconds are without that; of one that has such a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_reused: Option<bool>,
    /// From the first byte of the message that the order follows, and from its last, in cycles: of packets of one message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub som_sof_cycles: Option<Summary>,
    /// See above.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eot_sof_cycles: Option<Summary>,
    /// The same in nanoseconds, at the clock that the core was placed at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub som_sof_ns: Option<Summary>,
    /// See above.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eot_sof_ns: Option<Summary>,
    /// How last→first is made up, in cycles: of a core that had its packets one by one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stages: Option<StageSummaries>,
    /// By packet: cycles of a core, nanoseconds of software.
    #[serde(skip)]
    orders: BTreeMap<usize, u64>,
    /// Nanoseconds of a unit of `orders`: of a core that was never placed, a cycle of its line's clock.
    #[serde(skip)]
    unit_ns: f64,
}

/// All of them.
#[derive(Clone, Debug, Serialize)]
pub struct TradingComparison {
    /// What was replayed.
    pub data: String,
    /// ITCH and its version, or FAST.
    pub feed: String,
    /// Packets replayed.
    pub packets: usize,
    /// Orders that left.
    pub orders_sent: u64,
    /// Orders that risk refused.
    pub orders_refused: u64,
    /// Orders in which hardware and software differ: 0, or this would be an error.
    pub mismatches: u64,
    /// Cores first.
    pub series: Vec<Series>,
    /// What was asked for and this machine does not allow, by its key: why, in a sentence.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub not_measured: BTreeMap<String, String>,
    /// What a strategy earns with different latencies, by their names, in the currency of the prices; empty where no backtest was run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub profits: Vec<(String, f64)>,
    /// The same packets on two lines with losses, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<TradedLines>,
}

/// System E: minimum, mean, maximum, standard deviation, 95, 97, 99 and 99.9 %, in nanoseconds.
const PUBLISHED: [(&str, [u32; 8]); 3] = [
    (
        "System E (2018): Verilog",
        [561, 640, 1163, 45, 768, 825, 907, 1087],
    ),
    (
        "System E (2018): its language",
        [1050, 1125, 1620, 45, 1251, 1320, 1415, 1549],
    ),
    (
        "a server with kernel bypass (2018)",
        [1411, 1637, 2638, 150, 2022, 2116, 2303, 2619],
    ),
];

/// Runs packets through a core that trades, the software beside it; `progress` gets `name`.
///
/// # Errors
/// Hardware and software differ; the core refuses the desk.
pub fn hardware(
    preset: &Preset,
    desk: &Desk,
    fast: Option<&FastFeed<'_>>,
    packets: &Packets,
    pace: Pace,
    name: &str,
    progress: Progress,
) -> Result<Run, Error> {
    let model = match &desk.program {
        Some(program) => program.model().map_err(Problem::from)?,
        None => None,
    };
    let built = model.map_or(Duration::ZERO, |model| model.took());
    let begun = Instant::now();
    let mut trader = match fast {
        Some(feed) => Trader::of_order_log(preset, desk, feed)?,
        None => Trader::of(preset, desk)?,
    };
    let ready = built + begun.elapsed();
    let begun = Instant::now();
    let (mut orders, mut before, all) = (vec![], 0, packets.len());
    for group in pace.groups(packets, clock(preset)) {
        if before % 256 < group.payloads.len() {
            progress(name, before as u64, all as u64);
        }
        let left = trader.datagrams_at(&group.payloads, |orders| group.starts(orders))?;
        orders.extend(left.into_iter().map(|order| SentOrder {
            packet: before + order.packet,
            ..order
        }));
        before += group.payloads.len();
        trader.end_not_followed()?;
    }
    progress(name, all as u64, all as u64);
    Ok(Run {
        orders,
        compared: *trader.compared(),
        cycles: trader.cycle(),
        engines: trader.fast_engines()?,
        edit_to_simulation_seconds: ready.as_secs_f64(),
        simulation_seconds: begun.elapsed().as_secs_f64(),
    })
}

/// Runs packets through every core and software asked for.
///
/// # Errors
/// Hardware and software differ; the core or the software refuses the desk; a socket fails; no order leaves.
pub fn compare_orders(
    desk: &Desk,
    packets: &Packets,
    options: &Options<'_>,
    progress: Progress,
) -> Result<TradingComparison, Error> {
    let (mut series, mut compared) = (vec![], None);
    for InCore { preset, program } in &options.cores {
        let bits = preset.width.bits();
        let desk = Desk {
            program: program.clone(),
            ..desk.clone()
        };
        let (what, suffix) = match program.as_ref().map(Program::slot) {
            None => ("", ""),
            Some(Strategy::External) => (", module", "_module"),
            Some(_) => (", program", "_processor"),
        };
        let clock_mhz = placed::reached(Path::new(placed::FOLDER), preset.name, preset.width);
        let model = match program {
            Some(program) => program.model().map_err(Problem::from)?,
            None => None,
        };
        let model_reused = model.map(|model| model.is_reused());
        for pace in &options.paces {
            let engine = if preset.is_order_log() {
                ", FAST at wire rate"
            } else {
                ""
            };
            let name = format!("core, {bits} bits{what}{engine}{pace}");
            let run = hardware(
                preset,
                &desk,
                options.fast.as_ref(),
                packets,
                *pace,
                &name,
                progress,
            )?;
            let of_orders = run
                .orders
                .iter()
                .map(|order| (order.packet, order.last_first));
            let orders: BTreeMap<_, _> = of_orders.collect();
            let cycles = orders.values().copied().collect::<Distribution>().summary();
            let label = match clock_mhz {
                Some(mhz) => {
                    format!("FPGA, {bits} bits{what}{engine}{pace}, placed at {mhz:.1} MHz")
                }
                None => format!("FPGA, {bits} bits{what}{engine}{pace}, never placed: cycles"),
            };
            let [som, eot] =
                pace::of_messages(&run.orders, packets, options.fast.is_some(), preset.width);
            let ns = |cycles: Option<Summary>| Some(cycles?.scaled(1_000.0 / clock_mhz?));
            series.push(Series {
                label,
                key: format!(
                    "fpga_w{bits}{suffix}{}{}",
                    if preset.is_order_log() {
                        "_wire_rate"
                    } else {
                        ""
                    },
                    pace.suffix()
                ),
                at_wire_rate: preset.is_order_log().then_some(run.engines.wire_rate),
                unread: preset.is_order_log().then_some(run.engines.unread),
                cycles: Some(cycles),
                nanoseconds: ns(Some(cycles)),
                clock_mhz,
                edit_to_simulation_seconds: program
                    .as_ref()
                    .map(|_| run.edit_to_simulation_seconds),
                simulation_seconds: Some(run.simulation_seconds),
                model_reused,
                som_sof_cycles: som,
                eot_sof_cycles: eot,
                som_sof_ns: ns(som),
                eot_sof_ns: ns(eot),
                stages: match pace {
                    Pace::OneByOne => stages::of(&run.orders),
                    Pace::Recorded(_) => None,
                },
                orders,
                unit_ns: 1_000.0 / clock(preset),
            });
            compared = Some(run.compared);
        }
    }
    let mut not_measured = BTreeMap::new();
    for intake in &options.software {
        let measured = software::measure(desk, packets, options, *intake, |_| (), progress);
        let (row, counted) = match measured {
            Err(why @ Error::AfXdp(_)) => {
                not_measured.insert(intake.key().to_owned(), why.to_string());
                continue;
            }
            measured => measured?,
        };
        let found = counted.sent; // a packet may have several
        let sent = compared.map_or(found, |compared: TickToTrade| compared.sent);
        if sent != found {
            let text = format!("the core sends {sent}, the software {found}");
            return Err(Error::Orders(text));
        }
        compared.get_or_insert(TickToTrade {
            packets: packets.len() as u64,
            sent: found,
            refused: counted.refused,
            records: 0,
        });
        series.push(row);
    }
    let compared = compared.unwrap_or_default();
    let lines = match options.loss.zip(options.fast.as_ref()) {
        Some((loss, fast)) => {
            let mut cores = options.cores.iter();
            let core = cores.find(|core| core.preset.lines == 2);
            let core = core.ok_or(Error::OneLine)?;
            let lines = lines::on_two_lines(desk, fast, core, packets, loss, progress)?;
            if lines.orders != compared.sent {
                return Err(Error::Orders(format!(
                    "{} orders on two lines, {} on one",
                    lines.orders, compared.sent
                )));
            }
            Some(lines)
        }
        None => None,
    };
    if compared.sent == 0 {
        return Err(Error::NoOrders(compared.refused));
    }
    Ok(TradingComparison {
        data: packets.name.clone(),
        feed: match options.fast {
            Some(_) => "FAST".to_owned(),
            None if packets.version == Version::V41 => "ITCH 4.1".to_owned(),
            None => "ITCH 5.0".to_owned(),
        },
        packets: packets.len(),
        orders_sent: compared.sent,
        orders_refused: compared.refused,
        mismatches: 0,
        series,
        not_measured,
        profits: vec![],
        lines,
    })
}

/// The clock that nanoseconds of this core are cycles at, in MHz: the placed one, else that of the line.
fn clock(preset: &Preset) -> f64 {
    let placed = placed::reached(Path::new(placed::FOLDER), preset.name, preset.width);
    placed.unwrap_or_else(|| 1_000_000.0 / preset.width.cycle_picoseconds() as f64)
}

/// The desk's strategy in the language, compiled.
fn compiled(desk: &Desk) -> Result<Programs, Error> {
    let Some(program) = &desk.program else {
        return Ok(Programs::default());
    };
    let compiled = Compiled::new(program.program(), program.parameters().to_vec());
    let compiled = compiled.map_err(|error| Error::Orders(error.to_string()))?;
    Ok(desk.programs_with(|_| Box::new(compiled)))
}

impl Series {
    /// Whether its latencies can be had in nanoseconds: it is software, or a core that was placed.
    pub const fn has_length(&self) -> bool {
        self.nanoseconds.is_some()
    }

    /// Last→first of each order, in nanoseconds.
    fn order_ns(&self) -> Vec<f64> {
        let orders = self.orders.values();
        orders.map(|units| *units as f64 * self.unit_ns).collect()
    }

    /// Last→first in nanoseconds, of a core that was never placed at the clock of its line.
    fn shown(&self) -> Summary {
        let at_the_lines_clock = self.cycles.map(|cycles| cycles.scaled(self.unit_ns));
        self.nanoseconds.or(at_the_lines_clock).unwrap_or_default()
    }

    /// Whether it is a core that was never placed.
    const fn is_at_the_lines_clock(&self) -> bool {
        self.nanoseconds.is_none()
    }

    /// From the message's first byte: in nanoseconds, or in cycles where it was never placed.
    fn som(&self) -> Option<Summary> {
        self.som_sof_ns.or(self.som_sof_cycles)
    }

    /// From its last.
    fn eot(&self) -> Option<Summary> {
        self.eot_sof_ns.or(self.eot_sof_cycles)
    }
}

impl TradingComparison {
    /// All of it as JSON, and each series under its key too: `fpga_w64_module`. What could not be measured is null.
    pub fn by_key(&self) -> Value {
        let mut all = json!(self);
        for series in &self.series {
            all[series.key.as_str()] = json!(series);
        }
        for key in self.not_measured.keys() {
            all[key.as_str()] = Value::Null;
        }
        all
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A core at 10 GbE with these cycles by packet.
    pub(crate) fn series(label: &str, mhz: Option<f64>, orders: &BTreeMap<usize, u64>) -> Series {
        let cycles = orders.values().copied().collect::<Distribution>().summary();
        let left = orders.iter().map(|(packet, cycles)| SentOrder {
            packet: *packet,
            last_first: *cycles,
            first_first: *cycles + 10,
            alone: true,
            stages: Some(cosim::orders::Stages {
                receive: 4,
                decode: *cycles - 4,
                ..cosim::orders::Stages::default()
            }),
        });
        Series {
            label: label.to_owned(),
            key: "fpga_w64".to_owned(),
            cycles: Some(cycles),
            nanoseconds: mhz.map(|mhz| cycles.scaled(1_000.0 / mhz)),
            clock_mhz: mhz,
            edit_to_simulation_seconds: None,
            simulation_seconds: None,
            model_reused: None,
            at_wire_rate: None,
            unread: None,
            som_sof_cycles: None,
            eot_sof_cycles: None,
            som_sof_ns: None,
            eot_sof_ns: None,
            stages: stages::of(&left.collect::<Vec<_>>()),
            orders: orders.clone(),
            unit_ns: 1_000.0 / mhz.unwrap_or(156.25),
        }
    }

    #[test]
    fn the_stages_of_an_order_are_its_latency_and_come_out_by_name() {
        let orders = BTreeMap::from([(0, 50), (1, 150)]);
        let all = json!(series("core", None, &orders));
        assert_eq!(all["stages"]["receive"]["max"], 4.0);
        assert_eq!(all["stages"]["decode"]["min"], 46.0);
        assert_eq!(all["stages"]["decode"]["mean"], 96.0);
        assert_eq!(all["stages"]["send"]["count"], 2);
    }
}
