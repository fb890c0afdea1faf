//! The figures of the session: the matching engine, the FIX codec, an order's way to the exchange and back are measured here; added to them is
//! what other programs measured and left in files.

mod recorded;
mod table;

use std::hint::black_box;
use std::io;
use std::path::PathBuf;
use std::time::Instant;

use exchange::engine::{Engine, Instrument};
use exchange::order::{Event, NewOrder, OrderId};
use formats::Side;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

pub use table::table;

use crate::Progress;
use crate::codec::codec;
use crate::fix_ack::{self, fix_ack};

/// What to measure.
#[derive(Clone, Debug)]
pub struct Options {
    /// Passes of each measurement, the best of which counts: the machine is shared.
    pub passes: u32,
    /// Orders to each acceptor; 0: none is started.
    pub orders: u32,
    /// The program `tickwire`, to be started as an exchange.
    pub tickwire: PathBuf,
    /// The project's root: the peers of the tests are built from there, and what others measured is in its `out`.
    pub project: PathBuf,
}

/// Runs every measurement; the result is the complete JSON object.
///
/// # Errors
/// An exchange of ours cannot be started, or does not answer.
pub fn bench_session(options: &Options, progress: Progress) -> io::Result<Value> {
    let workload = Workload::new(200_000, 4);
    let mut match_ns = f64::INFINITY;
    for pass in 0..options.passes.max(1) {
        progress("matching", u64::from(pass), u64::from(options.passes));
        match_ns = match_ns.min(workload.run());
    }
    progress("FIX", 0, 1);
    let codec = codec(options.passes.max(1) * 20);
    progress("FIX", 1, 1);
    let mut figures = json!({
        "match_orders_per_s": (1e9 / match_ns).round(),
        "match": {
            "ns": match_ns,
            "operations": workload.commands.len(),
            "limits": workload.limits,
            "limits_that_match": workload.matching,
            "cancels": workload.cancels,
            "orders_in_book": {"first": RESTING, "last": workload.last},
        },
        "fix_encode_order_ns": codec.encode_order_ns,
        "fix_parse_report_ns": codec.parse_report_ns,
        "fix_report_bytes": codec.report_bytes,
    });
    if options.orders > 0 {
        let round_trips = fix_ack(
            &fix_ack::Options {
                tickwire: options.tickwire.clone(),
                project: options.project.clone(),
                orders: options.orders,
            },
            progress,
        )?;
        let memory = &round_trips["memory"];
        figures["fix_ack_us"] = json!({"p50": memory["p50"], "p99": memory["p99"]});
        figures["fix_ack"] = round_trips;
    }
    recorded::add(&options.project, &mut figures);
    Ok(figures)
}

/// Orders in the book at the beginning.
const RESTING: usize = 10_000;
/// Room for all that come.
const MOST_ORDERS: u32 = 1 << 18;
/// Ticks around which prices lie at first.
const MIDDLE: i64 = 2_048;

#[derive(Clone, Copy, Debug)]
enum Command {
    Limit(NewOrder),
    Cancel(OrderId),
}

/// Orders and cancels of one instrument: 72 % limits, 30 % of which trade at once, 28 % cancels of any order in the book.
struct Workload {
    before: Vec<NewOrder>,
    commands: Vec<Command>,
    limits: usize,
    matching: usize,
    cancels: usize,
    /// Orders in the book at the end.
    last: usize,
}

/// The orders in the book, to draw from.
#[derive(Default)]
struct Live {
    ids: Vec<OrderId>,
    /// Where each is, by its tag.
    places: Vec<usize>,
    tags: Vec<u64>,
}

impl Live {
    fn event(&mut self, event: &Event) {
        match event {
            Event::Rested { order, .. } => {
                let tag = order.tag as usize;
                self.places.resize(self.places.len().max(tag + 1), 0);
                self.places[tag] = self.ids.len();
                self.ids.push(order.id);
                self.tags.push(order.tag);
            }
            Event::Traded { maker, .. } if maker.remaining == 0 => self.remove(maker.tag),
            Event::Removed {
                order,
                displayed: true,
                ..
            } => self.remove(order.tag),
            _ => {}
        }
    }

