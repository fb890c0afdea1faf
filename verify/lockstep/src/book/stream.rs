//! Random events, valid and not, through both books.

use formats::{Event, Kind, Side};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Design, Lockstep, Spacing, Stats, WINDOW_TICKS, Window};

/// What the events are like.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Instruments that are ours.
    pub instruments: u8,
    /// Of the first so many the feed gives levels, not orders.
    pub by_level: u8,
    /// Ids; fewer, and the same come again sooner.
    pub ids: usize,
    /// Ticks from the middle of the window in which most prices are.
    pub ticks: i64,
    /// Part of the events of orders that name their instrument.
    pub named: f64,
    /// Part of the events that are anything at all.
    pub odd: f64,
    /// Part of the frames that are bad.
    pub bad: f64,
    /// Most events of a frame.
    pub frame: usize,
    /// Between two frames, the part of gaps and sessions.
    pub gaps: f64,
}

/// An order that is in the book, as far as the generator knows.
#[derive(Clone, Copy, Debug)]
struct Live {
    id: usize,
    instrument: u8,
    left: u64,
}

/// The generator.
pub struct Stream {
    setting: Setting,
    random: ChaCha8Rng,
    live: Vec<Live>,
    is_live: Vec<bool>,
    windows: Vec<Window>,
}

/// Ids as a feed has them are spread over all bits; those of a small table are near together.
fn id(place: usize) -> u64 {
    if place.is_multiple_of(2) {
        place as u64
    } else {
        (place as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) & ((1 << 47) - 1)
    }
}

/// Levels of a side of an instrument: from 1 to the 7 that the hardware takes.
fn depth(instrument: usize) -> u8 {
    [5, 1, 7, 2][instrument % 4]
}

/// Windows at both ends of the prices that there are, and where the upper bits of a tick change; tick sizes with and without an odd factor.
fn windows(instruments: u8) -> Vec<Window> {
    let all = [
        Window {
            tick: 100,
            low: 16_384 * 4 - 3_000,
        },
        Window { tick: 100, low: 0 },
        Window {
            tick: 25,
            low: 8_192 * 3,
        },
        Window { tick: 1, low: 5 },
        Window {
            tick: 31 << 7,
            low: (1 << 32) / (31 << 7) - WINDOW_TICKS - 1,
        },
        // 0.0025 at six decimals.
        Window {
            tick: 2_500,
            low: 8_192 * 3,
        },
        Window {
            tick: 2_047 << 7,
            low: (1 << 32) / (2_047 << 7) - WINDOW_TICKS - 1,
        },
        Window {
            tick: 128,
            low: 16_384 * 9 - 8_190,
        },
    ];
    all.into_iter().cycle().take(instruments.into()).collect()
}

impl Stream {
    /// Another seed, other events.
    pub fn new(setting: Setting, seed: u64) -> Self {
        Stream {
            setting,
            random: ChaCha8Rng::seed_from_u64(seed),
            live: vec![],
            is_live: vec![false; setting.ids],
            windows: windows(setting.instruments),
        }
    }

    fn forget(&mut self, instrument: Option<u8>) {
        let is_live = &mut self.is_live;
        self.live.retain(|live| {
            let stays = instrument.is_some_and(|instrument| live.instrument != instrument);
            is_live[live.id] = stays;
            stays
        });
    }

    fn price(&mut self, instrument: u8) -> i64 {
        let window = self.windows[usize::from(instrument)];
        let random = &mut self.random;
        let tick = if random.random_bool(0.04) {
            // The window's ends, and beyond.
            let last = WINDOW_TICKS - 1;
            *[
                0,
                1,
                7,
                last,
                last - 1,
                -1,
                -2,
                last + 1,
                last + 9,
                -9_000,
                30_000,
            ]
            .choose(random)
            .expect("there are some")
        } else {
            WINDOW_TICKS / 2 + random.random_range(-self.setting.ticks..=self.setting.ticks)
        };
        (window.low + tick) * window.tick
    }

    fn side(&mut self) -> Side {
        if self.random.random() {
            Side::Buy
        } else {
            Side::Sell
        }
    }

    fn free_id(&mut self) -> Option<usize> {
        let ids = self.setting.ids;
        let start = self.random.random_range(0..ids);
        (0..ids)
            .map(|step| (start + step) % ids)
            .find(|&place| !self.is_live[place])
    }

