//! SIGINT and SIGTERM as a flag that long commands poll.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

static STOP: AtomicBool = AtomicBool::new(false);

/// The flag that the first SIGINT or SIGTERM sets, so that a command ends in good order; a second one ends it at once.
pub fn flag() -> &'static AtomicBool {
    static INSTALL: Once = Once::new();
    INSTALL.call_once(|| {
        // Without a handler the signal ends the process at once: acceptable.
        let _ = ctrlc::set_handler(|| {
            if STOP.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        });
    });
    &STOP
}

/// Whether to stop.
pub fn requested() -> bool {
    flag().load(Ordering::Relaxed)
}
