//! Feeds side by side: MICEX as the first, trades of MOEX as the second, on one wire into one core and one ring, each against a software decoder of its own.

use cosim::fast_items::RingPacket;
use cosim::fast_ring::{FeedTemplates, Read, load};
use cosim::{Frame, Preset, Setup};
use device::ring::Class;
use device::{Producers, Ring, Source};
use fast::{Decoder, Framing};
use formats::itch::Version;

use super::common::Random;
use super::feeds_bench::{Bench, Counted, Feed, feeds, framed, send};

/// Of a frame: before its UDP payload.
const HEADERS: usize = 42;
/// Preamble and the smallest gap.
const BETWEEN: u64 = 20;

/// Batches of all feeds, interleaved in any order and back to back; each line loses one packet in six, and sends the others when it would have sent them. `spoil`: of the second feed, packets are also cut
/// short, or come with a bad FCS on both lines.
fn interleaved(spoil: bool) {
    const EACH: usize = 6;
    let Some(feeds) = feeds() else {
        return;
    };
    let mut bench = Bench::new(&feeds, Source::HighReliability, 12);
    let mut random = Random(if spoil { 5 } else { 19 });
    let mut counted = [Counted::default(); 2];
    let mut last: [Option<u32>; 2] = [None; 2];
    let numbers = |feed: &Feed| -> Vec<u32> { feed.lines[0].keys().copied().collect() };
    let numbers = [0, 1].map(|feed: usize| numbers(&feeds[feed]));
    for batch in 0..40 {
        let mut order: Vec<_> = (0..EACH * 2).map(|at| at % 2).collect();
        for at in (1..order.len()).rev() {
            order.swap(at, random.below(at as u64 + 1) as usize);
        }
        let mut at = [batch * EACH; 2];
        let mut place = 0;
        let (mut frames, mut expected) = (Vec::new(), [vec![], vec![]]);
        for feed in order {
            let number = numbers[feed][at[feed]];
            at[feed] += 1;
            let cut = spoil && feed == 1 && random.below(6) == 0;
            let bad_fcs = spoil && feed == 1 && random.below(6) == 0;
            let mut came = None;
            let mut bytes = 0;
            for line in 0..2 {
                let Some(message) = feeds[feed].lines[line].get(&number) else {
                    continue;
                };
                // The first of all and the last of a batch come: what is missing is known.
                let sure = last[feed].is_none() || at[feed] == (batch + 1) * EACH;
                if !sure && random.below(6) == 0 {
                    continue;
                }
                let length = message.len() - usize::from(cut);
                let message = &message[..length];
                let mut frame = bench.frame(feed, line, number, message);
                if bad_fcs && !sure {
                    let end = frame.len() - 1;
                    frame[end] ^= 0x10;
                } else {
                    came = Some(message);
                }
                bytes = bytes.max(frame.len() as u64 + BETWEEN);
                frames.push((line, place, frame));
            }
            place += bytes.div_ceil(8);
            let Some(message) = came else {
                continue;
            };
            let items = bench.expect(feed, message);
            assert_eq!(items.is_none(), cut, "a packet cut short is bad");
            let missing = last[feed].map_or(0, |last| number - last - 1);
            let counted = &mut counted[feed];
            counted.packets += u32::from(!cut);
            counted.malformed += u32::from(cut);
            counted.truncated += u32::from(cut);
            counted.lost += missing;
            counted.gaps += u32::from(missing != 0 || cut);
            counted.arbiter.0 += missing;
            counted.arbiter.1 += u32::from(missing != 0);
            last[feed] = Some(number);
            expected[feed].push((number, items));
        }
        send(&mut bench, &frames);
        bench.compare(expected);
    }
    for (feed, counted) in counted.iter().enumerate() {
        assert_eq!(bench.counters(feed), *counted, "feed {feed}");
        assert!(counted.packets > 30);
    }
    assert!(counted.iter().any(|counted| counted.lost > 0));
    assert_eq!(counted[0].malformed, 0);
    assert_eq!(counted[1].malformed > 5, spoil);
    let ring = bench.core.counters().expect("it answers");
    assert_eq!((ring.lost, ring.errors), (0, 0));
    println!("{counted:?}, {} lines", ring.written);
}

#[test]
fn two_feeds_that_are_interleaved_on_one_wire_decode_as_in_software() {
    interleaved(false);
}

#[test]
fn bad_packets_of_one_feed_change_nothing_of_the_other() {
    interleaved(true);
}

