//! From a datagram to an order: decoder, instrument, book, strategies, risk, order.

use book::{Book, Limits as BookLimits, Status};
use decoder::Itch;
use instrument::{Listing, Locates, MAX_INSTRUMENTS, Table};
use order::report::Dropped;
use order::{ComputedOrder, Kind, Number, Order, Prepared, Templates, TextError};
use risk::{
    Adjustment, Change, Computed, InstrumentLimits, Kill, Limits, Refusal, Request, Risk, Sources,
};
use strategy::best_price::{Intent, Parameters};
use strategy::own_order::Became;
use thiserror::Error;
use wire::fix::Timestamp;
use wire::itch::Version;
use wire::{Event, FeedInfo, Listener, Side, Source, Symbol, mold};

use crate::order_log::OrderLog;
use crate::trades::trade_of;

/// An instrument that is traded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traded {
    /// Its name on the feed.
    pub symbol: Symbol,
    /// Every price is a multiple of it, in 1/10,000 dollar.
    pub tick: i64,
    /// The limits of its orders.
    pub limits: InstrumentLimits,
}

/// A strategy: an order at the best price whenever it changes; with `single` one that stays in the market ([`Trading::reported`] must follow it then).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BestPrice {
    /// What it watches.
    pub parameters: Parameters,
    /// Quantity of its orders.
    pub quantity: u32,
}

/// What is traded, and how.
#[derive(Clone, Debug)]
pub struct TradingConfig {
    /// ITCH version of the feed.
    pub version: Version,
    /// The instruments by index; `None`: there is none of this index on the feed.
    pub instruments: Vec<Option<Traded>>,
    /// How much the book holds. With [`BookLimits::grows`] the book allocates while it runs.
    pub book: BookLimits,
    /// Limits of all orders; times in the unit of [`Trading::datagram`].
    pub limits: Limits,
    /// The templates of the orders, by the same indices.
    pub templates: Templates,
    /// The strategies: what several give after one frame leaves in their order.
    pub strategies: Vec<BestPrice>,
}

/// Why a configuration is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum TradingError {
    /// More than 256 instruments.
    #[error("{0} instruments: at most 256")]
    TooManyInstruments(usize),
    /// One symbol under two indices.
    #[error("symbol {0} is listed twice")]
    Duplicate(Symbol),
    /// A tick below 1.
    #[error("the tick of {0} is below 1")]
    Tick(Symbol),
    /// A strategy whose instrument is not on the feed.
    #[error("strategy {0}: its instrument is not traded")]
    Instrument(usize),
    /// A strategy whose orders have no text.
    #[error("strategy {0}: {1}")]
    Text(usize, TextError),
}

/// An order that a strategy asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The strategy, by its place.
    pub strategy: usize,
    /// Number of the message that touched the instrument's book last.
    pub sequence: u64,
    /// The order.
    pub order: Order,
}

/// Takes what leaves the pipeline.
pub trait OrderSink {
    /// The number and the time of the order that leaves now.
    ///
    /// # Errors
    /// None can leave.
    fn next(&mut self) -> Result<(Number, Timestamp), Dropped>;

    /// An order leaves: its message has the number and the time that [`OrderSink::next`] gave.
    fn send(&mut self, decision: &Decision, number: Number, message: &[u8]);

    /// Risk refused an order.
    fn refused(&mut self, decision: &Decision, reason: Refusal);

    /// An order that risk passed could not leave. It counts no more for risk, but for the rate.
    fn dropped(&mut self, decision: &Decision, reason: Dropped);
}

/// A strategy and its prepared order.
#[derive(Clone, Debug)]
struct Slot {
    strategy: strategy::BestPrice,
    order: ComputedOrder,
    record: Computed,
    message: Prepared,
    /// What is asked for about its order in the market, if it keeps one.
    about: Option<AboutOrder>,
    /// Number of the last message that touched its instrument's book.
    sequence: u64,
}

/// The replacement and the cancel of a strategy's order, prepared.
#[derive(Clone, Debug)]
struct AboutOrder {
    replacement: Computed,
    replacement_message: Prepared,
    cancel: Request,
    cancel_message: Prepared,
}

/// What the decoder's events pass through.
#[derive(Clone, Debug)]
pub(crate) struct Stages {
    pub(crate) instruments: Table,
    pub(crate) locates: Locates,
    pub(crate) book: Book,
    pub(crate) risk: Risk,
    slots: Vec<Slot>,
    /// Messages lost so far.
    lost: u64,
}

