//! Lines A and B of one feed: packets with their times, what each line carries of them, and what the core delivers.

use cosim::{Core, Delivered, Frame, HostFrame, Setup, Width};
use device::{Arbitration, Driver, Gap, Source, Window};
use formats::Symbol;
use formats::counters::Counters;
use formats::counters::{ArbiterCounters, FeedCounters, LineCounters, NetCounters};
use formats::itch::Version;

/// A packet of a feed, as a frame.
pub struct Packet {
    /// Cycles after the beginning in which its copy on line A begins.
    pub at: u64,
    pub sequence: u64,
    pub messages: u64,
    pub frame: Vec<u8>,
}

/// Sequence number and count of messages in a frame of [`Setup::feed`].
pub fn numbers(frame: &[u8]) -> (u64, u64) {
    let payload = formats::ethernet::HEADER + formats::ipv4::HEADER + formats::udp::HEADER;
    let (header, _) = formats::mold::Header::parse(&frame[payload..]).expect("a MoldUDP64 packet");
    (header.sequence, u64::from(header.messages()))
}

/// Cycles that a frame takes on a line, with its preamble and the least gap.
pub fn cycles(width: Width, frame: &[u8]) -> u64 {
    (8 + frame.len() as u64 + 12).div_ceil(u64::from(width.bits() / 8))
}

/// Frames one after another, `gap` cycles between them, and `pause` before one that begins a second, so that no report is missed.
pub fn paced(
    width: Width,
    setup: &Setup,
    frames: Vec<Vec<u8>>,
    gap: u64,
    pause: u64,
) -> Vec<Packet> {
    let mut twin = setup.twin().expect("the twin takes the setup");
    let mut next = 0;
    let place = |frame: Vec<u8>| {
        let pause = if twin.frame(&frame).is_empty() {
            0
        } else {
            pause
        };
        let (sequence, messages) = numbers(&frame);
        let at = next + pause;
        next = at + cycles(width, &frame) + gap;
        Packet {
            at,
            sequence,
            messages,
            frame,
        }
    };
    frames.into_iter().map(place).collect()
}

/// The copies of packets on a line that is `behind` cycles behind, except those that it loses.
pub fn copies<'a>(
    packets: &'a [Packet],
    line: usize,
    begin: u64,
    behind: u64,
    loses: impl Fn(usize) -> bool,
) -> Vec<Frame<'a>> {
    let kept = packets
        .iter()
        .enumerate()
        .filter(|(index, _)| !loses(*index));
    kept.map(|(_, packet)| Frame {
        line,
        at: begin + behind + packet.at,
        ..Frame::new(&packet.frame)
    })
    .collect()
}

/// High reliability with a time window.
pub fn high_reliability(time: u64) -> Arbitration {
    Arbitration {
        source: Source::HighReliability,
        window: Window::Time,
        time: time as u32,
        count: 1_000,
        idle_limit: 0,
    }
}

/// Low latency.
pub fn low_latency() -> Arbitration {
    Arbitration {
        source: Source::LowLatency,
        ..high_reliability(0)
    }
}

/// A core that arbitrates so, and the first cycle in which frames may begin.
pub fn core(width: Width, setup: &Setup, arbitration: &Arbitration) -> (Driver<Core>, u64) {
    let mut driver = setup.core(width).expect("the core takes the setup");
    driver
        .set_arbitration(arbitration)
        .expect("registers can be written");
    let begin = driver.registers().cycle() + 100;
    (driver, begin)
}

/// All that a core gave and counted.
pub struct Outcome {
    pub delivered: Vec<Delivered>,
    pub reports: Vec<Vec<u8>>,
    pub host: Vec<HostFrame>,
    pub counters: Counters,
    pub line_b: NetCounters,
    pub lines: [LineCounters; 2],
    pub both: ArbiterCounters,
    pub gap: Option<Gap>,
}

impl Outcome {
    /// Number of the first message and count of each packet delivered.
    pub fn numbers(&self) -> Vec<(u64, u64)> {
        self.delivered
            .iter()
            .map(|packet| (packet.sequence, packet.messages))
            .collect()
    }

    /// Good packets that left on the high-reliability output.
    pub fn left(&self) -> u64 {
        let [a, b] = self.lines;
        u64::from(a.cut_through) + u64::from(b.cut_through) + u64::from(self.both.released)
    }
}

/// Sends the frames, then waits until nothing is kept any more: so many cycles.
pub fn play(driver: &mut Driver<Core>, frames: &[Frame], wait: u64) -> Outcome {
    let core = driver.registers();
    core.send_all(frames);
    core.run(wait);
    assert!(core.run_until_idle());
    collect(driver)
}

/// What a core gave since the last time, and counted in all.
pub fn collect(driver: &mut Driver<Core>) -> Outcome {
    const READ: &str = "registers can be read";
    let core = driver.registers();
    let (delivered, host) = (core.delivered(), core.host_frames());
    let received = core.take();
    assert!(received.iter().all(|frame| !frame.malformed));
    let (lines, both) = driver.arbiter_counters().expect(READ);
    Outcome {
        delivered,
        host,
        reports: received.into_iter().map(|frame| frame.bytes).collect(),
        counters: driver.counters().expect(READ),
        line_b: driver.line_b().expect(READ),
        lines,
        both,
        gap: driver.last_gap().expect(READ),
    }
}

/// The software's result for one line with these packets: its reports, and what it counts.
pub fn software<'a>(
    setup: &Setup,
    packets: impl Iterator<Item = &'a Packet>,
) -> (Vec<Vec<u8>>, FeedCounters) {
    let mut twin = setup.twin().expect("the twin takes the setup");
    let reports = packets
        .flat_map(|packet| twin.frame(&packet.frame))
        .collect();
    (reports, twin.counters().feed)
}

/// A small generator, so that the tests are the same each run.
pub struct Random(pub u64);

impl Random {
    /// Below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// Three symbols that trade.
pub fn symbols() -> Vec<Symbol> {
    ["ONE", "TWO", "THREE"]
        .map(|name| name.parse().expect("a symbol"))
        .to_vec()
}

/// Packets of 1 to `most` add orders, each packet a tenth of a second after the one before.
pub fn generated(setup: &Setup, random: &mut Random, packets: u64, most: u64) -> Vec<Vec<u8>> {
    let (version, symbols) = (setup.pipeline.version, symbols());
    let (mut sequence, mut second) = (1, 0);
    let mut packet = |index: u64| {
        let time = 34_200_000_000_000 + index * 100_000_000;
        let mut messages = vec![];
        if version == Version::V41 && second != time / 1_000_000_000 {
            second = time / 1_000_000_000;
            messages.push(super::common::begin(version, second as u32, symbols[0]));
        }
        for _ in 0..1 + random.below(most) {
            let order = random.below(1 << 30);
            messages.push(super::common::add(
                version,
                time,
                symbols[order as usize % 3],
                order,
            ));
        }
        super::common::frame(setup, &mut sequence, &messages)
    };
    (0..packets).map(&mut packet).collect()
}

/// Widths to try.
pub const WIDTHS: [Width; 2] = Width::ALL;
