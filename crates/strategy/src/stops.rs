//! Stop orders: the twin of `rtl/strategy/stops/stop_orders.sv`, for any number of slots.
//!
//! A stop fires when the last price reaches its trigger: a sell at or below it, a buy at or above it. Those that one price fires leave lowest
//! slot first, or, with slots in quarters as the core has them, in the order of [`turn`]; and before those of the next price. To look whether
//! a stop fires costs no more if more of them wait.

mod record;

use std::collections::{BTreeSet, VecDeque};

use formats::{Event, Kind, Listener, Side};

pub use record::{Answer, Operation, State, Stop};

/// What a stop waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Watch {
    /// The instrument's index.
    pub instrument: u32,
    /// Side of the order.
    pub side: Side,
    /// In the instrument's scale. A sell fires at or below it, a buy at or above.
    pub trigger: i64,
}

impl Watch {
    /// Prices in the order in which this side reaches them: buys from below, sells from above.
    const fn distance(&self, price: i64) -> i64 {
        match self.side {
            Side::Buy => price,
            Side::Sell => !price,
        }
    }
}

/// A slot that holds a stop.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Slot<T> {
    state: State,
    watch: Watch,
    /// Until it left.
    order: Option<T>,
}

/// When a slot's turn comes among those that one price of this instrument fires, if the slots are in quarters of so many: 0 is first.
pub const fn turn(slot: usize, instrument: u32, quarter: usize) -> usize {
    slot ^ (instrument as usize % 4 * quarter)
}

/// Stop orders of many instruments. `T` is what is to be sent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Stops<T> {
    slots: Vec<Slot<T>>,
    most: usize,
    /// Slots in a quarter; 0: there are no quarters.
    quarter: usize,
    /// The armed ones by instrument, then by side: the trigger that a price reaches first comes first.
    armed: Vec<[BTreeSet<(i64, usize)>; 2]>,
    count: usize,
    /// Those that fired and have not left, in the order in which they leave.
    firing: VecDeque<usize>,
    /// Slots below `slots.len()` that take a stop.
    free: BTreeSet<usize>,
}

impl<T> Default for Stops<T> {
    fn default() -> Self {
        Self::with_slots(usize::MAX)
    }
}

impl<T> Stops<T> {
    /// So many slots, all empty; those that one price fires leave lowest slot first.
    pub const fn with_slots(most: usize) -> Self {
        Stops {
            slots: Vec::new(),
            most,
            quarter: 0,
            armed: Vec::new(),
            count: 0,
            firing: VecDeque::new(),
            free: BTreeSet::new(),
        }
    }

    /// Four quarters of so many slots, all empty, as `stop_compare` has them: each instrument has one that is compared first.
    pub const fn with_quarters(quarter: usize) -> Self {
        let mut stops = Self::with_slots(4 * quarter);
        stops.quarter = quarter;
        stops
    }

    /// How many slots there may be.
    pub const fn most(&self) -> usize {
        self.most
    }

    /// The state of a slot; one that is not there is empty.
    pub fn state(&self, slot: usize) -> State {
        self.slots.get(slot).map_or(State::Empty, |slot| slot.state)
    }

    /// The lowest slot that takes a stop: it is empty or has fired.
    pub fn free_slot(&self) -> Option<usize> {
        let next = (self.slots.len() < self.most).then_some(self.slots.len());
        self.free.first().copied().or(next)
    }

    /// Arms the lowest slot that takes a stop, and gives its index; `None`: there is none.
    pub fn add(&mut self, watch: Watch, order: T) -> Option<usize> {
        let slot = self.free_slot()?;
        self.set(slot, watch, order).done.then_some(slot)
    }

    /// Arms a slot that is empty or has fired.
    pub fn set(&mut self, slot: usize, watch: Watch, order: T) -> Answer {
        let previous = self.state(slot);
        let done = slot < self.most && matches!(previous, State::Empty | State::Fired);
        if done {
            self.arm(slot, watch, order);
        }
        Answer { done, previous }
    }

