//! The exchange's reports about orders: the core reads them on its session, software gets them from here.

use order::{Number, Order};
use pipeline::Executed;
use risk::{Execution, ExecutionReport};
use wire::fix::{self, CancelRejectResponse, Decimal, ExecType, OrdStatus, OrderCancelReject};

use super::{PREFIX, Trader};
use crate::orders::Problem;

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

    /// The exchange says this.
    ///
    /// # Errors
    /// The core does not stop.
    pub fn answer(&mut self, report: &ExecutionReport) -> Result<(), Problem> {
        let (own, original) = (name(report.number), report.original.map(name));
        if report.what == Execution::ChangeRefused {
            self.bench.send_fix(&OrderCancelReject {
                order_id: b"1",
                client_order_id: &own,
                original_client_order_id: original.as_deref().unwrap_or(b"NONE"),
                response_to: CancelRejectResponse::Cancel,
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
            self.bench.send_fix(&fix::ExecutionReport {
                order_id: b"1",
                execution_id: b"1",
                symbol: b"A",
                client_order_id: Some(&own),
                original_client_order_id: original.as_deref(),
                execution_type,
                status,
                cumulative_quantity: Decimal::new(report.traded.into(), 0),
                ..fix::ExecutionReport::default()
            });
        }
        self.bench.settle()?;
        self.bench.wait(READS)?;
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
            price: None,
            reason: 0,
        };
        let (programs, sink) = (&mut self.programs, &mut self.sink);
        self.software.executed(programs, &executed, now, sink);
        Ok(())
    }

    /// How many orders are open: the two agree on it.
    ///
    /// # Errors
    /// They do not.
    pub fn compare_open(&mut self) -> Result<u16, Problem> {
        let (_, open) = self.bench.driver.risk_state()?;
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
