//! What the cores are given: statistics and arbitration on ITCH, stops on a session and a feed, books and strategies on ITCH and on an order log in
//! FAST, and FAST into host memory. The random numbers and texts are this file's own, so that nothing else changes them.

use std::path::Path;

use decoder::fast::Map;
use device::{Arbitration, Source, Window};
use fast::{Encoder, Framing, Json, Settings, Templates};
use formats::fix::{Decimal, IncrementalEntry, MarketDataIncrement, MdEntryType, MdUpdateAction};
use formats::itch::{
    AddOrder, Head, Message, OrderDelete, OrderExecuted, SystemEvent, Trade, Version,
};
use formats::{Side, Symbol, mold};
use language::{Options, compile, parameters};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use risk::{InstrumentLimits, Kill, Limits};
use strategy::stops::{Operation, Stop};

use super::{Trace, trace};
use cosim::fast_ring::{FeedTemplates, RingCore};
use cosim::orders::testbench::{Testbench, symbol};
use cosim::orders::{Desk, FastFeed, Market, Program, Trader};
use cosim::{Feed, Preset, Strategy};
use cosim::{Frame, MINIMUM_GAP};
use cosim::{Lockstep, Setup};

const SYMBOL: Symbol = Symbol(*b"AAPL    ");
const PRICE: u32 = 5_850_000;
const TICK: u32 = 100;

/// The trace of a preset's core.
pub fn run(preset: &'static Preset) -> Trace {
    match (preset.feed, preset.book, preset.stops) {
        (Feed::Itch, 0, 0) => statistics(preset),
        (_, 0, 1..) => stops(preset),
        (Feed::Itch, ..) => itch_book(preset),
        (_, 0, _) => ring(preset),
        _ => order_log(preset),
    }
}

/// Orders that enter and leave, and trades.
struct Itch {
    random: ChaCha8Rng,
    live: Vec<u64>,
    next: u64,
}

impl Itch {
    fn new(seed: u64) -> Self {
        Itch {
            random: ChaCha8Rng::seed_from_u64(seed),
            live: vec![],
            next: 1,
        }
    }

    fn message(&mut self, stock: Symbol) -> Message {
        let head = Head::default();
        let place = self.random.random_range(0..self.live.len().max(1));
        match self.random.random_range(0..8) {
            0..4 if self.live.len() > 6 => Message::OrderDelete(OrderDelete {
                head,
                order_reference: self.live.swap_remove(place),
            }),
            4 if !self.live.is_empty() => Message::OrderExecuted(OrderExecuted {
                head,
                order_reference: self.live[place],
                executed_shares: 1,
                match_number: self.next,
            }),
            5 => trade(stock, PRICE + self.random.random_range(0..20) * TICK).into(),
            _ => {
                self.next += 1;
                self.live.push(self.next);
                let side = [Side::Buy, Side::Sell][self.random.random_range(0..2)];
                let away = self.random.random_range(0..12) * TICK;
                Message::AddOrder(AddOrder {
                    head,
                    order_reference: self.next,
                    side,
                    shares: 100 + self.random.random_range(0..100),
                    stock,
                    price: match side {
                        Side::Buy => PRICE - away,
                        Side::Sell => PRICE + TICK + away,
                    },
                })
            }
        }
    }
}

fn trade(stock: Symbol, price: u32) -> Trade {
    Trade {
        head: Head::default(),
        order_reference: 0,
        side: Side::Buy,
        shares: 10,
        stock,
        price,
        match_number: 1,
    }
}

fn emitted(message: &Message) -> Vec<u8> {
    let mut bytes = vec![];
    message
        .emit(Version::V50, &mut bytes)
        .expect("it is of 5.0");
    bytes
}

