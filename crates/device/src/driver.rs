//! The core in the host's terms.

use std::net::Ipv4Addr;

use formats::counters::{Counters, FeedCounters, NetCounters};
use formats::ethernet::MacAddress;
use formats::frame::NetConfig;
use formats::itch::Version;
use formats::report::ReportConfig;
use thiserror::Error;

use crate::book::BookWindow;
use crate::instruments::{INSTRUMENTS, Instrument};
use crate::orders::MESSAGE_BYTES;
use crate::registers as map;

/// What `identity` reads.
const IDENTITY: u32 = u32::from_be_bytes(*b"TWIR");

/// The way to the registers of a core.
pub trait Registers {
    /// Why an access fails.
    type Error: std::error::Error;

    /// Reads the register at a byte address.
    fn read32(&mut self, address: u32) -> Result<u32, Self::Error>;

    /// Writes the register at a byte address.
    fn write32(&mut self, address: u32, value: u32) -> Result<(), Self::Error>;

    /// Called between two looks at something that is not done yet; a simulation lets some cycles pass.
    fn pause(&mut self) {}
}

impl<R: Registers + ?Sized> Registers for &mut R {
    type Error = R::Error;

    fn read32(&mut self, address: u32) -> Result<u32, R::Error> {
        (**self).read32(address)
    }

    fn write32(&mut self, address: u32, value: u32) -> Result<(), R::Error> {
        (**self).write32(address, value)
    }

    fn pause(&mut self) {
        (**self).pause();
    }
}

/// Why a core did not do what was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Error<E> {
    /// An access to a register failed.
    #[error("register access: {0}")]
    Access(
        #[from]
        /// Why.
        E,
    ),
    /// There is something else at that address.
    #[error("no Tickwire core here: identity {0:#010x}")]
    Identity(
        /// What the identity register read.
        u32,
    ),
    /// Nothing to report.
    #[error("no symbols: name at least one")]
    NoSymbols,
    /// More symbols than the core has instruments.
    #[error(
        "{symbols} symbols: the core has {room} instruments, so name {room} at most; the software (tickwire run) takes 256"
    )]
    TooManySymbols {
        /// Symbols.
        symbols: usize,
        /// Instruments that the core has.
        room: usize,
    },
    /// A symbol that another instrument has, at the same source.
    #[error("instrument {index} has the symbol of instrument {other}: clear that one first")]
    Duplicate {
        /// Its index.
        index: usize,
        /// The other's.
        other: usize,
    },
    /// Templates the core has no room for.
    #[error(
        "templates of {instruments} instruments and {length} bytes: the core has room for {room} and {MESSAGE_BYTES}"
    )]
    Templates {
        /// Instruments.
        instruments: usize,
        /// Bytes of a message.
        length: usize,
        /// Instruments that the core has.
        room: usize,
    },
    /// A core that reads an order log at line rate alone is built for one template, and this is another.
    #[error(
        "this core is built for template 3610 of desks/fast/order-log.xml with desks/fast/moex-order-log.toml: take these, or a core with a complete decoder (fast_trader_10g)"
    )]
    OtherTables,
    /// An instrument the core has no place for.
    #[error(
        "instrument {index} with a symbol of {length} characters: the core has {room} instruments, from 0 on, with 1 to 8 characters"
    )]
    Instrument {
        /// Its index.
        index: usize,
        /// Characters of its symbol.
        length: usize,
        /// Instruments that the core has.
        room: usize,
    },
    /// The high-reliability output of an arbiter that has none.
    #[error(
        "this core's arbiter has the low-latency output alone, as it stores no packets: take that, or a line by itself"
    )]
    LowLatencyAlone,
    /// An operation was not carried out.
    #[error("operation {0} was not carried out")]
    Operation(
        /// Its code.
        u32,
    ),
    /// A slot the core does not have.
    #[error("slot {slot}: only {slots} are in use")]
    Slot {
        /// The slot asked for.
        slot: usize,
        /// The slots there are.
        slots: usize,
    },
}

/// Last byte of a frame in, to first byte of its report out, in cycles of the core's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latency {
    /// Of the last report.
    pub last: u32,
    /// The least since reset.
    pub minimum: u32,
    /// The most since reset.
    pub maximum: u32,
}

