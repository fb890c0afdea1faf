//! The book in hardware and in software, in lockstep: the same events, verdicts and requests of the host; everything that leaves the hardware is compared.
//!
//! The hardware leads: for each change, verdict and trade that leaves it, the twin takes the events up to the one that made it. So events may come as
//! fast as they may, and wait in the hardware as long as they do.

mod compare;
mod host;
mod read;

pub(super) use host::orders;

use std::collections::VecDeque;

use book::{Cause, Status};
use formats::{Event, Side};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::model::Input;
use super::twin::{Counts, Expected, Trade, Twin, Undone, Window};
use super::{Design, Hardware, INSTRUMENTS};

/// Bits of an id in the hardware.
const ID_MASK: u64 = (1 << 48) - 1;
/// From a change to the report of a level that does not fit, in cycles.
const LEVEL_FAULT_AFTER: u64 = 5;
/// From a best price that is known early to its change, in cycles.
const IMPROVING_BEFORE: u64 = 4;
/// Whatever waits has left after so many cycles.
const PATIENCE: u64 = 40_000;
/// Cycles without a change after which nothing waits any more.
const STILL: u64 = 400;
/// Cycles after which nothing of an event is on its way.
const ALONE: u64 = 20;
/// Every line of best levels has been filled up again after so many.
const REST: u64 = 30_000;

/// How far apart the events of a frame are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spacing {
    /// 2 cycles, which the hardware takes without waiting.
    Two,
    /// One in each cycle: they wait in the FIFO.
    Burst,
    /// So many cycles, in and between frames.
    Apart(u64),
    /// So that nothing is on its way when the next comes.
    Far,
    /// Anything from 1 to 12 cycles, mostly 2.
    Random,
}

/// What was done and compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Cycles of the hardware.
    pub cycles: u64,
    /// Events given.
    pub events: u64,
    /// Changes compared, those of orders that the host restored included.
    pub changes: u64,
    /// Levels compared, best prices not included.
    pub levels: u64,
    /// Changes without both best prices, since a side was short of levels.
    pub incomplete: u64,
    /// Best prices that were reported when they were known again.
    pub known: u64,
    /// Changes of an instrument with a level that did not fit: only faults were compared.
    pub wrong: u64,
    /// Operations taken back.
    pub taken_back: u64,
    /// Reads of a side compared.
    pub reads: u64,
    /// Those during which events came.
    pub reads_meanwhile: u64,
    /// Those that gave as many levels as a read can.
    pub full_reads: u64,
    /// Reads that were given up, since the side never rested.
    pub reads_given_up: u64,
    /// Levels that were read.
    pub levels_read: u64,
    /// Trades compared.
    pub trades: u64,
    /// Verdicts compared.
    pub verdicts: u64,
    /// Best prices that were known early.
    pub early: u64,
    /// Adds that improved the best, with nothing else on its way.
    pub could_be_early: u64,
    /// Faults of events, by cause.
    pub faults: [u64; Cause::ALL.len()],
    /// Orders refused since all sets of their id were full.
    pub full_sets: u64,
    /// Levels that did not fit: no room, sums too large.
    pub levels_full: u64,
    /// The latter.
    pub level_overflows: u64,
    /// Instruments rebuilt.
    pub rebuilt: u64,
    /// Orders restored.
    pub restored: u64,
    /// From an event to its change, in cycles: least and most.
    pub latency: Option<(u64, u64)>,
    /// Changes after the least latency.
    pub at_once: u64,
}

enum Item {
    Event(Event),
    Verdict(bool),
}

struct Early {
    cycle: u64,
    instrument: usize,
    side: Side,
    price: u32,
    shares: u32,
}

