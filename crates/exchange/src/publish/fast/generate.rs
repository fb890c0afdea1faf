//! Sample data: a seeded order log as the currency market of the Moscow Exchange has it, with its template 3610 (X-OLR-CURR).
//!
//! Every change and delete names a live order, no book is ever crossed, and the same settings and templates give the same packets.

use fast::{Fields, Templates};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use wire::Side;
use wire::fix::Timestamp;

use super::{
    Action, Clock, Datum, FastPublisher, Layout, LayoutError, cleared, decimal, entry_type, tag,
};
use crate::report::Digits;

/// The most entries of a packet.
pub const MOST_ENTRIES: usize = 128;
/// How many of 10,000 packets have so many entries: the least and the most of each class, and its share. The mean is 1.5, as that of the recorded order log.
const SIZES: [(usize, usize, u32); 8] = [
    (1, 1, 8_050),
    (2, 2, 1_200),
    (3, 4, 480),
    (5, 8, 180),
    (9, 16, 60),
    (17, 32, 20),
    (33, 64, 7),
    (65, MOST_ENTRIES, 3),
];
/// More entries than this do not fit into a packet with prices: they are deletes, those of somebody who takes all orders out.
const MOST_WITH_PRICES: usize = 32;
/// Of packets of the largest class, those that are full.
const FULL: f64 = 0.5;
/// Decimals of a price.
const DECIMALS: u8 = 4;
/// Ticks from the fair price within which orders are placed.
const DEPTH: i64 = 40;
/// The market opens: 1 March 2017, 07:00 UTC.
const OPEN: u64 = 1_488_351_600_000_000_000;
const SECOND: f64 = 1e9;
/// The number before the first order's: numbers have seven digits, with which the shortest entries are as long as those of the recorded order log.
const BEFORE_FIRST: u64 = 1_000_000;
/// Share of packets that come at once after the one before, and their mean gap as a part of that of all.
const BURST: f64 = 0.8;
const BURST_GAP: f64 = 0.05;

/// What is traded: name, tick and first fair price in 1/10,000, how active of 100, and how many orders the book has about.
const INSTRUMENTS: [(&str, i64, i64, u32, usize); 6] = [
    ("USD000UTSTOM", 25, 583_400, 60, 400),
    ("EUR_RUB__TOM", 25, 617_100, 15, 160),
    ("USD000000TOD", 25, 583_100, 10, 120),
    ("CNY000000TOM", 5, 84_800, 7, 80),
    ("EURUSD000TOM", 1, 10_577, 5, 60),
    ("GLDRUB_TOM", 100, 23_465_000, 3, 40),
];

/// What to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How many packets.
    pub packets: u32,
    /// Market time they spread over, about, in seconds.
    pub seconds: u32,
    /// Another seed, another market.
    pub seed: u64,
}

/// What was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Packets.
    pub packets: u32,
    /// Their bytes, numbers included.
    pub bytes: u64,
    /// Entries.
    pub entries: u64,
    /// Entries of the largest packet.
    pub most_entries: usize,
    /// Orders still in the books.
    pub live_orders: u64,
}

/// The names of the instruments, the most active first.
pub fn symbols() -> impl Iterator<Item = &'static str> {
    INSTRUMENTS.iter().map(|(name, ..)| *name)
}

#[derive(Clone, Copy, Debug)]
struct Order {
    id: u64,
    side: Side,
    price: i64,
    quantity: i64,
}

/// The orders of an instrument, around a fair price that walks.
#[derive(Debug)]
struct Market {
    name: &'static str,
    tick: i64,
    fair: i64,
    about: usize,
    orders: Vec<Order>,
    /// RptSeq of its last entry.
    report: u64,
}

/// What an entry says.
#[derive(Clone, Copy, Debug)]
struct Entry {
    action: Action,
    order: Order,
}

