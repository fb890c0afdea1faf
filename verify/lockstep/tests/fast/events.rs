//! `fast_events` against the software map: every event with all its members, every verdict and every fault, at both widths.

use std::path::Path;

use decoder::Fast;
use decoder::fast::{Cause, Hardware, HardwareError, Map};
use fast::microcode::Room;
use fast::{Encoder, Framing, Json, Settings, Templates};
use formats::Event;

use super::common::{Random, all_widths, recorded};
use super::fast_sim::{EventsEngine, EventsPacket, Width, Wire};
use super::recorded::{micex_packets, moex_packets};

fn map(name: &str) -> Map {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../desks/fast");
    let text = std::fs::read_to_string(path.join(name)).expect("it is shipped");
    Map::parse(&text).expect("it is a map")
}

/// What was compared.
#[derive(Debug, Default)]
struct Found {
    events: usize,
    good: usize,
    faulty: usize,
    last_event: Vec<u64>,
}

/// Hardware and software with the same map.
struct Both {
    engine: EventsEngine,
    software: Fast,
    found: Found,
}

impl Both {
    fn new(width: Width, templates: &Templates, map: &Map, settings: Settings) -> Self {
        let hardware = Hardware::new(templates, map, Room::default()).expect("it fits");
        let mut engine = EventsEngine::new(width, &hardware);
        engine
            .engine()
            .reset_each_packet(settings.reset_each_packet);
        Both {
            engine,
            software: Fast::new(templates, settings, Framing::None, map).expect("it fits"),
            found: Found::default(),
        }
    }

    /// Sends packets so many cycles apart, and compares what comes of each.
    fn packets(&mut self, packets: &[(&[u8], Wire)], apart: u64) {
        let found = self.engine.packets(packets, apart);
        let found = found.unwrap_or_else(|| panic!("a verdict is missing: {packets:02x?}"));
        for ((bytes, wire), packet) in packets.iter().zip(&found) {
            self.compare(bytes, wire, packet);
        }
        assert!(!self.engine.engine().asserted());
    }

    fn compare(&mut self, bytes: &[u8], wire: &Wire, packet: &EventsPacket) {
        if wire.err {
            assert!(!packet.good);
            return;
        }
        let mut events = Vec::new();
        let cause = self
            .software
            .datagram(bytes, &mut |event: &Event| events.push(*event));
        let fault = match cause {
            Cause::Faulty(fault) => Some(fault as u8),
            _ => None,
        };
        assert_eq!(
            (packet.good, packet.fault),
            (cause == Cause::Good, fault),
            "{cause:?}, {bytes:02x?}"
        );
        self.found.faulty += usize::from(fault.is_some());
        if packet.good {
            assert_eq!(packet.events, events, "{bytes:02x?}");
            self.found.good += 1;
            self.found.events += events.len();
            self.found.last_event.extend(packet.last_event);
        }
    }
}

/// All packets: alone, with gaps and bad frames; at a byte a cycle also one after the other, as on the wire.
fn compare(width: Width, templates: &Templates, map: &Map, packets: &[Vec<u8>]) -> Found {
    let mut both = Both::new(width, templates, map, Settings::default());
    let mut random = Random(5);
    for (index, packet) in packets.iter().enumerate() {
        let wire = random.wire();
        let twice: &[_] = &[(packet, wire), (packet, Wire::default())];
        for (bytes, wire) in if wire.err { twice } else { &twice[1..] } {
            both.packets(&[(bytes.as_slice(), *wire)], 0);
        }
        if index > 200 && width == Width::W8 {
            break;
        }
    }
    if width == Width::W8 {
        // Preamble, headers, FCS and the gap between frames are 66 byte times.
        for some in packets[202..].chunks(64) {
            let some: Vec<_> = some
                .iter()
                .map(|bytes| (bytes.as_slice(), Wire::default()))
                .collect();
            both.packets(&some, 66);
        }
    }
    both.found
}

