//! Ethernet II with at most one VLAN tag.

use std::fmt;
use std::net::Ipv4Addr;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::bytes::u16_at;

/// EtherType of IPv4.
pub const IPV4: u16 = 0x0800;
/// EtherType of an IEEE 802.1Q tag.
pub const VLAN: u16 = 0x8100;
/// Length of the header without a tag, in bytes.
pub const HEADER: usize = 14;
/// Length of a tag, in bytes.
pub const TAG: usize = 4;
/// Shortest frame without its FCS, in bytes.
pub const MINIMUM: usize = 60;

/// A MAC address, in the order of the wire. As text: `02:00:00:00:00:01`.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct MacAddress(
    /// The six octets.
    pub [u8; 6],
);

impl MacAddress {
    /// The address of everyone.
    pub const BROADCAST: MacAddress = MacAddress([0xff; 6]);

    /// The MAC of an IPv4 multicast group: 01:00:5e and the low 23 bits of the group (RFC 1112, 6.4).
    pub const fn of_group(group: Ipv4Addr) -> Self {
        let [_, b, c, d] = group.octets();
        MacAddress([0x01, 0x00, 0x5e, b & 0x7f, c, d])
    }
}

/// The text is not six hexadecimal octets with colons between.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a MAC address is six hexadecimal octets with colons between, such as 02:00:00:00:00:01")]
pub struct MacAddressError;

impl FromStr for MacAddress {
    type Err = MacAddressError;

    fn from_str(text: &str) -> Result<Self, MacAddressError> {
        let mut parts = text.split(':');
        let mut octets = [0; 6];
        for octet in &mut octets {
            let part = parts.next().ok_or(MacAddressError)?;
            if part.len() != 2 || !part.bytes().all(|b| b.is_ascii_hexdigit()) {
                return Err(MacAddressError);
            }
            *octet = u8::from_str_radix(part, 16).map_err(|_| MacAddressError)?;
        }
        if parts.next().is_some() {
            Err(MacAddressError)
        } else {
            Ok(MacAddress(octets))
        }
    }
}

impl TryFrom<String> for MacAddress {
    type Error = MacAddressError;

    fn try_from(text: String) -> Result<Self, MacAddressError> {
        text.parse()
    }
}

impl From<MacAddress> for String {
    fn from(address: MacAddress) -> String {
        address.to_string()
    }
}

impl fmt::Display for MacAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, g] = self.0;
        write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
    }
}

impl fmt::Debug for MacAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MacAddress({self})")
    }
}

/// A frame's header, its tag taken off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Who it is for.
    pub destination: MacAddress,
    /// Who sent it.
    pub source: MacAddress,
    /// The tag control information (priority, DEI, VLAN id), where there is a tag.
    pub vlan: Option<u16>,
    /// What follows. After a tag it may be another tag, which this path does not read.
    pub ethertype: u16,
}

impl Header {
    /// The header and what follows it; `None` if the frame is shorter than its header.
    pub fn parse(frame: &[u8]) -> Option<(Self, &[u8])> {
        let (destination, rest) = frame.split_first_chunk::<6>()?;
        let (source, rest) = rest.split_first_chunk::<6>()?;
        let (ethertype, rest) = rest.split_first_chunk::<2>()?;
        let ethertype = u16::from_be_bytes(*ethertype);
        let (vlan, ethertype, rest) = if ethertype == VLAN {
            let (tag, rest) = rest.split_first_chunk::<4>()?;
            (Some(u16_at(tag, 0)), u16_at(tag, 2), rest)
        } else {
            (None, ethertype, rest)
        };
        Some((
            Header {
                destination: MacAddress(*destination),
                source: MacAddress(*source),
                vlan,
                ethertype,
            },
            rest,
        ))
    }

    /// Appends the header to `out`.
    pub fn emit(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.destination.0);
        out.extend_from_slice(&self.source.0);
        if let Some(vlan) = self.vlan {
            out.extend_from_slice(&VLAN.to_be_bytes());
            out.extend_from_slice(&vlan.to_be_bytes());
        }
        out.extend_from_slice(&self.ethertype.to_be_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_has_the_mac_of_its_low_23_bits() {
        // RFC 1112: the high bit of the second octet is not carried.
        assert_eq!(
            MacAddress::of_group(Ipv4Addr::new(233, 54, 12, 111)).to_string(),
            "01:00:5e:36:0c:6f"
        );
        assert_eq!(
            MacAddress::of_group(Ipv4Addr::new(239, 255, 1, 2)).to_string(),
            "01:00:5e:7f:01:02"
        );
    }

    #[test]
    fn a_mac_address_reads_back_from_its_text() {
        let address = MacAddress([0x02, 0, 0xab, 0xcd, 0xef, 0x01]);
        assert_eq!(address.to_string().parse(), Ok(address));
        for text in [
            "",
            "02:00:00:00:00",
            "02:00:00:00:00:00:00",
            "2:0:0:0:0:0",
            "02:00:00:00:00:+1",
            "02-00-00-00-00-01",
        ] {
            assert_eq!(text.parse::<MacAddress>(), Err(MacAddressError), "{text}");
        }
    }

    #[test]
    fn a_tag_is_taken_off_and_put_back() {
        let mut frame = vec![
            1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0x81, 0x00, 0xa0, 0x7b, 0x08, 0x00, 0x45,
        ];
        let (header, rest) = Header::parse(&frame).unwrap();
        assert_eq!(header.vlan, Some(0xa07b));
        assert_eq!(header.ethertype, IPV4);
        assert_eq!(header.destination.0, [1, 2, 3, 4, 5, 6]);
        assert_eq!(header.source.0, [7, 8, 9, 10, 11, 12]);
        assert_eq!(rest, [0x45]);
        let mut out = vec![];
        header.emit(&mut out);
        frame.pop();
        assert_eq!(out, frame);
    }

    #[test]
    fn every_truncated_header_is_refused() {
        let frame = [
            0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x81, 0x00, 0, 1, 0x08, 0x00,
        ];
        for length in 0..frame.len() {
            assert!(Header::parse(&frame[..length]).is_none(), "{length}");
        }
        assert!(Header::parse(&frame).is_some());
    }
}
