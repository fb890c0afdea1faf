//! A complete frame, from the destination MAC to the FCS: what it may be, and how to build one.
//!
//! [`classify`] is the software twin of `net_rx`; its causes and their precedence are the first table of
//! `docs/reference/rules.md`.

use std::net::Ipv4Addr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::ethernet::{self, MacAddress};
use crate::{fcs, ipv4, udp};

/// Shortest frame, FCS included, in bytes.
pub const MINIMUM: usize = ethernet::MINIMUM + fcs::LENGTH;
/// Longest frame, FCS included, in bytes.
pub const MAXIMUM: usize = 9_022;

/// Which frames are ours; the mirror of `net_config_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NetConfig {
    /// Our MAC.
    pub local_mac: MacAddress,
    /// Our address.
    pub local_ip: Ipv4Addr,
    /// The multicast groups we listen to; 0.0.0.0: unused.
    pub groups: [Ipv4Addr; 4],
    /// The UDP ports we listen to; 0: unused.
    pub ports: [u16; 4],
}

impl NetConfig {
    fn listens_to_group(&self, address: Ipv4Addr) -> bool {
        !address.is_unspecified() && self.groups.contains(&address)
    }

    fn listens_to_mac(&self, mac: MacAddress) -> bool {
        let of_a_group =
            |group: &Ipv4Addr| !group.is_unspecified() && MacAddress::of_group(*group) == mac;
        mac == self.local_mac || self.groups.iter().any(of_a_group)
    }
}

/// Why a frame ended as it did, in order of precedence. The discriminants are those of `net_cause_e`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Error)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum Cause {
    /// The PHY flagged an error inside the frame. [`classify`] never says so: bytes do not show it.
    #[error("the PHY flagged an error inside the frame")]
    MiiError,
    /// The FCS is wrong.
    #[error("the FCS is wrong")]
    FcsError,
    /// Shorter than 64 bytes, FCS included.
    #[error("shorter than 64 bytes")]
    Runt,
    /// Longer than 9,022 bytes, FCS included.
    #[error("longer than 9,022 bytes")]
    Oversize,
    /// The destination is neither our MAC nor that of a group we listen to.
    #[error("for another MAC")]
    OtherMac,
    /// Not IPv4 after at most one VLAN tag.
    #[error("not IPv4")]
    OtherEthertype,
    /// The version is not 4, or IHL is below 5.
    #[error("the version of IP is not 4, or IHL is below 5")]
    IpHeaderError,
    /// IHL is above 5.
    #[error("the IPv4 header has options")]
    IpOptions,
    /// The IPv4 header checksum is wrong.
    #[error("the IPv4 header checksum is wrong")]
    IpChecksumError,
    /// The IPv4 total length is below 20, or more than the frame holds.
    #[error("the IPv4 total length is below 20, or more than the frame holds")]
    IpLengthError,
    /// A piece of a packet.
    #[error("a fragment")]
    Fragment,
    /// The destination is neither our address nor a group we listen to.
    #[error("for another IP address")]
    OtherIp,
    /// Not UDP.
    #[error("not UDP")]
    OtherProtocol,
    /// The UDP length is below 8, or not exactly the IPv4 total length − 20.
    #[error("the UDP length is below 8, or not exactly the IPv4 total length - 20")]
    UdpLengthError,
    /// The destination port is not one of ours.
    #[error("for another UDP port")]
    OtherPort,
    /// The UDP checksum is not 0 and is wrong.
    #[error("the UDP checksum is wrong")]
    UdpChecksumError,
    /// None of the above. [`classify`] returns the datagram instead.
    #[error("accepted")]
    Accepted,
}

impl Cause {
    /// Every cause, in order of precedence.
    pub const ALL: [Cause; 17] = [
        Cause::MiiError,
        Cause::FcsError,
        Cause::Runt,
        Cause::Oversize,
        Cause::OtherMac,
        Cause::OtherEthertype,
        Cause::IpHeaderError,
        Cause::IpOptions,
        Cause::IpChecksumError,
        Cause::IpLengthError,
        Cause::Fragment,
        Cause::OtherIp,
        Cause::OtherProtocol,
        Cause::UdpLengthError,
        Cause::OtherPort,
        Cause::UdpChecksumError,
        Cause::Accepted,
    ];
}

/// A UDP datagram out of a frame that is good and ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram<'a> {
    /// Sender.
    pub source_ip: Ipv4Addr,
    /// Receiver: our address or a group.
    pub destination_ip: Ipv4Addr,
    /// Sender's port.
    pub source_port: u16,
    /// Receiver's port, one of ours.
    pub destination_port: u16,
    /// What the datagram carries; may be empty.
    pub payload: &'a [u8],
}

/// The datagram in a frame (destination MAC to FCS), or the first cause, in the order of the rules, to refuse it.
pub fn classify<'a>(frame_with_fcs: &'a [u8], config: &NetConfig) -> Result<Datagram<'a>, Cause> {
    if !fcs::is_good(frame_with_fcs) {
        return Err(Cause::FcsError);
    }
    if frame_with_fcs.len() < MINIMUM {
        return Err(Cause::Runt);
    }
    if frame_with_fcs.len() > MAXIMUM {
        return Err(Cause::Oversize);
    }
    let frame = frame_with_fcs
        .get(..frame_with_fcs.len() - fcs::LENGTH)
        .ok_or(Cause::Runt)?;
    classify_without_fcs(frame, config)
}