fn report(name: &str, width: Width, mut found: Found) {
    found.last_event.sort_unstable();
    let at = |share: usize| found.last_event[(found.last_event.len() - 1) * share / 100];
    let (min, p50, p99, max) = (at(0), at(50), at(99), at(100));
    println!(
        "{name} {width:?}: {} events of {} packets; last beat to last event, cycles: min {min}, p50 {p50}, p99 {p99}, max {max}",
        found.events, found.good
    );
}

#[test]
fn micex_levels_are_the_softwares() {
    let Some((templates, packets)) = micex_packets("increment_a.dat") else {
        return;
    };
    for width in all_widths() {
        let found = compare(width, &templates, &map("micex-levels.toml"), &packets);
        assert_eq!((found.good, found.events), (8_101, 22_104));
        report("MICEX", width, found);
    }
}

#[test]
fn moex_trades_are_the_softwares() {
    let Some((templates, packets)) = moex_packets() else {
        return;
    };
    for width in all_widths() {
        let found = compare(width, &templates, &map("moex-trades.toml"), &packets);
        assert_eq!((found.good, found.events), (5_020, 6_737));
        report("trades", width, found);
    }
}

/// One of these texts.
fn one<'a>(random: &mut Random, from: &[&'a str]) -> &'a str {
    from[random.below(from.len() as u64) as usize]
}

/// A field with one of these values, or without.
fn field(random: &mut Random, name: &str, values: &[&str]) -> Vec<String> {
    match one(random, values) {
        "" => vec![],
        value => vec![format!("\"{name}\":{value}")],
    }
}

/// The same, but one time in `seldom` with one of the values that are wrong.
fn mostly(
    random: &mut Random,
    name: &str,
    right: &[&str],
    (seldom, wrong): (u64, &[&str]),
) -> Vec<String> {
    let values = if random.below(seldom) == 0 {
        wrong
    } else {
        right
    };
    field(random, name, values)
}

/// Packets of random entries, most of them good.
fn random_packets(
    templates: &Templates,
    random: &mut Random,
    message: impl Fn(&mut Random, u64) -> String,
    count: u64,
) -> Vec<Vec<u8>> {
    let json = Json::new(templates);
    let mut number = 0;
    let mut packet = |random: &mut Random| {
        let mut encoder = Encoder::new(templates);
        let mut bytes = Vec::new();
        for _ in 0..=random.below(3) {
            number += 1;
            let message = json.read(&message(random, number)).expect("a message");
            encoder
                .message(&message, &mut bytes)
                .expect("it can be encoded");
        }
        bytes
    };
    (0..count).map(|_| packet(random)).collect()
}

fn run_random(width: Width, templates: &Templates, map: &Map, packets: &[Vec<u8>]) -> Found {
    let settings = Settings {
        reset_each_packet: true,
        ..Settings::default()
    };
    let mut both = Both::new(width, templates, map, settings);
    let mut random = Random(3);
    for packet in packets {
        let wire = random.wire();
        both.packets(&[(packet, wire)], random.below(3));
    }
    both.found
}

