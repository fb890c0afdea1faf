//! The same file under plain CPython gives the same intents, records, faults and state as the interpreter.

use crate::common;
use common::{Job, cpython, run};
use language::{Guarded, Interpreter, Options, compile, parameters};
use language_random::{Source, mutated, program, steps};

const PROGRAMS: u64 = 150;
const STEPS: usize = 30;

fn compare(seeds: impl Iterator<Item = u64>, source_of: impl Fn(u64) -> Source) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let (mut jobs, mut expected, mut sources) = (Vec::new(), Vec::new(), Vec::new());
    for seed in seeds {
        let source = source_of(seed);
        let options = Options {
            operations: 10_000,
            ..source.options
        };
        let Ok(program) = compile(&source.text, &options) else {
            continue;
        };
        let path = folder.path().join(format!("program_{seed}.py"));
        std::fs::write(&path, &source.text).unwrap();
        let steps = steps(&program, seed, STEPS);
        let fault_stops = seed.is_multiple_of(2);
        let without = program
            .parameters
            .iter()
            .filter(|parameter| parameter.default.is_none());
        let given: Vec<(String, i64)> = without
            .map(|parameter| (parameter.name.clone(), 0))
            .collect();
        let values = parameters(
            &program,
            given.iter().map(|(name, value)| (name.as_str(), *value)),
        )
        .unwrap();
        expected.push(run(
            &mut Guarded::new(Interpreter::new(program, values), fault_stops),
            &steps,
        ));
        jobs.push(Job {
            path,
            options: source.options,
            parameters: given,
            fault_stops,
            steps,
        });
        sources.push((seed, source.text));
    }
    let given = cpython(&jobs);
    assert_eq!(given.len(), jobs.len() * STEPS);
    for (((seed, text), expected), given) in sources.iter().zip(expected).zip(given.chunks(STEPS)) {
        for (number, (expected, given)) in expected.iter().zip(given).enumerate() {
            assert_eq!(given, expected, "seed {seed}, step {number}\n{text}");
        }
    }
    jobs.len()
}

#[test]
fn random_programs_give_the_same_under_cpython() {
    assert_eq!(compare(0..PROGRAMS, program), PROGRAMS as usize);
}

/// Whatever the checker passes, CPython must not see otherwise.
#[test]
fn mutated_programs_that_pass_give_the_same_under_cpython() {
    assert!(compare(0..2 * PROGRAMS, mutated) > 20);
}

#[test]
#[ignore = "minutes: run it after a change of the package tickwire or of the checker"]
fn thousands_of_programs_give_the_same_under_cpython() {
    for first in (PROGRAMS..3_000).step_by(150) {
        compare(first..first + 150, program);
        compare(2 * first..2 * first + 300, mutated);
    }
}
