//! `tickwire measure`: the latency of hardware and software on the same packets.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use cosim::{Feed, Preset, Width};
use feed::socket::Wait;
use formats::Event;
use live::{Desk, Recording};
use report::compare::{self, Options};
use report::html;
use report::packets::Packets;
use report::placed;
use report::tick_to_trade::Intake;
use report::trading::Pace;
use report::{TradingComparison, compare_orders, trading};
use serde::Serialize;

use super::compile::Target;
use super::demo::Output;
use super::sim::{Bits, no_trader, preset, ready_program, setup, trader};
use crate::console::Console;
use crate::error::Error;
use crate::input::{ReadOptions, version_of};
use crate::settings::PipelineOptions;

/// Measure last byte in to first byte out, of the core and of the software, on the same packets
///
/// One message a packet. Writes report.html, heartbeats.csv (a row a second of the feed) and comparison.json (all of it, for tickwire report).
///
/// Of a desk with a strategy, on ITCH or on an order log or price levels in FAST (a capture): tick to trade. Every order of the core is compared with the software's, as in tickwire sim; then the software gets the same
/// packets on sockets, 50 µs apart, and its orders are read from TCP. With AF_XDP they come past the kernel's network stack, on a pair of veth devices that the measurement makes in a network namespace of its
/// own: that takes root. The core gets one packet at a time, the next when it is done with the one before; with --open-loop also at
/// the recorded times, whatever it is doing. Writes report.html (charts, and where
/// the time goes, stage by stage), orders.csv (a row an order, in cycles and in ns where the core was placed), latency.svg (the distribution alone, for a paper) and tick_to_trade.json.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  tickwire measure day.itch50 --symbols A,B,C --out out/day
  tickwire measure day.itch50 --desk desks/best-price.toml --packets 20000
  tickwire measure day.itch50 --desk desks/best-offer --target processor,module --packets 2000
  tickwire measure day.itch50 --desk desks/best-offer --target module --open-loop 1,8
  tickwire measure log.pcap --desk desks/moex-best-offer --target module
  tickwire measure log.pcap --desk desks/order-log.toml --loss 0.05
  tickwire measure day.itch50 --width 64 --wait busy-poll --speed 1,8 --json")]
pub struct Arguments {
    /// BinaryFILE (ITCH with two-byte lengths), pcap or pcapng
    file: PathBuf,
    /// Cores to simulate [default: 8,64; those that there are]
    #[arg(long, value_name = "BITS,…", value_delimiter = ',')]
    width: Vec<Bits>,
    /// Of a desk with a strategy: this core alone, or these, each for the targets it takes (tickwire info --presets lists them), in place of --width
    #[arg(
        long,
        value_name = "NAME,…",
        value_delimiter = ',',
        conflicts_with = "width"
    )]
    preset: Vec<String>,
    /// What the desk's strategy in the language becomes in the cores, a row each [default: processor]
    ///
    /// processor: a program of the core's strategy processor. module: one of its own, simulated beside the core; Verilator and g++ build it first, in half a minute.
    #[arg(long, value_enum, value_name = "TARGET,…", value_delimiter = ',')]
    target: Vec<Target>,
    /// How the software pipelines wait for packets [default: busy-poll,blocking; of a desk with a strategy af-xdp too]
    #[arg(long, value_name = "HOW,…", value_delimiter = ',')]
    wait: Vec<WaitOption>,
    /// How many times as fast as recorded the software gets its packets
    #[arg(long, value_name = "TIMES,…", value_delimiter = ',', default_value = "1", value_parser = super::replay::positive)]
    speed: Vec<f64>,
    /// Of a desk with a strategy: also give the cores the packets at their recorded times, so many times as fast; a row each
    ///
    /// Silence of more than 4,000 cycles is cut to that: nothing happens in it.
    #[arg(long, value_name = "TIMES,…", value_delimiter = ',', value_parser = super::replay::positive)]
    open_loop: Vec<f64>,
    /// Of a desk that trades on a feed in FAST: also play the packets on lines A and B to the first core that has two, each of which loses a packet with this
    /// probability, never both the same; its arbiter and the software's must make the same feed and the same orders of them
    #[arg(long, value_name = "PROBABILITY", value_parser = loss)]
    loss: Option<f64>,
    /// Only so many packets of the file
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    packets: usize,
    /// Folder for report.html, heartbeats.csv and comparison.json
    #[arg(long, value_name = "DIR", default_value = "out/measure")]
    out: PathBuf,
    #[command(flatten)]
    pipeline: PipelineOptions,
    #[command(flatten)]
    read: ReadOptions,
}

