//! Random lines: what an exchange sent, and what of it arrives on each line, when, and in what state.

use arbiter::{Mode, Protocol};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Change, Design, Sent, Settings};

/// A packet as it was sent.
#[derive(Clone, Debug)]
pub struct Original {
    /// From 0.
    pub session: usize,
    /// The number of its first message, counted through all sessions and never wrapping.
    pub id: u64,
    /// Messages: 0 for a heartbeat and an end of session.
    pub count: u64,
    /// It says that the session is over.
    pub end_of_session: bool,
    /// Its number is far from all others: a line's fault.
    pub stray: bool,
    /// Its number as it is on the wire.
    pub number: u64,
    /// UDP payload.
    pub bytes: Vec<u8>,
}

impl Original {
    /// No message, and no end of session.
    pub fn is_heartbeat(&self) -> bool {
        self.count == 0 && !self.end_of_session
    }
}

/// A packet as it arrives.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// 0 is A, 1 is B.
    pub line: usize,
    /// Cycle of its first beat.
    pub begin: u64,
    /// Cycle of its last beat.
    pub end: u64,
    /// Index of what was sent.
    pub original: usize,
    /// Bytes that are left of it.
    pub length: usize,
    /// Whether its frame proves good.
    pub good: bool,
}

/// Lengths of packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sizes {
    /// Nothing after number and count.
    Smallest,
    /// Most short, some up to an Ethernet frame, few the protocol's longest.
    Mixed,
    /// The longest of the protocol; one in twenty is longer.
    Largest,
}

/// How bad the lines are. Shares are of 1, times in cycles.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // as they are named
pub struct Setting {
    pub design: Design,
    pub seed: u64,
    /// Sent in a session.
    pub packets: usize,
    pub sessions: usize,
    pub sizes: Sizes,
    /// Longest pause between two packets beyond the least that Ethernet leaves: 0 is full rate.
    pub pause: u64,
    pub loss: [f64; 2],
    pub duplicates: f64,
    pub reordered: f64,
    pub bad: f64,
    /// Cut off before the end of the number.
    pub malformed: f64,
    pub heartbeats: f64,
    pub strays: f64,
    /// Of line B.
    pub skew: u64,
    /// Of each packet of line B, up to.
    pub jitter: u64,
    pub settings: Settings,
    /// How often mode and windows change.
    pub changes: usize,
    /// How often the host flushes.
    pub flushes: usize,
}

impl Setting {
    /// Everything random, with about so many packets on both lines.
    pub fn random(design: Design, seed: u64, packets: usize) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let sizes = match random.random_range(0..20) {
            0 => Sizes::Largest,
            1..8 => Sizes::Smallest,
            _ => Sizes::Mixed,
        };
        let share = |random: &mut ChaCha8Rng, of: &[f64]| of[random.random_range(0..of.len())];
        let loss = [0.0, 0.0, 0.02, 0.1, 0.3, 0.5];
        let loss = [share(&mut random, &loss), share(&mut random, &loss)];
        let sessions = [1, 1, 1, 3][random.random_range(0..4)];
        let packets = packets / 2 / sessions;
        Setting {
            design,
            seed,
            packets: if sizes == Sizes::Largest {
                packets / 20
            } else {
                packets
            },
            sessions,
            sizes,
            pause: [0, 0, 5, 30, 200, 800][random.random_range(0..6)],
            loss,
            duplicates: share(&mut random, &[0.0, 0.0, 0.05]),
            reordered: share(&mut random, &[0.0, 0.0, 0.02, 0.2]),
            bad: share(&mut random, &[0.0, 0.02, 0.1]),
            malformed: share(&mut random, &[0.0, 0.02]),
            heartbeats: share(&mut random, &[0.0, 0.05]),
            strays: share(&mut random, &[0.0, 0.0, 0.01]),
            skew: [0, 0, 1, 2, 7, 60, 400, 3_000][random.random_range(0..8)],
            jitter: [0, 0, 1, 20, 300][random.random_range(0..5)],
            settings: Settings {
                idle_limit: [0, 2_500][random.random_range(0..2)],
                ..settings(&mut random)
            },
            changes: [0, 5, 20][random.random_range(0..3)],
            flushes: [0, 3][random.random_range(0..2)],
        }
    }

    /// Cycles from a packet's first beat to that of the next at full rate: with headers, preamble, FCS and the smallest gap a packet takes
    /// 66 bytes more on the wire than its payload has, and 84 at least.
    pub fn pitch(design: Design, bytes: usize) -> u64 {
        ((bytes + 66).max(84) / design.beat()) as u64
    }
}

