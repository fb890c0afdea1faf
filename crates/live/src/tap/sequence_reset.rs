//! Whether a feed whose packets have a number and no session has begun anew: then the core's decoder must forget the number that it expects, or it drops all that comes as old.

use std::time::Instant;

use pipeline::SEQUENCE_RESET;

/// The numbers of a feed's packets.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Numbers {
    /// The number of the next packet, and when the last one came that was not old.
    expected: Option<(u32, Instant)>,
}

impl Numbers {
    /// A packet has come; its payload begins with its number. Whether the feed has begun anew with it.
    pub fn packet(&mut self, payload: &[u8], now: Instant) -> bool {
        let Some(number) = payload.first_chunk().copied().map(u32::from_le_bytes) else {
            return false;
        };
        let is_old = |(expected, _): (u32, Instant)| number < expected;
        let is_late = |(_, last): (u32, Instant)| now.duration_since(last) > SEQUENCE_RESET;
        let anew = self
            .expected
            .is_some_and(|expected| is_old(expected) && is_late(expected));
        if anew || !self.expected.is_some_and(is_old) {
            self.expected = Some((number.wrapping_add(1), now));
        }
        anew
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn old_numbers_alone_for_three_seconds_are_a_new_session() {
        let begin = Instant::now();
        let mut numbers = Numbers::default();
        let mut packet = |number: u32, milliseconds| {
            let payload = [&number.to_le_bytes()[..], b"message"].concat();
            numbers.packet(&payload, begin + Duration::from_millis(milliseconds))
        };
        // Line B's copies, and a gap.
        for (number, at) in [(1_000, 0), (1_000, 1), (1_001, 2), (1_005, 3), (1_001, 4)] {
            assert!(!packet(number, at), "{number}");
        }
        // After silence of the feed a new number is as good as any, and a late copy after it is one.
        assert!(!packet(1_006, 9_000));
        assert!(!packet(1_006, 9_001));
        // The exchange begins anew: for three seconds that could be late copies.
        assert!(!packet(1, 9_500));
        assert!(!packet(2, 12_000));
        assert!(packet(3, 12_001));
        assert!(!packet(3, 12_002));
        assert!(!packet(4, 20_000));
        assert!(!numbers.packet(b"abc", begin));
    }
}
