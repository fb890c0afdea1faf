//! Does what the random source says, in the core and in its twin, and compares.

use std::collections::{HashMap, VecDeque};

use order::Order;
use rand::Rng;
use risk::{Kill, Refusal, Sources};

use super::Summary;
use super::random::{FOR_EVER, Next, Random};
use super::twin::{HostOperation, Twin};
use cosim::orders::Problem;
use cosim::orders::testbench::{LISTED, Testbench};
use cosim::{Feed, Preset};

mod compare;
mod market;

/// The longest step, in cycles: 64 orders that fire at once at W = 8, and more.
const LONGEST_STEP: u64 = 80_000;
/// Cycles by which the core may count an order for the rate longer than its window (`risk_check`), and more.
const RATE_SLACK: u64 = 2_000;
/// Silence after which a feed is stale, when it is to be.
const STALE: u32 = 20_000;
/// The market-data feed alone.
const FEED: Sources = Sources {
    feed: true,
    session: false,
};
/// Steps that a failure shows.
const SHOWN: usize = 12;
/// Steps between two looks at the registers.
const LOOK: u64 = 16;

/// A core, its twin, and what happens to both.
pub struct Runner {
    testbench: Testbench,
    /// Prices come on its feed; else on the session.
    has_feed: bool,
    random: Random,
    /// States in which the twin may be: more than one only after things came at once.
    twins: Vec<Twin>,
    summary: Summary,
    /// Orders that may be reported, by the host's part of their `client_id`.
    orders: HashMap<u32, Order>,
    next_number: u64,
    /// Of orders that count for the rate: the cycles in which their step began and ended.
    steps: VecDeque<(u64, u64)>,
    count: u64,
    shown: VecDeque<String>,
}

/// What the host is doing in a step.
enum Host {
    Nothing,
    /// A stop or an order.
    Random,
    Kill(Kill),
    Message,
}

impl Runner {
    pub fn new(preset: &Preset, seed: u64) -> Result<Self, Problem> {
        let testbench = Testbench::new(preset)?;
        let mut twin = Twin::new(
            testbench.driver.quarter_of_stops(),
            testbench.driver.instruments(),
        );
        twin.risk.set_session(true);
        let mut runner = Runner {
            testbench,
            has_feed: preset.feed != Feed::None,
            random: Random::new(seed),
            twins: vec![twin],
            summary: Summary::default(),
            orders: HashMap::new(),
            next_number: 1,
            steps: VecDeque::new(),
            count: 0,
            shown: VecDeque::new(),
        };
        runner.host_message("A", 1)?;
        runner.limits()?;
        Ok(runner)
    }

    pub const fn summary(&self) -> &Summary {
        &self.summary
    }

    /// The last steps, and the core's counters after them.
    pub fn last_steps(&mut self) -> Vec<String> {
        let counters = self.testbench.driver.order_counters().unwrap_or_default();
        let counted = counters.into_iter().filter(|(_, count)| *count > 0);
        let counted: Vec<String> = counted
            .map(|(name, count)| format!("{name} {count}"))
            .collect();
        let prices = format!("software {:?}", self.testbench.fix.counters());
        let all = self.shown.iter().cloned();
        all.chain([counted.join(", "), prices]).collect()
    }

    fn show(&mut self, step: String) {
        if self.shown.len() == SHOWN {
            self.shown.pop_front();
        }
        self.shown.push_back(step);
    }

    fn each(&mut self, mut change: impl FnMut(&mut Twin)) {
        self.twins.iter_mut().for_each(&mut change);
    }

    fn kill(&self) -> Kill {
        self.twins[0].risk.limits().kill
    }

    /// The next thing that happens.
    pub fn step(&mut self) -> Result<(), Problem> {
        self.count += 1;
        let stops = &self.twins[0].stops;
        let next = self.random.next(stops.armed(), stops.most());
        self.show(format!("{}: {next:?}", self.count));
        match next {
            Next::Step { fix, feed, host } => {
                let host = if host { Host::Random } else { Host::Nothing };
                self.market(fix, feed, 0, host)?;
            }
            Next::Adjust => self.adjust()?,
            Next::Limits => self.limits()?,
            Next::Kill => {
                let on = Kill {
                    host: true,
                    ..self.kill()
                };
                self.market(1, 1, 0, Host::Kill(on))?;
                self.while_killed()?;
                self.revive()?;
            }
            Next::Session => {
                self.testbench.driver.set_logged_on(false)?;
                self.each(|twin| twin.risk.set_session(false));
                self.while_killed()?;
                self.testbench.driver.set_logged_on(true)?;
                self.each(|twin| twin.risk.set_session(true));
                // The cause holds until it is cleared.
                self.while_killed()?;
                self.revive()?;
            }
            Next::Stale => {
                self.testbench.driver.set_stale_limits(STALE, 0)?;
                self.testbench.wait(u64::from(STALE) + 100)?;
                self.each(|twin| twin.risk.set_stale(FEED));
                self.while_killed()?;
                self.testbench.driver.set_stale_limits(0, 0)?;
                self.each(|twin| twin.risk.set_stale(Sources::default()));
                self.while_killed()?;
                self.revive()?;
            }
            Next::Gap => {
                let lost = self.random.random.random_range(1..1_000);
                let fix = self.random.random.random_range(0..2);
                self.market(fix, 1, lost, Host::Nothing)?;
                self.while_killed()?;
                self.revive()?;
            }
            Next::Message => self.market(1, 1, 0, Host::Message)?,
        }
        if self.count.is_multiple_of(LOOK) {
            self.look()?;
        }
        Ok(())
    }

