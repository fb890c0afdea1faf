//! What leaves the hardware in a cycle, compared with what the twin says.

use book::Cause;
use formats::{Kind, Side};

use super::{Early, IMPROVING_BEFORE, LEVEL_FAULT_AFTER, Lockstep, cause, side};
use crate::book::INSTRUMENTS;
use crate::book::model::{Level, Output};
use crate::book::twin::{Expected, Lines, Trade, Window};

/// A line with fewer levels is filled up: `LOW` + 1 of `book_refill`.
const FILLED: usize = 6;
/// A level that does not fit makes its instrument untradable within so many cycles of its change.
const SOON: u64 = 8;

/// Nothing if it holds, else the difference.
fn must(holds: bool, text: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(text()) }
}

impl Lockstep {
    pub(super) fn compare(&mut self, output: &Output) -> Result<(), String> {
        if output.read_found != 0 {
            self.expect_read();
        }
        if output.read_ends != 0 {
            self.compare_read(output)?;
        }
        if output.improving != 0 {
            self.early.push_back(Early {
                cycle: self.cycle,
                instrument: output.improving_instrument.into(),
                side: side(output.improving_sell),
                price: output.improving_price,
                shares: output.improving_shares,
            });
        }
        if output.change != 0 {
            self.last_sign = self.cycle;
            self.recent
                .push_back((self.cycle, output.instrument.into()));
            if self.recent.len() > 8 {
                self.recent.pop_front();
            }
            let compared = if output.undo != 0 {
                self.compare_undone(output)
            } else {
                match self.compare_restored(output) {
                    Ok(false) => self.compare_change(output),
                    result => result.map(|_| ()),
                }
            };
            compared.map_err(|text| format!("{text}\n{output:?}"))?;
        }
        if output.known != 0 {
            self.compare_known(output)
                .map_err(|text| format!("{text}\n{output:?}"))?;
        }
        if output.trade != 0 {
            self.compare_trade(output)?;
        }
        if output.verdict != 0 {
            self.last_sign = self.cycle;
            self.compare_verdict(output)?;
        }
        self.count(output)?;
        if output.host_ready != 0 {
            self.take_answer(output.host_done != 0);
        }
        must(!self.hardware.asserted(), || {
            "an assertion failed, see above".into()
        })
    }

    fn compare_change(&mut self, output: &Output) -> Result<(), String> {
        let full = output.fault != 0 && cause(output.cause) == Cause::OrdersFull;
        let orders = self.twin.book.orders();
        let (cycle, event, expected) = self.next_change(full)?;
        if full && event.kind == Kind::Add && orders < self.design.limits().orders {
            // More careful than the twin, but not without reason.
            must(2 * orders >= self.design.places(), || {
                format!("a set is full with {orders} orders")
            })?;
            self.stats.full_sets += 1;
        }
        let latency = self.cycle - cycle;
        let (least, most) = self.stats.latency.unwrap_or((latency, latency));
        self.stats.latency = Some((least.min(latency), most.max(latency)));
        self.stats.at_once += u64::from(latency == least);
        let alone = self.isolated && self.last_event == cycle;
        self.compare_early(&expected, alone)
            .and_then(|()| self.compare_expected(output, &expected))
            .map_err(|text| format!("{text}\n{event:?} of cycle {cycle}"))?;
        self.trades.extend(expected.trade);
        Ok(())
    }

    /// A change that does not take anything back.
    pub(super) fn compare_expected(
        &mut self,
        output: &Output,
        expected: &Expected,
    ) -> Result<(), String> {
        self.stats.changes += 1;
        let instrument = expected.instrument;
        must(instrument == usize::from(output.instrument), || {
            format!("the instrument is {instrument}")
        })?;
        let fault = (output.fault != 0).then(|| cause(output.cause));
        must(fault == expected.fault, || {
            format!("the fault is {:?}, not {fault:?}", expected.fault)
        })?;
        must((output.shown != 0) == expected.shown, || {
            format!("shown is {}", expected.shown)
        })?;
        if let Some(cause) = fault {
            self.stats.faults[cause as usize] += 1;
            must(output.tradable == 0, || "tradable with a fault".into())?;
        }
        if expected.overflows && !self.twin.wrong[instrument] {
            self.mark_wrong(instrument);
            self.overflows.push_back(instrument);
        }
        // Also where the twin cannot follow any more: it may again, when the instrument is being rebuilt.
        if output.shown != 0 {
            self.unknown[instrument] = output.complete == 0;
        }
        if self.twin.wrong[instrument] {
            self.stats.wrong += 1;
            return Ok(());
        }
        if !expected.shown {
            return Ok(());
        }
        must(side(output.sell) == expected.side, || {
            format!("the side is {:?}", expected.side)
        })?;
        self.compare_lines(output, &expected.lines, expected.side)?;
        if self.rested {
            let shown = output.levels.iter().filter(|level| level.live != 0).count();
            let filled = shown >= expected.lines.count.min(FILLED);
            must(output.complete != 0 && filled, || {
                format!("a line is short after a rest: {:?}", expected.lines)
            })?;
        }
        if output.complete == 0 {
            self.stats.incomplete += 1;
            return must(output.tradable == 0, || {
                "tradable without a best price".into()
            });
        }
        if fault.is_some() {
            return Ok(());
        }
        if let Some(tradable) = self.tradable_with_gap(expected.tradable) {
            must((output.tradable != 0) == tradable, || {
                format!("tradable is {tradable}")
            })?;
        }
        // A replacement may say so even if the best level is as it was; and orders beyond the window are no best level of the twin's.
        let perhaps = expected.replaced || expected.lines.count == 0;
        let changed = output.best_changed != 0;
        must(
            changed == expected.best_changed || (perhaps && changed),
            || format!("best_changed is {}", expected.best_changed),
        )
    }

