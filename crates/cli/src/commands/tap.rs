//! `tickwire sim --tap`: the Verilated core on a TAP interface, a kernel as its peer. With a `session` in the desk it trades.

use std::fmt;
use std::sync::mpsc::Receiver;

use cosim::{Preset, Setup};
use live::Desk;
use live::tap::{Status, Tap};
use serde::Serialize;

use super::restart::RestartOptions;
use crate::console::Console;
use crate::error::Error;
use crate::stop;

/// What passed.
#[derive(Serialize)]
#[serde(tag = "type", rename = "summary")]
struct Summary<'a> {
    tap: &'a str,
    width: u32,
    #[serde(flatten)]
    status: Status,
}

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (tap, width, status) = (self.tap, self.width, &self.status);
        write!(
            f,
            "{tap}, core of {width} bits: {} frames in, {} frames out",
            status.received, status.sent
        )?;
        status
            .counters
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
    let by_hand = (lines, options.confirm_positions.as_ref());
    let mut tap = Tap::open(name, setup, desk, preset, by_hand, &console)?;
    console.note(&format!("the core is on {name}; Ctrl-C ends"));
    console.json_line(&OnInterface { tap: name })?;
    let status = live::run(&mut tap, stop::flag(), &console)?;
    console.print(&Summary {
        tap: name,
        width: preset.width.bits(),
        status,
    })
}
