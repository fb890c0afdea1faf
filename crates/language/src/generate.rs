//! Random programs and events, for the tests of every target.
