//! The instructions of the quick way: a step, or two steps that often stand one after the other.
//!
//! [`Quick::of`] chooses, when the templates are loaded. What each does is in `decode/quick.rs`: two steps as one instruction cost one jump
//! that depends on the template, not two. The pairs are those of the entries and headers of market data; each adds code to the decoder, and
//! more of them make it slower where the data is mixed.

use super::{Code, Step};

/// Makes the list of instructions from their names and the steps that each stands for.
macro_rules! instructions {
    ($($name:ident: $first:ident $(, $second:ident)?;)*) => {
        /// What the quick way does at a step.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Quick {
            $($name,)*
            /// Leaves the step to the general way.
            General,
        }

        /// The pairs first.
        const ALL: &[(Quick, &[Code])] = &[
            $((Quick::$name, &[Code::$first $(, Code::$second)?]),)*
        ];
    };
}

instructions! {
    OptionalUnsignedThenOptionalSigned: OptionalUnsigned, OptionalSigned;
    OptionalDecimalThenOptionalSigned: OptionalDecimal, OptionalSigned;
    UnsignedCopyThenAscii: UnsignedCopy, Ascii;
    OptionalUnsignedDeltaThenUnsignedConstant: OptionalUnsignedDelta, UnsignedConstant;
    OptionalUnsignedDeltaThenUnsignedDelta: OptionalUnsignedDelta, UnsignedDelta;
    UnsignedIncrementThenUnsignedDelta: UnsignedIncrement, UnsignedDelta;
    UnsignedThenOptionalUnsignedCopy: Unsigned, OptionalUnsignedCopy;
    OptionalAsciiCopyThenOptionalUnsignedCopy: OptionalAsciiCopy, OptionalUnsignedCopy;
    ShortConstantThenShortConstant: ShortConstant, ShortConstant;
    Unsigned: Unsigned;
    OptionalUnsigned: OptionalUnsigned;
    Signed: Signed;
    OptionalSigned: OptionalSigned;
    Decimal: Decimal;
    OptionalDecimal: OptionalDecimal;
    Ascii: Ascii;
    OptionalAscii: OptionalAscii;
    UnsignedCopy: UnsignedCopy;
    OptionalUnsignedCopy: OptionalUnsignedCopy;
    UnsignedIncrement: UnsignedIncrement;
    UnsignedDelta: UnsignedDelta;
    OptionalUnsignedDelta: OptionalUnsignedDelta;
    SignedDelta: SignedDelta;
    OptionalSignedDelta: OptionalSignedDelta;
    AsciiCopy: AsciiCopy;
    OptionalAsciiCopy: OptionalAsciiCopy;
    UnsignedConstant: UnsignedConstant;
    ShortConstant: ShortConstant;
    PlainLength: PlainLength;
    End: End;
}

impl Quick {
    /// What to do at the first of these steps. A step that begins a pair is one of its own too: of two that overlap, the first is taken,
    /// and whoever comes to the second step from elsewhere finds what to do there.
    pub(crate) fn of(steps: &[Step]) -> Self {
        let stands_here = |codes: &[Code]| {
            let there = steps.iter().take(codes.len()).map(|step| step.code);
            there.eq(codes.iter().copied())
        };
        let found = ALL.iter().find(|(_, codes)| stands_here(codes));
        found.map_or(Quick::General, |(quick, _)| *quick)
    }
}
