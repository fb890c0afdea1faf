//! `tickwire sim`: a file through the Verilated core, its software twin beside it; on one line or on two.

mod one_line;
mod trading;
mod two_lines;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use cosim::{Feed, Preset, Setup, Strategy, Width};
use formats::itch::Version;
use live::desk::Desk;

use super::compile::Target;
use super::restart::RestartOptions;
use crate::census::Census;
use crate::console::Console;
use crate::error::Error;
use crate::input::{PacketOptions, ReadOptions, version_of};
use crate::settings::PipelineOptions;
pub use trading::ready_program;

/// Run a file through the Verilated core and compare every report with the software's
///
/// On one line frames follow at the minimum gap, as at line rate. On two they come at their own times, with long silence cut short, and the core's arbiter
/// makes them one feed. With --json each report is a line of its own.
///
/// A desk with a strategy trades: frames come on line A, 500 cycles apart, and every order of the core is compared with the software's. Silence is cut
/// short, so that no order is refused for the rate, nor for the collar; all other limits are the desk's. With --json each order is a line of its own.
/// No exchange answers: orders of a strategy that does not follow them end without a fill when 128 have left.
/// A strategy in the language runs as a program of the core's processor, or with --target module as a module of its own.
/// A desk on an order log or on price levels in FAST takes a capture, or an interface. Price levels may begin in the middle of a session: books are empty
/// after the first packet then.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  tickwire sim day.itch50 --symbols A,B,C
  tickwire sim day.itch50 --desk desks/itch-statistics.toml --width 8 --json
  tickwire sim day.itch50 --desk desks/best-price.toml --packets 5000
  tickwire sim day.itch50 --desk desks/best-offer --target module --packets 5000
  tickwire sim order-log.pcap --desk desks/order-log.toml
  tickwire sim day.itch50 --symbols A --preset statistics_10g
  tickwire sim day.itch50 --line-b --loss 0.05 --skew 2us --output high-reliability --window time --window-time 5us")]
pub struct Arguments {
    /// BinaryFILE (ITCH with two-byte lengths), pcap or pcapng
    #[arg(required_unless_present = "tap")]
    file: Option<PathBuf>,
    /// Attach the core to this TAP interface instead, until SIGINT; takes CAP_NET_ADMIN
    #[arg(long, value_name = "NAME", conflicts_with = "file")]
    tap: Option<String>,
    /// With --tap and a session: orders by hand, line by line from standard input, through the core's risk limits
    #[arg(long, requires = "tap")]
    lines: bool,
    #[command(flatten)]
    restart: RestartOptions,
    /// Bits in a beat: 64 is 10 GbE at 156.25 MHz, 8 is 1 GbE at 125 MHz
    #[arg(long, default_value = "64")]
    width: Bits,
    /// The core as this preset has it (tickwire info --presets lists them), in place of --width
    #[arg(long, value_name = "NAME", conflicts_with = "width")]
    preset: Option<String>,
    /// What the desk's strategy in the language becomes [default: processor, or what --preset takes]
    ///
    /// processor: a program of the core's strategy processor. module: one of its own, simulated beside the core; Verilator and g++ build it first, in half a minute.
    #[arg(long, value_enum, conflicts_with = "tap")]
    target: Option<Target>,
    /// End after so many packets
    #[arg(long, value_name = "N")]
    packets: Option<u64>,
    #[command(flatten)]
    pipeline: PipelineOptions,
    #[command(flatten)]
    line_options: two_lines::LineOptions,
    #[command(flatten)]
    packet_options: PacketOptions,
    #[command(flatten)]
    read: ReadOptions,
}

/// The widths, as an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Bits {
    /// GMII, 125 MHz.
    #[value(name = "8")]
    Eight,
    /// XGMII, 156.25 MHz.
    #[value(name = "64")]
    SixtyFour,
}

impl From<Bits> for Width {
    fn from(bits: Bits) -> Self {
        match bits {
            Bits::Eight => Width::Gmii,
            Bits::SixtyFour => Width::Xgmii,
        }
    }
}