/// Two lines, each without some packets, some packets damaged; an unclaimed frame now and then.
fn statistics(preset: &'static Preset) -> Trace {
    let symbols: Vec<_> = (0..16).map(symbol).collect();
    let setup = Setup::example(Version::V50, &symbols);
    let mut lockstep = Lockstep::of(preset, &setup).expect("the core takes the setup");
    let mut itch = Itch::new(1);
    let mut packet = mold::Builder::new(*b"GOLDEN    ", 1);
    for second in 0..60_u64 {
        for _ in 0..6 {
            let next = packet.sequence() + u64::from(packet.count());
            packet.restart(next);
            let time = Head {
                nanoseconds: second * 1_000_000_000,
                ..Head::default()
            };
            let event = Message::SystemEvent(SystemEvent {
                head: time,
                event_code: b'Q',
            });
            packet.push(&emitted(&event)).expect("room");
            for _ in 0..itch.random.random_range(1..6) {
                let stock = symbols[itch.random.random_range(0..18) % 16];
                packet.push(&emitted(&itch.message(stock))).expect("room");
            }
            let mut lines = [vec![], vec![]];
            setup
                .feed()
                .emit(packet.bytes(), &mut lines[0])
                .expect("it fits");
            setup
                .feed_on_b()
                .emit(packet.bytes(), &mut lines[1])
                .expect("it fits");
            if itch.random.random_ratio(1, 12) {
                // Its FCS is wrong.
                lines[0][60] ^= 1;
            }
            if itch.random.random_ratio(1, 20) {
                // For another host.
                lines[1][5] ^= 0xFF;
            }
            let skip = itch.random.random_range(0..9);
            let frames: Vec<_> = (0..2)
                .filter(|line| *line != skip)
                .map(|line| Frame {
                    line,
                    gap: MINIMUM_GAP + 40 * line as u32,
                    ..Frame::new(&lines[line])
                })
                .collect();
            lockstep.core().send_all(&frames);
            lockstep.core().run(200);
        }
    }
    assert!(lockstep.core().run_until_idle());
    trace(lockstep.core())
}

/// Prices on the session, and on the feed where there is one; stops, orders of the host and limits.
fn stops(preset: &'static Preset) -> Trace {
    let listed: Vec<_> = (0..4)
        .map(|index| {
            let instrument = device::Instrument {
                feed: (preset.feed == Feed::Itch).then(|| symbol(index)),
                session: Some(symbol(index).to_string()),
                decimals: 4,
                quantity_decimals: 0,
            };
            (instrument, Some(symbol(index).to_string()))
        })
        .collect();
    let mut testbench =
        Testbench::of(preset, Version::V50, &listed).expect("the core takes the setup");
    let limits = Limits {
        kill: Kill::default(),
        max_quantity: 100,
        max_notional: u64::MAX - 1,
        rate_orders: 20,
        rate_window: 20_000,
        max_open_orders: 60,
    };
    testbench.driver.set_limits(&limits).expect("taken");
    for index in 0..4 {
        let limits = InstrumentLimits {
            enable: index != 3,
            collar: 40_000,
            position: 2_000,
            ..InstrumentLimits::default()
        };
        testbench
            .driver
            .set_instrument_limits(index, &limits)
            .expect("taken");
    }
    let mut random = ChaCha8Rng::seed_from_u64(2);
    for round in 0..120_u32 {
        for _ in 0..2 {
            let slot = random.random_range(0..preset.stops as usize);
            let stop = Stop {
                side: [Side::Buy, Side::Sell][random.random_range(0..2)],
                instrument: random.random_range(0..4),
                trigger: (1_000_000 + random.random_range(0..40_000)).into(),
                quantity: random.random_range(1..120),
                client_id: round,
                ..Stop::default()
            };
            let _ = testbench
                .driver
                .operate_stop(Operation::Set, slot, &stop)
                .expect("answered");
        }
        let price = 1_000_000 + random.random_range(0..40_000);
        let index = random.random_range(0..4);
        if preset.feed == Feed::Itch && random.random_bool(0.5) {
            let lost = u64::from(random.random_ratio(1, 40));
            testbench.send_feed(&[trade(symbol(index), price).into()], lost, MINIMUM_GAP);
        } else {
            let name = symbol(index).to_string();
            let entries = [IncrementalEntry {
                action: MdUpdateAction::New,
                entry_type: Some(MdEntryType::Trade),
                symbol: Some(name.as_bytes()),
                price: Some(Decimal::new(i64::from(price), 4)),
                size: Some(Decimal::new(1, 0)),
                ..IncrementalEntry::default()
            }];
            testbench.send_fix(&MarketDataIncrement {
                entries: entries[..].into(),
                ..MarketDataIncrement::default()
            });
        }
        testbench.settle().expect("it settles");
        if round % 30 == 29 {
            testbench.driver.set_kill(Kill::default()).expect("taken");
        }
    }
    trace(testbench.driver.registers())
}

/// Buys or sells at each change of the best price; tells about it where a ring takes that.
const STRATEGY: &str = "from tickwire import Book, Instrument, Price, Quantity, Strategy, Trade, param, state