    /// Replaces an armed stop, which stays armed.
    pub fn change(&mut self, slot: usize, watch: Watch, order: T) -> Answer {
        let previous = self.state(slot);
        let done = previous == State::Armed;
        if done {
            self.disarm(slot);
            self.arm(slot, watch, order);
        }
        Answer { done, previous }
    }

    /// Empties an armed slot.
    pub fn cancel(&mut self, slot: usize) -> Answer {
        let previous = self.state(slot);
        let done = previous == State::Armed;
        if done {
            self.disarm(slot);
            self.slots[slot].state = State::Empty;
            self.slots[slot].order = None;
            self.free.insert(slot);
        }
        Answer { done, previous }
    }

    fn arm(&mut self, slot: usize, watch: Watch, order: T) {
        // Lower slots that nobody has set yet are empty.
        while self.slots.len() <= slot {
            self.free.insert(self.slots.len());
            self.slots.push(Slot {
                state: State::Empty,
                watch,
                order: None,
            });
        }
        let instrument = watch.instrument as usize;
        if self.armed.len() <= instrument {
            self.armed.resize_with(instrument + 1, Default::default);
        }
        let key = (watch.distance(watch.trigger), slot);
        self.armed[instrument][watch.side as usize].insert(key);
        self.count += 1;
        self.free.remove(&slot);
        self.slots[slot] = Slot {
            state: State::Armed,
            watch,
            order: Some(order),
        };
    }

    fn disarm(&mut self, slot: usize) {
        let watch = self.slots[slot].watch;
        let side = &mut self.armed[watch.instrument as usize][watch.side as usize];
        side.remove(&(watch.distance(watch.trigger), slot));
        self.count -= 1;
    }

    /// An instrument traded at a price, in its scale: what it reaches fires.
    pub fn price(&mut self, instrument: u32, last: i64) {
        let Some(sides) = self.armed.get_mut(instrument as usize) else {
            return;
        };
        let before = self.firing.len();
        for (side, armed) in [Side::Buy, Side::Sell].into_iter().zip(sides) {
            let watch = Watch {
                side,
                ..Watch::default()
            };
            let reached = watch.distance(last);
            while armed.first().is_some_and(|(key, _)| *key <= reached) {
                if let Some((_, slot)) = armed.pop_first() {
                    self.slots[slot].state = State::Firing;
                    self.firing.push_back(slot);
                }
            }
        }
        let fired = self.firing.len() - before;
        self.count -= fired;
        if fired > 1 {
            let quarter = self.quarter;
            let fired = &mut self.firing.make_contiguous()[before..];
            fired.sort_unstable_by_key(|slot| turn(*slot, instrument, quarter));
        }
    }

    /// The stop that leaves next: its slot, and what is to be sent.
    pub fn firing(&self) -> Option<(usize, &T)> {
        let slot = *self.firing.front()?;
        Some((slot, self.slots[slot].order.as_ref()?))
    }

    /// The one that leaves next left: its slot can be set again.
    pub fn leave(&mut self) -> Option<(usize, T)> {
        let slot = self.firing.pop_front()?;
        self.slots[slot].state = State::Fired;
        self.free.insert(slot);
        Some((slot, self.slots[slot].order.take()?))
    }

    /// How many are armed.
    pub const fn armed(&self) -> usize {
        self.count
    }

    /// Those that are armed, by slot: what each waits for, and what is to be sent.
    pub fn waiting(&self) -> impl Iterator<Item = (usize, &Watch, &T)> {
        let slots = self.slots.iter().enumerate();
        let armed = slots.filter(|(_, slot)| slot.state == State::Armed);
        armed.filter_map(|(index, slot)| Some((index, &slot.watch, slot.order.as_ref()?)))
    }
}

/// A trade of an instrument is a price of it.
impl<T> Listener for Stops<T> {
    fn event(&mut self, event: &Event) {
        if let (Kind::Trade, Some(instrument)) = (event.kind, event.instrument) {
            self.price(instrument.into(), event.price);
        }
    }
}
