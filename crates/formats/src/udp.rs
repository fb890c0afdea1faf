//! UDP headers (RFC 768).

use std::net::Ipv4Addr;

use crate::bytes::u16_at;
use crate::ipv4;

/// Length of the header, in bytes.
pub const HEADER: usize = 8;

/// A view of a header. Nothing is checked: `frame::classify` does that in the order of the rules.
#[derive(Clone, Copy, Debug)]
pub struct View<'a>(&'a [u8; HEADER]);

impl<'a> View<'a> {
    /// `None` if there are fewer than 8 bytes.
    pub fn new(bytes: &'a [u8]) -> Option<Self> {
        bytes.first_chunk().map(View)
    }

    /// Sender's port.
    pub fn source_port(self) -> u16 {
        u16_at(self.0, 0)
    }

    /// Receiver's port.
    pub fn destination_port(self) -> u16 {
        u16_at(self.0, 2)
    }

    /// Bytes of header and payload together.
    pub fn length(self) -> u16 {
        u16_at(self.0, 4)
    }

    /// 0: the sender gave none.
    pub fn checksum(self) -> u16 {
        u16_at(self.0, 6)
    }
}

/// The ones'-complement sum of the pseudo header and `datagram` (header and payload). 0xffff if the datagram's checksum is right.
pub fn sum(source: Ipv4Addr, destination: Ipv4Addr, datagram: &[u8]) -> u16 {
    let pseudo = [source, destination]
        .iter()
        .map(|a| (a.to_bits() >> 16) + (a.to_bits() & 0xffff))
        .sum::<u32>()
        + u32::from(ipv4::UDP)
        + (datagram.len() as u32 & 0xffff);
    ipv4::sum(datagram, pseudo)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checksum by scapy: IP(src="10.0.0.1",dst="10.0.0.2")/UDP(sport=1,dport=2)/b"abc" has 0x2770.
    #[test]
    fn a_good_datagram_sums_to_all_ones() {
        let datagram = [0, 1, 0, 2, 0, 11, 0, 0, b'a', b'b', b'c'];
        let sum = sum(
            Ipv4Addr::new(10, 0, 0, 1),
            Ipv4Addr::new(10, 0, 0, 2),
            &datagram,
        );
        assert_eq!(!sum, 0x2770);
    }
}
