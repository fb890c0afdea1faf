//! The arbiter checked against what must hold of it, not against another arbiter: random lines, real lines, and each rule by hand.

mod checker;
mod lines;
mod micex;
mod overlapping;
mod random;
mod rules;
