//! What the tests of hardware against software share: the AAPL hour as frames.

use std::path::PathBuf;

use cosim::Setup;
use formats::itch::{self, Version};
use formats::{Symbol, binary_file, mold};

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
        let begins = second_of(setup.pipeline.version, message).filter(|s| second != Some(*s));
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

/// An add order, `A`, of the version; `time` in nanoseconds since midnight.
pub fn add(version: Version, time: u64, symbol: Symbol, sequence: u64) -> Vec<u8> {
    let nanoseconds = match version {
        Version::V41 => time % 1_000_000_000,
        Version::V50 => time,
    };
    let message = itch::Message::AddOrder(itch::AddOrder {
        head: itch::Head {
            nanoseconds,
            ..itch::Head::default()
        },
        order_reference: sequence,
        side: if sequence.is_multiple_of(3) {
            formats::Side::Buy
        } else {
            formats::Side::Sell
        },
        shares: 100 + (sequence % 7) as u32,
        stock: symbol,
        price: 1_000_000 + (sequence * 7_919 % 10_007) as u32,
    });
    let mut bytes = vec![];
    message
        .emit(version, &mut bytes)
        .expect("both versions have A");
    bytes
}

/// What begins a second: `T` in 4.1, an add order in 5.0.
pub fn begin(version: Version, second: u32, symbol: Symbol) -> Vec<u8> {
    let mut bytes = vec![];
    match version {
        Version::V41 => itch::Message::Seconds(itch::Seconds { seconds: second })
            .emit(version, &mut bytes)
            .expect("4.1 has T"),
        Version::V50 => bytes = add(version, u64::from(second) * 1_000_000_000, symbol, 0),
    }
    bytes
}

/// A frame of the feed with these messages; `sequence` moves on.
pub fn frame(setup: &Setup, sequence: &mut u64, messages: &[Vec<u8>]) -> Vec<u8> {
    let mut builder = mold::Builder::new(*b"TESTTEST01", *sequence);
    for message in messages {
        builder.push(message).expect("a message fits");
    }
    *sequence += messages.len() as u64;
    let mut frame = vec![];
    setup
        .feed()
        .emit(builder.bytes(), &mut frame)
        .expect("a packet fits");
    frame
}
