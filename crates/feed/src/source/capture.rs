//! pcap and pcapng: the UDP datagrams with their time stamps.

use std::net::SocketAddrV4;
use std::path::Path;

use formats::mold;
use pcap_parser::pcapng::{Block, parse_block_be, parse_block_le};
use pcap_parser::{OptionCode, PcapNGOption, parse_pcap_header};

use super::contents::{Contents, count};
use super::frame::{self, Reason};
use super::window::Window;
use super::{Fault, Format, Options, SourceError};
use crate::{Packet, PacketSource};

/// No longer record or block is read, in bytes: as libpcap (INITIAL_MAX_BLOCKSIZE in sf-pcapng.c).
pub(super) const LONGEST: u64 = 16 << 20;
const PCAP_HEADER: usize = 24;
const RECORD_HEADER: usize = 16;
const NANOSECONDS: u128 = 1_000_000_000;

/// A datagram of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram<'a> {
    /// Where its record begins in the file, in bytes from the start.
    pub offset: u64,
    /// Nanoseconds since the Unix epoch.
    pub time: u64,
    /// Sender.
    pub source: SocketAddrV4,
    /// Receiver: an address or a multicast group.
    pub destination: SocketAddrV4,
    /// The UDP payload.
    pub payload: &'a [u8],
}

/// Frames of a capture that gave no datagram, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// Not UDP over IPv4, or a link layer that is not known.
    pub not_udp: u64,
    /// Pieces of packets.
    pub fragment: u64,
    /// Cut short by the capture, or with lengths that contradict one another.
    pub incomplete: u64,
    /// To another port than the one asked for.
    pub other_port: u64,
}

#[derive(Clone, Copy, Debug)]
struct Interface {
    link: i32,
    /// Time stamp units a second.
    resolution: u128,
    /// Seconds to add.
    offset: i64,
}

impl Interface {
    /// Units a second where the option `if_tsresol` is absent: microseconds.
    const MICROSECONDS: u128 = 1_000_000;

    /// An interface by its options (pcapng, 4.2). One whose option has another length than it must have is as one without it.
    fn new(link: i32, options: &[PcapNGOption<'_>], big_endian: bool) -> Self {
        let option = |code| {
            let found = options.iter().find(|option| option.code == code);
            found.and_then(|option| option.as_bytes().ok())
        };
        let resolution = match option(OptionCode::IfTsresol) {
            // Any exponent of two fits; of ten, past those that do, every time stamp is less than a nanosecond.
            Some(&[value]) => match value & 0x7f {
                exponent if value & 0x80 != 0 => 1 << exponent,
                exponent => 10_u128.checked_pow(exponent.into()).unwrap_or(u128::MAX),
            },
            _ => Self::MICROSECONDS,
        };
        let offset = option(OptionCode::IfTsoffset).and_then(|bytes| bytes.try_into().ok());
        let offset = offset.map_or(0, |bytes| match big_endian {
            true => i64::from_be_bytes(bytes),
            false => i64::from_le_bytes(bytes),
        });
        Interface {
            link,
            resolution,
            offset,
        }
    }

    /// A time stamp in nanoseconds since the Unix epoch.
    fn time(&self, high: u32, low: u32) -> u64 {
        let units = u128::from(high) << 32 | u128::from(low);
        let time = (units * NANOSECONDS / self.resolution) as i128
            + i128::from(self.offset) * NANOSECONDS as i128;
        u64::try_from(time.max(0)).unwrap_or(u64::MAX)
    }
}

#[derive(Debug)]
enum Layout {
    Pcap {
        big_endian: bool,
        nanoseconds: bool,
        link: i32,
    },
    PcapNg {
        big_endian: bool,
        interfaces: Vec<Interface>,
    },
}

/// Where in the bytes at hand a frame is.
struct Found {
    time: u64,
    link: i32,
    start: usize,
    end: usize,
    /// Length of the record, to be moved past.
    length: usize,
    /// Whether the frame was longer than what was stored of it.
    cut: bool,
}

/// Reads the datagrams of a capture.
#[derive(Debug)]
pub struct CaptureReader {
    window: Window,
    layout: Layout,
    port: Option<u16>,
    skipped: Skipped,
    contents: Contents,
    /// The file is cut off, and that was told.
    ended: bool,
}

impl CaptureReader {
    /// Opens a capture, pcap or pcapng.
    ///
    /// # Errors
    /// It cannot be opened or read, or is something else.
    pub fn open(path: &Path, options: Options) -> Result<Self, SourceError> {
        match super::Source::open(path, options)? {
            super::Source::Datagrams(reader) => Ok(reader),
            super::Source::Messages(_) => {
                Err(Window::open(path, None)?.fault(Fault::Capture("neither pcap nor pcapng")))
            }
        }
    }

