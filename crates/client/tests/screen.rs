//! The screen as its user sees it: keys in, drawn text out, with a running exchange.

use crate::common;
use std::time::{Duration, Instant};

use client::screen::{Action, Screen, draw, terminal};
use client::{Account, Notice, Trader};
use common::{Market, PATIENCE, report, send};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// What is on a screen of 120 columns and 30 lines, line by line.
fn drawn(screen: &Screen, account: &Account) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(120, 30)).unwrap();
    terminal.draw(|frame| draw(frame, screen, account)).unwrap();
    let buffer = terminal.backend().buffer();
    let row = |y| {
        (0..120)
            .map(|x| buffer[(x, y)].symbol())
            .collect::<String>()
    };
    (0..30).map(|y| row(y).trim_end().to_owned()).collect()
}

/// The words of a line that has all of these.
fn line_with(lines: &[String], words: &[&str]) -> Option<String> {
    let line = lines
        .iter()
        .find(|line| words.iter().all(|word| line.contains(word)))?;
    Some(line.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// A trader at a screen.
struct Seat {
    trader: Trader,
    screen: Screen,
}

impl Seat {
    fn press(&mut self, code: KeyCode) {
        self.press_with(code, KeyModifiers::NONE);
    }

    fn press_with(&mut self, code: KeyCode, modifiers: KeyModifiers) {
        let key = KeyEvent::new(code, modifiers);
        if let Some(action) = self.screen.key(key, self.trader.account()) {
            terminal::act(&mut self.trader, &mut self.screen, &action).unwrap();
        }
    }

    fn enter(&mut self, line: &str) {
        line.chars().for_each(|c| self.press(KeyCode::Char(c)));
        self.press(KeyCode::Enter);
    }

    /// Serves until a line with these words is drawn, and gives it.
    fn see(&mut self, words: &[&str]) -> String {
        let end = Instant::now() + PATIENCE;
        loop {
            let lines = drawn(&self.screen, self.trader.account());
            if let Some(line) = line_with(&lines, words) {
                return line;
            }
            assert!(
                Instant::now() < end,
                "no {words:?} in\n{}",
                lines.join("\n")
            );
            let notices = self.trader.wait(Duration::from_millis(50)).unwrap();
            notices.iter().for_each(|notice| self.screen.show(notice));
        }
    }
}

#[test]
fn orders_are_sent_changed_and_cancelled_by_keys_and_prices_are_seen() {
    let market = Market::open();
    let mut bob = market.trader("BOB");
    let mut alice = Seat {
        trader: market.trader("ALICE"),
        screen: Screen::new("ALICE at TICKWIRE".into()),
    };
    alice.enter("watch ABC");
    assert_eq!(alice.see(&["ABC"]), "ABC - - - - -");
    send(&mut bob, "sell 30 ABC 10.50");
    alice.see(&["10.5000", "30"]);

    alice.enter("buy 100 ABC 10.00");
    alice.see(&["buy", "10.00", "New"]);
    // The price line: what is bid, what is offered.
    assert_eq!(
        alice.see(&["10.0000", "10.5000"]),
        "ABC 100 10.0000 10.5000 30 -"
    );

    // F2 asks for another quantity and price of the chosen order; they are typed over.
    alice.press(KeyCode::Up);
    alice.press(KeyCode::F(2));
    let typed = alice.see(&["> replace"]);
    assert!(typed.ends_with("100 10.00"), "{typed}");
    "100 10.00"
        .chars()
        .for_each(|_| alice.press(KeyCode::Backspace));
    alice.enter("60 10.25");
    let line = alice.see(&["buy", "10.25", "60", "New"]);
    assert!(
        line.contains("-2 buy 60 ABC 10.25"),
        "it has the name of its replacement: {line}"
    );

    send(&mut bob, "sell 20 ABC 10.25");
    alice.see(&["PartiallyFilled", "20", "40"]);
    alice.see(&["Trade, PartiallyFilled, 40 left, traded 20 at 10.2500"]);
    assert_eq!(
        alice.see(&["ABC", "40", "10.2500", "10.5000"]),
        "ABC 40 10.2500 10.5000 30 10.2500"
    );

    // The order that was chosen has another name now.
    alice.press(KeyCode::Up);
    alice.press(KeyCode::Delete);
    alice.see(&["buy", "10.25", "Canceled"]);
    // It is over: nothing more can be done to it.
    alice.press(KeyCode::Delete);
    alice.press(KeyCode::F(2));
    let lines = drawn(&alice.screen, alice.trader.account());
    assert!(line_with(&lines, &["> replace"]).is_none());
    assert_eq!(report(&mut bob).3, "New");
}

#[test]
fn stop_orders_wait_in_sight_until_they_are_sent() {
    let market = Market::open();
    let mut bob = market.trader("BOB");
    let mut alice = Seat {
        trader: market.trader("ALICE"),
        screen: Screen::new("ALICE at TICKWIRE".into()),
    };
    alice.enter("stop sell 5 ABC 9.50");
    alice.enter("stop buy 5 ABC 20.00 21.00");
    assert!(
        alice
            .see(&["1: sell"])
            .contains("1: sell 5 ABC at 9.5: market")
    );
    assert!(alice.see(&["2: buy"]).contains("2: buy 5 ABC at 20: 21.00"));
    send(&mut bob, "buy 20 ABC 9.50");
    send(&mut bob, "sell 3 ABC 9.50");
    alice.see(&["stop 1: triggered at 9.5000"]);
    alice.see(&["sell", "market", "Filled"]);
    let lines = drawn(&alice.screen, alice.trader.account());
    assert!(line_with(&lines, &["1: sell"]).is_none());
    alice.enter("unstop 2");
    let lines = drawn(&alice.screen, alice.trader.account());
    assert!(line_with(&lines, &["2: buy"]).is_none());
}

#[test]
fn what_is_wrong_is_said_and_the_line_is_gone() {
    let market = Market::open();
    let mut alice = Seat {
        trader: market.trader("ALICE"),
        screen: Screen::new("ALICE at TICKWIRE".into()),
    };
    alice.enter("bye 5 ABC 1.00");
    alice.see(&["\"bye 5 ABC 1.00\": \"bye\": write one of"]);
    alice.enter("buy 5 NONE 1.00");
    alice.see(&["NONE", "Rejected"]);
    alice.see(&["Unknown symbol"]);
    alice.enter("watch NONE");
    alice.see(&["refused", "Unknown symbol"]);
    alice.enter("quit");
    while !alice.trader.is_over() {
        alice.trader.wait(Duration::from_millis(50)).unwrap();
    }
}

#[test]
fn keys_edit_the_line_and_leave() {
    let (mut screen, account) = (Screen::new(String::new()), Account::new(1));
    let mut press = |code, modifiers| screen.key(KeyEvent::new(code, modifiers), &account);
    let none = KeyModifiers::NONE;
    for c in "buyy".chars() {
        assert_eq!(press(KeyCode::Char(c), none), None);
    }
    press(KeyCode::Backspace, none);
    assert_eq!(
        press(KeyCode::Enter, none),
        Some(Action::Line("buy".into()))
    );
    assert_eq!(press(KeyCode::Enter, none), None, "nothing was typed");
    press(KeyCode::Char('x'), none);
    press(KeyCode::Esc, none);
    assert_eq!(press(KeyCode::Enter, none), None, "it was cleared");
    assert_eq!(press(KeyCode::Delete, none), None, "no order is chosen");
    assert_eq!(
        press(KeyCode::Char('c'), KeyModifiers::CONTROL),
        Some(Action::Quit)
    );
    // A line has an end, and what is pasted is one line without control characters.
    for _ in 0..1_000 {
        press(KeyCode::Char('y'), none);
    }
    screen.paste("zz\nquit\n");
    let enter = KeyEvent::new(KeyCode::Enter, none);
    let Some(Action::Line(line)) = screen.key(enter, &account) else {
        panic!("a line");
    };
    assert_eq!(line, "y".repeat(200));
    screen.paste("a\u{1b}b\nquit");
    assert_eq!(screen.key(enter, &account), Some(Action::Line("ab".into())));
}

#[test]
fn old_messages_are_paged_and_stay_in_sight_while_new_ones_come() {
    let (mut screen, account) = (Screen::new(String::new()), Account::new(1));
    let message = |at: usize| Notice::Refused {
        name: format!("N{at}"),
        text: String::new(),
    };
    (0..2_000).for_each(|at| screen.show(&message(at)));
    let newest = |screen: &Screen| {
        let lines = drawn(screen, &account);
        let last = lines
            .iter()
            .rfind(|line| line.contains(": refused"))
            .unwrap();
        last[1..5].to_owned()
    };
    assert_eq!(newest(&screen), "1999");
    screen.key(KeyEvent::new(KeyCode::PageUp, KeyModifiers::NONE), &account);
    assert_eq!(newest(&screen), "1989");
    screen.show(&message(2_000));
    assert_eq!(newest(&screen), "1989");
    // The oldest message stored is the last one shown.
    (0..500).for_each(|_| {
        screen.key(KeyEvent::new(KeyCode::PageUp, KeyModifiers::NONE), &account);
    });
    assert_eq!(newest(&screen), "1001");
    screen.key(KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE), &account);
    assert_eq!(newest(&screen), "2000");
}