/// The configuration of core and twin: the desk's; the command line takes precedence, and the file says its ITCH version.
///
/// # Errors
/// The desk or the file cannot be read.
pub fn setup(
    file: Option<&Path>,
    pipeline: &PipelineOptions,
    read: &ReadOptions,
    console: Console,
) -> Result<Setup, Error> {
    let desk = pipeline.desk()?;
    let found = match file {
        Some(file) => version_of(file, read)?,
        None => read.itch,
    };
    let mut config = pipeline.config(desk.as_ref(), found);
    if let Some(file) = file.filter(|_| config.symbols.is_empty() && desk.is_none()) {
        let bar = console.bytes("looking for symbols", None);
        let census = Census::take(file, read, &bar)?;
        bar.finish_and_clear();
        config.symbols = census
            .most_active
            .iter()
            .map(|active| Some(active.symbol))
            .collect();
        console.note("no --symbols: taking the most active of the file, at most 16");
    }
    let example = Setup::example(Version::V50, &[]);
    let (net, report) = match &desk {
        Some(desk) => (desk.net(), desk.report_config()),
        None => (example.net, example.report),
    };
    Ok(Setup {
        net,
        report,
        pipeline: config,
    })
}

/// Runs the command.
///
/// # Errors
/// The file cannot be read; hardware and software differ.
pub fn run(arguments: &Arguments, console: Console) -> Result<(), Error> {
    let preset = arguments.preset.as_deref().map(preset).transpose()?;
    let width = preset.map_or(arguments.width.into(), |preset| preset.width);
    let fits = |needed: fn(&Preset) -> bool, why| match preset {
        Some(preset) if !needed(preset) => Err(Error::Preset {
            name: preset.name.to_owned(),
            why,
        }),
        _ => Ok(()),
    };
    let (pipeline, read) = (&arguments.pipeline, &arguments.read);
    let target = match (arguments.target, preset) {
        (Some(target), _) => target,
        (None, Some(preset)) if preset.strategy == Strategy::External => Target::Module,
        (None, _) => Target::Processor,
    };
    match (&arguments.file, &arguments.tap) {
        (Some(file), _) => {
            let desk = pipeline.desk()?;
            if arguments.target.is_some() && !desk.as_ref().is_some_and(Desk::has_program) {
                return Err(Error::Target);
            }
            let in_fast = desk.as_ref().is_some_and(|desk| desk.feed.fast.is_some());
            if let Some(desk) = desk.as_ref().filter(|desk| desk.trades()) {
                let version = match in_fast {
                    true => {
                        fits(
                            |preset| preset.feed == Feed::Fast && preset.book != 0,
                            NEEDS_FAST_BOOK,
                        )?;
                        None
                    }
                    false if arguments.line_options.two(None)? => return Err(Error::OneLine),
                    false => {
                        fits(|preset| preset.book != 0, NEEDS_BOOK)?;
                        version_of(file, read)?
                    }
                };
                desk.refuse_single()?;
                let config = pipeline.config(Some(desk), version);
                let core = trading::Wanted {
                    preset,
                    width,
                    target,
                };
                return trading::simulate(file, desk, &config, &core, arguments, console);
            }
            if in_fast {
                return Err(live::Error::FastWithoutStrategy.into());
            }
            let two = arguments.line_options.two(desk.as_ref())?;
            let setup = setup(Some(file), pipeline, read, console)?;
            fits(
                |preset| preset.feed == Feed::Itch,
                "it decodes no ITCH, so a file says nothing to it",
            )?;
            fits(
                |preset| preset.statistics,
                "it has no statistics, so there is nothing to compare; a desk with a strategy takes one with an order book",
            )?;
            if two {
                let desk = desk.as_ref();
                return two_lines::simulate(file, &setup, width, desk, arguments, console);
            }
            let preset = preset.unwrap_or_else(|| Preset::two_lines(width));
            one_line::simulate(file, &setup, preset, arguments, console)
        }
        (None, Some(name)) => {
            let (desk, setup) = (pipeline.desk()?, setup(None, pipeline, read, console)?);
            let in_fast = desk.as_ref().is_some_and(|desk| desk.feed.fast.is_some());
            let of_feed = desk.as_ref().is_some_and(Desk::has_feed_prices);
            let lines = arguments.lines.then(super::client::input);
            let in_session =
                lines.is_some() || desk.as_ref().is_some_and(|desk| desk.session.is_some());
            if in_session {
                fits(
                    |preset| preset.sessions == 1,
                    "the desk has a session, and it has none",
                )?;
            }
            let trading = desk.as_ref().filter(|desk| desk.trades());
            let preset = match (trading, in_fast) {
                (None, true) => return Err(live::Error::FastWithoutStrategy.into()),
                (Some(desk), _) if desk.has_program() => {
                    return Err(live::Error::Session(
                        "a strategy in a file does not run in a core on an interface yet: tickwire run runs it on this machine's sockets, tickwire sim \
                         FILE in a core"
                            .into(),
                    ).into());
                }
                (Some(desk), true) => {
                    fits(
                        |preset| preset.feed == Feed::Fast && preset.book != 0,
                        NEEDS_FAST_BOOK,
                    )?;
                    trader(desk, Feed::Fast, preset, width, target)?
                }
                (Some(desk), false) => {
                    fits(
                        |preset| preset.feed == Feed::Itch && preset.book != 0,
                        NEEDS_BOOK,
                    )?;
                    trader(desk, Feed::Itch, preset, width, target)?
                }
                (None, false) => match preset {
                    Some(preset) => preset,
                    None if of_feed => {
                        let best_price = Preset::trader(Feed::Itch, Strategy::BestPrice, width);
                        best_price.ok_or_else(|| no_trader(width))?
                    }
                    None if in_session => Preset::with_session(width),
                    None => Preset::two_lines(width),
                },
            };
            if preset.feed == Feed::None && of_feed {
                return Err(Error::Preset {
                    name: preset.name.to_owned(),
                    why: NO_FEED,
                });
            }
            if !preset.session_prices && desk.as_ref().is_some_and(Desk::has_session_prices) {
                return Err(Error::Preset {
                    name: preset.name.to_owned(),
                    why: NO_SESSION_PRICES,
                });
            }
            let by_hand = (lines, &arguments.restart);
            super::tap::run(name, &setup, desk.as_ref(), preset, by_hand, console)
        }
        (None, None) => Ok(()),
    }
}

