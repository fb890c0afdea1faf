//! Random lines: what an exchange sent, and what of it arrives on each line, when, and in what state.

use arbiter::Protocol;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The four protocols, written here a second time: by hand, from the rules page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Mold,
    Opra,
    Arca,
    Moex,
}

impl Kind {
    pub fn protocol(self) -> Protocol {
        match self {
            Kind::Mold => Protocol::MOLD_UDP64,
            Kind::Opra => Protocol::OPRA,
            Kind::Arca => Protocol::ARCA,
            Kind::Moex => Protocol::MOEX,
        }
    }

    pub fn wrap(self, number: u128) -> u64 {
        match self {
            Kind::Mold => number as u64,
            Kind::Opra => number as u64 & 0x7fff_ffff,
            Kind::Arca | Kind::Moex => number as u64 & 0xffff_ffff,
        }
    }

    fn longest(self) -> usize {
        match self {
            Kind::Mold => 9_000,
            Kind::Opra => 1_000,
            Kind::Arca => 1_400,
            Kind::Moex => 1_500,
        }
    }

    pub fn header(self, number: u64, count: u16) -> Vec<u8> {
        match self {
            Kind::Mold => {
                let mut packet = b"SESSION 01".to_vec();
                packet.extend(number.to_be_bytes());
                packet.extend(count.to_be_bytes());
                packet
            }
            Kind::Opra => {
                let mut packet = vec![7; 6];
                // The bit that does not count is set.
                packet.extend((number as u32 | 1 << 31).to_be_bytes());
                packet.push(count as u8);
                packet
            }
            Kind::Arca => {
                let mut packet = vec![9, 9, 9, count as u8];
                packet.extend((number as u32).to_le_bytes());
                packet
            }
            Kind::Moex => (number as u32).to_le_bytes().to_vec(),
        }
    }
}

/// A packet as it was sent.
#[derive(Clone, Debug)]
pub struct Sent {
    /// From 0.
    pub session: usize,
    /// The number of its first message, counted through all sessions and never wrapping.
    pub id: u64,
    pub messages: u64,
    pub end_of_session: bool,
    /// As it is on the wire.
    pub number: u64,
    pub payload: Vec<u8>,
    pub too_long: bool,
}

/// A packet as it arrives.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    pub time: u64,
    pub line: usize,
    /// Index of what was sent.
    pub sent: usize,
    pub state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Good,
    /// The frame does not prove good.
    Bad,
    /// The header is cut off.
    Cut,
}

/// How bad the lines are.
#[derive(Clone, Debug)]
pub struct Setting {
    pub kind: Kind,
    pub seed: u64,
    pub packets: usize,
    pub loss: [f64; 2],
    pub duplication: f64,
    pub bad: f64,
    pub reordering: f64,
    pub heartbeats: f64,
    /// Of line B, in nanoseconds.
    pub skew: u64,
    pub sessions: usize,
}

pub struct Lines {
    pub sent: Vec<Sent>,
    pub arrivals: Vec<Arrival>,
    /// First id, and its number, of each session.
    pub sessions: Vec<(u64, u128)>,
}

impl Lines {
    pub fn new(setting: &Setting) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(setting.seed);
        let kind = setting.kind;
        let (mut sent, mut sessions, mut times) = (vec![], vec![], vec![]);
        let (mut id, mut time) = (0, 0);
        // So that it soon wraps.
        let mut base = (1_u128 << 64) - random.random_range(0..400);
        for session in 0..setting.sessions {
            sessions.push((id, base));
            let first = id;
            for index in 0..setting.packets {
                let last = index + 1 == setting.packets && kind == Kind::Mold;
                let messages = match kind {
                    _ if last => 0,
                    Kind::Moex => 1,
                    _ if random.random_bool(setting.heartbeats) => 0,
                    _ => random.random_range(1..6),
                };
                let number = kind.wrap(base + u128::from(id - first));
                let mut payload = kind.header(number, if last { 0xffff } else { messages as u16 });
                payload.extend((sent.len() as u32).to_le_bytes());
                let too_long = random.random_bool(0.01);
                let length = if too_long {
                    kind.longest() + 1
                } else {
                    random.random_range(payload.len()..200)
                };
                payload.resize(length, session as u8);
                sent.push(Sent {
                    session,
                    id,
                    messages,
                    end_of_session: last,
                    number,
                    payload,
                    too_long,
                });
                times.push(time);
                id += messages;
                time += random.random_range(500..100_000);
            }
            // Far higher, or (as it wraps) far lower.
            base += u128::from(id - first) + random.random_range(5_000_000..2_000_000_000);
        }
        let mut arrivals = vec![];
        for line in 0..2 {
            for (index, time) in times.iter().enumerate() {
                let copies = if random.random_bool(setting.loss[line]) {
                    0
                } else {
                    1 + usize::from(random.random_bool(setting.duplication))
                };
                for _ in 0..copies {
                    let mut time = time + line as u64 * setting.skew;
                    if random.random_bool(setting.reordering) {
                        time += random.random_range(0..500_000);
                    }
                    let state = match random.random::<f64>() {
                        luck if luck < setting.bad => State::Bad,
                        luck if luck < 1.3 * setting.bad => State::Cut,
                        _ => State::Good,
                    };
                    arrivals.push(Arrival {
                        time,
                        line,
                        sent: index,
                        state,
                    });
                }
            }
        }
        arrivals.sort_by_key(|arrival| (arrival.time, arrival.line, arrival.sent));
        Self {
            sent,
            arrivals,
            sessions,
        }
    }
}
