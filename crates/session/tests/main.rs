//! All tests of the crate in one program: each of several would have to be linked.

mod acceptance;
mod dictionary;
mod journal;
mod logon;
mod session;
mod store;
mod validation;
