//! Random programs on random events: machine code gives the same as the interpreter.

use language::{Guarded, Interpreter, Options, Program, compile};
use language_jit::Compiled;
use language_random::{Source, agree, mutated, program, values};

const PROGRAMS: u64 = 1_000;
const STEPS: usize = 40;

fn compare(seed: u64) {
    let source = program(seed);
    let program = compile(&source.text, &source.options)
        .unwrap_or_else(|messages| panic!("seed {seed}:\n{}\n{messages}", source.text));
    run(seed, &source, &program);
}

fn run(seed: u64, source: &Source, program: &Program) {
    // Mutations may take a default away.
    let values = values(program, 0).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    let stops = seed.is_multiple_of(2);
    let mut reference = Guarded::new(Interpreter::new(program.clone(), values.clone()), stops);
    let compiled = Compiled::new(program, values)
        .unwrap_or_else(|error| panic!("seed {seed}: {error}\n{}", source.text));
    let mut compiled = Guarded::new(compiled, stops);
    agree(
        program,
        (seed, STEPS),
        &mut reference,
        &mut compiled,
        |_| {},
    )
    .unwrap_or_else(|difference| panic!("{difference}\n{}", source.text));
}

#[test]
fn a_thousand_programs_do_as_interpreted() {
    for seed in 0..PROGRAMS {
        compare(seed);
    }
}

/// What is read as something else than it was, is the same for both; and nothing makes the checker panic.
#[test]
fn mutated_programs_are_refused_or_do_as_interpreted() {
    let mut accepted = 0;
    for seed in 0..PROGRAMS {
        let source = mutated(seed);
        let options = Options {
            operations: 10_000,
            ..source.options
        };
        match compile(&source.text, &options) {
            Ok(program) => {
                accepted += 1;
                if accepted <= PROGRAMS / 20 {
                    run(seed, &source, &program);
                }
            }
            Err(messages) => assert!(!messages.0.is_empty()),
        }
    }
    assert!(
        (PROGRAMS / 10..PROGRAMS).contains(&accepted),
        "{accepted} accepted"
    );
}

#[test]
#[ignore = "minutes: run it after a change of the translator"]
fn fifty_thousand_programs_do_as_interpreted() {
    for seed in PROGRAMS..50 * PROGRAMS {
        compare(seed);
    }
}
