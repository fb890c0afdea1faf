//! The command `tickwire`.
fn main() {}
