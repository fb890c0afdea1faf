//! A pipeline with a strategy in the language, what it sends and tells, and messages of the feed.

use book::Limits as BookLimits;
use formats::fix::Timestamp;
use formats::itch::{AddOrder, Head, Message, OrderDelete, Trade, Version};
use formats::{Side, Symbol, mold};
use language::{Options, Program, Record, compile, parameters};
use language_jit::Compiled;
use order::report::Dropped;
use order::{Description, Instrument, Number, Templates};
use pipeline::{
    Added, BestPrice, Decision, EndReason, Executed, OrderSink, Programs, Traded, Trading,
    TradingConfig,
};
use risk::{Execution, ExecutionReport, InstrumentLimits, Kill, Limits, Refusal, WorkingOrders};

pub const WIDE: u64 = (1 << 47) - 1;
pub const TIME: Timestamp = Timestamp(1_340_000_000_123_000_000);

pub fn symbol() -> Symbol {
    feed::generate::symbol(0)
}

pub fn templates() -> Templates {
    let instruments = vec![Instrument {
        symbol: symbol().to_string(),
        decimals: 4,
    }];
    let mut description = Description::new("TW", "EX", instruments);
    description.time_in_force = true;
    Templates::compile(&description, 256).unwrap()
}

/// The instrument is 0; what is not tested allows everything.
pub fn config(strategies: Vec<BestPrice>) -> TradingConfig {
    TradingConfig {
        version: Version::V50,
        instruments: vec![Some(Traded::on_feed(
            symbol(),
            100,
            InstrumentLimits {
                enable: true,
                collar: WIDE,
                position: WIDE,
                ..InstrumentLimits::default()
            },
        ))],
        book: BookLimits {
            window: None,
            ..BookLimits::LARGEST
        },
        limits: Limits {
            kill: Kill::default(),
            max_quantity: 1_000,
            max_notional: u64::MAX,
            rate_orders: 255,
            rate_window: 1,
            max_open_orders: u16::MAX,
        },
        templates: templates(),
        strategies,
        stops: vec![],
    }
}

/// The orders that left, and the records and ends that the sink got.
#[derive(Default)]
pub struct Sink {
    pub sent: Vec<(Decision, u64, Vec<u8>)>,
    pub refused: Vec<Refusal>,
    pub dropped: usize,
    pub records: Vec<(i64, u8, Vec<i64>)>,
    pub ended: Vec<EndReason>,
    pub closed: bool,
    pub working: WorkingOrders,
    /// Nothing is kept, as nothing may be allocated.
    pub counts_only: bool,
    pub count: u64,
}

impl OrderSink for Sink {
    fn next(&mut self) -> Result<(Number, Timestamp), Dropped> {
        match self.closed {
            true => Err(Dropped::Session),
            false => Ok((Number::new(self.count + 1).unwrap(), TIME)),
        }
    }

    fn send(&mut self, decision: &Decision, number: Number, message: &[u8]) {
        self.count += 1;
        if self.counts_only {
            return;
        }
        self.working.sent(number, &decision.order);
        self.sent.push((*decision, number.get(), message.to_vec()));
    }

    fn refused(&mut self, _: &Decision, reason: Refusal) {
        if !self.counts_only {
            self.refused.push(reason);
        }
    }

    fn dropped(&mut self, _: &Decision, _: Dropped) {
        self.dropped += 1;
    }

    fn record(&mut self, strategy: usize, now: i64, record: &Record) {
        assert_eq!(strategy, 0);
        if !self.counts_only {
            self.records
                .push((now, record.tag, record.values().to_vec()));
        }
    }

    fn ended(&mut self, strategy: usize, why: EndReason) {
        assert_eq!(strategy, 0);
        self.ended.push(why);
    }
}

/// A pipeline with a strategy in the language.
pub struct Bench {
    pub trading: Trading,
    pub programs: Programs,
    pub sink: Sink,
    pub session: [u8; 10],
    pub next: u64,
    pub now: u64,
}

