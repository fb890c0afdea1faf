//! Strategies in the language that follow their own orders, in the core and in software: cancels, replacements, reports and positions, whatever the exchange
//! answers.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::count::count;
use cosim::orders::{Desk, FastFeed, Market, Problem, Program, ReportDetails, TickToTrade, Trader};
use cosim::{Preset, Strategy};
use decoder::fast::Map;
use fast::{Settings, Templates};
use feed::generate;
use formats::fix::Decimal;
use formats::itch::{Message, Version};
use formats::{Side, Symbol, binary_file};
use language::{Options, compile, parameters};
use order::{Kind, Number, Order};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use risk::{Execution, ExecutionReport};

/// Decimals of an ITCH price.
const DECIMALS: u32 = 4;

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A strategy with these parameters, as a program.
fn program(text: &str, set: &[(&str, i64)]) -> Program {
    let options = Options {
        price_decimals: DECIMALS,
        ..Options::default()
    };
    let program = compile(text, &options).unwrap_or_else(|messages| panic!("{messages}"));
    let values = parameters(&program, set.iter().copied()).expect("they are its parameters");
    Program::new(program, values).unwrap_or_else(|not| panic!("{not}"))
}

/// The same, and as a module.
fn both(text: &str, set: &[(&str, i64)]) -> [Program; 2] {
    let program = program(text, set);
    let module = program.clone().as_module(text);
    [program, module.unwrap_or_else(|limit| panic!("{limit}"))]
}

fn market(symbol: Symbol, price: u32) -> Market {
    Market {
        version: Version::V50,
        symbol,
        tick: 100,
        price,
        side: Side::Buy,
        quantity: 100,
        max_notional: u64::MAX,
    }
}

/// With a limit of the position that leaves room on both sides.
fn desk(market: &Market) -> Desk {
    let mut desk = Desk::of_market(market).expect("a desk");
    for listed in &mut desk.instruments {
        if let Some(limits) = &mut listed.limits {
            limits.position = 1_000_000;
        }
    }
    desk
}

/// An order at the exchange: all of it, and what was traded.
#[derive(Clone, Copy, Debug)]
struct Open {
    quantity: u32,
    traded: u32,
}

/// An exchange that answers soon or late, with yes, no, or a fill.
#[derive(Debug, Default)]
struct Exchange {
    open: BTreeMap<Number, Open>,
    unanswered: Vec<(Number, Order)>,
    /// New orders, replacements and cancels that came.
    came: [u32; 3],
    /// How often it said what.
    said: BTreeMap<String, u32>,
}

impl Exchange {
    fn receive(&mut self, number: Number, order: Order) {
        self.came[match order.kind {
            Kind::New => 0,
            Kind::Replace(_) => 1,
            Kind::Cancel(_) => 2,
        }] += 1;
        self.unanswered.push((number, order));
    }

    fn answer(&mut self, random: &mut ChaCha8Rng) -> Option<ExecutionReport> {
        let report = if random.random_ratio(2, 3) && !self.unanswered.is_empty() {
            let (number, order) = self.unanswered.remove(0);
            self.request(number, &order, random)
        } else {
            self.trade(random)?
        };
        *self.said.entry(format!("{:?}", report.what)).or_default() += 1;
        Some(report)
    }

    /// What it says about what came.
    fn request(
        &mut self,
        number: Number,
        order: &Order,
        random: &mut ChaCha8Rng,
    ) -> ExecutionReport {
        let says = |what, original, traded| ExecutionReport {
            what,
            number,
            original,
            traded,
        };
        let refuses = random.random_ratio(1, 5);
        let quantity = order.quantity;
        let (original, cancels) = match order.kind {
            Kind::New if refuses => return says(Execution::Rejected, None, 0),
            Kind::New => {
                let traded = if random.random_ratio(1, 5) {
                    quantity / 3
                } else {
                    0
                };
                self.open.insert(number, Open { quantity, traded });
                return says(Execution::Open, None, traded);
            }
            Kind::Replace(original) => (original, false),
            Kind::Cancel(original) => (original, true),
        };
        let found = self.open.get(&original).copied();
        let Some(open) = found.filter(|open| !refuses && (cancels || open.traded < quantity))
        else {
            return says(Execution::ChangeRefused, Some(original), 0);
        };
        self.open.remove(&original);
        if cancels {
            return says(Execution::Closed, Some(original), open.traded);
        }
        self.open.insert(number, Open { quantity, ..open });
        says(Execution::Replaced, Some(original), open.traded)
    }