/// The same of a frame whose FCS and length were checked, and the FCS taken off: as a network card and the kernel give it to a packet socket. It may be shorter than 60 bytes: a virtual
/// device adds no padding.
pub fn classify_without_fcs<'a>(
    frame: &'a [u8],
    config: &NetConfig,
) -> Result<Datagram<'a>, Cause> {
    let (header, packet) = ethernet::Header::parse(frame).ok_or(Cause::Runt)?;
    if !config.listens_to_mac(header.destination) {
        return Err(Cause::OtherMac);
    }
    if header.ethertype != ethernet::IPV4 {
        return Err(Cause::OtherEthertype);
    }
    classify_packet(packet, config)
}

/// From the IPv4 header on; `packet` may end in padding.
fn classify_packet<'a>(packet: &'a [u8], config: &NetConfig) -> Result<Datagram<'a>, Cause> {
    // A frame of 64 bytes holds the header: this happens to shorter ones alone, without FCS.
    let ip = ipv4::View::new(packet).ok_or(Cause::Runt)?;
    if ip.version() != 4 || ip.header_words() < 5 {
        return Err(Cause::IpHeaderError);
    }
    if ip.header_words() > 5 {
        return Err(Cause::IpOptions);
    }
    if !ip.checksum_is_good() {
        return Err(Cause::IpChecksumError);
    }
    let segment = packet
        .get(ipv4::HEADER..usize::from(ip.total_length()))
        .ok_or(Cause::IpLengthError)?;
    if ip.is_fragment() {
        return Err(Cause::Fragment);
    }
    if ip.destination() != config.local_ip && !config.listens_to_group(ip.destination()) {
        return Err(Cause::OtherIp);
    }
    if ip.protocol() != ipv4::UDP {
        return Err(Cause::OtherProtocol);
    }
    let udp = udp::View::new(segment).ok_or(Cause::UdpLengthError)?;
    if usize::from(udp.length()) != segment.len() {
        return Err(Cause::UdpLengthError);
    }
    if udp.destination_port() == 0 || !config.ports.contains(&udp.destination_port()) {
        return Err(Cause::OtherPort);
    }
    if udp.checksum() != 0 && udp::sum(ip.source(), ip.destination(), segment) != 0xffff {
        return Err(Cause::UdpChecksumError);
    }
    Ok(Datagram {
        source_ip: ip.source(),
        destination_ip: ip.destination(),
        source_port: udp.source_port(),
        destination_port: udp.destination_port(),
        payload: segment.get(udp::HEADER..).ok_or(Cause::UdpLengthError)?,
    })
}

/// The payload does not fit into one UDP datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a UDP payload of {0} bytes: at most 65,507 fit")]
pub struct PayloadTooLong(
    /// The payload's length, in bytes.
    pub usize,
);

/// The headers of a frame that carries a UDP datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UdpFrame {
    /// Sender's MAC.
    pub source_mac: MacAddress,
    /// Receiver's MAC ([`MacAddress::of_group`] for a group).
    pub destination_mac: MacAddress,
    /// Tag control information of a VLAN tag, if there is to be one.
    pub vlan: Option<u16>,
    /// Sender.
    pub source_ip: Ipv4Addr,
    /// Receiver.
    pub destination_ip: Ipv4Addr,
    /// Sender's port.
    pub source_port: u16,
    /// Receiver's port.
    pub destination_port: u16,
    /// Whether the UDP checksum is computed; 0 (none) otherwise.
    pub checksum: bool,
    /// IPv4 identification.
    pub identification: u16,
    /// IPv4 time to live.
    pub time_to_live: u8,
}

impl UdpFrame {
    /// A frame between these, untagged, with a UDP checksum, identification 0 and a time to live of 64.
    pub const fn new(
        source: (MacAddress, Ipv4Addr, u16),
        destination: (MacAddress, Ipv4Addr, u16),
    ) -> Self {
        UdpFrame {
            source_mac: source.0,
            destination_mac: destination.0,
            vlan: None,
            source_ip: source.1,
            destination_ip: destination.1,
            source_port: source.2,
            destination_port: destination.2,
            checksum: true,
            identification: 0,
            time_to_live: 64,
        }
    }

    /// Appends the frame to `out`: headers (DF set), `payload`, padding to 60 bytes, FCS.
    pub fn emit(&self, payload: &[u8], out: &mut Vec<u8>) -> Result<(), PayloadTooLong> {
        let total = payload.len().saturating_add(ipv4::HEADER + udp::HEADER);
        let total_length = u16::try_from(total).map_err(|_| PayloadTooLong(payload.len()))?;
        let start = out.len();
        out.reserve(total + ethernet::HEADER + ethernet::TAG + MINIMUM);
        ethernet::Header {
            destination: self.destination_mac,
            source: self.source_mac,
            vlan: self.vlan,
            ethertype: ethernet::IPV4,
        }
        .emit(out);
        ipv4::Header {
            total_length,
            identification: self.identification,
            dont_fragment: true,
            time_to_live: self.time_to_live,
            protocol: ipv4::UDP,
            source: self.source_ip,
            destination: self.destination_ip,
        }
        .emit(out);
        let segment = out.len();
        for field in [
            self.source_port,
            self.destination_port,
            total_length - ipv4::HEADER as u16,
            0,
        ] {
            out.extend_from_slice(&field.to_be_bytes());
        }
        out.extend_from_slice(payload);
        if self.checksum {
            let sum = udp::sum(
                self.source_ip,
                self.destination_ip,
                out.get(segment..).unwrap_or_default(),
            );
            // RFC 768: a checksum that comes out as 0 is sent as all ones, since 0 means none.
            let checksum = if sum == 0xffff { 0xffff } else { !sum };
            if let Some(field) = out.get_mut(segment + 6..segment + 8) {
                field.copy_from_slice(&checksum.to_be_bytes());
            }
        }
        let length = (out.len() - start).max(ethernet::MINIMUM);
        out.resize(start + length, 0);
        fcs::append(out, start);
        Ok(())
    }
}
