//! From a datagram to an order: decoder, instrument, book, strategies, risk, order.

use book::{Book, Status};
use decoder::Itch;
use decoder::fix::Entries;
use formats::counters::FeedCounters;
use formats::fix::Message;
use formats::{Event, FeedInfo, Head, Listener, Source, Symbol, mold};
use instrument::{Listing, Locates, MAX_INSTRUMENTS, Table};
use order::{Number, Templates};
use risk::{Adjustment, Change, Kill, Ledger, Limits, Risk, Sources};
use strategy::best_price::Parameters;
use strategy::events::trade_of;
use strategy::own_order::OrderChange;
use strategy::statistics::{Config, Report};

use crate::best_price::Slot;
use crate::config::{BestPrice, OnFeed, Traded, TradingConfig, TradingError};
use crate::order_log::OrderLog;
use crate::programs::Programs;
use crate::reports::{ConfigError, Reports};
use crate::sink::OrderSink;
use crate::stop_orders::StopOrders;

/// What the decoder's events pass through.
#[derive(Clone, Debug)]
pub(crate) struct Stages {
    pub(crate) instruments: Table,
    pub(crate) locates: Locates,
    pub(crate) book: Book,
    pub(crate) risk: Risk,
    slots: Vec<Slot>,
    stops: StopOrders,
    reports: Option<Box<Reports>>,
    /// Messages lost so far.
    lost: u64,
}

impl Stages {
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
}

/// A frame that is being decoded: software decodes good frames only.
pub(crate) struct Frame<'a> {
    pub(crate) stages: &'a mut Stages,
    pub(crate) programs: &'a mut Programs,
    pub(crate) now: u64,
    pub(crate) sink: &'a mut dyn OrderSink,
}

impl Listener for Frame<'_> {
    #[inline(always)]
    fn frame(&mut self, info: &FeedInfo) {
        self.stages.frame(info);
        if info.new_session {
            self.programs.new_session();
        }
        if let Some(reports) = &mut self.stages.reports {
            reports.frame(info);
        }
    }

    #[inline(always)]
    fn head(&mut self, head: &Head) {
        if let Some(reports) = &mut self.stages.reports {
            reports.head(head);
        }
    }

    /// Out of line: in line for each type of message the book would be there twenty times over.
    #[inline(never)]
    fn event(&mut self, event: &Event) {
        let stages = &mut *self.stages;
        let resolved = stages.locates.resolve(&stages.instruments, event);
        self.booked(&resolved);
        if let Some(reports) = &mut self.stages.reports {
            reports.take(event);
        }
    }

    fn is_ours(&self, symbol: Option<Symbol>) -> bool {
        self.stages.instruments.is_ours(Source::Feed, symbol)
    }
}

