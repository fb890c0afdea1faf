//! All tests of the crate in one program: each of several would have to be linked.

mod driver;
mod lines;
mod shared_session;