pub fn program(source: &str) -> Program {
    let options = Options {
        instruments: 1,
        price_decimals: 4,
        operations: 100_000,
    };
    compile(source, &options).unwrap_or_else(|messages| panic!("{messages}"))
}

impl Bench {
    pub fn with(
        config: &TradingConfig,
        source: &str,
        given: &[(&str, i64)],
        fault_stops: bool,
    ) -> Self {
        let program = program(source);
        let values = parameters(&program, given.iter().copied()).unwrap();
        let mut programs = Programs::new(templates());
        let added = Added {
            place: 0,
            machine: Box::new(Compiled::new(&program, values).unwrap()),
            program: &program,
            fault_stops,
        };
        programs.add(added, 1);
        let mut trading = Trading::new(config).unwrap();
        trading.set_session(true);
        trading.set_kill(Kill::default());
        Bench {
            trading,
            programs,
            sink: Sink::default(),
            session: *b"PROGRAMS  ",
            next: 1,
            now: 0,
        }
    }

    /// With these lines as the methods of its class.
    pub fn new(body: &str) -> Self {
        let source = format!(
            "from tickwire import MARKET, MICROSECOND, Array, Book, Instrument, OrderRef, Price, Quantity, Report, ReportKind, Strategy, Time, TimeInForce, Trade, array, now, param, state, timer\n\n\n\
             class Test(Strategy):\n{body}"
        );
        Bench::with(&config(vec![]), &source, &[], true)
    }

    pub fn datagram(&mut self, payload: &[u8]) -> mold::Cause {
        self.now += 1;
        let (programs, sink) = (&mut self.programs, &mut self.sink);
        self.trading
            .datagram_with(payload, self.now, programs, sink)
    }

    pub fn frame(&mut self, messages: &[Message]) {
        let mut builder = mold::Builder::new(self.session, self.next);
        for message in messages {
            let mut bytes = vec![];
            message.emit(Version::V50, &mut bytes).unwrap();
            builder.push(&bytes).unwrap();
            self.next += 1;
        }
        assert_eq!(self.datagram(builder.bytes()), mold::Cause::Packet);
    }

    /// The exchange says something about the order sent as `number`.
    pub fn says(
        &mut self,
        what: Execution,
        number: u64,
        original: Option<u64>,
        traded: u32,
        price: Option<i64>,
        reason: i64,
    ) {
        let said = ExecutionReport {
            what,
            number: Number::new(number).unwrap(),
            original: original.map(|number| Number::new(number).unwrap()),
            traded,
        };
        let reported = self.sink.working.report(&said);
        if let Some(adjustment) = &reported.adjustment {
            self.trading.adjust(adjustment);
        }
        let executed = Executed {
            said,
            reported,
            price,
            reason,
        };
        let (programs, sink) = (&mut self.programs, &mut self.sink);
        self.trading.executed(programs, &executed, self.now, sink);
    }

    pub fn tags(&self) -> Vec<(u8, Vec<i64>)> {
        let records = self.sink.records.iter();
        records
            .map(|(_, tag, values)| (*tag, values.clone()))
            .collect()
    }
}

pub const NS: u64 = 34_200_000_000_000;

pub fn head(nanoseconds: u64) -> Head {
    Head {
        stock_locate: 1,
        tracking_number: 0,
        nanoseconds,
    }
}

pub fn add(order_reference: u64, side: Side, price: u32, shares: u32) -> Message {
    Message::AddOrder(AddOrder {
        head: head(NS + order_reference),
        order_reference,
        side,
        shares,
        stock: symbol(),
        price,
    })
}

pub fn delete(order_reference: u64) -> Message {
    Message::OrderDelete(OrderDelete {
        head: head(NS + 100),
        order_reference,
    })
}

pub fn trade(nanoseconds: u64, price: u32, shares: u32) -> Message {
    Message::Trade(Trade {
        head: head(nanoseconds),
        order_reference: 0,
        side: Side::Sell,
        shares,
        stock: symbol(),
        price,
        match_number: 1,
    })
}
