//! The figures of the order book, as `make bench` writes them to `out/bench/book.json`: what a message takes in software; the book held against a
//! plain one after every message; and the Verilated book against the one in software (feature `all-models`).

pub mod fuzz;
#[cfg(feature = "all-models")]
mod lockstep;
mod naive;
mod trader;

use std::hint::black_box;
use std::path::{Path, PathBuf};

use book::{Book, Hints, Level, Limits};
use feed::generate;
use feed::socket::Wait;
use instrument::Directory;
use rustix::time::{ClockId, clock_gettime};
use serde::Serialize;
use serde_json::{Map, Value, json};
use sim::{Preset, Width};
use wire::itch::{self, Version};
use wire::{Event, Listener, Side, Symbol, binary_file};

use crate::foundation::{generated_bytes, place_and_route};
use crate::packets::{InMemory, Packets};
use crate::{Error, Progress, tick_to_trade};
use fuzz::Fuzzed;
use naive::Naive;

const AAPL: Symbol = Symbol(*b"AAPL    ");
/// Symbols of the day that is measured.
const SYMBOLS: usize = 8_000;
/// Levels of each side that are compared after every message.
const LEVELS: usize = 16;

/// What to measure, and with what.
#[derive(Clone, Debug)]
pub struct Options {
    /// Folder with `aapl.itch41` and `aapl.itch50`; where they are absent they are left out.
    pub aapl: PathBuf,
    /// Messages of the generated day of 8,000 symbols.
    pub messages: u64,
    /// Messages of 16 symbols, generated, that are compared; in each version.
    pub compared: u64,
    /// Passes of each measurement, the best of which counts: the machine is shared.
    pub passes: u32,
    /// Orders over sockets, and echoes.
    pub orders: u64,
    /// Mutated frames: the software has all of them, the core that trades a fiftieth more.
    pub fuzz_frames: u64,
    /// Packets of each recording that the cores that trade have.
    pub traded: usize,
    /// Folder with what place and route left, and that with the times of `make test`.
    pub out: PathBuf,
}

impl Options {
    /// As `make bench` has it, in the project's root.
    pub fn in_project(root: &Path) -> Self {
        Options {
            aapl: root.join("../shared/data/nasdaq-aapl-2012-06-21"),
            messages: 5_000_000,
            compared: 1_000_000,
            passes: 7,
            orders: 20_000,
            fuzz_frames: 200_000,
            traded: 20_000,
            out: root.join("out"),
        }
    }
}

/// What a message takes, in nanoseconds of the thread's processor time: the least of several passes, which take turns, so that the ratios are those of
/// one machine at one time.
#[derive(Clone, Debug, Serialize)]
pub struct Rate {
    /// What was read.
    pub data: String,
    /// Its ITCH.
    pub version: Version,
    /// Messages in it.
    pub messages: u64,
    /// Orders left at the end.
    pub orders: u32,
    /// Parsed into plain structs, each field of each message; no book.
    pub parse_ns: f64,
    /// Parsed and booked, one by one.
    pub book_ns: f64,
    /// Parsed and booked, with hints of what comes.
    pub hinted_ns: f64,
    /// The latter as a multiple of the first.
    pub of_parse: f64,
}

