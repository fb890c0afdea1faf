//! All tests of the crate in one program: each of several would have to be linked.

mod best_price;
mod stops;