    pub(super) fn pcap(mut window: Window, options: Options) -> Result<Self, SourceError> {
        window.need("pcap header", PCAP_HEADER)?;
        let layout = match parse_pcap_header(window.bytes()) {
            Ok((_, header)) => Layout::Pcap {
                big_endian: header.is_bigendian(),
                nanoseconds: header.is_nanosecond_precision(),
                // The upper half may say whether frames carry an FCS.
                link: header.network.0 & 0xffff,
            },
            Err(_) => return Err(window.fault(Fault::Capture("not a pcap header"))),
        };
        window.consume(PCAP_HEADER);
        Ok(Self {
            window,
            layout,
            port: options.port,
            skipped: Skipped::default(),
            contents: Contents {
                port: options.port,
                any_protocol: options.any_protocol,
                ..Contents::default()
            },
            ended: false,
        })
    }

    pub(super) fn pcapng(window: Window, options: Options) -> Self {
        let layout = Layout::PcapNg {
            big_endian: false,
            interfaces: Vec::new(),
        };
        Self {
            window,
            layout,
            port: options.port,
            skipped: Skipped::default(),
            contents: Contents {
                port: options.port,
                any_protocol: options.any_protocol,
                ..Contents::default()
            },
            ended: false,
        }
    }

    /// Which of the two it is.
    pub const fn format(&self) -> Format {
        match self.layout {
            Layout::Pcap { .. } => Format::Pcap,
            Layout::PcapNg { .. } => Format::PcapNg,
        }
    }

    /// Frames that gave no datagram so far.
    pub const fn skipped(&self) -> Skipped {
        self.skipped
    }

    /// What was found so far.
    pub const fn contents(&self) -> &Contents {
        &self.contents
    }

    /// Whether there was anything usable so far; to be called at the end.
    ///
    /// # Errors
    /// No datagram, or none that is MoldUDP64 where it must be: what there is instead, and what to do.
    pub fn check(&self) -> Result<(), SourceError> {
        if self.contents.usable {
            return Ok(());
        }
        Err(SourceError::Nothing {
            path: self.window.path().to_owned(),
            contents: Box::new(self.contents.clone()),
        })
    }

    /// Bytes read so far, and the file's length where it is known; of a compressed file as it is stored.
    pub fn position(&self) -> (u64, Option<u64>) {
        self.window.position()
    }

    /// The next datagram; frames that hold none are counted ([`CaptureReader::skipped`]).
    ///
    /// # Errors
    /// The file ends inside a record (unless [told](Options::notice)), or a record contradicts itself.
    pub fn next_datagram(&mut self) -> Result<Option<Datagram<'_>>, SourceError> {
        let found = self.advance()?;
        Ok(found.and_then(|(offset, found)| self.datagram(offset, &found)))
    }

