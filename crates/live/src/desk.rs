//! A desk: one TOML file that says what feed to listen to, what to do with it, and where the result goes. It runs in hardware and
//! in software alike. `desks/itch-statistics.toml` explains every entry.

mod arbitration;
mod check;
mod fast;
mod in_core;
mod program;
pub mod session;
mod strategy;
mod traded;

use std::net::{Ipv4Addr, SocketAddrV4};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::{fs, io};

use feed::socket::{Endpoint, EndpointError};
use formats::Symbol;
use formats::ethernet::MacAddress;
use formats::event::SymbolError;
use formats::itch::Version;
use instrument::ITCH_PRICE_SCALE;
use serde::Deserialize;
use thiserror::Error;
use toml::Spanned;

use crate::Error;
pub use arbitration::Arbitration;
pub use fast::{FastFeed, FastSetup, read_templates};
pub use in_core::Target;
pub use program::{INSTRUMENTS, Loaded, ToBacktest, compile};
pub use session::Session;
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
struct Source {
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
    pub fn open(path: &Path) -> Result<Self, Error> {
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
            Err((span, fault)) => Err(source.fault(&span, fault).into()),
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

    fn session(&self) -> Option<&Session> {
        self.session.as_ref().map(Spanned::get_ref)
    }

    fn strategies(&self) -> impl Iterator<Item = &Strategy> {
        self.strategy.iter().map(Spanned::get_ref)
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
        match self.session() {
            Some(session) if self.trades() || self.has_stops() => {
                strategy::trading(session, self.strategies(), pipeline).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Refuses a strategy that keeps one order in the market, where no exchange answers.
    ///
    /// # Errors
    /// What to change.
    pub fn refuse_single(&self) -> Result<(), Error> {
        let checked = self.strategies().try_for_each(Strategy::refuse_single);
        checked.map_err(Error::Session)
    }

    /// Decimals of the feed's prices: those of ITCH, or in FAST those of its instruments, which are the map's.
    pub fn price_scale(&self) -> u8 {
        let session = self.session().filter(|_| self.feed.itch.is_none());
        let on_feed = session.and_then(|session| session.traded().find(|traded| traded.feed));
        on_feed.map_or(ITCH_PRICE_SCALE, |traded| traded.decimals)
    }

    /// Whether it has a strategy.
    pub fn trades(&self) -> bool {
        !self.strategy.is_empty()
    }

    /// Whether it has a strategy in the language.
    pub fn has_program(&self) -> bool {
        self.strategies()
            .any(|strategy| matches!(strategy, Strategy::File(_)))
    }

    /// Whether an instrument has its prices on the session alone.
    pub fn has_session_prices(&self) -> bool {
        self.session()
            .is_some_and(|session| session.traded().any(|traded| !traded.feed))
    }

    /// Whether an instrument has its prices on the feed.
    pub fn has_feed_prices(&self) -> bool {
        self.session()
            .is_some_and(|session| session.traded().any(|traded| traded.feed))
    }

    /// Whether it has stops.
    pub fn has_stops(&self) -> bool {
        self.session()
            .is_some_and(|session| !session.stops.is_empty())
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
