//! The book: events in, changes out.

use formats::{Event, Kind, Side, Source};

use crate::change::{Change, Level, Top, Trade, What};
use crate::fault::{Cause, Counters, Status};
use crate::levels::{Levels, Queues, key};
use crate::limits::Limits;
use crate::orders::{Found, NONE, Order, Orders};
use crate::undo::Undo;
use crate::window::{Window, on_tick};

/// Orders that have room from the start where tables may grow.
const FIRST_ORDERS: usize = 1 << 10;
/// Entries of the log that have room from the start where tables may grow.
const FIRST_LOG: usize = 1 << 10;

/// The book of one instrument. What every event needs is in the first two lines of the cache.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct Market {
    /// Bids, asks.
    pub(crate) sides: [Levels; 2],
    pub(crate) top: Top,
    pub(crate) tick: i64,
    /// [`Status::Outside`] never stands here: it follows from the levels.
    pub(crate) status: Status,
    pub(crate) window: Window,
    pub(crate) last_trade: Option<Trade>,
    /// Levels of a side at most, where the feed gives levels; 0: it gives orders.
    pub(crate) depth: u32,
    /// While it is rebuilt: the number after that of the last event that was not booked.
    pub(crate) missed: u64,
}

impl Market {
    fn new(limits: &Limits) -> Self {
        let levels = if limits.grows {
            0
        } else {
            // A level has an order, at least.
            limits.orders as usize
        };
        Market {
            sides: [Levels::with_capacity(levels), Levels::with_capacity(levels)],
            top: Top::default(),
            tick: 1,
            status: Status::Tradable,
            window: Window::ALL,
            last_trade: None,
            depth: 0,
            missed: 0,
        }
    }

    /// Whether the book can be relied on.
    #[inline(always)]
    pub(crate) fn status(&self) -> Status {
        let hidden = |side: &Levels| side.outside() > 0 && side.inside() == 0;
        if self.status == Status::Tradable && self.sides.iter().any(hidden) {
            return Status::Outside;
        }
        self.status
    }

    /// A level of a side opened, or closed.
    #[inline(always)]
    pub(crate) fn refresh(&mut self, side: Side, queues: &Queues) {
        let best = self.sides[side as usize].best(queues);
        self.top.set(side, best);
    }

    /// A level of a side has another quantity or other orders.
    #[inline(always)]
    pub(crate) fn update(&mut self, side: Side, level: Level) {
        let best = self.top.of(side);
        if best.price == level.price && !best.is_empty() {
            self.top.set(side, level);
        }
    }
}

/// The books of many instruments of one source. See the [rules](crate).
#[derive(Clone, Debug)]
pub struct Book {
    pub(crate) limits: Limits,
    /// [`Limits::orders`] at the start.
    pub(crate) most_orders: u32,
    pub(crate) source: Source,
    pub(crate) markets: Vec<Market>,
    pub(crate) orders: Orders,
    /// Those of all levels of all instruments.
    pub(crate) queues: Queues,
    /// Levels inside of the window, of all instruments.
    pub(crate) levels: u32,
    /// Levels of instruments whose feed gives levels.
    pub(crate) by_level: u32,
    /// What this frame did.
    pub(crate) log: Vec<Undo>,
    /// Operations of this frame: order changes and trades.
    pub(crate) operations: u32,
    pub(crate) counters: Counters,
    /// The counters before this frame.
    pub(crate) committed: Counters,
    /// A fault was counted in this frame.
    pub(crate) faulted: bool,
    /// The number after that of the last event of an order that is not in the book, of nobody knows which instrument.
    pub(crate) unknown: u64,
    /// The number that a rebuild must reach: that after the last gap, or the first of the session.
    pub(crate) after_gap: u64,
    /// Messages that the feed has lost so far.
    pub(crate) lost: u64,
    /// Why an instrument that is added is untradable: messages about it may be missing already.
    pub(crate) missing: Option<Cause>,
}

