//! The check itself: the twin of `rtl/risk/risk_check.sv`.

use std::collections::VecDeque;

use formats::{Event, Kind as EventKind, Listener, Side};
use order::{ComputedOrder, Kind, Order, last_price};

use crate::computed::{Computed, highest_price};
use crate::ledger::Exposure;
use crate::limits::{Adjustment, InstrumentLimits, Kill, Limits, Refusal, Sources};
use crate::notional::notional;

/// Bits of an exposure: `ExposureWidth`.
const EXPOSURE_BITS: u32 = 48;

/// The request to risk: `order_request_t`. Its notional is computed here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Request {
    /// The order.
    pub order: Order,
    /// The price for the notional of an order without a price, in the instrument's scale: a stop's trigger, or what the host gives.
    pub reference: i64,
    /// The host's own order: the collar also applies to the reference of its market orders.
    pub by_host: bool,
}

impl Request {
    /// Of an order with a price.
    pub const fn new(order: Order) -> Self {
        Request {
            order,
            reference: 0,
            by_host: false,
        }
    }

    /// The price for its notional.
    pub fn price(&self) -> i64 {
        self.order.price.unwrap_or(self.reference)
    }

    const fn is_cancel(&self) -> bool {
        matches!(self.order.kind, Kind::Cancel(_))
    }
}

/// What is known about an instrument.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Instrument {
    limits: InstrumentLimits,
    /// Since its limits were written.
    last: Option<i64>,
    /// Position and open orders on this side, of [`EXPOSURE_BITS`].
    buys: i64,
    sells: i64,
}

/// Limits and exposure: what risk knows. At first, as after reset, nothing passes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Risk {
    limits: Limits,
    instruments: Vec<Instrument>,
    killed_by: Kill,
    session_up: bool,
    stale: Sources,
    open_orders: u16,
    /// When orders left that count for the rate, in cycles.
    left: VecDeque<u64>,
    /// How often `max_notional` changed: computed orders that were prepared before are out of date.
    changes: u64,
}

/// The most orders that count for the rate.
const MOST_LEFT: usize = u8::MAX as usize;

/// Exposures wrap.
const fn wrapped(exposure: i64) -> i64 {
    let unused = i64::BITS - EXPOSURE_BITS;
    exposure << unused >> unused
}

impl Risk {
    /// So many instruments, none of them with limits; every cause holds the kill switch.
    pub fn new(instruments: usize) -> Self {
        Risk {
            limits: Limits::default(),
            instruments: vec![Instrument::default(); instruments],
            killed_by: Kill {
                host: false,
                session: true,
                feed: true,
                gap: true,
            },
            session_up: false,
            stale: Sources::default(),
            open_orders: 0,
            left: VecDeque::with_capacity(MOST_LEFT),
            changes: 0,
        }
    }

    // ---- what the host says ----------------------------------------------------------------------

    /// Limits of all orders. The kill switch is set as by [`Risk::set_kill`]. With another `max_notional`, computed orders have to be prepared again.
    pub fn set_limits(&mut self, limits: &Limits) {
        self.changes += u64::from(limits.max_notional != self.limits.max_notional);
        self.limits = *limits;
        self.set_kill(limits.kill);
    }

    /// The kill switch: `host` turns it on now, the others count or do not. Causes that have ended are cleared.
    pub fn set_kill(&mut self, kill: Kill) {
        self.limits.kill = kill;
        self.killed_by = Kill {
            host: kill.host,
            ..Kill::default()
        };
        self.hold();
    }

    /// Limits of an instrument; its last price is forgotten: the reference price stands for it until the next. An unknown index changes nothing.
    pub fn set_instrument(&mut self, index: u8, limits: &InstrumentLimits) {
        if let Some(instrument) = self.instruments.get_mut(usize::from(index)) {
            instrument.limits = *limits;
            instrument.last = limits.reference_price.map(last_price);
        }
    }

    /// What became of orders.
    pub fn adjust(&mut self, adjustment: &Adjustment) {
        let index = usize::from(adjustment.instrument);
        if let Some(instrument) = self.instruments.get_mut(index) {
            instrument.buys = wrapped(instrument.buys.wrapping_add(adjustment.buy));
            instrument.sells = wrapped(instrument.sells.wrapping_add(adjustment.sell));
        }
        // If the host closes more than are open, by mistake, none is open then.
        self.open_orders = self.open_orders.saturating_sub(adjustment.closed);
    }

