//! Random programs on random events: machine code gives the same as the interpreter.

use language::event::Outcome;
use language::generate::{program, steps};
use language::{Guarded, Interpreter, Machine, compile, parameters};
use language_jit::Compiled;

const PROGRAMS: u64 = 1_000;
const STEPS: usize = 40;

fn compare(seed: u64) {
    let source = program(seed);
    let program = compile(&source.text, &source.options)
        .unwrap_or_else(|messages| panic!("seed {seed}:\n{}\n{messages}", source.text));
    let values = parameters(&program, []).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    let stops = seed.is_multiple_of(2);
    let mut reference = Guarded::new(Interpreter::new(program.clone(), values.clone()), stops);
    let compiled = Compiled::new(&program, values)
        .unwrap_or_else(|error| panic!("seed {seed}: {error}\n{}", source.text));
    let mut compiled = Guarded::new(compiled, stops);
    let (mut expected, mut given) = (Outcome::of(&program), Outcome::of(&program));
    for (number, step) in steps(&program, seed, STEPS).iter().enumerate() {
        step.run(&mut reference, &mut expected);
        step.run(&mut compiled, &mut given);
        assert_eq!(
            given, expected,
            "seed {seed}, step {number}: {step:?}\n{}",
            source.text
        );
        assert_eq!(
            compiled.state(),
            reference.state(),
            "seed {seed}, step {number}: {step:?}\n{}",
            source.text
        );
        assert_eq!(compiled.stopped(), reference.stopped());
    }
}

#[test]
fn a_thousand_programs_do_as_interpreted() {
    for seed in 0..PROGRAMS {
        compare(seed);
    }
}

#[test]
#[ignore = "minutes: run it after a change of the translator"]
fn fifty_thousand_programs_do_as_interpreted() {
    for seed in PROGRAMS..50 * PROGRAMS {
        compare(seed);
    }
}
