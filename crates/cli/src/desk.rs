//! A desk: one TOML file that says what feed to listen to, what to do with it, and where the result goes. It runs in hardware and
//! in software alike. `desks/itch-statistics.toml` explains every entry.

mod arbitration;
mod fast;
mod program;
pub mod session;
mod strategy;
mod traded;

use std::net::{Ipv4Addr, SocketAddrV4};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::{fs, io};

use device::BookWindow;
use feed::socket::{Endpoint, EndpointError};
use formats::Symbol;
use formats::ethernet::MacAddress;
use formats::event::SymbolError;
use formats::frame::NetConfig;
use formats::itch::Version;
use formats::report::ReportConfig;
use instrument::ITCH_PRICE_SCALE;
use serde::Deserialize;
use thiserror::Error;
use toml::Spanned;

use crate::commands::compile::Target;
use crate::error::Error;
pub use arbitration::Arbitration;
pub use fast::FastFeed;
pub use program::{INSTRUMENTS, Loaded, ToBacktest};
pub use session::Session;
use strategy::Decides;
pub use strategy::Strategy;

/// Group slots and port slots of the core.
const SLOTS: usize = 4;

/// What a desk file says.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Desk {
    /// What to listen to.
    pub feed: Feed,
    /// How its lines become one.
    #[serde(default)]
    pub arbitration: Arbitration,
    /// What to do with it.
    pub statistics: Statistics,
    /// Where reports go.
    pub report: Report,
    /// What else the core needs; the software leaves this to the kernel.
    #[serde(default)]
    pub core: CoreAddresses,
    /// The FIX session that orders leave by.
    pub session: Option<Spanned<Session>>,
    /// What decides on orders, in the order in which their orders leave.
    #[serde(default)]
    pub strategy: Vec<Spanned<Strategy>>,
    /// Its file, and what that says: for messages, and for files beside it.
    #[serde(skip)]
    source: Source,
}

/// Where a desk comes from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Source {
    path: PathBuf,
    text: String,
}

impl Source {
    /// Something is wrong at this place.
    fn fault(&self, span: &Range<usize>, fault: String) -> DeskError {
        let before = self.text.get(..span.start).unwrap_or(&self.text);
        DeskError::Content {
            path: self.path.clone(),
            line: before.matches('\n').count() + 1,
            column: before.rsplit('\n').next().unwrap_or("").chars().count() + 1,
            fault,
        }
    }
}

/// What a desk's file is called in a folder of its own.
pub const FILE: &str = "desk.toml";

/// What to listen to.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Feed {
    /// ITCH version, of a feed in ITCH.
    pub itch: Option<Version>,
    /// What a feed in FAST takes.
    pub fast: Option<FastFeed>,
    /// Lines A, B …: `GROUP_OR_ADDR:PORT[@INTERFACE_ADDR]`.
    pub lines: Vec<Spanned<Line>>,
    /// The server of snapshots, from which books are rebuilt that lost messages.
    pub snapshots: Option<Spanned<SocketAddrV4>>,
}

/// An endpoint, or why the text is none: an error of TOML's own would name the array's line, not the entry's.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "String")]
pub struct Line(Result<Endpoint, EndpointError>);

impl From<String> for Line {
    fn from(text: String) -> Self {
        Line(text.parse())
    }
}

/// Whether statistics start again at each second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// They do.
    #[default]
    Interval,
    /// They go on.
    Accumulate,
}

/// What to do with the feed.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statistics {
    /// The symbol slots, in order; an empty text leaves a slot empty.
    pub symbols: Vec<Spanned<Slot>>,
    /// Whether statistics start again at each second.
    #[serde(default)]
    pub mode: Mode,
}

/// A symbol slot, or why the text is none.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(from = "String")]
pub struct Slot(Result<Option<Symbol>, SymbolError>);

impl From<String> for Slot {
    fn from(text: String) -> Self {
        Slot(if text.is_empty() {
            Ok(None)
        } else {
            text.parse().map(Some)
        })
    }
}

/// Where reports go.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// Address and port.
    pub to: SocketAddrV4,
    /// MAC of the next hop; the core does not resolve it.
    #[serde(default = "receiver_mac")]
    pub mac: MacAddress,
}

/// The core's own addresses.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CoreAddresses {
    /// Its MAC.
    pub mac: MacAddress,
    /// Its IPv4 address.
    pub ip: Ipv4Addr,
    /// The port reports leave from.
    pub port: u16,
}

/// A locally administered address: "TW", 2.
const fn receiver_mac() -> MacAddress {
    MacAddress([0x02, 0x54, 0x57, 0x00, 0x00, 0x02])
}

