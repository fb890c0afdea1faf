//! What a capture holds, for captures with nothing to read.

use std::collections::BTreeMap;
use std::fmt;
use std::net::SocketAddrV4;

use super::frame;

/// How many link types, protocols and destinations are counted; further ones are not.
const MOST: usize = 16;

/// What a frame is that holds no UDP over IPv4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Protocol {
    /// By its Ethernet type.
    Ethernet(u16),
    /// By its number in the IPv4 header.
    Ip(u8),
    /// Too short to say, or of a link type that is not read.
    Unknown,
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Protocol::Ethernet(0x0806) => f.write_str("ARP"),
            Protocol::Ethernet(0x86dd) => f.write_str("IPv6"),
            Protocol::Ethernet(0x88cc) => f.write_str("LLDP"),
            Protocol::Ethernet(0x88f7) => f.write_str("PTP"),
            Protocol::Ethernet(length @ ..0x0600) => write!(f, "IEEE 802.3 of {length} bytes"),
            Protocol::Ethernet(number) => write!(f, "Ethernet type {number:#06x}"),
            Protocol::Ip(1) => f.write_str("ICMP"),
            Protocol::Ip(2) => f.write_str("IGMP"),
            Protocol::Ip(6) => f.write_str("TCP"),
            Protocol::Ip(47) => f.write_str("GRE"),
            Protocol::Ip(number) => write!(f, "IP protocol {number}"),
            Protocol::Unknown => f.write_str("unknown"),
        }
    }
}

/// What a capture holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// Frames in all.
    pub frames: u64,
    /// Of these, those that the capture did not store to their end.
    pub cut: u64,
    /// Frames by link type (tcpdump.org/linktypes.html).
    pub links: BTreeMap<i32, u64>,
    /// Frames that hold no UDP over IPv4.
    pub protocols: BTreeMap<Protocol, u64>,
    /// UDP datagrams by destination, whatever port was asked for.
    pub destinations: BTreeMap<SocketAddrV4, u64>,
    /// The port that was asked for.
    pub port: Option<u16>,
    /// Whether any datagram to it will do, not MoldUDP64 alone.
    pub any_protocol: bool,
    /// Whether there is one.
    pub usable: bool,
}

/// Counts one more of a kind.
pub(super) fn count<K: Ord>(counts: &mut BTreeMap<K, u64>, kind: K) {
    if counts.len() < MOST || counts.contains_key(&kind) {
        *counts.entry(kind).or_default() += 1;
    }
}

/// The kinds and how many there are of each, most first.
fn list<K: Copy + Ord>(
    f: &mut fmt::Formatter<'_>,
    what: &str,
    counts: &BTreeMap<K, u64>,
    name: impl Fn(K) -> String,
) -> fmt::Result {
    let mut kinds: Vec<_> = counts.iter().map(|(kind, count)| (*count, *kind)).collect();
    kinds.sort_by_key(|(count, kind)| (std::cmp::Reverse(*count), *kind));
    for (at, (count, kind)) in kinds.into_iter().enumerate() {
        let before = if at == 0 { what } else { "," };
        write!(f, "{before} {} ({count})", name(kind))?;
    }
    Ok(())
}

impl Contents {
    /// Whether a frame is of a link type that is read.
    fn any_known_link(&self) -> bool {
        self.links.keys().any(|link| frame::is_known(*link))
    }

    /// What to do about it.
    fn advice(&self) -> &'static str {
        if self.frames == 0 {
            return "capture while the feed is up, and check the capture filter";
        }
        if !self.any_known_link() {
            return "capture on an Ethernet, loopback or \"any\" interface, or convert the file (editcap -T ether) if its frames are Ethernet";
        }
        let asked = |to: &SocketAddrV4| self.port.is_none_or(|port| port == to.port());
        if !self.destinations.is_empty() && !self.destinations.keys().any(asked) {
            return "name one of these ports with --port, or none to read all";
        }
        if self.cut > 0 {
            return "capture complete frames (tcpdump -s 0, dumpcap -s 0)";
        }
        if self.destinations.is_empty() {
            return "a feed comes as UDP over IPv4: capture the interface and the groups on which it comes";
        }
        "what is read is ITCH in MoldUDP64: capture the groups of such a feed"
    }
}

impl Contents {
    /// What a datagram must be.
    pub const fn wanted(&self) -> &'static str {
        if self.any_protocol {
            "datagram"
        } else {
            "MoldUDP64"
        }
    }
}

impl fmt::Display for Contents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} frames", self.frames)?;
        if self.cut > 0 {
            write!(f, ", {} of them cut short by the capture", self.cut)?;
        }
        list(f, "; link type", &self.links, frame::link_name)?;
        list(f, "; not UDP over IPv4:", &self.protocols, |p| {
            p.to_string()
        })?;
        list(f, "; UDP to", &self.destinations, |to| to.to_string())?;
        if let Some(port) = self.port {
            write!(f, "; asked for port {port}")?;
        }
        write!(f, ": {}", self.advice())
    }
}
