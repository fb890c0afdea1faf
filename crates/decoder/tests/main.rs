//! All tests of the crate in one program: each of several would have to be linked.

mod data;
mod fast;
mod fix;
mod itch;
#[path = "../../formats/tests/messages/mod.rs"]
mod messages;