/// The ways to wait, as an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum WaitOption {
    /// Sleep in the kernel.
    Blocking,
    /// Never sleep.
    BusyPoll,
    /// Never sleep, and take frames from an AF_XDP socket; of a desk with a strategy. Where this machine does not allow it, the result says why.
    AfXdp,
}

impl From<WaitOption> for Intake {
    fn from(option: WaitOption) -> Self {
        match option {
            WaitOption::Blocking => Intake::Sockets(Wait::Blocking),
            WaitOption::BusyPoll => Intake::Sockets(Wait::BusyPoll),
            WaitOption::AfXdp => Intake::AfXdp,
        }
    }
}

fn loss(text: &str) -> Result<f64, String> {
    let probability: f64 = text.parse().map_err(|_| "write a probability, like 0.05")?;
    match (0.0..1.0).contains(&probability) {
        true => Ok(probability),
        false => Err("a probability is from 0 to less than 1".to_owned()),
    }
}

/// Runs the command.
///
/// # Errors
/// Hardware and software differ; the file cannot be read, or the results not be written.
pub fn run(arguments: &Arguments, console: Console) -> Result<(), Error> {
    let desk = arguments.pipeline.desk()?;
    if !arguments.target.is_empty() && !desk.as_ref().is_some_and(Desk::has_program) {
        return Err(Error::Target);
    }
    if let Some(desk) = &desk {
        let fast = desk.feed.fast.as_ref();
        if fast.is_some() && !desk.trades() {
            return Err(live::Error::FastWithoutStrategy.into());
        }
        if arguments.loss.is_some() && fast.is_none() {
            return Err(Error::LossOfFast);
        }
        if desk.trades() {
            desk.refuse_single()?;
            if desk.has_stops() {
                return Err(Error::Stops);
            }
            return console.print(&tick_to_trade(arguments, desk, console)?);
        }
    }
    if arguments.loss.is_some() {
        return Err(Error::LossOfFast);
    }
    let waits = arguments.waits()?;
    let setup = setup(
        Some(&arguments.file),
        &arguments.pipeline,
        &arguments.read,
        console,
    )?;
    let version = version_of(&arguments.file, &arguments.read)?;
    let options = feed::source::Options {
        version,
        ..arguments.read.options()
    };
    let packets = Packets::read(&arguments.file, options)?.first(arguments.packets);
    let options = Options {
        widths: arguments.widths(),
        software: waits
            .into_iter()
            .flat_map(|wait| arguments.speed.iter().map(move |factor| (wait, *factor)))
            .collect(),
        ..Options::default()
    };
    let mut progress = console.phases();
    let mut comparison = compare::compare(&setup, &packets, &options, &mut progress)?;
    drop(progress);
    placed::at_placed_clocks(&mut comparison, Path::new(placed::FOLDER));
    let (page, csv) = (
        arguments.out.join("report.html"),
        arguments.out.join("heartbeats.csv"),
    );
    html::write(&comparison, &page)?;
    comparison.write_csv(&csv)?;
    console.print(&Output::new(&comparison, page, csv)?)
}

