//! Random scripts: a feed on two bad lines, and a host that changes its settings.

use arbiter::{Mode, NEAR, Protocol, Window};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::super::lines::packet;
use super::super::{Design, Settings};
use super::{Action, Script, Step};

/// How bad the lines are. Shares are of 1, times in cycles.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // as they are named
pub struct Setting {
    pub design: Design,
    pub seed: u64,
    /// Sent by the exchange.
    pub packets: usize,
    pub loss: [f64; 2],
    pub duplicates: f64,
    pub reordered: f64,
    /// Line B is behind, by so many packets.
    pub skew: u64,
    /// The frame is.
    pub bad: f64,
    /// Cut off before the end of the number.
    pub malformed: f64,
    pub too_long: f64,
    pub heartbeats: f64,
    pub ends_of_session: f64,
    /// Packets that line B packs differently: they may begin earlier, and end elsewhere.
    pub repacked: f64,
    /// Numbers that are just near, or just far.
    pub jumps: f64,
    pub strays: f64,
    pub new_sessions: f64,
    pub windows: f64,
    pub flushes: f64,
    pub settings: Settings,
}

impl Setting {
    /// Everything random.
    pub fn random(design: Design, seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let random = &mut random;
        let protocol = design.protocol();
        let heartbeats = if protocol.count.is_some() { 0.05 } else { 0.0 };
        let repacked = if protocol.count.is_some() { 0.5 } else { 0.0 };
        let ends = if protocol.end_of_session.is_some() {
            0.03
        } else {
            0.0
        };
        let window = window(random);
        Setting {
            design,
            seed,
            packets: 500,
            loss: [0; 2].map(|_| one_of(random, &[0.0, 0.02, 0.1, 0.3, 0.5])),
            duplicates: one_of(random, &[0.0, 0.05]),
            reordered: one_of(random, &[0.0, 0.05, 0.3]),
            skew: one_of(random, &[0, 0, 1, 3, 8]),
            bad: one_of(random, &[0.0, 0.02, 0.1]),
            malformed: one_of(random, &[0.0, 0.02]),
            too_long: one_of(random, &[0.0, 0.0, 0.02]),
            heartbeats: one_of(random, &[0.0, heartbeats]),
            ends_of_session: one_of(random, &[0.0, ends]),
            repacked: one_of(random, &[0.0, heartbeats, repacked]),
            jumps: one_of(random, &[0.0, 0.0, 0.005]),
            strays: one_of(random, &[0.0, 0.02]),
            new_sessions: one_of(random, &[0.0, 0.01, 0.04]),
            windows: one_of(random, &[0.0, 0.02, 0.1]),
            flushes: one_of(random, &[0.0, 0.02]),
            settings: Settings {
                mode: window.mode,
                time_window: window.time as u32,
                count_window: window.count as u16,
                idle_limit: one_of(random, &[0, 250, 3_000]),
            },
        }
    }
}

fn one_of<T: Copy>(random: &mut ChaCha8Rng, from: &[T]) -> T {
    from[random.random_range(0..from.len())]
}

fn window(random: &mut ChaCha8Rng) -> Window {
    Window {
        mode: one_of(random, &[Mode::Time, Mode::Count, Mode::TimeAndCount]),
        time: one_of(random, &[0, 1, 60, 300, 2_000, 40_000]),
        count: one_of(random, &[0, 1, 3, 8, 20, 1_000, 65_535]),
    }
}

/// A packet as the exchange sends it.
struct Sent {
    number: u64,
    count: u64,
    /// As it is on the wire.
    counted: u64,
    length: usize,
}

/// The steps for these settings.
pub fn random_script(setting: &Setting) -> Script {
    let mut random = ChaCha8Rng::seed_from_u64(setting.seed ^ 0x10c5);
    let random = &mut random;
    let mut steps = vec![];
    for (line, sent) in arrivals(setting, random) {
        if random.random_bool(setting.windows) {
            steps.push(Action::Window(window(random)));
        }
        if random.random_bool(setting.flushes) {
            steps.push(Action::Flush);
        }
        steps.push(arriving(setting, line, &sent, random));
    }
    let steps = steps.into_iter().map(|action| {
        let pause = match random.random_range(0..100) {
            0..80 => 0,
            80..95 => random.random_range(0..100),
            95..99 => random.random_range(0..700),
            _ => random.random_range(0..6_000),
        };
        Step { pause, action }
    });
    Script {
        design: setting.design,
        settings: setting.settings,
        steps: steps.collect(),
    }
}

