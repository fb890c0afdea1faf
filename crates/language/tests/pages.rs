//! The programs and what is printed in the pages about the language.

use crate::common;
use std::path::Path;

use language::{Options, compile};

const OPTIONS: Options = Options {
    instruments: 1,
    price_decimals: 2,
    operations: 100_000,
};

fn page(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs")
        .join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The blocks of a kind.
fn blocks(text: &str, kind: &str) -> Vec<String> {
    let fence = format!("```{kind}\n");
    let after = text.split(&fence).skip(1);
    after
        .map(|rest| rest.split("```").next().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn each_program_of_the_reference_is_one() {
    let programs = blocks(&page("reference/strategy-language.md"), "python");
    assert_eq!(programs.len(), 2);
    for program in programs {
        compile(&program, &OPTIONS).unwrap_or_else(|messages| panic!("{messages}\n{program}"));
    }
}

#[test]
fn the_first_strategy_is_that_of_a_new_desk_and_does_what_its_page_says() {
    let text = page("how-to/first-strategy.md");
    let source = &blocks(&text, "python")[0];
    let new = page("../crates/cli/src/commands/new/strategy.py");
    assert_eq!(*source, new);
    let program = compile(source, &OPTIONS).unwrap();
    assert_eq!(program.name, "Dip");
    let wrong = source.replace("self.last - book.ask.price", "self.last - self.size");
    let message = compile(&wrong, &OPTIONS).unwrap_err().0[0].to_string();
    let said = format!("tickwire: dip/wrong.py:{message}\n");
    assert!(text.contains(&said), "{message}");
    // The events go through CPython as they stand.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("strategy.py");
    std::fs::write(&path, source).unwrap();
    let events = &blocks(&text, "json")[0];
    let printed = common::cpython_on(&events.replace("dip/strategy.py", &path.to_string_lossy()));
    let expected: Vec<serde_json::Value> = text
        .lines()
        .filter(|line| line.starts_with("{\"intents\""))
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(printed, expected);
    assert_eq!(expected.len(), 2);
}

/// The design's own example, word for word.
#[test]
fn the_example_of_the_design_is_a_strategy() {
    let source = r#"from tickwire import Strategy, Instrument, Price, Quantity, param, state, per_instrument

class BestOffer(Strategy):
    """Buys at the best ask whenever it changes, once a packet (system E, as the article has it)."""

    instrument: Instrument = param()          # set in the desk, changed while it runs
    size: Quantity = param(1)
    last: Price = state(0)

    def on_book(self, book):                  # after a packet that changed this instrument's book
        if book.instrument == self.instrument and book.ask.exists and book.ask.price != self.last:
            self.last = book.ask.price
            self.buy(book.instrument, book.ask.price, self.size)
"#;
    compile(source, &OPTIONS).unwrap_or_else(|messages| panic!("{messages}"));
}
