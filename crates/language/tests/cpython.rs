//! The same file under plain CPython gives the same intents, records, faults and state as the interpreter.

mod common;

use common::{Job, cpython, run};
use language::generate::{program, steps};
use language::{Guarded, Interpreter, compile, parameters};

const PROGRAMS: u64 = 150;
const STEPS: usize = 30;

fn compare(seeds: std::ops::Range<u64>) {
    let folder = tempfile::tempdir().unwrap();
    let mut jobs = Vec::new();
    let mut expected = Vec::new();
    for seed in seeds.clone() {
        let source = program(seed);
        let path = folder.path().join(format!("program_{seed}.py"));
        std::fs::write(&path, &source.text).unwrap();
        let program = compile(&source.text, &source.options)
            .unwrap_or_else(|messages| panic!("seed {seed}:\n{}\n{messages}", source.text));
        let steps = steps(&program, seed, STEPS);
        let fault_stops = seed.is_multiple_of(2);
        let values = parameters(&program, []).unwrap();
        expected.push(run(
            &mut Guarded::new(Interpreter::new(program, values), fault_stops),
            &steps,
        ));
        jobs.push(Job {
            path,
            options: source.options,
            parameters: Vec::new(),
            fault_stops,
            steps,
        });
    }
    let given = cpython(&jobs);
    assert_eq!(given.len(), jobs.len() * STEPS);
    for ((seed, expected), given) in seeds.zip(expected).zip(given.chunks(STEPS)) {
        for (number, (expected, given)) in expected.iter().zip(given).enumerate() {
            assert_eq!(
                given,
                expected,
                "seed {seed}, step {number}\n{}",
                program(seed).text
            );
        }
    }
}

#[test]
fn random_programs_give_the_same_under_cpython() {
    compare(0..PROGRAMS);
}

#[test]
#[ignore = "minutes: run it after a change of the package tickwire"]
fn three_thousand_programs_give_the_same_under_cpython() {
    for first in (PROGRAMS..3_000).step_by(150) {
        compare(first..first + 150);
    }
}
