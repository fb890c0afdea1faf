//! A program in two machines, on the same events.

use super::steps;
use language::event::Outcome;
use language::machine::{Guarded, Machine, ParameterError, parameters};
use language::program::Program;

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

#[cfg(test)]
mod tests {
    use super::*;
    use language::check::{Options, compile};
    use language::interpreter::Interpreter;

    /// Records a parameter, and keeps it.
    const RECORDS: &str = "from tickwire import Book, Strategy, param, state


class Records(Strategy):
    value: int = param(1)
    kept: int = state(0)

    def on_book(self, book: Book) -> None:
        self.kept = self.value % 2
        self.emit(1, self.value // 3)
";

    fn agrees(value: i64) -> Result<(), String> {
        let program = compile(RECORDS, &Options::default()).expect("it is in the language");
        let machine = |value| Guarded::new(Interpreter::new(program.clone(), vec![value]), true);
        // Of some seeds the first event sets the parameters.
        (0..9).try_for_each(|seed| {
            let (mut reference, mut other) = (machine(1), machine(value));
            agree(&program, (seed, 40), &mut reference, &mut other, |_| {})
        })
    }

    #[test]
    fn what_a_machine_gives_and_keeps_is_compared() {
        assert_eq!(agrees(1), Ok(()));
        let gives = agrees(7).expect_err("another record");
        assert!(gives.contains("it gives"), "{gives}");
        let keeps = agrees(2).expect_err("the same record, another state");
        assert!(keeps.contains("its state is"), "{keeps}");
    }
}
