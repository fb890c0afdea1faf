//! Tick to trade on price levels: the recorded ones of MICEX through the core with decoder and order book, and through the pipeline in software.

use std::collections::BTreeMap;

use cosim::Preset;
use cosim::orders::{Desk, FastFeed, Market, Trader};
use decoder::Fast;
use decoder::fast::{Cause, Map};
use fast::{Framing, Settings, Templates};
use formats::{Event, Kind, Side, Symbol, itch};

use super::common::Random;
use super::recorded::micex_packets;

/// Instruments of the recorded data.
const MICEX: usize = 9;

fn map() -> Map {
    let path =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../desks/fast/micex-levels.toml");
    Map::parse(&std::fs::read_to_string(path).expect("it is shipped")).expect("it is a map")
}

/// The packets, each after its number, and the prices of each instrument, the busiest first.
struct Recorded {
    templates: Templates,
    packets: Vec<Vec<u8>>,
    prices: Vec<(Symbol, Vec<i64>)>,
}

fn recorded(file: &str) -> Option<Recorded> {
    let (templates, messages) = micex_packets(file)?;
    let mut software = Fast::new(&templates, Settings::default(), Framing::None, &map())
        .expect("the map fits the templates");
    let mut prices: BTreeMap<u64, Vec<i64>> = BTreeMap::new();
    let (mut packets, mut last) = (Vec::new(), 0_u64);
    for message in &messages {
        let mut number = None;
        let cause = software.datagram(message, &mut |event: &Event| {
            number = Some(event.sequence);
            let id = event.symbol.and_then(Symbol::id);
            if let (Kind::Level, Some(id)) = (event.kind, id) {
                prices.entry(id).or_default().push(event.price);
            }
        });
        assert_eq!(cause, Cause::Good);
        // A message that is no event has none.
        last = number.unwrap_or(last + 1);
        let mut packet = Vec::new();
        Framing::Preamble.put(last as u32, message, &mut packet);
        packets.push(packet);
    }
    let mut prices: Vec<_> = prices
        .into_iter()
        .map(|(id, prices)| (Symbol::of_id(id).expect("it is short"), prices))
        .collect();
    prices.sort_by_key(|(_, prices)| std::cmp::Reverse(prices.len()));
    assert_eq!(prices.len(), MICEX);
    Some(Recorded {
        templates,
        packets,
        prices,
    })
}

/// A desk with the books of all instruments, that trades the one at this place.
fn desk(recorded: &Recorded, place: usize, side: Side) -> Desk {
    let mut order: Vec<_> = recorded.prices.iter().collect();
    order.swap(0, place);
    let of = |(symbol, prices): &(Symbol, Vec<i64>)| {
        let mut prices = prices.clone();
        prices.sort_unstable();
        Market {
            version: itch::Version::V50,
            symbol: *symbol,
            tick: 1,
            price: prices[prices.len() / 2] as u32,
            side,
            quantity: 3,
            max_notional: u64::MAX,
        }
    };
    let markets: Vec<_> = order.into_iter().map(of).collect();
    Desk::of_markets(&markets).expect("a desk")
}

/// The first packets of a line, or under `TICKWIRE_LONG` all; one in ten comes damaged first. Each instrument has a book, and the busiest two are traded.
#[test]
fn the_levels_of_micex_give_the_same_orders_as_in_software() {
    let map = map();
    for (preset, place, side) in [
        ("fast_trader_10g", 0, Side::Buy),
        ("fast_trader_10g", 1, Side::Sell),
    ] {
        let Some(recorded) = recorded("increment_a.dat") else {
            return;
        };
        let preset = Preset::by_name(preset).expect("a preset");
        let desk = desk(&recorded, place, side);
        // It begins in the middle of a session: books are built from the second packet on.
        let (first, others) = recorded.packets.split_first().expect("there are some");
        let feed = FastFeed {
            templates: &recorded.templates,
            map: &map,
            settings: Settings::default(),
            before: Some(first),
        };
        let trader = Trader::of_order_log(preset, &desk, &feed);
        let mut trader = trader.unwrap_or_else(|problem| panic!("{problem}"));
        let mut random = Random(18);
        let long = std::env::var_os("TICKWIRE_LONG").is_some();
        let others = &others[..if long { others.len() } else { 300 }];
        for (step, some) in others.chunks(64).enumerate() {
            for packet in some {
                if random.below(10) == 0 {
                    trader.payload(packet, true);
                }
                trader.payload(packet, false);
            }
            if let Err(problem) = trader.compare() {
                panic!("step {step}: {problem}");
            }
        }
        let compared = *trader.compared();
        println!("{place} {side:?}: {compared:?}");
        assert!(compared.sent > if long { 100 } else { 2 }, "{compared:?}");
    }
}
