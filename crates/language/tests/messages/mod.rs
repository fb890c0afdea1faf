//! Each rule of the checker: where its message stands, why, and what it says to write instead.
//!
//! The wanted words are those of the rule in docs/reference/strategy-language.md; a message may say more.

mod bodies;
mod files;

use language::{Messages, Options, compile};

/// A file around the body of `on_book`, whose first line is line 17, indented by 8.
fn with_body(body: &str) -> String {
    let mut source = String::from(
        "from tickwire import (
    MARKET, SECOND, Array, Book, Instrument, OrderRef, PerInstrument, Price, Quantity, ReportKind, Ring, Side, Strategy, Time,
    TimeInForce, array, instruments, now, param, per_instrument, ring, state)
N = 4
class S(Strategy):
    who: Instrument = param(0)
    size: Quantity = param(1)
    last: Price = state(0)
    n: int = state(0)
    on: bool = state(False)
    order: OrderRef = state(0)
    many: Array[Price] = array(8)
    each: PerInstrument[int] = per_instrument(0)
    recent: Ring[Price] = ring(4)
    sides: Ring[Side] = ring(4)
    def on_book(self, book):
",
    );
    for line in body.lines() {
        source += &format!("        {line}\n");
    }
    source
}

fn messages(source: &str) -> Messages {
    let options = Options {
        instruments: 2,
        price_decimals: 2,
        operations: 100_000,
    };
    match compile(source, &options) {
        Ok(_) => panic!("no message:\n{source}"),
        Err(messages) => messages,
    }
}

/// The first message about a source has this place and these words, in its reason and in what to write.
fn expect(source: &str, at: (u32, u32), reason: &str, instead: &str) {
    let all = messages(source);
    let first = &all.0[0];
    let told = format!("{first}\nfor:\n{source}");
    assert_eq!((first.at.line, first.at.column), at, "{told}");
    assert!(
        first.reason.contains(reason),
        "{reason:?} is not the reason of {told}"
    );
    assert!(
        first.instead.contains(instead),
        "{instead:?} is not what to write of {told}"
    );
}

/// Bodies of `on_book`, a line each: body, column in its first line, words of the reason, words of what to write.
fn expect_bodies(table: &str) {
    for row in table.trim().lines() {
        let cells: Vec<&str> = row.split(" ;; ").collect();
        let [body, column, reason, instead] = cells[..] else {
            panic!("four cells: {row}");
        };
        let column: u32 = column.parse().unwrap();
        expect(
            &with_body(&body.replace("\\n", "\n")),
            (17, column + 8),
            reason,
            instead,
        );
    }
}

#[test]
fn all_places_that_are_wrong_are_told_at_once_and_what_follows_from_them_is_not() {
    let all = messages(&with_body(
        "x = self.last + self.size\ny = x + 1\nz = 1.5\nwhile True: pass",
    ));
    let lines: Vec<u32> = all.0.iter().map(|message| message.at.line).collect();
    assert_eq!(lines, [17, 19, 20], "{all}");
    let text = all.to_string();
    assert!(text.starts_with("17:13: Price + Quantity has no meaning; use two of the same unit; int(…) takes a unit off\n"), "{text}");
}

#[test]
fn what_nests_too_deep_or_is_too_long_is_refused_and_exhausts_no_stack() {
    let deep = with_body(&format!("x = {}1", "-".repeat(100_000)));
    expect(
        &deep,
        (17, 72),
        "more than 60 expressions and statements in each other",
        "name the parts",
    );
    let sum = with_body(&format!("x = self.n{}", " + 1".repeat(50_000)));
    assert!(messages(&sum).0[0].reason.contains("more than 60"));
    let brackets = format!("x = {}", "(".repeat(200_000));
    assert!(messages(&brackets).0[0].reason.contains("not Python"));
    let long = format!("x = 1{}", " ".repeat(300_000));
    expect(&long, (1, 1), "more than 262144 bytes", "shorter");
    let helpers: String = (0..14)
        .map(|n| {
            format!(
                "    def h{n}(self):\n        self.h{}()\n        self.h{}()\n        self.h{}()\n",
                n + 1,
                n + 1,
                n + 1
            )
        })
        .collect();
    let grows = format!(
        "{}{helpers}    def h14(self):\n        self.n += 1\n",
        with_body("self.h0()")
    );
    assert!(
        messages(&grows)
            .to_string()
            .contains("more than 20000 statements")
    );
}
