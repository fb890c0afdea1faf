//! What this program was built with: the text of the RTL, and where its target folder was.

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// Every file of `rtl/`: name and text.
pub fn rtl() -> &'static [(&'static str, &'static str)] {
    &RTL
}

/// Libraries of models that are part of this program, by preset.
pub fn models() -> &'static [(&'static str, &'static [u8])] {
    &MODELS
}

/// The target folder of Cargo.
pub fn target() -> &'static str {
    env!("TICKWIRE_TARGET")
}