#[test]
fn the_order_log_is_the_softwares_with_all_that_may_be_wrong() {
    let Some(xml) = recorded("moex-templates/asts-2017-03.xml") else {
        return;
    };
    let xml = String::from_utf8(xml).expect("templates are UTF-8");
    let templates = Templates::parse(&xml).expect("well-formed");
    let entry = |random: &mut Random| {
        let ids = [
            "\"12345678901\"",
            "\"7\"",
            "\"18446744073709551615\"",
            "\"0\"",
        ];
        let no_ids = ["\"18446744073709551616\"", "\"07\"", "\"1x\"", ""];
        let prices = [
            "\"651234e-4\"",
            "\"65e0\"",
            "\"-7e-1\"",
            "\"0e3\"",
            "\"1e9\"",
            "\"9223372036854775807e-4\"",
            "\"-9223372036854775808e-4\"",
        ];
        let no_prices = ["\"1e-5\"", "\"9e18\"", "\"922337203685478e4\"", ""];
        let symbols = ["\"USDTOM\"", "\"A\"", "\"EURUSD8C\""];
        let types = ["\"0\"", "\"1\"", "\"1\"", "\"J\""];
        let sizes = ["\"5e0\"", "\"1e2\"", "\"0e0\""];
        let all = [
            mostly(
                random,
                "MDUpdateAction",
                &["0", "1", "2", ""],
                (50, &["3", "300"]),
            ),
            mostly(
                random,
                "MDEntryType",
                &types,
                (50, &["\"x\"", "\"00\"", ""]),
            ),
            mostly(random, "MDEntryID", &ids, (30, &no_ids)),
            mostly(random, "Symbol", &symbols, (60, &["\" A\"", ""])),
            mostly(random, "MDEntryPx", &prices, (40, &no_prices)),
            mostly(
                random,
                "MDEntrySize",
                &sizes,
                (40, &["\"-1e0\"", "\"15e-1\""]),
            ),
        ];
        format!("{{{}}}", all.concat().join(","))
    };
    let message = |random: &mut Random, number: u64| {
        let time = match random.below(40) {
            0 => 190_404_240_000_000_000,
            1 => 190_404_106_100_000_000,
            2..8 => 190_404_235_959_999_999 - random.below(1_000_000_000),
            _ => 190_404_100_000_000_000 + random.below(2_000_000),
        };
        let head = format!("\"MsgSeqNum\":{number},\"SendingTime\":{time}");
        if random.below(8) == 0 {
            let status = one(random, &["17", "-1", "18"]);
            return format!(
                "{{\"id\":2106,\"fields\":{{{head},\"Symbol\":\"USD000UTSTOM\",\"SecurityTradingStatus\":{status}}}}}"
            );
        }
        if random.below(8) == 0 {
            return format!("{{\"id\":2108,\"fields\":{{{head}}}}}");
        }
        let entries: Vec<String> = (0..random.below(5)).map(|_| entry(random)).collect();
        format!(
            "{{\"id\":3610,\"fields\":{{{head},\"GroupMDEntries\":[{}]}}}}",
            entries.join(",")
        )
    };
    let packets = random_packets(&templates, &mut Random(9), message, 4_000);
    for width in all_widths() {
        let found = run_random(width, &templates, &map("moex-order-log.toml"), &packets);
        assert!(found.good > 1_500 && found.faulty > 400, "{found:?}");
        report("order log", width, found);
    }
}

#[test]
fn fields_that_find_no_room_make_their_packet_bad_and_no_other() {
    /// The hardware's own fault.
    const OVERFLOW: u8 = 15;
    let Some(xml) = recorded("moex-templates/asts-2017-03.xml") else {
        return;
    };
    let xml = String::from_utf8(xml).expect("templates are UTF-8");
    let templates = Templates::parse(&xml).expect("well-formed");
    // What takes events longest, and the engine least: twenty digits, and as many powers of ten as there can be.
    let entry = r#"{"MDUpdateAction":0,"MDEntryType":"0","MDEntryID":"12345678901234567890","Symbol":"A","MDEntryPx":"1e13","MDEntrySize":"1e18"}"#;
    let message = |random: &mut Random, number: u64| {
        let entries = vec![entry; 10 + random.below(2) as usize].join(",");
        format!(
            "{{\"id\":3610,\"fields\":{{\"MsgSeqNum\":{number},\"SendingTime\":190404100000000000,\"GroupMDEntries\":[{entries}]}}}}"
        )
    };
    let packets = random_packets(&templates, &mut Random(2), message, 12);
    let settings = Settings {
        reset_each_packet: true,
        ..Settings::default()
    };
    let mut both = Both::new(
        Width::W64,
        &templates,
        &map("moex-order-log.toml"),
        settings,
    );
    let some: Vec<_> = packets
        .iter()
        .map(|bytes| (bytes.as_slice(), Wire::default()))
        .collect();
    let found = both
        .engine
        .packets(&some, 250)
        .expect("no verdict is missing");
    let lost = found
        .iter()
        .filter(|packet| packet.fault == Some(OVERFLOW))
        .count();
    assert!(lost > 0 && lost < found.len(), "{lost} of {}", found.len());
    for ((bytes, wire), packet) in some.iter().zip(&found) {
        if packet.fault == Some(OVERFLOW) {
            assert!(!packet.good);
        } else {
            both.compare(bytes, wire, packet);
        }
    }
    // Afterwards all is as before.
    let mut later = Both::new(
        Width::W64,
        &templates,
        &map("moex-order-log.toml"),
        settings,
    );
    std::mem::swap(&mut later.engine, &mut both.engine);
    later.packets(&some[..1], 0);
}