/// Measures a desk that trades, and writes what came out.
///
/// # Errors
/// As [`run`]'s.
pub fn tick_to_trade(
    arguments: &Arguments,
    desk: &Desk,
    console: Console,
) -> Result<Orders, Error> {
    let (file, read) = (&arguments.file, &arguments.read);
    let (feed, version) = match desk.feed.fast {
        Some(_) => (Feed::Fast, None),
        None => (Feed::Itch, version_of(file, read)?),
    };
    let config = arguments.pipeline.config(Some(desk), version);
    let options = feed::source::Options {
        version,
        ..read.options()
    };
    let mut recording = Recording::open(Some(desk), file, options, config.version, &console)?;
    // Nothing of the limits that is compared depends on the clock.
    let period = Width::Xgmii.cycle_picoseconds();
    let (desk, cores) = arguments.in_cores(desk, feed, console, |target| {
        let price = |symbol| recording.first_price(symbol);
        Ok(desk.in_core(&config, period, target.into(), price)?)
    })?;
    if cores.iter().any(|core| core.preset.is_order_log()) {
        recording.after_first()?;
    }
    let packets = match recording.fast() {
        Some(setup) => {
            let mut decoder = setup.decoder()?;
            let entries = |payload: &[u8]| {
                let mut entries = 0;
                decoder.datagram(payload, &mut |_: &Event| entries += 1);
                entries
            };
            Packets::of_capture(file, read.of_any_protocol(), entries)?
        }
        None => Packets::read(file, options)?,
    };
    let mut packets = packets.first(arguments.packets);
    if recording.is_joined() {
        packets = packets.after_first();
    }
    let options = trading::Options {
        fast: recording.fast_in_core(),
        cores,
        paces: arguments.paces(),
        software: arguments.intakes(),
        loss: arguments.loss,
    };
    let mut progress = console.phases();
    let comparison = compare_orders(&desk, &packets, &options, &mut progress)?;
    drop(progress);
    let csv = arguments.out.join("orders.csv");
    comparison.write_csv(&packets, &csv)?;
    let report = arguments.out.join("report.html");
    comparison.write_report(&packets, &report)?;
    comparison.write_picture(&arguments.out.join("latency.svg"))?;
    let json = arguments.out.join("tick_to_trade.json");
    let text = serde_json::to_string_pretty(&comparison.by_key()).unwrap_or_default();
    fs::write(&json, text + "\n").map_err(|cause| Error::Write { path: json, cause })?;
    Ok(Orders {
        comparison,
        csv,
        report,
        packets,
    })
}

impl Arguments {
    /// The widths of the cores.
    fn widths(&self) -> Vec<Width> {
        match self.width.is_empty() {
            true => Width::ALL.to_vec(),
            false => self.width.iter().copied().map(Into::into).collect(),
        }
    }

    /// How the software of a desk with a strategy gets its packets.
    fn intakes(&self) -> Vec<Intake> {
        match self.wait.is_empty() {
            true => vec![
                Intake::Sockets(Wait::BusyPoll),
                Intake::Sockets(Wait::Blocking),
                Intake::AfXdp,
            ],
            false => self.wait.iter().copied().map(Intake::from).collect(),
        }
    }

    /// How software that only reports waits.
    ///
    /// # Errors
    /// AF_XDP was asked for.
    fn waits(&self) -> Result<Vec<Wait>, Error> {
        let waits = self
            .intakes()
            .into_iter()
            .filter_map(|intake| match intake {
                Intake::Sockets(wait) => Some(wait),
                Intake::AfXdp => None,
            });
        match self.wait.contains(&WaitOption::AfXdp) {
            true => Err(Error::AfXdpOfDesk),
            false => Ok(waits.collect()),
        }
    }

    /// When the cores get the packets.
    fn paces(&self) -> Vec<Pace> {
        let recorded = self.open_loop.iter().copied().map(Pace::Recorded);
        std::iter::once(Pace::OneByOne).chain(recorded).collect()
    }

