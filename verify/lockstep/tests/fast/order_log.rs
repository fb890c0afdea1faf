//! The cores that have the best prices of an order log and no orders (`rtl/cores/order_log_trader.sv`; a strategy in the language beside it, as a module and as a program)
//! against the pipeline in software, order by order.

use cosim::Preset;
use cosim::orders::{Desk, FastFeed, Market, Trader};
use decoder::fast::Map;
use device::SnapshotOrder;
use fast::{Framing, Settings, Templates};
use formats::{Side, Symbol, itch};

use super::trader::{
    Exchange, IMPROVING, Live, PRICE, TICK, map, play_recorded_order_log, shipped, trader,
};
use crate::count::count;

const PRESET: &str = "order_log_trader_10g";
/// With each, the most cycles from a packet's last byte to the order's first; none is more than two sooner.
const PRESETS: [(&str, u64); 3] = [
    (PRESET, 22),
    ("order_log_module_10g", 26),
    ("order_log_processor_10g", 43),
];

fn templates() -> Templates {
    Templates::parse(&shipped("order-log.xml")).expect("it is shipped")
}

/// A market whose changes leave less of an order at its price, as the recorded ones do.
fn exchange(templates: &Templates, seed: u64) -> Exchange<'_> {
    let mut exchange = Exchange::new(templates, seed);
    exchange.less_stays = true;
    exchange
}

fn sent(trader: &mut Trader) -> u64 {
    match trader.compare() {
        Ok(compared) => compared.sent,
        Err(problem) => panic!("{problem}"),
    }
}

