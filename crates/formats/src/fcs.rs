//! The frame check sequence of Ethernet: CRC-32 of IEEE 802.3, sent low byte first.

/// The CRC-32 of any good frame, its FCS included.
pub const RESIDUE: u32 = 0x2144_df1c;

/// Length of the FCS, in bytes.
pub const LENGTH: usize = 4;

/// The FCS of a frame that does not have one yet; its bytes go out as `to_le_bytes`.
pub fn of(frame: &[u8]) -> u32 {
    crc32fast::hash(frame)
}

/// Whether `frame`, its FCS included, is undamaged.
pub fn is_good(frame_with_fcs: &[u8]) -> bool {
    crc32fast::hash(frame_with_fcs) == RESIDUE
}

/// Appends to `out` the FCS of its bytes from `start` on.
pub fn append(out: &mut Vec<u8>, start: usize) {
    let fcs = of(out.get(start..).unwrap_or_default());
    out.extend_from_slice(&fcs.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check value of CRC-32/ISO-HDLC in every catalogue.
    #[test]
    fn the_check_value_is_right() {
        assert_eq!(of(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn a_frame_with_its_fcs_is_good_and_with_any_bit_flipped_is_not() {
        let mut frame = b"123456789".to_vec();
        append(&mut frame, 0);
        assert_eq!(frame[9..], [0x26, 0x39, 0xf4, 0xcb]);
        assert!(is_good(&frame));
        for bit in 0..frame.len() * 8 {
            frame[bit / 8] ^= 1 << (bit % 8);
            assert!(!is_good(&frame));
            frame[bit / 8] ^= 1 << (bit % 8);
        }
    }

    #[test]
    fn append_covers_only_what_follows_start() {
        let mut out = b"before123456789".to_vec();
        append(&mut out, 6);
        assert_eq!(out[15..], 0xcbf4_3926_u32.to_le_bytes());
    }

    #[test]
    fn nothing_is_no_good_frame() {
        assert!(!is_good(&[]));
    }
}
