//! The core with a ring in host memory: what it writes there of packets on line A, and what it refuses.

use cosim::fast_items::RingPacket;
use cosim::fast_ring::RingCore;
use cosim::{Core, Frame, Preset, Setup, Width};
use device::ring::Class;
use device::{Arbitration, Driver, Producers, Ring, Source, Window};
use fast::Framing;
use formats::Symbol;
use formats::itch::Version;

use super::recorded::micex_packets;

const ARBITRATION: Arbitration = Arbitration {
    source: Source::LowLatency,
    window: Window::Time,
    time: 0,
    count: 1,
    idle_limit: 0,
};
const BASE: u64 = 0x8000;

fn frames(setup: &Setup, packets: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let header = setup.feed();
    let frame = |(number, messages): (u32, &Vec<u8>)| {
        let (mut payload, mut frame) = (Vec::new(), Vec::new());
        Framing::Preamble.put(number, messages, &mut payload);
        header.emit(&payload, &mut frame).expect("it fits");
        frame
    };
    (7..).zip(packets).map(frame).collect()
}

fn core(setup: &Setup) -> Driver<Core> {
    let mut driver = setup.core_of(Preset::with_ring()).expect("set up");
    driver.set_arbitration(&ARBITRATION).expect("taken");
    driver
}

#[test]
fn packets_are_in_the_ring_as_they_came() {
    let Some((_, packets)) = micex_packets("increment_a.dat") else {
        return;
    };
    let setup = Setup::example(Version::V50, &[Symbol(*b"ABC     ")]);
    let mut driver = core(&setup);
    driver.registers().begin_memory(BASE, 8 << 10);
    let producers = Producers {
        packets: true,
        ..Producers::default()
    };
    assert!(driver.begin_ring(BASE, 10, producers).expect("it answers"));
    let mut ring = Ring::new(10);
    let mut payload = Vec::new();
    for (frame, number) in frames(&setup, &packets[..50]).iter().zip(7u32..) {
        driver.registers().send_all(&[Frame::new(frame)]);
        driver.registers().run(200);
        let memory: &Core = driver.registers();
        payload.clear();
        let mut good = None;
        while let Some(line) = ring.poll(memory) {
            assert_eq!(line.class, Class::Bytes);
            payload.extend(line.bytes());
            if line.message_end {
                good = Some(line.frame_is_good());
            }
        }
        let mut sent = Vec::new();
        Framing::Preamble.put(number, &packets[number as usize - 7], &mut sent);
        assert_eq!(good, Some(true), "packet {number}");
        assert_eq!(payload, sent, "packet {number}");
    }
}

#[test]
fn a_host_that_does_not_read_is_told_and_the_core_counts_it() {
    let Some((templates, packets)) = micex_packets("increment_a.dat") else {
        return;
    };
    let setup = Setup::example(Version::V50, &[Symbol(*b"ABC     ")]);
    let preset = Preset::with_ring();
    let core = RingCore::new(preset, &setup, &ARBITRATION, &templates, false, 4);
    let mut core = core.expect("set up");
    let frames = frames(&setup, &packets[..200]);
    for frame in &frames[..150] {
        core.send(&[Frame::new(frame)], 400);
    }
    let lost = core.counters().expect("it answers").lost;
    assert!(lost > 100, "{lost}");
    let mut told = core.read(2_000).expect("the program's lines");
    // The next line says what is missing before it.
    core.send(&[Frame::new(&frames[150])], 400);
    told.extend(core.read(600).expect("the program's lines"));
    assert!(told.iter().any(|(packet, _)| *packet == RingPacket::Lost));
    // From here on it reads: nothing is missing any more.
    for frame in &frames[151..] {
        core.send(&[Frame::new(frame)], 100);
        let read = core.read(600).expect("the program's lines");
        let [(RingPacket::Good(items), _)] = read.as_slice() else {
            panic!("{read:?}");
        };
        assert!(!items.is_empty());
    }
    let counters = core.counters().expect("it answers");
    assert_eq!((counters.lost, counters.errors), (lost, 0));
}

#[test]
fn a_ring_of_a_size_that_there_is_not_is_refused_and_a_core_without_one_has_none() {
    let setup = Setup::example(Version::V50, &[Symbol(*b"ABC     ")]);
    let mut driver = core(&setup);
    for size_log2 in [0, 25, 31] {
        let refused = driver.begin_ring(BASE, size_log2, Producers::default());
        assert!(refused.is_err(), "{size_log2}");
    }
    assert!(driver.begin_ring(BASE, 24, Producers::default()).is_ok());
    assert!(driver.end_ring().is_ok());
    let mut other = setup
        .core_of(Preset::two_lines(Width::Xgmii))
        .expect("set up");
    assert_eq!(other.begin_ring(BASE, 4, Producers::default()), Ok(false));
    assert!(other.set_ring_position(1).is_err());
}

#[test]
fn a_bad_frame_is_in_the_ring_as_bad() {
    let Some((_, packets)) = micex_packets("increment_a.dat") else {
        return;
    };
    let setup = Setup::example(Version::V50, &[Symbol(*b"ABC     ")]);
    let mut driver = core(&setup);
    driver.registers().begin_memory(BASE, 8 << 8);
    let producers = Producers {
        packets: true,
        ..Producers::default()
    };
    assert!(driver.begin_ring(BASE, 8, producers).expect("it answers"));
    let mut frame = frames(&setup, &packets[..1]).remove(0);
    let last = frame.len() - 1;
    frame[last] ^= 1;
    driver.registers().send_all(&[Frame::new(&frame)]);
    driver.registers().run(1_000);
    let mut ring = Ring::new(8);
    let memory: &Core = driver.registers();
    let ends: Vec<bool> = std::iter::from_fn(|| ring.poll(memory))
        .filter(|line| line.message_end)
        .map(|line| line.frame_is_good())
        .collect();
    assert_eq!(ends, [false]);
}
