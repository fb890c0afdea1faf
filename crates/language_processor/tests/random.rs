//! Random programs on random events: the processor in software gives the same as the interpreter, in no more cycles than its image says.

use language::{Guarded, Interpreter, compile};
use language_processor::{Emulator, Limit, lower};
use language_random::{agree, program, values};

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
    let values = values(&program, 0).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    let stops = seed.is_multiple_of(2);
    let mut reference = Guarded::new(Interpreter::new(program.clone(), values.clone()), stops);
    let listing = image.listing(&source.text);
    let most = image.entries.iter().flatten().map(|entry| entry.cycles);
    let most = most.max().unwrap_or(0);
    let mut emulator = Guarded::new(Emulator::new(image, &values), stops);
    agree(
        &program,
        (seed, STEPS),
        &mut reference,
        &mut emulator,
        |emulator| {
            let cycles = emulator.cycles();
            assert!(cycles <= most, "seed {seed}: {cycles} cycles\n{listing}");
        },
    )
    .unwrap_or_else(|difference| panic!("{difference}\n{listing}"));
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
