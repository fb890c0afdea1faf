//! How fast ITCH is parsed, filtered and goes through the pipeline: one thread, a BinaryFILE in memory.

use std::hint::black_box;
use std::time::Instant;

use formats::itch::{self, Version};
use formats::{Source, Symbol, binary_file, mold};
use instrument::Table;
use pipeline::Pipeline;
use serde::Serialize;

/// Nanoseconds a message: the best of several passes, as the machine is shared.
#[derive(Clone, Debug, Serialize)]
pub struct Rate {
    /// What was parsed.
    pub data: String,
    /// Its ITCH.
    pub version: Version,
    /// Messages in it.
    pub messages: u64,
    /// Into plain structs, each field of each message.
    pub parse_ns: f64,
    /// Time of every message, symbol looked up in a table of 16, price and shares where it is there.
    pub parse_filter_ns: f64,
    /// The pipeline: MoldUDP64 with 20 messages a datagram, statistics, reports.
    pub handler_ns: f64,
}

impl Rate {
    /// Messages parsed and filtered in a second.
    pub fn messages_per_s(&self) -> f64 {
        1e9 / self.parse_filter_ns
    }
}

/// Measures on `file`; `passes` of each, at least one.
pub fn measure(data: &str, version: Version, file: &[u8], symbols: &[Symbol], passes: u32) -> Rate {
    let messages = || binary_file::Messages::new(file).map_while(Result::ok);
    let count = messages().count() as u64;
    let slots: Vec<Option<Symbol>> = symbols.iter().copied().map(Some).collect();
    let table = Table::of_feed(&slots);
    let best = |run: &mut dyn FnMut()| {
        let pass = || {
            let start = Instant::now();
            run();
            start.elapsed().as_secs_f64() * 1e9 / count.max(1) as f64
        };
        std::iter::repeat_with(pass)
            .take(passes.max(1) as usize)
            .fold(f64::INFINITY, f64::min)
    };
    let parse_ns = best(&mut || {
        for message in messages() {
            let _ = black_box(itch::Message::parse(version, message));
        }
    });
    let parse_filter_ns = best(&mut || {
        let mut filter = Filter {
            table: &table,
            sum: 0,
        };
        for message in messages() {
            itch::visit(version, message, &mut filter);
        }
        black_box(filter.sum);
    });
    let datagrams = datagrams(messages(), 20);
    let config = pipeline::Config {
        version,
        accumulate: false,
        symbols: slots,
    };
    let handler_ns = Pipeline::new(config).map_or(f64::NAN, |pipeline| {
        best(&mut || {
            let mut pipeline = pipeline.clone();
            for datagram in &datagrams {
                if pipeline.datagram(datagram).report_due {
                    pipeline.report().into_iter().flatten().for_each(|part| {
                        black_box(part);
                    });
                }
            }
            black_box(pipeline.counters());
        })
    });
    Rate {
        data: data.to_owned(),
        version,
        messages: count,
        parse_ns,
        parse_filter_ns,
        handler_ns,
    }
}

fn datagrams<'a>(messages: impl Iterator<Item = &'a [u8]>, size: u16) -> Vec<Vec<u8>> {
    let mut builder = mold::Builder::new(*b"RATE      ", 1);
    let mut datagrams = vec![];
    for message in messages {
        let full = builder.push(message).is_err() || builder.count() == size;
        if full {
            datagrams.push(builder.bytes().to_vec());
            builder.next_packet();
        }
    }
    datagrams.push(builder.bytes().to_vec());
    datagrams
}

/// Loads what the strategy needs, and the time of every message.
struct Filter<'a> {
    table: &'a Table,
    sum: u64,
}

impl Filter<'_> {
    #[inline(always)]
    fn order(&mut self, stock: Symbol, side: formats::Side, price: u32, shares: u32) {
        if let Some(slot) = self.table.index(Source::Feed, stock) {
            self.sum = self
                .sum
                .wrapping_add(u64::from(price) + u64::from(shares) + side as u64 + u64::from(slot));
        }
    }
}

impl itch::Visitor for Filter<'_> {
    #[inline(always)]
    fn head(&mut self, _: u8, head: itch::Head) {
        self.sum = self.sum.wrapping_add(head.nanoseconds);
    }

    #[inline(always)]
    fn add_order(&mut self, m: itch::AddOrder) {
        self.order(m.stock, m.side, m.price, m.shares);
    }

    #[inline(always)]
    fn add_order_mpid(&mut self, m: itch::AddOrderMpid) {
        self.order(m.stock, m.side, m.price, m.shares);
    }
}
