//! What the command can fail with.

use std::io;
use std::path::PathBuf;

/// Why a command failed: exit code 1. (Usage errors are clap's: exit code 2.)
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file, or what `tickwire` does.
    #[error(transparent)]
    Command(#[from] tickwire::Error),
    /// A measurement.
    #[error(transparent)]
    Measure(#[from] report::Error),
    /// A measurement of FAST.
    #[error("FAST: {0}")]
    Fast(#[from] figures::fast::Error),
    /// A file that is to be written.
    #[error("{}: cannot write: {cause}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// An exchange that was to be measured.
    #[error("cannot measure orders to an exchange and back: {0}")]
    RoundTrip(io::Error),
    /// A framing that hardware does not have.
    #[error(
        "--framing block: the engines in hardware take messages back to back, or after Moscow's preamble"
    )]
    BlockFraming,
    /// A FAST engine in hardware that differs from the software decoder.
    #[error("hardware and software differ: {0}")]
    FastDiffers(String),
    /// A chart that cannot be drawn.
    #[error("cannot draw the chart: {0}")]
    Chart(report::chart::Failure),
    /// A model's setting.
    #[error("cannot be modelled: {0}")]
    Model(#[from] figures::arbitration_model::SettingError),
    /// Frames that hardware and software take differently.
    #[error("hardware and software differ: {0}")]
    Fuzz(#[from] Box<lockstep::fuzz::Failure>),
    /// Orders that hardware and software take differently.
    #[error("hardware and software differ: {0}")]
    FuzzOrders(#[from] Box<lockstep::orders::Failure>),
}