    /// The best prices, if both are known, and the levels of the side as far as they are.
    fn compare_lines(&mut self, output: &Output, lines: &Lines, side: Side) -> Result<(), String> {
        let window = self.twin.window(output.instrument.into());
        let top = &lines.top;
        let same = is(&output.bid, &top.bid, window) && is(&output.ask, &top.ask, window);
        must(same || output.complete == 0, || {
            format!("the best are {top:?}")
        })?;
        let live = output.levels.iter().take_while(|level| level.live != 0);
        let shown = live.count();
        self.stats.levels += shown as u64;
        let levels = &lines.levels[..lines.count];
        let mut pairs = output.levels.iter().zip(levels).take(shown);
        let rest = &output.levels[shown..];
        let same = shown <= lines.count
            && pairs.all(|(found, expected)| is(found, expected, window))
            && rest.iter().all(|level| *level == Level::default());
        must(same, || format!("the levels of {side:?} are {levels:?}"))?;
        let all = shown == lines.count && !lines.more;
        must(output.levels_all == 0 || all, || {
            format!("{side:?} has other levels: {lines:?}")
        })
    }

    /// Best prices that are known again without an event: after a good frame that left them unknown, before the next one.
    fn compare_known(&mut self, output: &Output) -> Result<(), String> {
        self.stats.known += 1;
        let instrument = usize::from(output.instrument);
        let wrong = self.twin.wrong[instrument];
        must(output.change == 0 && output.complete != 0, || {
            "not known again".into()
        })?;
        must(self.unknown_kept[instrument] || wrong, || {
            format!("instrument {instrument} was known")
        })?;
        self.unknown[instrument] = false;
        self.unknown_kept[instrument] = false;
        if output.tradable == 0 || wrong {
            return Ok(());
        }
        let window = self.twin.window(instrument);
        let top = self.twin.lines(instrument, Side::Buy).top;
        let same = is(&output.bid, &top.bid, window) && is(&output.ask, &top.ask, window);
        must(same, || format!("the best are {top:?}"))
    }

    fn compare_undone(&mut self, output: &Output) -> Result<(), String> {
        if self.undoing.is_empty() && self.verdict_due.is_none() {
            let good = self.next_verdict()?;
            must(!good, || "a good frame is taken back".into())?;
            self.close(good)?;
            self.verdict_due = Some(good);
        }
        let undone = self.undoing.pop_front();
        let undone = undone.ok_or_else(|| "more is taken back than was done".to_owned())?;
        self.stats.taken_back += 1;
        let place = (usize::from(output.instrument), side(output.sell));
        let same = (undone.instrument, undone.side) == place;
        must(same && output.fault == 0 && output.shown != 0, || {
            format!("{undone:?} is taken back")
        })?;
        match undone.lines {
            Some(lines) if !self.twin.wrong[undone.instrument] => {
                self.compare_lines(output, &lines, undone.side)
            }
            _ => Ok(()),
        }
    }

    /// `alone`: nothing else was on its way for long.
    fn compare_early(&mut self, expected: &Expected, alone: bool) -> Result<(), String> {
        let sound = expected.fault.is_none() && !self.twin.wrong[expected.instrument];
        let could = alone && sound && expected.improves && expected.tradable;
        self.stats.could_be_early += u64::from(could);
        let first = self.early.front();
        if first.is_none_or(|early| early.cycle + IMPROVING_BEFORE > self.cycle) {
            return Ok(());
        }
        let Some(early) = self.early.pop_front() else {
            return Ok(());
        };
        let here =
            early.cycle + IMPROVING_BEFORE == self.cycle && early.instrument == expected.instrument;
        must(here, || {
            format!(
                "the best price of instrument {} in cycle {} has no change",
                early.instrument, early.cycle
            )
        })?;
        if !sound {
            return Ok(());
        }
        self.stats.early += 1;
        let best = expected.lines.top.of(expected.side);
        let found = (i64::from(early.price), u64::from(early.shares), 1);
        let same = early.side == expected.side && found == (best.price, best.quantity, best.orders);
        must(same && expected.improves, || {
            format!("early {:?} {found:?}; it is {best:?}", early.side)
        })
    }

