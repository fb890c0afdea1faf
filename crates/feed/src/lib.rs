//! Market data in and out: files, packets, generated order flow, replay and sockets.
//!
//! | module | what it does |
//! |---|---|
//! | [`source`] | reads BinaryFILE, pcap and pcapng, as messages or as datagrams |
//! | [`packetize`] | groups messages into MoldUDP64 packets |
//! | [`generate`] | makes seeded, realistic ITCH 4.1 and 5.0 order flow |
//! | [`recovery`] | requests what both lines lost from a request server, and has such a server |
//! | [`snapshot`] | fetches the state of the books, and has a server of it |
//! | [`replay`] | sends packets on lines A and B at their times, with loss, duplication and reordering |
//! | [`socket`] | kernel UDP, unicast and multicast, blocking and busy-poll |
//! | [`echo`](mod@echo) | the bare UDP echo with which the software pipeline is compared |
#![forbid(unsafe_code)]

/// The example of the crate's page.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod echo;
pub mod generate;
pub mod packetize;
pub mod recovery;
pub mod replay;
pub mod snapshot;
pub mod socket;
pub mod source;

/// A UDP payload and when it is (or was) on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet<'a> {
    /// Nanoseconds: since midnight for packetized ITCH, since the Unix epoch for a capture.
    pub time: u64,
    /// The UDP payload: one MoldUDP64 datagram.
    pub payload: &'a [u8],
}

/// Anything that yields ITCH messages in the order of their times.
pub trait MessageSource {
    /// The next message, or `None` at the end.
    ///
    /// # Errors
    /// What the underlying file says, with its name and byte offset.
    fn next_message(&mut self) -> Result<Option<source::Record<'_>>, source::SourceError>;

    /// An error about what this source gave, at an offset in its file.
    fn fault(&self, offset: u64, fault: source::Fault) -> source::SourceError;

    /// Bytes of the underlying file read so far, and its length where it is known: for progress bars.
    fn position(&self) -> (u64, Option<u64>);
}

/// Anything that yields packets in the order of their times.
pub trait PacketSource {
    /// The next packet, or `None` at the end. The packet borrows the source's buffer: no allocation a packet.
    ///
    /// # Errors
    /// What the underlying file says, with its name and byte offset.
    fn next_packet(&mut self) -> Result<Option<Packet<'_>>, source::SourceError>;

    /// Bytes of the underlying file read so far, and its length where it is known: for progress bars.
    fn position(&self) -> (u64, Option<u64>);
}
