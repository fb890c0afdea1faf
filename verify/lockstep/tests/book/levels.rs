//! Price levels through the book in hardware and in software: the recorded ones of MICEX, and how long each takes.

use std::fs;
use std::ops::Range;
use std::path::Path;

use decoder::Fast;
use decoder::fast::{Cause, Map};
use fast::{Framing, Settings, Templates};
use formats::{Event, Kind, Side, Symbol};
use lockstep::book::{Design, Lockstep, Spacing, Window};

const WINDOW: Window = Window {
    tick: 10,
    low: 5_000,
};
/// The middle of it.
const MIDDLE: i64 = 90_950;
/// Instruments of MICEX in the recorded data.
const MICEX: usize = 9;

fn level(side: Side, price: i64, quantity: u64) -> Event {
    Event {
        instrument: Some(0),
        side,
        price,
        quantity,
        ..Event::new(Kind::Level, b'X')
    }
}

#[track_caller]
fn holds(lockstep: &mut Lockstep) {
    lockstep.settle();
    if let Some(text) = lockstep.failure() {
        panic!("{text}");
    }
}

fn started(depth: u8) -> Lockstep {
    let mut lockstep = Lockstep::new(Design::Levels, 1);
    lockstep.open_levels(0, WINDOW, depth);
    lockstep
}

/// From the events to their changes, in cycles: least and most.
fn latency(lockstep: &mut Lockstep, events: &[Event], apart: u64) -> Option<(u64, u64)> {
    lockstep.stats.latency = None;
    // What the log has room for.
    for frame in events.chunks(6) {
        lockstep.frame(frame, true, Spacing::Apart(apart));
        lockstep.idle(24);
    }
    holds(lockstep);
    lockstep.stats.latency
}

/// Each comes as soon as the one before is done, so that none waits.
#[test]
fn a_level_takes_12_cycles_and_13_if_another_is_dropped() {
    let sells = |places: Range<i64>, quantity| -> Vec<_> {
        let price = |place| MIDDLE - 10 * place;
        places
            .map(|place| level(Side::Sell, price(place), quantity))
            .collect()
    };
    let mut lockstep = started(2);
    let full = latency(&mut lockstep, &sells(0..2, 5), 12);
    let better = latency(&mut lockstep, &sells(2..40, 5), 13);
    let other_quantity = latency(&mut lockstep, &sells(38..40, 9), 12);
    let beyond = latency(&mut lockstep, &sells(0..20, 9), 13);
    let closes = latency(&mut lockstep, &sells(38..40, 0), 2);
    assert_eq!(full, Some((12, 12)));
    assert_eq!(better, Some((12, 12)));
    assert_eq!(other_quantity, Some((12, 12)));
    assert_eq!(beyond, Some((12, 12)));
    assert_eq!(closes, Some((10, 10)));
    assert_eq!(lockstep.level_count(0, Side::Sell), 0);
    // Sooner than that they wait.
    let mut lockstep = started(2);
    latency(&mut lockstep, &sells(0..2, 5), 12);
    let better = latency(&mut lockstep, &sells(2..40, 5), 12);
    assert_eq!(better, Some((12, 17)));
}

/// In bad frames and good ones, each level in turn better than all, between others, the worst, or beyond the depth.
#[test]
fn a_dropped_level_comes_back_with_a_bad_frame() {
    for depth in [1, 2, 5, 7] {
        let mut lockstep = started(depth);
        for side in [Side::Buy, Side::Sell] {
            let away = |place: i64| match side {
                Side::Buy => MIDDLE - 20 * place,
                Side::Sell => MIDDLE + 20 * place,
            };
            let full: Vec<_> = (0..i64::from(depth))
                .map(|place| level(side, away(place), 5 + place as u64))
                .collect();
            lockstep.frame(&full, true, Spacing::Random);
            for place in -1..=i64::from(depth) {
                // Another price than any that is there; then one that is.
                let new = (away(place) + away(place + 1)) / 2;
                for event in [level(side, new, 3), level(side, away(place), 4)] {
                    lockstep.frame(&[event], false, Spacing::Two);
                    lockstep.frame(&[event, level(side, away(0), 0)], false, Spacing::Burst);
                    holds(&mut lockstep);
                    assert_eq!(lockstep.level_count(0, side), usize::from(depth));
                }
            }
        }
        lockstep.show(0..1);
        holds(&mut lockstep);
        assert!(lockstep.is_tradable(0));
        assert!(lockstep.stats.taken_back > 0);
    }
}