    /// Prices and an order of the host, none of which may make an order leave if a cause holds the kill switch.
    fn while_killed(&mut self) -> Result<(), Problem> {
        for _ in 0..self.random.random.random_range(1..4) {
            match self.random.random.random_range(0..3) {
                0 => self.market(1, 0, 0, Host::Nothing)?,
                1 => self.market(0, 1, 0, Host::Nothing)?,
                _ => self.market(0, 0, 0, Host::Random)?,
            }
        }
        self.look()
    }

    /// The causes have ended: they are cleared.
    fn revive(&mut self) -> Result<(), Problem> {
        let kill = Kill {
            host: false,
            ..self.kill()
        };
        self.testbench.driver.set_kill(kill)?;
        self.each(|twin| twin.risk.set_kill(kill));
        Ok(())
    }

    // ---- the host --------------------------------------------------------------------------------

    fn adjust(&mut self) -> Result<(), Problem> {
        for instrument in 0..LISTED.len() {
            let adjustment = self.random.adjustment(&self.twins[0], instrument);
            self.testbench.driver.adjust(&adjustment)?;
            self.each(|twin| twin.risk.adjust(&adjustment));
        }
        Ok(())
    }

    /// New limits; no order before them counts for the rate.
    fn limits(&mut self) -> Result<(), Problem> {
        let limits = self.random.limits();
        let none = risk::Limits {
            rate_window: 0,
            ..limits
        };
        self.testbench.driver.set_limits(&none)?;
        self.testbench.wait(RATE_SLACK)?;
        self.testbench.driver.set_limits(&limits)?;
        self.each(|twin| {
            twin.risk.set_limits(&none);
            twin.risk.expire(u64::MAX);
            twin.risk.set_limits(&limits);
        });
        self.steps.clear();
        for index in 0..LISTED.len() {
            let limits = self.random.instrument_limits(index);
            self.testbench
                .driver
                .set_instrument_limits(index, &limits)?;
            self.each(|twin| twin.risk.set_instrument(index as u8, &limits));
        }
        self.show(format!("{limits:?}"));
        Ok(())
    }

    /// Until it is certain in all of the next step which orders count for the rate.
    fn until_certain(&mut self) -> Result<(), Problem> {
        let window = u64::from(self.twins[0].risk.limits().rate_window);
        while let Some((begin, end)) = self.steps.front().copied() {
            let now = self.testbench.cycle();
            if now >= end + window + RATE_SLACK {
                self.steps.pop_front();
            } else if now + LONGEST_STEP < begin + window {
                break;
            } else {
                self.testbench.wait(end + window + RATE_SLACK - now)?;
            }
        }
        Ok(())
    }

    /// A stop or an order of the host, and its answer.
    fn operate(&mut self) -> Result<HostOperation, Problem> {
        self.summary.operations += 1;
        if self.random.random.random_bool(0.85) {
            let (operation, slot, stop) = self.random.stop(&self.twins[0]);
            let order = super::twin::request_of(&stop).order;
            self.orders.insert(stop.client_id, order);
            let answer = self.testbench.driver.operate_stop(operation, slot, &stop)?;
            return Ok(HostOperation::Stop {
                operation,
                slot,
                stop,
                answer,
            });
        }
        let request = self.random.order(&self.twins[0]);
        let order = request.order;
        self.orders.insert(order.client_id, order);
        let answer = self
            .testbench
            .driver
            .send_order(&order, request.reference)?;
        Ok(HostOperation::Order { request, answer })
    }

    /// The counters, and what was compared.
    pub fn end(&mut self) -> Result<Summary, Problem> {
        self.look()?;
        let summary = &self.summary;
        let refused = Refusal::ALL.map(|reason| summary.refused[reason as usize]);
        let names = [
            "refused_killed",
            "refused_record",
            "refused_instrument",
            "refused_stale",
            "refused_quantity",
            "refused_notional",
            "refused_no_price",
            "refused_collar",
            "refused_rate",
            "refused_open_orders",
            "refused_position",
        ];
        let mut expected: HashMap<&str, u64> = names.into_iter().zip(refused).collect();
        expected.extend([
            ("order_sent", summary.sent),
            ("order_dropped", summary.dropped),
            ("report_overflow", 0),
            ("operation_refused", 0),
            ("fix_overflow", 0),
            ("trade_overflow", 0),
        ]);
        // A core that takes its prices from the feed does not count what comes on the session.
        let fix = (!self.has_feed).then(|| self.testbench.fix.counters());
        expected.extend(fix.iter().flat_map(|fix| {
            [
                ("fix_prices", fix.fix_prices.into()),
                ("fix_other", fix.fix_other.into()),
                ("fix_bad_checksum", fix.fix_bad_checksum.into()),
                ("fix_bad_length", fix.fix_bad_length.into()),
                ("fix_malformed", fix.fix_malformed.into()),
                ("fix_bad_number", fix.fix_bad_number.into()),
                ("fix_repeated", fix.fix_repeated.into()),
                ("fix_truncated", fix.fix_truncated.into()),
                ("fix_skipped", fix.fix_skipped.into()),
                ("fix_unknown_instrument", fix.fix_unknown_instrument.into()),
            ]
        }));
        for (what, hardware) in self.testbench.driver.order_counters()? {
            if let Some(software) = expected.get(what)
                && u64::from(hardware) != *software
            {
                return Err(Problem::State {
                    what,
                    hardware: hardware.to_string(),
                    software: software.to_string(),
                });
            }
        }
        self.summary.cycles = self.testbench.cycle();
        Ok(self.summary.clone())
    }
}

// A window that never ends does not end within a run: a simulation of as many cycles takes hours.
const _: () = assert!(FOR_EVER as u64 > 1_000_000_000);