    /// What was open and held when the program ended before: exposures by index, and how many orders are open. Nothing has left yet.
    pub fn restore(&mut self, exposures: impl Iterator<Item = Exposure>, open_orders: u32) {
        for (instrument, exposure) in self.instruments.iter_mut().zip(exposures) {
            instrument.buys = wrapped(exposure.buys);
            instrument.sells = wrapped(exposure.sells);
        }
        self.open_orders = u16::try_from(open_orders).unwrap_or(u16::MAX);
    }

    /// Prepares a computed order: its highest price is worked out now, so that the check is a comparison.
    pub const fn prepare(&self, order: &ComputedOrder) -> Computed {
        Computed {
            order: *order,
            highest: highest_price(self.limits.max_notional, order.quantity),
            changes: self.changes,
        }
    }

    // ---- what happens ----------------------------------------------------------------------------

    /// An instrument traded at a price.
    pub fn price(&mut self, index: u8, last: i64) {
        if let Some(instrument) = self.instruments.get_mut(usize::from(index)) {
            instrument.last = Some(last_price(last));
        }
    }

    /// Whether the order session is up.
    pub const fn set_session(&mut self, up: bool) {
        self.session_up = up;
        self.hold();
    }

    /// The sources that have been silent for too long.
    pub const fn set_stale(&mut self, stale: Sources) {
        self.stale = stale;
        self.hold();
    }

    /// A message of the feed was lost.
    pub const fn gap(&mut self) {
        if self.limits.kill.gap {
            self.killed_by.gap = true;
        }
    }

    /// The host has made up for what was lost.
    pub const fn clear_gap(&mut self) {
        self.killed_by.gap = false;
    }

    /// Causes that last hold the kill switch, if they count.
    const fn hold(&mut self) {
        if self.limits.kill.session && !self.session_up {
            self.killed_by.session = true;
        }
        if self.limits.kill.feed && self.stale.feed {
            self.killed_by.feed = true;
        }
    }

    // ---- what is known ---------------------------------------------------------------------------

    /// What holds the kill switch.
    pub const fn killed_by(&self) -> Kill {
        self.killed_by
    }

    /// Orders that passed and whose end the host has not reported.
    pub const fn open_orders(&self) -> u16 {
        self.open_orders
    }

    /// Limits of an instrument.
    pub fn instrument(&self, index: u8) -> Option<InstrumentLimits> {
        Some(self.instruments.get(usize::from(index))?.limits)
    }

    /// Position and open orders of an instrument, to the side of buys and to that of sells.
    pub fn exposure(&self, index: u8) -> Option<(i64, i64)> {
        let instrument = self.instruments.get(usize::from(index))?;
        Some((instrument.buys, instrument.sells))
    }

    /// How much more of an instrument may be bought or sold by its position limit; negative if it is exceeded.
    pub fn room(&self, index: u8, side: Side) -> Option<i64> {
        let instrument = self.instruments.get(usize::from(index))?;
        let exposure = match side {
            Side::Buy => instrument.buys,
            Side::Sell => instrument.sells,
        };
        // A limit has 47 bits.
        let limit = instrument.limits.position as i64;
        Some(wrapped(limit.wrapping_sub(exposure)))
    }