    fn compare_trade(&mut self, output: &Output) -> Result<(), String> {
        self.stats.trades += 1;
        let found = Trade {
            instrument: output.trade_instrument.into(),
            side: side(output.trade_sell),
            price: (output.trade_priced != 0).then_some(output.trade_price),
            quantity: output.trade_quantity,
        };
        let expected = self.trades.pop_front();
        must(expected == Some(found), || {
            format!("{found:?}; it is {expected:?}")
        })
    }

    fn compare_verdict(&mut self, output: &Output) -> Result<(), String> {
        self.stats.verdicts += 1;
        let good = match self.verdict_due.take() {
            Some(good) => good,
            None => {
                let good = self.next_verdict()?;
                self.close(good)?;
                good
            }
        };
        if good {
            self.unknown_kept = self.unknown;
        } else {
            self.unknown = self.unknown_kept;
        }
        must(good == (output.verdict_good != 0), || {
            format!("the verdict is {good}")
        })?;
        must(self.undoing.is_empty(), || {
            format!("not taken back: {:?}", self.undoing)
        })?;
        self.check_at = self.cycle + 1;
        Ok(())
    }

    /// `all_tradable`, a cycle after a verdict or when nothing is on its way.
    pub(super) fn compare_tradable(&mut self) -> Result<(), String> {
        if self.tradable_with_gap(true) != Some(true) {
            return Ok(());
        }
        let recent = (0..INSTRUMENTS).filter(|&instrument| {
            self.twin.wrong[instrument] && self.cycle < self.wrong_since[instrument] + SOON
        });
        let unknown = recent.fold(0, |all, instrument| all | 1_u16 << instrument);
        let (found, expected) = (self.hardware.all_tradable(), self.twin.all_tradable());
        must((found ^ expected) & !unknown == 0, || {
            format!("tradable are {found:016b}; it is {expected:016b}")
        })
    }

    fn count(&mut self, output: &Output) -> Result<(), String> {
        self.counted.not_ours += u64::from(output.count_not_ours);
        self.counted.undone += u64::from(output.count_undone);
        must(output.count_overflow == 0, || "an event was lost".into())?;
        if output.count_fault == 0 {
            return Ok(());
        }
        let cause = cause(output.count_cause);
        if !matches!(cause, Cause::LevelsFull | Cause::LevelOverflow) {
            self.counted.faults[cause as usize] += 1;
            return Ok(());
        }
        // Its change was so many cycles ago, or one more: another fault of the same cycle is counted first.
        let change = self.cycle - LEVEL_FAULT_AFTER;
        let mut recent = self.recent.iter();
        let found = recent.find(|(cycle, _)| *cycle == change || *cycle + 1 == change);
        let Some(&(_, instrument)) = found else {
            return Err(format!("{cause:?} of no change"));
        };
        if cause == Cause::LevelsFull {
            self.stats.levels_full += 1;
        } else {
            self.stats.level_overflows += 1;
            if self.overflows.front() == Some(&instrument) {
                self.overflows.pop_front();
            } else {
                must(self.twin.wrong[instrument], || {
                    format!("{cause:?} of instrument {instrument}")
                })?;
            }
        }
        if !self.twin.wrong[instrument] {
            self.mark_wrong(instrument);
        }
        Ok(())
    }

    fn mark_wrong(&mut self, instrument: usize) {
        self.twin.wrong[instrument] = true;
        self.wrong_since[instrument] = self.cycle;
    }

    pub(super) fn compare_counts(&self) -> Result<(), String> {
        let (found, expected) = (&self.counted, &self.twin.counts);
        must(found.faults == expected.faults, || {
            format!("faults {:?}; it is {:?}", found.faults, expected.faults)
        })?;
        must(found.undone == expected.undone, || {
            format!("{} frames undone; it is {}", found.undone, expected.undone)
        })?;
        let least = expected.not_ours - self.host.perhaps_not_ours;
        must(
            (least..=expected.not_ours).contains(&found.not_ours),
            || format!("{} not ours; it is {}", found.not_ours, expected.not_ours),
        )
    }
}

/// Whether a level of the hardware is the twin's.
fn is(found: &Level, expected: &book::Level, window: Window) -> bool {
    if expected.is_empty() {
        return *found == Level::default();
    }
    found.live != 0
        && i64::from(found.tick) * window.tick == expected.price
        && u64::from(found.shares) == expected.quantity
        && u32::from(found.orders) == expected.orders
}