/// A core behind its registers.
#[derive(Clone, Debug)]
pub struct Driver<R> {
    registers: R,
    pub(crate) control: u32,
    width: u32,
    stops: usize,
    has_book: bool,
    has_ring: bool,
    is_order_log: bool,
    low_latency_alone: bool,
    /// Instruments that it has room for.
    pub(crate) room: usize,
    feeds: u32,
    pub(crate) instruments: [Instrument; INSTRUMENTS],
    /// Of the order books, as far as they were set here.
    pub(crate) windows: [Option<BookWindow>; INSTRUMENTS],
}

impl<R: Registers> Driver<R> {
    /// Takes over a core: checks its identity, disables it and clears its instruments.
    pub fn new(mut registers: R) -> Result<Self, Error<R::Error>> {
        let identity = registers.read32(map::identity::ADDRESS)?;
        if identity != IDENTITY {
            return Err(Error::Identity(identity));
        }
        let build = registers.read32(map::build::ADDRESS)?;
        let width = map::build::WIDTH.get(build);
        let stops = map::build::STOPS.get(build) as usize;
        let has_book = map::build::BOOK.get(build) != 0;
        let has_ring = map::build::RING.get(build) != 0;
        let is_order_log = map::build::ORDER_LOG.get(build) != 0;
        let low_latency_alone = map::build::LOW_LATENCY.get(build) != 0;
        let room = (map::build::INSTRUMENTS.get(build) as usize).min(INSTRUMENTS);
        let feeds = 1 + map::build::MORE_FEEDS.get(build);
        let control = map::control::ENABLE.set(registers.read32(map::control::ADDRESS)?, 0);
        let mut driver = Driver {
            registers,
            control,
            width,
            stops,
            has_book,
            has_ring,
            is_order_log,
            low_latency_alone,
            room,
            feeds,
            instruments: Default::default(),
            windows: [None; INSTRUMENTS],
        };
        driver.write_control(control)?;
        driver.load_symbols(&[None; INSTRUMENTS])?;
        Ok(driver)
    }

    /// Bits in a beat: 8 or 64.
    pub const fn width(&self) -> u32 {
        self.width
    }

    /// Instruments that it has room for.
    pub const fn instruments(&self) -> usize {
        self.room
    }

    /// Whether it has an order book, and, with a session, computed orders.
    pub const fn has_book(&self) -> bool {
        self.has_book
    }

    /// Whether its arbiter has the low-latency output alone ([`crate::Source::HighReliability`] is refused).
    pub const fn low_latency_alone(&self) -> bool {
        self.low_latency_alone
    }

    /// Whether its FAST decoder reads an order log at line rate and nothing else: it takes the wire-rate engine's tables alone, its instrument 0 by its text, and keeps the
    /// prices of orders, not the orders.
    pub const fn is_order_log(&self) -> bool {
        self.is_order_log
    }

    /// Feeds that it decodes side by side.
    pub const fn feeds(&self) -> u32 {
        self.feeds
    }

    /// Slots for stop orders; 0: it has no session.
    pub const fn stops(&self) -> usize {
        self.stops
    }

    /// Slots that are compared first, of each instrument: see [`strategy::stops::turn`].
    pub const fn quarter_of_stops(&self) -> usize {
        self.stops / 4
    }

    /// Whether it has a ring in host memory.
    pub const fn has_ring(&self) -> bool {
        self.has_ring
    }

    /// The way to the registers.
    pub const fn registers(&mut self) -> &mut R {
        &mut self.registers
    }

    /// Whether frames are received.
    pub fn set_enable(&mut self, enable: bool) -> Result<(), Error<R::Error>> {
        self.write_control(map::control::ENABLE.set(self.control, u32::from(enable)))
    }

    /// The ITCH of the feed. Only while the core is disabled.
    pub fn set_version(&mut self, version: Version) -> Result<(), Error<R::Error>> {
        self.write_control(
            map::control::ITCH50.set(self.control, u32::from(version == Version::V50)),
        )
    }

