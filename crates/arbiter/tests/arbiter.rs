//! The arbiter checked against what must hold of it, not against another arbiter: random lines, real lines, and each rule by hand.

#[path = "arbiter/checker.rs"]
mod checker;
#[path = "arbiter/lines.rs"]
mod lines;
#[path = "arbiter/micex.rs"]
mod micex;
#[path = "arbiter/overlapping.rs"]
mod overlapping;
#[path = "arbiter/random.rs"]
mod random;
#[path = "arbiter/rules.rs"]
mod rules;