impl Book {
    /// Books of so many instruments of the feed, all empty and tradable; every price is a multiple of the tick, which is 1.
    pub fn new(instruments: usize, limits: Limits) -> Self {
        let limits = Limits {
            orders: limits.orders.min(Limits::UNLIMITED.orders),
            ..limits
        };
        let orders = if limits.grows {
            FIRST_ORDERS
        } else {
            limits.orders as usize
        };
        let log = if limits.grows {
            FIRST_LOG
        } else {
            // An operation has three entries at most, and an instrument becomes untradable once in a frame.
            3 * limits.log as usize + instruments
        };
        Book {
            limits,
            most_orders: limits.orders,
            source: Source::Feed,
            markets: (0..instruments).map(|_| Market::new(&limits)).collect(),
            orders: Orders::with_capacity(orders),
            queues: Queues::with_capacity(orders),
            levels: 0,
            by_level: 0,
            log: Vec::with_capacity(log),
            operations: 0,
            counters: Counters::default(),
            committed: Counters::default(),
            faulted: false,
            unknown: 0,
            after_gap: 0,
            lost: 0,
            missing: None,
        }
    }

    /// Adds the book of one more instrument, where tables may grow ([`Limits::grows`]); returns its index. A feed that lists its instruments
    /// while it runs needs it. It is untradable if the feed has lost messages, or its session did not begin with the first.
    pub fn add_instrument(&mut self) -> Option<u32> {
        let index = u32::try_from(self.markets.len()).ok()?;
        // An order has a bit less for it.
        let room = self.limits.grows && index < u32::MAX >> 1;
        room.then(|| {
            let mut market = Market::new(&self.limits);
            if let Some(cause) = self.missing {
                market.status = Status::Untradable(cause);
                self.counters.count(cause);
                self.committed.count(cause);
            }
            self.markets.push(market);
            index
        })
    }

    /// Books an event, and tells what it changed; `None`: it is not about an instrument of ours, or changes no book.
    ///
    /// Events of other sources are trades or nothing. Its instrument is [`Event::instrument`]; an event of an order, which names none in many
    /// feeds, is of that order's instrument. One with a symbol that is none of ours is nothing.
    #[inline]
    pub fn apply(&mut self, event: &Event) -> Option<Change> {
        self.apply_to(event.instrument.map(u32::from), event)
    }

    /// The same for more instruments than [`Event::instrument`] can tell apart: its index is this one.
    #[inline]
    pub fn apply_to(&mut self, instrument: Option<u32>, event: &Event) -> Option<Change> {
        self.book::<true>(instrument, event)
    }

    #[inline(always)]
    pub(crate) fn book<const LIVE: bool>(
        &mut self,
        instrument: Option<u32>,
        event: &Event,
    ) -> Option<Change> {
        if event.source != self.source && event.kind != Kind::Trade {
            return None;
        }
        match event.kind {
            Kind::Add => self.add::<LIVE>(instrument?, event),
            Kind::Modify | Kind::Execute | Kind::Reduce | Kind::Delete | Kind::Replace => {
                if instrument.is_none() && event.symbol.is_some() {
                    return None;
                }
                self.by_id::<LIVE>(instrument, event)
            }
            Kind::Trade => self.trade(instrument?, event),
            Kind::Level => self.book_level::<LIVE>(instrument?, event),
            Kind::Clear => self.unsupported::<LIVE>(instrument?, event),
            Kind::Time | Kind::Status => None,
        }
    }

    /// An order enters.
    #[inline(always)]
    fn add<const LIVE: bool>(&mut self, instrument: u32, event: &Event) -> Option<Change> {
        let market = self.markets.get(instrument as usize)?;
        if LIVE && market.status == Status::Rebuilding {
            return self.missed(instrument, event);
        }
        let before = market.top;
        if market.depth > 0 {
            return Some(self.fault(instrument, Cause::Unsupported, event, before));
        }
        if let Err(cause) = self.acceptable(event, event.order_id, 1) {
            return Some(self.fault(instrument, cause, event, before));
        }
        // It fits: that was checked.
        let quantity = event.quantity as u32;
        match self.enter(
            instrument,
            event.side,
            event.order_id,
            event.price,
            quantity,
        ) {
            Ok(()) => Some(self.change(instrument, What::Add, event.side, event.price, before)),
            Err(cause) => Some(self.fault(instrument, cause, event, before)),
        }
    }

