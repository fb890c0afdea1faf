//! Nanoseconds a message of the book, single thread: `cargo run --release -p book --example rate [FILE 5.0]`.
//!
//! Without a file: the AAPL hour of `../shared/data`, where it is there, and a generated day of 8,000 symbols, all of which are booked.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use book::{Book, Limits};
use feed::generate::{Settings, generate};
use wire::itch::{Message, Version};
use wire::{Event, binary_file};

/// An event and the instrument of its stock locate.
type Named = (u32, Event);

fn events(version: Version, file: &[u8]) -> Vec<Named> {
    let messages = binary_file::Messages::new(file).flatten();
    let event = |message: &[u8]| {
        let locate = match version {
            Version::V50 => u32::from(u16::from_be_bytes([message[1], message[2]])),
            Version::V41 => 0,
        };
        let event = decoder::itch::event(version, message, 0, 0, true).ok()?;
        Some((locate, event))
    };
    messages.filter_map(event).collect()
}

fn report(name: &str, mut times: Vec<f64>) {
    times.sort_by(f64::total_cmp);
    let median = times[times.len() / 2];
    println!(
        "{name:52} {:6.1} ns a message (median {median:.1})",
        times[0]
    );
}

/// Books everything, a frame a message. `named`: events of orders name their instrument, too.
fn book(events: &[Named], limits: Limits, instruments: usize) -> Book {
    let mut book = Book::new(instruments, limits);
    for (instrument, event) in events {
        let named = event.symbol.map(|_| *instrument);
        black_box(book.apply_to(named, event));
        book.verdict(true);
    }
    book
}

fn measure(name: &str, version: Version, file: &[u8], instruments: usize, runs: usize) {
    let events = events(version, file);
    let count = events.len() as f64;
    let sizes = [("grows", Limits::UNLIMITED), ("hardware", Limits::HARDWARE)];
    for (limits_name, limits) in sizes {
        if !limits.grows && instruments > 256 {
            continue;
        }
        let mut times = vec![];
        let mut orders = 0;
        for _ in 0..runs {
            let start = Instant::now();
            let done = book(&events, limits, instruments);
            times.push(start.elapsed().as_secs_f64() * 1e9 / count);
            orders = done.orders();
        }
        report(
            &format!("{name}, {limits_name}, {orders} orders left"),
            times,
        );
    }
    // The decoder included: bytes to changes.
    let mut times = vec![];
    for _ in 0..runs {
        let start = Instant::now();
        let mut book = Book::new(instruments, Limits::UNLIMITED);
        for message in binary_file::Messages::new(file).flatten() {
            let locate = match version {
                Version::V50 => u32::from(u16::from_be_bytes([message[1], message[2]])),
                Version::V41 => 0,
            };
            if let Ok(event) = decoder::itch::event(version, message, 0, 0, true) {
                let named = event.symbol.map(|_| locate);
                black_box(book.apply_to(named, &event));
                book.verdict(true);
            }
        }
        times.push(start.elapsed().as_secs_f64() * 1e9 / count);
    }
    report(&format!("{name}, with the decoder"), times);
    // Only 16 instruments are ours.
    let mut times = vec![];
    for _ in 0..runs {
        let start = Instant::now();
        let mut book = Book::new(17, Limits::HARDWARE);
        for (instrument, event) in &events {
            let named = event.symbol.and((*instrument < 17).then_some(*instrument));
            black_box(book.apply_to(named, event));
            book.verdict(true);
        }
        times.push(start.elapsed().as_secs_f64() * 1e9 / count);
    }
    report(&format!("{name}, 16 of them ours"), times);
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [path, version] = &arguments[..] {
        let version = if version == "4.1" {
            Version::V41
        } else {
            Version::V50
        };
        measure(path, version, &std::fs::read(path)?, 1 << 16, 5);
        return Ok(());
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    match std::fs::read(folder.join("nasdaq-aapl-2012-06-21/aapl.itch50")) {
        Ok(file) => measure("the AAPL hour", Version::V50, &file, 16, 21),
        Err(_) => println!("SKIPPED: no AAPL hour in ../shared/data"),
    }
    let settings = Settings {
        version: Version::V50,
        symbols: 8_000,
        messages: 5_000_000,
        seconds: 23_400,
        seed: 8_000,
    };
    let mut file = vec![];
    generate(&settings, &mut file, |_| ())?;
    measure("generated, 8,000 symbols", Version::V50, &file, 8_001, 5);
    // The longest a message of each type can be is far below what the index of an instrument needs.
    debug_assert!(Message::parse(Version::V50, &[]).is_err());
    Ok(())
}
