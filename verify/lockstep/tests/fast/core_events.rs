//! What a core with a ring says there of the events it decodes, and of what goes wrong in its stages.

use std::collections::BTreeMap;
use std::path::Path;

use cosim::fast_items::{FromDecoder, FromRing, Item, RingPacket};
use cosim::orders::FastFeed;
use cosim::{Core, Frame, Preset, Setup};
use decoder::Fast;
use decoder::fast::{Cause, Hardware, Map};
use device::ring::{Class, Incident, Line, Status};
use device::{Arbitration, Driver, FieldReader, Producers, Ring, Source, Window};
use fast::microcode::{Room, Wanted};
use fast::{Decoder, Framing, Settings, Templates};
use formats::itch::Version;
use formats::{Event, Symbol};

use super::common::Random;
use super::recorded::micex_packets;

const ARBITRATION: Arbitration = Arbitration {
    source: Source::LineA,
    window: Window::Time,
    time: 0,
    count: 1,
    idle_limit: 0,
};
const BASE: u64 = 0x40_0000;
const SIZE_LOG2: u32 = 10;

fn map() -> Map {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../desks/fast/micex-levels.toml");
    let text = std::fs::read_to_string(path).expect("it is shipped");
    Map::parse(&text).expect("it is a map")
}

/// A core, and its ring.
struct Bench {
    driver: Driver<Core>,
    setup: Setup,
    ring: Ring,
    lines: Vec<Line>,
}

impl Bench {
    fn new(templates: &Templates, symbols: &[Symbol], producers: Producers) -> Self {
        let map = map();
        let feed = FastFeed {
            templates,
            map: &map,
            settings: Settings::default(),
            before: None,
        };
        let setup = Setup::example(Version::V50, symbols);
        let mut driver = setup.core_of(Preset::with_ring()).expect("set up");
        driver.set_arbitration(&ARBITRATION).expect("taken");
        feed.load(&mut driver).expect("loaded");
        driver.registers().begin_memory(BASE, 8 << SIZE_LOG2);
        assert!(driver.begin_ring(BASE, SIZE_LOG2, producers) == Ok(true));
        Bench {
            driver,
            setup,
            ring: Ring::new(SIZE_LOG2),
            lines: Vec::new(),
        }
    }

    /// A packet's frame; `damaged`: its FCS is wrong.
    fn frame(&self, number: u32, messages: &[u8], damaged: bool) -> Vec<u8> {
        let (mut payload, mut frame) = (Vec::new(), Vec::new());
        Framing::Preamble.put(number, messages, &mut payload);
        let header = self.setup.feed();
        header.emit(&payload, &mut frame).expect("it fits");
        if damaged {
            *frame.last_mut().expect("a frame") ^= 1;
        }
        frame
    }

    /// Sends a packet. What the ring says then is in `lines`.
    fn send(&mut self, number: u32, messages: &[u8], damaged: bool) {
        let frame = self.frame(number, messages, damaged);
        self.send_all(&[frame], 2_000);
    }

    /// Sends packets back to back.
    fn send_all(&mut self, frames: &[Vec<u8>], after: u64) {
        let frames: Vec<_> = frames.iter().map(|frame| Frame::new(frame)).collect();
        self.driver.registers().send_all(&frames);
        self.driver.registers().run(after);
        self.lines.clear();
        let memory: &Core = self.driver.registers();
        let lines = std::iter::from_fn(|| self.ring.poll(memory));
        self.lines.extend(lines);
        let position = self.ring.position();
        self.driver.set_ring_position(position).expect("taken");
    }

    /// The events of the last packet, and whether they count.
    fn events(&self) -> (Vec<Event>, Vec<bool>) {
        let events = self.lines.iter().filter_map(Line::event).collect();
        let verdicts = self.lines.iter().filter_map(|line| match line.status() {
            Some(Status::Events { good }) => Some(good),
            _ => None,
        });
        (events, verdicts.collect())
    }

    fn incidents(&self) -> Vec<Incident> {
        let said = self.lines.iter().filter_map(|line| match line.status() {
            Some(Status::Incidents { incidents, .. }) => Some(incidents),
            _ => None,
        });
        said.flat_map(|incidents| incidents.iter()).collect()
    }
}

