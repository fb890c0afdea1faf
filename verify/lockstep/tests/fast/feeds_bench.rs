//! A core with several feeds, their data, and a software decoder for each.

use std::collections::BTreeMap;

use cosim::fast_items::{FromDecoder, Item, RingPacket};
use cosim::fast_ring::{FeedTemplates, Read, RingCore};
use cosim::{Frame, Preset, Setup};
use device::{Arbitration, FeedSlots, Source, Window};
use fast::{Decoder, Field, Framing, Templates, Value, Visitor};
use formats::Symbol;
use formats::ethernet::MacAddress;
use formats::frame::UdpFrame;
use formats::itch::Version;

use super::recorded::{micex_packets, moex_packets};

/// MsgSeqNum.
const NUMBER: u32 = 34;
/// `fast_pkg::FAST_FRAME`: the arbiter has taken a packet back that it had begun to pass.
const TAKEN_BACK: u8 = 17;

/// A feed: what each of its lines sends, by number.
pub struct Feed {
    pub templates: Templates,
    pub lines: [BTreeMap<u32, Vec<u8>>; 2],
}

/// The first: as both lines of MICEX sent it. The second: the trades of MOEX, of which one line was recorded.
pub fn feeds() -> Option<[Feed; 2]> {
    let (templates, a) = micex_packets("increment_a.dat")?;
    let (_, b) = micex_packets("increment_b.dat")?;
    let lines = [numbered(&templates, a), numbered(&templates, b)];
    let (trades, packets) = moex_packets()?;
    let packets: BTreeMap<_, _> = (1_000..).zip(packets).collect();
    let second = Feed {
        templates: trades,
        lines: [packets.clone(), packets],
    };
    Some([Feed { templates, lines }, second])
}

/// A line's packets, by the number in them.
fn numbered(templates: &Templates, packets: Vec<Vec<u8>>) -> BTreeMap<u32, Vec<u8>> {
    struct Number(Option<u64>);
    impl Visitor for Number {
        fn field(&mut self, field: Field, value: Value<'_>) {
            if let (NUMBER, Value::Unsigned(value)) = (field.tag, value) {
                self.0 = Some(value);
            }
        }
    }
    let mut decoder = Decoder::new(templates);
    let number = |packet: Vec<u8>| {
        let mut number = Number(None);
        let decoded = decoder.packet(&packet, &mut number);
        decoded.expect("the data is good");
        (number.0.expect("it has one") as u32, packet)
    };
    packets.into_iter().map(number).collect()
}

/// Cycles by which line B comes after line A: while it is short, one line never keeps three packets of a feed that wait for the other, which would be all it can.
const SKEW: u64 = 20;
/// Cycles that a packet waits for the one before it.
const WINDOW: u32 = 600;
/// Cycles after which nothing comes any more.
const QUIET: u64 = 4_000;

/// A core, and a software decoder by feed.
pub struct Bench {
    pub core: RingCore,
    templates: Vec<Templates>,
    pub software: Vec<Decoder>,
    /// By feed and line.
    pub headers: Vec<[UdpFrame; 2]>,
}

impl Bench {
    pub fn new(feeds: &[Feed; 2], source: Source, ring: u32) -> Self {
        let preset = Preset::by_name("capture_feeds_10g").expect("a preset");
        let mut setup = Setup::example(Version::V50, &[Symbol(*b"ABC     ")]);
        for (slot, group) in setup.net.groups.iter_mut().enumerate() {
            *group = [239, 77, 1, 1 + slot as u8].into();
        }
        setup.net.ports = [26_400, 26_401, 26_402, 26_403];
        let arbitration = Arbitration {
            source,
            window: Window::Time,
            time: WINDOW,
            count: 1,
            idle_limit: 0,
        };
        let program = |feed| FeedTemplates {
            templates: feed,
            reset_each_packet: false,
        };
        let templates: Vec<_> = feeds.iter().map(|feed| feed.templates.clone()).collect();
        let programs: Vec<_> = templates.iter().map(program).collect();
        let core = RingCore::of_feeds(preset, &setup, &arbitration, &programs, ring);
        let mut core = core.expect("set up");
        let mut slots = [FeedSlots::default(); 4];
        // Two groups each, while there are enough.
        let first_group = |feed: usize| 2 * feed % 4;
        for (feed, slots) in slots.iter_mut().enumerate().take(feeds.len()) {
            *slots = FeedSlots {
                groups: 0b11 << first_group(feed),
                ports: 1 << feed,
            };
        }
        core.driver().set_feeds(slots).expect("it answers");
        let header = |group: usize, port: usize| {
            let group = setup.net.groups[group];
            let to = (MacAddress::of_group(group), group, setup.net.ports[port]);
            let report = &setup.report;
            UdpFrame::new((report.destination_mac, report.destination_ip, 26_399), to)
        };
        Bench {
            core,
            software: templates.iter().map(Decoder::new).collect(),
            templates,
            headers: (0..feeds.len())
                .map(|feed| [0, 1].map(|line| header(first_group(feed) + line, feed)))
                .collect(),
        }
    }