/// Both books, and what they still owe each other.
pub struct Lockstep {
    design: Design,
    hardware: Hardware,
    twin: Twin,
    random: ChaCha8Rng,
    /// The cycle that comes.
    cycle: u64,
    /// Its inputs.
    next: Input,
    /// What the twin has not taken yet, with the cycle in which it came.
    pending: VecDeque<(u64, Item)>,
    /// What the hardware has to take back.
    undoing: VecDeque<Undone>,
    /// The twin has had this verdict, the hardware has not given it.
    verdict_due: Option<bool>,
    trades: VecDeque<Trade>,
    early: VecDeque<Early>,
    /// The last changes.
    recent: VecDeque<(u64, usize)>,
    /// Levels whose sums are too large: of these a report comes.
    overflows: VecDeque<usize>,
    /// Since when the twin's `wrong` is set.
    wrong_since: [u64; INSTRUMENTS],
    counted: Counts,
    /// The cycle in which `all_tradable` is compared.
    check_at: u64,
    /// Cycle of the last event, change or verdict, and of the last event alone.
    last_sign: u64,
    last_event: u64,
    /// It came when nothing else had come for long.
    isolated: bool,
    /// Lines have had time to be filled up.
    rested: bool,
    /// Instruments without both best prices, as they were reported; and after the last good frame.
    unknown: [bool; INSTRUMENTS],
    unknown_kept: [bool; INSTRUMENTS],
    /// Number of the last event.
    sequence: u64,
    host: host::Host,
    reader: read::Reader,
    failure: Option<String>,
    /// So far.
    pub stats: Stats,
}

impl Lockstep {
    /// Both after a reset; another seed, other pauses.
    pub fn new(design: Design, seed: u64) -> Self {
        Lockstep {
            design,
            hardware: Hardware::new(design),
            twin: Twin::new(design),
            random: ChaCha8Rng::seed_from_u64(seed),
            cycle: 0,
            next: Input::default(),
            pending: VecDeque::new(),
            undoing: VecDeque::new(),
            verdict_due: None,
            trades: VecDeque::new(),
            early: VecDeque::new(),
            recent: VecDeque::new(),
            overflows: VecDeque::new(),
            wrong_since: [0; INSTRUMENTS],
            counted: Counts::default(),
            check_at: u64::MAX,
            last_sign: 0,
            last_event: 0,
            isolated: false,
            rested: false,
            unknown: [false; INSTRUMENTS],
            unknown_kept: [false; INSTRUMENTS],
            sequence: 0,
            host: host::Host::default(),
            reader: read::Reader::new(seed),
            failure: None,
            stats: Stats::default(),
        }
    }

    /// The first difference, in words.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// The twin's book.
    pub fn book(&self) -> &book::Book {
        &self.twin.book
    }

    /// The orders of an instrument that the host can put in again: buy before sell, the best level first, the oldest of a level first.
    pub fn orders(&self, instrument: usize) -> Vec<book::OrderView> {
        let mut orders = host::orders(&self.twin.book, instrument);
        orders.retain(|order| u32::try_from(order.price).is_ok());
        orders
    }

    /// Whether the instrument can be relied on, but for levels that did not fit.
    pub fn is_tradable(&self, instrument: usize) -> bool {
        let status = self.twin.book.status(instrument as u32);
        matches!(status, Some(Status::Tradable | Status::Outside))
    }

    /// The window of an instrument.
    pub fn window(&self, instrument: usize) -> Window {
        self.twin.window(instrument)
    }

    /// Number of the last event.
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// Levels of a side, beyond the window too.
    pub fn level_count(&self, instrument: usize, side: Side) -> usize {
        self.twin.level_count(instrument, side)
    }

    /// Whether a level of an instrument did not fit; until it is rebuilt.
    pub fn is_wrong(&self, instrument: usize) -> bool {
        self.twin.wrong[instrument]
    }

    pub(super) fn fail(&mut self, text: String) {
        if self.failure.is_none() {
            self.failure = Some(format!("cycle {}: {text}", self.cycle));
        }
    }

