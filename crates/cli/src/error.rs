//! What the command can fail with; each text says what, where, and what to do about it.

use std::io;
use std::path::PathBuf;

use feed::replay::ReplayError;
use feed::source::SourceError;
use thiserror::Error;

/// Why a command failed: exit code 1. (Usage errors are clap's: exit code 2.)
#[derive(Debug, Error)]
pub enum Error {
    /// A file of market data.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A desk, at rest or at work.
    #[error(transparent)]
    Live(live::Error),
    /// A replay.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// A file that is to be written.
    #[error("{}: cannot write: {cause}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// A new desk where there is something already.
    #[error("{}: there is something of this name already: take another name", path.display())]
    DeskThere {
        /// The folder.
        path: PathBuf,
    },
    /// A file that is no comparison.
    #[error("{}: line {}: not a comparison: {cause}; tickwire report takes comparison.json, as tickwire demo and tickwire measure write it; the page of a tick_to_trade.json is report.html beside it", path.display(), cause.line())]
    Comparison {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        cause: serde_json::Error,
    },
    /// A latency of a backtest that was not measured.
    #[error("--latency {text}")]
    Latency {
        /// Which, and why.
        text: String,
    },
    /// A strategy on a recorded day.
    #[error(transparent)]
    Backtest(#[from] backtest::BacktestError),
    /// A core or a pipeline that refuses its setup.
    #[error(transparent)]
    Setup(#[from] cosim::SetupError),
    /// A measurement.
    #[error(transparent)]
    Measure(#[from] report::Error),
    /// A preset that does not fit what was asked for.
    #[error("preset {name}: {why}; tickwire info --presets lists them all")]
    Preset {
        /// As it was given.
        name: String,
        /// What does not fit.
        why: &'static str,
    },
    /// Options of line B, and a strategy.
    #[error(
        "a desk with a strategy is simulated on line A alone: leave out the options of two lines"
    )]
    OneLine,
    /// Stops where no session brings their prices.
    #[error(
        "the desk has stops beside its strategies: leave them out here; tickwire run holds them in software, tickwire sim --tap in the core"
    )]
    Stops,
    /// A target, and nothing that has one.
    #[error(
        "--target is what a strategy in a file becomes: name a desk with [[strategy]] file = \"strategy.py\", or leave it out"
    )]
    Target,
    /// Losses on two lines, and no feed in FAST that is traded on.
    #[error(
        "--loss is of a desk that trades on a feed in FAST; tickwire sim --line-b --loss does it with statistics on ITCH"
    )]
    LossOfFast,
    /// AF_XDP, and no desk that trades.
    #[error(
        "--wait af-xdp is of a desk that trades: give --desk with [session] and [[strategy]], as in desks/best-price.toml"
    )]
    AfXdpOfDesk,
    /// A core that trades, and the software beside it.
    #[error(transparent)]
    Trader(#[from] cosim::orders::Problem),
    /// A server of snapshots that cannot listen.
    #[error("exchange: cannot listen for who wants a snapshot at {address}: {cause}")]
    Snapshots {
        /// Where.
        address: std::net::SocketAddr,
        /// What the system says.
        cause: io::Error,
    },
    /// An exchange that cannot begin, or cannot go on.
    #[error("exchange: {0}")]
    Exchange(#[from] exchange::ServerError),
    /// Instruments that cannot be traded.
    #[error("exchange: {0}")]
    Listing(#[from] exchange::ListingError),
    /// An exchange at which anyone could trade.
    #[error(
        "exchange: {client} has no password, and {address} is not loopback; write --client {client}:PASSWORD"
    )]
    NoPassword {
        /// The client.
        client: String,
        /// Where to listen.
        address: std::net::SocketAddr,
    },
    /// A durability that needs a file.
    #[error("exchange: --durability process and power take --journal FOLDER")]
    NoJournal,
    /// A file, and a durability that has none.
    #[error(
        "exchange: --durability memory keeps nothing: leave out --journal, or choose process or power"
    )]
    JournalInMemory,
    /// A screen without a terminal.
    #[error(
        "the screen needs a terminal, and there is none; --lines reads lines from standard input and prints lines, --json prints JSON"
    )]
    NoTerminal,
    /// A book to be followed without a terminal.
    #[error(
        "--follow needs a terminal, and there is none; without it the book is printed, --csv and --parquet write every change"
    )]
    NoScreen,
    /// A file without an order.
    #[error(
        "{}: no order enters in this file, so it has no book; tickwire info shows what it has",
        path.display()
    )]
    NoBook {
        /// The file.
        path: PathBuf,
    },
    /// A symbol that the file does not have.
    #[error("{}: no symbol {symbol} in this file; it has {has}", path.display())]
    NoSymbol {
        /// The file.
        path: PathBuf,
        /// As it was asked for.
        symbol: formats::Symbol,
        /// Those that it has.
        has: String,
    },
    /// One symbol is needed, and the file has several.
    #[error("{}: choose one symbol with --symbols; the file has {has}", path.display())]
    OneSymbol {
        /// The file.
        path: PathBuf,
        /// Those that it has.
        has: String,
    },
    /// A time or a message that the file does not have.
    #[error("{}: {what} is not in this file: it has {range}", path.display())]
    NoSuchPoint {
        /// The file.
        path: PathBuf,
        /// What was asked for.
        what: String,
        /// From where to where it goes.
        range: String,
    },
    /// The connection of a client to its exchange.
    #[error(
        "{address}: {cause}; tickwire exchange listens at 127.0.0.1:9880 unless told otherwise"
    )]
    Connection {
        /// The exchange.
        address: std::net::SocketAddr,
        /// What the system says.
        cause: io::Error,
    },
    /// A session that ended although the client had more to do.
    #[error("the exchange ended the session: {0}")]
    LoggedOut(String),
    /// A template that a file does not have.
    #[error("--template {id}: {} has {}", path.display(), list(has))]
    NoTemplate {
        /// The file.
        path: PathBuf,
        /// As it was given.
        id: u32,
        /// Those that it has.
        has: Vec<u32>,
    },
    /// A template file that the exchange cannot publish with.
    #[error("{}: {cause}", path.display())]
    Layout {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        cause: exchange::publish::fast::LayoutError,
    },
    /// Templates that the wire-rate engine cannot do with a map.
    #[error("{}: no template for the wire-rate engine: {cause}", path.display())]
    WireRate {
        /// The map's file.
        path: PathBuf,
        /// Why.
        cause: decoder::fast::WireRateError,
    },
    /// A line that is no FAST message.
    #[error("{}: line {line}: {cause}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What is wrong.
        cause: String,
    },
    /// FAST packets that could not be decoded.
    #[error("{}: {count} {} dropped; the first: {first}; are --templates and --framing those of this feed?", path.display(), if *count == 1 { "packet" } else { "packets" })]
    Dropped {
        /// The file.
        path: PathBuf,
        /// How many.
        count: u64,
        /// The first, and what is wrong with it.
        first: String,
    },
    /// A file whose messages cannot be put into packets.
    #[error(
        "{}: none of {messages} messages has a number by {}: name their template there, and its field as sequence",
        path.display(), map.display()
    )]
    NoNumber {
        /// The file.
        path: PathBuf,
        /// Its messages.
        messages: u64,
        /// The map's file.
        map: PathBuf,
    },
    /// A capture of another feed than the desk's.
    #[error(
        "{}: none of {packets} packets is of the desk's feed: {malformed} are not what its templates say, {faulty} not what {} says; --port chooses those to one port",
        path.display(), map.display()
    )]
    OtherFeed {
        /// The file.
        path: PathBuf,
        /// Its packets.
        packets: u64,
        /// Those that are malformed.
        malformed: u32,
        /// Those with a fault by the map.
        faulty: u32,
        /// The map's file.
        map: PathBuf,
    },
    /// A capture without a datagram.
    #[error("{}: no UDP datagram in this capture, or none to that port (--port)", path.display())]
    NoDatagrams {
        /// The file.
        path: PathBuf,
    },
    /// Standard output.
    #[error("cannot print: {0}")]
    Print(io::Error),
}

/// Identifiers in a sentence.
fn list(ids: &[u32]) -> String {
    if ids.is_empty() {
        return "no template with an id".into();
    }
    let ids: Vec<String> = ids.iter().map(u32::to_string).collect();
    ids.join(", ")
}

impl From<live::Error> for Error {
    fn from(error: live::Error) -> Self {
        match error {
            live::Error::Print(cause) => Error::Print(cause),
            other => Error::Live(other),
        }
    }
}

impl Error {
    /// Whether the reader of standard output is gone (`tickwire … | head`), which is no failure.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, Error::Print(cause) if cause.kind() == io::ErrorKind::BrokenPipe)
    }
}
