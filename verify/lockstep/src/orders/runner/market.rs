//! The prices of a step: written for both sources, sent, and applied to the twin.

use formats::Side;
use formats::fix::{
    Decimal, IncrementalEntry, MarketDataIncrement, MarketDataSnapshot, MdEntryType,
    MdUpdateAction, SnapshotEntry,
};
use formats::itch;
use rand::Rng;
use rand::seq::IndexedRandom;

use super::{Host, Runner};
use crate::orders::twin::{HostOperation, Step};
use cosim::MINIMUM_GAP;
use cosim::orders::Problem;
use cosim::orders::testbench::{LISTED, symbol};

impl Runner {
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
            self.testbench.cut(at);
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
        self.testbench.send_fix(&MarketDataSnapshot {
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
        self.testbench.send_fix(&MarketDataIncrement {
            entries: entries[..].into(),
            ..MarketDataIncrement::default()
        });
    }

    /// Prices on the feed: a packet of trades and crosses, with orders between them.
    fn write_feed(&mut self, prices: &[(u8, i64)], lost: u64, gap: u32) {
        let head = itch::Head {
            // A second begins now and then.
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
        self.testbench.send_feed(&messages, lost, gap);
    }

    /// Prices and what the host does, at once; then everything compared. Prices of both sources all come from the one that the core has.
    pub(super) fn market(
        &mut self,
        fix: usize,
        feed: usize,
        lost: u64,
        host: Host,
    ) -> Result<(), Problem> {
        self.until_certain()?;
        let (fix, feed) = match self.has_feed {
            true => (0, fix + feed),
            false => (fix + feed, 0),
        };
        let begin = self.testbench.cycle();
        let fix: Vec<(u8, i64)> = (0..fix).map(|_| self.random.price(false)).collect();
        let of_feed: Vec<(u8, i64)> = (0..feed).map(|_| self.random.price(true)).collect();
        let random = &mut self.random.random;
        let gap = *[MINIMUM_GAP, MINIMUM_GAP, 40, 200, 1_000]
            .choose(random)
            .unwrap_or(&MINIMUM_GAP);
        let fix_first = random.random();
        if fix_first && !fix.is_empty() {
            self.write_fix(&fix);
            self.testbench.work(MINIMUM_GAP);
        }
        if !of_feed.is_empty() {
            self.write_feed(&of_feed, lost, gap);
        }
        if !fix_first && !fix.is_empty() {
            self.write_fix(&fix);
            self.testbench.work(gap);
        }
        let mut operation = None;
        let mut message = None;
        match host {
            Host::Nothing => {}
            Host::Random => operation = Some(self.operate()?),
            Host::Kill(kill) => {
                let cycles = self.random.random.random_range(0..400);
                self.testbench.driver.registers().run(cycles);
                self.testbench.driver.set_kill(kill)?;
                operation = Some(HostOperation::Kill(kill));
            }
            Host::Message => {
                let cycles = self.random.random.random_range(0..400);
                self.testbench.driver.registers().run(cycles);
                self.testbench.begin_message("0", "");
                message = Some(());
            }
        }
        let step = Step {
            sources: self.testbench.inputs(),
            operation,
        };
        // A stop that is set while nothing comes makes nothing move.
        let alone = matches!(step.operation, Some(HostOperation::Stop { .. }));
        if !alone || step.sources.iter().any(|source| !source.is_empty()) {
            self.testbench.settle()?;
        }
        let message = match message {
            Some(()) => Some(self.testbench.answer()?),
            None => None,
        };
        self.compare(&step, message, begin)
    }
}

/// A price as the exchange writes it.
const fn decimal(instrument: u8, price: i64) -> Decimal {
    Decimal::new(price, LISTED[instrument as usize].decimals)
}
