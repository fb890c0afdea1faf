//! What the tests of hardware against software share: the AAPL hour as frames.
#![allow(dead_code)]

use std::path::PathBuf;

use sim::Setup;
use wire::itch::{self, Version};
use wire::{Symbol, binary_file, mold};

/// The AAPL hour as a BinaryFILE, or `None`, said so, where the data is absent.
pub fn aapl(version: Version) -> Option<Vec<u8>> {
    let name = match version {
        Version::V41 => "aapl.itch41",
        Version::V50 => "aapl.itch50",
    };
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data/nasdaq-aapl-2012-06-21")
        .join(name);
    match std::fs::read(&path) {
        Ok(bytes) => Some(bytes),
        Err(e) => {
            eprintln!("skipped: {}: {e}", path.display());
            None
        }
    }
}

/// The symbols of the AAPL hour: AAPL, between others that never trade in it.
pub fn symbols() -> Vec<Symbol> {
    ["MSFT", "AAPL", "GOOG"]
        .into_iter()
        .map(|s| s.parse().expect("a symbol"))
        .collect()
}

/// The messages of a BinaryFILE in frames of the feed, at most `per_packet` messages a packet. No packet holds two seconds:
/// a message that begins one begins a packet too, as on a live feed.
pub fn frames(file: &[u8], setup: &Setup, per_packet: usize) -> Vec<Vec<u8>> {
    let headers = setup.feed();
    let mut builder = mold::Builder::new(*b"AAPL120621", 1);
    let mut frames = vec![];
    let mut flush = |builder: &mut mold::Builder| {
        if builder.bytes().len() > mold::HEADER {
            let mut frame = vec![];
            headers
                .emit(builder.bytes(), &mut frame)
                .expect("a packet fits");
            frames.push(frame);
            builder.next_packet();
        }
    };
    let (mut count, mut second) = (0, None);
    for message in binary_file::Messages::new(file) {
        let message = message.expect("the file is whole");
        let begins = second_of(setup.handler.version, message).filter(|s| second != Some(*s));
        if count == per_packet || begins.is_some() {
            flush(&mut builder);
            count = 0;
        }
        second = begins.or(second);
        builder.push(message).expect("a message fits");
        count += 1;
    }
    flush(&mut builder);
    frames
}

/// The second a message belongs to, where it says so itself.
fn second_of(version: Version, message: &[u8]) -> Option<u32> {
    match itch::Message::parse(version, message).ok()? {
        itch::Message::Seconds(m) => Some(m.seconds),
        m if version == Version::V50 => m
            .head()
            .map(|head| (head.nanoseconds / 1_000_000_000) as u32),
        _ => None,
    }
}