    /// An event of an order that is in the book, or should be.
    #[inline(always)]
    fn by_id<const LIVE: bool>(
        &mut self,
        instrument: Option<u32>,
        event: &Event,
    ) -> Option<Change> {
        let found = self.orders.find(event.order_id).ok().filter(|found| {
            instrument.is_none_or(|named| named == self.orders[found.slot].instrument())
        });
        let Some(found) = found else {
            return self.unknown::<LIVE>(instrument, event);
        };
        let order = self.orders[found.slot];
        let (instrument, side) = (order.instrument(), order.side());
        let price = self.queues[order.level].price;
        let market = self.markets.get(instrument as usize)?;
        if LIVE && market.status == Status::Rebuilding {
            return self.missed(instrument, event);
        }
        let before = market.top;
        let (entering, operations) = entering(event);
        if let Err(cause) = self.acceptable(event, entering, operations) {
            return Some(self.fault(instrument, cause, event, before));
        }
        match event.kind {
            Kind::Modify if event.price == price && event.quantity <= order.quantity.into() => {
                self.shrink(found.slot, &order, order.quantity - event.quantity as u32);
                self.operations += 1;
                Some(self.change(instrument, What::Modify, side, price, before))
            }
            Kind::Delete => {
                self.leave(found, &order, price);
                Some(self.change(instrument, What::Delete, side, price, before))
            }
            Kind::Replace | Kind::Modify => {
                self.leave(found, &order, price);
                let quantity = event.quantity as u32;
                let what = if event.kind == Kind::Replace {
                    What::Replace
                } else {
                    What::Modify
                };
                match self.enter(instrument, side, entering, event.price, quantity) {
                    Ok(()) => Some(self.change(instrument, what, side, event.price, before)),
                    Err(cause) => Some(self.fault(instrument, cause, event, before)),
                }
            }
            kind => {
                if event.quantity > u64::from(order.quantity) {
                    return Some(self.fault(instrument, Cause::TooMuch, event, before));
                }
                let quantity = event.quantity as u32;
                if quantity == order.quantity {
                    self.leave(found, &order, price);
                } else {
                    self.shrink(found.slot, &order, quantity);
                }
                if kind == Kind::Reduce {
                    return Some(self.change(instrument, What::Reduce, side, price, before));
                }
                let trade = (!event.non_printable).then_some(Trade {
                    side,
                    price: if event.price == 0 { price } else { event.price },
                    quantity: event.quantity,
                });
                if let Some(trade) = trade {
                    self.traded(instrument, trade);
                }
                Some(Change {
                    trade,
                    ..self.change(instrument, What::Execute, side, price, before)
                })
            }
        }
    }

    /// A trade that touches no displayed order.
    fn trade(&mut self, instrument: u32, event: &Event) -> Option<Change> {
        let before = self.markets.get(instrument as usize)?.top;
        if self.operations >= self.limits.log {
            return Some(self.fault(instrument, Cause::LogFull, event, before));
        }
        self.operations += 1;
        let trade = Trade {
            side: event.side,
            price: event.price,
            quantity: event.quantity,
        };
        self.traded(instrument, trade);
        Some(Change {
            trade: Some(trade),
            ..self.change(instrument, What::Trade, event.side, event.price, before)
        })
    }

    #[inline(always)]
    fn traded(&mut self, instrument: u32, trade: Trade) {
        let last = &mut self.markets[instrument as usize].last_trade;
        let previous = last.replace(trade);
        self.log.push(Undo::Trade(instrument, previous));
    }

    /// What can be seen on the event alone, and whether it can be undone. `id` is that of the order that enters, if one does.
    #[inline(always)]
    fn acceptable(&self, event: &Event, id: u64, operations: u32) -> Result<(), Cause> {
        let enters = matches!(event.kind, Kind::Add | Kind::Replace | Kind::Modify);
        if event.kind == Kind::Modify && event.price == 0 {
            return Err(Cause::Unsupported);
        }
        if event.quantity == 0 && event.kind != Kind::Delete {
            return Err(Cause::QuantityZero);
        }
        if enters && event.quantity > self.limits.quantity.into() {
            return Err(Cause::QuantityTooLarge);
        }
        if enters && id > self.limits.largest_id() {
            return Err(Cause::IdTooLong);
        }
        if event.kind == Kind::Replace && event.order_id == id {
            return Err(Cause::ReplacesItself);
        }
        if operations > self.limits.log - self.operations {
            return Err(Cause::LogFull);
        }
        Ok(())
    }

