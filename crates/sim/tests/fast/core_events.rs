//! What a core with a ring says there of the events it decodes, and of what goes wrong in its stages.

use std::path::Path;

use decoder::Fast;
use decoder::fast::{Cause, Hardware, Map};
use device::ring::{Class, Incident, Line, Status};
use device::{Arbitration, Driver, FieldReader, Producers, Ring, Source, Window};
use fast::microcode::{Room, Wanted};
use fast::{Decoder, Framing, Settings, Templates};
use sim::fast_items::{FromDecoder, FromRing, Item, RingPacket};
use sim::orders::FastFeed;
use sim::{Core, Frame, Preset, Setup, Width};
use wire::itch::Version;
use wire::{Event, Symbol};

use crate::recorded::micex_packets;

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
    fn new(width: Width, templates: &Templates, symbols: &[Symbol], producers: Producers) -> Self {
        let setup = Setup::example(Version::V50, symbols);
        let mut driver = setup.core_of(Preset::with_ring(width)).expect("set up");
        driver.set_arbitration(&ARBITRATION).expect("taken");
        let map = map();
        let feed = FastFeed {
            templates,
            map: &map,
            settings: Settings::default(),
            before: None,
        };
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

    /// Sends a packet; `damaged`: its FCS is wrong. What the ring says then is in `lines`.
    fn send(&mut self, number: u32, messages: &[u8], damaged: bool) {
        let (mut payload, mut frame) = (Vec::new(), Vec::new());
        Framing::Preamble.put(number, messages, &mut payload);
        let header = self.setup.feed();
        header.emit(&payload, &mut frame).expect("it fits");
        if damaged {
            *frame.last_mut().expect("a frame") ^= 1;
        }
        self.driver.registers().send_all(&[Frame::new(&frame)]);
        self.driver.registers().run(2_000);
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
    for width in Width::ALL {
        let producers = Producers {
            fields: true,
            events: true,
            ..Producers::default()
        };
        let mut bench = Bench::new(width, &templates, &symbols, producers);
        let (mut decoder, mut of_fields) = (software(&templates), Decoder::new(&templates));
        let mut reader = FieldReader::new(hardware.numbering.clone());
        let (mut count, mut ours) = (0, 0);
        for (number, packet) in (7..).zip(packets) {
            if number % 5 == 0 {
                bench.send(number, packet, true);
                assert_eq!(bench.events().1, [false], "{width:?}, packet {number}");
            }
            bench.send(number, packet, false);
            let mut expected = Vec::new();
            let cause = decoder.datagram(packet, &mut |event: &Event| expected.push(*event));
            of_ours(&mut expected, &symbols);
            assert_eq!(cause, Cause::Good);
            assert_eq!(
                bench.events(),
                (expected, vec![true]),
                "{width:?}, packet {number}"
            );
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
            assert_eq!(packet, Ok(Some(RingPacket::Good(from.items))), "{width:?}");
        }
        println!("{width:?}: {count} events, {ours} of our instruments");
        assert!(count > 600 && ours > 50, "{count} events, {ours} ours");
    }
}

#[test]
fn what_goes_wrong_in_the_stages_is_in_the_ring() {
    let Some((templates, packets)) = micex_packets("increment_a.dat") else {
        return;
    };
    for width in Width::ALL {
        let producers = Producers {
            stages: true,
            ..Producers::default()
        };
        let mut bench = Bench::new(width, &templates, &[], producers);
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
}
