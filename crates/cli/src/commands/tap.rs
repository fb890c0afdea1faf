//! `tickwire sim --tap`: the Verilated core on a TAP interface, a kernel as its peer.

use std::fmt;

use serde::Serialize;
use sim::tap::{self, Tap};
use sim::{Setup, Width};
use strategy::Counters;

use crate::console::Console;
use crate::error::Error;
use crate::stop;

/// What passed.
#[derive(Serialize)]
#[serde(tag = "type", rename = "summary")]
struct Passed {
    tap: String,
    width: u32,
    received: u64,
    sent: u64,
    counters: Counters,
}

impl fmt::Display for Passed {
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

/// Told once frames can come.
#[derive(Serialize)]
#[serde(tag = "type", rename = "attached")]
struct Attached<'a> {
    tap: &'a str,
}

/// Runs the core on the interface until SIGINT.
///
/// # Errors
/// The interface cannot be opened; the core refuses its setup.
pub fn run(name: &str, setup: &Setup, width: Width, console: Console) -> Result<(), Error> {
    let failed = |cause| Error::Tap {
        name: name.to_owned(),
        cause,
    };
    let mut core = setup.core(width)?;
    let mut interface = Tap::open(name).map_err(failed)?;
    console.note(&format!("the core is on {name}; Ctrl-C ends"));
    console.json_line(&Attached { tap: name })?;
    let (mut received, mut sent) = (0, 0);
    tap::run(&mut core, &mut interface, stop::flag(), |by_core, _| {
        *(if by_core { &mut sent } else { &mut received }) += 1;
    })
    .map_err(failed)?;
    let counters = core.counters().map_err(sim::SetupError::from)?;
    console.print(&Passed {
        tap: name.to_owned(),
        width: width.bits(),
        received,
        sent,
        counters,
    })
}