    /// An order enters, whose quantity and id are acceptable; on an error nothing changes.
    #[inline(always)]
    fn enter(
        &mut self,
        instrument: u32,
        side: Side,
        id: u64,
        price: i64,
        quantity: u32,
    ) -> Result<(), Cause> {
        if self.limits.grows {
            self.orders.reserve();
        }
        let Err(vacant) = self.orders.find(id) else {
            return Err(Cause::DuplicateId);
        };
        let levels = &self.markets[instrument as usize].sides[side as usize];
        let (level, last) = match levels.find(key(side, price)) {
            Ok(at) => {
                if self.orders.live() >= self.limits.orders {
                    return Err(Cause::OrdersFull);
                }
                let level = levels.queue(at);
                let queue = &self.queues[level];
                let room = self.limits.level_quantity.checked_sub(queue.quantity);
                if queue.orders >= self.limits.level_orders
                    || room.is_none_or(|room| room < quantity.into())
                {
                    return Err(Cause::LevelOverflow);
                }
                (level, queue.last)
            }
            Err(at) => (self.open(instrument, side, price, quantity, at)?, NONE),
        };
        let order = Order {
            id,
            level,
            quantity,
            place: Order::place(instrument, side),
            previous: last,
            next: NONE,
        };
        let slot = self.orders.insert(vacant, order);
        self.queues.link(slot, &mut self.orders);
        let market = &mut self.markets[instrument as usize];
        if last != NONE {
            market.update(side, self.queues.level(level));
        } else if market.sides[side as usize].is_best(level) {
            market.refresh(side, &self.queues);
        }
        self.operations += 1;
        self.log.push(Undo::Add(slot));
        Ok(())
    }

    /// A level opens for an order of this quantity; returns its queue.
    #[inline(always)]
    fn open(
        &mut self,
        instrument: u32,
        side: Side,
        price: i64,
        quantity: u32,
        at: usize,
    ) -> Result<u32, Cause> {
        let market = &mut self.markets[instrument as usize];
        if !on_tick(price, market.tick) {
            return Err(Cause::OffTick);
        }
        // Without limits there is no window, and it is not looked at.
        let mut moved = None;
        let mut outside = false;
        if let Some(half) = self.limits.window {
            let mut window = market.window;
            if !window.chosen && market.sides.iter().all(|side| side.len() == 0) {
                window = Window::around(price, market.tick, half, false);
                moved = Some(window).filter(|window| *window != market.window);
            }
            outside = !window.contains(price);
            if window.is_better(side, price) {
                return Err(Cause::OutsideWindow);
            }
        }
        if self.orders.live() + self.by_level >= self.limits.orders {
            return Err(Cause::OrdersFull);
        }
        if !outside && self.levels >= self.limits.levels {
            return Err(Cause::LevelsFull);
        }
        if self.limits.level_orders == 0 || u64::from(quantity) > self.limits.level_quantity {
            return Err(Cause::LevelOverflow);
        }
        if let Some(window) = moved {
            self.log.push(Undo::Window(instrument, market.window));
            market.window = window;
        }
        self.levels += u32::from(!outside);
        let levels = &mut market.sides[side as usize];
        Ok(levels.open(at, side, price, outside, &mut self.queues))
    }

    /// An order leaves the level of this price.
    #[inline(always)]
    fn leave(&mut self, found: Found, order: &Order, price: i64) {
        self.operations += 1;
        self.log.push(Undo::Remove(*order, price));
        self.take_out(found, order);
    }

    /// The same without a trace.
    #[inline(always)]
    pub(crate) fn take_out(&mut self, found: Found, order: &Order) {
        let side = order.side();
        self.queues.unlink(order, &mut self.orders);
        let level = self.queues.level(order.level);
        let market = &mut self.markets[order.instrument() as usize];
        if level.is_empty() {
            let levels = &mut market.sides[side as usize];
            if let Ok(at) = levels.find(key(side, level.price)) {
                self.levels -= u32::from(levels.close(at));
            }
            self.queues.close(order.level);
            if market.top.of(side).price == level.price {
                market.refresh(side, &self.queues);
            }
        } else {
            market.update(side, level);
        }
        self.orders.remove(found);
    }

