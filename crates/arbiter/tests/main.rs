//! All tests of the crate in one program: each of several would have to be linked.

mod allocation;
mod arbiter;