    /// What a strategy in the language becomes, each once.
    fn targets(&self) -> Vec<Target> {
        let mut targets = self.target.clone();
        targets.sort_unstable();
        targets.dedup();
        match targets.is_empty() {
            true => vec![Target::default()],
            false => targets,
        }
    }

    /// The desk as these targets have it: for each what `in_core` gives, and its cores. The first is what the software has too.
    ///
    /// # Errors
    /// Those of `in_core`; there is no such core; a model cannot be built.
    fn in_cores(
        &self,
        desk: &Desk,
        feed: Feed,
        console: Console,
        in_core: impl Fn(Target) -> Result<cosim::orders::Desk, Error>,
    ) -> Result<(cosim::orders::Desk, Vec<trading::InCore>), Error> {
        let (mut first, mut cores) = (None, vec![]);
        // A core that no target takes is refused, not passed over.
        let targets = self.targets();
        for preset in self.preset.iter().map(|name| preset(name)) {
            let preset = preset?;
            let taken = |target: &Target| preset.strategy == desk.slot((*target).into());
            if let Some(target) = targets.first().filter(|_| !targets.iter().any(taken)) {
                trader(desk, feed, Some(preset), preset.width, *target)?;
            }
        }
        for target in targets {
            let slot = desk.slot(target.into());
            let named = self.named(slot)?;
            let presets = match named.is_empty() {
                true => self.traders(|width| Preset::trader(feed, slot, width))?,
                false => {
                    let fits = |named: &'static Preset| {
                        trader(desk, feed, Some(named), named.width, target)
                    };
                    named.into_iter().map(fits).collect::<Result<_, _>>()?
                }
            };
            let desk = in_core(target)?;
            ready_program(&desk, console)?;
            cores.extend(presets.into_iter().map(|preset| trading::InCore {
                preset,
                program: desk.program.clone(),
            }));
            first.get_or_insert(desk);
        }
        let desk = first.ok_or_else(|| no_trader(Width::Xgmii))?;
        Ok((desk, cores))
    }

    /// The cores that were named, of them those that are a place for this strategy; if none is, the first, which is refused then.
    fn named(&self, slot: cosim::Strategy) -> Result<Vec<&'static Preset>, Error> {
        let named = self.preset.iter().map(|name| preset(name));
        let named = named.collect::<Result<Vec<_>, _>>()?;
        let first = named.first().copied();
        let mut fit: Vec<_> = named
            .into_iter()
            .filter(|preset| preset.strategy == slot)
            .collect();
        if fit.is_empty() {
            fit.extend(first);
        }
        Ok(fit)
    }

    /// The cores that trade, of these: those of the widths that were named, else all there are.
    fn traders(
        &self,
        of: impl Fn(Width) -> Option<&'static Preset>,
    ) -> Result<Vec<&'static Preset>, Error> {
        let named = !self.width.is_empty();
        let mut presets = vec![];
        for width in self.widths() {
            match of(width) {
                Some(preset) => presets.push(preset),
                None if named => return Err(no_trader(width)),
                _ => {}
            }
        }
        Ok(presets)
    }
}

/// What was measured of a desk that trades, and where it is written.
#[derive(Serialize)]
pub struct Orders {
    #[serde(flatten)]
    pub comparison: TradingComparison,
    /// A row an order.
    csv: PathBuf,
    /// Charts and tables.
    report: PathBuf,
    #[serde(skip)]
    packets: Packets,
}

impl Orders {
    /// What different latencies leave of a profit, by their names, into the report too.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn with_profits(mut self, profits: Vec<(String, f64)>) -> Result<Self, Error> {
        self.comparison.profits = profits;
        self.comparison.write_report(&self.packets, &self.report)?;
        Ok(self)
    }
}

impl fmt::Display for Orders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}\norders      {}\nreport      {}",
            self.comparison.table(),
            self.csv.display(),
            self.report.display()
        )
    }
}