#[test]
fn integers_scales_and_every_kind_are_the_softwares() {
    let xml = r#"<templates><template name="T" id="1"><uInt32 name="Number" id="34"/><uInt64 name="Time" id="52" presence="optional"/>
        <sequence name="E"><length id="268"/><uInt32 name="Action" id="279" presence="optional"/><string name="Type" id="269" presence="optional"/>
        <string name="Side" id="54" presence="optional"/><uInt64 name="Security" id="48" presence="optional"/><uInt64 name="Order" id="278" presence="optional"/>
        <decimal name="Price" id="270" presence="optional"/><int64 name="Size" id="271" presence="optional"/><int32 name="Orders" id="346" presence="optional"/>
        <string name="Other" id="58" presence="optional"/></sequence></template>
        <template name="U" id="2"><string name="Symbol" id="55"/><int32 name="Status" id="326" presence="optional"/></template></templates>"#;
    let text = r#"
        price_scale = 6
        quantity_scale = 3
        [[template]]
        id = 2
        message_type = "f"
        symbol = 55
        status = 326
        kind = "status"
        [[template]]
        id = 1
        message_type = "X"
        sequence = 34
        time = { field = 52, decimals = 9 }
        symbol = 48
        order_id = 278
        price = 270
        quantity = 271
        orders = 346
        kind = "reduce"
        [template.action]
        field = 279
        values = { 0 = "add", 1 = "modify", 2 = "delete", 3 = "execute", 4 = "reduce", 5 = "level", 6 = "remove_level", 7 = "clear", 255 = "status", absent = "level" }
        [template.entry_type]
        field = 269
        values = { t = "trade", n = "ignore", b = "buy" }
        [template.side]
        field = 54
        values = { B = "buy", S = "sell", absent = "sell" }"#;
    let templates = Templates::parse(xml).expect("well-formed");
    let map = Map::parse(text).expect("it is a map");
    let message = |random: &mut Random, number: u64| {
        if random.below(4) == 0 {
            let symbols = [
                "\"A\"",
                "\"BRK A\"",
                "\"ABCDEFGH\"",
                "\"ABCDEFGHI\"",
                "\"RU000A0ZYFE2\"",
                "\"A_9Z_8Y_7X_\"",
                "\"ABCDEFGHIJKLM\"",
                "\"abcdefghij\"",
                "\"A \"",
            ];
            let last = random.below(12).min(8) as usize;
            let symbol = symbols[if random.below(20) == 0 {
                last
            } else {
                last.min(5)
            }];
            let status = field(random, "Status", &["", "5", "2147483647"]).concat();
            let comma = if status.is_empty() { "" } else { "," };
            return format!("{{\"id\":2,\"fields\":{{\"Symbol\":{symbol}{comma}{status}}}}}");
        }
        let entry = |random: &mut Random| {
            let actions = ["", "0", "1", "2", "3", "4", "5", "6", "7", "255"];
            let prices = ["\"0e63\"", "\"123e-6\"", "\"-1e12\"", "\"9223372036854e0\""];
            let all = [
                field(random, "Action", &actions),
                field(random, "Type", &["", "", "", "\"t\"", "\"n\"", "\"b\""]),
                field(random, "Side", &["", "\"B\"", "\"S\""]),
                mostly(
                    random,
                    "Security",
                    &["5", "72057594037927935"],
                    (30, &["", "72057594037927936"]),
                ),
                mostly(random, "Order", &["0", "18446744073709551615"], (30, &[""])),
                mostly(
                    random,
                    "Price",
                    &prices,
                    (30, &["", "\"1e-7\"", "\"0e-7\""]),
                ),
                mostly(
                    random,
                    "Size",
                    &["0", "7", "9223372036854775"],
                    (30, &["", "-1", "9223372036854776"]),
                ),
                mostly(random, "Orders", &["", "4"], (30, &["-3"])),
                field(random, "Other", &["", "\"more than eight characters\""]),
            ];
            format!("{{{}}}", all.concat().join(","))
        };
        let entries: Vec<String> = (0..random.below(4)).map(|_| entry(random)).collect();
        let time = field(
            random,
            "Time",
            &["", "123456000000001", "123456999999999", "7235959123456789"],
        )
        .concat();
        let comma = if time.is_empty() { "" } else { "," };
        format!(
            "{{\"id\":1,\"fields\":{{\"Number\":{number},{time}{comma}\"E\":[{}]}}}}",
            entries.join(",")
        )
    };
    let packets = random_packets(&templates, &mut Random(4), message, 4_000);
    for width in all_widths() {
        let found = run_random(width, &templates, &map, &packets);
        assert!(found.good > 1_000 && found.faulty > 400, "{found:?}");
        report("every kind", width, found);
    }
}

