//! A book as plain as can be: a map of prices to lists of orders; best levels are summed up anew each time, and a frame is undone with a copy.

use std::collections::BTreeMap;

use book::{Book, Cause, Change, Level, Limits, Status, Top, Trade, What};
use formats::{Event, Kind, Side};

/// Prices to orders (id, quantity) in the order in which they trade.
type Prices = BTreeMap<i64, Vec<(u64, u64)>>;

#[derive(Clone, Debug, Default)]
pub struct Market {
    bids: Prices,
    asks: Prices,
    /// Lowest and highest price.
    pub window: Option<(i64, i64)>,
    pub chosen: bool,
    pub tick: i64,
    pub fault: Option<Cause>,
    /// The log was full in this frame.
    pub full: bool,
    pub last_trade: Option<Trade>,
}

#[derive(Clone, Debug)]
pub struct Naive {
    pub limits: Limits,
    pub markets: Vec<Market>,
    pub counts: BTreeMap<Cause, u32>,
    pub not_ours: u32,
    /// Which market an order is in.
    owners: BTreeMap<u64, usize>,
    operations: u32,
    before: Option<Box<Naive>>,
}

impl Market {
    pub fn side(&self, side: Side) -> &Prices {
        match side {
            Side::Buy => &self.bids,
            Side::Sell => &self.asks,
        }
    }

    fn side_mut(&mut self, side: Side) -> &mut Prices {
        match side {
            Side::Buy => &mut self.bids,
            Side::Sell => &mut self.asks,
        }
    }

    fn is_inside(&self, price: i64) -> bool {
        self.window
            .is_none_or(|(low, high)| low <= price && price <= high)
    }

    /// All levels of a side, the best first.
    pub fn levels(&self, side: Side, inside: bool) -> Vec<Level> {
        let mut levels: Vec<Level> = self
            .side(side)
            .iter()
            .filter(|(price, _)| self.is_inside(**price) == inside)
            .map(|(price, orders)| Level {
                price: *price,
                quantity: orders.iter().map(|(_, quantity)| quantity).sum(),
                orders: orders.len() as u32,
            })
            .collect();
        if side == Side::Buy {
            levels.reverse();
        }
        levels
    }

    pub fn top(&self) -> Top {
        let best = |side| {
            let levels = self.levels(side, true);
            levels.first().copied().unwrap_or(Level::EMPTY)
        };
        Top {
            bid: best(Side::Buy),
            ask: best(Side::Sell),
        }
    }

    pub fn status(&self) -> Status {
        if let Some(cause) = self.fault {
            return Status::Untradable(cause);
        }
        let hidden =
            |side| self.levels(side, true).is_empty() && !self.levels(side, false).is_empty();
        if hidden(Side::Buy) || hidden(Side::Sell) {
            return Status::Outside;
        }
        Status::Tradable
    }

    fn find(&self, id: u64) -> Option<(Side, i64, u64)> {
        [Side::Buy, Side::Sell].into_iter().find_map(|side| {
            self.side(side).iter().find_map(|(price, orders)| {
                let (_, quantity) = orders.iter().find(|(found, _)| *found == id)?;
                Some((side, *price, *quantity))
            })
        })
    }

    fn remove(&mut self, id: u64) {
        let Some((side, price, _)) = self.find(id) else {
            return;
        };
        let prices = self.side_mut(side);
        if let Some(orders) = prices.get_mut(&price) {
            orders.retain(|(found, _)| *found != id);
            if orders.is_empty() {
                prices.remove(&price);
            }
        }
    }
}

impl Naive {
    pub fn new(instruments: usize, limits: Limits) -> Self {
        let market = Market {
            tick: 1,
            ..Market::default()
        };
        Naive {
            limits,
            markets: vec![market; instruments],
            counts: BTreeMap::new(),
            not_ours: 0,
            owners: BTreeMap::new(),
            operations: 0,
            before: None,
        }
    }

    pub fn begin(&mut self) {
        self.operations = 0;
        self.before = None;
        self.before = Some(Box::new(self.clone()));
    }

    pub fn verdict(&mut self, good: bool) {
        if let Some(before) = self.before.take().filter(|_| !good) {
            *self = *before;
        }
        self.operations = 0;
    }

    fn owner(&self, id: u64) -> Option<usize> {
        self.owners.get(&id).copied()
    }

    fn remove(&mut self, index: usize, id: u64) {
        self.markets[index].remove(id);
        self.owners.remove(&id);
    }

    pub fn orders(&self) -> usize {
        let sides = self.markets.iter().flat_map(|m| [&m.bids, &m.asks]);
        sides.flat_map(BTreeMap::values).map(Vec::len).sum()
    }

    fn levels_inside(&self) -> usize {
        let of = |market: &Market| {
            market.levels(Side::Buy, true).len() + market.levels(Side::Sell, true).len()
        };
        self.markets.iter().map(of).sum()
    }

