//! A desk at work: the file that describes it, and what runs it.
//!
//! | module | what it does |
//! |---|---|
//! | [`desk`] | the file: reads it, checks it, and gives what pipeline, core and session need |
//! | [`sockets`] | a desk on sockets: lines, the path in software, the FIX session |
//! | [`tap`] | a desk on the simulated core, on a TAP interface |
//! | [`notice`] | what it tells, in words and as JSON |
//! | [`restart`] | what a session that begins again had open and held |
//! | [`parameters`] | the parameters of a strategy, as they are written |
#![forbid(unsafe_code)]

mod backend;
mod causes;
pub mod desk;
mod error;
mod monitor;
pub mod notice;
pub mod parameters;
mod rebuild;
mod recording;
pub mod restart;
pub mod sockets;
pub mod tap;

pub use backend::{Backend, run};
pub use causes::NotTaken;
pub use desk::{Desk, Target};
pub use error::Error;
pub use monitor::Monitor;
pub use notice::Notice;
pub use recording::Recording;

/// The example of the crate's page.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