/// A packet that says nothing of orders.
fn harmless(exchange: &mut Exchange<'_>) -> Vec<u8> {
    let number = exchange.number;
    let time = r#""SendingTime":190404100000000000"#;
    let message = if exchange.random.below(2) == 0 {
        format!(r#"{{"id":2108,"fields":{{"MsgSeqNum":{number},{time}}}}}"#)
    } else {
        let status = r#""Symbol":"AAPL","SecurityTradingStatus":17"#;
        format!(r#"{{"id":2106,"fields":{{"MsgSeqNum":{number},{time},{status}}}}}"#)
    };
    exchange.packet_of(&[message])
}

#[test]
fn an_order_log_gives_the_same_orders_as_in_software() {
    let templates = templates();
    let of_best_price = [(PRESET, Side::Sell, 2), (PRESET, Side::Buy, 3)];
    let buys = PRESETS.map(|(preset, _)| (preset, Side::Buy, 1));
    for (preset, side, seed) in buys.into_iter().chain(of_best_price) {
        let mut exchange = exchange(&templates, seed);
        let mut trader = trader(preset, (&templates, &map()), side, &mut exchange);
        for step in 0..count(40, 400) {
            for _ in 0..8 {
                let packet = match exchange.random.below(20) {
                    0 => harmless(&mut exchange),
                    1 => exchange.some(100),
                    _ => exchange.some(6),
                };
                trader.payload(&packet, false);
                if exchange.random.below(10) == 0 {
                    trader.payload(&packet, false);
                }
            }
            if let Err(problem) = trader.compare() {
                panic!("{preset}, {side:?}, step {step}: {problem}");
            }
        }
        assert!(
            sent(&mut trader) > count(40, 400),
            "{:?}",
            trader.compared()
        );
        let engines = trader.fast_engines().expect("the core answers");
        assert_eq!(engines.unread, 0, "{engines:?}");
    }
}

/// All levels that are at hand leave in one packet: the next ones are found ahead, and the order leaves as soon as after any other.
#[test]
fn packets_that_empty_a_side_give_the_same_orders_as_in_software() {
    for (preset, most_cycles) in PRESETS {
        packets_that_empty_a_side(preset, most_cycles);
    }
}

fn packets_that_empty_a_side(preset: &str, most_cycles: u64) {
    let templates = templates();
    let mut exchange = exchange(&templates, 4);
    let mut trader = trader(preset, (&templates, &map()), Side::Buy, &mut exchange);
    let ask = |tick: u32| Live {
        id: 20_000_000_000 + u64::from(tick),
        side: Side::Sell,
        price: PRICE + tick * TICK,
        quantity: 5,
    };
    for round in 0..count(10, 100) {
        let first = round as u32 % 7;
        let all: Vec<_> = (0..40).map(|place| ask(first + 9 * place)).collect();
        let of = |action: u32, exchange: &Exchange<'_>, orders: &[Live]| -> Vec<String> {
            let entries = orders
                .iter()
                .map(|order| exchange.entry(action, "AAPL", *order));
            entries.collect()
        };
        let adds = of(0, &exchange, &all);
        let mut packets = vec![exchange.packet(&adds)];
        // One by one, by many, and all but one.
        for leave in [&all[..1], &all[1..17], &all[17..39], &all[39..]] {
            let deletes = of(2, &exchange, leave);
            packets.push(exchange.packet(&deletes));
        }
        let left = trader
            .datagrams(&packets)
            .unwrap_or_else(|problem| panic!("round {round}: {problem}"));
        for order in left {
            let (packet, cycles) = (order.packet, order.last_first);
            assert!(
                (most_cycles - 2..=most_cycles).contains(&cycles),
                "{preset}, round {round}, packet {packet}: {cycles} cycles"
            );
        }
    }
    assert!(
        sent(&mut trader) >= 4 * count(10, 100),
        "{:?}",
        trader.compared()
    );
}

/// The core has built in what the map says of actions and sides.
#[test]
fn another_map_is_refused() {
    let templates = templates();
    let text = shipped("moex-order-log.toml");
    let other = text.replacen(
        "1 = \"modify\", 2 = \"delete\"",
        "1 = \"delete\", 2 = \"modify\"",
        1,
    );
    assert_ne!(other, text);
    let map = Map::parse(&other).expect("it is a map");
    let feed = FastFeed {
        templates: &templates,
        map: &map,
        settings: Settings {
            reset_each_packet: true,
            ..Settings::default()
        },
        before: None,
    };
    let market = Market {
        version: itch::Version::V50,
        symbol: Symbol(*b"AAPL    "),
        tick: TICK,
        price: PRICE,
        side: Side::Buy,
        quantity: 100,
        max_notional: u64::MAX,
    };
    let preset = Preset::by_name(PRESET).expect("a preset");
    let desk = Desk::of_market(&market).expect("a desk");
    let refused = Trader::of_order_log(preset, &desk, &feed).map(|_| ());
    let why = refused.expect_err("it is another map").to_string();
    assert!(why.contains("moex-order-log.toml"), "{why}");
}

#[test]
fn the_recorded_order_log_is_decoded_whole() {
    for (preset, _) in PRESETS {
        if let Some(counts) = play_recorded_order_log(preset) {
            assert_eq!(counts, (150, 150, 0), "{preset}");
        }
    }
}

/// A packet that is lost, one that cannot be read, a number that is overlong, a message of orders after a heartbeat or after another: no order leaves, also where the price changes in the middle of the packet that shows it.
#[test]
fn after_what_it_cannot_follow_no_order_leaves() {
    let templates = templates();
    for (preset, case) in [
        (PRESET, "lost"),
        (PRESET, "another template"),
        (PRESET, "after a heartbeat"),
        (PRESET, "two messages"),
        (PRESET, "an overlong number"),
        ("order_log_module_10g", "lost"),
        ("order_log_processor_10g", "another template"),
    ] {
        let mut exchange = exchange(&templates, 3);
        let mut trader = trader(preset, (&templates, &map()), Side::Buy, &mut exchange);
        for _ in 0..20 {
            let packet = exchange.some(6);
            trader.payload(&packet, false);
        }
        let before = sent(&mut trader);
        assert!(before > 5, "{before}");
        // Software reads the last of them: what the core sends after it is no concern of this test.
        let spoils = match case {
            "lost" => {
                exchange.some(6);
                None
            }
            "another template" => {
                let mut packet = Vec::new();
                Framing::Preamble.put(exchange.number, &[0xC0, 0xFF], &mut packet);
                exchange.number += 1;
                Some(packet)
            }
            "an overlong number" => {
                // A byte of zeros before the message's MsgSeqNum (error R6 of FAST 1.1), which is after preamble, presence map and template id.
                let mut packet = exchange.packet(&[exchange.entry(0, "MSFT", IMPROVING)]);
                let mut at = 4;
                for _ in 0..2 {
                    at += 1 + packet[at..].iter().take_while(|byte| **byte < 0x80).count();
                }
                packet.insert(at, 0);
                Some(packet)
            }
            "two messages" => {
                let orders = exchange.order_log(&[exchange.entry(0, "MSFT", IMPROVING)]);
                Some(exchange.packet_of(&[orders.clone(), orders]))
            }
            _ => {
                let number = exchange.number;
                let heartbeat = format!(
                    r#"{{"id":2108,"fields":{{"MsgSeqNum":{number},"SendingTime":190404100000000000}}}}"#
                );
                let orders = exchange.order_log(&[exchange.entry(0, "MSFT", IMPROVING)]);
                Some(exchange.packet_of(&[heartbeat, orders]))
            }
        };
        if let Some(packet) = spoils {
            trader.payload_to_core(&packet);
        }
        let mut entries = vec![exchange.entry(0, "AAPL", IMPROVING)];
        entries.extend((0..6).map(|_| exchange.entry(0, "MSFT", IMPROVING)));
        let packet = exchange.packet(&entries);
        trader.payload_to_core(&packet);
        for _ in 0..20 {
            let packet = exchange.some(6);
            trader.payload_to_core(&packet);
        }
        assert_eq!(sent(&mut trader), before, "{preset}, {case}");
    }
}

/// What a bad frame did to the prices stays: its good copy does not help. The host has to restore them.
#[test]
fn after_a_bad_frame_it_trades_when_the_host_has_restored_its_prices() {
    for (preset, _) in PRESETS {
        bad_frames_and_restored_prices(preset);
    }
}

fn bad_frames_and_restored_prices(preset: &str) {
    let templates = templates();
    let mut exchange = exchange(&templates, 5);
    let mut trader = trader(preset, (&templates, &map()), Side::Buy, &mut exchange);
    for round in 0..count(4, 40) {
        for _ in 0..30 {
            let packet = exchange.some(6);
            trader.payload(&packet, false);
        }
        sent(&mut trader);
        // An order far from the best price of its side: software sends none for it.
        let far = Live {
            price: PRICE - 500 * TICK,
            side: Side::Buy,
            id: 10_000_000_000 + round,
            ..IMPROVING
        };
        let entries = [exchange.entry(0, "AAPL", far)];
        exchange.live.push(far);
        let packet = exchange.packet(&entries);
        trader.payload(&packet, true);
        trader.payload(&packet, false);
        assert!(!trader.is_tradable().expect("the core answers"));
        trader.clear_core().expect("it clears its book");
        let orders: Vec<_> = exchange
            .live
            .iter()
            .map(|order| SnapshotOrder {
                id: order.id,
                side: order.side,
                price: order.price,
                quantity: order.quantity,
            })
            .collect();
        let restored = trader.restore_core(&orders, exchange.number.into());
        restored.expect("the core answers").expect("it takes them");
        assert!(trader.is_tradable().expect("the core answers"));
    }
    assert!(
        sent(&mut trader) > 2 * count(4, 40),
        "{:?}",
        trader.compared()
    );
}
