//! A desk on the simulated core, attached to a TAP interface with a kernel as its peer. With a session it trades.

mod mirror;
mod sequence_reset;
mod session;
mod typed;

use std::cell::{Cell, RefCell};
use std::io;
use std::num::NonZeroU8;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::time::Instant;

use cosim::attached::{Attached, Seen};
use cosim::{Core, Preset, Setup, SetupError};
use device::Driver;
use formats::counters::Counters;
use formats::frame::{NetConfig, classify};
use serde::Serialize;

use crate::restart::Positions;
use crate::{Backend, Desk, Error, Monitor, Notice, Target};
use mirror::Mirror;
use sequence_reset::Numbers;
use session::Trading;

/// What passed on the interface.
#[derive(Clone, Debug, Serialize)]
pub struct Status {
    /// Frames that the core was given.
    pub received: u64,
    /// Frames that it sent.
    pub sent: u64,
    /// What it counted.
    pub counters: Counters,
}

/// Packets of a feed in FAST, which have numbers and no session.
struct Numbered {
    net: NetConfig,
    /// Each packet begins with empty dictionaries.
    resets: bool,
    numbers: Numbers,
}

/// A desk on a core on an interface.
pub struct Tap {
    name: String,
    core: Driver<Core>,
    attached: Attached<cosim::tap::Tap>,
    trading: Option<Trading>,
    mirror: Option<Mirror>,
    numbered: Option<Numbered>,
    received: u64,
    sent: u64,
}

impl Tap {
    /// Sets a core up as the desk says, and attaches it to the interface. `lines`: orders by hand.
    ///
    /// # Errors
    /// The interface cannot be opened; the core refuses its setup.
    pub fn open(
        name: &str,
        setup: &Setup,
        desk: Option<&Desk>,
        preset: &Preset,
        (lines, confirmed): (Option<Receiver<String>>, Option<&Positions>),
        monitor: &dyn Monitor,
    ) -> Result<Self, Error> {
        let mut core = setup.core_of(preset)?;
        let (mut depth, mut numbered) = (None, None);
        if let Some((desk, fast)) = desk.and_then(|desk| Some((desk, desk.feed.fast.as_ref()?))) {
            let read = desk.read_fast(fast, monitor)?;
            depth = read.map.depth;
            numbered = Some(Numbered {
                net: desk.net(),
                resets: read.settings.reset_each_packet,
                numbers: Numbers::default(),
            });
            read.in_core(None).load(&mut core)?;
        }
        let (mut trading, mut mirror) = (None, None);
        if let Some((desk, session)) = desk.and_then(|desk| Some((desk, desk.session.as_ref()?))) {
            let strategy = match desk.trades() {
                true => Some(in_core(desk, setup, preset, depth, monitor)?),
                false => None,
            };
            if let Some(strategy) = &strategy {
                mirror = Mirror::new(desk, strategy, preset.book, monitor)?;
            }
            let opened = Trading::new(
                session.get_ref(),
                strategy.as_ref(),
                &mut core,
                &setup.pipeline.symbols,
                preset.width,
                (lines, confirmed),
                monitor,
            )?;
            if let Some(mirror) = &mut mirror {
                mirror.set_kill(opened.kill());
            }
            trading = Some(opened);
        }
        let tap = cosim::tap::Tap::open(name).map_err(|cause| failed(name, cause))?;
        Ok(Tap {
            name: name.to_owned(),
            core,
            attached: Attached::new(tap),
            trading,
            mirror,
            numbered,
            received: 0,
            sent: 0,
        })
    }
}

/// The desk's strategy, as the core has it.
fn in_core(
    desk: &Desk,
    setup: &Setup,
    preset: &Preset,
    depth: Option<NonZeroU8>,
    monitor: &dyn Monitor,
) -> Result<cosim::orders::Desk, Error> {
    let left_out = |symbol| {
        monitor.note(&format!(
            "{symbol} has no window in the desk: the core's book shows its lowest prices"
        ));
        Ok::<_, Error>(None)
    };
    let period = preset.width.cycle_picoseconds();
    let mut strategy = desk.in_core(&setup.pipeline, period, Target::Processor, left_out)?;
    strategy.set_depth(depth)?;
    Ok(strategy)
}

fn failed(name: &str, cause: io::Error) -> Error {
    Error::Tap {
        name: name.to_owned(),
        cause,
    }
}

/// The interface's error, which knows no name, or any other.
enum Failure {
    Io(io::Error),
    Other(Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Io(error)
    }
}

impl Backend for Tap {
    type Outcome = Status;

    fn work(&mut self, stop: &AtomicBool, monitor: &dyn Monitor) -> Result<(), Error> {
        let Tap {
            trading,
            numbered,
            received,
            sent,
            ..
        } = self;
        let mirror = RefCell::new(self.mirror.as_mut());
        let resets = numbered.as_ref().map(|numbered| numbered.resets);
        let is_reset = Cell::new(false);
        let seen = |seen: &Seen<'_>| {
            if seen.by_core {
                *sent += 1;
                return;
            }
            *received += 1;
            let mut mirror = mirror.borrow_mut();
            if let Some(Numbered { net, numbers, .. }) = numbered
                && let Ok(datagram) = classify(seen.bytes, net)
                && numbers.packet(datagram.payload, Instant::now())
            {
                is_reset.set(true);
                if let Some(mirror) = &mut *mirror {
                    mirror.begin_anew();
                }
            }
            if let Some(mirror) = &mut *mirror {
                mirror.frame(seen.bytes);
            }
        };
        let behind = self.attached.clock_set();
        let is_stopped = || stop.load(Ordering::Relaxed);
        let mut host = |core: &mut Driver<Core>, now| {
            let Some(trading) = trading else {
                return Ok(!is_stopped());
            };
            if let Some(behind) = behind.take() {
                trading.clock_set(core, behind, now)?;
            }
            if let Some(resets) = resets.filter(|_| is_reset.take()) {
                trading.begin_anew(core, resets)?;
            }
            let mut mirror = mirror.borrow_mut();
            let goes_on = trading.step(core, now, is_stopped(), mirror.as_deref_mut());
            let mut happened = trading.happened();
            happened.try_for_each(|happened| monitor.notice(&happened))?;
            goes_on
        };
        // The session logs out first, then the host says so.
        let never = AtomicBool::new(false);
        let ran = self.attached.run(
            &mut self.core,
            &never,
            |core, now| host(core, now).map_err(Failure::Other),
            seen,
        );
        ran.map_err(|failure| match failure {
            Failure::Io(cause) => failed(&self.name, cause),
            Failure::Other(error) => error,
        })
    }

    fn finish(&mut self, monitor: &dyn Monitor) -> Result<Status, Error> {
        let counters = self.core.counters().map_err(SetupError::from)?;
        if let Some(trading) = &mut self.trading {
            let summary = trading.summary(&mut self.core)?;
            monitor.notice(&Notice::Session(summary))?;
        }
        Ok(Status {
            received: self.received,
            sent: self.sent,
            counters,
        })
    }
}
