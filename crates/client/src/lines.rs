//! Lines in, lines out: for programs, and for whoever has no terminal.

use std::io;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::{Duration, Instant};

use crate::told::Told;
use crate::trader::{Ended, Trader};

/// How often the input is looked at.
const TURN: Duration = Duration::from_millis(5);

/// Does what lines say until they end and nothing came for `linger`, or until `stop` says so; logs out then. At the end of the lines it
/// waits for its stop orders.
///
/// # Errors
/// The connection broke, the exchange ended the session, or `tell` failed.
pub fn run(
    trader: &mut Trader,
    lines: &Receiver<String>,
    linger: Duration,
    stop: impl Fn() -> bool,
    mut tell: impl FnMut(&Told) -> io::Result<()>,
) -> Result<(), Ended> {
    let mut tell = |told: &[Told]| told.iter().try_for_each(&mut tell).map_err(Ended::Print);
    tell(&[Told::LoggedOn])?;
    let (mut open, mut last) = (true, Instant::now());
    loop {
        while open {
            match lines.try_recv() {
                Ok(line) if line.trim().is_empty() => {}
                Ok(line) => {
                    last = Instant::now();
                    let (told, quits) = trader.line(&line)?;
                    tell(&told)?;
                    open = !quits;
                }
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => open = false,
            }
        }
        let idle = !open && trader.account().stops().is_empty() && last.elapsed() >= linger;
        if idle || stop() {
            trader.log_out()?;
        }
        let told = trader.wait(TURN)?;
        if !told.is_empty() {
            last = Instant::now();
            tell(&told)?;
        }
        if trader.is_over() {
            return Ok(());
        }
    }
}
