//! What the language means, by example, in machine code.

use crate::cases;
use cases::{all, checked, emitted};
use language::parameters;
use language_jit::Compiled;

#[test]
fn each_operation_gives_what_the_reference_says() {
    for (source, records, faults) in all() {
        let program = checked(&source);
        let values = parameters(&program, []).unwrap();
        let mut machine = Compiled::new(&program, values).unwrap();
        assert_eq!(emitted(&mut machine), (records, faults), "\n{source}");
    }
}