impl Listener for Stages {
    #[inline(always)]
    fn frame(&mut self, info: &FeedInfo) {
        if info.new_session {
            self.locates.clear();
        } else if info.lost != self.lost {
            self.risk.gap();
        }
        self.lost = info.lost;
        self.book.frame(info);
    }

    #[inline(always)]
    fn event(&mut self, event: &Event) {
        let event = self.locates.resolve(&self.instruments, event);
        self.booked(&event);
    }
}

impl Stages {
    /// Takes an event whose instrument is known.
    #[inline(always)]
    pub(crate) fn booked(&mut self, event: &Event) {
        let change = self.book.apply(event);
        if let Some((instrument, trade)) = trade_of(event, change.as_ref()) {
            // There are 256 at most.
            self.risk.price(instrument as u8, trade.price);
        }
        let Some(change) = change else {
            return;
        };
        for slot in &mut self.slots {
            if slot.strategy.change(&change) {
                slot.sequence = event.sequence;
            }
        }
    }
}

/// What decodes the feed.
#[derive(Clone, Debug)]
pub(crate) enum Decoder {
    Itch(Itch),
    Fast(Box<OrderLog>),
}

impl Decoder {
    pub(crate) const fn itch(&self) -> Option<&Itch> {
        match self {
            Decoder::Itch(itch) => Some(itch),
            Decoder::Fast(_) => None,
        }
    }

    pub(crate) fn order_log(&self) -> Option<&OrderLog> {
        match self {
            Decoder::Itch(_) => None,
            Decoder::Fast(log) => Some(log),
        }
    }

    pub(crate) fn order_log_mut(&mut self) -> Option<&mut OrderLog> {
        match self {
            Decoder::Itch(_) => None,
            Decoder::Fast(log) => Some(log),
        }
    }
}

/// The pipeline. After [`Trading::new`] it allocates nothing, unless the book grows.
#[derive(Clone, Debug)]
pub struct Trading {
    pub(crate) decoder: Decoder,
    pub(crate) stages: Stages,
    templates: Templates,
}

impl Trading {
    /// A pipeline that has seen nothing yet. As after reset, the kill switch is on: [`Trading::set_session`] and [`Trading::set_kill`] let orders pass.
    ///
    /// # Errors
    /// What does not fit together.
    pub fn new(config: &TradingConfig) -> Result<Self, TradingError> {
        let count = config.instruments.len();
        if count > MAX_INSTRUMENTS {
            return Err(TradingError::TooManyInstruments(count));
        }
        let mut instruments = Table::new(count);
        let mut book = Book::new(count, config.book);
        let mut risk = Risk::new(count);
        let traded = config.instruments.iter().enumerate();
        for (index, traded) in traded.filter_map(|(index, traded)| Some((index, (*traded)?))) {
            let symbol = traded.symbol;
            if instruments.index(Source::Feed, symbol).is_some() {
                return Err(TradingError::Duplicate(symbol));
            }
            instruments.set(Source::Feed, index, Some(Listing::itch(symbol)));
            let tick = book.set_tick(index as u32, traded.tick);
            tick.map_err(|_| TradingError::Tick(symbol))?;
            risk.set_instrument(index as u8, &traded.limits);
        }
        risk.set_limits(&config.limits);
        let slot = |(place, best_price): (usize, &BestPrice)| {
            let parameters = best_price.parameters;
            let listed = config.instruments.get(parameters.instrument as usize);
            if !listed.is_some_and(Option::is_some) {
                return Err(TradingError::Instrument(place));
            }
            let order = ComputedOrder {
                side: parameters.side,
                instrument: parameters.instrument as u8,
                quantity: best_price.quantity,
                client_id: place as u32,
                ..ComputedOrder::default()
            };
            let message = config.templates.prepare(&order);
            Ok(Slot {
                strategy: strategy::BestPrice::new(parameters),
                order,
                record: risk.prepare(&order),
                message: message.map_err(|error| TradingError::Text(place, error))?,
                about: None,
                sequence: 0,
            })
        };
        let slots = config.strategies.iter().enumerate().map(slot);
        Ok(Trading {
            decoder: Decoder::Itch(Itch::new(config.version)),
            stages: Stages {
                slots: slots.collect::<Result<_, _>>()?,
                instruments,
                locates: Locates::new(count),
                book,
                risk,
                lost: 0,
            },
            templates: config.templates.clone(),
        })
    }

