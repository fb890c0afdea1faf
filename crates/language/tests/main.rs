//! All tests of the crate in one program: each of several would have to be linked.

#[path = "common/cases.rs"]
mod cases;
mod common;
mod cpython;
mod desks;
mod generated;
mod meaning;
mod messages;
mod pages;
