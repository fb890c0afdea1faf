//! What happens at random: prices, stops, orders of the host, limits at their edges.

use formats::Side;
use formats::fix::TimeInForce;
use order::{Kind, Number, Order, PRICE_BITS};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use risk::{Adjustment, InstrumentLimits, Limits, Request, Sources};
use strategy::stops::{Operation, State, Stop};

use super::twin::Twin;
use cosim::orders::testbench::LISTED;

/// A price of each instrument, in its scale.
const BASE: [i64; LISTED.len()] = [
    1_000_000,
    9_999_999,
    10_000,
    1_000,
    500_000_000,
    500_000,
    77_7700,
    120_000,
];
/// Beyond any limit price.
const FAR: i64 = 1 << PRICE_BITS;
/// The lowest price with a sign and a point that the FIX decoder takes: a number has 16 characters at most.
const LOWEST: i64 = -99_999_999_999_999;
/// The widest collar and the highest position limit there are.
const MOST: u64 = (1 << (PRICE_BITS - 1)) - 1;
/// A window of time that never ends.
pub const FOR_EVER: u32 = (1 << 31) - 1;

/// What is done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Something of the market, or of the host, or both at once.
    Step {
        /// Prices on the session.
        fix: usize,
        /// Prices on the feed.
        feed: usize,
        /// The host does something.
        host: bool,
    },
    /// The host reports what became of orders.
    Adjust,
    /// Other limits.
    Limits,
    /// The kill switch is turned on by the host while orders may leave.
    Kill,
    /// The session is down for a while.
    Session,
    /// The feed is silent for too long.
    Stale,
    /// Messages of the feed are lost.
    Gap,
    /// A message of the host while orders may leave.
    Message,
}

/// The source of all events; the same seed gives the same events.
pub struct Random {
    pub random: ChaCha8Rng,
    last: [i64; LISTED.len()],
    id: u32,
    /// Numbers of orders that left, for cancels and replacements.
    pub sent: Vec<Number>,
}

impl Random {
    pub fn new(seed: u64) -> Self {
        Random {
            random: ChaCha8Rng::seed_from_u64(seed),
            last: BASE,
            id: 0,
            sent: Vec::new(),
        }
    }

    pub fn next(&mut self, armed: usize, stops: usize) -> Next {
        let random = &mut self.random;
        let step = |fix, feed, host| Next::Step { fix, feed, host };
        match random.random_range(0..1_000) {
            0..25 => Next::Adjust,
            25..40 => Next::Limits,
            40..55 => Next::Kill,
            55..65 => Next::Session,
            65..72 => Next::Stale,
            72..85 => Next::Gap,
            85..110 => Next::Message,
            // Few are armed: more of them, so that a price fires several.
            110..800 if armed < random.random_range(8..stops - 3) => step(0, 0, true),
            110..350 => step(1, 0, false),
            350..550 => step(0, 1, false),
            550..600 => step(0, 0, true),
            600..680 => step(random.random_range(2..6), 0, false),
            680..760 => step(0, random.random_range(2..9), false),
            760..880 => step(
                random.random_range(1..4),
                random.random_range(1..5),
                random.random_bool(0.3),
            ),
            880..950 => step(1, 0, true),
            _ => step(0, 1, true),
        }
    }

    fn next_id(&mut self) -> u32 {
        self.id = self.id.wrapping_add(1);
        self.id
    }

    pub fn instrument(&mut self, of: impl Fn(usize) -> bool) -> usize {
        let all: Vec<usize> = (0..LISTED.len()).filter(|index| of(*index)).collect();
        *all.choose(&mut self.random).unwrap_or(&0)
    }

    fn near(&mut self, price: i64, permille: i64) -> i64 {
        let most = (price.abs() * permille / 1_000).max(2);
        price + self.random.random_range(-most..=most)
    }

