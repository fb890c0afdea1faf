//! The subcommands, one a file.

pub mod generate;
pub mod info;
pub mod replay;
pub mod run;
