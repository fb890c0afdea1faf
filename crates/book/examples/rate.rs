//! Quick look: CPU nanoseconds a message.
use std::hint::black_box;

use book::{Book, Hints, Limits};
use feed::generate::{Settings, generate};
use wire::itch::{self, Version};
use wire::{Event, binary_file};

fn now() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

fn event(message: &[u8]) -> Option<Event> {
    decoder::itch::event(Version::V50, message, 0, 0, true).ok()
}

fn parse(file: &[u8]) {
    for message in binary_file::Messages::new(file).flatten() {
        let _ = black_box(itch::Message::parse(Version::V50, message));
    }
}

fn decode(file: &[u8]) {
    for message in binary_file::Messages::new(file).flatten() {
        black_box(event(message));
    }
}

struct Booked<'a> {
    book: &'a mut Book,
    named: bool,
    sum: u64,
}

impl wire::Listener for Booked<'_> {
    #[inline(always)]
    fn event(&mut self, event: &Event) {
        let locate = event
            .locate
            .filter(|_| self.named || event.symbol.is_some())
            .map(u32::from);
        if let Some(change) = self.book.apply_to(locate, event) {
            if change.best_changed(wire::Side::Buy) || change.best_changed(wire::Side::Sell) {
                self.sum = self
                    .sum
                    .wrapping_add(change.after.bid.price as u64 ^ change.after.ask.price as u64);
            }
        }
        self.book.verdict(true);
    }
}

fn book(file: &[u8], named: bool) {
    let mut book = Book::new(
        if file.len() > 10_000_000 { 8_001 } else { 16 },
        Limits::UNLIMITED,
    );
    let mut booked = Booked {
        book: &mut book,
        named,
        sum: 0,
    };
    for message in binary_file::Messages::new(file).flatten() {
        let _ = decoder::itch::give(Version::V50, message, 0, 0, true, &mut booked);
    }
    black_box(booked.sum);
}

fn ahead(file: &[u8], named: bool) {
    let mut book = Book::new(
        if file.len() > 10_000_000 { 8_001 } else { 16 },
        Limits::UNLIMITED,
    );
    let mut hints = Hints::default();
    let mut booked = Booked {
        book: &mut book,
        named,
        sum: 0,
    };
    let mut ahead = binary_file::Messages::new(file).flatten();
    ahead.by_ref().take(Hints::DISTANCE).for_each(drop);
    for message in binary_file::Messages::new(file).flatten() {
        if let Some(next) = ahead.next() {
            if let Some(next) = decoder::itch::preview(Version::V50, next) {
                hints.give(
                    booked.book,
                    next.locate.map(u32::from),
                    next.order_id,
                    next.limit,
                );
            }
        }
        let _ = decoder::itch::give(Version::V50, message, 0, 0, true, &mut booked);
    }
    black_box(booked.sum);
}

fn main() {
    let mut file = vec![];
    let symbols = std::env::args()
        .nth(1)
        .map_or(8_000, |text| text.parse().unwrap());
    let settings = Settings {
        version: Version::V50,
        symbols,
        messages: 2_000_000,
        seconds: 23_400,
        seed: 8_000,
    };
    generate(&settings, &mut file, |_| ()).unwrap();
    let mut files = vec![("generated", file)];
    if let Ok(file) = std::fs::read("../shared/data/nasdaq-aapl-2012-06-21/aapl.itch50") {
        files.push(("aapl", file));
    }
    for (name, file) in &files {
        let count = binary_file::Messages::new(file).count() as f64;
        let runs: [(&str, &dyn Fn(&[u8])); 6] = [
            ("parse", &parse),
            ("decode", &decode),
            ("book, by id", &|file| book(file, false)),
            ("book, by locate", &|file| book(file, true)),
            ("ahead, by id", &|file| ahead(file, false)),
            ("ahead, by locate", &|file| ahead(file, true)),
        ];
        let mut best = [f64::INFINITY; 8];
        for _ in 0..if count > 1e6 { 3 } else { 21 } {
            for (best, (_, run)) in best.iter_mut().zip(&runs) {
                let start = now();
                run(file);
                *best = best.min((now() - start) / count);
            }
        }
        for (best, (what, _)) in best.iter().zip(&runs) {
            println!("{name:12} {what:20} {best:6.1} ns");
        }
    }
}
