//! Strategies in the language as programs of the core, and as modules beside it, against the same strategies interpreted in software: the orders that leave, byte for byte.

use std::fs;
use std::path::{Path, PathBuf};

use crate::count::count;
use cosim::orders::{Desk, Market, Program, TickToTrade, Trader};
use cosim::{Preset, Strategy};
use feed::generate;
use formats::itch::{AddOrder, Head, Message, OrderDelete, Version};
use formats::{Side, Symbol, binary_file};
use language::{Options, compile, parameters};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Packets between two comparisons.
const AT_ONCE: usize = 8;
/// Decimals of an ITCH price.
const DECIMALS: u32 = 4;

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The strategy of a shipped desk, for the first instrument.
fn shipped(desk: &str, set: &[(&str, i64)]) -> [Program; 2] {
    let path = workspace().join(format!("desks/{desk}/strategy.py"));
    let text = fs::read_to_string(&path).expect("it is there");
    both(program(&text, set), &text)
}

/// A program as such, and as a module.
fn both(program: Program, text: &str) -> [Program; 2] {
    let module = program.clone().as_module(text);
    [program, module.unwrap_or_else(|limit| panic!("{limit}"))]
}

fn program(text: &str, set: &[(&str, i64)]) -> Program {
    with(text, 1, set)
}

fn with(text: &str, instruments: usize, set: &[(&str, i64)]) -> Program {
    let options = Options {
        instruments,
        price_decimals: DECIMALS,
        ..Options::default()
    };
    let program = compile(text, &options).unwrap_or_else(|messages| panic!("{messages}"));
    let values = parameters(&program, set.iter().copied()).expect("they are its parameters");
    Program::new(program, values).unwrap_or_else(|not| panic!("{not}"))
}

/// The shipped strategies that send many orders and that a core runs in full.
const SHIPPED: [&str; 2] = ["best-offer", "bid-plus-ask"];

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

fn market(version: Version, symbol: Symbol, price: u32) -> Market {
    Market {
        version,
        symbol,
        tick: 100,
        price,
        side: Side::Buy,
        quantity: 100,
        max_notional: u64::MAX,
    }
}

/// One packet in nine comes damaged first.
fn run(desk: &Desk, packets: &[Vec<Vec<u8>>]) -> TickToTrade {
    let program = desk.program.as_ref().expect("a strategy in the language");
    let preset = match program.slot() {
        Strategy::External => "itch_module_10g",
        _ => "itch_processor_10g",
    };
    let preset = Preset::by_name(preset).expect("a preset");
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut trader = Trader::of(preset, desk).unwrap_or_else(|problem| panic!("{problem}"));
    for some in packets.chunks(AT_ONCE) {
        for packet in some {
            if random.random_range(0..9) == 0 {
                trader.packet(packet, true).expect("sent");
            }
            trader.packet(packet, false).expect("sent");
        }
        if let Err(problem) = trader.compare() {
            panic!("{problem}\nafter {:?}", trader.compared());
        }
    }
    *trader.compared()
}

#[test]
fn the_shipped_strategies_give_the_same_orders_on_the_first_minutes_of_aapl() {
    let Some(packets) = aapl(500) else {
        return;
    };
    for name in SHIPPED {
        for program in shipped(name, &[("instrument", 0), ("size", 100)]) {
            let mut desk = Desk::of_market(&market(Version::V50, Symbol(*b"AAPL    "), 5_850_000))
                .expect("a desk");
            println!("{name}, {:?}", program.slot());
            desk.program = Some(program);
            let compared = run(&desk, &packets);
            println!("{name}: {compared:?}");
            assert!(compared.sent > 60, "{name}: {compared:?}");
        }
    }
}

/// A generated market of these many symbols, in packets of so many messages, and the markets it has: the price of each symbol's first order.
fn generated(
    version: Version,
    symbols: usize,
    per_packet: usize,
) -> (Vec<Market>, Vec<Vec<Vec<u8>>>) {
    generated_of(count(2_000, 6_000), version, symbols, per_packet)
}