    /// Whether statistics go on over heartbeats.
    pub fn set_accumulate(&mut self, accumulate: bool) -> Result<(), Error<R::Error>> {
        self.write_control(map::control::ACCUMULATE.set(self.control, u32::from(accumulate)))
    }

    /// Which frames are ours.
    pub fn set_net(&mut self, net: &NetConfig) -> Result<(), Error<R::Error>> {
        self.write_mac(
            map::local_mac_high::ADDRESS,
            map::local_mac_low::ADDRESS,
            net.local_mac,
        )?;
        self.write(map::local_ip::ADDRESS, net.local_ip.to_bits())?;
        for (group, address) in net
            .groups
            .iter()
            .zip((map::group::ADDRESS..).step_by(map::group::STRIDE as usize))
        {
            self.write(address, group.to_bits())?;
        }
        for (port, address) in net
            .ports
            .iter()
            .zip((map::port::ADDRESS..).step_by(map::port::STRIDE as usize))
        {
            self.write(address, u32::from(*port))?;
        }
        Ok(())
    }

    /// Where reports go.
    pub fn set_report(&mut self, report: &ReportConfig) -> Result<(), Error<R::Error>> {
        self.write_mac(
            map::report_mac_high::ADDRESS,
            map::report_mac_low::ADDRESS,
            report.destination_mac,
        )?;
        self.write(map::report_ip::ADDRESS, report.destination_ip.to_bits())?;
        let source = map::report_port::SOURCE.set(0, u32::from(report.source_port));
        self.write(
            map::report_port::ADDRESS,
            map::report_port::DESTINATION.set(source, u32::from(report.destination_port)),
        )
    }

    /// Which frames are ours and where reports go, as the core has it.
    pub fn net(&mut self) -> Result<(NetConfig, ReportConfig), Error<R::Error>> {
        let mut groups = [Ipv4Addr::UNSPECIFIED; 4];
        for (group, address) in groups
            .iter_mut()
            .zip((map::group::ADDRESS..).step_by(map::group::STRIDE as usize))
        {
            *group = Ipv4Addr::from_bits(self.read(address)?);
        }
        let mut ports = [0; 4];
        for (port, address) in ports
            .iter_mut()
            .zip((map::port::ADDRESS..).step_by(map::port::STRIDE as usize))
        {
            *port = self.read(address)? as u16;
        }
        let net = NetConfig {
            local_mac: self.read_mac(map::local_mac_high::ADDRESS, map::local_mac_low::ADDRESS)?,
            local_ip: Ipv4Addr::from_bits(self.read(map::local_ip::ADDRESS)?),
            groups,
            ports,
        };
        let report_port = self.read(map::report_port::ADDRESS)?;
        let report = ReportConfig {
            destination_mac: self
                .read_mac(map::report_mac_high::ADDRESS, map::report_mac_low::ADDRESS)?,
            destination_ip: Ipv4Addr::from_bits(self.read(map::report_ip::ADDRESS)?),
            source_port: map::report_port::SOURCE.get(report_port) as u16,
            destination_port: map::report_port::DESTINATION.get(report_port) as u16,
        };
        Ok((net, report))
    }

    /// Every counter.
    pub fn counters(&mut self) -> Result<Counters, Error<R::Error>> {
        Ok(Counters {
            net: self.net_counters(map::mii_error::ADDRESS)?,
            feed: FeedCounters {
                mold_malformed: self.read(map::mold_malformed::ADDRESS)?,
                mold_old: self.read(map::mold_old::ADDRESS)?,
                mold_heartbeat: self.read(map::mold_heartbeat::ADDRESS)?,
                mold_end_of_session: self.read(map::mold_end_of_session::ADDRESS)?,
                mold_packet: self.read(map::mold_packet::ADDRESS)?,
                mold_new_session: self.read(map::mold_new_session::ADDRESS)?,
                mold_gap: self.read(map::mold_gap::ADDRESS)?,
                mold_lost: self
                    .read_wide(map::mold_lost_high::ADDRESS, map::mold_lost_low::ADDRESS)?,
                itch_messages: self.read(map::itch_messages::ADDRESS)?,
                itch_unknown_type: self.read(map::itch_unknown_type::ADDRESS)?,
                itch_bad_length: self.read(map::itch_bad_length::ADDRESS)?,
                filter_hit: self.read(map::filter_hit::ADDRESS)?,
                filter_miss: self.read(map::filter_miss::ADDRESS)?,
                time_backwards: self.read(map::time_backwards::ADDRESS)?,
                heartbeat: self.read(map::heartbeat::ADDRESS)?,
                report_sent: self.read(map::report_sent::ADDRESS)?,
                report_missed: self.read(map::report_missed::ADDRESS)?,
            },
        })
    }

