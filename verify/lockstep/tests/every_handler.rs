//! A strategy that sends an order whenever it is called, on packets as close as the line allows: risk holds the rate, and nothing else is delayed.

use cosim::Preset;
use cosim::orders::{Burst, Desk, FOLLOWED, Market, Program, Trader};
use formats::itch::{AddOrder, Head, Message, Version};
use formats::{Side, Symbol, mold};
use language::{Options, compile, parameters};
use risk::Refusal;

const SENDS: &str = "from tickwire import Book, Quantity, Strategy

class Sends(Strategy):
    def on_book(self, book: Book) -> None:
        if book.ask.exists:
            self.buy(book.instrument, book.ask.price, Quantity(1))
";
const SILENT: &str = "from tickwire import Book, Strategy

class Silent(Strategy):
    def on_book(self, book: Book) -> None:
        pass
";

const SYMBOL: Symbol = Symbol(*b"AAPL    ");
const PRICE: u32 = 5_850_000;
/// A packet each.
const PACKETS: u64 = 150;
/// So many orders may leave in so many cycles.
const RATE: (u8, u32) = (3, 700);

/// As a program of the processor, and as a module.
fn both(text: &str) -> [(&'static str, Program); 2] {
    let options = Options {
        price_decimals: 4,
        ..Options::default()
    };
    let program = compile(text, &options).unwrap_or_else(|messages| panic!("{messages}"));
    let values = parameters(&program, []).expect("it has none");
    let program = Program::new(program, values).unwrap_or_else(|not| panic!("{not}"));
    let module = program.clone().as_module(text);
    let module = module.unwrap_or_else(|limit| panic!("{limit}"));
    [("itch_processor_10g", program), ("itch_module_10g", module)]
}

/// Adds an order: a bid, or the only offer.
fn add(reference: u64, side: Side) -> Message {
    let offset = 100 * (reference as u32 % 40);
    Message::AddOrder(AddOrder {
        head: Head::default(),
        order_reference: reference,
        side,
        shares: 100,
        stock: SYMBOL,
        price: match side {
            Side::Buy => PRICE - 100 - offset,
            Side::Sell => PRICE,
        },
    })
}

fn bytes(message: &Message) -> Vec<u8> {
    let mut bytes = Vec::new();
    message.emit(Version::V50, &mut bytes).expect("a message");
    bytes
}

/// A packet with one order; the feed's opening was the first message.
fn packet(reference: u64, side: Side) -> Vec<u8> {
    let mut packet = mold::Builder::new(*b"TRADER    ", reference + 1);
    packet.push(&bytes(&add(reference, side))).expect("room");
    packet.bytes().to_vec()
}

fn trader(preset: &str, program: Program) -> Trader {
    let market = Market {
        version: Version::V50,
        symbol: SYMBOL,
        tick: 100,
        price: PRICE,
        side: Side::Buy,
        quantity: 1,
        max_notional: u64::MAX,
    };
    let mut desk = Desk::of_market(&market).expect("a desk");
    desk.program = Some(program);
    let preset = Preset::by_name(preset).expect("a preset");
    Trader::of(preset, &desk).unwrap_or_else(|problem| panic!("{problem}"))
}

/// The burst, and how late the orders before and after it were.
fn run(preset: &str, program: Program) -> (Burst, [u64; 2]) {
    let mut trader = trader(preset, program);
    let alone = |trader: &mut Trader, reference, side| {
        let left = trader.datagrams(&[packet(reference, side)]);
        let left = left.unwrap_or_else(|problem| panic!("{problem}"));
        left.iter().map(|order| order.last_first).sum()
    };
    alone(&mut trader, 1, Side::Sell);
    let before = alone(&mut trader, 2, Side::Buy);
    let payloads: Vec<_> = (3..3 + PACKETS)
        .map(|reference| packet(reference, Side::Buy))
        .collect();
    let burst = trader.burst(&payloads, RATE.0, RATE.1);
    let burst = burst.unwrap_or_else(|problem| panic!("{problem}"));
    // Compared with software, number and price: nothing of the burst was lost.
    let after = alone(&mut trader, 3 + PACKETS, Side::Buy);
    (burst, [before, after])
}

#[test]
fn a_strategy_that_sends_in_every_handler_at_line_rate_is_held_by_the_rate_limit_and_delays_nothing_else()
 {
    let cycle_ps = cosim::Width::Xgmii.cycle_picoseconds();
    for ((preset, sends), (_, silent)) in both(SENDS).into_iter().zip(both(SILENT)) {
        let (burst, [before, after]) = run(preset, sends);
        let (quiet, nothing) = run(preset, silent);
        assert_eq!((quiet.reports.len(), nothing), (0, [0, 0]), "{preset}");

        // Each call's order was judged, and refused for the rate alone.
        assert_eq!(burst.reports.len() as u64, PACKETS, "{preset}");
        let (sent, refused): (Vec<_>, Vec<_>) =
            burst.reports.iter().partition(|report| report.what == 0);
        let for_the_rate = |report: &&_| {
            let report: &device::RawReport = report;
            (report.what, report.reason) == (2, Refusal::Rate as u8)
        };
        assert!(refused.iter().all(for_the_rate), "{preset}: {refused:?}");

        // Never more than the limit in any window.
        let window_ns = u64::from(RATE.1) * cycle_ps / 1_000;
        let rate = usize::from(RATE.0);
        println!(
            "{preset}: {} left, {} refused, {before} and {after} cycles",
            sent.len(),
            refused.len()
        );
        assert!(
            sent.len() > 2 * rate && refused.len() > 2 * rate,
            "{preset}"
        );
        for (first, next) in sent.iter().zip(&sent[rate..]) {
            let apart = next.time_ns - first.time_ns;
            assert!(apart + 1 >= window_ns, "{preset}: {apart} ns");
        }

        // The book has each packet when it has it without orders, and an order after the burst is as early as before.
        assert!(quiet.booked.len() as u64 >= PACKETS, "{preset}");
        assert_eq!(burst.booked, quiet.booked, "{preset}");
        assert_eq!(before, after, "{preset}");
    }
}

/// As [`SENDS`], but it hears of its orders.
const FOLLOWS: &str = "from tickwire import Book, Quantity, Report, Strategy

class Follows(Strategy):
    def on_book(self, book: Book) -> None:
        if book.ask.exists:
            self.buy(book.instrument, book.ask.price, Quantity(1))

    def on_order(self, report: Report) -> None:
        pass
";

#[test]
fn of_a_strategy_that_the_core_follows_so_many_orders_are_open_at_most_and_more_are_refused_as_in_software()
 {
    for (preset, program) in both(FOLLOWS) {
        let mut trader = trader(preset, program);
        let payloads = (1..60).map(|reference| {
            let side = if reference == 1 {
                Side::Sell
            } else {
                Side::Buy
            };
            packet(reference, side)
        });
        // The exchange is silent.
        for payload in payloads {
            let given = trader.datagrams(&[payload]);
            given.unwrap_or_else(|problem| panic!("{preset}: {problem}"));
        }
        let compared = trader.compared();
        assert_eq!(compared.sent, u64::from(FOLLOWED), "{preset}");
        assert!(compared.refused > 20, "{preset}: {compared:?}");
    }
}
