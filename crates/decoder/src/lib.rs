//! Bytes to events: the twin of `rtl/decoder`.
//!
//! ```text
//!  UDP payload ─ Itch: MoldUDP64 (session, gap), ITCH ──┐
//!  UDP payload ─ Fast: FAST 1.1, a map of the fields ───┼─ Listener: frame, head, event
//!  TCP stream ── Fix: 35=W, 35=X ─ instrument (scale) ──┘
//! ```
//! They obey `docs/reference/rules.md`, FAST `docs/reference/fast-events.md`; none allocates once it has seen its longest message.
#![forbid(unsafe_code)]

/// The example of the crate's page.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod fast;
pub mod fix;
pub mod itch;
mod mold;

pub use fast::Fast;
pub use fix::Fix;
pub use itch::Itch;

/// Counts one more.
#[inline(always)]
fn count(counter: &mut u32) {
    *counter = counter.wrapping_add(1);
}
