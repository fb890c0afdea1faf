//! Tick to trade: the core with its order book against the pipeline in software, on the AAPL hour and on packets that prove bad.

use std::path::{Path, PathBuf};

use feed::source::{MessageReader, Options};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sim::Preset;
use sim::orders::{Market, TickToTrade, Trader};
use wire::itch::Version;
use wire::{Side, Symbol};

/// Packets between two comparisons: the strategy keeps so many orders, and more.
const AT_ONCE: usize = 8;

fn data(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data/nasdaq-aapl-2012-06-21")
        .join(name);
    if path.exists() {
        return Some(path);
    }
    eprintln!("SKIPPED: no {name} in ../shared/data");
    None
}

fn aapl(version: Version, side: Side) -> Market {
    Market {
        version,
        symbol: Symbol(*b"AAPL    "),
        tick: 100,
        price: 5_850_000,
        side,
        quantity: 100,
        max_notional: u64::MAX,
    }
}

/// So many packets of the hour, each the bytes of one to six messages.
fn packets(name: &str, count: usize) -> Option<Vec<Vec<Vec<u8>>>> {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let reader = MessageReader::open(&data(name)?, Options::default());
    let mut reader = reader.expect("it can be read");
    let mut packets = Vec::new();
    while packets.len() < count {
        let mut packet = Vec::new();
        for _ in 0..random.random_range(1..=6) {
            match reader.next_message().expect("it can be read") {
                Some(record) => packet.push(record.message.to_vec()),
                None => return Some(packets),
            }
        }
        packets.push(packet);
    }
    Some(packets)
}

/// Every `bad`th packet comes damaged first, then as it is.
fn run(preset: &str, market: Market, packets: &[Vec<Vec<u8>>], bad: Option<u64>) -> TickToTrade {
    let preset = Preset::by_name(preset).expect("a preset");
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut trader = Trader::new(preset, &market).unwrap_or_else(|problem| panic!("{problem}"));
    for some in packets.chunks(AT_ONCE) {
        for packet in some {
            if bad.is_some_and(|bad| random.random_range(0..bad) == 0) {
                trader.packet(packet, true).expect("sent");
            }
            trader.packet(packet, false).expect("sent");
        }
        if let Err(problem) = trader.compare() {
            panic!("{problem}\nafter {:?}", trader.compared());
        }
    }
    *trader.compared()
}

#[test]
fn the_first_minutes_of_aapl_give_the_same_orders_at_both_widths() {
    for (preset, side) in [
        ("itch_trader_10g", Side::Buy),
        ("itch_trader_1g", Side::Sell),
    ] {
        let Some(packets) = packets("aapl.itch50", 500) else {
            return;
        };
        let compared = run(preset, aapl(Version::V50, side), &packets, Some(9));
        assert!(compared.sent > 60, "{compared:?}");
    }
}

#[test]
fn what_risk_refuses_in_software_it_refuses_in_the_core() {
    let Some(packets) = packets("aapl.itch41", 800) else {
        return;
    };
    let market = Market {
        max_notional: 5_850_000 * 100,
        ..aapl(Version::V41, Side::Buy)
    };
    let compared = run("itch_trader_10g", market, &packets, None);
    assert!(compared.sent > 10 && compared.refused > 10, "{compared:?}");
}