/// Runs every measurement; the result is the complete JSON object.
///
/// # Errors
/// A file that is there cannot be read. A book that differs is not an error here: it is counted in `mismatches`.
pub fn bench_book(options: &Options, progress: Progress) -> Result<Value, Error> {
    let mut comparison = Comparison::default();
    let mut hardware = Hardware::default();
    let mut rates = vec![];
    for (name, version) in [("aapl.itch50", Version::V50), ("aapl.itch41", Version::V41)] {
        if let Ok(file) = std::fs::read(options.aapl.join(name)) {
            comparison.run(name, version, &file, progress);
            // A pass takes milliseconds.
            let passes = 5 * options.passes;
            rates.push(measure(name, version, &file, 1, passes, progress));
            hardware.messages(name, version, &file, &[Some(AAPL)], progress);
        }
        let settings = generate::Settings {
            version,
            symbols: 16,
            messages: options.compared,
            seconds: 3_600,
            seed: 16,
        };
        let file = generated_bytes(&settings)?;
        comparison.run("16 generated symbols", version, &file, progress);
        let symbols: Vec<_> = (0..16).map(|index| Some(generate::symbol(index))).collect();
        hardware.messages("16 generated symbols", version, &file, &symbols, progress);
    }
    hardware.random(options.compared, progress);
    hardware.paced(progress);
    let mut fuzzed = Fuzzed::default();
    fuzzed.software(options.fuzz_frames, progress);
    let cores = traders(options, &mut comparison, &mut fuzzed, progress)?;
    progress("a generated day", 0, 1);
    let settings = generate::Settings {
        version: Version::V50,
        symbols: SYMBOLS,
        messages: options.messages,
        seconds: 23_400,
        seed: 8_000,
    };
    let file = generated_bytes(&settings)?;
    let name = format!("generated, {SYMBOLS} symbols");
    let day = measure(
        &name,
        Version::V50,
        &file,
        SYMBOLS,
        options.passes,
        progress,
    );
    let (ns, of_parse) = (day.hinted_ns, day.of_parse);
    rates.push(day);
    let busy_poll = tick_to_trade::measure(Wait::BusyPoll, options.orders, progress)?;
    let blocking = tick_to_trade::measure(Wait::Blocking, options.orders, progress)?;
    let of_hardware = json!(hardware);
    let mismatches =
        comparison.mismatches + of_hardware["mismatches"].as_u64().unwrap_or(0) + fuzzed.mismatches;
    // The book alone.
    let placed = place_and_route(&options.out.join("pnr/book.json"));
    let mut figures = json!({
        "best_price_cycles": of_hardware["best_price_cycles"],
        "interval_cycles": of_hardware["interval_cycles"],
        "lut4": placed["lut4"],
        "ebr": placed["ebr"],
        "fmax_mhz": placed["fmax_mhz"],
        "fuzz_frames": fuzzed.frames + fuzzed.core_frames,
        "fuzz": fuzzed,
        "test_minutes": test_minutes(&options.out),
        "software_over_echo": busy_poll.over_echo,
        "tick_to_trade": {"busy_poll": busy_poll, "blocking": blocking},
        "ns_per_message": ns,
        "of_parse": of_parse,
        "passes": options.passes,
        "measured": "processor time of one thread, parse included; the least of the passes",
        "software": rates,
        "messages_compared": comparison.messages,
        "mismatches": mismatches,
        "faults": comparison.faults,
        "hardware": of_hardware,
        "seeds": [16, 8_000],
        "published": {"best_open_book_ns": 51, "what": "itch-order-book: levels only, no checks; another run on the same machine"},
    });
    if let Some(figures) = figures.as_object_mut() {
        figures.extend(cores);
    }
    Ok(figures)
}

/// The minutes of the last `make test` that passed.
fn test_minutes(out: &Path) -> Value {
    let text = std::fs::read_to_string(out.join("test_times.json"));
    let times: Option<Value> = text.ok().and_then(|text| serde_json::from_str(&text).ok());
    let passed = times.filter(|times| times["passed"] == true);
    passed.map_or(Value::Null, |times| times["minutes"].clone())
}

/// Messages of a packet of several.
const SEVERAL: u16 = 6;

/// The cores with an order book: tick to trade on recordings, and mutated frames. Of one that this program was built without, why there is nothing.
fn traders(
    options: &Options,
    comparison: &mut Comparison,
    fuzzed: &mut Fuzzed,
    progress: Progress,
) -> Result<Map<String, Value>, Error> {
    let mut cores = Map::new();
    for width in Width::ALL {
        let name = format!("w{}", width.bits());
        let preset = Preset::with_book(width);
        if !preset.is_built() {
            let reason = format!(
                "built without preset {}: cargo build --release --package tickwire --features all-models",
                preset.name
            );
            cores.insert(name, json!({"reason": reason}));
            continue;
        }
        let recordings = recordings(options)?;
        let placed = options.out.join("pnr");
        let core = match trader::trader(width, &recordings, &placed, progress) {
            Err(Error::Trader(problem)) => {
                comparison.mismatches += 1;
                comparison
                    .faults
                    .push(format!("{}: {problem}", preset.name));
                json!({"reason": "hardware and software differ: faults says where"})
            }
            measured => measured?,
        };
        cores.insert(name, core);
        fuzzed.core(width, options.fuzz_frames / 50, progress);
    }
    Ok(cores)
}