    /// What it writes besides: the price of a fill, in the scale of the orders or not, the reason of a refusal; in one segment or two.
    fn said(report: &ExecutionReport, random: &mut ChaCha8Rng) -> ReportDetails {
        let fills = report.what != Execution::ChangeRefused && random.random_ratio(3, 4);
        let last_price = fills.then(|| {
            let mantissa = match random.random_range(0..8) {
                0 => -random.random_range(0..100_000),
                // Too large, if its scale is below that of the orders.
                1 => random.random_range(0..1 << 40),
                _ => random.random_range(0..10_000_000),
            };
            Decimal::new(mantissa, random.random_range(0..7))
        });
        let refuses = matches!(
            report.what,
            Execution::Rejected | Execution::ChangeRefused | Execution::Closed
        );
        let reason = refuses.then(|| match random.random_range(0..4) {
            0 => random.random_range(60_000..70_000),
            _ => random.random_range(0..100),
        });
        ReportDetails {
            last_price,
            reason: reason.filter(|_| random.random_ratio(4, 5)),
            cut: random
                .random_ratio(1, 2)
                .then(|| random.random_range(1..300)),
        }
    }

    /// A part of an order trades, or all that is left of it.
    fn trade(&mut self, random: &mut ChaCha8Rng) -> Option<ExecutionReport> {
        let place = random.random_range(0..self.open.len().max(1));
        let number = *self.open.keys().nth(place)?;
        let open = self.open.get_mut(&number)?;
        let left = open.quantity - open.traded;
        open.traded += random.random_range(1..=left.max(1)).min(left);
        let traded = open.traded;
        let ends = traded == open.quantity;
        if ends {
            self.open.remove(&number);
        }
        Some(ExecutionReport {
            what: if ends {
                Execution::Closed
            } else {
                Execution::Open
            },
            number,
            original: None,
            traded,
        })
    }
}

/// The preset on ITCH that runs a strategy.
fn preset(program: &Program) -> &'static Preset {
    let preset = match program.slot() {
        Strategy::External => "itch_module_10g",
        _ => "itch_processor_10g",
    };
    Preset::by_name(preset).expect("a preset")
}

/// The packets, and between them answers of the exchange; one packet in nine comes damaged first.
fn run(desk: &Desk, packets: &[Vec<Vec<u8>>]) -> (TickToTrade, Exchange) {
    let program = desk.program.as_ref().expect("a strategy in the language");
    let trader = Trader::of(preset(program), desk);
    let mut trader = trader.unwrap_or_else(|problem| panic!("{problem}"));
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut words = ChaCha8Rng::seed_from_u64(11);
    let mut exchange = Exchange::default();
    for (step, some) in packets.chunks(4).enumerate() {
        for packet in some {
            if random.random_range(0..9) == 0 {
                trader.packet(packet, true).expect("sent");
            }
            trader.packet(packet, false).expect("sent");
        }
        let check = |compared: Result<(), Problem>, trader: &Trader, exchange: &Exchange| {
            compared.unwrap_or_else(|problem| {
                panic!(
                    "step {step}: {problem}\nafter {:?}\n{exchange:?}",
                    trader.compared()
                )
            });
        };
        let compared = trader.compare().map(drop);
        check(compared, &trader, &exchange);
        loop {
            for (number, order) in trader.take_left() {
                exchange.receive(number, order);
            }
            let open = trader.compare_open();
            open.unwrap_or_else(|found| panic!("step {step}: {found}"));
            if random.random_ratio(1, 8) {
                break;
            }
            if let Some(report) = exchange.answer(&mut random) {
                let said = Exchange::said(&report, &mut words);
                let answered = trader.answer(&report, &said);
                check(answered, &trader, &exchange);
            }
        }
    }
    (*trader.compared(), exchange)
}

/// So many packets of the AAPL hour, each of one to six messages.
fn aapl(count: usize) -> Option<Vec<Vec<Vec<u8>>>> {
    let path = workspace().join("../shared/data/nasdaq-aapl-2012-06-21/aapl.itch50");
    let Ok(file) = fs::read(&path) else {
        eprintln!("SKIPPED: no {}", path.display());
        return None;
    };
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let mut messages = binary_file::Messages::new(&file);
    let packet = || -> Vec<Vec<u8>> {
        let some = messages.by_ref().take(random.random_range(1..=6));
        some.map(|message| message.expect("complete").to_vec())
            .collect()
    };
    Some(std::iter::repeat_with(packet).take(count).collect())
}

