//! The exchange's reports about orders: the core reads them on its session, software gets them from here.

use device::shared_session::{ExecutionDetails, execution_details, execution_report};
use formats::fix::{self, CancelRejectResponse, Decimal, ExecType, OrdStatus, OrderCancelReject};
use order::{Number, Order};
use pipeline::Executed;
use risk::{Execution, ExecutionReport};

/// What the exchange writes besides its report.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReportDetails {
    /// The price of the last fill (LastPx).
    pub last_price: Option<Decimal>,
    /// OrdRejReason (103), or CxlRejReason (102).
    pub reason: Option<u32>,
    /// After so many bytes, modulo those of the message, another segment begins.
    pub cut: Option<usize>,
}

use super::{PREFIX, Trader};
use crate::orders::Problem;

/// Reports at once: the core's queue of what became of orders has room for twice as many.
const AT_ONCE: usize = 16;
/// Orders that leave before the exchange ends them all, where it says nothing else: a core keeps 512 in mind.
const MOST_WITHOUT_END: usize = 128;
/// Cycles in which the core reads a report, and prepares what the strategy may ask for then.
const READS: u64 = 4_000;

/// A name of ours.
fn name(number: Number) -> Vec<u8> {
    format!("{PREFIX}{:09}", number.get()).into_bytes()
}

impl Trader {
    /// The orders that left since the last call, all of them equal, by their numbers.
    pub fn take_left(&mut self) -> Vec<(Number, Order)> {
        std::mem::take(&mut self.left)
    }

    /// The exchange says this, and what the core then does is compared.
    ///
    /// # Errors
    /// The core does not stop; software reads something else in the message; the first difference.
    pub fn answer(
        &mut self,
        report: &ExecutionReport,
        said: &ReportDetails,
    ) -> Result<(), Problem> {
        let details = self.say(report, said)?;
        self.testbench.settle_for(READS)?;
        self.learn(report, &details);
        self.compare_settled()?;
        Ok(())
    }

    /// The exchange ends all orders that left since the last call of [`Trader::take_left`], nothing of them filled: the core can keep no more than 512 that
    /// have no end, whose numbers differ modulo that. Of a strategy that follows its orders it is to be said what becomes of each instead.
    ///
    /// # Errors
    /// As [`Trader::answer`].
    pub fn end_all(&mut self) -> Result<(), Problem> {
        for orders in self.take_left().chunks(AT_ONCE) {
            let mut said = Vec::with_capacity(orders.len());
            for (number, _) in orders {
                let report = ExecutionReport {
                    what: Execution::Closed,
                    number: *number,
                    original: None,
                    traded: 0,
                };
                said.push((report, self.say(&report, &ReportDetails::default())?));
            }
            self.testbench.settle_for(READS)?;
            for (report, details) in &said {
                self.learn(report, details);
            }
        }
        Ok(())
    }

    /// The same where no exchange answers, as in a recording: if many have left, and the strategy does not follow them.
    ///
    /// # Errors
    /// As [`Trader::answer`].
    pub fn end_not_followed(&mut self) -> Result<(), Problem> {
        match !self.follows_orders && self.left.len() >= MOST_WITHOUT_END {
            true => self.end_all(),
            false => Ok(()),
        }
    }

    /// Puts what the exchange says on the line; returns what software reads of it.
    fn say(
        &mut self,
        report: &ExecutionReport,
        said: &ReportDetails,
    ) -> Result<ExecutionDetails, Problem> {
        let (own, original) = (name(report.number), report.original.map(name));
        if report.what == Execution::ChangeRefused {
            self.testbench.send_fix(&OrderCancelReject {
                order_id: b"1",
                client_order_id: &own,
                original_client_order_id: original.as_deref().unwrap_or(b"NONE"),
                response_to: CancelRejectResponse::Cancel,
                reason: said.reason,
                ..OrderCancelReject::default()
            });
        } else {
            let (execution_type, status) = match report.what {
                Execution::Open => (ExecType::New, OrdStatus::New),
                Execution::Closed => (ExecType::Canceled, OrdStatus::Canceled),
                Execution::Rejected => (ExecType::Rejected, OrdStatus::Rejected),
                Execution::Replaced | Execution::ChangeRefused => {
                    (ExecType::Replaced, OrdStatus::New)
                }
            };
            self.testbench.send_fix(&fix::ExecutionReport {
                order_id: b"1",
                execution_id: b"1",
                symbol: b"A",
                client_order_id: Some(&own),
                original_client_order_id: original.as_deref(),
                execution_type,
                status,
                reject_reason: said.reason,
                last_price: said.last_price,
                cumulative_quantity: Decimal::new(report.traded.into(), 0),
                ..fix::ExecutionReport::default()
            });
        }
        let message = self.testbench.last_to_write().unwrap_or_default();
        let read = match fix::frame(message, message.len()) {
            fix::Frame::Message(message) => execution_report(PREFIX.as_bytes(), &message)
                .map(|read| (read, execution_details(&message, self.decimals))),
            _ => None,
        };
        let details = match read {
            Some((read, details)) if read == *report => details,
            _ => return Err(Problem::Testbench(format!("software reads {read:?}"))),
        };
        if let Some(at) = said.cut {
            self.testbench.cut(at);
        }
        Ok(details)
    }

    /// Software learns what the exchange has said.
    fn learn(&mut self, report: &ExecutionReport, details: &ExecutionDetails) {
        let reported = self.working.report(report);
        if let Some(adjustment) = &reported.adjustment {
            self.software.adjust(adjustment);
        }
        if let Some(change) = &reported.change {
            self.software.reported(change);
        }
        // The time of the last packet: in the core it stays while the feed is silent.
        let now = self.compared.packets.saturating_sub(1) * 8;
        let executed = Executed {
            said: *report,
            reported,
            price: details.price,
            reason: details.reason,
        };
        let (programs, sink) = (&mut self.programs, &mut self.sink);
        self.software.executed(programs, &executed, now, sink);
    }

    /// How many orders are open: the two agree on it.
    ///
    /// # Errors
    /// They do not.
    pub fn compare_open(&mut self) -> Result<u16, Problem> {
        let (_, open) = self.testbench.driver.risk_state()?;
        let software = self.software.risk().open_orders();
        if open == software {
            return Ok(open);
        }
        Err(Problem::Orders {
            hardware: format!("{open} open orders"),
            software: format!("{software} open orders"),
        })
    }
}