/// The first feed comes all the time; meanwhile the second one's engine is loaded anew, and begins with empty dictionaries with the packets that have waited.
#[test]
fn an_engine_is_loaded_while_the_other_one_decodes() {
    let Some(feeds) = feeds() else {
        return;
    };
    let mut bench = Bench::new(&feeds, Source::LowLatency, 14);
    let mut expected = [vec![], vec![]];
    // The second one's dictionaries are filled.
    for (number, message) in feeds[1].lines[0].iter().take(5) {
        let frame = bench.frame(1, 0, *number, message);
        let items = bench.expect(1, message);
        expected[1].push((*number, items));
        send(&mut bench, &[(0, 0, frame)]);
    }
    bench.compare(expected);
    bench.software[1] = Decoder::new(&feeds[1].templates);
    let mut expected = [vec![], vec![]];
    let program = FeedTemplates {
        templates: &feeds[1].templates,
        reset_each_packet: false,
    };
    let before = bench.core.driver().registers().cycle();
    load(bench.core.driver(), 1, &program).expect("it is loaded");
    let start = bench.core.driver().registers().cycle() + 100;
    let step = (start - before) / 100;
    let packets = feeds[0].lines[0].iter().take(200);
    for ((number, message), at) in packets.zip((start..).step_by(step as usize)) {
        let frame = bench.frame(0, 0, *number, message);
        expected[0].push((*number, bench.expect(0, message)));
        bench.core.driver().registers().queue(Frame {
            at,
            ..Frame::new(&frame)
        });
    }
    let packets = feeds[1].lines[0].iter().skip(5).take(4);
    for ((number, message), at) in packets.zip((start + 2_000..).step_by(800)) {
        let frame = bench.frame(1, 1, *number, message);
        expected[1].push((*number, bench.expect(1, message)));
        bench.core.driver().registers().queue(Frame {
            line: 1,
            at,
            ..Frame::new(&frame)
        });
    }
    load(bench.core.driver(), 1, &program).expect("it is loaded");
    let loaded = bench.core.driver().registers().cycle();
    assert!(bench.core.driver().registers().is_sending());
    while bench.core.driver().registers().is_sending() {
        bench.core.driver().registers().run(100);
    }
    let read = bench.read();
    for (feed, expected) in expected.into_iter().enumerate() {
        let packets = read[feed].iter().map(|read| read.packet.clone());
        let expected = expected.into_iter().map(|(_, items)| items.expect("good"));
        let expected: Vec<_> = expected.map(RingPacket::Good).collect();
        assert_eq!(packets.collect::<Vec<_>>(), expected, "feed {feed}");
    }
    let meanwhile = read[0].iter().filter(|read| read.cycle < loaded).count();
    assert!((50..150).contains(&meanwhile), "{meanwhile}");
    assert!(read[1].iter().all(|read| read.cycle > loaded - 200));
}

/// The second one's engine is held: its packets fill its buffer, and those that find no room are counted as its own.
#[test]
fn a_feed_that_is_held_overflows_alone_and_is_counted() {
    let Some(feeds) = feeds() else {
        return;
    };
    let mut bench = Bench::new(&feeds, Source::LowLatency, 14);
    assert_eq!(bench.core.driver().hold_fast(1), Ok(true));
    let mut expected = Vec::new();
    let mut sent = 0;
    let firsts = feeds[0].lines[0].iter();
    let seconds = feeds[1].lines[0].iter();
    for ((number, first), (other, second)) in firsts.zip(seconds).take(200) {
        let frame = bench.frame(0, 0, *number, first);
        let both = [(0, 0, frame), (0, 0, bench.frame(1, 0, *other, second))];
        expected.push(RingPacket::Good(bench.expect(0, first).expect("good")));
        send(&mut bench, &both);
        bench.core.driver().registers().run(400);
        sent += 1;
    }
    let [first, second] = bench.read();
    let packets: Vec<_> = first.into_iter().map(|read| read.packet).collect();
    assert_eq!(packets, expected);
    assert_eq!(second, []);
    bench.core.driver().release_fast(1, true).expect("held");
    let [first, second] = bench.read();
    assert_eq!(first, []);
    let (one, two) = (bench.counters(0), bench.counters(1));
    assert_eq!((one.packets, one.malformed, one.no_room), (sent, 0, 0));
    assert!(two.no_room > 50, "{two:?}");
    // A part of one may have come: it is in the ring as bad.
    let good = |read: &&Read| matches!(read.packet, RingPacket::Good(_));
    let good = second.iter().filter(good).count() as u32;
    assert_eq!((two.packets, good + two.no_room), (good, sent));
}

/// The host does not read: both feeds lose lines, each has a notice where they are missing, and loses none afterwards.
#[test]
fn what_finds_no_room_in_the_ring_is_told_to_the_feed_that_misses_it() {
    let Some(feeds) = feeds() else {
        return;
    };
    let mut bench = Bench::new(&feeds, Source::LowLatency, 4);
    let mut told = [0; 2];
    let [firsts, seconds] = [0, 1].map(|feed: usize| feeds[feed].lines[0].iter().take(60));
    for (step, pair) in firsts.zip(seconds).enumerate() {
        let pair = [pair.0, pair.1];
        let expected = [0, 1].map(|feed| bench.expect(feed, pair[feed].1).expect("good"));
        let frames = [0, 1].map(|feed| (0, 0, bench.frame(feed, 0, *pair[feed].0, pair[feed].1)));
        send(&mut bench, &frames);
        bench.core.driver().registers().run(1_000);
        if step < 40 {
            continue;
        }
        let lost = bench.core.counters().expect("it answers").lost;
        for (feed, read) in bench.read().into_iter().enumerate() {
            let lost_here = read.iter().filter(|read| read.packet == RingPacket::Lost);
            told[feed] += lost_here.count();
            // From the second on nothing is missing any more.
            if step > 41 {
                let packets: Vec<_> = read.into_iter().map(|read| read.packet).collect();
                assert_eq!(packets, [RingPacket::Good(expected[feed].clone())]);
            }
        }
        assert!(lost > 100, "{lost}");
    }
    assert!(told.iter().all(|told| *told >= 1), "{told:?}");
    let counters = [bench.counters(0), bench.counters(1)];
    assert!(counters.iter().all(|feed| feed.packets == 60));
}