fn settings(random: &mut ChaCha8Rng) -> Settings {
    Settings {
        mode: [Mode::Time, Mode::Count, Mode::TimeAndCount][random.random_range(0..3)],
        time_window: [0, 20, 150, 800, 4_000][random.random_range(0..5)],
        count_window: [0, 1, 3, 8, 20, 1_000][random.random_range(0..6)],
        idle_limit: 0,
    }
}

/// Both lines, and what the host does meanwhile.
#[derive(Clone, Debug)]
pub struct Lines {
    /// The protocol whose number and count they have.
    pub design: Design,
    /// By id.
    pub originals: Vec<Original>,
    /// In order of their first beats, A first.
    pub arrivals: Vec<Arrival>,
    /// In order; the first in cycle 0.
    pub changes: Vec<Change>,
    /// By then everything has left.
    pub until: u64,
}

impl Lines {
    /// Lines with these faults.
    pub fn new(setting: &Setting) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(setting.seed ^ 0x5eed);
        let (originals, times) = originals(setting, &mut random);
        let mut arrivals: Vec<Arrival> = (0..2)
            .flat_map(|line| line_of(setting, line, &originals, &times, &mut random))
            .collect();
        arrivals.sort_by_key(|arrival| (arrival.begin, arrival.line));
        let end = arrivals
            .iter()
            .map(|arrival| arrival.end)
            .max()
            .unwrap_or(0);
        let mut changes = vec![Change {
            cycle: 0,
            settings: setting.settings,
            flush: false,
        }];
        let mut cycles: Vec<(u64, bool)> = (0..setting.changes + setting.flushes)
            .map(|index| (random.random_range(1..=end), index >= setting.changes))
            .collect();
        // In the end nothing is left.
        cycles.push((end + 100, true));
        cycles.sort_unstable();
        cycles.dedup_by_key(|(cycle, _)| *cycle);
        for (cycle, flush) in cycles {
            let before = changes[changes.len() - 1].settings;
            let settings = if flush {
                before
            } else {
                Settings {
                    idle_limit: before.idle_limit,
                    ..settings(&mut random)
                }
            };
            changes.push(Change {
                cycle,
                settings,
                flush,
            });
        }
        let longest = setting.design.beats(setting.design.protocol().maximum);
        Lines {
            design: setting.design,
            originals,
            arrivals,
            changes,
            until: end + 500 + 9 * longest,
        }
    }

    /// What arrives, for the hardware.
    pub fn sent(&self) -> impl Iterator<Item = Sent<'_>> {
        self.arrivals.iter().map(|arrival| Sent {
            line: arrival.line,
            begin: arrival.begin,
            bytes: self.bytes(arrival),
            good: arrival.good,
        })
    }

    /// What there is of a packet.
    pub fn bytes(&self, arrival: &Arrival) -> &[u8] {
        &self.originals[arrival.original].bytes[..arrival.length]
    }

    /// Whether it is too short for its number.
    pub fn is_malformed(&self, arrival: &Arrival) -> bool {
        arrival.length < self.design.header()
    }
}

/// A packet's bytes: number and count in their places, the rest random.
pub fn packet(
    protocol: Protocol,
    number: u64,
    count: u64,
    length: usize,
    random: &mut impl Rng,
) -> Vec<u8> {
    let mut bytes = vec![0; length];
    random.fill(&mut bytes[..]);
    let mut put = |field: arbiter::Field, value: u64| {
        for index in 0..field.bytes {
            let place = match protocol.order {
                arbiter::ByteOrder::Big => field.bytes - 1 - index,
                arbiter::ByteOrder::Little => index,
            };
            bytes[field.offset + index] = (value >> (8 * place)) as u8;
        }
    };
    put(protocol.sequence, number);
    if let Some(field) = protocol.count {
        put(field, count);
    }
    bytes
}