    fn check_event(&self, event: &Event, id: u64, operations: u32) -> Result<(), Cause> {
        let enters = matches!(event.kind, Kind::Add | Kind::Replace | Kind::Modify);
        if event.kind == Kind::Modify && event.price == 0 {
            Err(Cause::Unsupported)
        } else if event.kind != Kind::Delete && event.quantity == 0 {
            Err(Cause::QuantityZero)
        } else if enters && event.quantity > u64::from(self.limits.quantity) {
            Err(Cause::QuantityTooLarge)
        } else if enters && u128::from(id) >= 1 << self.limits.id_bits {
            Err(Cause::IdTooLong)
        } else if event.kind == Kind::Replace && event.order_id == event.new_order_id {
            Err(Cause::ReplacesItself)
        } else if self.operations + operations > self.limits.log {
            Err(Cause::LogFull)
        } else {
            Ok(())
        }
    }

    fn enter(
        &mut self,
        index: usize,
        side: Side,
        id: u64,
        price: i64,
        quantity: u64,
    ) -> Result<(), Cause> {
        let limits = self.limits;
        // What is not limited is not counted: it takes long.
        let room = limits.grows || self.orders() < limits.orders as usize;
        let level_room = limits.grows || self.levels_inside() < limits.levels as usize;
        let duplicate = self.owner(id).is_some();
        let market = &mut self.markets[index];
        if duplicate {
            return Err(Cause::DuplicateId);
        }
        let new = !market.side(side).contains_key(&price);
        let mut window = market.window;
        if new {
            if price % market.tick != 0 {
                return Err(Cause::OffTick);
            }
            if let Some(half) = limits.window
                && !market.chosen
                && market.bids.is_empty()
                && market.asks.is_empty()
            {
                let reach = i64::from(half) * market.tick;
                window = Some((price - reach, price + reach - market.tick));
            }
            if let Some((low, high)) = window {
                match side {
                    Side::Buy if price > high => return Err(Cause::OutsideWindow),
                    Side::Sell if price < low => return Err(Cause::OutsideWindow),
                    _ => {}
                }
            }
        }
        if !room {
            return Err(Cause::OrdersFull);
        }
        let inside = window.is_none_or(|(low, high)| low <= price && price <= high);
        if new && inside && !level_room {
            return Err(Cause::LevelsFull);
        }
        let level = market.side(side).get(&price).cloned().unwrap_or_default();
        let sum: u64 = level.iter().map(|(_, quantity)| quantity).sum();
        if level.len() >= limits.level_orders as usize
            || u128::from(sum) + u128::from(quantity) > u128::from(limits.level_quantity)
        {
            return Err(Cause::LevelOverflow);
        }
        market.window = window;
        let orders = market.side_mut(side).entry(price).or_default();
        orders.push((id, quantity));
        self.owners.insert(id, index);
        self.operations += 1;
        Ok(())
    }

    /// What the event does: what, side, price, trade; or the fault.
    fn act(
        &mut self,
        index: usize,
        event: &Event,
        known: bool,
    ) -> Result<(What, Side, i64, Option<Trade>), Cause> {
        let entering = match event.kind {
            Kind::Add | Kind::Modify => event.order_id,
            _ => event.new_order_id,
        };
        match event.kind {
            Kind::Add => {
                self.check_event(event, entering, 1)?;
                let (side, price) = (event.side, event.price);
                self.enter(index, side, entering, price, event.quantity)?;
                Ok((What::Add, side, price, None))
            }
            Kind::Trade => {
                if self.operations >= self.limits.log {
                    return Err(Cause::LogFull);
                }
                self.operations += 1;
                let trade = Trade {
                    side: event.side,
                    price: event.price,
                    quantity: event.quantity,
                };
                Ok((What::Trade, event.side, event.price, Some(trade)))
            }
            Kind::Clear | Kind::Level => Err(Cause::Unsupported),
            kind => {
                let twice = matches!(kind, Kind::Replace | Kind::Modify);
                let operations = if twice { 2 } else { 1 };
                self.check_event(event, entering, operations)?;
                let found = self.markets[index].find(event.order_id);
                let (side, price, left) = found.filter(|_| known).ok_or(Cause::UnknownId)?;
                if matches!(kind, Kind::Delete | Kind::Replace) {
                    self.remove(index, event.order_id);
                    self.operations += 1;
                    if kind == Kind::Delete {
                        return Ok((What::Delete, side, price, None));
                    }
                    self.enter(index, side, entering, event.price, event.quantity)?;
                    return Ok((What::Replace, side, event.price, None));
                }
                if kind == Kind::Modify {
                    if event.price != price || event.quantity > left {
                        self.remove(index, event.order_id);
                        self.operations += 1;
                        self.enter(index, side, event.order_id, event.price, event.quantity)?;
                    } else {
                        let level = self.markets[index].side_mut(side).get_mut(&price).unwrap();
                        let order = level.iter_mut().find(|(id, _)| *id == event.order_id);
                        order.unwrap().1 = event.quantity;
                        self.operations += 2;
                    }
                    return Ok((What::Modify, side, event.price, None));
                }
                let rest = left.checked_sub(event.quantity).ok_or(Cause::TooMuch)?;
                if rest == 0 {
                    self.remove(index, event.order_id);
                } else {
                    let level = self.markets[index].side_mut(side).get_mut(&price).unwrap();
                    let order = level.iter_mut().find(|(id, _)| *id == event.order_id);
                    order.unwrap().1 = rest;
                }
                self.operations += 1;
                if kind == Kind::Reduce {
                    return Ok((What::Reduce, side, price, None));
                }
                let trade = Trade {
                    side,
                    price: if event.price == 0 { price } else { event.price },
                    quantity: event.quantity,
                };
                let trade = Some(trade).filter(|_| !event.non_printable);
                Ok((What::Execute, side, price, trade))
            }
        }
    }

