//! All tests of the crate in one program: each of several would have to be linked.

mod computed;
mod ledger;
mod rules;
mod working;