const NO_SESSION_PRICES: &str = "it reads no prices from the session, and an instrument of the desk has its prices there alone: give it `feed = true`";
const NO_FEED: &str = "it has no feed, and an instrument of the desk has its prices there: itch_trader_10g has one, or give it `feed = false`";
const NEEDS_BOOK: &str = "a desk with a strategy needs a preset with an order book";

const NEEDS_FAST_BOOK: &str = "a desk on an order log or price levels in FAST needs a preset with a FAST decoder and an order book: fast_trader_10g";

/// The preset that trades as this desk does: the one that was named, if it is a place for the strategy; else the one that is.
pub fn trader(
    desk: &Desk,
    feed: Feed,
    named: Option<&'static Preset>,
    width: Width,
    target: Target,
) -> Result<&'static Preset, Error> {
    let slot = desk.slot(target.into());
    match named {
        Some(preset) if preset.feed != feed => Err(Error::Preset {
            name: preset.name.to_owned(),
            why: "it has another feed than the desk",
        }),
        Some(preset) if preset.strategy == slot => Ok(preset),
        Some(preset) => Err(Error::Preset {
            name: preset.name.to_owned(),
            why: match slot {
                Strategy::Processor => {
                    "a strategy in a file needs the processor: itch_processor_10g"
                }
                Strategy::External => {
                    "a strategy as a module needs a core that has it outside: itch_module_10g"
                }
                Strategy::BestPrice | Strategy::None => "it has not the strategy best_price",
            },
        }),
        None => Preset::trader(feed, slot, width).ok_or_else(|| no_trader(width)),
    }
}

/// There is no core of that width for the desk.
pub fn no_trader(width: Width) -> Error {
    Error::Preset {
        name: format!("of {} bits", width.bits()),
        why: "there is none for this feed and this strategy: tickwire info --presets lists them",
    }
}

/// The preset of that name.
pub fn preset(name: &str) -> Result<&'static Preset, Error> {
    Preset::by_name(name).ok_or_else(|| Error::Preset {
        name: name.to_owned(),
        why: "there is none of that name",
    })
}