    /// A cycle. What is given comes in the next one: the id of its order is given a cycle ahead.
    pub fn step(&mut self, event: Option<&Event>, verdict: Option<bool>) {
        if self.failure.is_some() {
            return;
        }
        self.read_at_random();
        // Without an event anything may be there.
        let early_id = event.map_or_else(|| self.random.random(), |event| event.order_id);
        let mut now = std::mem::take(&mut self.next);
        now.early_id = early_id & ID_MASK;
        let left = self.hardware.cycle(&now);
        if let Some(output) = left
            && let Err(text) = self.compare(&output)
        {
            self.fail(text);
        }
        if self.cycle == self.check_at
            && let Err(text) = self.compare_tradable()
        {
            self.fail(text);
        }
        self.cycle += 1;
        self.stats.cycles += 1;
        if let Some(event) = event {
            let alone = self.cycle >= self.last_event + ALONE;
            self.isolated = alone && self.pending.is_empty();
            self.next = input(event);
            self.pending.push_back((self.cycle, Item::Event(*event)));
            self.sequence = event.sequence;
            self.last_event = self.cycle;
            self.rested = false;
            self.stats.events += 1;
        }
        if let Some(good) = verdict {
            self.next.verdict = 1;
            self.next.good = good.into();
            self.pending.push_back((self.cycle, Item::Verdict(good)));
        }
        if event.is_some() || verdict.is_some() {
            self.last_sign = self.cycle;
        }
    }

    /// Cycles without anything.
    pub fn idle(&mut self, cycles: u64) {
        for _ in 0..cycles {
            self.step(None, None);
        }
    }

    /// A frame, its events numbered on from the last one. No event is lost: as many wait as may.
    pub fn frame(&mut self, events: &[Event], good: bool, spacing: Spacing) {
        let with_last = !events.is_empty() && self.random.random_bool(0.4);
        for (place, event) in events.iter().enumerate() {
            while self.pending.len() >= self.design.waiting()
                && self.cycle < self.last_sign + STILL
                && self.failure.is_none()
            {
                self.step(None, None);
            }
            let event = Event {
                sequence: self.sequence + 1,
                ..*event
            };
            let ends = with_last && place + 1 == events.len();
            self.step(Some(&event), ends.then_some(good));
            let pause = match spacing {
                Spacing::Two => 1,
                Spacing::Burst => 0,
                Spacing::Apart(cycles) => cycles - 1,
                Spacing::Far => 24,
                Spacing::Random => match self.random.random_range(0..10) {
                    0..5 => 1,
                    5 => 0,
                    6..8 => self.random.random_range(2..5),
                    _ => self.random.random_range(5..12),
                },
            };
            self.idle(pause);
        }
        if !with_last {
            let pause = self.random.random_range(0..3);
            self.idle(pause);
            self.step(None, Some(good));
        }
        // Often the next frame comes at once; or after some time, as in a feed.
        let pause = match spacing {
            Spacing::Apart(cycles) => cycles - 1,
            Spacing::Far => 24,
            _ if self.random.random_bool(0.9) => self.random.random_range(0..14),
            _ => self.random.random_range(40..400),
        };
        self.idle(pause);
    }

    /// Until everything that was expected has come; then the counters are compared.
    pub fn settle(&mut self) {
        let until = self.cycle + PATIENCE;
        self.step(None, None);
        while self.owes() && self.cycle < until && self.failure.is_none() {
            self.step(None, None);
        }
        self.idle(16);
        if self.failure.is_some() {
            return;
        }
        if self.owes() {
            let text = self.owed();
            return self.fail(text);
        }
        self.gap_deferred();
        if let Err(text) = self.compare_counts().and_then(|()| self.compare_tradable()) {
            self.fail(text);
        }
    }

    fn owes(&self) -> bool {
        !(self.pending.is_empty()
            && self.undoing.is_empty()
            && self.verdict_due.is_none()
            && self.trades.is_empty()
            && self.overflows.is_empty()
            && self.host.restoring.is_empty())
    }

    fn owed(&self) -> String {
        let first = self
            .pending
            .front()
            .map(|(cycle, item)| match item {
                Item::Event(event) => format!("cycle {cycle}, {event:?}"),
                Item::Verdict(good) => format!("cycle {cycle}, verdict {good}"),
            })
            .unwrap_or_default();
        format!(
            "nothing comes: {} events and verdicts ({first}), {} to take back, {} trades, {} levels, {} restored",
            self.pending.len(),
            self.undoing.len(),
            self.trades.len(),
            self.overflows.len(),
            self.host.restoring.len(),
        )
    }

