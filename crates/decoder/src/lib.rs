//! Bytes to events: the twin of `rtl/decoder`.
//!
//! ```text
//!  UDP payload ─ Itch: MoldUDP64 (session, gap), ITCH ──┐
//!                                                       ├─ Listener: frame, head, event
//!  TCP stream ── Fix: 35=W, 35=X ─ instrument (scale) ──┘
//! ```
//! Both obey `docs/reference/rules.md`; neither allocates once it has seen its longest message.
#![forbid(unsafe_code)]

pub mod fix;
pub mod itch;
mod mold;

pub use fix::Fix;
pub use itch::Itch;

/// Counts one more.
#[inline(always)]
fn count(counter: &mut u32) {
    *counter = counter.wrapping_add(1);
}
