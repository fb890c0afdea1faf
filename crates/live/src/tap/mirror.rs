//! The books of the core once more, on the host: it hears the frames that the core hears. When a book of the core cannot be relied on, this one is written there;
//! it is rebuilt from a snapshot first, if it lost the same messages.

use std::time::{Duration, Instant};

use book::{Book, OrderView};
use cosim::Core;
use device::{BookRefused, Driver, SnapshotOrder};
use formats::frame::{NetConfig, classify};
use formats::{Side, Symbol};
use pipeline::{NoOrders, Trading as Pipeline};
use risk::Kill;

use crate::rebuild::Recovery;
use crate::{Desk, Error, Monitor, Notice};

/// Cycles after which the frames that the core was given have passed its book.
const PASSED: u64 = 1_000;
/// Until a book that the core did not take is written again.
const RETRY: Duration = Duration::from_secs(1);

/// The books of a core.
pub(super) struct Mirror {
    net: NetConfig,
    pipeline: Pipeline,
    recovery: Recovery,
    /// What is addressed to the lines of the snapshots, if there are any.
    snapshots: Option<NetConfig>,
    /// The strategy's instrument.
    instrument: u8,
    symbol: Symbol,
    kill: Kill,
    /// Not before then the core is given a book.
    pause_end: Option<Instant>,
}

impl Mirror {
    /// That of a desk that names a server of snapshots, or the lines that they come on; `room`: orders that the core's book has room for.
    ///
    /// # Errors
    /// What does not fit together; the templates of a feed in FAST cannot be read.
    pub fn new(
        desk: &Desk,
        traded: &cosim::orders::Desk,
        room: u32,
        monitor: &dyn Monitor,
    ) -> Result<Option<Self>, Error> {
        let index = traded.strategy.parameters.instrument;
        let listed = traded.instruments.get(index as usize);
        let Some(symbol) = listed.and_then(|listed| listed.read.feed) else {
            return Ok(None);
        };
        let config = traded.trading(room);
        let named = vec![(index, symbol, symbol.to_string())];
        let recovery = Recovery::of(desk, traded.version, named);
        let (mut pipeline, snapshots) = match (&desk.feed.fast, &recovery) {
            (_, Recovery::None) => return Ok(None),
            (Some(fast), _) => {
                let pipeline = Pipeline::of_order_log(&config, desk.order_log(fast, monitor)?)?;
                (pipeline, Some(desk.net_of(&fast.snapshot_lines())))
            }
            (None, _) => (Pipeline::new(&config)?, None),
        };
        traded.centre(&mut pipeline)?;
        Ok(Some(Mirror {
            net: desk.net(),
            pipeline,
            recovery,
            snapshots,
            instrument: index as u8,
            symbol,
            kill: traded.limits.kill,
            pause_end: None,
        }))
    }

    /// What turns the core's kill switch on once a book is restored.
    pub const fn set_kill(&mut self, kill: Kill) {
        self.kill = kill;
    }

    /// The feed has begun anew: the next packet may have any number.
    pub fn begin_anew(&mut self) {
        self.pipeline.restart_feed();
    }

    /// Takes a frame that the core was given.
    pub fn frame(&mut self, bytes: &[u8]) {
        if let Some(lines) = &self.snapshots
            && let Ok(datagram) = classify(bytes, lines)
        {
            self.pipeline.snapshot_datagram(datagram.payload);
            return;
        }
        let Ok(datagram) = classify(bytes, &self.net) else {
            return;
        };
        let cause = self.pipeline.datagram(datagram.payload, 0, &mut NoOrders);
        let taken = !matches!(
            cause,
            formats::mold::Cause::Malformed | formats::mold::Cause::Old
        );
        if taken {
            self.recovery.datagram(datagram.payload);
        }
    }

    /// Does what is due. `tradable`: whether the core's book can be relied on.
    ///
    /// # Errors
    /// The core did not answer.
    pub fn poll(
        &mut self,
        core: &mut Driver<Core>,
        tradable: bool,
        tell: &mut dyn FnMut(Notice),
    ) -> Result<(), device::Error<cosim::AxiError>> {
        let instrument = self.instrument.into();
        self.recovery.poll(&mut self.pipeline, tell);
        let next = match self.snapshots {
            None => self.pipeline.position().map(|(_, next)| next),
            Some(_) => self.pipeline.next_in_order_log(),
        };
        let lost = self.pipeline.untradable(&[instrument]);
        let pauses = self.pause_end.is_some_and(|end| Instant::now() < end);
        let Some(next) = next else {
            return Ok(());
        };
        if tradable || pauses || !lost.is_empty() {
            return Ok(());
        }
        let orders = orders(self.pipeline.book(), instrument);
        let (symbol, count) = (self.symbol.to_string(), orders.len());
        match self.write(core, orders, next)? {
            Ok(()) => {
                self.pause_end = None;
                // The gap is made up for.
                core.set_kill(self.kill)?;
                tell(Notice::BookRestored {
                    symbol,
                    orders: count,
                });
            }
            Err(refused) => {
                self.pause_end = Some(Instant::now() + RETRY);
                tell(Notice::BookNotRestored {
                    symbol,
                    reason: refused.to_string(),
                });
            }
        }
        Ok(())
    }

    /// Gives the core the orders that live before message `next`. It hears nothing meanwhile.
    fn write(
        &self,
        core: &mut Driver<Core>,
        orders: Vec<SnapshotOrder>,
        next: u64,
    ) -> Result<Result<(), BookRefused>, device::Error<cosim::AxiError>> {
        core.registers().run(PASSED);
        // If it is not cleared, it does not take the orders either.
        core.clear_book(self.instrument)?;
        core.restore_book(self.instrument, orders, next)
    }
}

/// The orders of a book, or its levels where the feed gives those: on each side by price and time.
fn orders(book: &Book, instrument: u32) -> Vec<SnapshotOrder> {
    let order = |order: OrderView| SnapshotOrder {
        id: order.id,
        side: order.side,
        // The core's book has none of more than 32 bits, and this one is as the core's.
        price: order.price as u32,
        quantity: order.quantity,
    };
    let of_side = |side| {
        let inside = book.levels(instrument, side);
        let levels = inside.chain(book.levels_outside(instrument, side));
        levels.flat_map(move |level| {
            let mut orders: Vec<_> = book
                .queue(instrument, side, level.price)
                .map(order)
                .collect();
            if orders.is_empty() {
                // The feed gives levels.
                let (price, quantity) = (level.price as u32, level.quantity as u32);
                orders.push(SnapshotOrder::of_level(
                    instrument as u8,
                    side,
                    price,
                    quantity,
                ));
            }
            orders
        })
    };
    of_side(Side::Buy).chain(of_side(Side::Sell)).collect()
}