    fn quantity(&mut self) -> u64 {
        match self.random.random_range(0..20) {
            0 => (1 << 24) - 1,
            1 => 1,
            _ => self.random.random_range(1..100),
        }
    }

    /// The next event; the generator believes that it is booked.
    fn event(&mut self) -> Event {
        if self.random.random_bool(self.setting.odd) {
            return self.any();
        }
        let full = self.live.len() > self.setting.ids * 3 / 4;
        let kind = match self.random.random_range(0..21) {
            _ if self.live.is_empty() => Kind::Add,
            // Books fill up, and then stay nearly full.
            0..8 if full => Kind::Delete,
            0..8 => Kind::Add,
            8..10 => Kind::Execute,
            10..12 => Kind::Reduce,
            12..15 => Kind::Delete,
            15..18 => Kind::Replace,
            18..20 => Kind::Modify,
            _ => Kind::Trade,
        };
        let instrument = self.random.random_range(0..self.setting.instruments);
        let by_level = instrument < self.setting.by_level;
        let kind = match kind {
            Kind::Trade => kind,
            _ if by_level => Kind::Level,
            _ => kind,
        };
        let mut event = Event {
            instrument: Some(instrument),
            side: self.side(),
            ..Event::new(kind, b'?')
        };
        match kind {
            Kind::Trade => {
                event.price = self.price(instrument);
                event.quantity = self.random.random_range(0..1 << 33);
                // A number of its own, which may be a live order's.
                event.order_id = id(self.random.random_range(0..self.setting.ids));
            }
            Kind::Level => {
                event.price = self.price(instrument);
                event.quantity = match self.random.random_range(0..3) {
                    0 => 0,
                    _ => self.quantity(),
                };
                // The number of its orders, as the feed says.
                event.order_id = self.random.random_range(0..9);
            }
            Kind::Add => {
                let Some(place) = self.free_id() else {
                    return self.any();
                };
                event.price = self.price(instrument);
                event.quantity = self.quantity();
                event.order_id = id(place);
                self.enter(place, instrument, event.quantity);
            }
            _ => self.of_order(&mut event),
        }
        event
    }

    fn enter(&mut self, id: usize, instrument: u8, left: u64) {
        self.is_live[id] = true;
        self.live.push(Live {
            id,
            instrument,
            left,
        });
    }

    fn of_order(&mut self, event: &mut Event) {
        let at = self.random.random_range(0..self.live.len());
        let order = self.live[at];
        event.order_id = id(order.id);
        let named = self.random.random_bool(self.setting.named);
        event.instrument = named.then_some(order.instrument);
        match event.kind {
            Kind::Delete => self.leave(at),
            Kind::Modify => {
                event.side = self.side();
                event.price = self.price(order.instrument);
                event.quantity = self.quantity();
                self.live[at].left = event.quantity;
            }
            Kind::Replace => {
                let Some(place) = self.free_id() else {
                    event.kind = Kind::Delete;
                    return self.leave(at);
                };
                event.new_order_id = id(place);
                event.price = self.price(order.instrument);
                event.quantity = self.quantity();
                self.leave(at);
                self.enter(place, order.instrument, event.quantity);
            }
            _ => {
                let all = order.left == 1 || self.random.random_bool(0.4);
                event.quantity = if all {
                    order.left
                } else {
                    self.random.random_range(1..order.left)
                };
                if event.kind == Kind::Execute {
                    let own = [0, 0, 0, 777, 1 << 33, -3];
                    event.price = *own.choose(&mut self.random).expect("there are some");
                    event.non_printable = self.random.random_bool(0.2);
                }
                self.live[at].left -= event.quantity;
                if all {
                    self.leave(at);
                }
            }
        }
    }

    fn leave(&mut self, at: usize) {
        let order = self.live.swap_remove(at);
        self.is_live[order.id] = false;
    }