/// The same of so many messages.
fn generated_of(
    messages: u32,
    version: Version,
    symbols: usize,
    per_packet: usize,
) -> (Vec<Market>, Vec<Vec<Vec<u8>>>) {
    let settings = generate::Settings {
        version,
        symbols,
        messages: messages.into(),
        seconds: messages / 10,
        seed: 5,
    };
    let mut file = vec![];
    generate::generate(&settings, &mut file, |_| ()).expect("memory takes it");
    let file: Vec<_> = binary_file::Messages::new(&file)
        .map(|message| message.expect("complete").to_vec())
        .collect();
    let price = |symbol: Symbol| {
        let price = file.iter().find_map(|message| {
            match Message::parse(settings.version, message).expect("of this version") {
                Message::AddOrder(add) if add.stock == symbol => Some(add.price),
                _ => None,
            }
        });
        market(version, symbol, price.expect("it has an order"))
    };
    let markets = (0..symbols).map(|index| price(generate::symbol(index)));
    let packets = file.chunks(per_packet).map(<[_]>::to_vec).collect();
    (markets.collect(), packets)
}

/// Buys and sells in each instrument, in quantities of all kinds: more than the core keeps prepared.
const ALL_KINDS: &str =
    "from tickwire import Book, PerInstrument, Price, Quantity, Strategy, per_instrument, state


class AllKinds(Strategy):
    bids: PerInstrument[Price] = per_instrument(0)
    count: int = state(0)

    def on_book(self, book: Book) -> None:
        if not book.tradable or not book.bid.exists or not book.ask.exists:
            return
        if book.changed and book.bid.price != self.bids[book.instrument]:
            self.bids[book.instrument] = book.bid.price
            self.count += 1
            self.buy(book.instrument, book.ask.price, book.ask.quantity)
            if self.count % 3 == 0:
                self.sell(book.instrument, book.bid.price, Quantity(100))
                self.sell(book.instrument, book.bid.price, Quantity(100))
                self.buy(book.instrument, book.bid.price, Quantity(0))
";

/// Market orders and limit orders of the same quantities, after trades and after changes; some of them worth too much at the last price.
const MARKETS: &str = "from tickwire import MARKET, Book, Quantity, Strategy, Trade, state


class Markets(Strategy):
    count: int = state(0)
    pace: int = state(0)

    def on_trade(self, trade: Trade) -> None:
        self.pace += 1
        if self.pace % 5 == 0:
            self.buy(trade.instrument, MARKET, Quantity(1 + self.pace % 7 * 100))

    def on_book(self, book: Book) -> None:
        if not book.tradable or not book.bid.exists or not book.ask.exists:
            return
        self.count += 1
        if self.count % 6 == 0:
            self.sell(book.instrument, MARKET, book.ask.quantity)
        if self.count % 6 == 1:
            self.sell(book.instrument, book.ask.price, Quantity(100))
            self.sell(book.instrument, MARKET, Quantity(100))
";

#[test]
fn market_orders_leave_as_in_software_and_risk_works_out_their_notional_at_the_last_price() {
    let (markets, packets) = generated(Version::V50, 5, 7);
    let mut desk = Desk::of_markets(&markets).expect("a desk");
    // Until its first trade the last one has no price.
    let last = desk.instruments.last_mut().expect("five of them");
    if let Some(limits) = &mut last.limits {
        limits.reference_price = None;
    }
    desk.limits.max_notional = 300_000_000;
    for program in both(of_instruments(MARKETS, markets.len()), MARKETS) {
        desk.program = Some(program);
        let compared = run(&desk, &packets);
        println!("{compared:?}");
        assert!(compared.sent > 80, "{compared:?}");
        assert!(compared.refused > 8, "{compared:?}");
    }
}

fn of_instruments(text: &str, instruments: usize) -> Program {
    with(text, instruments, &[])
}