/// What was sent, and when at the earliest on line A.
fn originals(setting: &Setting, random: &mut ChaCha8Rng) -> (Vec<Original>, Vec<u64>) {
    let design = setting.design;
    let protocol = design.protocol();
    let (mut originals, mut times) = (vec![], vec![]);
    let (mut id, mut time, mut strays) = (0, 5, 0);
    // So that it soon wraps.
    let mut base = random.random_range(0..400_u64).wrapping_neg();
    for session in 0..setting.sessions {
        let first = id;
        for index in 0..setting.packets {
            let last = index + 1 == setting.packets && protocol.end_of_session.is_some();
            let stray = index > 30 && !last && random.random_bool(setting.strays);
            let count = if protocol.count.is_none() {
                1
            } else if last || random.random_bool(setting.heartbeats) {
                0
            } else {
                [1, 1, 2, 5][random.random_range(0..4)]
            };
            // Between the first millions and the last ones, and never two near each other.
            let far = match stray {
                true => {
                    strays += 1;
                    (150 + strays % 500) * 6_000_000
                }
                false => 0,
            };
            let number = base.wrapping_add(id - first).wrapping_add(far) & protocol.mask();
            let header = design.header();
            let length = match setting.sizes {
                Sizes::Smallest => header,
                Sizes::Largest if random.random_bool(0.05) => protocol.maximum + design.beat(),
                Sizes::Largest => protocol.maximum,
                Sizes::Mixed => match random.random_range(0..200) {
                    0 => protocol.maximum,
                    1..10 => random.random_range(header..1_400),
                    _ => header + random.random_range(0..120),
                },
            };
            let on_wire = if last { 0xffff } else { count };
            originals.push(Original {
                session,
                id,
                count,
                end_of_session: last,
                stray,
                number,
                bytes: packet(protocol, number, on_wire, length, random),
            });
            times.push(time);
            time += Setting::pitch(design, length) + random.random_range(0..=setting.pause);
            if !stray {
                id += count;
            }
        }
        // The number of an end of session is that of no message.
        id += 1;
        time += 3 * Design::HOLD;
        // Far ahead, or (as it wraps) far behind.
        base = base
            .wrapping_add(id - first)
            .wrapping_add(random.random_range(5_000_000..500_000_000));
    }
    (originals, times)
}

/// What arrives on a line.
fn line_of(
    setting: &Setting,
    line: usize,
    originals: &[Original],
    times: &[u64],
    random: &mut ChaCha8Rng,
) -> Vec<Arrival> {
    let design = setting.design;
    let mut order = vec![];
    for (original, time) in times.iter().enumerate() {
        let copies = 1 + usize::from(random.random_bool(setting.duplicates));
        let copies = match random.random_bool(setting.loss[line]) {
            true => 0,
            // Seen twice, it would begin a session.
            false if originals[original].stray => usize::from(original % 2 == line),
            false => copies,
        };
        for _ in 0..copies {
            let mut time = *time;
            if line == 1 {
                time += setting.skew + random.random_range(0..=setting.jitter);
            }
            if random.random_bool(setting.reordered) {
                time += random.random_range(0..6 * Setting::pitch(design, 100));
            }
            order.push((time, original));
        }
    }
    order.sort_unstable();
    let mut free = 0;
    let arrivals = order.into_iter().map(|(time, original)| {
        let whole = originals[original].bytes.len();
        let length = if random.random_bool(setting.malformed) {
            random.random_range(1..design.header())
        } else {
            whole
        };
        let begin = time.max(free);
        free = begin + Setting::pitch(design, length);
        Arrival {
            line,
            begin,
            end: begin + design.beats(length) - 1,
            original,
            length,
            good: !random.random_bool(setting.bad),
        }
    });
    arrivals.collect()
}
