//! Quick look: CPU nanoseconds a message.
use std::hint::black_box;

use book::{Ahead, Book, Limits};
use feed::generate::{Settings, generate};
use wire::itch::{self, Version};
use wire::{Event, binary_file};

fn now() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

fn locate(message: &[u8]) -> u32 {
    u32::from(u16::from_be_bytes([message[1], message[2]]))
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

fn book(file: &[u8], named: bool) {
    let mut book = Book::new(8_001, Limits::UNLIMITED);
    for message in binary_file::Messages::new(file).flatten() {
        if let Some(event) = event(message) {
            let instrument = if named || event.symbol.is_some() { Some(locate(message)) } else { None };
            black_box(book.apply_to(instrument, &event));
            book.verdict(true);
        }
    }
    black_box(book.orders());
}

fn ahead(file: &[u8], named: bool) {
    let mut book = Book::new(8_001, Limits::UNLIMITED);
    let mut ahead = Ahead::default();
    for message in binary_file::Messages::new(file).flatten() {
        if let Some(event) = event(message) {
            let instrument = if named || event.symbol.is_some() { Some(locate(message)) } else { None };
            black_box(ahead.push(&mut book, instrument, &event));
        }
    }
    while let Some(change) = ahead.finish(&mut book) {
        black_box(change);
    }
    black_box(book.orders());
}

fn main() {
    let mut file = vec![];
    let settings = Settings { version: Version::V50, symbols: 8_000, messages: 2_000_000, seconds: 23_400, seed: 8_000 };
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
