//! The prices that a book shows.

use formats::Side;

/// The window of an instrument, as prices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// Lowest price inside.
    pub(crate) low: i64,
    /// Highest price inside.
    pub(crate) high: i64,
    /// The host chose it; else it follows the first order that enters.
    pub(crate) chosen: bool,
}

impl Window {
    /// Every price.
    pub(crate) const ALL: Self = Window {
        low: i64::MIN,
        high: i64::MAX,
        chosen: false,
    };

    /// So many ticks on each side of a price: `half` ticks below it, the price itself, and `half` - 1 above.
    pub(crate) fn around(price: i64, tick: i64, half: u32, chosen: bool) -> Self {
        let reach = tick.saturating_mul(half.into());
        let centre = price - price.rem_euclid(tick);
        Window {
            low: centre.saturating_sub(reach),
            high: centre.saturating_add(reach).saturating_sub(tick),
            chosen,
        }
    }

    #[inline(always)]
    pub(crate) const fn contains(&self, price: i64) -> bool {
        self.low <= price && price <= self.high
    }

    /// Whether a price is better than all inside: a bid above them, an ask below.
    #[inline(always)]
    pub(crate) const fn is_better(&self, side: Side, price: i64) -> bool {
        match side {
            Side::Buy => price > self.high,
            Side::Sell => price < self.low,
        }
    }
}

/// Whether a price is a multiple of the tick. Prices of ITCH have 32 bits, and a division of those takes half the time.
#[inline(always)]
pub(crate) fn on_tick(price: i64, tick: i64) -> bool {
    if tick == 1 {
        return true;
    }
    match (u32::try_from(price), u32::try_from(tick)) {
        (Ok(price), Ok(tick)) => price % tick == 0,
        _ => price % tick == 0,
    }
}
