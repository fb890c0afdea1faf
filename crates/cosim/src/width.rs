//! The media-independent interface of a core.

/// The media-independent interface of a core, which sets its width and its clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Width {
    /// 8 bits at 125 MHz: 1 GbE.
    Gmii,
    /// 64 bits at 156.25 MHz: 10 GbE.
    Xgmii,
}

impl Width {
    /// Both widths, narrow first.
    pub const ALL: [Width; 2] = [Width::Gmii, Width::Xgmii];

    /// Bits in a beat: `W` of the RTL.
    pub fn bits(self) -> u32 {
        match self {
            Width::Gmii => 8,
            Width::Xgmii => 64,
        }
    }

    /// One clock cycle, in picoseconds.
    pub fn cycle_picoseconds(self) -> u64 {
        match self {
            Width::Gmii => 8_000,
            Width::Xgmii => 6_400,
        }
    }

    /// A number of cycles in nanoseconds.
    pub fn nanoseconds(self, cycles: u64) -> f64 {
        (cycles * self.cycle_picoseconds()) as f64 / 1_000.0
    }
}