/// What the cores that trade are given, each with the symbol that is traded: the AAPL hour where it is, and generated symbols in packets of one message and
/// of several.
fn recordings(options: &Options) -> Result<Vec<(Packets, Symbol)>, Error> {
    let mut recordings = vec![];
    let hour = options.aapl.join("aapl.itch50");
    if hour.exists() {
        let packets = Packets::read(&hour, Some(Version::V50))?;
        recordings.push((packets.first(options.traded), AAPL));
    }
    for (version, per_packet) in [
        (Version::V50, 1),
        (Version::V41, 1),
        (Version::V50, SEVERAL),
    ] {
        let settings = generate::Settings {
            version,
            symbols: 2,
            messages: options.traded as u64 / 4,
            seconds: 600,
            seed: 16,
        };
        let file = generated_bytes(&settings)?;
        let messages = InMemory::new(version, &file);
        let name = "2 generated symbols".to_owned();
        let packets = Packets::packed(name, version, messages, per_packet)?;
        recordings.push((packets, generate::symbol(0)));
    }
    Ok(recordings)
}

/// Processor time of this thread, in nanoseconds: what others take of a shared machine is not in it.
fn processor_time() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// Measures on `file`: the passes of parser and books take turns.
pub fn measure(
    data: &str,
    version: Version,
    file: &[u8],
    symbols: usize,
    passes: u32,
    progress: Progress,
) -> Rate {
    let messages = messages(file).count() as u64;
    let mut orders = 0;
    let mut best = [f64::INFINITY; 3];
    let passes = passes.max(1);
    for pass in 0..passes {
        progress(data, pass.into(), passes.into());
        for (kind, best) in best.iter_mut().enumerate() {
            let start = processor_time();
            match kind {
                0 => parsed(version, file),
                1 => orders = booked::<false>(version, file, symbols),
                _ => orders = booked::<true>(version, file, symbols),
            }
            *best = best.min((processor_time() - start) / messages.max(1) as f64);
        }
    }
    progress(data, passes.into(), passes.into());
    let [parse_ns, book_ns, hinted_ns] = best;
    Rate {
        data: data.to_owned(),
        version,
        messages,
        orders,
        parse_ns,
        book_ns,
        hinted_ns,
        of_parse: hinted_ns / parse_ns,
    }
}

fn messages(file: &[u8]) -> impl Iterator<Item = &[u8]> {
    binary_file::Messages::new(file).map_while(Result::ok)
}

fn parsed(version: Version, file: &[u8]) {
    for message in messages(file) {
        let _ = black_box(itch::Message::parse(version, message));
    }
}

/// Books what it hears, a frame a message, and looks at every change of the best prices, as a strategy does.
struct Booking {
    book: Book,
    directory: Directory,
    seconds: u32,
    best: i64,
}

impl Listener for Booking {
    #[inline(always)]
    fn event(&mut self, event: &Event) {
        self.seconds = event.seconds;
        let instrument = self.directory.index(event);
        if let Some(change) = self.book.apply_to(instrument, event) {
            let after = change.after;
            if change.best_changed(Side::Buy) || change.best_changed(Side::Sell) {
                self.best = self.best.wrapping_add(after.bid.price ^ after.ask.price);
            }
        }
        self.book.verdict(true);
    }
}

/// Books a file; the instruments are numbered as its directory lists them. Returns the orders that are left.
fn booked<const HINTS: bool>(version: Version, file: &[u8], symbols: usize) -> u32 {
    match version {
        Version::V41 => booked_as::<HINTS, false>(file, symbols),
        Version::V50 => booked_as::<HINTS, true>(file, symbols),
    }
}

fn booked_as<const HINTS: bool, const V50: bool>(file: &[u8], symbols: usize) -> u32 {
    let version = if V50 { Version::V50 } else { Version::V41 };
    let mut booking = Booking {
        book: Book::new(symbols, Limits::UNLIMITED),
        directory: Directory::default(),
        seconds: 0,
        best: 0,
    };
    let mut hints = Hints::default();
    let mut ahead = messages(file);
    ahead.by_ref().take(Hints::DISTANCE).for_each(drop);
    for message in messages(file) {
        if HINTS
            && let Some(next) = ahead.next()
            && let Some(next) = decoder::itch::preview(version, next)
        {
            let instrument = next
                .locate
                .and_then(|locate| booking.directory.of_locate(locate));
            hints.give(&booking.book, instrument, next.order_id, next.limit);
        }
        let seconds = booking.seconds;
        let _ = decoder::itch::give(version, message, seconds, 0, true, &mut booking);
    }
    black_box(booking.best);
    booking.book.orders()
}

