//! Packets as close as the line allows, with a limit of orders in a time: what the core does then, which software cannot tell, for it has another time.

use device::RawReport;
use risk::Limits;

use super::Trader;
use crate::core::PathMark;
use crate::orders::Problem;

/// What the core did with a burst.
#[derive(Clone, Debug)]
pub struct Burst {
    /// What became of each order that the strategy asked for.
    pub reports: Vec<RawReport>,
    /// When the book had each packet, in cycles after the burst's first byte.
    pub booked: Vec<u64>,
}

impl Trader {
    /// Gives both these packets, the core at the line's full rate and with at most `rate_orders` orders in any `rate_window` cycles. Its orders are not
    /// compared; those of what comes after are.
    ///
    /// # Errors
    /// A packet is too long for a frame; the core did not answer; what left is no FIX message.
    pub fn burst(
        &mut self,
        payloads: &[Vec<u8>],
        rate_orders: u8,
        rate_window: u32,
    ) -> Result<Burst, Problem> {
        let limits = Limits {
            rate_orders,
            rate_window,
            ..self.limits
        };
        self.testbench.driver.set_limits(&limits)?;
        self.testbench.left = Some(Vec::new());
        for payload in payloads {
            self.take(payload, self.compared.packets * 8);
            self.compared.packets += 1;
        }
        let sent = self
            .testbench
            .send_datagrams(payloads, crate::MINIMUM_GAP)?;
        self.testbench.settle()?;
        self.testbench.driver.set_limits(&self.limits)?;
        self.testbench.left = None;
        self.sink.expected.clear();
        let reports = std::mem::take(&mut self.testbench.reports);
        for _ in reports.iter().filter(|report| report.what == 0) {
            self.next_number = self.testbench.message()?.0 + 1;
        }
        self.sink.next = self.next_number;
        let begin = sent.first().map_or(0, |sent| sent.first);
        let passed = std::mem::take(&mut self.testbench.passed).into_iter();
        let booked = passed
            .filter(|passed| passed.path & PathMark::BOOKED != 0)
            .map(|passed| passed.cycle - begin)
            .collect();
        Ok(Burst { reports, booked })
    }
}
