//! The path of orders, hardware against software: prices on the session or on the feed, stops, orders of the host, limits and kills at random;
//! every report, every byte of every order, every answer and every counter compared.
//!
//! ```text
//!  random ─┬─ 35=X, 35=W ─ TCP peer ─┐ or
//!          ├─ ITCH trades ───────────┴─ line A ─ core ─ orders, reports, counters ─┐
//!          ├─ stops, orders, limits ─ registers ─┘                                 ├─ equal?
//!          └─ the same ─ twin: stops, risk, templates ─────────────────────────────┘
//! ```
//! A step is over before the next begins, so that its changes are known. Simultaneous events within a step may take effect in any order:
//! see [`twin`].

mod executions;
mod fast_stops;
mod random;
mod runner;
#[cfg(test)]
mod tests;
mod twin;

use std::fmt;

use cosim::Preset;
use cosim::orders::Problem;
use risk::Refusal;
use serde::Serialize;

pub use executions::{Executions, Traded};
pub use fast_stops::{FastStops, FastTraded};

/// What a run compared, all of it equal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Orders of which the core reported what the twin says.
    pub orders: u64,
    /// Of those, orders whose bytes left, equal to the twin's.
    pub sent: u64,
    /// Of those, orders that the order stage dropped.
    pub dropped: u64,
    /// Of those, orders that risk refused: by reason, in order of precedence.
    pub refused: [u64; Refusal::ALL.len()],
    /// Prices on the session.
    pub fix_prices: u64,
    /// Prices on the feed.
    pub feed_prices: u64,
    /// Operations on stops, and orders of the host: their answers.
    pub operations: u64,
    /// Steps in which several things came at once.
    pub at_once: u64,
    /// Of those, steps after which more than one state of the twin explained what the core gave.
    pub open_ends: u64,
    /// Messages of the host between the orders.
    pub host_messages: u64,
    /// Clock cycles.
    pub cycles: u64,
}

impl Summary {
    /// Another run's counts are added.
    pub fn add(&mut self, other: &Summary) {
        self.orders += other.orders;
        self.sent += other.sent;
        self.dropped += other.dropped;
        for (sum, count) in self.refused.iter_mut().zip(other.refused) {
            *sum += count;
        }
        self.fix_prices += other.fix_prices;
        self.feed_prices += other.feed_prices;
        self.operations += other.operations;
        self.at_once += other.at_once;
        self.open_ends += other.open_ends;
        self.host_messages += other.host_messages;
        self.cycles += other.cycles;
    }
}

/// Where a run failed.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The seed that makes it happen again.
    pub seed: u64,
    /// What is wrong.
    pub problem: Problem,
    /// Orders that were equal before.
    pub orders: u64,
    /// The last steps, the one at fault last.
    pub steps: Vec<String>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.problem)?;
        write!(
            f,
            "seed {}, after {} orders that were equal; the last steps:",
            self.seed, self.orders
        )?;
        self.steps.iter().try_for_each(|step| write!(f, "\n{step}"))
    }
}

impl std::error::Error for Failure {}

/// Compares so many orders or a few more in a core with stop orders, on prices of its feed or else of its session; `progress` gets how many are done.
///
/// # Errors
/// The first difference, boxed for its size.
pub fn run(
    preset: &Preset,
    seed: u64,
    orders: u64,
    mut progress: impl FnMut(u64),
) -> Result<Summary, Box<Failure>> {
    let fail = |problem, orders, steps| {
        Box::new(Failure {
            seed,
            problem,
            orders,
            steps,
        })
    };
    let mut runner =
        runner::Runner::new(preset, seed).map_err(|problem| fail(problem, 0, vec![]))?;
    while runner.summary().orders < orders {
        if let Err(problem) = runner.step() {
            let orders = runner.summary().orders;
            return Err(fail(problem, orders, runner.last_steps()));
        }
        progress(runner.summary().orders);
    }
    match runner.end() {
        Ok(summary) => Ok(summary),
        Err(problem) => {
            let orders = runner.summary().orders;
            Err(fail(problem, orders, runner.last_steps()))
        }
    }
}