    /// The datagram of a record that was moved past.
    fn datagram(&self, offset: u64, found: &Found) -> Option<Datagram<'_>> {
        let record = self.window.behind(found.length);
        let frame = record.get(found.start..found.end).unwrap_or_default();
        let (source, destination, payload) = frame::udp(found.link, frame).ok()?;
        Some(Datagram {
            offset,
            time: found.time,
            source,
            destination,
            payload,
        })
    }

    /// Moves past the record of the next datagram; returns where that began.
    fn advance(&mut self) -> Result<Option<(u64, Found)>, SourceError> {
        loop {
            let offset = self.window.offset();
            if self.ended {
                return Ok(None);
            }
            let found = match self.layout {
                Layout::Pcap { .. } => self.pcap_record(),
                Layout::PcapNg { .. } => self.pcapng_block(),
            };
            let found = match found {
                Err(error) if self.window.ends_with(&error) => {
                    self.ended = true;
                    None
                }
                found => found?,
            };
            let Some(found) = found else { return Ok(None) };
            self.window.consume(found.length);
            let record = self.window.behind(found.length);
            let frame = record.get(found.start..found.end).unwrap_or_default();
            let parsed = frame::udp(found.link, frame);
            // Once there is something usable, the rest does not matter.
            if !self.contents.usable {
                let contents = &mut self.contents;
                contents.frames += 1;
                contents.cut += u64::from(found.cut);
                count(&mut contents.links, found.link);
                match parsed {
                    Ok((_, destination, payload)) => {
                        count(&mut contents.destinations, destination);
                        contents.usable = self.port.is_none_or(|port| port == destination.port())
                            && (contents.any_protocol || mold::Packet::parse(payload).is_ok());
                    }
                    Err(Reason::NotUdp) => {
                        count(&mut contents.protocols, frame::protocol(found.link, frame));
                    }
                    Err(Reason::Fragment | Reason::Incomplete) => {}
                }
            }
            match parsed {
                Ok((_, destination, _))
                    if self.port.is_some_and(|port| port != destination.port()) =>
                {
                    self.skipped.other_port += 1;
                }
                // Parsed again by the caller: a borrow returned by one branch would keep the loop from moving on.
                Ok(_) => return Ok(Some((offset, found))),
                Err(Reason::NotUdp) => self.skipped.not_udp += 1,
                Err(Reason::Fragment) => self.skipped.fragment += 1,
                Err(Reason::Incomplete) => self.skipped.incomplete += 1,
            }
        }
    }

    fn pcap_record(&mut self) -> Result<Option<Found>, SourceError> {
        let Layout::Pcap {
            big_endian,
            nanoseconds,
            link,
        } = self.layout
        else {
            return Ok(None);
        };
        if !self.window.goes_on()? {
            return Ok(None);
        }
        self.window.need("record header", RECORD_HEADER)?;
        let word = |index: usize| u64::from(word(self.window.bytes(), 4 * index, big_endian));
        let (seconds, fraction, captured, original) = (word(0), word(1), word(2), word(3));
        if captured > LONGEST {
            return Err(self.window.fault(Fault::TooLong {
                what: "record",
                length: captured,
            }));
        }
        let length = RECORD_HEADER + captured as usize;
        self.window.need("record", length)?;
        let time = seconds * 1_000_000_000 + fraction * if nanoseconds { 1 } else { 1_000 };
        Ok(Some(Found {
            time,
            link,
            start: RECORD_HEADER,
            end: length,
            length,
            cut: original > captured,
        }))
    }

    /// The next block that holds a frame.
    fn pcapng_block(&mut self) -> Result<Option<Found>, SourceError> {
        let Layout::PcapNg {
            big_endian,
            interfaces,
        } = &mut self.layout
        else {
            return Ok(None);
        };
        loop {
            const SECTION: [u8; 4] = [0x0a, 0x0d, 0x0d, 0x0a];
            if !self.window.goes_on()? {
                return Ok(None);
            }
            self.window.need("block header", 12)?;
            let head = self.window.bytes();
            if head.starts_with(&SECTION) {
                // A section brings its own byte order and its own interfaces.
                *big_endian = match head[8..12] {
                    [0x1a, 0x2b, 0x3c, 0x4d] => true,
                    [0x4d, 0x3c, 0x2b, 0x1a] => false,
                    _ => {
                        return Err(self.window.fault(Fault::Capture(
                            "a section header without its byte-order magic",
                        )));
                    }
                };
                interfaces.clear();
            }
            let length = u64::from(word(head, 4, *big_endian));
            if length > LONGEST {
                return Err(self.window.fault(Fault::TooLong {
                    what: "block",
                    length,
                }));
            }
            if length < 12 || length % 4 != 0 {
                return Err(self.window.fault(Fault::Capture(
                    "a block length below 12 or not a multiple of 4",
                )));
            }
            let length = length as usize;
            self.window.need("block", length)?;
            let bytes = &self.window.bytes()[..length];
            let parsed = if *big_endian {
                parse_block_be(bytes)
            } else {
                parse_block_le(bytes)
            };
            let Ok((_, block)) = parsed else {
                return Err(self.window.fault(Fault::Capture(
                    "a block whose lengths contradict one another",
                )));
            };
            let found = match block {
                Block::InterfaceDescription(interface) => {
                    let link = interface.linktype.0;
                    interfaces.push(Interface::new(link, &interface.options, *big_endian));
                    None
                }
                Block::EnhancedPacket(packet) => {
                    let Some(interface) = interfaces.get(packet.if_id as usize) else {
                        return Err(self.window.fault(Fault::Capture(
                            "a packet of an interface that was not described",
                        )));
                    };
                    let captured = (packet.caplen as usize).min(packet.data.len());
                    Some(Found {
                        time: interface.time(packet.ts_high, packet.ts_low),
                        link: interface.link,
                        start: 28,
                        end: 28 + captured,
                        length,
                        cut: packet.origlen as usize > captured,
                    })
                }
                Block::SimplePacket(packet) => {
                    let Some(interface) = interfaces.first() else {
                        return Err(self.window.fault(Fault::Capture(
                            "a packet before any interface was described",
                        )));
                    };
                    let captured = (packet.origlen as usize).min(packet.data.len());
                    // It has no time stamp: at once.
                    Some(Found {
                        time: 0,
                        link: interface.link,
                        start: 12,
                        end: 12 + captured,
                        length,
                        cut: packet.origlen as usize > captured,
                    })
                }
                _ => None,
            };
            if found.is_some() {
                return Ok(found);
            }
            self.window.consume(length);
        }
    }
}

impl PacketSource for CaptureReader {
    fn next_packet(&mut self) -> Result<Option<Packet<'_>>, SourceError> {
        let Some((offset, found)) = self.advance()? else {
            self.check()?;
            return Ok(None);
        };
        let datagram = self.datagram(offset, &found);
        Ok(datagram.map(|datagram| Packet {
            time: datagram.time,
            payload: datagram.payload,
        }))
    }

    fn position(&self) -> (u64, Option<u64>) {
        CaptureReader::position(self)
    }
}

/// A 32-bit word; 0 past the end, which callers have made sure of.
fn word(bytes: &[u8], at: usize, big_endian: bool) -> u32 {
    let word = bytes
        .get(at..)
        .and_then(|bytes| bytes.first_chunk::<4>())
        .copied()
        .unwrap_or_default();
    if big_endian {
        u32::from_be_bytes(word)
    } else {
        u32::from_le_bytes(word)
    }
}
