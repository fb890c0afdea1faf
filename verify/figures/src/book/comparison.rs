//! The book held against a plain one.

use book::{Book, Level, Limits};
use formats::itch::Version;
use formats::{Event, Side, Symbol};
use instrument::Directory;

use super::naive::Naive;
use super::software::messages;
use crate::Progress;

/// Levels of each side that are compared after every message.
const LEVELS: usize = 16;

/// The book held against a plain one.
#[derive(Debug, Default)]
pub struct Comparison {
    pub messages: u64,
    pub mismatches: u64,
    /// The first of each file, in words.
    pub faults: Vec<String>,
}

impl Comparison {
    /// Every message of a file; after each, the instrument that it is about: the best 16 levels of both sides. At the end all orders of all.
    pub fn run(&mut self, name: &str, version: Version, file: &[u8], progress: Progress) {
        let name = format!("comparing {name}");
        let of = messages(file).count() as u64;
        let (mut naive, mut directory) = (Naive::default(), Directory::default());
        let mut book = Book::new(0, Limits::UNLIMITED);
        let (mut seconds, mut faults) = (0, 0);
        for (number, message) in (0_u64..).zip(messages(file)) {
            if number.is_multiple_of(1 << 16) {
                progress(&name, number, of);
            }
            self.messages += 1;
            let touched = naive.message(version, message);
            let second = seconds;
            let mut take = |event: &Event| {
                seconds = event.seconds;
                let index = directory.index(event);
                while book.instruments() < directory.symbols().len() {
                    book.add_instrument();
                }
                book.apply_to(index, event);
                book.verdict(true);
            };
            let given = decoder::itch::give(version, message, second, number, true, &mut take);
            let equal = touched
                .is_none_or(|symbol| equal(&naive, &book, &directory, symbol, LEVELS))
                && given.is_ok();
            if !equal {
                self.mismatches += 1;
                faults += 1;
                if faults == 1 {
                    self.faults.push(format!("{name}: message {number}"));
                }
            }
        }
        let all = |symbol| equal(&naive, &book, &directory, symbol, usize::MAX);
        let whole = naive.orders() == book.orders() as usize && naive.symbols().all(all);
        self.mismatches += u64::from(!whole);
        progress(&name, of, of);
    }
}

/// Whether the best levels of an instrument are the same in both, and the best ones those that the book shows.
fn equal(naive: &Naive, book: &Book, directory: &Directory, symbol: Symbol, most: usize) -> bool {
    let Some(index) = directory.find(symbol) else {
        return false;
    };
    let top = book.top(index);
    [Side::Buy, Side::Sell].into_iter().all(|side| {
        let expected: Vec<Level> = naive.levels(symbol, side, most);
        let best = expected.first().copied().unwrap_or(Level::EMPTY);
        top.of(side) == best && book.levels(index, side).take(most).eq(expected)
    })
}

#[cfg(test)]
mod tests {
    use feed::generate;

    use super::*;
    use report::packets::generated_bytes;

    #[test]
    fn a_book_that_differs_is_found() {
        let settings = generate::Settings {
            version: Version::V50,
            symbols: 1,
            messages: 1_000,
            seconds: 10,
            seed: 1,
        };
        let file = generated_bytes(&settings).unwrap();
        let (mut naive, mut directory) = (Naive::default(), Directory::default());
        let mut book = Book::new(1, Limits::UNLIMITED);
        for message in messages(&file) {
            naive.message(Version::V50, message);
            let mut take = |event: &Event| {
                let index = directory.index(event);
                book.apply_to(index, event);
                book.verdict(true);
            };
            decoder::itch::give(Version::V50, message, 0, 0, true, &mut take).unwrap();
        }
        let symbol = generate::symbol(0);
        assert!(equal(&naive, &book, &directory, symbol, usize::MAX));
        let worst = naive.levels(symbol, Side::Buy, usize::MAX).len();
        let id = naive.worst(symbol, Side::Buy);
        let gone = Event {
            order_id: id,
            ..Event::new(formats::Kind::Delete, b'D')
        };
        book.apply(&gone).unwrap();
        assert!(!equal(&naive, &book, &directory, symbol, usize::MAX));
        assert!(equal(&naive, &book, &directory, symbol, worst - 1));
    }
}
