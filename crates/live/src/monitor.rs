//! Who watches a desk at work.

use crate::{Error, Notice};

/// Takes what a desk tells while it is read and while it works: the command line prints it.
pub trait Monitor {
    /// Takes a remark that is no result: what was passed over, what takes time.
    fn note(&self, text: &str);

    /// Takes what happened.
    ///
    /// # Errors
    /// It cannot be passed on ([`Error::Print`]): the desk ends.
    fn notice(&self, notice: &Notice) -> Result<(), Error>;
}
