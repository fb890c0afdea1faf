//! How long what a strategy asks for is on its way to the market.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// From a decision to the market, in nanoseconds of the feed's time.
#[derive(Clone, Debug)]
pub enum Latency {
    /// Always the same. 0: in the market at once.
    Fixed(u64),
    /// That of one of the orders that were measured, and the line's on top.
    Measured(Measured),
}

impl Latency {
    /// The next one.
    pub fn next_ns(&mut self) -> u64 {
        match self {
            Latency::Fixed(nanoseconds) => *nanoseconds,
            Latency::Measured(measured) => {
                let at = measured.random.random_range(0..measured.orders.len());
                let drawn = measured.orders.get(at).copied().unwrap_or_default();
                drawn.saturating_add(measured.line_ns)
            }
        }
    }
}

/// Latencies that were measured.
#[derive(Clone, Debug)]
pub struct Measured {
    orders: Vec<u64>,
    line_ns: u64,
    random: Box<ChaCha8Rng>,
}

impl Measured {
    /// Each is drawn from `orders`, in nanoseconds, with the same seed in the same order; `line_ns` is the way to the exchange. `None`: no order was measured.
    pub fn new(orders: Vec<u64>, line_ns: u64, seed: u64) -> Option<Self> {
        (!orders.is_empty()).then(|| Measured {
            orders,
            line_ns,
            random: Box::new(ChaCha8Rng::seed_from_u64(seed)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(seed: u64) -> Vec<u64> {
        let measured = Measured::new(vec![200, 300, 900], 5_000, seed).unwrap();
        let mut latency = Latency::Measured(measured);
        (0..300).map(|_| latency.next_ns()).collect()
    }

    #[test]
    fn each_measured_latency_is_drawn_about_as_often_with_the_line_on_top() {
        for latency in [5_200, 5_300, 5_900] {
            let count = draws(1).iter().filter(|drawn| **drawn == latency).count();
            assert!((70..=130).contains(&count), "{latency}: {count}");
        }
    }

    #[test]
    fn the_same_seed_draws_the_same_and_another_one_does_not() {
        assert_eq!(draws(1), draws(1));
        assert_ne!(draws(1), draws(2));
    }

    #[test]
    fn nothing_measured_is_no_latency() {
        assert!(Measured::new(vec![], 0, 1).is_none());
    }
}
