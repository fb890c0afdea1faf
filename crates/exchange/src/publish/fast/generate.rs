//! Sample data: a seeded order log as the currency market of the Moscow Exchange has it, with its template 3610 (X-OLR-CURR).
//!
//! Every change and delete names a live order, no book is ever crossed, and the same settings and templates give the same packets.
//!
//! Entries and packets are like the recorded ones (150 packets, 195 entries of 2017-05-14): each has side and price, deletes too; deletes have no quantity; hardly
//! one is a change, what trades leaves; a packet tells events of several instruments, deletes mostly before adds, or one that takes many orders out.
//! Adds and deletes are as many as each other, for no market loses orders for ever; the recording, at a market's opening, has three deletes of five.

use fast::{Fields, Templates};
use formats::Side;
use formats::fix::Timestamp;
use rand::seq::IteratorRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Action, Clock, Datum, FastPublisher, LayoutError, LogEntry, cleared, decimal, tag};

/// The most entries of a packet: deletes of orders at as many prices still fit into an Ethernet frame.
pub const MOST_ENTRIES: usize = 90;
/// How many of 10,000 packets have so many entries: the least and the most of each class, and its share. The mean is 1.4; that of the recorded order log is 1.3.
const SIZES: [(usize, usize, u32); 8] = [
    (1, 1, 8_050),
    (2, 2, 1_450),
    (3, 4, 380),
    (5, 8, 60),
    (9, 16, 40),
    (17, 32, 12),
    (33, 64, 5),
    (65, MOST_ENTRIES, 3),
];
/// A packet with at least so many entries may be one order that trades with as many others, and one with more than so many somebody who takes all orders out.
const LEAST_OF_TRADE: usize = 9;
const MOST_OF_TRADE: usize = 32;
/// Of packets of the largest class, those that are full.
const FULL: f64 = 0.5;
/// Of packets of several events, those that tell them in the order in which they came, not deletes first. The recording has none.
const UNSORTED: f64 = 0.1;
/// Decimals of a price.
const DECIMALS: u8 = 4;
/// Ticks from the fair price within which orders are placed.
const DEPTH: i64 = 40;
/// Share of orders that are far away, within so many ticks, at a whole price: 60 and 59 are sent as 6e1 and 59e0.
const FAR: f64 = 0.03;
const FAR_DEPTH: i64 = 800;
const WHOLE: i64 = 10_000;
/// The market opens: 1 March 2017, 07:00 UTC.
const OPEN: u64 = 1_488_351_600_000_000_000;
const SECOND: f64 = 1e9;
/// From what an entry is about to its packet, and between the events of a packet, in nanoseconds.
const LATE: u64 = 15_000_000;
const BETWEEN: u64 = 20_000;
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

/// What happens to an order of an instrument.
#[derive(Clone, Copy, Debug)]
struct Entry {
    market: usize,
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

    fn enter(&mut self, random: &mut ChaCha8Rng, id: &mut u64) -> Order {
        let side = side(random);
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
        let price = if self.fair > FAR_DEPTH * self.tick && random.random_bool(FAR) {
            let away = random.random_range(DEPTH..=FAR_DEPTH) * self.tick;
            match side {
                Side::Buy => price - (price - away).rem_euclid(WHOLE) - away,
                Side::Sell => price + (-price - away).rem_euclid(WHOLE) + away,
            }
        } else {
            price
        };
        *id += 1;
        let order = Order {
            id: *id,
            side,
            price: price.max(self.tick),
            quantity: Self::lot(random),
        };
        self.orders.push(order);
        order
    }

    /// An order of a side trades, the best one that came first: it leaves, or `in_part` has less left.
    fn trade(
        &mut self,
        random: &mut ChaCha8Rng,
        side: Side,
        in_part: bool,
    ) -> Option<(Action, Order)> {
        let best = self.best(side)?;
        let of_best = |order: &(usize, &Order)| (order.1.side, order.1.price) == (side, best);
        let all = self.orders.iter().enumerate().filter(of_best);
        let (place, _) = all.min_by_key(|(_, order)| order.id)?;
        let order = self.orders.get_mut(place)?;
        if in_part && order.quantity > 1 {
            order.quantity = random.random_range(1..order.quantity);
            return Some((Action::Change, *order));
        }
        Some((Action::Delete, self.orders.swap_remove(place)))
    }

    /// Whether the next order enters: each book has about as many as it should have.
    fn enters(&self, random: &mut ChaCha8Rng) -> bool {
        let share = if self.orders.len() < self.about {
            0.55
        } else {
            0.45
        };
        self.orders.len() < 8 || random.random_bool(share)
    }

    fn step(
        &mut self,
        random: &mut ChaCha8Rng,
        id: &mut u64,
        enters: bool,
    ) -> Option<(Action, Order)> {
        if random.random_bool(0.1) {
            let step = if random.random_bool(0.5) { 1 } else { -1 };
            let least = (DEPTH + 5) * self.tick;
            self.fair = (self.fair + step * self.tick).max(least);
        }
        if enters {
            return Some((Action::Add, self.enter(random, id)));
        }
        if random.random_bool(0.24) {
            let (side, in_part) = (side(random), random.random_bool(0.05));
            return self.trade(random, side, in_part);
        }
        let place = (0..self.orders.len()).choose(random)?;
        Some((Action::Delete, self.orders.swap_remove(place)))
    }

