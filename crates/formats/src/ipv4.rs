//! IPv4 headers (RFC 791) and the Internet checksum (RFC 1071).

use std::net::Ipv4Addr;

use crate::bytes::{u16_at, u32_at};

/// Length of a header without options, in bytes.
pub const HEADER: usize = 20;
/// Protocol number of UDP.
pub const UDP: u8 = 17;

/// The ones'-complement sum of `bytes` as big-endian 16-bit words (an odd last byte is padded with 0), on top of `start`.
pub fn sum(bytes: &[u8], start: u32) -> u16 {
    let (words, odd) = bytes.as_chunks::<2>();
    let total: u64 = words
        .iter()
        .map(|word| u64::from(u16::from_be_bytes(*word)))
        .sum();
    let odd = odd.first().map_or(0, |byte| u64::from(*byte) << 8);
    let mut total = total + odd + u64::from(start);
    while total > 0xffff {
        total = (total & 0xffff) + (total >> 16);
    }
    total as u16
}

/// A view of the first 20 bytes of a header. Nothing is checked: `frame::classify` does that in the order of the rules.
#[derive(Clone, Copy, Debug)]
pub struct View<'a>(&'a [u8; HEADER]);

impl<'a> View<'a> {
    /// `None` if there are fewer than 20 bytes.
    pub fn new(packet: &'a [u8]) -> Option<Self> {
        packet.first_chunk().map(View)
    }

    /// 4.
    pub const fn version(self) -> u8 {
        self.0[0] >> 4
    }

    /// Length of the header in words of 32 bits; 5 is a header without options.
    pub const fn header_words(self) -> u8 {
        self.0[0] & 0xf
    }

    /// Bytes of header and payload together.
    pub fn total_length(self) -> u16 {
        u16_at(self.0, 2)
    }

    /// Whether the packet is only a piece of one: MF set or an offset.
    pub fn is_fragment(self) -> bool {
        u16_at(self.0, 6) & 0x3fff != 0
    }

    /// What follows the header.
    pub const fn protocol(self) -> u8 {
        self.0[9]
    }

    /// Whether the header's checksum is right (for a header without options).
    pub fn checksum_is_good(self) -> bool {
        sum(self.0, 0) == 0xffff
    }

    /// Sender.
    pub fn source(self) -> Ipv4Addr {
        Ipv4Addr::from_bits(u32_at(self.0, 12))
    }

    /// Receiver.
    pub fn destination(self) -> Ipv4Addr {
        Ipv4Addr::from_bits(u32_at(self.0, 16))
    }
}

/// A header without options, to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Bytes of header and payload together.
    pub total_length: u16,
    /// Identification.
    pub identification: u16,
    /// The DF bit.
    pub dont_fragment: bool,
    /// Time to live.
    pub time_to_live: u8,
    /// What follows the header.
    pub protocol: u8,
    /// Sender.
    pub source: Ipv4Addr,
    /// Receiver.
    pub destination: Ipv4Addr,
}

impl Header {
    /// The 20 bytes, checksum included.
    pub fn to_bytes(&self) -> [u8; HEADER] {
        let [l0, l1] = self.total_length.to_be_bytes();
        let [i0, i1] = self.identification.to_be_bytes();
        let flags = u8::from(self.dont_fragment) << 6;
        let [s0, s1, s2, s3] = self.source.octets();
        let [d0, d1, d2, d3] = self.destination.octets();
        let mut bytes = [
            0x45,
            0,
            l0,
            l1,
            i0,
            i1,
            flags,
            0,
            self.time_to_live,
            self.protocol,
            0,
            0,
            s0,
            s1,
            s2,
            s3,
            d0,
            d1,
            d2,
            d3,
        ];
        let [c0, c1] = (!sum(&bytes, 0)).to_be_bytes();
        bytes[10] = c0;
        bytes[11] = c1;
        bytes
    }

    /// Appends the header to `out`.
    pub fn emit(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The worked example of RFC 1071, section 3: 0001 f203 f4f5 f6f7 sums to ddf2.
    #[test]
    fn the_sum_is_that_of_rfc_1071() {
        assert_eq!(
            sum(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7], 0),
            0xddf2
        );
        assert_eq!(sum(&[0x12], 0), 0x1200);
        assert_eq!(sum(&[0xff, 0xff, 0x00, 0x01], 0), 1);
    }

    /// The header every text on the subject uses: 4500 0073 0000 4000 4011 b861 c0a8 0001 c0a8 00c7.
    #[test]
    fn a_header_has_the_checksum_of_the_known_example() {
        let header = Header {
            total_length: 0x73,
            identification: 0,
            dont_fragment: true,
            time_to_live: 64,
            protocol: UDP,
            source: Ipv4Addr::new(192, 168, 0, 1),
            destination: Ipv4Addr::new(192, 168, 0, 199),
        };
        let bytes = header.to_bytes();
        assert_eq!(
            bytes[..12],
            [0x45, 0, 0, 0x73, 0, 0, 0x40, 0, 0x40, 0x11, 0xb8, 0x61]
        );
        let view = View::new(&bytes).unwrap();
        assert!(view.checksum_is_good());
        assert_eq!(
            (
                view.version(),
                view.header_words(),
                view.total_length(),
                view.protocol()
            ),
            (4, 5, 0x73, UDP)
        );
        assert_eq!(
            (view.source(), view.destination()),
            (header.source, header.destination)
        );
        assert!(!view.is_fragment());
    }

    #[test]
    fn mf_and_an_offset_are_fragments_and_df_is_not() {
        for (flags, fragment) in [
            (0x0000_u16, false),
            (0x4000, false),
            (0x8000, false),
            (0x2000, true),
            (0x0001, true),
            (0x1000, true),
        ] {
            let mut bytes = [0; HEADER];
            bytes[6..8].copy_from_slice(&flags.to_be_bytes());
            assert_eq!(
                View::new(&bytes).unwrap().is_fragment(),
                fragment,
                "{flags:04x}"
            );
        }
    }
}