    /// An instrument that this source has, and its next price.
    pub fn price(&mut self, feed: bool) -> (u8, i64) {
        let has = |index: usize| match feed {
            true => LISTED[index].feed,
            false => LISTED[index].fix,
        };
        let instrument = self.instrument(has);
        let before = self.last[instrument];
        let last = match self.random.random_range(0..100) {
            0..2 if feed => *[0, u32::MAX.into()].choose(&mut self.random).unwrap_or(&0),
            0..2 => {
                let ends = [FAR - 1, FAR, FAR + 1, -FAR, -FAR - 1, FAR / 2, -FAR / 2, 0];
                *ends.choose(&mut self.random).unwrap_or(&0)
            }
            2..12 => self.near(BASE[instrument], 60),
            12..20 => before,
            _ => self.near(before, 15),
        };
        let last = match feed {
            true => last.clamp(0, u32::MAX.into()),
            false if LISTED[instrument].decimals > 0 => last.max(LOWEST),
            false => last,
        };
        // A price that has gone far comes back.
        let goes_on = (last - BASE[instrument]).abs() < BASE[instrument] / 3;
        self.last[instrument] = if goes_on { last } else { BASE[instrument] };
        (instrument as u8, last)
    }

    fn side(&mut self) -> Side {
        match self.random.random() {
            true => Side::Buy,
            false => Side::Sell,
        }
    }

    fn quantity(&mut self, twin: &Twin, instrument: u8, side: Side) -> u32 {
        let most = twin.risk.limits().max_quantity;
        let room = twin.risk.room(instrument, side).unwrap_or(0);
        let room = u32::try_from(room).unwrap_or(most);
        match self.random.random_range(0..20) {
            0 => *[
                0,
                most,
                most.saturating_add(1),
                999_999,
                1_000_000,
                u32::MAX,
            ]
            .choose(&mut self.random)
            .unwrap_or(&0),
            1 | 2 => room,
            3 => room.saturating_add(1),
            _ => self.random.random_range(1..=most.clamp(1, 5_000)),
        }
    }

    /// A limit price: near a price, or at the edges of the collar around it.
    fn limit(&mut self, twin: &Twin, instrument: u8, around: i64) -> i64 {
        let limits = twin.risk.instrument(instrument).unwrap_or_default();
        let collar = i64::try_from(limits.collar).unwrap_or(0).min(FAR / 4);
        let price = match self.random.random_range(0..16) {
            0 => around + collar,
            1 => around + collar + 1,
            2 => around - collar,
            3 => around - collar - 1,
            4 => {
                let ends = [FAR / 2 - 1, -FAR / 2, 0, -1, 99_999_999_999];
                *ends.choose(&mut self.random).unwrap_or(&0)
            }
            _ => self.near(around, 10),
        };
        price.clamp(-FAR / 2, FAR / 2 - 1)
    }

    /// A limit price, or none: of instruments without decimals in the order stage always none.
    fn limit_or_market(&mut self, twin: &Twin, instrument: u8, around: i64) -> Option<i64> {
        let limited = LISTED[usize::from(instrument)].template && self.random.random_bool(0.6);
        limited.then(|| self.limit(twin, instrument, around))
    }

    /// Sets, changes or cancels a stop.
    pub fn stop(&mut self, twin: &Twin) -> (Operation, usize, Stop) {
        let slot = self.random.random_range(0..twin.stops.most());
        let fits = match twin.stops.state(slot) {
            State::Armed if self.random.random_bool(0.5) => Operation::Change,
            State::Armed => Operation::Cancel,
            _ => Operation::Set,
        };
        let all = [Operation::Set, Operation::Change, Operation::Cancel];
        let operation = match self.random.random_range(0..10) {
            0 => *all.choose(&mut self.random).unwrap_or(&fits),
            _ => fits,
        };
        let (slot, operation) = match (operation, twin.stops.free_slot()) {
            // A set is wanted most of the time: into a slot that takes one.
            (Operation::Change | Operation::Cancel, Some(free)) if self.random.random_bool(0.6) => {
                (free, Operation::Set)
            }
            _ => (slot, operation),
        };
        let instrument = self.instrument(|_| true) as u8;
        let (side, last) = (self.side(), self.last[usize::from(instrument)]);
        let trigger = match self.random.random_range(0..40) {
            0 => *[FAR / 2 - 1, -FAR / 2, FAR / 2, -FAR / 2 - 1]
                .choose(&mut self.random)
                .unwrap_or(&0),
            1..5 => last,
            _ => self.near(last, 12),
        };
        let price = self.limit_or_market(twin, instrument, trigger);
        let price = match self.random.random_range(0..60) {
            0 if price.is_some() => Some(FAR / 2),
            _ => price,
        };
        let stop = Stop {
            side,
            instrument,
            trigger,
            price,
            quantity: self.quantity(twin, instrument, side),
            client_id: self.next_id(),
        };
        (operation, slot, stop)
    }