#[test]
fn several_orders_a_handler_in_many_quantities_and_instruments_leave_as_in_software() {
    let (markets, packets) = generated(Version::V50, 5, 7);
    let mut desk = Desk::of_markets(&markets).expect("a desk");
    desk.limits.max_notional = 3_000_000_000;
    for program in both(of_instruments(ALL_KINDS, markets.len()), ALL_KINDS) {
        desk.program = Some(program);
        let compared = run(&desk, &packets);
        println!("{compared:?}");
        assert!(compared.sent > 30, "{compared:?}");
        assert!(compared.refused > 3, "{compared:?}");
    }
}

/// Orders that differ in nothing but how long they stay, one after the other.
const IN_FORCE: &str = "from tickwire import MARKET, Book, Quantity, Strategy, TimeInForce, state


class InForce(Strategy):
    count: int = state(0)

    def on_book(self, book: Book) -> None:
        if not book.tradable or not book.ask.exists:
            return
        self.count += 1
        if self.count % 5 == 0:
            self.buy(book.instrument, book.ask.price, Quantity(100), time_in_force=TimeInForce.IOC)
            self.buy(book.instrument, book.ask.price, Quantity(100))
        if self.count % 5 == 1:
            self.buy(book.instrument, book.ask.price, Quantity(100), time_in_force=TimeInForce.GTC)
        if self.count % 5 == 2:
            self.buy(book.instrument, MARKET, Quantity(100), time_in_force=TimeInForce.FOK)
";

#[test]
fn each_order_has_its_own_time_in_force() {
    let (markets, packets) = generated(Version::V50, 3, 7);
    let mut desk = Desk::of_markets(&markets).expect("a desk");
    for program in both(of_instruments(IN_FORCE, markets.len()), IN_FORCE) {
        desk.program = Some(program);
        let compared = run(&desk, &packets);
        println!("{compared:?}");
        assert!(compared.sent > 60, "{compared:?}");
    }
}

/// Called at each change of the book: what the book was in the middle of a frame, trades and a timer between, deeper levels.
const EACH_CHANGE: &str = "from tickwire import SECOND, Book, Quantity, Side, Strategy, Trade, each_change, now, state, timer


class EachChange(Strategy):
    changes: int = state(0)
    trades: int = state(0)
    seconds: int = state(0)

    @each_change
    def on_book(self, book: Book) -> None:
        if book.changed:
            self.changes += 1
        if not book.tradable or not book.ask.exists or not book.bid.exists:
            return
        if self.changes % 4 == 1:
            self.buy(book.instrument, book.ask.price, Quantity(1 + self.trades % 30))
        elif self.changes % 9 == 2:
            third = book.level(Side.BUY, 2)
            self.sell(book.instrument, third.price, Quantity(1 + self.seconds % 7 * 100))

    def on_trade(self, trade: Trade) -> None:
        self.trades += 1

    @timer(every=SECOND)
    def on_timer(self) -> None:
        self.seconds += 1
";

#[test]
fn a_strategy_at_each_change_sees_the_book_in_the_middle_of_a_frame() {
    let (markets, packets) = generated(Version::V50, 5, 7);
    let mut desk = Desk::of_markets(&markets).expect("a desk");
    let mut each = TickToTrade::default();
    for program in both(of_instruments(EACH_CHANGE, markets.len()), EACH_CHANGE) {
        desk.program = Some(program);
        each = run(&desk, &packets);
        println!("{each:?}");
        assert!(each.sent > 300, "{each:?}");
    }
    // At the end of each frame it is called less often.
    let text = EACH_CHANGE
        .replace("    @each_change\n", "")
        .replace(" each_change,", "");
    desk.program = Some(of_instruments(&text, markets.len()));
    let frames = run(&desk, &packets);
    println!("{frames:?}");
    assert!(2 * frames.sent < each.sent, "{frames:?}");
}

