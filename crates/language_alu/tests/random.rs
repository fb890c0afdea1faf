//! Random programs on random events: the processor in software gives the same as the interpreter, in no more cycles than its image says.

use language::event::Outcome;
use language::generate::{program, steps};
use language::{Guarded, Interpreter, Machine, compile, parameters};
use language_alu::{Emulator, Limit, lower};

const PROGRAMS: u64 = 1_000;
const STEPS: usize = 40;

/// Whether it fits into the processor.
fn compare(seed: u64) -> bool {
    let source = program(seed);
    let program = compile(&source.text, &source.options)
        .unwrap_or_else(|messages| panic!("seed {seed}:\n{}\n{messages}", source.text));
    let image = match lower(&program, u64::MAX) {
        Ok(image) => image,
        Err(Limit::Budget { .. }) => panic!("seed {seed}: there is no budget"),
        Err(_) => return false,
    };
    let without = program
        .parameters
        .iter()
        .filter(|parameter| parameter.default.is_none());
    let values = parameters(
        &program,
        without.map(|parameter| (parameter.name.as_str(), 0)),
    )
    .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    let stops = seed.is_multiple_of(2);
    let mut reference = Guarded::new(Interpreter::new(program.clone(), values.clone()), stops);
    let entries = image.entries;
    let mut emulator = Guarded::new(Emulator::new(image, &values), stops);
    let (mut expected, mut given) = (Outcome::of(&program), Outcome::of(&program));
    for (number, step) in steps(&program, seed, STEPS).iter().enumerate() {
        let stopped = emulator.stopped();
        step.run(&mut reference, &mut expected);
        step.run(&mut emulator, &mut given);
        let listing = || emulator.machine().image().listing(&source.text);
        assert_eq!(
            given,
            expected,
            "seed {seed}, step {number}: {step:?}\n{}",
            listing()
        );
        assert_eq!(
            emulator.state(),
            reference.state(),
            "seed {seed}, step {number}: {step:?}\n{}",
            listing()
        );
        let machine = emulator.machine();
        let most = entries.iter().flatten().map(|entry| entry.cycles).max();
        assert!(
            stopped || machine.cycles() <= most.unwrap_or(0),
            "seed {seed}, step {number}: {} cycles\n{}",
            machine.cycles(),
            listing()
        );
    }
    true
}

#[test]
fn a_thousand_programs_do_as_interpreted() {
    let fit = (0..PROGRAMS).filter(|seed| compare(*seed)).count();
    assert!(fit > 900, "only {fit} of {PROGRAMS} fit into the processor");
}

#[test]
#[ignore = "minutes: run it after a change of the lowering"]
fn thirty_thousand_programs_do_as_interpreted() {
    for seed in PROGRAMS..30 * PROGRAMS {
        compare(seed);
    }
}
