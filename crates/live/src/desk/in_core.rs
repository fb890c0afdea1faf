//! What a core gets of a desk: its strategy, its books, the frames that are its own.

use std::net::Ipv4Addr;

use cosim::orders::{DeskInstrument, Program};
use device::BookWindow;
use feed::socket::Endpoint;
use formats::Symbol;
use formats::frame::NetConfig;
use formats::report::ReportConfig;
use pipeline::BestPrice;

use super::strategy::{AtBestPrice, best_price};
use super::{Desk, SLOTS, Session, Strategy};
use crate::Error;

/// What a strategy in the language becomes in a core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Target {
    /// A program of the strategy processor.
    #[default]
    Processor,
    /// A module in SystemVerilog.
    Module,
}

impl Desk {
    /// What a core needs to run its strategy; `target`: what one in the language becomes.
    pub fn slot(&self, target: Target) -> cosim::Strategy {
        match (self.has_program(), target) {
            (false, _) => cosim::Strategy::BestPrice,
            (true, Target::Processor) => cosim::Strategy::Processor,
            (true, Target::Module) => cosim::Strategy::External,
        }
    }

    /// What the core and the software beside it get of a desk with a strategy. `cycle_picoseconds` is the core's clock's; `first_price` is asked for a
    /// price near the market of a symbol whose window the desk leaves out. `target`: what a strategy in the language becomes.
    ///
    /// # Errors
    /// What does not fit the core, and what to change; that of `first_price`.
    pub fn in_core<E: From<Error>>(
        &self,
        pipeline: &pipeline::Config,
        cycle_picoseconds: u64,
        target: Target,
        first_price: impl Fn(Symbol) -> Result<Option<u32>, E>,
    ) -> Result<cosim::orders::Desk, E> {
        let session = self
            .session()
            .ok_or_else(|| Error::Session("the desk has none".into()))?;
        let [strategy] = &self.strategy[..] else {
            return Err(Error::Session(
                "the core holds one strategy: leave the others out, or let tickwire run run them"
                    .into(),
            )
            .into());
        };
        let decides = match strategy.get_ref() {
            Strategy::BestPrice(strategy) => Decides::BestPrice(strategy),
            Strategy::File(file) => {
                let program = self.program_in_core(file, session, &pipeline.symbols, target)?;
                Decides::Program(Box::new(program))
            }
        };
        let mut desk =
            in_core(session, decides, pipeline, cycle_picoseconds).map_err(Error::Session)?;
        for (traded, index) in session.traded().zip(session.indices(&pipeline.symbols)) {
            let instrument = &mut desk.instruments[usize::from(index)];
            let Some(symbol) = instrument.read.feed.filter(|_| traded.window.is_none()) else {
                continue;
            };
            if let (Some(price), Some(window)) = (first_price(symbol)?, instrument.window) {
                let window = BookWindow::around(price, window.tick_size());
                let window =
                    window.map_err(|error| Error::Session(format!("{symbol}: {error}")))?;
                instrument.window = Some(window);
            }
        }
        Ok(desk)
    }

    /// Which frames are the core's: those to the groups and ports of the lines, and to its own address.
    pub fn net(&self) -> NetConfig {
        self.net_of(&self.lines())
    }

    /// The same for other lines.
    pub fn net_of(&self, lines: &[Endpoint]) -> NetConfig {
        let mut net = NetConfig {
            local_mac: self.core.mac,
            local_ip: self.core.ip,
            groups: [Ipv4Addr::UNSPECIFIED; SLOTS],
            ports: [0; SLOTS],
        };
        let addresses = lines.iter().map(|line| *line.address.ip());
        fill(&mut net.groups, addresses.filter(Ipv4Addr::is_multicast));
        fill(&mut net.ports, lines.iter().map(|line| line.address.port()));
        net
    }

    /// Where the core's reports go.
    pub const fn report_config(&self) -> ReportConfig {
        ReportConfig {
            destination_mac: self.report.mac,
            destination_ip: *self.report.to.ip(),
            source_port: self.core.port,
            destination_port: self.report.to.port(),
        }
    }
}

/// What decides in a core.
enum Decides<'a> {
    /// A strategy that the core has.
    BestPrice(&'a AtBestPrice),
    /// One in the language.
    Program(Box<Program>),
}

/// What the core and the software beside it get alike. The core holds one strategy. `cycle_picoseconds` is its clock's.
fn in_core(
    session: &Session,
    decides: Decides<'_>,
    pipeline: &pipeline::Config,
    cycle_picoseconds: u64,
) -> Result<cosim::orders::Desk, String> {
    // Of a file, the names on the session are the comparison's own.
    session.session_names_fit_core()?;
    let symbols = &pipeline.symbols;
    let mut orders = session.orders(symbols, cycle_picoseconds)?;
    let (strategy, program) = match decides {
        Decides::BestPrice(strategy) => (best_price(session, symbols, strategy)?, None),
        Decides::Program(program) => {
            let most = device::orders::MESSAGE_BYTES;
            orders.templates = session.templates_in_force(symbols, most)?;
            (BestPrice::default(), Some(*program))
        }
    };
    let mut instruments: Vec<_> = symbols
        .iter()
        .map(|symbol| DeskInstrument {
            read: symbol.map(device::Instrument::of_feed).unwrap_or_default(),
            window: None,
            limits: None,
        })
        .collect();
    for ((index, limits, read), window) in orders.instruments.into_iter().zip(orders.windows) {
        let index = usize::from(index);
        if instruments.len() <= index {
            instruments.resize_with(index + 1, DeskInstrument::default);
        }
        instruments[index] = DeskInstrument {
            read,
            window,
            limits: Some(limits),
        };
    }
    Ok(cosim::orders::Desk {
        version: pipeline.version,
        instruments,
        templates: orders.templates,
        names: [session.sender.clone(), session.target.clone()],
        limits: orders.limits,
        strategy,
        program,
    })
}

/// Puts each value into a slot of its own, once.
fn fill<T: Copy + PartialEq>(slots: &mut [T; SLOTS], values: impl Iterator<Item = T>) {
    let mut used = 0;
    for value in values {
        if used < SLOTS && !slots[..used].contains(&value) {
            slots[used] = value;
            used += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fill_the_slots_of_the_core_without_repeating() {
        let lines = "\"239.77.1.1:26400\", \"239.77.1.2:26400\", \"192.168.77.2:9\"";
        let desk = format!(
            "[feed]\nitch = \"5.0\"\nlines = [{lines}]\n[statistics]\nsymbols = []\n[report]\nto = \"127.0.0.1:26501\"\n"
        );
        let desk = Desk::parse(&desk).unwrap();
        let (net, none) = (desk.net(), Ipv4Addr::UNSPECIFIED);
        let [first, second] = [Ipv4Addr::new(239, 77, 1, 1), Ipv4Addr::new(239, 77, 1, 2)];
        assert_eq!(net.groups, [first, second, none, none]);
        assert_eq!(net.ports, [26_400, 9, 0, 0]);
    }
}
