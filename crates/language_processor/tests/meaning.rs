//! What the language means, by example, as a program of the processor.

use crate::cases;
use cases::{all, checked, emitted};
use language::parameters;
use language_processor::{Emulator, lower};

#[test]
fn each_operation_gives_what_the_reference_says() {
    for (source, records, faults) in all() {
        let program = checked(&source);
        let values = parameters(&program, []).unwrap();
        let image = lower(&program, u64::MAX).unwrap_or_else(|limit| panic!("{limit}\n{source}"));
        let mut machine = Emulator::new(image, &values);
        assert_eq!(emitted(&mut machine), (records, faults), "\n{source}");
    }
}