    /// An order of the host's own.
    pub fn order(&mut self, twin: &Twin) -> Request {
        let instrument = match self.random.random_range(0..30) {
            0 => *[15_u8, 16, 255].choose(&mut self.random).unwrap_or(&15),
            _ => self.instrument(|index| LISTED[index].template) as u8,
        };
        let last = self.last.get(usize::from(instrument)).copied();
        let last = twin.risk.last(instrument).or(last).unwrap_or(1_000);
        let side = self.side();
        let original = match self.sent.choose(&mut self.random) {
            Some(number) => *number,
            None => Number::LAST,
        };
        let kind = match self.random.random_range(0..5) {
            0 => Kind::Cancel(original),
            1 => Kind::Replace(original),
            _ => Kind::New,
        };
        let price = match kind {
            Kind::New if self.random.random_bool(0.3) => None,
            Kind::Cancel(_) => None,
            _ => Some(self.limit(twin, instrument, last)),
        };
        let reference = match kind {
            Kind::Cancel(_) => 0,
            _ => self.limit(twin, instrument, last),
        };
        let quantity = self.quantity(twin, instrument, side);
        Request {
            order: Order {
                kind,
                side,
                instrument,
                price,
                quantity,
                time_in_force: TimeInForce::Day,
                client_id: self.next_id(),
            },
            reference,
            by_host: true,
        }
    }

    /// Limits of all orders: most of the time wide, sometimes such that an order of today's prices is just within.
    pub fn limits(&mut self) -> Limits {
        let random = &mut self.random;
        let max_quantity = *[100, 5_000, 999_999, u32::MAX]
            .choose(random)
            .unwrap_or(&100);
        let kill = risk::Kill {
            host: false,
            session: random.random_bool(0.7),
            feed: random.random_bool(0.5),
            gap: random.random_bool(0.7),
        };
        let rate_orders = match random.random_range(0..12) {
            0 => 0,
            1..4 => random.random_range(1..30),
            _ => 255,
        };
        let rate_window = match random.random_range(0..4) {
            0 => random.random_range(300_000..600_000),
            _ => FOR_EVER,
        };
        let max_open_orders = match random.random_range(0..12) {
            0 => 0,
            1 | 2 => random.random_range(1..30),
            _ => u16::MAX,
        };
        let instrument = random.random_range(0..LISTED.len());
        let notional = self.last[instrument].unsigned_abs() * u64::from(max_quantity.min(5_000));
        let max_notional = match self.random.random_range(0..10) {
            0 => notional / 3,
            1 => notional,
            2 | 3 => u64::MAX,
            _ => u64::MAX - 1,
        };
        Limits {
            kill,
            max_quantity,
            max_notional,
            rate_orders,
            rate_window,
            max_open_orders,
        }
    }

    /// Limits of an instrument.
    pub fn instrument_limits(&mut self, index: usize) -> InstrumentLimits {
        let random = &mut self.random;
        let near = BASE[index].unsigned_abs() / 50;
        InstrumentLimits {
            enable: random.random_bool(0.95),
            // What is stale when is a matter of cycles: tests.rs.
            sources: Sources::default(),
            collar: *[0, near, near, 4 * near, MOST, MOST]
                .choose(random)
                .unwrap_or(&0),
            position: *[0, 5_000, 50_000, MOST, MOST, MOST, MOST]
                .choose(random)
                .unwrap_or(&0),
            reference_price: random.random_bool(0.5).then_some(BASE[index]),
        }
    }

    /// What became of orders: everything, or a part; sometimes what cannot be.
    pub fn adjustment(&mut self, twin: &Twin, instrument: usize) -> Adjustment {
        let (buys, sells) = twin.risk.exposure(instrument as u8).unwrap_or_default();
        let open = twin.risk.open_orders();
        let part = |random: &mut ChaCha8Rng, of: i64| match random.random_range(0..4) {
            0 => 0,
            1 => -of / 2,
            _ => -of,
        };
        Adjustment {
            instrument: instrument as u8,
            buy: part(&mut self.random, buys),
            sell: part(&mut self.random, sells),
            closed: match self.random.random_range(0..6) {
                0 => 0,
                1 => open.saturating_add(3),
                2 => open / 2,
                _ => open,
            },
        }
    }
}