class Golden(Strategy):
    instrument: Instrument = param()
    size: Quantity = param(1)
    last: Price = state(0)
    seen: Quantity = state(0)

    def on_trade(self, trade: Trade) -> None:
        self.seen += trade.quantity

    def on_book(self, book: Book) -> None:
        if book.instrument == self.instrument and book.tradable and book.ask.exists and book.ask.price != self.last:
            self.last = book.ask.price
            if book.bid.exists and self.seen % 2 == 1:
                self.sell(book.instrument, book.bid.price, self.size)
            else:
                self.buy(book.instrument, book.ask.price, self.size)
";

/// The same without trades, for a core that does not give them.
fn program(preset: &Preset) -> Option<Program> {
    let text = match preset.trades {
        true => STRATEGY.to_owned(),
        false => STRATEGY
            .replace(", Trade, param", ", param")
            .replace(
                "    def on_trade(self, trade: Trade) -> None:\n        self.seen += trade.quantity\n\n",
                "",
            )
            .replace("            self.last =", "            self.seen += 1\n            self.last ="),
    };
    let options = Options {
        price_decimals: 4,
        ..Options::default()
    };
    let program = compile(&text, &options).unwrap_or_else(|messages| panic!("{messages}"));
    let values = parameters(&program, [("instrument", 0), ("size", 10)]).expect("its parameters");
    let program = Program::new(program, values).expect("it fits");
    match preset.strategy {
        Strategy::Processor => Some(program),
        Strategy::External => Some(program.as_module(&text).expect("it fits")),
        Strategy::BestPrice | Strategy::None => None,
    }
}

fn desk(preset: &Preset) -> Desk {
    let market = Market {
        version: Version::V50,
        symbol: SYMBOL,
        tick: TICK,
        price: PRICE,
        side: Side::Buy,
        quantity: 10,
        max_notional: u64::MAX,
    };
    let mut desk = Desk::of_market(&market).expect("a desk");
    desk.program = program(preset);
    desk
}

/// Packets of one to six messages, one in nine damaged first.
fn itch_book(preset: &'static Preset) -> Trace {
    let mut trader = Trader::of(preset, &desk(preset)).unwrap_or_else(|why| panic!("{why}"));
    let mut itch = Itch::new(3);
    for _ in 0..60 {
        for _ in 0..4 {
            let messages: Vec<_> = (0..itch.random.random_range(1..7))
                .map(|_| emitted(&itch.message(SYMBOL)))
                .collect();
            if itch.random.random_ratio(1, 9) {
                trader.packet(&messages, true).expect("sent");
            }
            trader.packet(&messages, false).expect("sent");
        }
        trader.compare().unwrap_or_else(|why| panic!("{why}"));
    }
    trace(trader.core())
}

fn shipped(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../desks/fast")
        .join(name);
    std::fs::read_to_string(path).expect("it is shipped")
}

/// Packets of an order log, each after its number.
struct OrderLog<'t> {
    templates: &'t Templates,
    random: ChaCha8Rng,
    live: Vec<(u64, u32, u32)>,
    next: u64,
    number: u32,
    /// What each entry has besides: of a core that reads the log at line rate alone, the number that each recorded one has.
    besides: &'static str,
}

impl<'t> OrderLog<'t> {
    fn new(templates: &'t Templates, seed: u64) -> Self {
        OrderLog {
            templates,
            random: ChaCha8Rng::seed_from_u64(seed),
            live: vec![],
            next: 20_000_000_000,
            number: 1,
            besides: "",
        }
    }

    fn packet(&mut self, entries: &[String]) -> Vec<u8> {
        let number = self.number;
        let time = 190_404_100_000_000_000_u64 + u64::from(number);
        let entries = entries.join(",");
        let text = format!(
            r#"{{"id":3610,"fields":{{"MsgSeqNum":{number},"SendingTime":{time},"Entries":[{entries}]}}}}"#
        );
        let message = Json::new(self.templates).read(&text);
        let message = message.unwrap_or_else(|error| panic!("{text}: {error}"));
        let (mut bytes, mut packet) = (vec![], vec![]);
        let mut encoder = Encoder::new(self.templates);
        encoder
            .message(&message, &mut bytes)
            .expect("it can be encoded");
        Framing::Preamble.put(number, &bytes, &mut packet);
        self.number += 1;
        packet
    }