impl Default for CoreAddresses {
    fn default() -> Self {
        let mac = MacAddress([0x02, 0x54, 0x57, 0x00, 0x00, 0x01]);
        Self {
            mac,
            ip: Ipv4Addr::new(192, 168, 77, 2),
            port: 26_500,
        }
    }
}

/// Why a desk cannot be used.
#[derive(Debug, Error)]
pub enum DeskError {
    /// The file cannot be read.
    #[error("{}: cannot read the desk: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// What it says is wrong.
    #[error("{}:{line}:{column}: {fault}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Column, from 1, in characters.
        column: usize,
        /// What is wrong there.
        fault: String,
    },
}

impl Desk {
    /// Reads and checks a desk: a file, or a folder with a `desk.toml`.
    ///
    /// # Errors
    /// The file cannot be read, or an entry is wrong: its line and column are named.
    pub fn open(path: &Path) -> Result<Self, DeskError> {
        let path = match path.is_dir() {
            true => path.join(FILE),
            false => path.to_owned(),
        };
        let text = fs::read_to_string(&path).map_err(|cause| DeskError::Read {
            path: path.clone(),
            cause,
        })?;
        let source = Source { path, text };
        match Self::parse(&source.text) {
            Ok(desk) => Ok(Desk { source, ..desk }),
            Err((span, fault)) => Err(source.fault(&span, fault)),
        }
    }

    /// The desk in a text, or the fault and where it is.
    pub(crate) fn parse(text: &str) -> Result<Self, (Range<usize>, String)> {
        let desk: Desk = toml::from_str(text).map_err(|error| {
            (
                error.span().unwrap_or(0..0),
                error.message().trim().to_owned(),
            )
        })?;
        desk.check()?;
        Ok(desk)
    }

    /// Checks that involve several entries.
    fn check(&self) -> Result<(), (Range<usize>, String)> {
        let lines = &self.feed.lines;
        if lines.is_empty() {
            return Err((
                0..0,
                "feed.lines is empty: name at least one line, like \"239.77.1.1:26400\"".into(),
            ));
        }
        if let Some(line) = lines.get(SLOTS) {
            return Err((
                line.span(),
                format!("more than {SLOTS} lines; the core has {SLOTS} group and port slots"),
            ));
        }
        for (index, line) in lines.iter().enumerate() {
            let endpoint = line.get_ref().0.as_ref();
            let address = endpoint
                .map_err(|error| (line.span(), error.to_string()))?
                .address;
            if address.port() == 0 {
                return Err((line.span(), format!("line {address}: port 0 is none")));
            }
            let same = |other: &Endpoint| other.address == address;
            if lines[..index]
                .iter()
                .flat_map(|other| &other.get_ref().0)
                .any(same)
            {
                return Err((line.span(), format!("line {address} is named twice")));
            }
        }
        if let Some(snapshots) = &self.feed.snapshots
            && snapshots.get_ref().port() == 0
        {
            let server = snapshots.get_ref();
            return Err((
                snapshots.span(),
                format!("snapshots {server}: port 0 is none"),
            ));
        }
        match (&self.feed.itch, &self.feed.fast) {
            (Some(_), None) => {}
            (None, Some(fast)) => {
                fast.check()?;
                let request_server = self.arbitration.request_server();
                if let Some(of_itch) = request_server
                    .map(|_| "a request server speaks MoldUDP64: leave request_server out")
                    .or_else(|| {
                        let snapshots = self.feed.snapshots.as_ref();
                        snapshots.map(|_| {
                            "feed.snapshots is a server as GLIMPSE: name the lines in feed.fast.snapshots"
                        })
                    })
                {
                    return Err((0..0, format!("the feed is FAST: {of_itch}")));
                }
            }
            _ => {
                let fault = "[feed] has either itch = \"5.0\" (or 4.1), or a section [feed.fast]";
                return Err((0..0, fault.into()));
            }
        }
        self.arbitration.check()?;
        if let Some(session) = &self.session {
            if self.feed.itch.is_some() {
                let fits = session.get_ref().fits_core();
                fits.map_err(|fault| (session.span(), fault))?;
            }
            let decimals = self.feed.itch.map(|_| ITCH_PRICE_SCALE);
            session.get_ref().check_instruments(decimals)?;
            // Lengths and scales do not depend on the clock; that of 10 GbE has more cycles.
            let orders = session.get_ref().orders(&[], 6_400);
            orders.map_err(|fault| (session.span(), fault))?;
        }
        for strategy in &self.strategy {
            let session = self.session.as_ref().map(Spanned::get_ref);
            let checked = strategy.get_ref().check(session);
            checked.map_err(|fault| (strategy.span(), fault))?;
        }
        let is_file = |one: &&Spanned<Strategy>| matches!(one.get_ref(), Strategy::File(_));
        let mut after = self.strategy.iter().skip_while(|one| !is_file(one));
        if let Some(late) = after.find(|one| !is_file(one)) {
            let fault = "a strategy with kind after one with file: put those with kind first, for their orders leave first";
            return Err((late.span(), fault.into()));
        }
        let slots = &self.statistics.symbols;
        if let Some(slot) = slots.get(instrument::MAX_INSTRUMENTS) {
            let most = instrument::MAX_INSTRUMENTS;
            return Err((slot.span(), format!("more than {most} symbols")));
        }
        for (index, slot) in slots.iter().enumerate() {
            let symbol = slot.get_ref().0;
            let symbol = symbol.map_err(|error| (slot.span(), error.to_string()))?;
            let Some(symbol) = symbol else { continue };
            if slots[..index]
                .iter()
                .any(|other| other.get_ref().0 == Ok(Some(symbol)))
            {
                return Err((slot.span(), format!("symbol {symbol} is named twice")));
            }
        }
        Ok(())
    }

