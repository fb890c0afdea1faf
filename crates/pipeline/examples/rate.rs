//! Nanoseconds a message of each step of the software path, single thread, over a BinaryFILE:
//! `cargo run --release -p pipeline --example rate -- FILE 5.0`.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use formats::itch::{self, AddOrder, AddOrderMpid, Head, Message, Version, Visitor};
use formats::{Source, Symbol, binary_file, mold};
use instrument::Table;
use pipeline::{Config, Pipeline};

/// Loads every field the filter needs, and the time of every message.
struct Filter<'a> {
    table: &'a Table,
    hits: u64,
    sum: u64,
    time: u64,
}

impl Visitor for Filter<'_> {
    #[inline(always)]
    fn head(&mut self, _: u8, head: Head) {
        self.time = self.time.wrapping_add(head.nanoseconds);
    }

    #[inline(always)]
    fn add_order(&mut self, m: AddOrder) {
        if self.table.index(Source::Feed, m.stock).is_some() {
            self.hits += 1;
            self.sum += u64::from(m.price) + u64::from(m.shares) + m.side as u64;
        }
    }

    #[inline(always)]
    fn add_order_mpid(&mut self, m: AddOrderMpid) {
        if self.table.index(Source::Feed, m.stock).is_some() {
            self.hits += 1;
            self.sum += u64::from(m.price) + u64::from(m.shares) + m.side as u64;
        }
    }
}

fn best(name: &str, messages: usize, mut run: impl FnMut()) {
    let time = |run: &mut dyn FnMut()| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64() * 1e9 / messages as f64
    };
    let mut times: Vec<f64> = (0..41).map(|_| time(&mut run)).collect();
    times.sort_by(f64::total_cmp);
    println!(
        "{name:32} {:6.2} ns a message (median {:.2})",
        times[0], times[20]
    );
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, path, version] = &arguments[..] else {
        eprintln!("usage: rate FILE 4.1|5.0");
        return ExitCode::FAILURE;
    };
    let version = if version == "4.1" {
        Version::V41
    } else {
        Version::V50
    };
    let file = match std::fs::read(path) {
        Ok(file) => file,
        Err(error) => {
            eprintln!("{path}: {error}");
            return ExitCode::FAILURE;
        }
    };
    let count = binary_file::Messages::new(&file).count();
    let symbol: Symbol = Symbol(*b"AAPL    ");
    let mut symbols = vec![Some(symbol)];
    symbols.extend((0..15).map(|index| Some(Symbol::from_u64(index + 1))));
    let table = Table::of_feed(&symbols);

    best("parse to Message", count, || {
        for message in binary_file::Messages::new(&file).flatten() {
            let _ = black_box(Message::parse(version, message));
        }
    });
    best("parse to Event", count, || {
        for message in binary_file::Messages::new(&file).flatten() {
            let _ = black_box(decoder::itch::event(version, message, 0, 0, false));
        }
    });
    best("parse and filter (visit)", count, || {
        let mut filter = Filter {
            table: &table,
            hits: 0,
            sum: 0,
            time: 0,
        };
        for message in binary_file::Messages::new(&file).flatten() {
            itch::visit(version, message, &mut filter);
        }
        black_box((filter.hits, filter.sum, filter.time));
    });
    for size in [1, 20] {
        let mut builder = mold::Builder::new(*b"RATE      ", 1);
        let mut datagrams = vec![];
        for message in binary_file::Messages::new(&file).flatten() {
            let _ = builder.push(message);
            if builder.count() == size {
                datagrams.push(builder.bytes().to_vec());
                builder.next_packet();
            }
        }
        let config = Config {
            version,
            accumulate: false,
            symbols: symbols.clone(),
        };
        let Ok(pipeline) = Pipeline::new(config) else {
            return ExitCode::FAILURE;
        };
        best(&format!("pipeline, {size} a datagram"), count, || {
            let mut pipeline = pipeline.clone();
            for datagram in &datagrams {
                if pipeline.datagram(datagram).report_due {
                    pipeline.report().into_iter().flatten().for_each(|part| {
                        black_box(part);
                    });
                }
            }
            black_box(pipeline.counters());
        });
    }
    ExitCode::SUCCESS
}