    fn remove(&mut self, tag: u64) {
        let place = self.places[tag as usize];
        self.ids.swap_remove(place);
        self.tags.swap_remove(place);
        if let Some(moved) = self.tags.get(place) {
            self.places[*moved as usize] = place;
        }
    }
}

impl Workload {
    fn engine() -> Engine {
        let mut engine = Engine::new(MOST_ORDERS);
        engine.add(&Instrument {
            lowest_price: 0,
            highest_price: 2 * MIDDLE - 1,
            largest_quantity: 1_000_000,
        });
        engine
    }

    fn new(operations: usize, seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let (mut engine, mut live) = (Self::engine(), Live::default());
        let mut workload = Workload {
            before: vec![],
            commands: vec![],
            limits: 0,
            matching: 0,
            cancels: 0,
            last: 0,
        };
        let mut tag = 0;
        let mut limit = |random: &mut ChaCha8Rng, engine: &Engine, matching: bool| {
            tag += 1;
            let side = if random.random_bool(0.5) {
                Side::Buy
            } else {
                Side::Sell
            };
            let best = |side| engine.levels(0, side).next().map(|level| level.price);
            let (bid, offer) = (
                best(Side::Buy).unwrap_or(MIDDLE - 1),
                best(Side::Sell).unwrap_or(MIDDLE + 1),
            );
            // Near the top more often than far away.
            let away = random.random_range(0..100).min(random.random_range(0..100));
            let price = match side {
                Side::Buy if matching => offer,
                Side::Sell if matching => bid,
                Side::Buy => (offer - 1 - away).max(0),
                Side::Sell => (bid + 1 + away).min(2 * MIDDLE - 1),
            };
            let quantity = random.random_range(1..=10) * 100;
            NewOrder {
                tag,
                side,
                price,
                quantity,
                ..NewOrder::default()
            }
        };
        for _ in 0..RESTING {
            let order = limit(&mut random, &engine, false);
            let _ = engine.submit(&order, &mut |event: &Event| live.event(event));
            workload.before.push(order);
        }
        for _ in 0..operations {
            if random.random_bool(0.28) && !live.ids.is_empty() {
                let id = live.ids[random.random_range(0..live.ids.len())];
                let _ = engine.cancel(0, id, &mut |event: &Event| live.event(event));
                workload.commands.push(Command::Cancel(id));
                workload.cancels += 1;
            } else {
                let matching = random.random_bool(0.3);
                let order = limit(&mut random, &engine, matching);
                let mut trades = 0;
                let _ = engine.submit(&order, &mut |event: &Event| {
                    trades += usize::from(matches!(event, Event::Traded { .. }));
                    live.event(event);
                });
                workload.commands.push(Command::Limit(order));
                workload.limits += 1;
                workload.matching += usize::from(trades > 0);
            }
        }
        workload.last = live.ids.len();
        workload
    }

    /// Nanoseconds an operation.
    fn run(&self) -> f64 {
        let mut engine = Self::engine();
        // What a publisher would look at.
        let mut sum = 0_u64;
        let mut sink = |event: &Event| {
            sum = sum.wrapping_add(match event {
                Event::Traded { quantity, .. } => *quantity,
                Event::Rested { order, .. } | Event::Removed { order, .. } => order.remaining,
                _ => 1,
            });
        };
        for order in &self.before {
            let _ = engine.submit(order, &mut sink);
        }
        let start = Instant::now();
        for command in &self.commands {
            let _ = match command {
                Command::Limit(order) => engine.submit(order, &mut sink).map(|_| ()),
                Command::Cancel(id) => engine.cancel(0, *id, &mut sink),
            };
        }
        let elapsed = start.elapsed();
        black_box(sum);
        elapsed.as_secs_f64() * 1e9 / self.commands.len().max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workload_is_the_mix_that_is_promised() {
        let workload = Workload::new(20_000, 4);
        let share = |part: usize, whole: usize| part as f64 / whole as f64;
        let cancels = share(workload.cancels, workload.commands.len());
        let matching = share(workload.matching, workload.limits);
        assert!((cancels - 0.28).abs() < 0.02, "{cancels}");
        assert!((matching - 0.30).abs() < 0.02, "{matching}");
    }
}