/// What does not fit 32 bits, or is beyond the window on either side, is not taken for the level of another price.
#[test]
fn a_price_beyond_the_window_is_a_fault_and_no_other_level() {
    for price in [
        MIDDLE + (1 << 32),
        MIDDLE - (1 << 32),
        WINDOW.low_price() - 10,
        WINDOW.end_price(),
        MIDDLE + 1,
    ] {
        for quantity in [0, 7] {
            for side in [Side::Buy, Side::Sell] {
                let mut lockstep = started(5);
                let frame = [level(side, MIDDLE, 5), level(side, price, quantity)];
                lockstep.frame(&frame, true, Spacing::Two);
                lockstep.show(0..1);
                holds(&mut lockstep);
                assert_eq!(lockstep.is_tradable(0), quantity == 0);
                assert_eq!(lockstep.level_count(0, side), 1);
            }
        }
    }
}

fn read(path: &str) -> Option<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let found = fs::read(root.join(path)).ok();
    if found.is_none() {
        eprintln!("SKIPPED: no {path}");
    }
    found
}

/// The events of each of the packets of a line.
fn micex(file: &str) -> Option<Vec<Vec<Event>>> {
    let xml = read("../shared/data/micex-2013-08-01/templates.xml")?;
    let bytes = read(&format!("../shared/data/micex-2013-08-01/{file}"))?;
    let map = String::from_utf8(read("desks/fast/micex-levels.toml")?).unwrap();
    let templates = Templates::parse(&String::from_utf8(xml).unwrap()).unwrap();
    let map = Map::parse(&map).unwrap();
    assert_eq!(map.depth.map(u8::from), Some(5));
    let mut decoder = Fast::new(&templates, Settings::default(), Framing::None, &map).unwrap();
    let messages = Framing::None.split(&templates, &bytes).unwrap();
    let (mut packets, mut keys) = (vec![], vec![]);
    for packet in messages.chunks(2) {
        let mut events = vec![];
        let cause = decoder.datagram(&packet.concat(), &mut |event: &Event| {
            let Some(id) = event.symbol.and_then(Symbol::id) else {
                return;
            };
            if !keys.contains(&id) {
                keys.push(id);
            }
            let instrument = keys.iter().position(|key| *key == id).map(|at| at as u8);
            events.push(Event {
                instrument,
                ..*event
            });
        });
        assert_eq!(cause, Cause::Good);
        packets.push(events);
    }
    assert_eq!(keys.len(), MICEX);
    Some(packets)
}

/// Every packet, each third with a bad verdict first; the instruments are rebuilt in the middle.
#[test]
fn the_levels_of_micex_are_the_softwares() {
    for (file, spacing) in [
        ("increment_a.dat", Spacing::Apart(17)),
        ("increment_b.dat", Spacing::Burst),
    ] {
        let Some(packets) = micex(file) else {
            return;
        };
        let mut lockstep = Lockstep::new(Design::Levels, 7);
        for instrument in 0..MICEX {
            let of_it = packets.iter().flatten();
            let of_it = of_it.filter(|event| event.instrument == Some(instrument as u8));
            let mut prices: Vec<_> = of_it.map(|event| event.price).collect();
            prices.sort_unstable();
            let window = Window::around(prices[prices.len() / 2], 1);
            lockstep.open_levels(instrument, window, 5);
        }
        let mut events = 0;
        for (place, packet) in packets.iter().enumerate() {
            // The log of this design has 16 operations.
            for frame in packet.chunks(8) {
                if place % 3 == 0 {
                    lockstep.frame(frame, false, spacing);
                }
                lockstep.frame(frame, true, spacing);
                events += frame.len();
            }
            if place == packets.len() / 2 {
                for instrument in 0..MICEX {
                    let levels = lockstep.orders(instrument);
                    lockstep.clear(instrument);
                    lockstep.rebuild(instrument, &levels);
                }
            }
        }
        lockstep.show(0..MICEX);
        holds(&mut lockstep);
        println!("{file}: {events} events, {:?}", lockstep.stats);
        assert!((0..MICEX).all(|instrument| lockstep.is_tradable(instrument)));
        assert_eq!(lockstep.stats.faults, [0; 16]);
        assert_eq!(lockstep.stats.incomplete, 0);
        assert!(lockstep.stats.changes > 22_000);
        assert!(lockstep.stats.restored > 50);
    }
}
