//! The strategy while it runs: its handlers, what it asks for on its way to the market, and what it holds.

use std::collections::VecDeque;

use book::Book;
use formats::Side;
use language::event::{Event, Moment, Outcome, Report};
use language::{Intent, Machine};

use crate::{Action, BacktestError, Counts, Fill, Holding, Latency, Market, ROUNDS};

/// The strategy, its orders and what it holds.
pub(super) struct Trader<M> {
    pub machine: M,
    pub market: Market,
    pub holdings: Vec<Holding>,
    pub positions: Vec<i64>,
    /// The feed's time, in nanoseconds after midnight.
    pub now: u64,
    pub outcome: Outcome,
    pub reports: Vec<Report>,
    pub fills: Vec<Fill>,
    /// From an intent to the market.
    pub latency: Latency,
    /// When an incoming order trades: others may follow at that time, and until then no intent arrives.
    pub incoming: Option<u64>,
    /// When each arrives.
    pub on_their_way: VecDeque<(u64, Intent)>,
    pub counts: Counts,
    pub error: Option<BacktestError>,
}

impl<M: Machine> Trader<M> {
    pub fn handle(
        &mut self,
        event: &Event<'_>,
        book: &Book,
        each: &mut impl FnMut(u64, Action<'_>),
    ) {
        self.handle_at(self.now as i64, event, book, each);
    }

    /// Fills that came before, then the event, then the reports of what it asked for; until nothing is left to tell.
    pub fn handle_at(
        &mut self,
        now: i64,
        event: &Event<'_>,
        book: &Book,
        each: &mut impl FnMut(u64, Action<'_>),
    ) {
        self.tell(now, book, each);
        self.run(now, event, book, each);
        self.tell(now, book, each);
    }

    fn tell(&mut self, now: i64, book: &Book, each: &mut impl FnMut(u64, Action<'_>)) {
        let mut rounds = 0;
        while !self.reports.is_empty() {
            rounds += 1;
            if rounds > ROUNDS {
                let time_ns = now as u64;
                self.error.get_or_insert(BacktestError::Rounds { time_ns });
                self.reports.clear();
                return;
            }
            self.settle(now, each);
            for report in std::mem::take(&mut self.reports) {
                if report.kind == language::ReportKind::Rejected {
                    self.counts.rejected += 1;
                }
                self.run(now, &Event::Report(&report), book, each);
            }
        }
    }

    /// The incoming order that traded is done: without a latency, what the strategy asked for meanwhile arrives.
    pub fn incoming_is_done(&mut self, book: &Book, each: &mut impl FnMut(u64, Action<'_>)) {
        if self.incoming.take().is_some() && self.is_at_once() {
            self.arrive(u64::MAX, book, each);
        }
    }

    const fn is_at_once(&self) -> bool {
        matches!(self.latency, Latency::Fixed(0))
    }

    /// What arrives before this time.
    pub fn arrive(&mut self, now: u64, book: &Book, each: &mut impl FnMut(u64, Action<'_>)) {
        let mut answers = ROUNDS as usize + self.on_their_way.len();
        while let Some((at, intent)) = self.on_their_way.pop_front_if(|(at, _)| *at < now) {
            if answers == 0 {
                let time_ns = at;
                self.error.get_or_insert(BacktestError::Rounds { time_ns });
                return;
            }
            answers -= 1;
            self.market
                .intent(&intent, book, &mut self.reports, &mut self.fills);
            self.tell(at as i64, book, each);
        }
    }

    /// Orders in the market, and those on their way there.
    fn open_orders(&self) -> i64 {
        let intents = self.on_their_way.iter();
        let new = intents.filter(|(_, intent)| matches!(intent, Intent::New(_)));
        self.market.open() + new.count() as i64
    }

    /// Positions and cash after fills.
    fn settle(&mut self, now: i64, each: &mut impl FnMut(u64, Action<'_>)) {
        for fill in std::mem::take(&mut self.fills) {
            let holding = &mut self.holdings[fill.instrument as usize];
            let signed = match fill.side {
                Side::Buy => fill.quantity,
                Side::Sell => -fill.quantity,
            };
            holding.position += signed;
            holding.traded += fill.quantity;
            holding.cash -= i128::from(signed) * i128::from(fill.price);
            self.positions[fill.instrument as usize] = holding.position;
            self.counts.fills += 1;
            each(now as u64, Action::Fill(&fill));
        }
    }

    fn run(
        &mut self,
        now: i64,
        event: &Event<'_>,
        book: &Book,
        each: &mut impl FnMut(u64, Action<'_>),
    ) {
        if self.error.is_some() {
            return;
        }
        let moment = Moment {
            now,
            open_orders: self.open_orders(),
            positions: &self.positions,
        };
        let mut outcome = std::mem::take(&mut self.outcome);
        self.machine.handle(&moment, event, &mut outcome);
        self.counts.handlers += 1;
        self.counts.faults += outcome.faults.total();
        for record in &outcome.records {
            self.counts.records += 1;
            each(now as u64, Action::Record(record));
        }
        for intent in &outcome.intents {
            self.counts.intents += 1;
            each(now as u64, Action::Intent(intent));
            if self.is_at_once() && self.incoming.is_none() {
                self.market
                    .intent(intent, book, &mut self.reports, &mut self.fills);
            } else {
                let at = (now as u64).saturating_add(self.latency.next_ns());
                let before = self.on_their_way.back().map_or(0, |(before, _)| *before);
                self.on_their_way.push_back((at.max(before), *intent));
            }
        }
        self.outcome = outcome;
    }
}