impl Frame<'_> {
    /// Takes an event whose instrument is known.
    #[inline(always)]
    pub(crate) fn booked(&mut self, event: &Event) {
        let stages = &mut *self.stages;
        let change = stages.book.apply(event);
        let trade = trade_of(event, change.as_ref());
        if let Some((instrument, trade)) = trade {
            // There are 256 at most.
            stages.risk.price(instrument as u8, trade.price);
            let sequence = event.sequence;
            stages.stops.price(instrument, trade.price, sequence);
        }
        if let Some(change) = &change {
            for slot in &mut stages.slots {
                if slot.strategy.change(change) {
                    slot.sequence = event.sequence;
                }
            }
        }
        if !self.programs.is_empty() {
            let (book, risk) = (&stages.book, &mut stages.risk);
            let sink: &mut dyn OrderSink = &mut *self.sink;
            let leave = (self.now, sink);
            self.programs
                .event(event, change.as_ref(), trade, book, risk, leave);
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
    session_prices: Entries,
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
            if let Some(OnFeed { symbol, tick }) = traded.feed {
                if instruments.index(Source::Feed, symbol).is_some() {
                    return Err(TradingError::Duplicate(symbol));
                }
                instruments.set(Source::Feed, index, Some(Listing::itch(symbol)));
                let set = book.set_tick(index as u32, tick);
                set.map_err(|_| TradingError::Tick(symbol))?;
            }
            instruments.set(Source::Session, index, traded.session);
            risk.set_instrument(index as u8, &traded.limits);
        }
        risk.set_limits(&config.limits);
        let slot = |(place, best_price): (usize, &BestPrice)| {
            let listed = config
                .instruments
                .get(best_price.parameters.instrument as usize);
            let on_feed = |traded: Traded| traded.feed.is_some();
            if !listed.is_some_and(|listed| listed.is_some_and(on_feed)) {
                return Err(TradingError::Instrument(place));
            }
            Slot::new(place, best_price, &risk, &config.templates)
                .map_err(|error| TradingError::Text(place, error))
        };
        let slots = config.strategies.iter().enumerate().map(slot);
        let mut stops = StopOrders::default();
        for (place, stop) in config.stops.iter().enumerate() {
            let armed = stops.arm(stop, &config.templates);
            armed.map_err(|error| TradingError::Stop(place, error))?;
        }
        Ok(Trading {
            decoder: Decoder::Itch(Itch::new(config.version)),
            stages: Stages {
                slots: slots.collect::<Result<_, _>>()?,
                instruments,
                locates: Locates::new(count),
                book,
                risk,
                stops,
                reports: None,
                lost: 0,
            },
            templates: config.templates.clone(),
            session_prices: Entries::default(),
        })
    }

    /// The same, with a report at each second ([`Trading::report`]) out of the same messages.
    ///
    /// # Errors
    /// Too many symbols, or one twice.
    pub fn with_reports(mut self, config: Config) -> Result<Self, ConfigError> {
        self.stages.reports = Some(Box::new(Reports::new(config)?));
        Ok(self)
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
    pub fn datagram(&mut self, payload: &[u8], now: u64, sink: &mut dyn OrderSink) -> mold::Cause {
        self.datagram_with(payload, now, &mut Programs::default(), sink)
    }

    /// The same with strategies in the language: their handlers run as the events come, and what they ask for leaves before it returns, too. `now` counts
    /// microseconds then.
    pub fn datagram_with(
        &mut self,
        payload: &[u8],
        now: u64,
        programs: &mut Programs,
        sink: &mut dyn OrderSink,
    ) -> mold::Cause {
        let mut frame = Frame {
            stages: &mut self.stages,
            programs: &mut *programs,
            now,
            sink: &mut *sink,
        };
        let cause = match &mut self.decoder {
            Decoder::Itch(itch) => itch.datagram(payload, &mut frame),
            Decoder::Fast(log) => log.datagram(payload, &mut frame),
        };
        let good = !matches!(cause, mold::Cause::Malformed | mold::Cause::Old);
        let Stages {
            slots, risk, stops, ..
        } = &mut self.stages;
        stops.leave(risk, now, sink);
        for (place, slot) in slots.iter_mut().enumerate() {
            if let Some(intent) = slot.strategy.verdict(good) {
                slot.ask(place, &intent, risk, now, sink);
            }
        }
        if good {
            self.stages.book.verdict(true);
            let Stages { book, risk, .. } = &mut self.stages;
            programs.frame_ended(book, risk, now, sink);
        }
        cause
    }

    /// Takes a message of the FIX session, in its order: the trades of 35=W and 35=X are prices of their instruments. The stops that they fire leave before it
    /// returns.
    pub fn session_message(&mut self, message: &Message<'_>, now: u64, sink: &mut dyn OrderSink) {
        let Stages {
            instruments,
            risk,
            stops,
            ..
        } = &mut self.stages;
        let mut price = |event: &Event| {
            if let (formats::Kind::Trade, Some(instrument)) = (event.kind, event.instrument) {
                risk.price(instrument, event.price);
                stops.price(instrument.into(), event.price, event.sequence);
            }
        };
        self.session_prices
            .message(message, instruments, &mut price);
        stops.leave(risk, now, sink);
    }

    // ---- what the host says ----------------------------------------------------------------------

    /// Other parameters of a strategy; its last price is forgotten. `false`: there is no such strategy, or it has orders of another instrument
    /// or side.
    pub fn set_parameters(&mut self, strategy: usize, parameters: Parameters) -> bool {
        let Some(slot) = self.stages.slots.get_mut(strategy) else {
            return false;
        };
        slot.set_parameters(parameters)
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
            slot.prepare_again(&self.stages.risk);
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

    /// What was open and held before counts against the limits: before the first order.
    pub fn restore_risk(&mut self, ledger: &Ledger) {
        let exposures = ledger.exposures().map(|(_, exposure)| exposure);
        let open = ledger.open_orders();
        self.stages.risk.restore(exposures, open);
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
            Change::Open(order) => OrderChange::Open(number(order)),
            Change::Closed(order) => OrderChange::Closed(number(order)),
            Change::Replaced(request) => OrderChange::Replaced(number(request)),
            Change::Refused(request) => OrderChange::ChangeRefused(number(request)),
        };
        for slot in &mut self.stages.slots {
            slot.became(became, &self.stages.risk, &self.templates);
        }
    }

    /// The report that the last datagram caused, once.
    pub fn report(&mut self) -> Option<Report<'_>> {
        let reports = self.stages.reports.as_mut()?;
        if reports.is_due() {
            reports.report()
        } else {
            None
        }
    }

    // ---- what is known ---------------------------------------------------------------------------

    /// What the decoder of ITCH and the statistics counted; `None`: there are no reports.
    pub fn feed_counters(&self) -> Option<FeedCounters> {
        let reports = self.stages.reports.as_ref()?;
        Some(reports.counters(&self.counters()))
    }

    /// How many stops wait for their price.
    pub const fn armed_stops(&self) -> usize {
        self.stages.stops.armed()
    }

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
