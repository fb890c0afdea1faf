//! Does what the random source says, in the core and in its twin, and compares.

use std::collections::{HashMap, VecDeque};

use device::RawReport;
use device::orders::SLOTS;
use order::report::Dropped;
use order::{Number, Order};
use rand::Rng;
use rand::seq::IndexedRandom;
use risk::{Kill, Refusal, Sources};
use wire::Side;
use wire::fix::{
    Decimal, IncrementalEntry, MarketDataIncrement, MarketDataSnapshot, MdEntryType,
    MdUpdateAction, SnapshotEntry,
};
use wire::itch;

use super::bench::{Bench, LISTED, symbol};
use super::random::{FOR_EVER, Next, Random};
use super::twin::{Follow, HostOperation, Observed, Passed, Step, Twin};
use super::{Problem, Summary};
use crate::core::{MINIMUM_GAP, Width};

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
    bench: Bench,
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
    pub fn new(width: Width, seed: u64) -> Result<Self, Problem> {
        let bench = Bench::new(width)?;
        let mut twin = Twin::default();
        twin.risk.set_session(true);
        let mut runner = Runner {
            bench,
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
        let counters = self.bench.driver.order_counters().unwrap_or_default();
        let counted = counters.into_iter().filter(|(_, count)| *count > 0);
        let counted: Vec<String> = counted
            .map(|(name, count)| format!("{name} {count}"))
            .collect();
        let prices = format!("software {:?}", self.bench.fix.counters());
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
        let next = self.random.next(self.twins[0].stops.armed());
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
                self.bench.driver.set_logged_on(false)?;
                self.each(|twin| twin.risk.set_session(false));
                self.while_killed()?;
                self.bench.driver.set_logged_on(true)?;
                self.each(|twin| twin.risk.set_session(true));
                // The cause holds until it is cleared.
                self.while_killed()?;
                self.revive()?;
            }
            Next::Stale => {
                self.bench.driver.set_stale_limits(STALE, 0)?;
                self.bench.wait(u64::from(STALE) + 100)?;
                self.each(|twin| twin.risk.set_stale(FEED));
                self.while_killed()?;
                self.bench.driver.set_stale_limits(0, 0)?;
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
        self.bench.driver.set_kill(kill)?;
        self.each(|twin| twin.risk.set_kill(kill));
        Ok(())
    }

    // ---- the host --------------------------------------------------------------------------------

    fn adjust(&mut self) -> Result<(), Problem> {
        for instrument in 0..LISTED.len() {
            let adjustment = self.random.adjustment(&self.twins[0], instrument);
            self.bench.driver.adjust(&adjustment)?;
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
        self.bench.driver.set_limits(&none)?;
        self.bench.wait(RATE_SLACK)?;
        self.bench.driver.set_limits(&limits)?;
        self.each(|twin| {
            twin.risk.set_limits(&none);
            twin.risk.expire(u64::MAX);
            twin.risk.set_limits(&limits);
        });
        self.steps.clear();
        for index in 0..LISTED.len() {
            let limits = self.random.instrument_limits(index);
            self.bench.driver.set_instrument_limits(index, &limits)?;
            self.each(|twin| twin.risk.set_instrument(index as u8, &limits));
        }
        self.show(format!("{limits:?}"));
        Ok(())
    }

    /// Until it is certain in all of the next step which orders count for the rate.
    fn until_certain(&mut self) -> Result<(), Problem> {
        let window = u64::from(self.twins[0].risk.limits().rate_window);
        while let Some((begin, end)) = self.steps.front().copied() {
            let now = self.bench.cycle();
            if now >= end + window + RATE_SLACK {
                self.steps.pop_front();
            } else if now + LONGEST_STEP < begin + window {
                break;
            } else {
                self.bench.wait(end + window + RATE_SLACK - now)?;
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
            let answer = self.bench.driver.operate_stop(operation, slot, &stop)?;
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
        let answer = self.bench.driver.send_order(&order, request.reference)?;
        Ok(HostOperation::Order { request, answer })
    }

    // ---- the market ------------------------------------------------------------------------------

    /// Prices on the session: all in one message or in several, with other entries between them.
    fn write_fix(&mut self, prices: &[(u8, i64)]) {
        let mut rest = prices;
        while !rest.is_empty() {
            let random = &mut self.random.random;
            let (prices, later) = rest.split_at(random.random_range(1..=rest.len()));
            rest = later;
            let of_one = prices.windows(2).all(|two| two[0].0 == two[1].0);
            match of_one && random.random_bool(0.4) {
                true => self.write_snapshot(prices),
                false => self.write_increment(prices),
            }
            self.summary.fix_prices += prices.len() as u64;
        }
        if self.random.random.random_bool(0.2) {
            let at = self.random.random.random_range(0..1_000);
            self.bench.cut(at);
        }
    }

    fn write_snapshot(&mut self, prices: &[(u8, i64)]) {
        let Some((instrument, _)) = prices.first().copied() else {
            return;
        };
        let entry = |entry_type, price: i64| SnapshotEntry {
            entry_type,
            price: Some(decimal(instrument, price)),
            size: Some(Decimal::new(100, 0)),
            ..SnapshotEntry::default()
        };
        let mut entries = Vec::new();
        for (_, price) in prices {
            if self.random.random.random_bool(0.3) {
                entries.push(entry(MdEntryType::Bid, price / 2));
            }
            entries.push(entry(MdEntryType::Trade, *price));
        }
        let name = symbol(instrument.into()).to_string();
        self.bench.send_fix(&MarketDataSnapshot {
            symbol: name.as_bytes(),
            entries: entries[..].into(),
            ..MarketDataSnapshot::default()
        });
    }

    fn write_increment(&mut self, prices: &[(u8, i64)]) {
        let names: Vec<String> = (0..LISTED.len())
            .map(|index| symbol(index).to_string())
            .collect();
        let mut entries = Vec::new();
        for (instrument, price) in prices {
            let entry = IncrementalEntry {
                action: MdUpdateAction::New,
                entry_type: Some(MdEntryType::Trade),
                symbol: Some(names[usize::from(*instrument)].as_bytes()),
                price: Some(decimal(*instrument, *price)),
                size: Some(Decimal::new(100, 0)),
                ..IncrementalEntry::default()
            };
            match self.random.random.random_range(0..8) {
                0 => entries.push(IncrementalEntry {
                    entry_type: Some(MdEntryType::Offer),
                    ..entry
                }),
                1 => entries.push(IncrementalEntry {
                    symbol: Some(b"NOBODY"),
                    ..entry
                }),
                _ => {}
            }
            entries.push(entry);
        }
        self.bench.send_fix(&MarketDataIncrement {
            entries: entries[..].into(),
            ..MarketDataIncrement::default()
        });
    }

    /// Prices on the feed: a packet of trades and crosses, with orders between them.
    fn write_feed(&mut self, prices: &[(u8, i64)], lost: u64, gap: u32) {
        let head = itch::Head {
            // A second begins now and then: a report of the statistics beside the orders.
            nanoseconds: (34_200 + self.count / 50) * 1_000_000_000,
            ..itch::Head::default()
        };
        let mut messages: Vec<itch::Message> = Vec::new();
        for (instrument, price) in prices {
            let stock = symbol((*instrument).into());
            // The feed's prices fit.
            let price = u32::try_from(*price).unwrap_or(0);
            if self.random.random.random_bool(0.3) {
                let add = itch::AddOrder {
                    head,
                    order_reference: self.count,
                    side: Side::Buy,
                    shares: 100,
                    stock,
                    price,
                };
                messages.push(add.into());
            }
            messages.push(match self.random.random.random_bool(0.8) {
                true => itch::Trade {
                    head,
                    order_reference: 0,
                    side: Side::Buy,
                    shares: 100,
                    stock,
                    price,
                    match_number: self.count,
                }
                .into(),
                false => itch::CrossTrade {
                    head,
                    shares: 100,
                    stock,
                    cross_price: price,
                    match_number: self.count,
                    cross_type: b'O',
                }
                .into(),
            });
            self.summary.feed_prices += 1;
        }
        self.bench.send_feed(&messages, lost, gap);
    }

    /// Prices of both sources and what the host does, at once; then everything compared.
    fn market(&mut self, fix: usize, feed: usize, lost: u64, host: Host) -> Result<(), Problem> {
        self.until_certain()?;
        let begin = self.bench.cycle();
        let fix: Vec<(u8, i64)> = (0..fix).map(|_| self.random.price(false)).collect();
        let of_feed: Vec<(u8, i64)> = (0..feed).map(|_| self.random.price(true)).collect();
        let random = &mut self.random.random;
        let gap = *[MINIMUM_GAP, MINIMUM_GAP, 40, 200, 1_000]
            .choose(random)
            .unwrap_or(&MINIMUM_GAP);
        let fix_first = random.random();
        if fix_first && !fix.is_empty() {
            self.write_fix(&fix);
            self.bench.work(MINIMUM_GAP);
        }
        if !of_feed.is_empty() {
            self.write_feed(&of_feed, lost, gap);
        }
        if !fix_first && !fix.is_empty() {
            self.write_fix(&fix);
            self.bench.work(gap);
        }
        let mut operation = None;
        let mut message = None;
        match host {
            Host::Nothing => {}
            Host::Random => operation = Some(self.operate()?),
            Host::Kill(kill) => {
                let cycles = self.random.random.random_range(0..400);
                self.bench.driver.registers().run(cycles);
                self.bench.driver.set_kill(kill)?;
                operation = Some(HostOperation::Kill(kill));
            }
            Host::Message => {
                let cycles = self.random.random.random_range(0..400);
                self.bench.driver.registers().run(cycles);
                self.bench.begin_message("0", "");
                message = Some(());
            }
        }
        let step = Step {
            sources: self.bench.inputs(),
            operation,
        };
        // A stop that is set while nothing comes makes nothing move.
        let alone = matches!(step.operation, Some(HostOperation::Stop { .. }));
        if !alone || step.sources.iter().any(|source| !source.is_empty()) {
            self.bench.settle()?;
        }
        let message = match message {
            Some(()) => Some(self.bench.answer()?),
            None => None,
        };
        self.compare(&step, message, begin)
    }

    // ---- what the core gave ----------------------------------------------------------------------

    fn compare(&mut self, step: &Step, message: Option<u64>, begin: u64) -> Result<(), Problem> {
        let mut observed = Observed::default();
        let mut sent = HashMap::new();
        for report in std::mem::take(&mut self.bench.reports) {
            self.report(&report, &mut observed, &mut sent)?;
        }
        self.show(format!("  {step:?}\n  {observed:?}"));
        let follow = Follow {
            templates: &self.bench.templates,
            step,
            observed: &observed,
            cycle: begin,
        };
        let ends = follow.all(&self.twins);
        if ends.is_empty() {
            return Err(Problem::Orders {
                hardware: format!("{observed:?}"),
                software: follow.plain(&self.twins[0]).join(", "),
            });
        }
        self.twins = ends;
        let inputs: usize = step.sources.iter().map(Vec::len).sum();
        if inputs + usize::from(step.operation.is_some()) > 1 {
            self.summary.at_once += 1;
            self.summary.open_ends += u64::from(self.twins.len() > 1);
        }
        self.messages(&mut sent, message)?;
        let orders = observed.passed.len() + observed.refused.len();
        self.summary.orders += orders as u64;
        if !observed.passed.is_empty() {
            self.steps.push_back((begin, self.bench.cycle()));
        }
        Ok(())
    }

    /// A report: it must be of an order that was not reported.
    fn report(
        &mut self,
        report: &RawReport,
        observed: &mut Observed,
        sent: &mut HashMap<u64, (Order, u64)>,
    ) -> Result<(), Problem> {
        let wrong = || Problem::Report(format!("{report:?}"));
        let order = self.orders.remove(&report.client_id);
        let order = order.ok_or_else(wrong)?;
        let (client_id, reason) = (report.client_id, u32::from(report.reason));
        match report.what {
            0 => {
                let number = Number::from_digits(report.number).map_err(|_| wrong())?;
                sent.insert(number.get(), (order, report.time_ns));
                self.random.sent.push(number);
                let dropped = None;
                observed.passed.push(Passed { client_id, dropped });
                self.summary.sent += 1;
            }
            1 if report.number == 0 => {
                let dropped = Some(Dropped::from_bits(reason).ok_or_else(wrong)?);
                observed.passed.push(Passed { client_id, dropped });
                self.summary.dropped += 1;
            }
            2 if report.number == 0 => {
                let refusal = Refusal::from_bits(reason).ok_or_else(wrong)?;
                observed.refused.push((client_id, refusal));
                self.summary.refused[refusal as usize] += 1;
            }
            _ => return Err(wrong()),
        }
        Ok(())
    }

    /// The messages of the session: numbered without a gap, each the bytes of its order.
    fn messages(
        &mut self,
        sent: &mut HashMap<u64, (Order, u64)>,
        message: Option<u64>,
    ) -> Result<(), Problem> {
        while !sent.is_empty() || message.is_some_and(|number| number >= self.next_number) {
            if message == Some(self.next_number) {
                self.host_message("0", self.next_number)?;
                continue;
            }
            let (found, hardware) = self.bench.message()?;
            let due = self.next_number;
            let order = sent.remove(&due).filter(|_| found == due);
            let (order, taken_ns) = order.ok_or(Problem::Number { found, due })?;
            let number = Number::new(due).map_err(|error| Problem::Bench(error.to_string()))?;
            let time = self.bench.clock.sending_time(taken_ns);
            let software = self.bench.templates.message(&order, number, time);
            let software = software.map_err(|error| Problem::Bench(error.to_string()))?;
            if hardware != software {
                let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace('\x01', "|");
                return Err(Problem::Bytes {
                    hardware: text(&hardware),
                    software: text(&software),
                });
            }
            self.next_number += 1;
        }
        match self.bench.stream.is_empty() {
            true => Ok(()),
            false => Err(Problem::Number {
                found: self.bench.message()?.0,
                due: self.next_number,
            }),
        }
    }

    /// A message of the host on the session, with this number.
    fn host_message(&mut self, msg_type: &str, number: u64) -> Result<(), Problem> {
        let (found, bytes) = self.bench.message()?;
        let text = String::from_utf8_lossy(&bytes).replace('\x01', "|");
        if found != number {
            let due = number;
            return Err(Problem::Number { found, due });
        }
        if !text.contains(&format!("|35={msg_type}|")) {
            return Err(Problem::NoMessage(text));
        }
        self.summary.host_messages += 1;
        self.next_number = number + 1;
        Ok(())
    }

    /// What the registers say must be the state of a twin; twins of another state are dropped.
    fn look(&mut self) -> Result<(), Problem> {
        let (kill, open) = self.bench.driver.risk_state()?;
        // A slot is counted in every third cycle.
        self.bench.driver.registers().run(8 * SLOTS as u64);
        let armed = self.bench.driver.armed()? as usize;
        let state = |twin: &Twin| {
            let risk = &twin.risk;
            format!(
                "{:?}, {} open, {} armed",
                risk.killed_by(),
                risk.open_orders(),
                twin.stops.armed()
            )
        };
        let hardware = format!("{kill:?}, {open} open, {armed} armed");
        let software = state(&self.twins[0]);
        self.twins.retain(|twin| state(twin) == hardware);
        match self.twins.is_empty() {
            true => Err(Problem::State {
                what: "kill switch, open orders, armed stops",
                hardware,
                software,
            }),
            false => Ok(()),
        }
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
        let fix = self.bench.fix.counters();
        expected.extend([
            ("order_sent", summary.sent),
            ("order_dropped", summary.dropped),
            ("report_overflow", 0),
            ("operation_refused", 0),
            ("fix_overflow", 0),
            ("trade_overflow", 0),
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
        ]);
        for (what, hardware) in self.bench.driver.order_counters()? {
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
        self.summary.statistics = self.bench.statistics;
        self.summary.cycles = self.bench.cycle();
        Ok(self.summary.clone())
    }
}

/// A price as the exchange writes it.
const fn decimal(instrument: u8, price: i64) -> Decimal {
    Decimal::new(price, LISTED[instrument as usize].decimals)
}

// A window that never ends does not end within a run: a simulation of as many cycles takes hours.
const _: () = assert!(FOR_EVER as u64 > 1_000_000_000);