    /// Somebody takes so many orders out, by side and price.
    fn take_out(&mut self, random: &mut ChaCha8Rng, count: usize) -> Vec<Order> {
        let mut taken: Vec<Order> = (0..count)
            .filter_map(|_| {
                let place = (0..self.orders.len()).choose(random)?;
                Some(self.orders.swap_remove(place))
            })
            .collect();
        taken.sort_by_key(|order| (order.side == Side::Sell, order.price, order.id));
        taken
    }
}

fn side(random: &mut ChaCha8Rng) -> Side {
    match random.random_bool(0.5) {
        true => Side::Buy,
        false => Side::Sell,
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

/// The markets, and the number of the last order.
struct Markets {
    markets: [Market; INSTRUMENTS.len()],
    id: u64,
}

impl Markets {
    fn new() -> Self {
        Markets {
            markets: INSTRUMENTS.map(|(name, tick, fair, _, about)| Market {
                name,
                tick,
                fair,
                about,
                orders: vec![],
                report: 0,
            }),
            id: BEFORE_FIRST,
        }
    }

    /// What the next packet tells, and whether it is one event.
    fn next(&mut self, random: &mut ChaCha8Rng) -> (Vec<Entry>, bool) {
        let (count, at) = (size(random), instrument(random));
        if count >= LEAST_OF_TRADE
            && let Some(market) = self.markets.get_mut(at)
        {
            let of = |(action, order)| Entry {
                market: at,
                action,
                order,
            };
            // Both sides keep some orders.
            let orders = market.orders.len();
            if count > MOST_OF_TRADE && orders >= count + 16 {
                let taken = market.take_out(random, count).into_iter();
                return (
                    taken.map(|order| of((Action::Delete, order))).collect(),
                    true,
                );
            }
            let side = side(random);
            let there = market.orders.iter().filter(|order| order.side == side);
            if there.count() >= count.min(MOST_OF_TRADE) + 8 && random.random_bool(0.5) {
                let count = count.min(MOST_OF_TRADE);
                let in_part = random.random_bool(0.5);
                let entry = |place| {
                    market
                        .trade(random, side, in_part && place + 1 == count)
                        .map(of)
                };
                return ((0..count).filter_map(entry).collect(), true);
            }
        }
        let mut all: Vec<(usize, bool)> = vec![];
        for place in 0..count.min(MOST_OF_TRADE) {
            let at = if place == 0 { at } else { instrument(random) };
            let enters = self.markets.get(at);
            all.push((at, enters.is_none_or(|market| market.enters(random))));
        }
        if !random.random_bool(UNSORTED) {
            all.sort_by_key(|(_, enters)| *enters);
        }
        let id = &mut self.id;
        let entry = |(at, enters): (usize, bool)| {
            let market = self.markets.get_mut(at)?;
            let (action, order) = market.step(random, id, enters)?;
            Some(Entry {
                market: at,
                action,
                order,
            })
        };
        (all.into_iter().filter_map(entry).collect(), false)
    }
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
    let mut market = Markets::new();
    let mut summary = Summary::default();
    let gap = f64::from(settings.seconds) * SECOND / f64::from(settings.packets.max(1));
    let between = gap * (1.0 - BURST * BURST_GAP) / (1.0 - BURST);
    let mut time = OPEN as f64;
    // Each book is empty.
    let mut entries: Vec<Fields> = symbols()
        .map(|name| log.entry(&cleared(name.as_bytes())))
        .collect();
    while summary.packets < settings.packets {
        let now = Timestamp(time as u64);
        if entries.is_empty() {
            let (all, is_one) = market.next(&mut random);
            let mut happened = now.0 - LATE;
            for Entry {
                market: at,
                action,
                order,
            } in all
            {
                let Some(market) = market.markets.get_mut(at) else {
                    continue;
                };
                market.report += 1;
                let entry = LogEntry {
                    action,
                    side: order.side,
                    order: order.id,
                    symbol: market.name.as_bytes(),
                    report: market.report,
                    time: Clock::of(Timestamp(happened)),
                    price: decimal(order.price, DECIMALS),
                    quantity: (action != Action::Delete).then_some(order.quantity),
                };
                entries.push(entry.fields(&log));
                happened += if is_one { 0 } else { BETWEEN };
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
    let live = market
        .markets
        .iter()
        .map(|market| market.orders.len() as u64);
    summary.live_orders = live.sum();
    Ok(summary)
}

/// The instrument of an entry.
fn instrument(random: &mut ChaCha8Rng) -> usize {
    let mut draw = random.random_range(0..100);
    for (place, (_, _, _, share, _)) in INSTRUMENTS.iter().enumerate() {
        if draw < *share {
            return place;
        }
        draw -= share;
    }
    0
}