    /// As `new`, for a feed that is an order log in FAST, or gives price levels, with prices in 1/10,000 and whole quantities. The configuration's
    /// ITCH version is not used.
    ///
    /// # Errors
    /// As [`Trading::new`].
    pub fn of_order_log(config: &TradingConfig, log: OrderLog) -> Result<Self, TradingError> {
        let depth = log.decoder.depth().map(|depth| u32::from(depth.get()));
        let mut trading = Trading::new(config)?;
        for index in 0..config.instruments.len() as u32 {
            let set = trading.stages.book.set_depth(index, depth);
            debug_assert!(set.is_ok(), "a new book is empty");
        }
        trading.decoder = Decoder::Fast(Box::new(log));
        Ok(trading)
    }

    /// Takes a UDP payload: uses all of it, or nothing. What the strategies ask for leaves before it returns. `now` counts the time, in the unit of the
    /// limits' `rate_window`, and does not go back.
    #[inline]
    pub fn datagram(&mut self, payload: &[u8], now: u64, sink: &mut impl OrderSink) -> mold::Cause {
        let cause = match &mut self.decoder {
            Decoder::Itch(itch) => itch.datagram(payload, &mut self.stages),
            Decoder::Fast(log) => log.datagram(payload, &mut self.stages),
        };
        let good = !matches!(cause, mold::Cause::Malformed | mold::Cause::Old);
        let Stages { slots, risk, .. } = &mut self.stages;
        for (place, slot) in slots.iter_mut().enumerate() {
            if let Some(intent) = slot.strategy.verdict(good) {
                slot.ask(place, &intent, risk, now, sink);
            }
        }
        if good {
            self.stages.book.verdict(true);
        }
        cause
    }

    // ---- what the host says ----------------------------------------------------------------------

    /// Other parameters of a strategy; its last price is forgotten. `false`: there is no such strategy, or it has orders of another instrument
    /// or side.
    pub fn set_parameters(&mut self, strategy: usize, parameters: Parameters) -> bool {
        let Some(slot) = self.stages.slots.get_mut(strategy) else {
            return false;
        };
        let order = &slot.order;
        let fits =
            parameters.instrument == u32::from(order.instrument) && parameters.side == order.side;
        if fits {
            slot.strategy.set(parameters);
        }
        fits
    }

    /// Puts the window of an instrument's book around a price ([`Book::centre`]), where it stays. `false`: that does not fit its orders, or there is
    /// no such instrument.
    pub fn centre_book(&mut self, instrument: u32, price: i64) -> bool {
        self.stages.book.centre(instrument, price).is_ok()
    }

    /// Limits of all orders; what the strategies have prepared is prepared again.
    pub fn set_limits(&mut self, limits: &Limits) {
        self.stages.risk.set_limits(limits);
        for slot in &mut self.stages.slots {
            slot.record = self.stages.risk.prepare(&slot.order);
            if let Some(about) = &mut slot.about {
                about.replacement = self.stages.risk.prepare(about.replacement.order());
            }
        }
    }

    /// The kill switch: see [`Risk::set_kill`].
    pub fn set_kill(&mut self, kill: Kill) {
        self.stages.risk.set_kill(kill);
    }

    /// Whether the order session is up.
    pub fn set_session(&mut self, up: bool) {
        self.stages.risk.set_session(up);
    }

    /// What a gap in the feed made untradable is rebuilt: it does not hold the kill switch any more.
    pub const fn clear_gap(&mut self) {
        self.stages.risk.clear_gap();
    }

    /// The sources that have been silent for too long.
    pub fn set_stale(&mut self, stale: Sources) {
        self.stages.risk.set_stale(stale);
    }

    /// What became of orders.
    pub fn adjust(&mut self, adjustment: &Adjustment) {
        self.stages.risk.adjust(adjustment);
    }