    /// Waits until all lines have been filled up, and shows each side of an instrument by a trade that touches no order.
    pub fn show(&mut self, instruments: impl Iterator<Item = usize>) {
        self.settle();
        self.idle(REST);
        for instrument in 0..INSTRUMENTS {
            if self.unknown_kept[instrument] && !self.twin.wrong[instrument] {
                self.fail(format!(
                    "no best price of instrument {instrument} was told after a rest"
                ));
            }
        }
        for instrument in instruments {
            for side in [Side::Buy, Side::Sell] {
                let trade = Event {
                    instrument: Some(instrument as u8),
                    side,
                    price: self.window(instrument).low_price(),
                    quantity: 1,
                    sequence: self.sequence + 1,
                    ..Event::new(formats::Kind::Trade, b'P')
                };
                self.step(Some(&trade), Some(true));
                self.rested = true;
                self.settle();
                self.read_at_rest(instrument, side);
            }
        }
    }

    /// Deletes every order, the best of a side first, so that all levels become the best once; then nothing is left.
    pub fn drain(&mut self, instruments: impl Iterator<Item = usize>) {
        self.settle();
        for instrument in instruments {
            let orders = host::orders(&self.twin.book, instrument);
            for frame in orders.chunks(4) {
                let gone: Vec<Event> = frame
                    .iter()
                    .map(|order| Event {
                        instrument: self.random.random::<bool>().then_some(instrument as u8),
                        order_id: order.id,
                        ..Event::new(formats::Kind::Delete, b'D')
                    })
                    .collect();
                self.frame(&gone, true, Spacing::Two);
                let pause = self.random.random_range(0..100);
                self.idle(pause);
            }
            self.settle();
            let left = host::orders(&self.twin.book, instrument).len();
            if left > 0 {
                self.fail(format!("instrument {instrument} has {left} orders left"));
            }
        }
    }

    /// The twin's next change, from the next event that makes one.
    fn next_change(&mut self, full: bool) -> Result<(u64, Event, Expected), String> {
        loop {
            let (cycle, event) = match self.pending.pop_front() {
                Some((cycle, Item::Event(event))) => (cycle, event),
                Some((_, Item::Verdict(good))) => {
                    return Err(format!(
                        "a change that no event made, before verdict {good}"
                    ));
                }
                None => return Err("a change that no event made".into()),
            };
            if let Some(expected) = self.take(cycle, &event, full) {
                return Ok((cycle, event, expected));
            }
        }
    }

    /// The next verdict; no event before it makes a change.
    fn next_verdict(&mut self) -> Result<bool, String> {
        loop {
            match self.pending.pop_front() {
                Some((_, Item::Verdict(good))) => return Ok(good),
                Some((cycle, Item::Event(event))) => {
                    if let Some(expected) = self.take(cycle, &event, false) {
                        return Err(format!(
                            "no change of the event in cycle {cycle}: {event:?}, {expected:?}"
                        ));
                    }
                }
                None => return Err("a verdict that nobody gave".into()),
            }
        }
    }

    fn take(&mut self, cycle: u64, event: &Event, full: bool) -> Option<Expected> {
        let before = self.twin.counts.not_ours;
        let expected = self.twin.apply(event, full);
        if self.host.sweeps(cycle) {
            // The order may still be there: then it is one of the instrument that is being rebuilt.
            self.host.perhaps_not_ours += self.twin.counts.not_ours - before;
        }
        expected
    }

    /// The twin has the verdict.
    fn close(&mut self, good: bool) -> Result<(), String> {
        self.undoing = self.twin.verdict(good).into();
        self.restore_deferred()?;
        self.gap_deferred();
        Ok(())
    }
}

fn input(event: &Event) -> Input {
    Input {
        price: event.price as u64,
        quantity: event.quantity,
        id: event.order_id,
        new_id: event.new_order_id,
        sequence: event.sequence & ID_MASK,
        event: 1,
        kind: event.kind as u8,
        known: event.instrument.is_some().into(),
        // What is driven where the event names none.
        instrument: event.instrument.unwrap_or(0xa5),
        sell: event.side as u8,
        non_printable: event.non_printable.into(),
        ..Input::default()
    }
}

fn side(sell: u8) -> Side {
    if sell == 0 { Side::Buy } else { Side::Sell }
}

fn cause(code: u8) -> Cause {
    Cause::ALL[usize::from(code)]
}
