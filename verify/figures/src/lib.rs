//! The figures of the README and of `docs/reference/figures.md`, as `make bench` writes them to `out/bench/`.
//!
//! | module | what it measures |
//! |---|---|
//! | [`mod@foundation`] | the market-data path: latency of both cores, rates, sockets, fuzzing |
//! | [`mod@rate`] | how fast ITCH is parsed and filtered |
//! | [`mod@arbiter`] | A/B arbitration against its rules and its software |
//! | [`arbitration_model`] | what A/B arbitration should take, by formulas |
//! | [`mod@session`] | the matching engine, the FIX codec, orders to an exchange and back |
//! | [`mod@fix_ack`] | FIX orders to an exchange and back, beside QuickFIX |
//! | [`mod@codec`] | the FIX codec alone |
//! | [`mod@book`] | the order book, in software and in the core |
//! | [`mod@fast`] | FAST in software, and the microcode engine |
//! | [`mod@fast_wire`] | the wire-rate engine of FAST |
//! | [`strategies`] | strategies in the language |
#![forbid(unsafe_code)]

pub mod arbiter;
pub mod arbitration_model;
pub mod book;
pub mod codec;
pub mod fast;
pub mod fast_wire;
pub mod fix_ack;
pub mod foundation;
pub mod rate;
pub mod session;
pub mod strategies;

pub use self::book::bench_book;
pub use self::fast::bench_fast;
pub use arbiter::bench_arbiter;
pub use foundation::bench_foundation;
pub use report::{Error, Progress};
pub use session::bench_session;
pub use strategies::bench_strategies;