    /// What became of an order in the market ([`risk::WorkingOrders`]): the strategy whose order it is may ask for something about it again.
    pub fn reported(&mut self, change: &Change) {
        // Of nine digits.
        let number = |number: &Number| number.get() as u32;
        let became = match change {
            Change::Open(order) => Became::Open(number(order)),
            Change::Closed(order) => Became::Closed(number(order)),
            Change::Replaced(request) => Became::Replaced(number(request)),
            Change::Refused(request) => Became::ChangeRefused(number(request)),
        };
        for slot in &mut self.stages.slots {
            slot.strategy.became(became);
            let Some(order) = slot.strategy.own().prepares() else {
                continue;
            };
            let about = slot.prepare(order, &self.stages.risk, &self.templates);
            // Its first order was prepared with the same quantity: what is about it fits too.
            if about.is_some() {
                slot.about = about;
                slot.strategy.became(Became::Prepared);
            }
        }
    }

    // ---- what is known ---------------------------------------------------------------------------

    /// Limits and exposure.
    pub const fn risk(&self) -> &Risk {
        &self.stages.risk
    }

    /// The book of all instruments.
    pub const fn book(&self) -> &Book {
        &self.stages.book
    }

    /// Whether the book of an instrument can be relied on; `None`: there is no such instrument.
    pub fn status(&self, instrument: u32) -> Option<Status> {
        self.stages.book.status(instrument)
    }

    /// What the decoder of ITCH counted; zeros, if the feed is another.
    pub fn counters(&self) -> decoder::itch::Counters {
        self.decoder.itch().map(Itch::counters).unwrap_or_default()
    }
}

impl Slot {
    /// The replacement and the cancel of its order with this number.
    fn prepare(&self, order: u32, risk: &Risk, templates: &Templates) -> Option<AboutOrder> {
        let original = Number::new(order.into()).ok()?;
        let replacement = ComputedOrder {
            replaces: Some(original),
            ..self.order
        };
        let cancel = Order {
            kind: Kind::Cancel(original),
            price: None,
            ..self.order.at(0)
        };
        Some(AboutOrder {
            replacement: risk.prepare(&replacement),
            replacement_message: templates.prepare(&replacement).ok()?,
            cancel: Request::new(cancel),
            cancel_message: templates.prepare_order(&cancel).ok()?,
        })
    }

    /// Holds what the strategy asks for against the limits; what passes leaves.
    #[inline(always)]
    fn ask(
        &mut self,
        place: usize,
        intent: &Intent,
        risk: &mut Risk,
        now: u64,
        sink: &mut impl OrderSink,
    ) {
        let (order, checked, price, message) = match (intent, &mut self.about) {
            (&Intent::Replace { price, .. }, Some(about)) => {
                let checked = risk.check_computed(&about.replacement, price, now);
                let order = about.replacement.order().at(price);
                let message = &mut about.replacement_message;
                (order, checked.map(|_| ()), price, message)
            }
            (Intent::Cancel { .. }, Some(about)) => {
                let checked = risk.check(&about.cancel, now);
                (about.cancel.order, checked, 0, &mut about.cancel_message)
            }
            (&Intent::New { price }, _) => {
                let checked = risk.check_computed(&self.record, price, now);
                let order = self.order.at(price);
                (order, checked.map(|_| ()), price, &mut self.message)
            }
            // It asks for them when they are prepared.
            (_, None) => return self.strategy.became(Became::NotSent),
        };
        let decision = Decision {
            strategy: place,
            sequence: self.sequence,
            order,
        };
        if let Err(reason) = checked {
            self.strategy.became(Became::NotSent);
            return sink.refused(&decision, reason);
        }
        match sink.next() {
            Ok((number, time)) => {
                // It fits: risk refuses any other.
                let message = message.message(price as u32, number, time);
                sink.send(&decision, number, message);
                self.strategy.became(match order.kind {
                    Kind::Cancel(_) => Became::CancelSent,
                    _ => Became::Sent(number.get() as u32),
                });
            }
            Err(reason) => {
                if let Some(adjustment) = dropped(&order) {
                    risk.adjust(&adjustment);
                }
                self.strategy.became(Became::NotSent);
                sink.dropped(&decision, reason);
            }
        }
    }
}

/// What risk takes back of an order that passed and did not leave.
fn dropped(order: &Order) -> Option<Adjustment> {
    let quantity = -i64::from(order.quantity);
    let (buy, sell) = match order.side {
        Side::Buy => (quantity, 0),
        Side::Sell => (0, quantity),
    };
    let adjustment = Adjustment {
        instrument: order.instrument,
        buy,
        sell,
        closed: (order.kind == Kind::New).into(),
    };
    (!matches!(order.kind, Kind::Cancel(_))).then_some(adjustment)
}
