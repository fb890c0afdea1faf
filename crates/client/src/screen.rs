//! The terminal screen: what is on it, and what keys do. Drawing it and the terminal itself are elsewhere.

mod draw;
pub mod terminal;

use std::collections::VecDeque;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::account::{Account, Own};
use crate::command;
use crate::notice::Notice;

pub use draw::draw;

/// Messages that can be paged back to.
const MOST_MESSAGES: usize = 1_000;
/// The longest line that can be typed, in characters.
const LONGEST_LINE: usize = 200;
/// Messages in a page.
const PAGE: usize = 10;

/// What a key asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// A line to be done.
    Line(String),
    /// The end.
    Quit,
}

/// What is on the screen besides the account.
#[derive(Clone, Debug, Default)]
pub struct Screen {
    /// Who trades where.
    title: String,
    /// What was typed so far.
    input: String,
    /// The name of the order that is chosen.
    chosen: Option<String>,
    /// What was shown, and whether it is an alarm: all but prices, which have their own place.
    messages: VecDeque<(bool, String)>,
    /// Messages below what is shown.
    back: usize,
}

impl Screen {
    /// An empty screen; `title` says who trades where.
    pub fn new(title: String) -> Self {
        Screen {
            title,
            ..Screen::default()
        }
    }

    /// Shows a notice among the messages.
    pub fn show(&mut self, notice: &Notice) {
        if matches!(notice, Notice::Prices { .. }) {
            return;
        }
        let is_alarm = match notice {
            Notice::Refused { .. } | Notice::Wrong { .. } | Notice::Disconnected { .. } => true,
            Notice::Report { status, .. } => status == "Rejected",
            _ => false,
        };
        if self.messages.len() == MOST_MESSAGES {
            self.messages.pop_front();
        }
        self.messages.push_back((is_alarm, notice.to_string()));
        // A user who reads old messages goes on seeing them.
        if self.back > 0 {
            self.back = (self.back + 1).min(self.messages.len() - 1);
        }
    }

    /// The place of the chosen order.
    fn place(&self, orders: &[Own]) -> Option<usize> {
        let chosen = self.chosen.as_ref()?;
        orders.iter().position(|own| own.name == *chosen)
    }

    /// Chooses an order so many places further.
    fn choose(&mut self, orders: &[Own], step: isize) {
        let last = orders.len().checked_sub(1);
        let place = match (self.place(orders), last) {
            (_, None) => return,
            (None, Some(last)) => last,
            (Some(place), Some(last)) => place.saturating_add_signed(step).min(last),
        };
        self.chosen = orders.get(place).map(|own| own.name.clone());
    }

    /// The order that is chosen, if it may still trade.
    fn open_order<'a>(&self, orders: &'a [Own]) -> Option<&'a Own> {
        let own = orders.get(self.place(orders)?)?;
        own.is_open().then_some(own)
    }

    /// Takes a key.
    pub fn key(&mut self, key: KeyEvent, account: &Account) -> Option<Action> {
        if key.kind == KeyEventKind::Release {
            return None;
        }
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let orders = account.orders();
        match key.code {
            KeyCode::Char('c' | 'd') if control => return Some(Action::Quit),
            KeyCode::Char('u') if control => self.input.clear(),
            KeyCode::Char(_) if control => {}
            KeyCode::Char(typed) if self.input.len() < LONGEST_LINE && !typed.is_control() => {
                self.input.push(typed);
            }
            KeyCode::Backspace => drop(self.input.pop()),
            KeyCode::Esc => {
                self.input.clear();
                (self.chosen, self.back) = (None, 0);
            }
            KeyCode::Enter => {
                let line = std::mem::take(&mut self.input);
                return (!line.trim().is_empty()).then_some(Action::Line(line));
            }
            KeyCode::Up => self.choose(orders, -1),
            KeyCode::Down => self.choose(orders, 1),
            KeyCode::PageUp => {
                self.back = (self.back + PAGE).min(self.messages.len().saturating_sub(1));
            }
            KeyCode::PageDown => self.back = self.back.saturating_sub(PAGE),
            KeyCode::Delete => {
                let own = self.open_order(orders)?;
                return Some(Action::Line(format!("cancel {}", own.name)));
            }
            KeyCode::F(2) => {
                let own = self.open_order(orders)?;
                let (name, quantity) = (&own.name, own.order.quantity);
                let price = own.order.price.or(own.order.stop_price)?;
                // To be changed and sent by hand.
                self.input = format!("replace {name} {quantity} {}", command::text(price));
            }
            _ => {}
        }
        None
    }

    /// Text that was pasted: its first line.
    pub fn paste(&mut self, text: &str) {
        let line = text.lines().next().unwrap_or_default();
        let room = LONGEST_LINE.saturating_sub(self.input.len());
        let typed = line.chars().filter(|c| !c.is_control()).take(room);
        self.input.extend(typed);
    }
}
