//! Recorded feeds. The expected sums come from the lines of `tickwire fast decode`, by a program of another language.

use fast::Framing;
use formats::{Event, Kind, Side, Symbol};

use crate::fast::{decode_file, map, recorded, templates};

/// Each member, summed up with the number of its event, modulo 2^64: price, quantity, order id, time, sequence, side and last.
fn sums(events: &[Event]) -> [u64; 6] {
    let mut sums = [0_u64; 6];
    for (event, number) in events.iter().zip(1_u64..) {
        let members = [
            event.price as u64,
            event.quantity,
            event.order_id,
            event.nanoseconds,
            event.sequence,
            event.side as u64 + 2 * u64::from(event.last),
        ];
        for (sum, member) in sums.iter_mut().zip(members) {
            *sum = sum.wrapping_add(member.wrapping_mul(number));
        }
    }
    sums
}

#[test]
fn every_trade_of_moscow_is_an_event_with_all_its_members() {
    let files = (
        templates("moex-templates/asts-2017-03.xml"),
        recorded("moex-fond-trades-2019-04-04/data.dat"),
    );
    let (Some(templates), Some(bytes)) = files else {
        return;
    };
    let (given, collector) = decode_file(
        &templates,
        &map("moex-trades.toml"),
        Framing::Preamble,
        &bytes,
    );
    let events = given.events;
    assert_eq!(events.len(), 6_737);
    assert!(events.iter().all(|event| event.kind == Kind::Trade));
    let sells = events.iter().filter(|event| event.side == Side::Sell);
    assert_eq!(sells.count(), 4_368);
    let mut symbols: Vec<Symbol> = events.iter().filter_map(|event| event.symbol).collect();
    assert_eq!(symbols.len(), events.len());
    let long = symbols.iter().filter(|symbol| symbol.long_name().is_some());
    assert_eq!(long.count(), 2_095);
    symbols.sort_unstable();
    symbols.dedup();
    assert_eq!(symbols.len(), 99);
    assert_eq!(
        sums(&events),
        [
            20_091_174_551_694,
            463_955_253,
            3_011_352_444_422,
            1_838_950_817_358_433_664,
            2_267_916_878_082,
            48_210_153
        ]
    );
    // The first, by eye: AFLT, sold into the book's order 64760 at 74.78, 9 lots, at 08:36:36.274670.
    let first = Event {
        side: Side::Buy,
        symbol: Symbol::of_name(b"AFLT"),
        price: 747_800,
        quantity: 9,
        order_id: 64_760,
        nanoseconds: 30_996_274_670_000,
        sequence: 91_650,
        ..Event::new(Kind::Trade, b'X')
    };
    assert_eq!(events[0], first);
    let counters = collector.counters();
    assert_eq!((counters.fast_gap, counters.fast_lost), (3_383, 7_516));
    assert_eq!((counters.fast_packets, counters.fast_unmapped), (5_020, 0));
    assert!(given.frames[0].new_session && !given.frames[1].new_session);
    assert_eq!(given.frames.last().unwrap().lost, 7_516);
}

#[test]
fn every_entry_of_micex_is_a_level_of_its_security() {
    let files = (
        templates("micex-2013-08-01/templates.xml"),
        recorded("micex-2013-08-01/increment_a.dat"),
    );
    let (Some(templates), Some(bytes)) = files else {
        return;
    };
    let (given, collector) =
        decode_file(&templates, &map("micex-levels.toml"), Framing::None, &bytes);
    let events = given.events;
    assert_eq!(events.len(), 22_104);
    let ids: std::collections::BTreeSet<_> = events
        .iter()
        .map(|event| event.symbol.unwrap().id())
        .collect();
    assert_eq!(ids.len(), 9);
    assert!(ids.contains(&Some(49_630_790)));
    assert!(events.iter().all(|event| event.kind == Kind::Level));
    let gone = events.iter().filter(|event| event.quantity == 0).count();
    assert_eq!(gone, 2_989 + 1_472);
    assert_eq!(
        sums(&events),
        [
            11_950_866_655_135,
            30_520_494_772,
            0,
            5_811_353_923_234_384_960,
            119_241_637_796_290,
            263_960_826
        ]
    );
    let counters = collector.counters();
    assert_eq!((counters.fast_gap, counters.fast_packets), (0, 16_202));
    // Resets, which no map has.
    assert_eq!(counters.fast_unmapped, 8_101);
    assert_eq!(collector.expected(), Some(490_828));
}

#[test]
fn nothing_is_allocated_once_the_largest_packet_has_come() {
    let files = (
        templates("micex-2013-08-01/templates.xml"),
        recorded("micex-2013-08-01/increment_a.dat"),
    );
    let (Some(templates), Some(bytes)) = files else {
        return;
    };
    let mut decoder = fast::Decoder::new(&templates);
    let mut collector =
        decoder::fast::Collector::new(&templates, &map("micex-levels.toml")).unwrap();
    let mut sum = 0_u64;
    let mut pass = |collector: &mut decoder::fast::Collector| {
        collector.restart();
        let mut at = 0;
        while at < bytes.len() {
            let next = Framing::None.next(&mut decoder, &bytes, at, collector);
            at = next.unwrap().end;
            collector.finish(&mut |event: &Event| sum = sum.wrapping_add(event.quantity));
        }
    };
    pass(&mut collector);
    let info = allocation_counter::measure(|| pass(&mut collector));
    assert_eq!(info.count_total, 0);
    assert!(sum > 0);
}
