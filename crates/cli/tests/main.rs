//! The command `tickwire` as its users run it: one program, as each of several would have to be linked.

mod book;
mod common;
mod damaged_files;
mod exchange;
mod fast;
mod fast_day;
mod files;
mod full_disk;
mod generated_log;
mod help;
mod loopback;
mod new_desk;
mod order_log;
mod presets;
mod price_levels;
mod recorded_day;
mod screen;
mod simulation;
mod snapshots;
mod strategies;
mod strategy_desks;
mod trading;
mod two_lines;