    /// A line's frames by cause: consecutive registers, in the order of the causes.
    pub(crate) fn net_counters(&mut self, first: u32) -> Result<NetCounters, Error<R::Error>> {
        let mut addresses = (first..).step_by(4);
        let mut next = || self.read(addresses.next().unwrap_or(first));
        Ok(NetCounters {
            mii_error: next()?,
            fcs_error: next()?,
            runt: next()?,
            oversize: next()?,
            other_mac: next()?,
            other_ethertype: next()?,
            ip_header_error: next()?,
            ip_options: next()?,
            ip_checksum_error: next()?,
            ip_length_error: next()?,
            fragment: next()?,
            other_ip: next()?,
            other_protocol: next()?,
            udp_length_error: next()?,
            other_port: next()?,
            udp_checksum_error: next()?,
            accepted: next()?,
        })
    }

    /// Frames the transmit side broke off because the report was late. Always 0 unless the core has a fault.
    pub fn transmit_underrun(&mut self) -> Result<u32, Error<R::Error>> {
        self.read(map::transmit_underrun::ADDRESS)
    }

    /// The latency the core measured itself.
    pub fn latency(&mut self) -> Result<Latency, Error<R::Error>> {
        Ok(Latency {
            last: self.read(map::latency_last::ADDRESS)?,
            minimum: self.read(map::latency_minimum::ADDRESS)?,
            maximum: self.read(map::latency_maximum::ADDRESS)?,
        })
    }

    /// The core's time, in nanoseconds.
    pub fn time(&mut self) -> Result<u64, Error<R::Error>> {
        self.read_wide(map::time_high::ADDRESS, map::time_low::ADDRESS)
    }

    /// Sets the core's time, in nanoseconds.
    pub fn set_time(&mut self, nanoseconds: u64) -> Result<(), Error<R::Error>> {
        self.write(map::time_set_low::ADDRESS, nanoseconds as u32)?;
        self.write(map::time_set_high::ADDRESS, (nanoseconds >> 32) as u32)?;
        self.write(map::time_command::ADDRESS, map::time_command::LOAD.mask())
    }

    pub(crate) fn read(&mut self, address: u32) -> Result<u32, Error<R::Error>> {
        Ok(self.registers.read32(address)?)
    }

    /// High, low, high again, until no carry came in between.
    pub(crate) fn read_wide(&mut self, high: u32, low: u32) -> Result<u64, Error<R::Error>> {
        let mut upper = self.read(high)?;
        loop {
            let lower = self.read(low)?;
            let again = self.read(high)?;
            if upper == again {
                return Ok(u64::from(upper) << 32 | u64::from(lower));
            }
            upper = again;
        }
    }

    pub(crate) fn write(&mut self, address: u32, value: u32) -> Result<(), Error<R::Error>> {
        Ok(self.registers.write32(address, value)?)
    }

    pub(crate) fn write_control(&mut self, control: u32) -> Result<(), Error<R::Error>> {
        self.write(map::control::ADDRESS, control)?;
        self.control = control;
        Ok(())
    }

    fn write_mac(&mut self, high: u32, low: u32, mac: MacAddress) -> Result<(), Error<R::Error>> {
        let [a, b, c, d, e, f] = mac.0;
        self.write(high, u32::from_be_bytes([0, 0, a, b]))?;
        self.write(low, u32::from_be_bytes([c, d, e, f]))
    }

    fn read_mac(&mut self, high: u32, low: u32) -> Result<MacAddress, Error<R::Error>> {
        let [_, _, a, b] = self.read(high)?.to_be_bytes();
        let [c, d, e, f] = self.read(low)?.to_be_bytes();
        Ok(MacAddress([a, b, c, d, e, f]))
    }
}