impl Market {
    /// The best price of a side.
    fn best(&self, side: Side) -> Option<i64> {
        let prices = self.orders.iter().filter(|order| order.side == side);
        let prices = prices.map(|order| order.price);
        match side {
            Side::Buy => prices.max(),
            Side::Sell => prices.min(),
        }
    }

    fn lot(random: &mut ChaCha8Rng) -> i64 {
        match random.random_range(0..10) {
            0..4 => 1,
            4..7 => 10,
            _ => random.random_range(1..=500),
        }
    }

    fn enter(&mut self, random: &mut ChaCha8Rng, id: &mut u64) -> Entry {
        let side = match random.random_bool(0.5) {
            true => Side::Buy,
            false => Side::Sell,
        };
        // Of two draws the smaller: near the top more often than far away.
        let away = random
            .random_range(1..=DEPTH)
            .min(random.random_range(1..=DEPTH));
        let price = match side {
            Side::Buy => {
                let limit = self
                    .best(Side::Sell)
                    .map_or(i64::MAX, |best| best - self.tick);
                (self.fair - away * self.tick).min(limit)
            }
            Side::Sell => {
                let limit = self.best(Side::Buy).map_or(0, |best| best + self.tick);
                (self.fair + away * self.tick).max(limit)
            }
        };
        *id += 1;
        let order = Order {
            id: *id,
            side,
            price: price.max(self.tick),
            quantity: Self::lot(random),
        };
        self.orders.push(order);
        let action = Action::Add;
        Entry { action, order }
    }

    fn leave(&mut self, place: usize) -> Entry {
        let order = self.orders.swap_remove(place);
        let action = Action::Delete;
        Entry { action, order }
    }

    /// The best order of a side trades: it has less left, or leaves.
    fn trade(&mut self, random: &mut ChaCha8Rng, side: Side) -> Option<Entry> {
        let best = self.best(side)?;
        let place = self
            .orders
            .iter()
            .position(|order| order.side == side && order.price == best)?;
        let order = self.orders.get_mut(place)?;
        if order.quantity == 1 || random.random_bool(0.5) {
            return Some(self.leave(place));
        }
        order.quantity = random.random_range(1..order.quantity);
        let (action, order) = (Action::Change, *order);
        Some(Entry { action, order })
    }

    fn step(&mut self, random: &mut ChaCha8Rng, id: &mut u64) -> Entry {
        if random.random_bool(0.1) {
            let step = if random.random_bool(0.5) { 1 } else { -1 };
            let least = (DEPTH + 5) * self.tick;
            self.fair = (self.fair + step * self.tick).max(least);
        }
        let enters = if self.orders.len() < self.about {
            55
        } else {
            40
        };
        let draw = random.random_range(0..100);
        if self.orders.len() < 8 || draw < enters {
            return self.enter(random, id);
        }
        if draw >= 88 {
            let side = match random.random_bool(0.5) {
                true => Side::Buy,
                false => Side::Sell,
            };
            if let Some(entry) = self.trade(random, side) {
                return entry;
            }
        }
        let place = random.random_range(0..self.orders.len());
        self.leave(place)
    }

    /// The values of an entry in the log.
    fn fields(&mut self, layout: &Layout, entry: &Entry, now: Timestamp) -> Fields {
        self.report += 1;
        let (order, clock) = (&entry.order, Clock::of(now));
        let id = Digits::new(order.id);
        let mut values = vec![
            (tag::UPDATE_ACTION, Datum::Number(entry.action as u64)),
            (tag::ENTRY_TYPE, entry_type(order.side)),
            (tag::ENTRY_ID, Datum::Text(id.bytes())),
            (tag::SYMBOL, Datum::Text(self.name.as_bytes())),
            (tag::RPT_SEQ, Datum::Number(self.report)),
            (tag::ENTRY_DATE, Datum::Number(clock.date)),
            (tag::ENTRY_TIME, Datum::Number(clock.time * 1_000)),
            (tag::ORIG_TIME, Datum::Number(clock.microseconds)),
        ];
        if entry.action != Action::Delete {
            values.push((tag::PRICE, decimal(order.price, DECIMALS)));
            values.push((tag::SIZE, decimal(order.quantity, 0)));
        }
        layout.entry(&values)
    }
}