/// What comes on which line, in order.
fn arrivals(setting: &Setting, random: &mut ChaCha8Rng) -> Vec<(usize, std::rc::Rc<Sent>)> {
    let mut arrivals = vec![];
    for (index, sent) in sent(setting, random).into_iter().enumerate() {
        let sent = std::rc::Rc::new(sent);
        for line in 0..2 {
            if random.random_bool(setting.loss[line]) {
                continue;
            }
            for _ in 0..1 + usize::from(random.random_bool(setting.duplicates)) {
                let mut turn = index as u64 + setting.skew * line as u64;
                if random.random_bool(setting.reordered) {
                    turn += random.random_range(0..8);
                }
                arrivals.push((turn, random.random::<u32>(), line, sent.clone()));
            }
        }
    }
    arrivals.sort_by_key(|(turn, luck, ..)| (*turn, *luck));
    let arrivals = arrivals.into_iter();
    arrivals.map(|(_, _, line, sent)| (line, sent)).collect()
}

fn sent(setting: &Setting, random: &mut ChaCha8Rng) -> Vec<Sent> {
    let protocol = setting.design.protocol();
    let mut number = first_number(protocol, random);
    let mut all = vec![];
    for _ in 0..setting.packets {
        if random.random_bool(setting.new_sessions) {
            number = first_number(protocol, random);
        }
        if random.random_bool(setting.jumps) {
            let by = NEAR - 2 + random.random_range(0..4);
            number = if random.random() {
                number.wrapping_add(by)
            } else {
                number.wrapping_sub(by)
            } & protocol.mask();
        }
        let ends = random.random_bool(setting.ends_of_session);
        let count = match random.random_range(0..100) {
            _ if protocol.count.is_none() => 1,
            _ if ends || random.random_bool(setting.heartbeats) => 0,
            0 => protocol.end_of_session.map_or(255, |end| end - 1),
            1..60 => 1,
            _ => random.random_range(1..8),
        };
        // An end of session has nothing to make long.
        let too_long = !ends && random.random_bool(setting.too_long);
        let length = length(setting.design, too_long, random);
        let stray = random.random_bool(setting.strays);
        all.push(Sent {
            number: if stray {
                random.random::<u64>() & protocol.mask()
            } else {
                number
            },
            count,
            counted: protocol.end_of_session.filter(|_| ends).unwrap_or(count),
            length,
        });
        if !stray {
            number = protocol.next(number, count as u32);
        }
        if ends && random.random() {
            number = first_number(protocol, random);
        }
    }
    all
}

/// Any, but often one that soon wraps.
fn first_number(protocol: Protocol, random: &mut ChaCha8Rng) -> u64 {
    let number = match random.random_range(0..4) {
        0 => random.random_range(1..50),
        1 => random.random_range(0..300_u64).wrapping_neg(),
        _ => random.random(),
    };
    number & protocol.mask()
}

fn length(design: Design, too_long: bool, random: &mut ChaCha8Rng) -> usize {
    let (header, maximum) = (design.header(), design.protocol().maximum);
    if too_long {
        // Hardware counts beats.
        let beat = design.beat();
        return maximum.next_multiple_of(beat) + random.random_range(1..=2 * beat);
    }
    match random.random_range(0..400) {
        0 => maximum,
        1..20 => random.random_range(header..600),
        20..100 => header,
        _ => header + random.random_range(0..40),
    }
}

/// What is left of a packet on a line.
fn arriving(setting: &Setting, line: usize, sent: &Sent, random: &mut ChaCha8Rng) -> Action {
    let design = setting.design;
    let repacked = line == 1 && sent.count > 0 && random.random_bool(setting.repacked);
    let protocol = design.protocol();
    let (mut number, mut counted) = (sent.number, sent.counted);
    if repacked {
        let earlier = one_of(random, &[0, 0, 1, 2, 5, 40]);
        number = number.wrapping_sub(earlier) & protocol.mask();
        counted = (counted % 200 + earlier + random.random_range(0..7)).saturating_sub(2);
        counted = counted.max(1);
    }
    let mut bytes = packet(protocol, number, counted, sent.length, random);
    if random.random_bool(setting.malformed) {
        bytes.truncate(random.random_range(1..design.header()));
    }
    let good = !random.random_bool(setting.bad);
    if !good && random.random() {
        random.fill(&mut bytes[..]);
    }
    Action::Packet { line, bytes, good }
}