#[test]
fn a_map_that_the_hardware_cannot_have_is_refused() {
    let xml = r#"<templates><template name="T" id="1"><uInt32 name="Action" id="279"/><uInt64 name="Time" id="52"/><sequence name="E"><length id="268"/>
        <string name="Type" id="269"/><sequence name="I"><length id="300"/><string name="X" id="58"/></sequence></sequence></template>
        <template name="U" id="2"><uInt32 name="Action" id="279"/><uInt64 name="Time" id="52"/><sequence name="E"><length id="268"/>
        <string name="Type" id="269"/></sequence></template>
        <template name="V" id="3"><uInt32 name="Action" id="279"/><string name="Raw" id="95"><tail value="xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"/></string></template>
        <template name="W" id="4"><uInt32 name="Action" id="279"/><templateRef/></template></templates>"#;
    let templates = Templates::parse(xml).expect("well-formed");
    let refused = |id: u32, text: &str| {
        let text =
            format!("price_scale = 0\n[[template]]\nid = {id}\nmessage_type = \"X\"\n{text}");
        let map = Map::parse(&text).expect("it is a map");
        Hardware::new(&templates, &map, Room::default()).err()
    };
    let action = |values: &str| format!("action = {{ field = 279, values = {{ {values} }} }}");
    let kind = "entry_type = { field = 269, values = { a = \"trade\" } }";
    assert_eq!(refused(2, kind), None);
    assert_eq!(refused(1, kind), Some(HardwareError::Sequences(1)));
    assert_eq!(
        refused(3, &action("0 = \"add\"")),
        Some(HardwareError::Refused(3))
    );
    assert_eq!(
        refused(4, &action("0 = \"add\"")),
        Some(HardwareError::Reference(4))
    );
    let both = format!("{}\n{kind}", action("0 = \"add\""));
    assert_eq!(refused(2, &both), Some(HardwareError::Apart(2)));
    for value in ["-1", "256"] {
        let error = HardwareError::Value {
            template: 2,
            value: value.into(),
        };
        assert_eq!(
            refused(2, &action(&format!("{value} = \"add\""))),
            Some(error)
        );
    }
    let decimals = Some(HardwareError::Decimals {
        template: 2,
        decimals: 4,
    });
    assert_eq!(refused(2, "time = { field = 52, decimals = 4 }"), decimals);
}