    /// When the orders left that may count for the rate, in cycles, the first one first.
    pub fn left(&self) -> impl Iterator<Item = u64> + '_ {
        self.left.iter().copied()
    }

    /// Limits of all orders.
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The last price of an instrument since its limits were written.
    pub fn last(&self, index: u8) -> Option<i64> {
        self.instruments.get(usize::from(index))?.last
    }

    // ---- the check -------------------------------------------------------------------------------

    /// Compares a request with every limit, in this clock cycle. One that passes has left: it counts from now on. Cycles do not go back.
    ///
    /// # Errors
    /// The first reason to refuse it; nothing is changed.
    pub fn check(&mut self, request: &Request, cycle: u64) -> Result<(), Refusal> {
        self.expire(cycle);
        let notional = notional(request.price(), request.order.quantity);
        let too_much = notional > self.limits.max_notional || notional == u64::MAX;
        self.hold_against(request, true, too_much)?;
        self.leaves(request, cycle);
        Ok(())
    }

    /// The same of a computed order with the price of its intent; a price that is not 1 to 2^32 - 1 is not that of a computed order.
    ///
    /// # Errors
    /// The first reason to refuse it; nothing is changed. One that was prepared before `max_notional` changed: [`Refusal::Record`].
    pub fn check_computed(
        &mut self,
        computed: &Computed,
        price: i64,
        cycle: u64,
    ) -> Result<Order, Refusal> {
        self.expire(cycle);
        let fits = price > 0 && price <= u32::MAX.into();
        let complete = fits && computed.changes == self.changes;
        let too_much = price.unsigned_abs() > computed.highest;
        let request = Request::new(computed.order.at(price));
        self.hold_against(&request, complete, too_much)?;
        self.leaves(&request, cycle);
        Ok(request.order)
    }

    /// An order that passed counts.
    fn leaves(&mut self, request: &Request, cycle: u64) {
        let order = &request.order;
        self.left.push_back(cycle);
        if order.kind == Kind::New {
            self.open_orders = self.open_orders.wrapping_add(1);
        }
        if !request.is_cancel()
            && let Some(instrument) = self.instruments.get_mut(usize::from(order.instrument))
        {
            let exposure = match order.side {
                Side::Buy => &mut instrument.buys,
                Side::Sell => &mut instrument.sells,
            };
            *exposure = wrapped(exposure.wrapping_add(order.quantity.into()));
        }
    }

    /// Forgets the orders that no longer count for the rate in this cycle.
    pub fn expire(&mut self, cycle: u64) {
        let window = u64::from(self.limits.rate_window);
        while self.left.front().is_some_and(|left| cycle - left >= window) {
            self.left.pop_front();
        }
    }

    /// The reasons in their order of precedence. `complete`: its record in the order store is; `too_much`: its notional is above the limit.
    fn hold_against(
        &self,
        request: &Request,
        complete: bool,
        too_much: bool,
    ) -> Result<(), Refusal> {
        let rate_is_full = self.left.len() >= usize::from(self.limits.rate_orders);
        let refuse = |against: bool, reason| if against { Err(reason) } else { Ok(()) };
        if request.is_cancel() {
            // It only reduces the risk.
            refuse(self.killed_by.session, Refusal::Killed)?;
            return refuse(rate_is_full, Refusal::Rate);
        }
        let (order, limits) = (&request.order, &self.limits);
        refuse(self.killed_by.any(), Refusal::Killed)?;
        refuse(!complete, Refusal::Record)?;
        let instrument = self.instruments.get(usize::from(order.instrument));
        let instrument = instrument
            .filter(|instrument| instrument.limits.enable)
            .ok_or(Refusal::Instrument)?;
        let depends_on = instrument.limits.sources;
        refuse(
            (depends_on.feed && self.stale.feed) || (depends_on.session && self.stale.session),
            Refusal::Stale,
        )?;
        let quantity = order.quantity;
        refuse(
            quantity == 0 || quantity > limits.max_quantity,
            Refusal::Quantity,
        )?;
        refuse(too_much, Refusal::Notional)?;
        let last = instrument.last.ok_or(Refusal::NoPrice)?;
        let has_price = order.price.is_some() || request.by_host;
        let distance = request.price().abs_diff(last);
        refuse(
            has_price && distance > instrument.limits.collar,
            Refusal::Collar,
        )?;
        refuse(rate_is_full, Refusal::Rate)?;
        refuse(
            order.kind == Kind::New && self.open_orders >= limits.max_open_orders,
            Refusal::OpenOrders,
        )?;
        let room = self.room(order.instrument, order.side).unwrap_or(0);
        refuse(i64::from(quantity) > room, Refusal::Position)
    }
}

/// A trade of an instrument is a price of it.
impl Listener for Risk {
    fn event(&mut self, event: &Event) {
        if let (EventKind::Trade, Some(instrument)) = (event.kind, event.instrument) {
            self.price(instrument, event.price);
        }
    }
}