/// A feed's group with another one's port is unclaimed. What comes to the core's own address goes by its port.
#[test]
fn a_datagram_is_of_the_feed_that_has_both_its_group_and_its_port() {
    let Some(feeds) = feeds() else {
        return;
    };
    let mut bench = Bench::new(&feeds, Source::LowLatency, 10);
    let message = [0, 1].map(|feed: usize| feeds[feed].lines[0].iter().next());
    let message = message.map(|first| first.expect("there are some"));
    let mut mixed = bench.headers[0][0];
    mixed.destination_port = bench.headers[1][0].destination_port;
    let frames = [0, 1].map(|line| (line, 0, framed(&mixed, *message[1].0, message[1].1)));
    send(&mut bench, &frames);
    assert_eq!(bench.read(), [vec![], vec![]]);
    let driver = bench.core.driver();
    assert_eq!(driver.counters().expect("it answers").net.other_port, 1);
    assert_eq!(driver.line_b().expect("it answers").other_port, 1);
    let host = driver.registers().host_frames().len();
    assert_eq!(host, 2);
    let setup = Setup::example(Version::V50, &[]);
    let mut own = mixed;
    own.destination_mac = setup.net.local_mac;
    own.destination_ip = setup.net.local_ip;
    send(
        &mut bench,
        &[(1, 0, framed(&own, *message[1].0, message[1].1))],
    );
    let items = bench.expect(1, message[1].1);
    bench.compare([vec![], vec![(*message[1].0, items)]]);
}

/// Packets as they came, beside their fields: bytes say whose they are too.
#[test]
fn packets_are_in_the_ring_with_their_feed() {
    const BASE: u64 = 0x4000;
    let Some(feeds) = feeds() else {
        return;
    };
    let mut bench = Bench::new(&feeds, Source::LowLatency, 10);
    let driver = bench.core.driver();
    driver.registers().begin_memory(BASE, 8 << 12);
    let both = Producers {
        fields: true,
        packets: true,
        ..Producers::default()
    };
    assert_eq!(driver.begin_ring(BASE, 12, both), Ok(true));
    let mut sent = [Vec::new(), Vec::new()];
    let mut frames = Vec::new();
    for step in 0..8 {
        for feed in 0..2 {
            let packet = feeds[feed].lines[0].iter().nth(step);
            let (number, message) = packet.expect("there are some");
            let frame = bench.frame(feed, 0, *number, message);
            let mut payload = Vec::new();
            Framing::Preamble.put(*number, message, &mut payload);
            assert_eq!(frame[HEADERS..][..payload.len()], payload);
            sent[feed].push(payload);
            frames.push((0, 0, frame));
        }
    }
    send(&mut bench, &frames);
    bench.core.driver().registers().run(20_000);
    let memory = bench.core.driver().registers();
    let mut ring = Ring::new(12);
    let mut found = [vec![vec![]], vec![vec![]]];
    let mut fields = [0; 2];
    while let Some(line) = ring.poll(&*memory) {
        let feed = usize::from(line.feed());
        if line.class != Class::Bytes {
            fields[feed] += line.values().count();
            continue;
        }
        let open = found[feed].last_mut().expect("one is open");
        open.extend(line.bytes());
        if line.message_end {
            assert!(line.frame_is_good());
            found[feed].push(vec![]);
        }
    }
    for (feed, mut found) in found.into_iter().enumerate() {
        assert_eq!(found.pop(), Some(vec![]));
        assert_eq!(found, sent[feed], "feed {feed}");
        assert!(fields[feed] > 20);
    }
}

#[test]
fn a_core_has_the_engines_that_it_says() {
    let all = Preset::all().iter();
    let fast = all.filter(|preset| preset.ring && preset.feed == cosim::Feed::Fast);
    for preset in fast {
        let Some(feeds) = feeds() else {
            return;
        };
        let setup = Setup::example(Version::V50, &[]);
        let mut driver = setup.core_of(preset).expect("set up");
        assert_eq!(driver.feeds(), preset.feeds, "{}", preset.name);
        for feed in 0..6 {
            let there = u32::from(feed) < preset.feeds;
            assert_eq!(driver.hold_fast(feed), Ok(there), "{}", preset.name);
        }
        let program = FeedTemplates {
            templates: &feeds[0].templates,
            reset_each_packet: false,
        };
        assert!(load(&mut driver, preset.feeds as u8, &program).is_err());
    }
}
