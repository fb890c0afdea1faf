//! The UDP datagram in a captured frame.
//!
//! Unlike `formats::frame::classify` this takes what captures hold: other link layers, several tags, no FCS, checksums that the
//! sender's network card was still to fill in.

use std::net::{Ipv4Addr, SocketAddrV4};

use super::Protocol;

/// Link layers, by their number in the capture (tcpdump.org/linktypes.html).
const NULL: i32 = 0;
const ETHERNET: i32 = 1;
const RAW: i32 = 101;
const LOOP: i32 = 108;
const LINUX_SLL: i32 = 113;
const IPV4: i32 = 228;
const LINUX_SLL2: i32 = 276;

/// Whether [`udp`] knows the link layer.
pub fn is_known(link: i32) -> bool {
    matches!(
        link,
        NULL | ETHERNET | RAW | LOOP | LINUX_SLL | IPV4 | LINUX_SLL2
    )
}

/// A link layer's name and number.
pub fn link_name(link: i32) -> String {
    let name = match link {
        NULL => "BSD loopback",
        ETHERNET => "Ethernet",
        RAW => "raw IP",
        105 => "IEEE 802.11",
        127 => "IEEE 802.11 with radiotap",
        LOOP => "OpenBSD loopback",
        LINUX_SLL => "Linux cooked",
        IPV4 => "IPv4",
        LINUX_SLL2 => "Linux cooked v2",
        _ => return format!("{link}, which is not read"),
    };
    let not_read = if is_known(link) {
        ""
    } else {
        ", which is not read"
    };
    format!("{link} {name}{not_read}")
}

/// What a frame is that holds no UDP over IPv4.
pub fn protocol(link: i32, frame: &[u8]) -> Protocol {
    let packet = match link {
        ETHERNET => match behind_tags(frame) {
            Some((formats::ethernet::IPV4, packet)) => packet,
            Some((number, _)) => return Protocol::Ethernet(number),
            None => return Protocol::Unknown,
        },
        LINUX_SLL | LINUX_SLL2 => {
            let (at, header) = if link == LINUX_SLL { (14, 16) } else { (0, 20) };
            match (ethertype(frame, at), frame.get(header..)) {
                (Some(formats::ethernet::IPV4), Some(packet)) => packet,
                (Some(number), _) => return Protocol::Ethernet(number),
                (None, _) => return Protocol::Unknown,
            }
        }
        NULL | LOOP => frame.get(4..).unwrap_or_default(),
        RAW | IPV4 => frame,
        _ => return Protocol::Unknown,
    };
    match formats::ipv4::View::new(packet) {
        Some(view) if view.version() == 4 => Protocol::Ip(view.protocol()),
        Some(view) if view.version() == 6 => Protocol::Ethernet(0x86dd),
        _ => Protocol::Unknown,
    }
}

/// Why a captured frame gives no datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Not UDP over IPv4.
    NotUdp,
    /// A piece of a packet.
    Fragment,
    /// The capture holds only part of it, or its lengths contradict one another.
    Incomplete,
}

/// Source, destination and payload.
pub type Udp<'a> = (SocketAddrV4, SocketAddrV4, &'a [u8]);

/// The datagram in a frame.
pub fn udp(link: i32, frame: &[u8]) -> Result<Udp<'_>, Reason> {
    const ETHERTYPE_IPV4: u16 = formats::ethernet::IPV4;
    let packet = match link {
        ETHERNET => match behind_tags(frame) {
            Some((ETHERTYPE_IPV4, packet)) => packet,
            _ => return Err(Reason::NotUdp),
        },
        LINUX_SLL if ethertype(frame, 14) == Some(ETHERTYPE_IPV4) => {
            frame.get(16..).ok_or(Reason::NotUdp)?
        }
        LINUX_SLL2 if ethertype(frame, 0) == Some(ETHERTYPE_IPV4) => {
            frame.get(20..).ok_or(Reason::NotUdp)?
        }
        // Four bytes of address family, in the sender's byte order; the version below identifies IPv4.
        NULL | LOOP => frame.get(4..).ok_or(Reason::NotUdp)?,
        RAW | IPV4 => frame,
        _ => return Err(Reason::NotUdp),
    };
    in_ipv4(packet)
}

fn ethertype(frame: &[u8], at: usize) -> Option<u16> {
    frame
        .get(at..)?
        .first_chunk()
        .map(|bytes| u16::from_be_bytes(*bytes))
}

/// The type and the payload of an Ethernet frame, after its tags.
fn behind_tags(frame: &[u8]) -> Option<(u16, &[u8])> {
    let mut at = 12;
    loop {
        match ethertype(frame, at)? {
            // IEEE 802.1Q, 802.1ad, and the numbers that came before the latter.
            0x8100 | 0x88a8 | 0x9100 | 0x9200 => at += formats::ethernet::TAG,
            number => return Some((number, frame.get(at + 2..)?)),
        }
    }
}

fn in_ipv4(packet: &[u8]) -> Result<Udp<'_>, Reason> {
    let view = formats::ipv4::View::new(packet).ok_or(Reason::NotUdp)?;
    if view.version() != 4 || view.protocol() != formats::ipv4::UDP {
        return Err(Reason::NotUdp);
    }
    if view.is_fragment() {
        return Err(Reason::Fragment);
    }
    let header = usize::from(view.header_words()) * 4;
    let total = usize::from(view.total_length());
    let datagram = packet
        .get(..total)
        .and_then(|packet| packet.get(header..))
        .ok_or(Reason::Incomplete)?;
    if header < formats::ipv4::HEADER {
        return Err(Reason::Incomplete);
    }
    let udp = formats::udp::View::new(datagram).ok_or(Reason::Incomplete)?;
    let payload = datagram
        .get(formats::udp::HEADER..usize::from(udp.length()))
        .ok_or(Reason::Incomplete)?;
    let address = |ip: Ipv4Addr, port| SocketAddrV4::new(ip, port);
    Ok((
        address(view.source(), udp.source_port()),
        address(view.destination(), udp.destination_port()),
        payload,
    ))
}