/// The software's decoder of the same feed.
fn software(templates: &Templates) -> Fast {
    Fast::new(templates, Settings::default(), Framing::None, &map()).expect("it fits")
}

/// Of these events the instruments, as the core finds them.
fn of_ours(events: &mut [Event], symbols: &[Symbol]) {
    for event in events {
        let ours = |symbol| symbols.iter().position(|one| Some(*one) == symbol);
        event.instrument = ours(event.symbol).map(|index| index as u8);
    }
}

#[test]
fn events_and_fields_are_in_the_ring_as_in_software() {
    let Some((templates, packets)) = micex_packets("increment_a.dat") else {
        return;
    };
    let packets = &packets[..300];
    // The first two symbols of the data are ours.
    let mut symbols: Vec<Symbol> = Vec::new();
    let mut decoder = software(&templates);
    for packet in packets {
        decoder.datagram(packet, &mut |event: &Event| match event.symbol {
            Some(symbol) if symbols.len() < 2 && !symbols.contains(&symbol) => symbols.push(symbol),
            _ => {}
        });
    }
    assert_eq!(symbols.len(), 2);
    let hardware = Hardware::new(&templates, &map(), Room::default()).expect("it fits");
    let numbers = (1..=127).filter_map(|number| hardware.numbering.field(number));
    let wanted = Wanted::Tags(numbers.map(|(tag, _)| tag).collect());
    let producers = Producers {
        fields: true,
        events: true,
        ..Producers::default()
    };
    let mut bench = Bench::new(&templates, &symbols, producers);
    let (mut decoder, mut of_fields) = (software(&templates), Decoder::new(&templates));
    let mut reader = FieldReader::new(hardware.numbering.clone());
    let (mut count, mut ours) = (0, 0);
    for (number, packet) in (7..).zip(packets) {
        if number % 5 == 0 {
            bench.send(number, packet, true);
            assert_eq!(bench.events().1, [false], "packet {number}");
        }
        bench.send(number, packet, false);
        let mut expected = Vec::new();
        let cause = decoder.datagram(packet, &mut |event: &Event| expected.push(*event));
        of_ours(&mut expected, &symbols);
        assert_eq!(cause, Cause::Good);
        assert_eq!(bench.events(), (expected, vec![true]), "packet {number}");
        let events: Vec<Event> = bench.lines.iter().filter_map(Line::event).collect();
        count += events.len();
        ours += events
            .iter()
            .filter(|event| event.instrument.is_some())
            .count();
        let mut from = FromDecoder::new(&templates, &wanted);
        of_fields.packet(packet, &mut from).expect("it is good");
        from.items.retain(|item| !matches!(item, Item::Absent(_)));
        let packet = FromRing::packet_of_lines(&mut reader, &bench.lines);
        assert_eq!(packet, Ok(Some(RingPacket::Good(from.items))));
    }
    println!("{count} events, {ours} of our instruments");
    assert!(count > 600 && ours > 50, "{count} events, {ours} ours");
}

#[test]
fn what_goes_wrong_in_the_stages_is_in_the_ring() {
    let Some((templates, packets)) = micex_packets("increment_a.dat") else {
        return;
    };
    let producers = Producers {
        stages: true,
        ..Producers::default()
    };
    let mut bench = Bench::new(&templates, &[], producers);
    let mut said = |number: u32, messages: &[u8], damaged: bool| {
        bench.send(number, messages, damaged);
        assert!(bench.lines.iter().all(|line| line.class == Class::Status));
        bench.incidents()
    };
    assert_eq!(said(7, &packets[0], false), []);
    assert_eq!(said(8, &packets[1], true), [Incident::BadFrame(0)]);
    assert_eq!(said(8, &packets[1], false), []);
    // Number 9 never comes.
    assert_eq!(said(10, &packets[2], false), [Incident::Gap(0)]);
    // No template has identifier 127. What it said is missing.
    let unreadable = said(11, &[0xC0, 0xFF], false);
    assert_eq!(unreadable, [Incident::Gap(0), Incident::Malformed(0)]);
    assert_eq!(said(12, &packets[3], false), []);
    bench.driver.end_ring().expect("taken");
    bench.send(13, &packets[4], true);
    assert_eq!(bench.lines, []);
}