/// An order at each second change.
const OFTEN: &str = "from tickwire import Book, Quantity, Strategy, state


class Often(Strategy):
    count: int = state(0)

    def on_book(self, book: Book) -> None:
        self.count += 1
        if book.tradable and book.ask.exists and self.count % 2 == 0:
            self.buy(book.instrument, book.ask.price, Quantity(100))
";

/// The core keeps 512 orders without an end in mind, and the next one turns the kill switch on.
fn without_end(preset: &str, desk: &Desk, packets: &[Vec<Vec<u8>>]) {
    for ends in [true, false] {
        let preset = Preset::by_name(preset).expect("a preset");
        let mut trader = Trader::of(preset, desk).unwrap_or_else(|problem| panic!("{problem}"));
        let mut problem = None;
        for some in packets.chunks(AT_ONCE) {
            for packet in some {
                trader.packet(packet, false).expect("sent");
            }
            if ends {
                trader
                    .end_not_followed()
                    .unwrap_or_else(|problem| panic!("{problem}"));
            }
            problem = trader.compare().err();
            if problem.is_some() || trader.compared().sent > 700 {
                break;
            }
        }
        let sent = trader.compared().sent;
        println!("{sent} orders, {problem:?}");
        assert_eq!(problem.is_none(), ends, "{sent} orders, {problem:?}");
        assert!(ends == (sent > 700) && sent > 400, "{sent}");
    }
}

#[test]
fn orders_of_a_program_leave_without_end_where_the_exchange_ends_those_before() {
    let (markets, packets) = generated_of(6_000, Version::V50, 5, 7);
    let mut desk = Desk::of_markets(&markets).expect("a desk");
    desk.limits.kill.gap = true;
    desk.program = Some(of_instruments(OFTEN, markets.len()));
    without_end("itch_processor_10g", &desk, &packets);
}

#[test]
fn orders_at_the_best_price_leave_without_end_where_the_exchange_ends_those_before() {
    let symbol = generate::symbol(0);
    let mut desk = Desk::of_market(&market(Version::V50, symbol, 5_850_000)).expect("a desk");
    desk.limits.kill.gap = true;
    // One ask after the other, each the only one.
    let packets: Vec<_> = (1..=800)
        .map(|order_reference| {
            let add = Message::from(AddOrder {
                head: Head::default(),
                order_reference,
                side: Side::Sell,
                shares: 100,
                stock: symbol,
                price: 5_850_000 + order_reference as u32 % 2 * 100,
            });
            let delete = Message::from(OrderDelete {
                head: Head::default(),
                order_reference: order_reference - 1,
            });
            let messages = [delete, add]
                .into_iter()
                .skip(usize::from(order_reference == 1));
            let bytes = messages.map(|message| {
                let mut bytes = vec![];
                message
                    .emit(Version::V50, &mut bytes)
                    .expect("of this version");
                bytes
            });
            bytes.collect()
        })
        .collect();
    without_end("itch_trader_10g", &desk, &packets);
}

/// Divides by zero after its tenth order.
const ENDS: &str = "from tickwire import Book, Price, Quantity, Strategy, state


