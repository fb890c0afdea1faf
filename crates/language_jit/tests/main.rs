//! All tests of the crate in one program: each of several would have to be linked.

#[path = "../../language/tests/common/cases.rs"]
mod cases;
mod desks;
mod meaning;
mod random;
