//! Risk's limits and kill switch, through the core's registers.

use order::PRICE_BITS;
use risk::{Adjustment, InstrumentLimits, Kill, Limits, Sources};

use crate::driver::{Driver, Error, Registers};
use crate::order_registers as map;
use crate::orders::{Code, high, low};

impl<R: Registers> Driver<R> {
    /// Limits of all orders, and what turns the kill switch on; causes that have ended are cleared.
    pub fn set_limits(&mut self, limits: &Limits) -> Result<(), Error<R::Error>> {
        self.write(map::max_quantity::ADDRESS, limits.max_quantity)?;
        self.write(map::max_notional_low::ADDRESS, low(limits.max_notional))?;
        self.write(map::max_notional_high::ADDRESS, high(limits.max_notional))?;
        self.write(map::rate_orders::ADDRESS, limits.rate_orders.into())?;
        self.write(map::rate_window::ADDRESS, limits.rate_window)?;
        self.set_max_open_orders(limits.max_open_orders)?;
        self.set_kill(limits.kill)
    }

    /// Orders that may be open, of those that the core knows.
    pub fn set_max_open_orders(&mut self, orders: u16) -> Result<(), Error<R::Error>> {
        self.write(map::max_open_orders::ADDRESS, orders.into())
    }

    /// The kill switch: `host` turns it on now, the others count or do not; causes that have ended are cleared.
    pub fn set_kill(&mut self, kill: Kill) -> Result<(), Error<R::Error>> {
        use map::kill_switch::{ADDRESS, CLEAR, KILL, ON_FEED, ON_GAP, ON_SESSION};
        let register = KILL.set(CLEAR.mask(), kill.host.into());
        let register = ON_SESSION.set(register, kill.session.into());
        let register = ON_FEED.set(register, kill.feed.into());
        self.write(ADDRESS, ON_GAP.set(register, kill.gap.into()))
    }

    /// The market-data feed is stale after so many clock cycles without a good packet, the session after so many without a good message; 0: never.
    pub fn set_stale_limits(&mut self, feed: u32, session: u32) -> Result<(), Error<R::Error>> {
        self.write(map::stale_limit::ADDRESS, feed)?;
        self.write(map::session_stale_limit::ADDRESS, session)
    }

    /// The sources that are stale now.
    pub fn stale(&mut self) -> Result<Sources, Error<R::Error>> {
        use map::risk_state::{ADDRESS, FEED_STALE, SESSION_STALE};
        let register = self.read(ADDRESS)?;
        Ok(Sources {
            feed: FEED_STALE.get(register) != 0,
            session: SESSION_STALE.get(register) != 0,
        })
    }

    /// What holds the kill switch, and how many orders are open.
    pub fn risk_state(&mut self) -> Result<(Kill, u16), Error<R::Error>> {
        use map::risk_state::{ADDRESS, FEED, GAP, HOST, OPEN_ORDERS, SESSION};
        let register = self.read(ADDRESS)?;
        let on = |field: map::Field| field.get(register) != 0;
        let kill = Kill {
            host: on(HOST),
            session: on(SESSION),
            feed: on(FEED),
            gap: on(GAP),
        };
        Ok((kill, OPEN_ORDERS.get(register) as u16))
    }

    /// Sets the limits of an instrument. Its last price is forgotten: the reference price stands for it until the next; without one no limit order passes
    /// before that.
    ///
    /// # Errors
    /// A register cannot be reached; the core refuses an instrument that it does not have, or a reference price beyond 49 bits.
    pub fn set_instrument_limits(
        &mut self,
        index: usize,
        limits: &InstrumentLimits,
    ) -> Result<(), Error<R::Error>> {
        // The widest there is.
        let collar = limits.collar.min((1 << (PRICE_BITS - 1)) - 1);
        let position = limits.position;
        let first = u32::from(limits.enable)
            | u32::from(limits.sources.feed) << 1
            | u32::from(limits.sources.session) << 2
            | u32::from(limits.reference_price.is_some()) << 3;
        let reference = limits.reference_price.unwrap_or_default() as u64;
        let words = [
            first,
            low(collar),
            high(collar),
            low(position),
            high(position.min((1 << 47) - 1)),
            low(reference),
            high(reference),
        ];
        self.operate(Code::Limit as u32, index as u32, &words)
    }

    /// Reports to risk what became of open orders.
    pub fn adjust(&mut self, adjustment: &Adjustment) -> Result<(), Error<R::Error>> {
        let (buy, sell) = (adjustment.buy as u64, adjustment.sell as u64);
        let words = [
            low(buy),
            high(buy),
            low(sell),
            high(sell),
            adjustment.closed.into(),
        ];
        self.operate(Code::Adjust as u32, adjustment.instrument.into(), &words)
    }
}
