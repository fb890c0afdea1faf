//! `tickwire sim --tap`: the Verilated core on a TAP interface, a kernel as its peer. With a `session` in the desk it trades.

mod mirror;
mod sequence_reset;
mod trading;
mod typed;

use std::cell::{Cell, RefCell};
use std::fmt;
use std::io;
use std::sync::mpsc::Receiver;
use std::time::Instant;

use cosim::attached::{Attached, Seen};
use cosim::orders::FastFeed;
use cosim::tap::Tap;
use cosim::{Preset, Setup};
use formats::counters::Counters;
use formats::frame::classify;
use live::{Desk, Target};
use serde::Serialize;

use super::restart::RestartOptions;
use crate::console::Console;
use crate::error::Error;
use crate::stop;
use mirror::Mirror;
use sequence_reset::Numbers;
use trading::Trading;

/// What passed.
#[derive(Serialize)]
#[serde(tag = "type", rename = "summary")]
struct Summary {
    tap: String,
    width: u32,
    received: u64,
    sent: u64,
    counters: Counters,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (tap, width) = (&self.tap, self.width);
        write!(
            f,
            "{tap}, core of {width} bits: {} frames in, {} frames out",
            self.received, self.sent
        )?;
        self.counters
            .iter()
            .filter(|(_, value)| *value > 0)
            .try_for_each(|(name, value)| write!(f, "\n  {name:<20} {value:>12}"))
    }
}

/// Printed once frames can come.
#[derive(Serialize)]
#[serde(tag = "type", rename = "attached")]
struct OnInterface<'a> {
    tap: &'a str,
}

/// Runs the core on the interface until SIGINT.
///
/// # Errors
/// The interface cannot be opened; the core refuses its setup.
pub fn run(
    name: &str,
    setup: &Setup,
    desk: Option<&Desk>,
    preset: &Preset,
    (lines, options): (Option<Receiver<String>>, &RestartOptions),
    console: Console,
) -> Result<(), Error> {
    let failed = |cause| Error::Tap {
        name: name.to_owned(),
        cause,
    };
    let width = preset.width;
    let mut core = setup.core_of(preset)?;
    let session = desk.and_then(|desk| desk.session.as_ref());
    let (mut depth, mut numbers) = (None, None);
    let in_fast = desk.and_then(|desk| Some((desk, desk.feed.fast.as_ref()?)));
    if let Some((desk, fast)) = in_fast {
        let (templates, map, settings) = desk.read_fast(fast, &console)?;
        depth = map.depth;
        numbers = Some((desk.net(), settings.reset_each_packet, Numbers::default()));
        let feed = FastFeed {
            templates: &templates,
            map: &map,
            settings,
            before: None,
        };
        feed.load(&mut core)?;
    }
    let mut mirror = None;
    let mut trading = match session {
        Some(session) => {
            let session = session.get_ref();
            let symbols = &setup.pipeline.symbols;
            let strategy = desk.filter(|desk| desk.trades()).map(|desk| {
                let left_out = |symbol| {
                    console.note(&format!(
                        "{symbol} has no window in the desk: the core's book shows its lowest prices"
                    ));
                    Ok::<_, Error>(None)
                };
                let period = width.cycle_picoseconds();
                let mut strategy = desk.in_core(&setup.pipeline, period, Target::Processor, left_out)?;
                strategy.set_depth(depth)?;
                Ok::<_, Error>(strategy)
            });
            let strategy = strategy.transpose()?;
            let strategy = strategy.as_ref();
            if let (Some(desk), Some(strategy)) = (desk, strategy) {
                mirror = Mirror::new(desk, strategy, preset.book, console)?;
            }
            let by_hand = (lines, options);
            let trading = Trading::new(
                session, strategy, &mut core, symbols, width, by_hand, console,
            )?;
            if let Some(mirror) = &mut mirror {
                mirror.set_kill(trading.kill());
            }
            Some(trading)
        }
        None => None,
    };
    let mut attached = Attached::new(Tap::open(name).map_err(failed)?);
    console.note(&format!("the core is on {name}; Ctrl-C ends"));
    console.json_line(&OnInterface { tap: name })?;
    let (mut received, mut sent) = (0, 0);
    let mirror = RefCell::new(mirror);
    let resets = numbers.as_ref().map(|(_, resets, _)| *resets);
    let anew = Cell::new(false);
    let mut seen = |seen: &Seen<'_>| {
        if let Some((net, _, numbers)) = numbers.as_mut().filter(|_| !seen.by_core)
            && let Ok(datagram) = classify(seen.bytes, net)
            && numbers.packet(datagram.payload, Instant::now())
        {
            anew.set(true);
            if let Some(mirror) = mirror.borrow_mut().as_mut() {
                mirror.begin_anew();
            }
        }
        if let Some(mirror) = mirror.borrow_mut().as_mut().filter(|_| !seen.by_core) {
            mirror.frame(seen.bytes);
        }
        *(if seen.by_core {
            &mut sent
        } else {
            &mut received
        }) += 1
    };
    let behind = attached.clock_set();
    let stop = stop::flag();
    let never = std::sync::atomic::AtomicBool::new(false);
    attached
        .run(
            &mut core,
            // A session logs out first.
            if trading.is_some() { &never } else { stop },
            |core, now| match &mut trading {
                Some(trading) => {
                    if let Some(behind) = behind.take() {
                        trading.clock_set(core, behind, now).map_err(CommandError)?;
                    }
                    if let Some(resets) = resets.filter(|_| anew.take()) {
                        trading.begin_anew(core, resets).map_err(CommandError)?;
                    }
                    let mut mirror = mirror.borrow_mut();
                    trading.step(core, now, stop::requested(), mirror.as_mut())
                }
                None => Ok(true),
            },
            &mut seen,
        )
        .map_err(|error| match error {
            Failure::Io(cause) => failed(cause),
            Failure::Command(error) => error,
        })?;
    let counters = core.counters().map_err(cosim::SetupError::from)?;
    if let Some(trading) = &trading {
        trading.print_summary(&mut core)?;
    }
    console.print(&Summary {
        tap: name.to_owned(),
        width: width.bits(),
        received,
        sent,
        counters,
    })
}

/// The interface's error, which knows no name, or the command's.
enum Failure {
    Io(io::Error),
    Command(Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Io(error)
    }
}

impl<T: Into<Error>> From<CommandError<T>> for Failure {
    fn from(error: CommandError<T>) -> Self {
        Failure::Command(error.0.into())
    }
}

/// An error of the command's own.
struct CommandError<T>(T);
