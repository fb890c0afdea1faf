//! What the engine decodes and the frames it gets, through a ring in host memory.

use cosim::fast_items::{FromDecoder, FromRing, Item, RingPacket};
use device::Ring;
use device::ring::{Class, Status};
use fast::microcode::{Numbering, Room, Wanted, assemble};
use fast::{Decoder, Templates};

use super::common::{Random, all_widths};
use super::fast_sim::{Producer, RingEngine, Width, Wire};
use super::recorded::{micex_packets, moex_packets};
use super::references::{MESSAGE, XML};

/// Packets through the ring; each item as in software. Returns how many lines were read.
fn compare(width: Width, templates: &Templates, packets: &[Vec<u8>], size_log2: u32) -> u32 {
    let wanted = Wanted::All;
    let mut program = assemble(templates, &wanted, Room::default());
    let numbering = Numbering::number(&mut program).expect("few fields");
    let mut engine = RingEngine::new(width);
    engine.engine().load(&program);
    engine.begin(Producer::Fields, size_log2 as u8);
    engine.engine().run(300);
    let mut decoder = Decoder::new(templates);
    let mut ring = FromRing::new(size_log2, numbering);
    let mut random = Random(11);
    for (index, packet) in packets.iter().enumerate() {
        engine.slow([0, 100, 200][random.below(3) as usize]);
        engine.packet(packet, &Wire::default());
        let mut expected = FromDecoder::new(templates, &wanted);
        decoder
            .packet(packet, &mut expected)
            .expect("the data is good");
        let mut read = None;
        for _ in 0..100_000 {
            read = ring.packet(&engine).expect("the program's numbers");
            if read.is_some() {
                break;
            }
            engine.position(ring.position());
            engine.engine().run(1);
        }
        let present = |item: &Item| !matches!(item, Item::Absent(_));
        let expected: Vec<Item> = expected.items.into_iter().filter(present).collect();
        assert_eq!(
            read,
            Some(RingPacket::Good(expected)),
            "{width:?}, packet {index}: {packet:02x?}"
        );
    }
    assert_eq!(engine.lost(), 0);
    assert!(!engine.engine().asserted());
    ring.position()
}

#[test]
fn the_host_reads_which_template_is_referred_to() {
    let templates = Templates::parse(XML).expect("well-formed");
    for width in all_widths() {
        compare(width, &templates, &vec![MESSAGE.to_vec(); 20], 4);
    }
}

#[test]
fn the_host_reads_the_fields_of_recorded_data_from_the_ring() {
    for width in all_widths() {
        if let Some((templates, packets)) = micex_packets("increment_a.dat") {
            let lines = compare(width, &templates, &packets[..1_000], 4);
            assert!(lines > 3_000, "{lines}");
        }
        if let Some((templates, packets)) = moex_packets() {
            compare(width, &templates, &packets[..1_000], 6);
        }
    }
}

#[test]
fn the_last_line_is_in_memory_four_cycles_after_the_last_field_at_most() {
    let Some((templates, packets)) = micex_packets("increment_a.dat") else {
        return;
    };
    let mut program = assemble(&templates, &Wanted::All, Room::default());
    Numbering::number(&mut program).expect("few fields");
    for width in all_widths() {
        let mut engine = RingEngine::new(width);
        engine.engine().load(&program);
        engine.begin(Producer::Fields, 20);
        engine.engine().run(300);
        for packet in &packets[..500] {
            engine.packet(packet, &Wire::default());
            engine.engine().run(800);
            let lines = engine.line_cycles();
            let given = engine.field_cycles();
            // The verdict's line, and the verdict.
            let (line, verdict) = (lines[lines.len() - 1], given[given.len() - 1]);
            assert!(
                line > verdict && line <= verdict + 4,
                "{width:?}: {verdict} {line}"
            );
            let (line, field) = (lines[lines.len() - 2], given[given.len() - 2]);
            assert!(
                line > field && line <= field + 4,
                "{width:?}: {field} {line}"
            );
        }
    }
}

#[test]
fn a_host_that_does_not_read_loses_lines_and_is_told_where_and_how_many() {
    let Some((templates, packets)) = micex_packets("increment_a.dat") else {
        return;
    };
    let mut program = assemble(&templates, &Wanted::All, Room::default());
    Numbering::number(&mut program).expect("few fields");
    for width in all_widths() {
        let mut engine = RingEngine::new(width);
        engine.engine().load(&program);
        engine.begin(Producer::Fields, 3);
        engine.engine().run(300);
        let mut ring = Ring::new(3);
        let (mut verdicts, mut said, mut sent) = (0, 0, 0);
        let mut poll = |engine: &mut RingEngine| {
            while let Some(line) = ring.poll(engine) {
                match line.status() {
                    Some(Status::Lost(lost)) => {
                        assert!(lost >= said);
                        said = lost;
                    }
                    Some(Status::Verdict { good, .. }) => {
                        assert!(good);
                        verdicts += 1;
                    }
                    None => assert_eq!(line.class, Class::Fields),
                    other => panic!("{other:?}"),
                }
            }
            engine.position(ring.position());
            engine.engine().run(200);
        };
        for (index, packet) in packets[..600].iter().enumerate() {
            engine.packet(packet, &Wire::default());
            engine.engine().run(400);
            sent += 1;
            if index % 50 == 49 {
                (0..20).for_each(|_| poll(&mut engine));
            }
        }
        // What is lost is reported with the next line.
        engine.packet(&packets[600], &Wire::default());
        engine.engine().run(400);
        (0..20).for_each(|_| poll(&mut engine));
        assert!(engine.lost() > 100, "{}", engine.lost());
        assert_eq!(said, engine.lost());
        assert!(verdicts < sent + 1);
        assert!(!engine.engine().asserted());
    }
}

#[test]
fn frames_are_read_from_the_ring_as_they_came() {
    for width in all_widths() {
        let mut engine = RingEngine::new(width);
        engine.begin(Producer::Frames, 6);
        let mut ring = Ring::new(6);
        let mut random = Random(5);
        for length in (1..=200).chain([1_400]) {
            let bytes: Vec<u8> = (0..length).map(|_| random.next() as u8).collect();
            let wire = random.wire();
            engine.packet(&bytes, &wire);
            engine.engine().run(100);
            let (mut read, mut good) = (Vec::new(), None);
            while let Some(line) = ring.poll(&engine) {
                assert_eq!(line.class, Class::Bytes);
                read.extend(line.bytes());
                if line.message_end {
                    assert_eq!(good, None);
                    good = Some(line.frame_is_good());
                }
            }
            engine.position(ring.position());
            engine.engine().run(4);
            assert_eq!(read, bytes, "{width:?}, {length} bytes");
            assert_eq!(good, Some(!wire.err));
        }
    }
}