    pub fn apply(&mut self, event: &Event) -> Option<Change> {
        let named = event.instrument.map(usize::from);
        let (index, known) = match event.kind {
            Kind::Time | Kind::Status => return None,
            Kind::Add | Kind::Trade | Kind::Clear | Kind::Level => (named?, true),
            _ => match (named, self.owner(event.order_id)) {
                (None, None) => {
                    self.not_ours += 1;
                    return None;
                }
                (Some(named), owner) => (named, owner == Some(named)),
                (None, Some(owner)) => (owner, true),
            },
        };
        let before = self.markets.get(index)?.top();
        let market = &self.markets[index];
        if event.kind == Kind::Clear && market.bids.is_empty() && market.asks.is_empty() {
            return None;
        }
        let acted = self.act(index, event, known);
        let (what, side, price, trade) = acted.unwrap_or_else(|cause| {
            *self.counts.entry(cause).or_default() += 1;
            self.markets[index].fault.get_or_insert(cause);
            self.markets[index].full |= cause == Cause::LogFull;
            (What::Fault(cause), event.side, event.price, None)
        });
        let market = &mut self.markets[index];
        market.last_trade = trade.or(market.last_trade);
        Some(Change {
            instrument: index as u32,
            what,
            side,
            price,
            before,
            after: market.top(),
            trade,
            status: market.status(),
        })
    }

    /// Compares the levels of one instrument, and the orders at one price of it.
    pub fn compare_at(&self, book: &Book, index: u32, side: Side, price: i64) {
        let market = &self.markets[index as usize];
        assert_eq!(book.status(index), Some(market.status()));
        assert_eq!(book.last_trade(index), market.last_trade);
        let mut best = [Level::EMPTY; 2];
        for (side, best) in [Side::Buy, Side::Sell].into_iter().zip(&mut best) {
            let expected = market.levels(side, true);
            assert!(book.levels(index, side).eq(expected.iter().copied()));
            *best = expected.first().copied().unwrap_or(Level::EMPTY);
        }
        let [bid, ask] = best;
        assert_eq!(book.top(index), Top { bid, ask });
        let queue = book.queue(index, side, price);
        let expected = market.side(side).get(&price).into_iter().flatten();
        assert!(
            queue
                .map(|order| (order.id, order.quantity.into()))
                .eq(expected.copied())
        );
    }

    /// Compares everything that can be read out of the book.
    pub fn compare(&self, book: &Book) {
        for (index, market) in self.markets.iter().enumerate() {
            let at = index as u32;
            assert_eq!(book.top(at), market.top(), "best levels of {index}");
            assert_eq!(book.status(at), Some(market.status()), "status of {index}");
            assert_eq!(book.last_trade(at), market.last_trade);
            let window = market.window.unwrap_or((i64::MIN, i64::MAX));
            assert_eq!(book.window(at), Some(window));
            for side in [Side::Buy, Side::Sell] {
                let inside: Vec<Level> = book.levels(at, side).collect();
                assert_eq!(inside, market.levels(side, true), "levels of {index}");
                let outside: Vec<Level> = book.levels_outside(at, side).collect();
                assert_eq!(outside, market.levels(side, false));
                for (price, orders) in market.side(side) {
                    let queue = book.queue(at, side, *price);
                    let found: Vec<_> = queue.map(|o| (o.id, u64::from(o.quantity))).collect();
                    assert_eq!(&found, orders, "queue at {price} of {index}");
                    for (id, quantity) in orders {
                        let order = book.order(*id).expect("a live order");
                        let found = (order.instrument, order.side, order.price);
                        assert_eq!(found, (at, side, *price));
                        assert_eq!(u64::from(order.quantity), *quantity);
                    }
                }
            }
        }
        assert_eq!(book.orders() as usize, self.orders());
        let counters = book.counters();
        for cause in Cause::ALL {
            let expected = self.counts.get(&cause).copied().unwrap_or(0);
            assert_eq!(counters.faults(cause), expected, "{cause}");
        }
        assert_eq!(counters.not_ours, self.not_ours);
    }
}
