//! A strategy in the language: its handlers, and what becomes of what it asks for.

use std::collections::VecDeque;
use std::fmt;

use language::event::{Event, Moment, New, Outcome, Report, ReportKind};
use language::{Guarded, Intent, Machine};
use order::report::Dropped;
use order::{Kind, Order, Templates};
use risk::{Refusal, Request, Risk};
use strategy::events::Timer;

use crate::best_price::dropped;
use crate::own_orders::{Executed, OwnOrders, UNKNOWN_ORDER};
use crate::programs::{Added, ProgramCounts};
use crate::sink::{Decision, EndReason, OrderSink, Origin};

/// How many reports that were made here (risk refused, nothing left) a strategy may answer within one event: one that answers each with an order that is
/// refused again would never end.
const ANSWERS: u32 = 64;

/// [`Report::reason`] of an order that risk passed and that could not leave: this, and the code of [`Dropped`].
pub const NOT_SENT: i64 = 100;

/// What a handler's intents go through.
pub(crate) struct Context<'a> {
    pub(crate) templates: &'a Templates,
    pub(crate) risk: &'a mut Risk,
    /// In microseconds.
    pub(crate) now: u64,
    /// Number of the message that an order is caused by.
    pub(crate) sequence: u64,
    pub(crate) sink: &'a mut dyn OrderSink,
}

/// The strategy.
pub(crate) struct Programmed {
    pub(crate) place: usize,
    pub(crate) each_change: bool,
    /// Number of the last message that changed a book.
    pub(crate) sequence: u64,
    pub(crate) counts: ProgramCounts,
    machine: Guarded<Box<dyn Machine>>,
    timer: Option<Timer>,
    orders: OwnOrders,
    positions: Vec<i64>,
    /// Reports that it was not given yet.
    reports: VecDeque<Report>,
    outcome: Outcome,
    ended: bool,
    message: Vec<u8>,
}

impl fmt::Debug for Programmed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Programmed")
            .field("place", &self.place)
            .field("counts", &self.counts)
            .finish_non_exhaustive()
    }
}

impl Programmed {
    pub(crate) fn new(added: Added<'_>, instruments: usize, message_bytes: usize) -> Self {
        Programmed {
            place: added.place,
            each_change: added.program.each_change,
            sequence: 0,
            counts: ProgramCounts::default(),
            machine: Guarded::new(added.machine, added.fault_stops),
            timer: added.program.every.map(Timer::new),
            orders: OwnOrders::new(),
            positions: vec![0; instruments],
            reports: VecDeque::with_capacity(4 * ANSWERS as usize),
            outcome: Outcome::of(added.program),
            ended: false,
            message: Vec::with_capacity(message_bytes),
        }
    }

    pub(crate) fn open_orders(&self) -> i64 {
        self.orders.open()
    }

    pub(crate) fn positions(&self) -> &[i64] {
        &self.positions
    }

    /// Time begins anew.
    pub(crate) const fn restart_timer(&mut self) {
        if let Some(timer) = &mut self.timer {
            timer.restart();
        }
    }

    /// Runs the timer as often as it is due.
    pub(crate) fn timers(&mut self, now: i64, desk: &mut Context<'_>) {
        while let Some(timer) = &mut self.timer {
            if self.ended {
                return;
            }
            match timer.due(now) {
                Ok(Some(due)) => self.event(due, &Event::Timer, desk),
                Ok(None) => return,
                Err(missed) => {
                    self.timer = None;
                    self.end(EndReason::Timer { missed }, desk.sink);
                }
            }
        }
    }

    /// Runs the handler of an event, then those of the reports about what it asked for.
    pub(crate) fn event(&mut self, now: i64, event: &Event<'_>, desk: &mut Context<'_>) {
        self.run(now, event, desk);
        self.answer(now, desk);
    }

    /// Takes what the exchange said.
    pub(crate) fn executed(&mut self, now: i64, executed: &Executed, desk: &mut Context<'_>) {
        let (reports, positions) = (&mut self.reports, &mut self.positions);
        let about = self.orders.about(executed.said.number);
        self.orders.executed(executed, |report, fill| {
            if let Some((instrument, traded)) = fill
                && let Some(position) = positions.get_mut(usize::from(instrument))
            {
                *position = position.wrapping_add(traded);
            }
            reports.push_back(report);
        });
        // Before the reports: what the strategy asks for when it gets them is newer.
        if let Some(intent) = about.and_then(|order| self.orders.released(order)) {
            self.intent(&intent, desk);
        }
        self.answer(now, desk);
    }

    fn answer(&mut self, now: i64, desk: &mut Context<'_>) {
        let mut answered = 0;
        while let Some(report) = self.reports.pop_front() {
            answered += 1;
            if answered > ANSWERS {
                self.reports.clear();
                return self.end(EndReason::Answers, desk.sink);
            }
            self.run(now, &Event::Report(&report), desk);
        }
    }

    fn end(&mut self, why: EndReason, sink: &mut dyn OrderSink) {
        if !std::mem::replace(&mut self.ended, true) {
            sink.ended(self.place, why);
        }
    }

