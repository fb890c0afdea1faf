//! The books of the core once more, on the host: it hears the frames that the core hears. When a book of the core cannot be relied on, this one is written there;
//! it is rebuilt from a snapshot first, if it lost the same messages.

use std::time::{Duration, Instant};

use book::{Book, OrderView};
use cosim::Core;
use device::{BookRefused, Driver, SnapshotOrder};
use formats::fix::Timestamp;
use formats::frame::{NetConfig, classify};
use formats::{Side, Symbol};
use live::desk::Desk;
use order::Number;
use order::report::Dropped;
use pipeline::{Decision, OrderSink, Trading as Pipeline};
use risk::{Kill, Refusal};

use crate::commands::rebuild::{Progress, Rebuilder, Source};
use crate::console::Console;
use crate::error::Error;

/// Cycles after which the frames that the core was given have passed its book.
const PASSED: u64 = 1_000;
/// Until a book that the core did not take is written again.
const RETRY: Duration = Duration::from_secs(1);

/// What software decides leaves nowhere: orders are the core's.
struct Nowhere;

impl OrderSink for Nowhere {
    fn next(&mut self) -> Result<(Number, Timestamp), Dropped> {
        Err(Dropped::Session)
    }

    fn send(&mut self, _: &Decision, _: Number, _: &[u8]) {}

    fn refused(&mut self, _: &Decision, _: Refusal) {}

    fn dropped(&mut self, _: &Decision, _: Dropped) {}
}

/// Where its own book comes from, when that lost messages.
enum Snapshots {
    /// A server that is asked.
    Server(Box<Rebuilder>),
    /// Lines on which the exchange sends them in a cycle: what is addressed so.
    Lines(NetConfig),
}

/// The books of a core.
pub(super) struct Mirror {
    net: NetConfig,
    pipeline: Pipeline,
    snapshots: Snapshots,
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
        console: Console,
    ) -> Result<Option<Self>, Error> {
        let index = traded.strategy.parameters.instrument;
        let listed = traded.instruments.get(index as usize);
        let Some(symbol) = listed.and_then(|listed| listed.read.feed) else {
            return Ok(None);
        };
        let config = traded.trading(room);
        let (mut pipeline, snapshots) = match (&desk.feed.fast, &desk.feed.snapshots) {
            (Some(fast), _) if !fast.snapshots.is_empty() => {
                let pipeline = Pipeline::of_order_log(&config, desk.order_log(fast, &console)?)?;
                let lines = desk.net_of(&fast.snapshot_lines());
                (pipeline, Snapshots::Lines(lines))
            }
            (None, Some(server)) => {
                let source = Source {
                    server: (*server.get_ref()).into(),
                    version: traded.version,
                    instruments: vec![(index, symbol)],
                };
                let rebuilder = Box::new(Rebuilder::new(source));
                (Pipeline::new(&config)?, Snapshots::Server(rebuilder))
            }
            _ => return Ok(None),
        };
        traded.centre(&mut pipeline)?;
        Ok(Some(Mirror {
            net: desk.net(),
            pipeline,
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
        if let Snapshots::Lines(lines) = &self.snapshots
            && let Ok(datagram) = classify(bytes, lines)
        {
            self.pipeline.snapshot_datagram(datagram.payload);
            return;
        }
        let Ok(datagram) = classify(bytes, &self.net) else {
            return;
        };
        let cause = self.pipeline.datagram(datagram.payload, 0, &mut Nowhere);
        let taken = !matches!(
            cause,
            formats::mold::Cause::Malformed | formats::mold::Cause::Old
        );
        if let Snapshots::Server(rebuilder) = &mut self.snapshots
            && taken
        {
            rebuilder.datagram(datagram.payload);
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
        tell: &mut dyn FnMut(Progress),
    ) -> Result<(), device::Error<cosim::AxiError>> {
        let instrument = self.instrument.into();
        let next = match &mut self.snapshots {
            Snapshots::Server(rebuilder) => {
                rebuilder.poll(&mut self.pipeline, tell);
                self.pipeline.position().map(|(_, next)| next)
            }
            Snapshots::Lines(_) => {
                for recovered in self.pipeline.recover(&[instrument]) {
                    tell(Progress::of_channel(self.symbol.to_string(), recovered));
                }
                self.pipeline.next_in_order_log()
            }
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
                tell(Progress::Restored {
                    symbol,
                    orders: count,
                });
            }
            Err(refused) => {
                self.pause_end = Some(Instant::now() + RETRY);
                tell(Progress::NotRestored {
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