    /// The lines, A first.
    pub fn lines(&self) -> Vec<Endpoint> {
        self.feed
            .lines
            .iter()
            .filter_map(|line| line.get_ref().0.clone().ok())
            .collect()
    }

    /// The pipeline's configuration.
    pub fn pipeline(&self) -> pipeline::Config {
        pipeline::Config {
            // Of a feed in FAST it is not used.
            version: self.feed.itch.unwrap_or(Version::V50),
            accumulate: self.statistics.mode == Mode::Accumulate,
            symbols: self
                .statistics
                .symbols
                .iter()
                .filter_map(|slot| slot.get_ref().0.ok())
                .collect(),
        }
    }

    /// The pipeline of its strategies beside that of its statistics, `pipeline`; `None`: it has none. Times are in microseconds.
    ///
    /// # Errors
    /// What does not fit, and what to change.
    pub fn trading(
        &self,
        pipeline: &pipeline::Config,
    ) -> Result<Option<(pipeline::TradingConfig, session::Orders)>, String> {
        match &self.session {
            Some(session) if self.trades() || self.has_stops() => {
                let strategies = self.strategy.iter().map(Spanned::get_ref);
                strategy::trading(session.get_ref(), strategies, pipeline).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Refuses a strategy that keeps one order in the market, where no exchange answers.
    ///
    /// # Errors
    /// What to change.
    pub fn refuse_single(&self) -> Result<(), Error> {
        let mut strategies = self.strategy.iter().map(Spanned::get_ref);
        let checked = strategies.try_for_each(Strategy::refuse_single);
        checked.map_err(Error::Session)
    }

    /// Decimals of the feed's prices: those of ITCH, or in FAST those of its instruments, which are the map's.
    pub fn price_scale(&self) -> u8 {
        let session = self.session.as_ref().filter(|_| self.feed.itch.is_none());
        let mut traded = session
            .iter()
            .flat_map(|session| session.get_ref().traded());
        let on_feed = traded.find(|traded| traded.feed);
        on_feed.map_or(ITCH_PRICE_SCALE, |traded| traded.decimals)
    }

    /// Whether it has a strategy.
    pub fn trades(&self) -> bool {
        !self.strategy.is_empty()
    }

    /// Whether it has a strategy in the language.
    pub fn has_program(&self) -> bool {
        let mut strategies = self.strategy.iter().map(Spanned::get_ref);
        strategies.any(|strategy| matches!(strategy, Strategy::File(_)))
    }

    /// What a core needs to run its strategy; `target`: what one in the language becomes.
    pub fn slot(&self, target: Target) -> cosim::Strategy {
        match (self.has_program(), target) {
            (false, _) => cosim::Strategy::BestPrice,
            (true, Target::Processor) => cosim::Strategy::Processor,
            (true, Target::Module) => cosim::Strategy::External,
        }
    }

    /// Whether an instrument has its prices on the session alone.
    pub fn has_session_prices(&self) -> bool {
        let session = self.session.as_ref().map(Spanned::get_ref);
        session.is_some_and(|session| session.traded().any(|traded| !traded.feed))
    }

    /// Whether it has stops.
    pub fn has_stops(&self) -> bool {
        let session = self.session.as_ref().map(Spanned::get_ref);
        session.is_some_and(|session| !session.stops.is_empty())
    }

    /// What the core and the software beside it get of a desk with a strategy. `cycle_picoseconds` is the core's clock's; `first_price` is asked for a
    /// price near the market of a symbol whose window the desk leaves out. `target`: what a strategy in the language becomes.
    ///
    /// # Errors
    /// What does not fit the core, and what to change; that of `first_price`.
    pub fn in_core(
        &self,
        pipeline: &pipeline::Config,
        cycle_picoseconds: u64,
        target: Target,
        first_price: impl Fn(Symbol) -> Result<Option<u32>, Error>,
    ) -> Result<cosim::orders::Desk, Error> {
        let session = self.session.as_ref().map(Spanned::get_ref);
        let session = session.ok_or_else(|| Error::Session("the desk has none".into()))?;
        let [strategy] = &self.strategy[..] else {
            return Err(Error::Session(
                "the core holds one strategy: leave the others out, or let tickwire run run them"
                    .into(),
            ));
        };
        let decides = match strategy.get_ref() {
            Strategy::BestPrice(strategy) => Decides::BestPrice(strategy),
            Strategy::File(file) => {
                let program = self.program_in_core(file, session, &pipeline.symbols, target)?;
                Decides::Program(Box::new(program))
            }
        };
        let mut desk = strategy::in_core(session, decides, pipeline, cycle_picoseconds)
            .map_err(Error::Session)?;
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

    const GOOD: &str = "[feed]\nitch = \"5.0\"\nlines = [\"239.77.1.1:26400\"]\n\
                        [statistics]\nsymbols = [\"AAPL\", \"\"]\n[report]\nto = \"127.0.0.1:26501\"\n";

    /// Line of the fault, and the fault.
    fn fault(text: &str) -> (usize, String) {
        let (span, fault) = Desk::parse(text).unwrap_err();
        (text[..span.start].matches('\n').count() + 1, fault)
    }

    #[test]
    fn a_desk_gives_the_handler_its_slots_in_order() {
        let pipeline = Desk::parse(GOOD).unwrap().pipeline();
        assert_eq!(pipeline.symbols, [Some("AAPL".parse().unwrap()), None]);
        assert_eq!(
            (pipeline.version, pipeline.accumulate),
            (Version::V50, false)
        );
    }

    #[test]
    fn the_example_desk_is_good() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../desks/itch-statistics.toml");
        let desk = Desk::open(&path).unwrap();
        assert_eq!(desk.lines().len(), 2);
    }

    #[test]
    fn the_example_desk_that_trades_is_good() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../desks/best-price.toml");
        let desk = Desk::open(&path).unwrap();
        let (config, _) = desk.trading(&desk.pipeline()).unwrap().unwrap();
        assert_eq!(config.strategies.len(), 1);
        assert!(pipeline::Trading::new(&config).is_ok());
    }

    #[test]
    fn lines_fill_the_slots_of_the_core_without_repeating() {
        let lines = "\"239.77.1.1:26400\", \"239.77.1.2:26400\", \"192.168.77.2:9\"";
        let desk = Desk::parse(&GOOD.replace("\"239.77.1.1:26400\"", lines)).unwrap();
        let (net, none) = (desk.net(), Ipv4Addr::UNSPECIFIED);
        let [first, second] = [Ipv4Addr::new(239, 77, 1, 1), Ipv4Addr::new(239, 77, 1, 2)];
        assert_eq!(net.groups, [first, second, none, none]);
        assert_eq!(net.ports, [26_400, 9, 0, 0]);
    }

    #[test]
    fn each_fault_is_found_in_its_line() {
        for (from, to, line, says) in [
            ("\"5.0\"", "\"6.0\"", 2, "unknown variant"),
            ("[feed]", "[feed]\nlanes = 1", 2, "unknown field"),
            ("239.77.1.1:26400", "239.77.1.1", 3, "is not ADDR:PORT"),
            ("239.77.1.1:26400", "239.77.1.1:0", 3, "port 0"),
            ("1:26400\"", "1:26400\",\n\"239.77.1.1:26400\"", 4, "twice"),
            ("400\"]", "400\"]\nsnapshots = \"127.0.0.1:0\"", 4, "port 0"),
            (
                "400\"]",
                "400\"]\nsnapshots = \"localhost\"",
                4,
                "socket address",
            ),
            ("AAPL", "TOOLONGNAME", 5, "at most 8"),
            ("\"AAPL\"", "\"AAPL\",\n\"AAPL\"", 6, "AAPL is named twice"),
            ("to = ", "from = ", 7, "unknown field"),
            ("127.0.0.1:26501", "localhost:1", 7, "socket address"),
        ] {
            let text = GOOD.replacen(from, to, 1);
            assert_ne!(text, GOOD);
            let (found, fault) = fault(&text);
            assert!(
                found == line && fault.contains(says),
                "{to}: line {found}: {fault}"
            );
        }
    }
}
