//! All tests of the crate in one program: each of several would have to be linked.

#[path = "../examples/best_ask.rs"]
mod best_ask;
mod example;
mod naive;
mod programs;
mod rules;
mod trading;