    fn run(&mut self, now: i64, event: &Event<'_>, desk: &mut Context<'_>) {
        if self.ended {
            return;
        }
        let mut outcome = std::mem::take(&mut self.outcome);
        let moment = Moment {
            now,
            open_orders: self.orders.open(),
            positions: &self.positions,
        };
        self.machine.handle(&moment, event, &mut outcome);
        self.counts.handlers += 1;
        self.counts.faults += outcome.faults.total();
        self.counts.records += outcome.records.len() as u64;
        self.counts.intents += outcome.intents.len() as u64;
        for record in &outcome.records {
            desk.sink.record(self.place, now, record);
        }
        for intent in &outcome.intents {
            self.intent(intent, desk);
        }
        if self.machine.stopped() {
            self.end(EndReason::Fault(outcome.faults), desk.sink);
        }
        self.outcome = outcome;
    }

    fn intent(&mut self, intent: &Intent, desk: &mut Context<'_>) {
        match *intent {
            Intent::New(new) => self.enter(&new, desk),
            Intent::Cancel { order } => {
                if self.orders.waits(order, *intent) {
                    return;
                }
                let Some(own) = self.orders.get(order) else {
                    return self.unknown(order);
                };
                let sent = Order {
                    kind: Kind::Cancel(own.number),
                    side: own.side,
                    instrument: own.instrument,
                    price: None,
                    quantity: own.quantity,
                    time_in_force: own.time_in_force,
                    client_id: order as u32,
                };
                self.ask(order, sent, true, desk);
            }
            Intent::Replace {
                order,
                price,
                quantity,
            } => {
                if self.orders.waits(order, *intent) {
                    return;
                }
                let Some(own) = self.orders.get(order) else {
                    return self.unknown(order);
                };
                // The strategy says what is to be left of it; FIX takes what was traded before as a part.
                let total = quantity.saturating_add(own.traded.into());
                let fits = quantity > 0;
                let (total, fits) = match u32::try_from(total) {
                    Ok(total) => (total, fits),
                    Err(_) => (u32::MAX, false),
                };
                let sent = Order {
                    kind: Kind::Replace(own.number),
                    side: own.side,
                    instrument: own.instrument,
                    price: Some(price),
                    quantity: total,
                    time_in_force: own.time_in_force,
                    client_id: order as u32,
                };
                self.ask(order, sent, fits, desk);
            }
        }
    }

    fn enter(&mut self, new: &New, desk: &mut Context<'_>) {
        let (instrument, known) = match u8::try_from(new.instrument) {
            Ok(instrument) => (instrument, true),
            Err(_) => (u8::MAX, false),
        };
        let (quantity, fits) = match u32::try_from(new.quantity) {
            Ok(quantity) => (quantity, true),
            Err(_) => (if new.quantity < 0 { 0 } else { u32::MAX }, false),
        };
        let sent = Order {
            kind: Kind::New,
            side: new.side,
            instrument,
            price: new.price,
            quantity,
            time_in_force: new.time_in_force.into(),
            client_id: new.order as u32,
        };
        if !known {
            return self.refused(new.order, sent, Refusal::Instrument, desk);
        }
        self.ask(new.order, sent, fits, desk);
    }

    /// There is no such order (any more): nothing is sent.
    fn unknown(&mut self, order: i64) {
        self.reports.push_back(Report {
            kind: ReportKind::Rejected,
            order,
            reason: UNKNOWN_ORDER,
            ..Report::default()
        });
    }

    /// Holds an order against the limits; one that passes leaves. `fits`: its quantity is one.
    fn ask(&mut self, order: i64, sent: Order, fits: bool, desk: &mut Context<'_>) {
        if !fits {
            return self.refused(order, sent, Refusal::Quantity, desk);
        }
        let request = Request {
            order: sent,
            // That of a market order.
            reference: desk.risk.last(sent.instrument).unwrap_or_default(),
            by_host: false,
        };
        if let Err(reason) = desk.risk.check(&request, desk.now) {
            return self.refused(order, sent, reason, desk);
        }
        let decision = self.decision(sent, desk.sequence);
        let (number, time) = match desk.sink.next() {
            Ok(next) => next,
            Err(why) => return self.dropped(order, &decision, why, desk),
        };
        let written = desk.templates.write(&sent, number, time, &mut self.message);
        if written.is_err() {
            return self.dropped(order, &decision, Dropped::Template, desk);
        }
        desk.sink.send(&decision, number, &self.message);
        self.orders.sent(order, &sent, number);
    }

    const fn decision(&self, order: Order, sequence: u64) -> Decision {
        Decision {
            origin: Origin::Strategy(self.place),
            sequence,
            order,
        }
    }

    fn refused(&mut self, order: i64, sent: Order, reason: Refusal, desk: &mut Context<'_>) {
        let decision = self.decision(sent, desk.sequence);
        desk.sink.refused(&decision, reason);
        let refused = ReportKind::Refused;
        let report = self.orders.not_sent(refused, order, &sent, reason as i64);
        self.reports.push_back(report);
    }

    /// Risk passed it, and it could not leave.
    fn dropped(&mut self, order: i64, decision: &Decision, why: Dropped, desk: &mut Context<'_>) {
        if let Some(adjustment) = dropped(&decision.order) {
            desk.risk.adjust(&adjustment);
        }
        desk.sink.dropped(decision, why);
        let (refused, reason) = (ReportKind::Refused, NOT_SENT + why as i64);
        let report = self
            .orders
            .not_sent(refused, order, &decision.order, reason);
        self.reports.push_back(report);
    }
}
