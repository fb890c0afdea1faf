//! A program of your own: it reads a capture, keeps the book of one instrument, and sends an order whenever its best ask changes. Here an order is a line
//! on standard output: `cargo run -p pipeline --example best_ask -- FILE.pcap AAPL`.

use std::error::Error;
use std::io::{self, Write};
use std::path::Path;

use feed::PacketSource;
use feed::source::{CaptureReader, Options};
use formats::Side;
use formats::fix::Timestamp;
use formats::itch::Version;
use order::report::Dropped;
use order::{Description, Instrument, Number, Templates};
use pipeline::{BestPrice, Decision, OrderSink, Traded, Trading, TradingConfig};
use risk::{InstrumentLimits, Kill, Limits, Refusal};
use strategy::best_price::Parameters;

/// Where orders go: FIX messages, a line each.
struct Lines<W>(W, u64);

impl<W: Write> OrderSink for Lines<W> {
    fn next(&mut self) -> Result<(Number, Timestamp), Dropped> {
        self.1 += 1;
        Ok((
            Number::new(self.1).map_err(|_| Dropped::Number)?,
            Timestamp(0),
        ))
    }

    fn send(&mut self, _: &Decision, _: Number, message: &[u8]) {
        let _ = writeln!(self.0, "{}", message.escape_ascii());
    }

    fn refused(&mut self, decision: &Decision, reason: Refusal) {
        eprintln!("message {}: refused: {reason}", decision.sequence);
    }

    fn dropped(&mut self, decision: &Decision, reason: Dropped) {
        eprintln!("message {}: dropped: {reason}", decision.sequence);
    }
}

/// Reads the capture, and writes the orders to `out`.
pub fn run(capture: &Path, symbol: &str, out: impl Write) -> Result<(), Box<dyn Error>> {
    let listed = Instrument {
        symbol: symbol.into(),
        decimals: 4,
    };
    let templates = Templates::compile(&Description::new("ME", "EXCHANGE", vec![listed]), 256)?;
    let limits = Limits {
        kill: Kill::default(),
        max_quantity: 100,
        max_notional: 10_000_000_000, // of 1/10,000 dollar, as all prices
        rate_orders: 255,
        rate_window: 1,
        max_open_orders: u16::MAX,
    };
    let instrument = InstrumentLimits {
        enable: true,
        collar: 50_000,
        position: 1_000_000,
        reference_price: Some(5_850_000),
        ..InstrumentLimits::default()
    };
    let mut trading = Trading::new(&TradingConfig {
        version: Version::V50,
        instruments: vec![Some(Traded::on_feed(symbol.parse()?, 100, instrument))],
        book: book::Limits::UNLIMITED,
        limits,
        templates,
        strategies: vec![BestPrice {
            parameters: Parameters {
                instrument: 0,
                side: Side::Buy,
                enabled: true,
                single: false,
            },
            quantity: 100,
        }],
        stops: vec![],
    })?;
    trading.set_session(true);
    trading.set_kill(Kill::default());

    let mut orders = Lines(out, 0);
    let mut packets = CaptureReader::open(capture, Options::default())?;
    let mut count = 0;
    while let Some(packet) = packets.next_packet()? {
        trading.datagram(packet.payload, count, &mut orders);
        count += 1;
    }
    eprintln!(
        "{count} packets; the best prices are {:?}",
        trading.book().top(0)
    );
    Ok(())
}

#[allow(dead_code, reason = "the tests call `run`")]
fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, capture, symbol] = &arguments[..] else {
        return Err("which capture, and which symbol? best_ask FILE.pcap AAPL".into());
    };
    run(Path::new(capture), symbol, io::stdout())
}
