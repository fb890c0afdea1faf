//! The terminal: keys in, frames out.

use std::time::Duration;

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event};

use super::{Action, Screen, draw};
use crate::told::Told;
use crate::trader::{Ended, Trader};

/// How long a key may wait while nothing comes from the exchange.
const TURN: Duration = Duration::from_millis(10);

/// Runs the screen in the process's terminal until its user quits or `stop` says so, and logs out. The terminal is what it was before, however
/// this ends.
///
/// # Errors
/// The connection broke, the exchange ended the session, or the terminal failed.
pub fn run(trader: &mut Trader, title: String, stop: impl Fn() -> bool) -> Result<(), Ended> {
    let mut terminal = ratatui::try_init().map_err(Ended::Print)?;
    let ended = serve(trader, &mut terminal, Screen::new(title), stop);
    let restored = ratatui::try_restore().map_err(Ended::Print);
    ended.and(restored)
}

fn serve(
    trader: &mut Trader,
    terminal: &mut DefaultTerminal,
    mut screen: Screen,
    stop: impl Fn() -> bool,
) -> Result<(), Ended> {
    screen.told(&Told::LoggedOn);
    let mut changed = true;
    loop {
        if changed {
            let drawn = terminal.draw(|frame| draw(frame, &screen, trader.account()));
            drawn.map_err(Ended::Print)?;
        }
        changed = false;
        while event::poll(Duration::ZERO).map_err(Ended::Print)? {
            changed = true;
            match event::read().map_err(Ended::Print)? {
                Event::Key(key) => {
                    let action = screen.key(key, trader.account());
                    action.map_or(Ok(()), |action| act(trader, &mut screen, &action))?;
                }
                Event::Paste(text) => screen.paste(&text),
                _ => {}
            }
        }
        if stop() {
            trader.log_out()?;
        }
        let told = trader.wait(TURN)?;
        if trader.is_over() {
            return Ok(());
        }
        changed |= !told.is_empty();
        told.iter().for_each(|told| screen.told(told));
    }
}

/// Does what a key asked for.
///
/// # Errors
/// The connection broke.
pub fn act(trader: &mut Trader, screen: &mut Screen, action: &Action) -> Result<(), Ended> {
    let quits = match action {
        Action::Quit => true,
        Action::Line(line) => {
            let (told, quits) = trader.line(line)?;
            told.iter().for_each(|told| screen.told(told));
            quits
        }
    };
    if quits { trader.log_out() } else { Ok(()) }
}
