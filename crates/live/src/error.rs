//! What a desk at work can fail with; each text says what, where, and what to do about it.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::desk::DeskError;

/// Why a desk cannot work, or cannot go on.
#[derive(Debug, Error)]
pub enum Error {
    /// The desk's file.
    #[error(transparent)]
    Desk(#[from] DeskError),
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
    /// A session whose orders do not fit.
    #[error("session: {0}")]
    Session(String),
    /// Two lines that cannot be arbitrated.
    #[error("arbitration: {0}")]
    Arbitration(#[from] crate::arbitration::LinesError),
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
