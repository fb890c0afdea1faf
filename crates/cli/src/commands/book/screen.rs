//! The book on a terminal as it moves.

use std::collections::VecDeque;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use book::{Change, Trade};
use client::screen::terminal::{in_terminal, input, is_gone};
use formats::{Side, Symbol};
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::layout::{Constraint, Layout};
use ratatui::style::{Style, Stylize};
use ratatui::text::Line;
use ratatui::widgets::{Block, Borders, Cell, Paragraph, Row, Table, Wrap};
use ratatui::{DefaultTerminal, Frame};

use super::player::{Player, Until};
use super::view::{Ladder, Price};
use crate::commands::info::TimeOfDay;
use crate::error::Error;
use crate::stop;

/// Between two pictures.
const TURN: Duration = Duration::from_millis(40);
/// Messages that one picture may take: with more the screen would no longer hear its keys.
const MOST: u32 = 50_000;
/// The slowest and the fastest, in times of the recording.
const SPEEDS: (f64, f64) = (1.0 / 1_024.0, 65_536.0);
const TRADES: usize = 8;
/// Of the table's columns; a space stands between two.
const WIDTHS: [u16; 6] = [8, 12, 14, 14, 12, 8];
const KEYS: &str = "space pause  + - speed  n next change  q quit";

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Next,
    Quit,
}

/// What is on the screen besides the book.
#[derive(Debug)]
pub struct View {
    title: String,
    symbol: Symbol,
    levels: usize,
    /// Time of the file's last message, in nanoseconds after midnight.
    end: u64,
    /// Market time that has been reached.
    time: f64,
    speed: f64,
    is_paused: bool,
    is_over: bool,
    trades: VecDeque<(u64, Trade)>,
}

impl View {
    /// A screen for this symbol with so many levels of each side; `end` is the time of the file's last message.
    pub const fn new(title: String, symbol: Symbol, levels: usize, end: u64) -> Self {
        View {
            title,
            symbol,
            levels,
            end,
            time: 0.0,
            speed: 1.0,
            is_paused: false,
            is_over: false,
            trades: VecDeque::new(),
        }
    }

    fn key(&mut self, key: KeyEvent) -> Option<Action> {
        if key.kind == KeyEventKind::Release {
            return None;
        }
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let (slowest, fastest) = SPEEDS;
        match key.code {
            KeyCode::Char('c' | 'd') if control => return Some(Action::Quit),
            KeyCode::Char('q') | KeyCode::Esc => return Some(Action::Quit),
            KeyCode::Char(' ') => self.is_paused = !self.is_paused,
            KeyCode::Char('+' | '=') | KeyCode::Up => self.speed = (self.speed * 2.0).min(fastest),
            KeyCode::Char('-') | KeyCode::Down => self.speed = (self.speed / 2.0).max(slowest),
            KeyCode::Char('n') | KeyCode::Right => {
                self.is_paused = true;
                return Some(Action::Next);
            }
            _ => {}
        }
        None
    }

    fn note(&mut self, time: u64, change: &Change) {
        if let Some(trade) = change.trade {
            self.trades.push_front((time, trade));
            self.trades.truncate(TRADES);
        }
    }

    /// Books what is due after so much time; a picture's worth of messages at most.
    fn play(&mut self, player: &mut Player, passed: Duration) -> Result<(), Error> {
        if self.is_paused || self.is_over {
            return Ok(());
        }
        self.time += passed.as_nanos() as f64 * self.speed;
        for _ in 0..MOST {
            match player.next_time()? {
                None => {
                    self.is_over = true;
                    return Ok(());
                }
                Some(next) if next as f64 > self.time => return Ok(()),
                Some(_) => {}
            }
            player.step(Until::End, &mut |_, time, change| self.note(time, change))?;
        }
        // The machine cannot keep up with this speed: market time waits for it.
        self.time = player.times().1 as f64;
        Ok(())
    }

    /// Books up to the next change.
    fn next(&mut self, player: &mut Player) -> Result<(), Error> {
        let mut changed = false;
        while !changed && !self.is_over {
            self.is_over = !player.step(Until::End, &mut |_, time, change| {
                changed = true;
                self.note(time, change);
            })?;
        }
        self.time = player.times().1 as f64;
        Ok(())
    }

    fn state(&self) -> String {
        match (self.is_over, self.is_paused) {
            (true, _) => "end of the file".into(),
            (_, true) => format!("paused, {} times", self.speed),
            (_, false) => format!("{} times", self.speed),
        }
    }