    fn opening(&mut self) -> Vec<u8> {
        let entry = r#"{"MDUpdateAction":0,"MDEntryType":"J","Symbol":"AAPL"}"#;
        self.packet(&[entry.to_owned()])
    }

    /// An order that enters, or one that leaves, of ours or of another instrument.
    fn entry(&mut self) -> String {
        let place = self.random.random_range(0..self.live.len().max(1));
        let (action, (id, side, price)) = match self.random.random_range(0..5) {
            0..3 if self.live.len() > 6 => (2, self.live.swap_remove(place)),
            _ => {
                self.next += 1 + self.random.random_range(0..3);
                let side = self.random.random_range(0..2);
                let away = self.random.random_range(0..12) * TICK;
                let price = if side == 0 {
                    PRICE - away
                } else {
                    PRICE + TICK + away
                };
                let order = (self.next, side, price);
                self.live.push(order);
                (0, order)
            }
        };
        let quantity = 1 + id % 500;
        format!(
            r#"{{"MDUpdateAction":{action},"MDEntryType":"{side}","MDEntryID":"{id}","Symbol":"AAPL","MDEntryPx":"{price}e-4","MDEntrySize":"{quantity}e0"{}}}"#,
            self.besides
        )
    }

    fn some(&mut self) -> Vec<u8> {
        let count = match self.random.random_range(0..12) {
            0 => 24,
            _ => self.random.random_range(1..6),
        };
        let entries: Vec<_> = (0..count).map(|_| self.entry()).collect();
        self.packet(&entries)
    }
}

/// One packet in ten damaged first, but in a core that takes nothing back; one in ten again.
fn order_log(preset: &'static Preset) -> Trace {
    let templates = Templates::parse(&shipped("order-log.xml")).expect("it is shipped");
    let map = Map::parse(&shipped("moex-order-log.toml")).expect("it is shipped");
    let feed = FastFeed {
        templates: &templates,
        map: &map,
        settings: Settings {
            reset_each_packet: true,
            ..Settings::default()
        },
        before: None,
    };
    let trader = Trader::of_order_log(preset, &desk(preset), &feed);
    let mut trader = trader.unwrap_or_else(|why| panic!("{why}"));
    let mut log = OrderLog::new(&templates, 4);
    trader.payload(&log.opening(), false);
    if preset.is_order_log() {
        log.besides = r#","RptSeq":7"#;
    }
    for _ in 0..50 {
        for _ in 0..4 {
            let packet = log.some();
            if log.random.random_ratio(1, 10) && !preset.is_order_log() {
                trader.payload(&packet, true);
            }
            trader.payload(&packet, false);
            if log.random.random_ratio(1, 10) {
                trader.payload(&packet, false);
            }
        }
        trader.compare().unwrap_or_else(|why| panic!("{why}"));
    }
    trace(trader.core())
}

/// An order log on lines A and B of each feed, each without some packets, into host memory.
fn ring(preset: &'static Preset) -> Trace {
    let templates = Templates::parse(&shipped("order-log.xml")).expect("it is shipped");
    let mut setup = Setup::example(Version::V50, &[SYMBOL]);
    let arbitration = Arbitration {
        source: Source::HighReliability,
        window: Window::Time,
        time: 2_000,
        count: 1,
        idle_limit: 0,
    };
    for (slot, port) in setup.net.ports.iter_mut().enumerate() {
        *port = 26_400 + slot as u16;
    }
    let feeds: Vec<_> = (0..preset.feeds)
        .map(|_| FeedTemplates {
            templates: &templates,
            reset_each_packet: true,
        })
        .collect();
    let core = RingCore::of_feeds(preset, &setup, &arbitration, &feeds, 12);
    let mut core = core.unwrap_or_else(|why| panic!("{why}"));
    let mut log = OrderLog::new(&templates, 5);
    for _ in 0..80 {
        let packet = log.some();
        let mut lines = [vec![], vec![]];
        setup.feed().emit(&packet, &mut lines[0]).expect("it fits");
        setup
            .feed_on_b()
            .emit(&packet, &mut lines[1])
            .expect("it fits");
        let skip = log.random.random_range(0..6);
        let frames: Vec<_> = (0..2)
            .filter(|line| *line != skip)
            .map(|line| Frame {
                line,
                ..Frame::new(&lines[line])
            })
            .collect();
        core.send(&frames, 400);
        core.read(600).unwrap_or_else(|why| panic!("{why}"));
    }
    trace(core.driver().registers())
}