#[cfg(feature = "all-models")]
use lockstep::Lockstep as Hardware;

/// In place of the Verilated book, which this program was built without.
#[cfg(not(feature = "all-models"))]
#[derive(Default, Serialize)]
struct Hardware {
    /// Nothing was compared.
    messages_compared: Option<u64>,
    /// Nor measured.
    best_price_cycles: Option<u64>,
    interval_cycles: Option<u64>,
    /// Why.
    reason: &'static str,
}

#[cfg(not(feature = "all-models"))]
impl Hardware {
    fn messages(&mut self, _: &str, _: Version, _: &[u8], _: &[Option<Symbol>], _: Progress) {
        self.reason = "built without the Verilated book: cargo build --release --package tickwire --features all-models";
    }

    fn random(&mut self, _: u64, _: Progress) {}

    fn paced(&mut self, _: Progress) {}
}

/// The book held against a plain one.
#[derive(Debug, Default)]
struct Comparison {
    messages: u64,
    mismatches: u64,
    /// The first of each file, in words.
    faults: Vec<String>,
}

impl Comparison {
    /// Every message of a file; after each, the instrument that it is about: the best 16 levels of both sides. At the end all orders of all.
    fn run(&mut self, name: &str, version: Version, file: &[u8], progress: Progress) {
        let name = format!("comparing {name}");
        let of = messages(file).count() as u64;
        let (mut naive, mut directory) = (Naive::default(), Directory::default());
        let mut book = Book::new(0, Limits::UNLIMITED);
        let (mut seconds, mut faults) = (0, 0);
        for (number, message) in (0_u64..).zip(messages(file)) {
            if number.is_multiple_of(1 << 16) {
                progress(&name, number, of);
            }
            self.messages += 1;
            let touched = naive.message(version, message);
            let second = seconds;
            let mut take = |event: &Event| {
                seconds = event.seconds;
                let index = directory.index(event);
                while book.instruments() < directory.symbols().len() {
                    book.add_instrument();
                }
                book.apply_to(index, event);
                book.verdict(true);
            };
            let given = decoder::itch::give(version, message, second, number, true, &mut take);
            let equal = touched
                .is_none_or(|symbol| equal(&naive, &book, &directory, symbol, LEVELS))
                && given.is_ok();
            if !equal {
                self.mismatches += 1;
                faults += 1;
                if faults == 1 {
                    self.faults.push(format!("{name}: message {number}"));
                }
            }
        }
        let all = |symbol| equal(&naive, &book, &directory, symbol, usize::MAX);
        let whole = naive.orders() == book.orders() as usize && naive.symbols().all(all);
        self.mismatches += u64::from(!whole);
        progress(&name, of, of);
    }
}

/// Whether the best levels of an instrument are the same in both, and the best ones those that the book shows.
fn equal(naive: &Naive, book: &Book, directory: &Directory, symbol: Symbol, most: usize) -> bool {
    let Some(index) = directory.find(symbol) else {
        return false;
    };
    let top = book.top(index);
    [Side::Buy, Side::Sell].into_iter().all(|side| {
        let expected: Vec<Level> = naive.levels(symbol, side, most);
        let best = expected.first().copied().unwrap_or(Level::EMPTY);
        top.of(side) == best && book.levels(index, side).take(most).eq(expected)
    })
}

