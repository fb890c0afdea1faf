//! The terminal: keys in, frames out.

use std::io;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::Duration;

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::{Action, Screen, draw};
use crate::notice::Notice;
use crate::trader::{EndReason, Trader};

/// How long a key may wait while nothing comes from the exchange.
const TURN: Duration = Duration::from_millis(10);

/// Runs the screen in the process's terminal until its user quits, `shut_down` says so, or the terminal is gone, and logs out. The terminal is restored
/// however this ends.
///
/// # Errors
/// The connection broke, the exchange ended the session, or the terminal failed.
pub fn run(
    trader: &mut Trader,
    title: String,
    shut_down: impl Fn() -> bool,
) -> Result<(), EndReason> {
    let screen = Screen::new(title);
    let serve = |terminal: &mut _| serve(trader, terminal, screen, shut_down);
    match in_terminal(serve, EndReason::Print) {
        // The terminal is gone: there is no user who could quit.
        Err(EndReason::Print(error)) => {
            trader.leave()?;
            if is_gone() {
                Ok(())
            } else {
                Err(EndReason::Print(error))
            }
        }
        ended => ended,
    }
}

/// Gives `serve` the process's terminal, and restores that however it ends.
///
/// # Errors
/// Those of `serve`; the terminal failed.
pub fn in_terminal<E>(
    serve: impl FnOnce(&mut DefaultTerminal) -> Result<(), E>,
    failed: impl Fn(io::Error) -> E,
) -> Result<(), E> {
    let mut terminal = ratatui::try_init().map_err(&failed)?;
    let served = serve(&mut terminal);
    let restored = ratatui::try_restore().map_err(failed);
    if is_gone() {
        // Its drop would print that it cannot show the cursor, and panic, for nothing can be printed.
        std::mem::forget(terminal);
    }
    served.and(restored)
}

/// Keys and what is pasted, as they come, of the process's terminal; to be called once.
pub fn input() -> Receiver<io::Result<Event>> {
    let (sender, events) = channel();
    // Crossterm never returns from reading a terminal that hangs up meanwhile: only this thread may wait for it. It ends with the process.
    std::thread::spawn(move || {
        loop {
            let event = event::read();
            let failed = event.is_err();
            if sender.send(event).is_err() || failed {
                return;
            }
        }
    });
    events
}

/// Whether the terminal has hung up: its window was closed, or the connection to it.
pub fn is_gone() -> bool {
    let input = io::stdin();
    let mut waits = [PollFd::new(&input, PollFlags::IN)];
    let at_once = Timespec::default();
    let polled = poll(&mut waits, Some(&at_once));
    let ended = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
    polled.is_ok() && waits[0].revents().intersects(ended)
}

fn serve(
    trader: &mut Trader,
    terminal: &mut DefaultTerminal,
    mut screen: Screen,
    shut_down: impl Fn() -> bool,
) -> Result<(), EndReason> {
    screen.show(&Notice::LoggedOn);
    let events = input();
    let mut changed = true;
    loop {
        if is_gone() {
            return Err(EndReason::Print(io::ErrorKind::BrokenPipe.into()));
        }
        if changed {
            let drawn = terminal.draw(|frame| draw(frame, &screen, trader.account()));
            drawn.map_err(EndReason::Print)?;
        }
        changed = false;
        loop {
            match events.try_recv() {
                Ok(Ok(Event::Key(key))) => {
                    let action = screen.key(key, trader.account());
                    action.map_or(Ok(()), |action| act(trader, &mut screen, &action))?;
                }
                Ok(Ok(Event::Paste(text))) => screen.paste(&text),
                // The screen may have another size.
                Ok(Ok(_)) => {}
                Ok(Err(error)) => return Err(EndReason::Print(error)),
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => break,
            }
            changed = true;
        }
        if shut_down() {
            trader.log_out()?;
        }
        let notices = trader.wait(TURN)?;
        if trader.is_over() {
            return Ok(());
        }
        changed |= !notices.is_empty();
        notices.iter().for_each(|notice| screen.show(notice));
    }
}

/// Does what a key asked for.
///
/// # Errors
/// The connection broke.
pub fn act(trader: &mut Trader, screen: &mut Screen, action: &Action) -> Result<(), EndReason> {
    let quits = match action {
        Action::Quit => true,
        Action::Line(line) => {
            let (notices, quits) = trader.line(line)?;
            notices.iter().for_each(|notice| screen.show(notice));
            quits
        }
    };
    if quits { trader.log_out() } else { Ok(()) }
}
