//! The Verilated core against its twin in software, and as this crate offers it.

mod common;
mod lines;

mod book_keeper;
mod fuzz;
mod generated_data;
mod hardware_twin;
mod interface;
mod latency;
mod line_rate;
mod orders;
mod real_data;
mod two_lines;
mod two_lines_changes;
mod two_lines_load;
