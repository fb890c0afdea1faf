//! A trader at an exchange over FIX 4.2 and 4.4.
//!
//! | module | what it does |
//! |---|---|
//! | [`command`] | what a person types |
//! | [`account`] | own orders, prices and stop orders, changed by commands and messages; no input or output |
//! | [`prices`] | best prices of an instrument |
//! | [`trader`] | an account and its session |
//! | [`notice`] | what a trader is shown, in words and as JSON |
//! | [`lines`] | lines in, lines out |
//! | [`screen`] | the terminal screen: its state, how it is drawn, and the terminal |
#![forbid(unsafe_code)]

pub mod account;
pub mod command;
pub mod lines;
pub mod notice;
pub mod prices;
pub mod screen;
pub mod trader;

pub use account::Account;
pub use command::{Command, Order};
pub use notice::Notice;
pub use trader::{EndReason, Trader};
