//! How much random work a test does.

/// As many as find most bugs in seconds, or under `TICKWIRE_LONG` (`make long`) as many as find the rare one.
pub fn count<N>(few: N, many: N) -> N {
    if long() { many } else { few }
}

/// Whether `TICKWIRE_LONG` is set.
pub fn long() -> bool {
    std::env::var_os("TICKWIRE_LONG").is_some()
}