    /// Anything that an event may be, mostly with something wrong.
    fn any(&mut self) -> Event {
        let kinds = [
            Kind::Add,
            Kind::Add,
            Kind::Execute,
            Kind::Reduce,
            Kind::Delete,
            Kind::Delete,
            Kind::Replace,
            Kind::Replace,
            Kind::Trade,
            Kind::Status,
            Kind::Time,
            Kind::Modify,
            Kind::Clear,
            Kind::Level,
        ];
        let kind = *kinds.choose(&mut self.random).expect("there are some");
        let ours = self.random.random_range(0..self.setting.instruments);
        let instrument = match self.random.random_range(0..8) {
            0..4 => Some(ours),
            4..7 => None,
            _ => Some(*[16, 17, 200, 255].choose(&mut self.random).expect("some")),
        };
        let random_id = |random: &mut ChaCha8Rng, ids: usize| match random.random_range(0..12) {
            0 => id(random.random_range(0..ids)) | 1 << 50,
            1 => random.random(),
            _ => id(random.random_range(0..ids)),
        };
        let order_id = random_id(&mut self.random, self.setting.ids);
        let new_order_id = match self.random.random_range(0..6) {
            0 => order_id,
            _ => random_id(&mut self.random, self.setting.ids),
        };
        let most = (1 << 24) - 1;
        let quantities = [
            0,
            1,
            1,
            5,
            20,
            most,
            most + 1,
            u32::MAX.into(),
            1 << 32,
            1 << 33,
        ];
        let price = self.price(ours);
        let price = match self.random.random_range(0..10) {
            0..3 => price + 1,
            3 => -price,
            4 => price + (1 << 34),
            5 => *[i64::MIN, i64::MAX, -1, 0, (1 << 32) - 1]
                .choose(&mut self.random)
                .expect("some"),
            _ => price,
        };
        Event {
            instrument,
            side: self.side(),
            price,
            quantity: *quantities.choose(&mut self.random).expect("some"),
            order_id,
            new_order_id,
            ..Event::new(kind, b'?')
        }
    }
}

/// So many random events through both.
///
/// # Errors
/// The first difference, in words.
pub fn run(
    design: Design,
    setting: Setting,
    seed: u64,
    events: u64,
    mut progress: impl FnMut(u64),
) -> Result<Stats, String> {
    let mut stream = Stream::new(setting, seed);
    let mut lockstep = Lockstep::new(design, seed);
    let instruments = 0..usize::from(setting.instruments);
    for instrument in instruments.clone() {
        let window = stream.windows[instrument];
        if instrument < usize::from(setting.by_level) {
            lockstep.open_levels(instrument, window, depth(instrument));
        } else {
            lockstep.open(instrument, window);
        }
    }
    let mut frames = 0_u64;
    while lockstep.stats.events < events && lockstep.failure().is_none() {
        let before = (stream.live.clone(), stream.is_live.clone());
        let count = stream.random.random_range(0..=setting.frame);
        let frame: Vec<_> = (0..count).map(|_| stream.event()).collect();
        let good = !stream.random.random_bool(setting.bad);
        let spacing = match stream.random.random_range(0..10) {
            0..4 => Spacing::Two,
            4..6 => Spacing::Burst,
            6 => Spacing::Far,
            _ => Spacing::Random,
        };
        lockstep.frame(&frame, good, spacing);
        if !good {
            (stream.live, stream.is_live) = before;
        }
        if stream.random.random_bool(setting.gaps) {
            disturb(&mut lockstep, &mut stream);
        }
        frames += 1;
        if frames.is_multiple_of(32) {
            mend(&mut lockstep, &mut stream);
            progress(lockstep.stats.events);
        }
    }
    lockstep.settle();
    lockstep.show(instruments);
    lockstep
        .failure()
        .map_or(Ok(lockstep.stats.clone()), |text| {
            Err(format!("{design:?}, {setting:?}, seed {seed}, {text}"))
        })
}

/// A gap, or a new session.
fn disturb(lockstep: &mut Lockstep, stream: &mut Stream) {
    let next = lockstep.sequence() + stream.random.random_range(1..20);
    match stream.random.random_range(0..4) {
        0 => lockstep.session(*[1, 2].choose(&mut stream.random).expect("some")),
        1 => {
            lockstep.settle();
            lockstep.gap(next);
        }
        _ => lockstep.gap(next),
    }
}

/// The host rebuilds what is not tradable: from the orders that are there, or from nothing.
fn mend(lockstep: &mut Lockstep, stream: &mut Stream) {
    lockstep.settle();
    for instrument in 0..stream.setting.instruments {
        let place = usize::from(instrument);
        if lockstep.is_tradable(place) && !lockstep.is_wrong(place) {
            continue;
        }
        let keeps = !lockstep.is_wrong(place) && stream.random.random_bool(0.8);
        let orders = if keeps {
            lockstep.orders(place)
        } else {
            vec![]
        };
        if !keeps {
            stream.forget(Some(instrument));
        }
        lockstep.clear(place);
        lockstep.rebuild(place, &orders);
    }
}
