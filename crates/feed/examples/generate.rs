//! Writes 5 million messages over 8,000 symbols and says how long it took: `cargo run --release -p feed --example generate FILE`.

use std::fs::File;
use std::io::BufWriter;
use std::time::Instant;

use feed::generate::{Settings, generate};
use feed::packetize::{Config, Packetizer};
use feed::source::{MessageReader, Options};
use feed::{PacketSource, packetize};
use formats::itch::Version;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("give a file to write")?;
    let settings = Settings {
        version: Version::V50,
        symbols: 8_000,
        messages: 5_000_000,
        seconds: 600,
        seed: 1,
    };
    let start = Instant::now();
    let summary = generate(
        &settings,
        BufWriter::with_capacity(1 << 20, File::create(&path)?),
        |_| (),
    )?;
    println!(
        "generated {} messages, {} bytes in {:.2?}",
        summary.messages,
        summary.bytes,
        start.elapsed()
    );
    let start = Instant::now();
    let reader = MessageReader::open(path.as_ref(), Options::default())?;
    let mut packets = Packetizer::new(
        reader,
        Config {
            mtu: packetize::ETHERNET_PAYLOAD,
            ..Config::coalescing(10_000)
        },
    );
    let mut count = 0_u64;
    while packets.next_packet()?.is_some() {
        count += 1;
    }
    println!(
        "packetized {} messages into {count} packets in {:.2?}",
        packets.messages(),
        start.elapsed()
    );
    Ok(())
}