    /// An order loses a part.
    #[inline(always)]
    fn shrink(&mut self, slot: u32, order: &Order, quantity: u32) {
        self.queues.reduce(order.level, quantity);
        let level = self.queues.level(order.level);
        let market = &mut self.markets[order.instrument() as usize];
        market.update(order.side(), level);
        self.orders[slot].quantity -= quantity;
        self.operations += 1;
        self.log.push(Undo::Reduce(slot, quantity));
    }

    #[inline(always)]
    pub(crate) fn change(
        &self,
        instrument: u32,
        what: What,
        side: Side,
        price: i64,
        before: Top,
    ) -> Change {
        let market = &self.markets[instrument as usize];
        Change {
            instrument,
            what,
            side,
            price,
            before,
            after: market.top,
            trade: None,
            status: market.status(),
        }
    }

    /// Counts a fault; the instrument is untradable.
    #[cold]
    pub(crate) fn fault(
        &mut self,
        instrument: u32,
        cause: Cause,
        event: &Event,
        before: Top,
    ) -> Change {
        self.counters.count(cause);
        self.faulted = true;
        let market = &mut self.markets[instrument as usize];
        if cause == Cause::LogFull {
            // It cannot be undone, and so it is not, nor what makes the instrument untradable in this frame already.
            self.committed.count(cause);
            for undo in &mut self.log {
                if let Undo::Status(faulty, before) = undo
                    && *faulty == instrument
                {
                    *before = Status::Untradable(cause);
                }
            }
        }
        if !matches!(market.status, Status::Untradable(_)) {
            if cause != Cause::LogFull {
                self.log.push(Undo::Status(instrument, market.status));
            }
            market.status = Status::Untradable(cause);
        }
        self.change(
            instrument,
            What::Fault(cause),
            event.side,
            event.price,
            before,
        )
    }

    /// An event of an order that is not in the book, or is another instrument's.
    #[cold]
    fn unknown<const LIVE: bool>(
        &mut self,
        instrument: Option<u32>,
        event: &Event,
    ) -> Option<Change> {
        let Some(instrument) = instrument else {
            self.counters.not_ours = self.counters.not_ours.wrapping_add(1);
            self.unknown = self.unknown.max(event.sequence.saturating_add(1));
            return None;
        };
        let market = self.markets.get(instrument as usize)?;
        if LIVE && market.status == Status::Rebuilding {
            return self.missed(instrument, event);
        }
        let before = market.top;
        let (entering, operations) = entering(event);
        let acceptable = self.acceptable(event, entering, operations);
        let cause = acceptable.err().unwrap_or(Cause::UnknownId);
        Some(self.fault(instrument, cause, event, before))
    }

    /// An event of the feed, of an instrument that is being rebuilt.
    #[cold]
    pub(crate) fn missed(&mut self, instrument: u32, event: &Event) -> Option<Change> {
        let missed = &mut self.markets[instrument as usize].missed;
        *missed = (*missed).max(event.sequence.saturating_add(1));
        None
    }

    #[cold]
    fn unsupported<const LIVE: bool>(&mut self, instrument: u32, event: &Event) -> Option<Change> {
        let market = self.markets.get(instrument as usize)?;
        if LIVE && market.status == Status::Rebuilding {
            return self.missed(instrument, event);
        }
        if event.kind == Kind::Clear && market.sides.iter().all(|side| side.len() == 0) {
            return None;
        }
        let before = market.top;
        Some(self.fault(instrument, Cause::Unsupported, event, before))
    }
}

/// The id under which the order of an event enters, if it is one of an order that enters anew, and how many operations the event is.
#[inline(always)]
const fn entering(event: &Event) -> (u64, u32) {
    match event.kind {
        Kind::Replace => (event.new_order_id, 2),
        Kind::Modify => (event.order_id, 2),
        _ => (event.new_order_id, 1),
    }
}
