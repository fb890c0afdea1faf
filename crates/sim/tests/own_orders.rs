//! Strategies in the language that follow their own orders, in the core and in software: cancels, replacements, reports and positions, whatever the exchange
//! answers.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use feed::generate;
use language::{Options, compile, parameters};
use order::{Kind, Number, Order};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use risk::{Execution, ExecutionReport};
use sim::orders::{Desk, Market, Program, TickToTrade, Trader};
use sim::{Preset, Strategy};
use wire::itch::{Message, Version};
use wire::{Side, Symbol, binary_file};

/// Decimals of an ITCH price.
const DECIMALS: u32 = 4;

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A strategy with these parameters: as a program, and as a module.
fn both(text: &str, set: &[(&str, i64)]) -> [Program; 2] {
    let options = Options {
        price_decimals: DECIMALS,
        ..Options::default()
    };
    let program = compile(text, &options).unwrap_or_else(|messages| panic!("{messages}"));
    let values = parameters(&program, set.iter().copied()).expect("they are its parameters");
    let program = Program::new(program, values).unwrap_or_else(|not| panic!("{not}"));
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

/// The packets, and between two of them answers of the exchange; one packet in nine comes damaged first.
fn run(desk: &Desk, packets: &[Vec<Vec<u8>>]) -> (TickToTrade, Exchange) {
    let program = desk.program.as_ref().expect("a strategy in the language");
    let preset = match program.slot() {
        Strategy::Outside => "itch_wire_10g",
        _ => "itch_alu_10g",
    };
    let preset = Preset::by_name(preset).expect("a preset");
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut trader = Trader::of(preset, desk).unwrap_or_else(|problem| panic!("{problem}"));
    let mut exchange = Exchange::default();
    for (step, some) in packets.chunks(4).enumerate() {
        for packet in some {
            if random.random_range(0..9) == 0 {
                trader.packet(packet, true).expect("sent");
            }
            trader.packet(packet, false).expect("sent");
        }
        loop {
            if let Err(problem) = trader.compare() {
                panic!(
                    "step {step}: {problem}\nafter {:?}\n{exchange:?}",
                    trader.compared()
                );
            }
            for (number, order) in trader.take_left() {
                exchange.receive(number, order);
            }
            let open = trader.compare_open();
            open.unwrap_or_else(|found| panic!("step {step}: {found}"));
            if random.random_ratio(1, 8) {
                break;
            }
            if let Some(report) = exchange.answer(&mut random) {
                let answered = trader.answer(&report);
                answered.unwrap_or_else(|found| panic!("step {step}: {found}"));
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
    let Some(packets) = aapl(300) else {
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
        assert!(compared.sent > 60, "{compared:?}");
        assert!(
            exchange.came[0] > 10 && exchange.came[1] > 20,
            "{exchange:?}"
        );
    }
}

/// Sends, replaces and cancels, also what is not there; the quantities of its orders say what its reports were so far.
const TOLD: &str = "from tickwire import Array, Book, Instrument, OrderRef, Price, Quantity, Report, ReportKind, Side, Strategy, array, now, param, state


class Told(Strategy):
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
            self.buy(book.instrument, book.bid.price, Quantity(0))
";

#[test]
fn each_member_of_a_report_positions_and_open_orders_are_those_of_software() {
    let settings = generate::Settings {
        version: Version::V50,
        symbols: 1,
        messages: 3_000,
        seconds: 600,
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
    let packets: Vec<_> = file.chunks(6).map(<[_]>::to_vec).collect();
    let market = market(generate::symbol(0), price.expect("it has an order"));
    for program in both(TOLD, &[("instrument", 0)]) {
        let mut desk = desk(&market);
        println!("{:?}", program.slot());
        desk.program = Some(program);
        let (compared, exchange) = run(&desk, &packets);
        println!("{compared:?}, {:?}, {:?}", exchange.came, exchange.said);
        assert!(exchange.came.iter().all(|came| *came > 10), "{exchange:?}");
        assert_eq!(exchange.said.len(), 5, "{exchange:?}");
        assert!(compared.refused > 20, "{compared:?}");
    }
}