/// How many entries the next packet has.
fn size(random: &mut ChaCha8Rng) -> usize {
    let mut draw = random.random_range(0..10_000);
    for (least, most, share) in SIZES {
        if draw < share {
            let is_full = most == MOST_ENTRIES && random.random_bool(FULL);
            return if is_full {
                most
            } else {
                random.random_range(least..=most)
            };
        }
        draw -= share;
    }
    1
}

/// Makes the order log: `each` gets each packet with its time.
///
/// # Errors
/// The templates have no 3610 that can carry it; that of `each`.
pub fn generate<E: From<LayoutError>>(
    templates: &Templates,
    settings: &Settings,
    mut each: impl FnMut(Timestamp, &[u8]) -> Result<(), E>,
) -> Result<Summary, E> {
    let publisher = FastPublisher::new(templates, vec![])?;
    let FastPublisher { log, packets, .. } = publisher;
    let mut packets = packets.of_entries(MOST_ENTRIES);
    let mut random = ChaCha8Rng::seed_from_u64(settings.seed);
    let mut markets = INSTRUMENTS.map(|(name, tick, fair, _, about)| Market {
        name,
        tick,
        fair,
        about,
        orders: vec![],
        report: 0,
    });
    let (mut summary, mut id) = (Summary::default(), BEFORE_FIRST);
    let gap = f64::from(settings.seconds) * SECOND / f64::from(settings.packets.max(1));
    let between = gap * (1.0 - BURST * BURST_GAP) / (1.0 - BURST);
    let mut time = OPEN as f64;
    // Each book is empty.
    let mut entries: Vec<Fields> = markets
        .iter()
        .map(|market| log.entry(&cleared(market.name.as_bytes())))
        .collect();
    while summary.packets < settings.packets {
        let now = Timestamp(time as u64);
        if entries.is_empty() {
            let (wanted, market) = (size(&mut random), market(&mut random));
            let market = &mut markets[market];
            // Both sides keep some orders.
            let leave = wanted > MOST_WITH_PRICES && market.orders.len() >= wanted + 16;
            let count = if leave {
                wanted
            } else {
                wanted.min(MOST_WITH_PRICES)
            };
            for _ in 0..count {
                let entry = if leave {
                    let place = random.random_range(0..market.orders.len());
                    market.leave(place)
                } else {
                    market.step(&mut random, &mut id)
                };
                entries.push(market.fields(&log, &entry, now));
            }
        }
        let sending = Clock::of(now).sending_time();
        let most = entries.len();
        let mut sent = Ok(());
        packets.make(
            &log,
            std::mem::take(&mut entries),
            |part| {
                vec![
                    (tag::MSG_SEQ_NUM, Datum::Number(part.number.into())),
                    (tag::SENDING_TIME, Datum::Number(sending)),
                ]
            },
            &mut |packet: &[u8]| {
                summary.packets += 1;
                summary.bytes += packet.len() as u64;
                if sent.is_ok() {
                    sent = each(now, packet);
                }
            },
        );
        sent?;
        summary.entries += most as u64;
        summary.most_entries = summary.most_entries.max(most);
        let mean = if random.random_bool(BURST) {
            gap * BURST_GAP
        } else {
            between
        };
        time -= mean * (1.0 - random.random::<f64>()).ln();
    }
    let live = markets.iter().map(|market| market.orders.len() as u64);
    summary.live_orders = live.sum();
    Ok(summary)
}

/// The instrument of the next packet.
fn market(random: &mut ChaCha8Rng) -> usize {
    let mut draw = random.random_range(0..100);
    for (place, (_, _, _, share, _)) in INSTRUMENTS.iter().enumerate() {
        if draw < *share {
            return place;
        }
        draw -= share;
    }
    0
}
