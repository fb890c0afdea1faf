//! The book against a plain one, and what it does by the words of its documentation.

mod aapl;
mod examples;
mod generated;
mod hints;
mod levels;
mod messages;
mod naive;
mod random;
