//! What runs a desk: sockets and the path in software, or a core on a network.

use std::sync::atomic::AtomicBool;

use crate::{Error, Monitor};

/// What runs a desk.
pub trait Backend {
    /// What it came to.
    type Outcome;

    /// Takes what comes and does what is due, again and again, until it is at its end or `stop` is set.
    ///
    /// # Errors
    /// It cannot go on, or cannot tell what happened.
    fn work(&mut self, stop: &AtomicBool, monitor: &dyn Monitor) -> Result<(), Error>;

    /// Passes on what is held, and tells what its session came to.
    ///
    /// # Errors
    /// As [`Backend::work`].
    fn finish(&mut self, monitor: &dyn Monitor) -> Result<Self::Outcome, Error>;
}

/// Runs a desk to its end.
///
/// # Errors
/// As [`Backend::work`].
pub fn run<B: Backend>(
    backend: &mut B,
    stop: &AtomicBool,
    monitor: &dyn Monitor,
) -> Result<B::Outcome, Error> {
    backend.work(stop, monitor)?;
    backend.finish(monitor)
}
