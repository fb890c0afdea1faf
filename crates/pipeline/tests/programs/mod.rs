//! Strategies in the language on a feed: the same orders as the built-in one; what the exchange and risk say comes back; faults and endless answers end them.

mod bench;
mod handlers;
mod reports;

use std::path::Path;

use bench::{Bench, Sink, config};
use formats::itch::Version;
use formats::{Side, binary_file, mold};
use pipeline::{BestPrice, Trading, TradingConfig};
use risk::Kill;
use strategy::best_price::Parameters;

/// Price and message of each order, and its bytes.
fn left(sink: &Sink) -> Vec<(Option<i64>, u64, Vec<u8>)> {
    let sent = sink.sent.iter();
    sent.map(|(decision, _, message)| (decision.order.price, decision.sequence, message.clone()))
        .collect()
}

/// A generated day of two symbols, some messages a packet.
fn day() -> Vec<Vec<u8>> {
    let settings = feed::generate::Settings {
        version: Version::V50,
        symbols: 2,
        messages: 20_000,
        seconds: 20,
        seed: 5,
    };
    let mut file = vec![];
    feed::generate::generate(&settings, &mut file, |_| {}).unwrap();
    let messages: Vec<_> = binary_file::Messages::new(&file).flatten().collect();
    let mut builder = mold::Builder::new(*b"PROGRAMS  ", 1);
    let mut packets = vec![];
    for (number, message) in messages.iter().enumerate() {
        builder.push(message).unwrap();
        if number % 3 == 0 || number % 7 == 0 {
            packets.push(builder.bytes().to_vec());
            builder.next_packet();
        }
    }
    packets
}

fn best_offer(config: &TradingConfig, size: i64) -> Bench {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../desks/best-offer/strategy.py");
    let source = std::fs::read_to_string(path).unwrap();
    let given = [("instrument", 0), ("size", size)];
    Bench::with(config, &source, &given, true)
}

#[test]
fn best_offer_sends_the_orders_of_the_built_in_strategy_byte_for_byte() {
    let built_in = BestPrice {
        parameters: Parameters {
            instrument: 0,
            side: Side::Buy,
            enabled: true,
            single: false,
        },
        quantity: 30,
    };
    let mut reference = Trading::new(&config(vec![built_in])).unwrap();
    reference.set_session(true);
    reference.set_kill(Kill::default());
    let mut expected = Sink::default();
    let mut bench = best_offer(&config(vec![]), 30);
    for (packet, now) in day().iter().zip(1..) {
        reference.datagram(packet, now, &mut expected);
        bench.datagram(packet);
    }
    assert!(expected.sent.len() > 200, "{} orders", expected.sent.len());
    // Before the first trade.
    assert!(!expected.refused.is_empty());
    assert_eq!(bench.sink.refused, expected.refused);
    assert_eq!(left(&bench.sink), left(&expected));
    assert_eq!(bench.trading.risk(), reference.risk());
}

#[test]
fn after_warm_up_nothing_is_allocated() {
    let mut bench = best_offer(&config(vec![]), 1);
    bench.sink.counts_only = true;
    let packets = day();
    let (first, rest) = packets.split_at(packets.len() / 2);
    for packet in first {
        bench.datagram(packet);
    }
    let before = bench.sink.count;
    let allocated = allocation_counter::measure(|| {
        for packet in rest {
            bench.datagram(packet);
        }
    });
    assert!(bench.sink.count - before > 50, "{}", bench.sink.count);
    // The table of its orders, none of which ends here, grows twice at most.
    assert!(allocated.count_total <= 4, "{allocated:?}");
}
