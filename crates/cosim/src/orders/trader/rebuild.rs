//! Books that lost messages, rebuilt in the core and in software.

use device::{BookRefused, SnapshotOrder};
use formats::Side;
use pipeline::Backlog;

use super::{INSTRUMENT, SESSION, Trader};
use crate::orders::Problem;

impl Trader {
    /// The host begins a rebuild in the core: from here on its events are not booked there.
    ///
    /// # Errors
    /// The core refuses it.
    pub fn clear_core(&mut self) -> Result<(), Problem> {
        // What was sent has passed it.
        self.testbench.settle()?;
        if self.testbench.driver.clear_book(INSTRUMENT)? {
            Ok(())
        } else {
            Err(Problem::Testbench(
                "the core does not clear its book".into(),
            ))
        }
    }

    /// Ends it: the orders of a snapshot, whose next message has this number. The inner result is the core's.
    ///
    /// # Errors
    /// The core did not answer.
    pub fn restore_core(
        &mut self,
        orders: &[SnapshotOrder],
        next: u64,
    ) -> Result<Result<(), BookRefused>, Problem> {
        let orders = orders.iter().copied();
        Ok(self
            .testbench
            .driver
            .restore_book(INSTRUMENT, orders, next)?)
    }

    /// The same in software: messages of a snapshot, taken where the feed is now.
    ///
    /// # Errors
    /// It was refused.
    pub fn rebuild_software(&mut self, snapshot: &[Vec<u8>]) -> Result<(), Problem> {
        let mut backlog = Backlog::new(0);
        backlog.begin(SESSION, self.sequence);
        let messages = snapshot.iter().map(Vec::as_slice);
        let rebuilt = self.software.rebuild(
            INSTRUMENT.into(),
            messages,
            SESSION,
            self.sequence,
            &backlog,
        );
        rebuilt.map_or_else(
            |error| Err(Problem::Testbench(error.to_string())),
            |_| Ok(()),
        )
    }

    /// Both get a packet from the middle of a session, and have empty books of these instruments after it, tradable from the next message on.
    ///
    /// # Errors
    /// The packet has no message; one of them was refused.
    pub(super) fn begin_after(
        &mut self,
        packet: &[u8],
        instruments: impl IntoIterator<Item = u8>,
    ) -> Result<(), Problem> {
        self.payload(packet, false);
        self.compare()?;
        let next = self.software.next_in_order_log();
        let next = next.ok_or_else(|| {
            Problem::Testbench("the packet before the first has no message of the feed".into())
        })?;
        for instrument in instruments {
            let wrong =
                |what: String| Problem::Testbench(format!("instrument {instrument}: {what}"));
            if !self.testbench.driver.clear_book(instrument)? {
                return Err(wrong("the core does not clear its book".into()));
            }
            let core = self.testbench.driver.restore_book(instrument, [], next)?;
            core.map_err(|refused| wrong(refused.to_string()))?;
            let software = self.software.rebuild_empty(instrument.into(), next);
            software.map_err(|error| wrong(error.to_string()))?;
        }
        Ok(())
    }

    /// Whether the core's book can be relied on, after all that was sent.
    ///
    /// # Errors
    /// The core did not answer.
    pub fn is_tradable(&mut self) -> Result<bool, Problem> {
        self.testbench.settle()?;
        Ok(self.testbench.driver.tradable_books()? >> INSTRUMENT & 1 != 0)
    }

    /// Number of the feed's next message.
    pub const fn next_message(&self) -> u64 {
        self.sequence
    }

    /// The best prices of the book in software: bid and ask, 0 where there is none.
    pub fn best_prices(&self) -> [i64; 2] {
        let top = self.software.book().top(INSTRUMENT.into());
        [Side::Buy, Side::Sell].map(|side| top.of(side).price)
    }
}
