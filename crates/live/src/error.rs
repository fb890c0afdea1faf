//! What a desk at work can fail with; each text says what, where, and what to do about it.

use std::io;
use std::path::PathBuf;

use feed::socket::Endpoint;
use thiserror::Error;

use crate::desk::DeskError;

/// Why a desk cannot work, or cannot go on.
#[derive(Debug, Error)]
pub enum Error {
    /// The desk's file.
    #[error(transparent)]
    Desk(#[from] DeskError),
    /// A file of market data.
    #[error(transparent)]
    Source(#[from] feed::source::SourceError),
    /// A file that is to be read.
    #[error("{}: cannot read: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// A strategy that is not in the language, or whose parameters do not fit.
    #[error("{text}")]
    Strategy {
        /// A line for each thing that is wrong.
        text: String,
    },
    /// A core that refuses its setup.
    #[error(transparent)]
    Setup(#[from] cosim::SetupError),
    /// A core that trades, and the software beside it.
    #[error(transparent)]
    Trader(#[from] cosim::orders::Problem),
    /// A session with the core that cannot go on.
    #[error(transparent)]
    SharedSession(#[from] device::shared_session::Error<cosim::AxiError>),
    /// Stops for a core without any.
    #[error(
        "the desk has stops, and this core holds none: leave them out, or take a preset that does (tickwire info --presets)"
    )]
    NoStops,
    /// A TAP interface.
    #[error("TAP interface {name}: {cause}; it takes /dev/net/tun and CAP_NET_ADMIN")]
    Tap {
        /// Its name.
        name: String,
        /// What the system says.
        cause: io::Error,
    },
    /// A session whose orders do not fit.
    #[error("session: {0}")]
    Session(String),
    /// Two lines that cannot be arbitrated.
    #[error("arbitration: {0}")]
    Arbitration(#[from] crate::sockets::LinesError),
    /// The symbols.
    #[error("{0}")]
    Symbols(#[from] pipeline::ConfigError),
    /// Strategies that do not fit together.
    #[error(transparent)]
    Trading(#[from] pipeline::TradingError),
    /// A feed in FAST, and nothing that trades.
    #[error(
        "a feed in FAST takes a desk that trades: add [session] and [[strategy]], as in desks/order-log.toml"
    )]
    FastWithoutStrategy,
    /// A socket that cannot be opened.
    #[error("{endpoint}: cannot {action}: {cause}{}", hint(cause))]
    Socket {
        /// What for.
        action: &'static str,
        /// Where.
        endpoint: Endpoint,
        /// What the system says.
        cause: io::Error,
    },
    /// A socket that failed later.
    #[error("cannot receive: {0}")]
    Receive(io::Error),
    /// The store of a session.
    #[error("{}: {cause}", path.display())]
    Store {
        /// Its file.
        path: PathBuf,
        /// What it says.
        cause: session::StoreError,
    },
    /// What happened cannot be printed.
    #[error("cannot print: {0}")]
    Print(io::Error),
    /// A template file of FAST.
    #[error("{}: {cause}", path.display())]
    Templates {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        cause: fast::TemplateError,
    },
    /// A map from FAST fields to events that does not fit.
    #[error("{}: {cause}", path.display())]
    Map {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        cause: decoder::fast::MapError,
    },
}

impl From<device::Error<cosim::AxiError>> for Error {
    fn from(error: device::Error<cosim::AxiError>) -> Self {
        cosim::SetupError::from(error).into()
    }
}

/// What the user can do about a socket error, if it is not obvious.
fn hint(cause: &io::Error) -> &'static str {
    match cause.kind() {
        io::ErrorKind::AddrInUse => {
            "; another program listens there: stop it or choose another port"
        }
        io::ErrorKind::AddrNotAvailable => {
            "; no interface of this machine has that address (see ip address)"
        }
        io::ErrorKind::PermissionDenied => "; ports below 1024 need privileges",
        io::ErrorKind::NetworkUnreachable => {
            "; there is no route: name the interface, as ADDR:PORT@INTERFACE_ADDR"
        }
        _ => "",
    }
}