#[test]
fn the_market_maker_quotes_replaces_and_withdraws_on_aapl_as_in_software() {
    let Some(packets) = aapl(count(100, 300)) else {
        return;
    };
    let path = workspace().join("desks/market-maker/strategy.py");
    let text = fs::read_to_string(path).expect("it is there");
    for program in both(&text, &[("instrument", 0)]) {
        let mut desk = desk(&market(Symbol(*b"AAPL    "), 5_850_000));
        println!("{:?}", program.slot());
        desk.program = Some(program);
        let (compared, exchange) = run(&desk, &packets);
        println!("{compared:?}, {:?}, {:?}", exchange.came, exchange.said);
        assert!(compared.sent > 25, "{compared:?}");
        assert!(exchange.came[0] > 4 && exchange.came[1] > 8, "{exchange:?}");
    }
}

/// Sends, replaces and cancels, also what is not there; the quantities of its orders say what its reports were so far.
const TOLD: &str = "from tickwire import MARKET, Array, Book, Instrument, OrderRef, Price, Quantity, Report, ReportKind, Side, Strategy, array, now, param, state


class RingLine(Strategy):
    instrument: Instrument = param()
    told: int = state(0)
    pace: int = state(0)
    orders: Array[OrderRef] = array(4, 0)

    def add(self, value: int) -> None:
        self.told = (self.told * 31 + value) & 0xFFFFF

    def on_order(self, report: Report) -> None:
        self.add(report.price // Price.raw(1))
        self.add(report.quantity // Quantity(1))
        self.add(report.remaining // Quantity(1))
        self.add(report.reason + 7 * self.open_orders)
        self.add(int(now))
        self.add(self.position(self.instrument) // Quantity(1))
        if report.kind == ReportKind.FILLED:
            self.add(1)
        elif report.kind == ReportKind.ACCEPTED:
            self.add(2)
        elif report.kind == ReportKind.CANCELLED:
            self.add(3)
        elif report.kind == ReportKind.REPLACED:
            self.add(4)
        elif report.kind == ReportKind.REJECTED:
            self.add(5)
        else:
            self.add(6)
        if report.side == Side.SELL:
            self.add(7)
        for place in range(4):
            if report.order == self.orders[place]:
                self.add(10 + place)

    def on_book(self, book: Book) -> None:
        if not book.tradable or not book.bid.exists or not book.ask.exists:
            return
        self.pace += 1
        place = self.pace % 4
        what = self.pace % 7
        quantity = Quantity(1 + ((self.told + self.open_orders) & 511))
        if what == 0:
            self.cancel(self.orders[place])
        elif what == 1 or what == 4:
            self.replace(self.orders[place], book.bid.price, quantity)
            self.cancel(self.orders[(place + 1) % 4])
        elif what == 2:
            self.orders[place] = self.buy(book.instrument, book.bid.price, quantity)
        elif what == 3:
            self.orders[place] = self.sell(book.instrument, book.ask.price, quantity)
            self.replace(self.orders[place], book.ask.price, Quantity(0))
        elif what == 5:
            self.orders[place] = self.sell(book.instrument, MARKET, quantity)
        else:
            self.buy(book.instrument, book.bid.price, Quantity(0))
";

/// A generated market of one symbol, in packets of six messages.
fn generated() -> (Market, Vec<Vec<Vec<u8>>>) {
    let settings = generate::Settings {
        version: Version::V50,
        symbols: 1,
        messages: count(1_200, 3_000),
        seconds: count(240, 600),
        seed: 5,
    };
    let mut file = vec![];
    generate::generate(&settings, &mut file, |_| ()).expect("memory takes it");
    let file: Vec<_> = binary_file::Messages::new(&file)
        .map(|message| message.expect("complete").to_vec())
        .collect();
    let price = file.iter().find_map(|message| {
        match Message::parse(settings.version, message).expect("of this version") {
            Message::AddOrder(add) => Some(add.price),
            _ => None,
        }
    });
    let packets = file.chunks(6).map(<[_]>::to_vec).collect();
    let market = market(generate::symbol(0), price.expect("it has an order"));
    (market, packets)
}

#[test]
fn each_member_of_a_report_positions_and_open_orders_are_those_of_software() {
    let (market, packets) = generated();
    for program in both(TOLD, &[("instrument", 0)]) {
        let mut desk = desk(&market);
        println!("{:?}", program.slot());
        desk.program = Some(program);
        let (compared, exchange) = run(&desk, &packets);
        println!("{compared:?}, {:?}, {:?}", exchange.came, exchange.said);
        assert!(exchange.came.iter().all(|came| *came > 3), "{exchange:?}");
        assert_eq!(exchange.said.len(), 5, "{exchange:?}");
        assert!(compared.refused > 8, "{compared:?}");
    }
}

/// Emits records of all lengths, in both handlers; some handlers emit several, and some of their intents are refused.
const TELLS: &str = "from tickwire import Book, Instrument, Price, Quantity, Report, Strategy, param, state


class Tells(Strategy):
    instrument: Instrument = param()
    seen: int = state(0)

    def on_order(self, report: Report) -> None:
        self.emit(255, report.price // Price.raw(1), report.quantity // Quantity(1), report.remaining // Quantity(1), report.reason)

    def on_book(self, book: Book) -> None:
        self.seen += 1
        bid = book.bid.price // Price.raw(1)
        if self.seen % 3 == 0:
            self.emit(1)
        if self.seen % 2 == 0:
            self.emit(2, self.seen, bid, -bid, 7 - self.seen * self.seen, 5, 6, -(1 << 62))
            self.emit(0, self.seen)
        if book.tradable and book.bid.exists and self.seen % 4 == 0:
            self.buy(book.instrument, book.bid.price, Quantity(self.seen % 8))
";

#[test]
fn what_a_strategy_emits_is_in_the_ring_of_a_core_as_in_software() {
    let (market, packets) = generated();
    for program in both(TELLS, &[("instrument", 0)]) {
        let mut desk = desk(&market);
        println!("{:?}", program.slot());
        desk.program = Some(program);
        let (compared, exchange) = run(&desk, &packets[..count(80, 200)]);
        println!("{compared:?}, {:?}, {:?}", exchange.came, exchange.said);
        assert!(
            compared.records > count(40, 80) && compared.sent > 4,
            "{compared:?}"
        );
    }
}

/// At each change of the book, with orders that say how long they stay and are replaced: what was replaced stays as long as before.
const EACH_CHANGE: &str = "from tickwire import Book, OrderRef, Price, Quantity, Report, ReportKind, Side, Strategy, TimeInForce, each_change, state


class EachChange(Strategy):
    changes: int = state(0)
    order: OrderRef = state(0)

    @each_change
    def on_book(self, book: Book) -> None:
        if book.changed:
            self.changes += 1
        if not book.tradable or not book.bid.exists:
            return
        if self.changes % 3 == 0:
            fourth = book.level(Side.BUY, 3)
            self.buy(book.instrument, fourth.price, Quantity(1 + self.changes % 5), time_in_force=TimeInForce.IOC)
        elif self.changes % 5 == 1 and self.order == OrderRef(0):
            self.order = self.buy(book.instrument, book.bid.price, Quantity(40), time_in_force=TimeInForce.GTC)
        elif self.changes % 5 == 2 and self.order != OrderRef(0):
            self.replace(self.order, book.bid.price, Quantity(30))

    def on_order(self, report: Report) -> None:
        if report.order == self.order and report.remaining == Quantity(0):
            self.order = OrderRef(0)
";

#[test]
fn a_strategy_at_each_change_has_orders_with_their_own_time_in_force() {
    let (market, packets) = generated();
    for program in both(EACH_CHANGE, &[]) {
        let mut desk = desk(&market);
        println!("{:?}", program.slot());
        desk.program = Some(program);
        let (compared, exchange) = run(&desk, &packets[..count(20, 70)]);
        println!("{compared:?}, {:?}, {:?}", exchange.came, exchange.said);
        let [new, replaced, _] = exchange.came;
        assert!(new > 5 && replaced > 1, "{exchange:?}");
    }
}

fn shipped(name: &str) -> String {
    fs::read_to_string(workspace().join("desks").join(name)).expect("it is shipped")
}

/// A strategy with a desk on an instrument of an order log in FAST.
fn on_order_log(preset: &Preset, program: Program) -> Result<Trader, Problem> {
    let templates = Templates::parse(&shipped("fast/order-log.xml")).expect("it is shipped");
    let map = Map::parse(&shipped("fast/moex-order-log.toml")).expect("it is a map");
    let mut desk = desk(&market(Symbol(*b"SBER    "), 583_400));
    desk.program = Some(program);
    let feed = FastFeed {
        templates: &templates,
        map: &map,
        settings: Settings {
            reset_each_packet: true,
            ..Settings::default()
        },
        before: None,
    };
    Trader::of_order_log(preset, &desk, &feed)
}

/// Strategies that need something that not each core has, each what a core without it says.
const TRADES: &str = "from tickwire import Quantity, Side, Strategy, Trade

class Trades(Strategy):
    def on_trade(self, trade: Trade) -> None:
        self.buy(trade.instrument, trade.price, Quantity(1))
";
const TIMER: &str =
    "from tickwire import SECOND, Instrument, Price, Quantity, Strategy, param, timer

class Timer(Strategy):
    instrument: Instrument = param()

    @timer(every=SECOND)
    def on_timer(self) -> None:
        self.buy(self.instrument, Price.raw(100), Quantity(1))
";
const EMITS: &str = "from tickwire import Book, Strategy

class Emits(Strategy):
    def on_book(self, book: Book) -> None:
        self.emit(1)
";
const DEEP: &str = "from tickwire import Book, Quantity, Side, Strategy

class Deep(Strategy):
    def on_book(self, book: Book) -> None:
        self.buy(book.instrument, book.level(Side.BUY, 5).price, Quantity(1))
";
const EACH: &str = "from tickwire import Book, Quantity, Strategy, each_change

class Each(Strategy):
    @each_change
    def on_book(self, book: Book) -> None:
        self.buy(book.instrument, book.bid.price, Quantity(1))
";
/// A strategy, its parameters, and what a core without it lacks.
type Need = (&'static str, &'static [(&'static str, i64)], &'static str);

const NEEDS: [Need; 6] = [
    (
        TOLD,
        &[("instrument", 0)],
        "does not follow a strategy's own orders: no on_order, cancel, replace, position, open_orders",
    ),
    (
        TRADES,
        &[],
        "does not give a strategy the trades: no on_trade",
    ),
    (
        TIMER,
        &[("instrument", 0)],
        "does not have timers: no on_timer",
    ),
    (
        DEEP,
        &[],
        "gives a strategy the best levels only: no book.level",
    ),
    (
        EACH,
        &[],
        "calls a strategy at the end of a frame only: no @each_change",
    ),
    (EMITS, &[], "has no ring for what a strategy emits: no emit"),
];

/// `best_price` has trades on both feeds, and is no place for a strategy in the language: it is never named.
#[test]
fn a_core_that_lacks_what_a_strategy_needs_refuses_it_and_names_one_that_can_if_there_is_one() {
    for (text, set, lacks) in NEEDS {
        for program in both(text, set) {
            let (on_fast, on_itch) = match program.slot() {
                Strategy::External => ("order_log_module_10g", "itch_module_10g"),
                _ => ("moex_10g_one_line", "itch_processor_10g"),
            };
            let preset = Preset::by_name(on_fast).expect("a preset");
            let refused = on_order_log(preset, program.clone()).err();
            let refused = refused.expect("it lacks it").to_string();
            let says = format!("preset {on_fast} {lacks}");
            assert!(refused.ends_with(&says), "{refused}");
            if text == TRADES {
                continue;
            }
            let mut desk = desk(&market(Symbol(*b"AAPL    "), 5_850_000));
            desk.program = Some(program);
            let refused = Trader::of(Preset::with_book(), &desk).err();
            let refused = refused.expect("it lacks it").to_string();
            let says = format!("preset itch_trader_10g {lacks}; {on_itch} does");
            assert!(refused.ends_with(&says), "{refused}");
        }
    }
}

#[test]
fn a_core_with_few_levels_refuses_a_feed_of_price_levels_and_names_one_that_can() {
    let templates = Templates::parse(&shipped("fast/levels.xml")).expect("it is shipped");
    let map = Map::parse(&shipped("fast/micex-levels.toml")).expect("it is a map");
    let feed = FastFeed {
        templates: &templates,
        map: &map,
        settings: Settings::default(),
        before: None,
    };
    for name in ["moex_10g_one_line", "order_log_processor_10g"] {
        let preset = Preset::by_name(name).expect("a preset");
        let symbol = Symbol::of_name(b"RIU3").expect("a name");
        let refused = Trader::of_order_log(preset, &desk(&market(symbol, 583_400)), &feed).err();
        let refused = refused.expect("its book has four levels").to_string();
        let says =
            format!("preset {name} does not take price levels, only orders; fast_trader_10g does");
        assert!(refused.contains(&says), "{refused}");
    }
}