    fn draw(&self, frame: &mut Frame<'_>, player: &Player) {
        let columns: u16 = WIDTHS.iter().sum::<u16>() + WIDTHS.len() as u16 - 1;
        if frame.area().width < columns {
            let text = format!("The book needs {columns} columns: make the window wider. {KEYS}");
            let text = Paragraph::new(text).wrap(Wrap { trim: true });
            return frame.render_widget(text, frame.area());
        }
        let [title, summary, book, trades, keys] = Layout::vertical([
            Constraint::Length(1),
            Constraint::Length(1),
            Constraint::Min(4),
            Constraint::Length(TRADES as u16 + 1),
            Constraint::Length(1),
        ])
        .areas(frame.area());
        let now = TimeOfDay((self.time.max(0.0) as u64).min(self.end));
        let text = format!(
            "{}  {now}  message {}  {}",
            self.title,
            player.numbers().1,
            self.state()
        );
        frame.render_widget(Line::from(text).bold(), title);
        let instrument = player.directory().find(self.symbol);
        let ladder = Ladder::new(player.book(), self.symbol, instrument, self.levels);
        frame.render_widget(Line::from(ladder.summary()), summary);
        let rows = ladder.rows().map(|[a, b, bid, ask, e, f]| {
            let right = |text: String| Cell::from(Line::from(text).right_aligned());
            let bid = Cell::from(Line::from(bid).right_aligned()).green();
            Row::new([
                right(a),
                right(b),
                bid,
                Cell::from(ask).red(),
                Cell::from(e),
                Cell::from(f),
            ])
        });
        let names = ["orders", "quantity", "bid", "ask", "quantity", "orders"];
        let header = names.iter().enumerate().map(|(place, name)| {
            let line = Line::from(*name);
            Cell::from(if place < 3 {
                line.right_aligned()
            } else {
                line
            })
        });
        let table = Table::new(rows, WIDTHS.map(Constraint::Length))
            .header(Row::new(header).style(Style::new().dim()))
            .block(Block::new().borders(Borders::TOP));
        frame.render_widget(table, book);
        let lines: Vec<Line<'_>> = self.trades.iter().map(trade).collect();
        let block = Block::new().borders(Borders::TOP).title("trades");
        frame.render_widget(Paragraph::new(lines).block(block), trades);
        frame.render_widget(Line::from(KEYS).dim(), keys);
    }
}

/// A trade in words: who took the order is on the other side.
fn trade((time, trade): &(u64, Trade)) -> Line<'static> {
    let of = match trade.side {
        Side::Buy => "a bid",
        Side::Sell => "an ask",
    };
    let (quantity, price) = (trade.quantity, Price(trade.price));
    Line::from(format!(
        "{} {quantity:>8} at {price:>12}, {of}",
        TimeOfDay(*time)
    ))
}

/// Runs the screen until its user quits, a signal ends it, or the terminal is gone. The terminal is restored however this ends.
///
/// # Errors
/// The file cannot be read on, or the terminal failed.
pub fn run(player: &mut Player, view: View, speed: f64) -> Result<(), Error> {
    let serve = |terminal: &mut _| serve(player, view, speed, terminal);
    match in_terminal(serve, Error::Print) {
        // The terminal is gone: there is no user who could quit.
        Err(Error::Print(_)) if is_gone() => Ok(()),
        ended => ended,
    }
}

fn serve(
    player: &mut Player,
    mut view: View,
    speed: f64,
    terminal: &mut DefaultTerminal,
) -> Result<(), Error> {
    let (slowest, fastest) = SPEEDS;
    view.speed = speed.clamp(slowest, fastest);
    view.time = player.times().1 as f64;
    let events = input();
    let mut last = Instant::now();
    loop {
        if stop::requested() || is_gone() {
            return Ok(());
        }
        let now = Instant::now();
        view.play(player, now - last)?;
        last = now;
        let drawn = terminal.draw(|frame| view.draw(frame, player));
        drawn.map_err(Error::Print)?;
        let mut wait = TURN;
        loop {
            match events.recv_timeout(wait) {
                Ok(Ok(Event::Key(key))) => match view.key(key) {
                    Some(Action::Quit) => return Ok(()),
                    Some(Action::Next) => view.next(player)?,
                    None => {}
                },
                Ok(Ok(_)) => {}
                Ok(Err(cause)) => return Err(Error::Print(cause)),
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => {
                    std::thread::sleep(wait);
                    break;
                }
            }
            wait = Duration::ZERO;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(view: &mut View, code: KeyCode) -> Option<Action> {
        view.key(KeyEvent::new(code, KeyModifiers::NONE))
    }

    #[test]
    fn keys_pause_change_the_speed_step_and_quit() {
        let symbol = "A".parse().unwrap();
        let mut view = View::new("A".into(), symbol, 5, 0);
        assert_eq!(press(&mut view, KeyCode::Char('+')), None);
        assert_eq!(view.state(), "2 times");
        press(&mut view, KeyCode::Char('-'));
        press(&mut view, KeyCode::Char('-'));
        assert_eq!(view.state(), "0.5 times");
        press(&mut view, KeyCode::Char(' '));
        assert_eq!(view.state(), "paused, 0.5 times");
        press(&mut view, KeyCode::Char(' '));
        assert_eq!(press(&mut view, KeyCode::Char('n')), Some(Action::Next));
        assert!(view.is_paused);
        for _ in 0..99 {
            press(&mut view, KeyCode::Up);
        }
        assert_eq!(view.speed, SPEEDS.1);
        assert_eq!(press(&mut view, KeyCode::Char('q')), Some(Action::Quit));
        let control = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        assert_eq!(view.key(control), Some(Action::Quit));
    }
}
