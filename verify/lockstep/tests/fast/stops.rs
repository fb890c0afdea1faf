//! FAST in a core: packets of Moscow's trades on the line, stop orders out of it; every byte of them against software.

use std::collections::HashMap;
use std::path::Path;

use cosim::Preset;
use decoder::Fast;
use decoder::fast::Map;
use fast::{Framing, Settings, Templates};
use formats::{Event, Kind, Side, Symbol};
use lockstep::orders::FastStops;

use super::common::Random;
use super::recorded::moex_packets;
use crate::count::count;

fn map() -> Map {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../desks/fast/moex-trades.toml");
    let text = std::fs::read_to_string(path).expect("it is shipped");
    Map::parse(&text).expect("it is a map")
}

/// The symbols that are traded most, the most traded first.
fn most_traded(software: &mut Fast, packets: &[Vec<u8>], count: usize) -> Vec<Symbol> {
    let mut trades: HashMap<Symbol, usize> = HashMap::new();
    for packet in packets {
        software.datagram(packet, &mut |event: &Event| {
            if let (Kind::Trade, Some(symbol)) = (event.kind, event.symbol) {
                *trades.entry(symbol).or_default() += 1;
            }
        });
    }
    let mut symbols: Vec<_> = trades.into_iter().collect();
    symbols.sort_by_key(|(symbol, count)| (std::cmp::Reverse(*count), symbol.0));
    symbols
        .into_iter()
        .take(count)
        .map(|(symbol, _)| symbol)
        .collect()
}

/// A core with these instruments and such packets.
fn core(templates: &Templates, symbols: &[Symbol]) -> FastStops {
    let preset = Preset::by_name("fast_trader_10g").expect("a preset");
    let core = FastStops::new(preset, templates, &map(), Settings::default(), symbols);
    core.unwrap_or_else(|problem| panic!("{problem}"))
}

/// Stops around the last prices of twelve instruments fire on the recorded trades; one packet in ten comes damaged first, one in ten again.
#[test]
fn stops_fire_on_recorded_trades_as_in_software_and_what_is_damaged_or_comes_again_changes_nothing()
{
    let Some((templates, packets)) = moex_packets() else {
        return;
    };
    let software = Fast::new(&templates, Settings::default(), Framing::None, &map());
    let mut software = software.expect("it fits");
    let symbols = most_traded(&mut software, &packets, 12);
    let mut core = core(&templates, &symbols);
    let mut random = Random(5);
    let mut latencies = Vec::new();
    for (index, packet) in packets.iter().take(count(250, 600)).enumerate() {
        let failed = |problem| -> ! { panic!("packet {index}: {problem}") };
        while core.armed() < 12 {
            let instrument = random.below(symbols.len() as u64) as usize;
            let Some(last) = core.last(instrument) else {
                break;
            };
            // At once with the next trade, or a little later.
            let away = (random.below(3) as i64 - 1) * last / 20_000;
            let (side, trigger) = match random.below(2) {
                0 => (Side::Buy, last + away),
                _ => (Side::Sell, last - away),
            };
            core.arm(instrument as u8, side, trigger)
                .unwrap_or_else(|problem| failed(problem));
        }
        if random.below(10) == 0 {
            core.packet(packet, true)
                .unwrap_or_else(|problem| failed(problem));
        }
        let left = core
            .packet(packet, false)
            .unwrap_or_else(|problem| failed(problem));
        latencies.extend(
            left.iter()
                .filter(|left| left.alone)
                .map(|left| left.last_first),
        );
        if random.below(10) == 0 {
            core.again(packet).unwrap_or_else(|problem| failed(problem));
        }
    }
    latencies.sort_unstable();
    let compared = *core.compared();
    println!(
        "{compared:?}; last byte to first {:?} to {:?} cycles",
        latencies.first(),
        latencies.last()
    );
    assert!(
        compared.trades > count(40, 100) && compared.sent > count(10, 25),
        "{compared:?}"
    );
    assert_eq!(compared.faulty, 0);
    assert!(!core.is_killed().expect("it answers"), "{compared:?}");
}

#[test]
fn a_lost_packet_is_a_gap_and_so_is_one_that_cannot_be_read() {
    let Some((templates, packets)) = moex_packets() else {
        return;
    };
    for unreadable in [false, true] {
        let symbols = [Symbol(*b"SBER    ")];
        let mut core = core(&templates, &symbols);
        for packet in &packets[..20] {
            core.packet(packet, false).expect("sent");
        }
        assert!(!core.is_killed().expect("it answers"));
        if unreadable {
            // Template 127 is none of theirs.
            core.packet(&[0xC0, 0xFF], false).expect("sent");
            assert_eq!(core.compared().faulty, 1);
        } else {
            core.lose(3);
            assert!(!core.is_killed().expect("it answers"));
            core.packet(&packets[20], false).expect("sent");
        }
        assert!(core.is_killed().expect("it answers"));
    }
}

/// The buffer holds 8,192 bytes of packets: five of 1,400 and a part of the sixth, which is broken off.
#[test]
fn packets_without_room_in_the_decoders_buffer_are_counted_and_are_a_gap() {
    let Some((templates, packets)) = moex_packets() else {
        return;
    };
    let symbols = [Symbol(*b"SBER    ")];
    let mut core = core(&templates, &symbols);
    core.packet(&packets[0], false).expect("sent");
    assert!(!core.is_killed().expect("it answers"));
    assert_eq!(core.crowd(5, 1_400).expect("sent"), 0);
    // Some of those before may still be in it.
    let lost = core.crowd(10, 1_400).expect("sent");
    assert!((5..10).contains(&lost), "{lost}");
    assert!(core.is_killed().expect("it answers"));
}
