//! All tests of the crate in one program: each of several would have to be linked.

mod generate;
mod loopback;
mod recovery;
mod snapshot;
mod source;
