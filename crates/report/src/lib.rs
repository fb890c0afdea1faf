//! Latency as `docs/concepts/hardware.md` defines it, of the simulated core and of the software pipeline, side by side.
//!
//! | module | what it does |
//! |---|---|
//! | [`distribution`] | minimum, mean, percentiles, maximum, standard deviation |
//! | [`packets`] | a recording in memory, as packets with their times |
//! | [`hardware`] | packets through the Verilated core and its twin |
//! | [`lines`] | packets on two lines with loss and skew through the Verilated core |
//! | [`line_comparison`] | the same two lines under every setting of the arbiter |
//! | [`software`] | packets through the software pipeline, or a bare echo, over real UDP sockets |
//! | [`mod@compare`] | both on the same packets, heartbeat by heartbeat; CSV |
//! | [`html`] | the HTML report |
//! | [`mod@fast_lines`] | a FAST feed on two lines through the core and its ring in memory |
//! | [`tick_to_trade`] | a datagram in, an order out over TCP, in software, beside a bare echo |
//! | [`trading`] | the packets of a recording through core and software that trade; each order's latency |
//! | [`mod@demo`] | what `make demo` shows |
//!
//! Latency is last→first: last byte of the frame that begins a second, to first byte of the report. For the core both are at
//! its MII, in cycles; for software from the call that gives the datagram to the kernel, to the return of the
//! call that takes the report.
#![forbid(unsafe_code)]

pub mod chart;
pub mod compare;
pub mod demo;
pub mod distribution;
pub mod fast_lines;
pub mod hardware;
pub mod html;
pub mod line_comparison;
pub mod lines;
pub mod packets;
pub mod placed;
pub mod profit;
pub mod software;
pub mod stops;
pub mod tick_to_trade;
pub mod trading;

pub use compare::{Comparison, compare};
pub use demo::demo;
pub use fast_lines::{FastLines, fast_lines};
pub use line_comparison::{LineComparison, compare_lines};
pub use trading::{TradingComparison, compare_orders};

/// Why a measurement was not made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The market data cannot be read.
    #[error(transparent)]
    Source(#[from] feed::source::SourceError),
    /// The core or the pipeline refused its configuration.
    #[error(transparent)]
    Setup(#[from] cosim::SetupError),
    /// Hardware and software differ.
    #[error("hardware and software differ: {0}")]
    Mismatch(#[from] cosim::Mismatch),
    /// A core that trades, and the software beside it.
    #[error(transparent)]
    Trader(#[from] cosim::orders::Problem),
    /// FAST on two lines: hardware and software differ, or there is nothing to send.
    #[error("FAST on two lines: {0}")]
    FastLines(String),
    /// The core with a ring in host memory.
    #[error(transparent)]
    Ring(#[from] cosim::fast_ring::RingError),
    /// A strategy that is not in the language.
    #[error("strategy {0}")]
    Strategy(String),
    /// Orders that cannot be measured.
    #[error("orders: {0}")]
    Orders(String),
    /// Lines that lose packets, and no core for them.
    #[error("--loss plays lines A and B; no core that does what this desk needs has two lines")]
    OneLine,
    /// Nothing to measure.
    #[error(
        "no order leaves on this data ({0} refused by risk): does the desk's strategy watch a symbol that is in it?"
    )]
    NoOrders(
        /// Orders that risk refused.
        u64,
    ),
    /// A packet is longer than a frame can carry.
    #[error("{0}")]
    Packet(#[from] formats::frame::PayloadTooLong),
    /// A socket failed.
    #[error("sockets: {0}")]
    Socket(std::io::Error),
    /// This machine has no AF_XDP, or no pair of devices for it.
    #[error("AF_XDP was not measured: {0}")]
    AfXdp(#[from] device::af_xdp::Unavailable),
    /// A result cannot be written.
    #[error("{path}: {cause}")]
    Write {
        /// The file.
        path: std::path::PathBuf,
        /// What the system says.
        cause: std::io::Error,
    },
    /// The two lines requested are impossible.
    #[error("lines: {0}")]
    Lines(String),
    /// There is nothing to measure.
    #[error("no second begins in this data: nothing to measure")]
    Nothing,
}

/// What is being done, its progress, and its length: for progress bars. Called often.
pub type Progress<'a> = &'a mut dyn FnMut(&str, u64, u64);

/// Writes a file, and makes its folder where there is none.
///
/// # Errors
/// [`Error::Write`].
pub fn write(path: &std::path::Path, content: &[u8]) -> Result<(), Error> {
    let written = path
        .parent()
        .map_or(Ok(()), std::fs::create_dir_all)
        .and_then(|()| std::fs::write(path, content));
    written.map_err(|cause| Error::Write {
        path: path.to_owned(),
        cause,
    })
}