class Ends(Strategy):
    last: Price = state(0)
    left: int = state(10)

    def on_book(self, book: Book) -> None:
        if book.tradable and book.ask.exists and book.ask.price != self.last:
            self.last = book.ask.price
            self.left -= 1
            self.buy(book.instrument, book.ask.price, Quantity(1))
            self.left += 0 * (1 // self.left)
";

#[test]
fn a_fault_stops_the_strategy_in_the_core_as_in_software() {
    let (markets, packets) = generated(Version::V50, 1, 3);
    let mut desk = Desk::of_markets(&markets).expect("a desk");
    for program in both(of_instruments(ENDS, 1), ENDS) {
        desk.program = Some(program);
        let compared = run(&desk, &packets);
        assert_eq!(compared.sent, 9, "{compared:?}");
    }
}

/// Orders at each trade, and orders whose quantity says how many trades came since the book was given last.
const TRADES: &str = "from tickwire import Book, Quantity, Side, Strategy, Trade, state


class Trades(Strategy):
    since: int = state(0)
    pace: int = state(0)

    def on_trade(self, trade: Trade) -> None:
        self.since += 1
        self.pace += 1
        if self.pace % 4 != 0:
            return
        if trade.side == Side.BUY:
            self.buy(trade.instrument, trade.price, trade.quantity)
        else:
            self.sell(trade.instrument, trade.price, trade.quantity)

    def on_book(self, book: Book) -> None:
        if self.since != 0 and book.tradable and book.bid.exists:
            self.buy(book.instrument, book.bid.price, Quantity(self.since))
            self.since = 0
";

/// How many of these messages say that an order was executed or that there was a trade.
fn trades(packets: &[Vec<Vec<u8>>]) -> usize {
    let is_trade = |message: &&Vec<u8>| matches!(message.first(), Some(b'E' | b'C' | b'P' | b'Q'));
    packets.iter().flatten().filter(is_trade).count()
}

/// Orders whose quantities say what the time is, of a trade and of a frame.
const TIMES: &str =
    "from tickwire import MILLISECOND, Book, Quantity, Strategy, Time, Trade, now, state


class Times(Strategy):
    before: Time = state(0)
    pace: int = state(0)

    def on_trade(self, trade: Trade) -> None:
        self.pace += 1
        if self.pace % 3 == 0:
            self.buy(trade.instrument, trade.price, Quantity(1 + int(now) % 999_983))

    def on_book(self, book: Book) -> None:
        if now - self.before > 300 * MILLISECOND and book.tradable and book.bid.exists:
            self.before = now
            self.buy(book.instrument, book.bid.price, Quantity(1 + int(now) % 999_979))
";

#[test]
fn the_time_of_a_trade_and_of_a_frame_are_those_of_software() {
    for version in [Version::V41, Version::V50] {
        let (markets, packets) = generated(version, 3, 9);
        let mut desk = Desk::of_markets(&markets).expect("a desk");
        for program in both(of_instruments(TIMES, markets.len()), TIMES) {
            desk.program = Some(program);
            let compared = run(&desk, &packets);
            println!("{version:?}: {compared:?}");
            assert!(compared.sent > 60, "{compared:?}");
        }
    }
}

/// Orders at a timer, whose quantities say the time, and what came between two of its runs.
const TIMER: &str = "from tickwire import MILLISECOND, Book, Instrument, Price, Quantity, Strategy, Trade, now, param, state, timer


class Timer(Strategy):
    instrument: Instrument = param()
    bid: Price = state(0)
    came: int = state(0)
    pace: int = state(0)

    def on_trade(self, trade: Trade) -> None:
        self.came = self.came * 3 + 1
        self.pace += 1
        if self.pace % 5 == 0:
            self.buy(trade.instrument, trade.price, Quantity(1 + self.came % 999_983))

    def on_book(self, book: Book) -> None:
        self.came = self.came * 3 + 2
        if book.instrument == self.instrument and book.tradable:
            self.bid = book.bid.price

    @timer(every=700 * MILLISECOND)
    def on_timer(self) -> None:
        self.came = self.came * 3
        if self.bid != 0:
            self.buy(self.instrument, self.bid, Quantity(1 + (self.came * 7 + int(now)) % 999_983))
";

#[test]
fn the_timer_runs_between_the_events_where_it_does_in_software() {
    for version in [Version::V41, Version::V50] {
        let (markets, packets) = generated(version, 3, 9);
        let mut desk = Desk::of_markets(&markets).expect("a desk");
        for program in both(with(TIMER, markets.len(), &[("instrument", 0)]), TIMER) {
            desk.program = Some(program);
            let compared = run(&desk, &packets);
            println!("{version:?}: {compared:?}");
            assert!(compared.sent > 200, "{compared:?}");
        }
    }
}

/// Records and orders that say what stands in some of the best 16 levels of both sides, of others each time.
const LEVELS: &str =
    "from tickwire import Book, Price, Quantity, Side, Strategy, Trade, per_instrument, state


class Levels(Strategy):
    count: int = state(0)
    traded: int = state(0)

    def on_trade(self, trade: Trade) -> None:
        self.traded += 1

    def on_book(self, book: Book) -> None:
        self.count += 1
        if self.count % 8 != 3:
            return
        told = 0
        for place in range(4):
            number = (self.count // 8 + 5 * place) % 16
            bid = book.level(Side.BUY, number)
            ask = book.level(Side.SELL, 15 - number)
            told = told * 31 + bid.price // Price.raw(1) + bid.quantity // Quantity(1) * 7 + bid.orders
            told = told * 31 + ask.price // Price.raw(1) + ask.quantity // Quantity(1) * 7 + ask.orders
            if ask.exists:
                told += 1
        self.emit(1, told, self.count, self.traded)
        deep = book.level(Side.BUY, self.count // 8 % 16)
        if book.tradable and deep.exists:
            self.buy(book.instrument, deep.price, Quantity(1 + told % 99_991))
";

#[test]
fn a_strategy_reads_the_best_16_levels_of_both_sides_as_in_software() {
    let (markets, packets) = generated(Version::V50, 5, 7);
    let mut desk = Desk::of_markets(&markets).expect("a desk");
    for program in both(of_instruments(LEVELS, markets.len()), LEVELS) {
        desk.program = Some(program);
        let compared = run(&desk, &packets[..count(250, 400)]);
        println!("{compared:?}");
        assert!(compared.sent > 30, "{compared:?}");
        assert!(compared.records > 60, "{compared:?}");
    }
    let Some(packets) = aapl(count(150, 300)) else {
        return;
    };
    for program in both(of_instruments(LEVELS, 1), LEVELS) {
        let mut desk = Desk::of_market(&market(Version::V50, Symbol(*b"AAPL    "), 5_850_000))
            .expect("a desk");
        desk.program = Some(program);
        let compared = run(&desk, &packets);
        println!("AAPL: {compared:?}");
        assert!(compared.records > 15, "{compared:?}");
    }
}

#[test]
fn the_opening_imbalance_sends_its_order_when_its_window_ends() {
    let Some(packets) = aapl(500) else {
        return;
    };
    let set = [("instrument", 0), ("window", 5_000_000_000), ("ahead", 1)];
    for program in shipped("opening-imbalance", &set) {
        let mut desk = Desk::of_market(&market(Version::V50, Symbol(*b"AAPL    "), 5_850_000))
            .expect("a desk");
        desk.program = Some(program);
        let compared = run(&desk, &packets);
        assert_eq!((compared.sent, compared.refused), (1, 0), "{compared:?}");
    }
}

#[test]
fn trades_reach_the_strategy_in_the_order_of_software_between_the_changes_of_their_frames() {
    let (markets, packets) = generated(Version::V50, 5, 9);
    let mut desk = Desk::of_markets(&markets).expect("a desk");
    for program in both(of_instruments(TRADES, markets.len()), TRADES) {
        desk.program = Some(program);
        let compared = run(&desk, &packets);
        println!("generated, {} trades: {compared:?}", trades(&packets));
        assert!(trades(&packets) > 60 && compared.sent > 60, "{compared:?}");
    }
    let Some(packets) = aapl(500) else {
        return;
    };
    for program in both(of_instruments(TRADES, 1), TRADES) {
        let mut desk = Desk::of_market(&market(Version::V50, Symbol(*b"AAPL    "), 5_850_000))
            .expect("a desk");
        desk.program = Some(program);
        let compared = run(&desk, &packets);
        println!("AAPL, {} trades: {compared:?}", trades(&packets));
        assert!(compared.sent > 60, "{compared:?}");
    }
}