/// The causes for which packets were not taken, so far.
fn causes_of(driver: &mut Driver<Core>) -> Vec<(&'static str, u32)> {
    let causes = driver.fast_causes().expect("it answers");
    causes.into_iter().filter(|(_, count)| *count > 0).collect()
}

/// Packets that are changed at random. A frame with a bad FCS counts nowhere. Where a sequence is longer than its packet, software says so before the first entry; the
/// engine decodes entries until one of them is wrong, and may find something else.
#[test]
fn packets_that_are_not_taken_are_counted_by_cause_as_in_software() {
    let Some((templates, packets)) = micex_packets("increment_a.dat") else {
        return;
    };
    let mut bench = Bench::new(&templates, &[], Producers::default());
    let mut decoder = software(&templates);
    let mut random = Random(3);
    let mut others = 0;
    let mut counted = BTreeMap::new();
    for (number, packet) in (7..).zip(&packets[..400]) {
        let mut changed = packet.clone();
        let length = changed.len() as u64;
        match random.below(4) {
            0 => {}
            1 => changed.truncate(2 + random.below(length - 2) as usize),
            _ => {
                for _ in 0..=random.below(2) {
                    changed[random.below(length) as usize] ^= 1 << random.below(8);
                }
            }
        }
        if random.below(8) == 0 {
            bench.send(number, &changed, true);
        }
        bench.send(number, &changed, false);
        let expected = match decoder.datagram(&changed, &mut |_: &Event| {}) {
            Cause::Malformed(code) => Some(code.name()),
            Cause::Faulty(fault) => Some(fault.name()),
            _ => None,
        };
        let now: BTreeMap<_, _> = causes_of(&mut bench.driver).into_iter().collect();
        let before = |name| counted.get(name).copied().unwrap_or(0);
        let more: Vec<_> = now
            .iter()
            .filter(|(name, count)| **count != before(**name))
            .collect();
        match (expected, &more[..]) {
            (None, []) => {}
            (Some(name), [(found, count)]) if **count == before(**found) + 1 => {
                others += u32::from(name != **found);
                assert!(name == **found || name == "truncated", "{name}, {found}");
            }
            _ => panic!("packet {number}: {expected:?}, {more:?}"),
        }
        counted = now;
    }
    println!("{counted:?}, {others} others");
    assert!(counted.len() > 8 && others < 40, "{counted:?}, {others}");
    let refused: u32 = decoder.counters().causes().map(|(_, count)| count).sum();
    assert_eq!(counted.values().sum::<u32>(), refused);
}

/// A packet alone is behind by what the stages take; a batch back to back, while the decoder is held, by as long as it was held, and it waits whole.
#[test]
fn how_far_the_decoder_is_behind_is_told() {
    let Some((templates, packets)) = micex_packets("increment_a.dat") else {
        return;
    };
    let mut bench = Bench::new(&templates, &[], Producers::default());
    for (number, packet) in (7..).zip(&packets[..20]) {
        bench.send(number, packet, false);
    }
    let alone = bench.driver.fast_lag().expect("it answers");
    println!("{alone:?}");
    assert!(alone.last <= alone.most);
    // 10 cycles of the engine at least; at 8 bytes a cycle a token of a byte takes as long as eight bytes of the wire.
    let longest = packets[..20].iter().map(Vec::len).max().expect("packets") as u32;
    assert!(
        (10..10 + 2 * longest).contains(&alone.most),
        "{alone:?}, {longest}"
    );
    let begun = bench.driver.registers().cycle();
    assert_eq!(bench.driver.hold_fast(0), Ok(true));
    let mut bytes = 0;
    for (number, packet) in (27..).zip(&packets[20..23]) {
        bench.send(number, packet, false);
        bytes += packet.len() as u32;
    }
    bench.driver.release_fast(0, false).expect("held");
    bench.driver.registers().run(2_000);
    let held = bench.driver.registers().cycle() - begun;
    let behind = bench.driver.fast_lag().expect("it answers");
    println!("{behind:?} of {held} cycles and {bytes} bytes");
    // The first of them came soon after the hold began, and was done soon after it ended.
    assert!(behind.most as u64 > held / 2 && (behind.most as u64) < held);
    assert!(behind.last < behind.most);
    // Each packet's last beat counts whole; two beats wait in the tokenizer.
    let most = bytes - 16..bytes + 3 * 8;
    assert!(most.contains(&behind.waiting_most), "{behind:?}");
}