    pub fn frame(&self, feed: usize, line: usize, number: u32, message: &[u8]) -> Vec<u8> {
        framed(&self.headers[feed][line], number, message)
    }

    /// What software says of a feed's next packet: what it says, or that it is bad.
    pub fn expect(&mut self, feed: usize, message: &[u8]) -> Option<Vec<Item>> {
        let wanted = fast::microcode::Wanted::All;
        let mut found = FromDecoder::new(&self.templates[feed], &wanted);
        self.software[feed].packet(message, &mut found).ok()?;
        // A field without a value is not in the ring.
        let present = |item: &Item| !matches!(item, Item::Absent(_));
        Some(found.items.into_iter().filter(present).collect())
    }

    /// Reads until nothing comes any more: by feed, what is not taken back.
    pub fn read(&mut self) -> [Vec<Read>; 2] {
        let read = self.core.read_feeds(QUIET);
        let mut by_feed = [vec![], vec![]];
        for read in read.expect("the programs' lines") {
            if read.packet != RingPacket::Bad(TAKEN_BACK) {
                by_feed[usize::from(read.feed)].push(read);
            }
        }
        by_feed
    }

    /// Reads, and compares with these packets by feed, `None` for a bad one.
    pub fn compare(&mut self, expected: [Vec<(u32, Option<Vec<Item>>)>; 2]) {
        let read = self.read();
        for (feed, (read, expected)) in read.into_iter().zip(expected).enumerate() {
            let numbers: Vec<_> = expected.iter().map(|(number, _)| number).collect();
            let found = read.len();
            assert_eq!(found, numbers.len(), "feed {feed}: {numbers:?} {read:?}");
            for (read, (number, items)) in read.into_iter().zip(expected) {
                match (&read.packet, items) {
                    (RingPacket::Bad(_), None) => {}
                    (packet, Some(items)) => {
                        assert_eq!(*packet, RingPacket::Good(items), "feed {feed}, {number}");
                    }
                    (packet, None) => panic!("feed {feed}, {number}: {packet:?}"),
                }
            }
        }
    }

    /// Of a feed: packets decoded, messages lost, gaps, packets that are malformed, why, that found no room; and of these lost and the gaps of the arbiter.
    pub fn counters(&mut self, feed: usize) -> Counted {
        let driver = self.core.driver();
        driver.show_feed(feed as u8).expect("it answers");
        let counters = driver.counters().expect("it answers").feed;
        let causes = driver.fast_causes().expect("it answers");
        let of = |wanted| causes.iter().find(|(name, _)| *name == wanted);
        let of = |wanted| of(wanted).expect("a counter").1;
        let (truncated, broken_off) = (of("truncated"), of("broken_off"));
        let all: u32 = causes.iter().map(|(_, count)| count).sum();
        assert_eq!(all, truncated + broken_off, "{causes:?}");
        let (_, both) = driver.arbiter_counters().expect("it answers");
        let arbiter = (both.high_lost, both.high_gap);
        Counted {
            packets: counters.mold_packet,
            malformed: counters.mold_malformed,
            truncated,
            lost: counters.mold_lost as u32,
            gaps: counters.mold_gap,
            no_room: driver.fast_overflow().expect("it answers"),
            arbiter,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    pub packets: u32,
    pub malformed: u32,
    /// Of those, packets that end inside a message.
    pub truncated: u32,
    pub lost: u32,
    pub gaps: u32,
    pub no_room: u32,
    /// Lost, and gaps, on the high-reliability output.
    pub arbiter: (u32, u32),
}

pub fn framed(header: &UdpFrame, number: u32, message: &[u8]) -> Vec<u8> {
    let (mut payload, mut frame) = (Vec::new(), Vec::new());
    Framing::Preamble.put(number, message, &mut payload);
    header.emit(&payload, &mut frame).expect("it fits");
    frame
}

/// A frame of a batch: its line, the cycle from which on it may come, its bytes.
pub type Placed = (usize, u64, Vec<u8>);

/// Sends a batch; what may come at once comes back to back, on line B a little later.
pub fn send(bench: &mut Bench, frames: &[Placed]) {
    let start = bench.core.driver().registers().cycle() + 16;
    let frames: Vec<Frame<'_>> = frames
        .iter()
        .map(|(line, at, bytes)| Frame {
            line: *line,
            at: start + at + *line as u64 * SKEW,
            ..Frame::new(bytes)
        })
        .collect();
    bench.core.send(&frames, 0);
}
