//! A program in two machines, on the same events.

use super::steps;
use crate::event::Outcome;
use crate::machine::{Guarded, Machine, ParameterError, parameters};
use crate::program::Program;

/// The values of a program's parameters: their defaults, and this one where there is none.
///
/// # Errors
/// It is no value of that parameter's type.
pub fn values(program: &Program, without: i64) -> Result<Vec<i64>, ParameterError> {
    let missing = program
        .parameters
        .iter()
        .filter(|parameter| parameter.default.is_none());
    parameters(
        program,
        missing.map(|parameter| (parameter.name.as_str(), without)),
    )
}

/// Runs a program in two machines on the same random events, `count` of them: after each, what they give, their state, and whether a fault has stopped them must be the
/// same. `each` sees the other machine after each event.
///
/// # Errors
/// The first difference: the event and both sides.
pub fn agree<R: Machine, M: Machine>(
    program: &Program,
    (seed, count): (u64, usize),
    reference: &mut Guarded<R>,
    other: &mut Guarded<M>,
    mut each: impl FnMut(&M),
) -> Result<(), String> {
    let (mut expected, mut given) = (Outcome::of(program), Outcome::of(program));
    for (number, step) in steps(program, seed, count).iter().enumerate() {
        step.run(reference, &mut expected);
        step.run(other, &mut given);
        let differ = |what: &str, left: &dyn std::fmt::Debug, right: &dyn std::fmt::Debug| {
            Err(format!(
                "seed {seed}, step {number}, {step:?}: {what} {left:?}, not {right:?}"
            ))
        };
        if given != expected {
            return differ("it gives", &given, &expected);
        }
        let (state, right) = (other.state(), reference.state());
        if state != right {
            return differ("its state is", &state, &right);
        }
        if other.stopped() != reference.stopped() {
            return differ("stopped:", &other.stopped(), &reference.stopped());
        }
        each(other.machine());
    }
    Ok(())
}
