//! All tests of the crate in one program: each of several would have to be linked.

mod allocation;
mod common;
mod engine;
mod fast;
mod feeds;
mod full_disk;
mod gateway;
mod hostile;
mod journal;
mod price_requests;
mod replay;
mod restart;
#[path = "common/running.rs"]
mod running;
mod server;
mod snapshots;
mod unsupported;
mod versions;
