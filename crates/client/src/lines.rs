//! Lines in, lines out: for programs, and where there is no terminal.

use std::io;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::{Duration, Instant};

use crate::notice::Notice;
use crate::trader::{EndReason, Trader};

/// How often the input is polled.
const TURN: Duration = Duration::from_millis(5);

/// Does what lines say until they end and nothing came for `linger`, or until `shut_down` says so; logs out then. At the end of the lines it
/// waits for its stop orders. Where `print` fails it logs out, too.
///
/// # Errors
/// The connection broke, the exchange ended the session, or `print` failed.
pub fn run(
    trader: &mut Trader,
    lines: &Receiver<String>,
    linger: Duration,
    shut_down: impl Fn() -> bool,
    mut print: impl FnMut(&Notice) -> io::Result<()>,
) -> Result<(), EndReason> {
    let served = serve(trader, lines, linger, shut_down, &mut print);
    if matches!(served, Err(EndReason::Print(_))) {
        trader.leave()?;
    }
    served
}

fn serve(
    trader: &mut Trader,
    lines: &Receiver<String>,
    linger: Duration,
    shut_down: impl Fn() -> bool,
    print: &mut impl FnMut(&Notice) -> io::Result<()>,
) -> Result<(), EndReason> {
    let mut print = |notices: &[Notice]| {
        let printed = notices.iter().try_for_each(&mut *print);
        printed.map_err(EndReason::Print)
    };
    print(&[Notice::LoggedOn])?;
    let (mut open, mut last) = (true, Instant::now());
    loop {
        while open {
            match lines.try_recv() {
                Ok(line) if line.trim().is_empty() => {}
                Ok(line) => {
                    last = Instant::now();
                    let (notices, quits) = trader.line(&line)?;
                    print(&notices)?;
                    open = !quits;
                }
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => open = false,
            }
        }
        let idle = !open && trader.account().stops().is_empty() && last.elapsed() >= linger;
        if idle || shut_down() {
            trader.log_out()?;
        }
        let notices = trader.wait(TURN)?;
        if !notices.is_empty() {
            last = Instant::now();
            print(&notices)?;
        }
        if trader.is_over() {
            return Ok(());
        }
    }
}
