//! What the core gave in a step against what the twin says: orders, reports, messages, registers.

use std::collections::HashMap;

use device::RawReport;
use order::report::Dropped;
use order::{Number, Order};
use risk::Refusal;

use super::Runner;
use crate::orders::twin::{Follow, Observed, PassedOrder, Step, Twin};
use cosim::orders::{Problem, same_message};

impl Runner {
    pub(super) fn compare(
        &mut self,
        step: &Step,
        message: Option<u64>,
        begin: u64,
    ) -> Result<(), Problem> {
        let mut observed = Observed::default();
        let mut sent = HashMap::new();
        for report in std::mem::take(&mut self.testbench.reports) {
            self.report(&report, &mut observed, &mut sent)?;
        }
        self.show(format!("  {step:?}\n  {observed:?}"));
        let follow = Follow {
            templates: &self.testbench.templates,
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
            self.steps.push_back((begin, self.testbench.cycle()));
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
                observed.passed.push(PassedOrder { client_id, dropped });
                self.summary.sent += 1;
            }
            1 if report.number == 0 => {
                let dropped = Some(Dropped::from_bits(reason).ok_or_else(wrong)?);
                observed.passed.push(PassedOrder { client_id, dropped });
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
            let (found, hardware) = self.testbench.message()?;
            let due = self.next_number;
            let order = sent.remove(&due).filter(|_| found == due);
            let (order, taken_ns) = order.ok_or(Problem::Number { found, due })?;
            let (number, time) = self.testbench.sent(due, taken_ns)?;
            same_message(
                &hardware,
                self.testbench.templates.message(&order, number, time),
            )?;
            self.next_number += 1;
        }
        match self.testbench.stream.is_empty() {
            true => Ok(()),
            false => Err(Problem::Number {
                found: self.testbench.message()?.0,
                due: self.next_number,
            }),
        }
    }

    /// A message of the host on the session, with this number.
    pub(super) fn host_message(&mut self, msg_type: &str, number: u64) -> Result<(), Problem> {
        let (found, bytes) = self.testbench.message()?;
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
    pub(super) fn look(&mut self) -> Result<(), Problem> {
        let (kill, open) = self.testbench.driver.risk_state()?;
        // A slot is counted in every third cycle.
        let slots = self.testbench.driver.stops() as u64;
        self.testbench.driver.registers().run(8 * slots);
        let armed = self.testbench.driver.armed()? as usize;
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
}
