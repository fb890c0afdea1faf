//! Models of the testbenches of `tests/rtl`, for the rest of the program.

use cosim::{Design, ModelBuilder};

/// The functions of a testbench's model, which is built if it is not there yet.
///
/// # Panics
/// It cannot be built.
///
/// # Safety
/// `T` mirrors the table at the end of the design's shim.
pub unsafe fn functions<T>(design: &Design) -> &'static T {
    let model = match ModelBuilder::default().shared(design) {
        Ok(model) => model,
        Err(cause) => panic!("{cause}"),
    };
    // SAFETY: the caller knows the type; `shared` keeps the library until the program ends.
    unsafe { &*model.functions().cast::<T>() }
}