/// What a person is shown.
pub fn table(figures: &Value) -> String {
    let rate = |rate: &Value| {
        let ns = |name: &str| rate[name].as_f64().unwrap_or(f64::NAN);
        format!(
            "{:28} ITCH {:4} {:9} messages: parse {:5.1} ns, book {:5.1} ns, with hints {:5.1} ns ({:.1} times the parse)\n",
            rate["data"].as_str().unwrap_or_default(),
            rate["version"].as_str().unwrap_or_default(),
            rate["messages"],
            ns("parse_ns"),
            ns("book_ns"),
            ns("hinted_ns"),
            ns("of_parse"),
        )
    };
    let rates = figures["software"].as_array().into_iter().flatten();
    let mut text: String = rates.map(rate).collect();
    for wait in ["busy_poll", "blocking"] {
        let figures = &figures["tick_to_trade"][wait];
        let p50 = |name: &str| figures[name]["p50"].as_f64().unwrap_or(f64::NAN) / 1e3;
        text += &format!(
            "tick to trade over sockets, {wait}: p50 {:.1} µs, a bare echo {:.1} µs ({:.2} times)\n",
            p50("order_ns"),
            p50("echo_ns"),
            figures["over_echo"].as_f64().unwrap_or(f64::NAN),
        );
    }
    text += &format!(
        "{} messages compared with a plain book: {} differences",
        figures["messages_compared"], figures["mismatches"]
    );
    for (width, rate) in [("w64", "10 GbE"), ("w8", "1 GbE")] {
        let core = &figures[width];
        let (Some(most), Some(add)) = (
            core["last_first_cycles"]["max"].as_f64(),
            core["improving_add_cycles"]["max"].as_f64(),
        ) else {
            text += &format!(
                "\ntick to trade of the core, {rate}: {}",
                core["reason"].as_str().unwrap_or("not measured")
            );
            continue;
        };
        text += &format!(
            "\ntick to trade of the core, {rate}, {} orders compared: {most:.0} cycles at most, {add:.0} where an add improves the best price",
            core["orders_compared"]
        );
        text += &match core["last_first_ns"]["max"].as_f64() {
            Some(ns) => format!("; {ns:.1} ns"),
            None => "; never placed, so no nanoseconds".to_owned(),
        };
    }
    text += &format!(
        "\n{} mutated frames through the book: {} differences of any kind",
        figures["fuzz_frames"], figures["mismatches"]
    );
    let hardware = &figures["hardware"];
    if hardware["messages_compared"].is_u64() {
        text += &format!(
            "\n{} messages compared with the simulated hardware: {} differences",
            hardware["messages_compared"], hardware["mismatches"]
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generated_day_is_measured_and_the_book_is_the_plain_one() {
        let options = Options {
            aapl: PathBuf::from("/nowhere"),
            messages: 30_000,
            compared: 30_000,
            passes: 1,
            orders: 20,
            fuzz_frames: 400,
            traded: 400,
            out: PathBuf::from("/nowhere"),
        };
        let figures = bench_book(&options, &mut |_, _, _| ()).unwrap();
        assert_eq!(figures["mismatches"], 0, "{figures}");
        assert_eq!(figures["messages_compared"], 60_000);
        assert!(figures["ns_per_message"].as_f64().unwrap() > 0.0);
        let day = &figures["software"][0];
        assert_eq!(day["messages"], 30_000);
        assert!(figures["software_over_echo"].as_f64().unwrap() > 0.0);
        let table = table(&figures);
        assert!(table.contains("60000 messages compared"), "{table}");
        assert!(table.contains("tick to trade over sockets"), "{table}");
    }

    #[test]
    fn a_book_that_differs_is_found() {
        let settings = generate::Settings {
            version: Version::V50,
            symbols: 1,
            messages: 1_000,
            seconds: 10,
            seed: 1,
        };
        let file = generated_bytes(&settings).unwrap();
        let (mut naive, mut directory) = (Naive::default(), Directory::default());
        let mut book = Book::new(1, Limits::UNLIMITED);
        for message in messages(&file) {
            naive.message(Version::V50, message);
            let mut take = |event: &Event| {
                let index = directory.index(event);
                book.apply_to(index, event);
                book.verdict(true);
            };
            decoder::itch::give(Version::V50, message, 0, 0, true, &mut take).unwrap();
        }
        let symbol = generate::symbol(0);
        assert!(equal(&naive, &book, &directory, symbol, usize::MAX));
        let worst = naive.levels(symbol, Side::Buy, usize::MAX).len();
        let id = naive.worst(symbol, Side::Buy);
        let gone = Event {
            order_id: id,
            ..Event::new(wire::Kind::Delete, b'D')
        };
        book.apply(&gone).unwrap();
        assert!(!equal(&naive, &book, &directory, symbol, usize::MAX));
        assert!(equal(&naive, &book, &directory, symbol, worst - 1));
    }
}
