//! The subcommands, one a file.

pub mod backtest;
pub mod bench;
pub mod book;
pub mod check;
pub mod client;
pub mod compile;
pub mod demo;
pub mod exchange;
pub mod fast;
pub mod fuzz;
pub mod generate;
pub mod info;
pub mod measure;
pub mod model;
pub mod new;
mod rebuild;
pub mod replay;
pub mod report;
pub mod run;
pub mod sim;
mod tap;
