//! A recorded file of a desk's feed: what is to be known of it before its first packet.

use std::path::{Path, PathBuf};

use cosim::orders::FastFeed;
use feed::PacketSource;
use feed::packetize::{Config, Packetizer};
use feed::source::{CaptureReader, Options, Source};
use formats::itch::{self, Version};
use formats::{Event, Kind, Symbol, mold};

use crate::desk::FastSetup;
use crate::{Desk, Error, Monitor};

/// A recorded file of a desk's feed.
#[derive(Debug)]
pub struct Recording {
    path: PathBuf,
    options: Options,
    version: Version,
    fast: Option<FastSetup>,
    before: Option<Vec<u8>>,
}

impl Recording {
    /// A file of this desk's feed, or of a feed in ITCH; `version`: of that.
    ///
    /// # Errors
    /// The file, or what a feed in FAST is decoded with, cannot be read.
    pub fn open(
        desk: Option<&Desk>,
        path: &Path,
        options: Options,
        version: Version,
        monitor: &dyn Monitor,
    ) -> Result<Self, Error> {
        let mut recording = Recording {
            path: path.to_owned(),
            options,
            version,
            fast: None,
            before: None,
        };
        if let Some((desk, fast)) = desk.and_then(|desk| Some((desk, desk.feed.fast.as_ref()?))) {
            recording.options.any_protocol = true;
            let setup = desk.read_fast(fast, monitor)?;
            if setup.map.depth.is_some() {
                recording.before = recording.packet_before(monitor)?;
            }
            recording.fast = Some(setup);
        }
        Ok(recording)
    }

    /// Of a feed in ITCH.
    pub const fn version(&self) -> Version {
        self.version
    }

    /// What a feed in FAST is decoded with.
    pub const fn fast(&self) -> Option<&FastSetup> {
        self.fast.as_ref()
    }

    /// The same for a core.
    pub fn fast_in_core(&self) -> Option<FastFeed<'_>> {
        let setup = self.fast.as_ref()?;
        Some(setup.in_core(self.before.as_deref()))
    }

    /// Its first packet is not played, and the host makes the books empty after it: for a core that cannot read it ([`cosim::Preset::is_order_log`]).
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn after_first(&mut self) -> Result<(), Error> {
        self.before = CaptureReader::open(&self.path, self.options)?
            .next_packet()?
            .map(|packet| packet.payload.to_vec());
        Ok(())
    }

    /// Whether its first packet is not played, and books are empty after it: it is of price levels and begins in the middle of a session, or as [`Recording::after_first`] has it.
    pub const fn is_joined(&self) -> bool {
        self.before.is_some()
    }

    /// Its first packet, if it begins in the middle of a session. Books of orders cannot be made of what comes later; price levels can.
    fn packet_before(&self, monitor: &dyn Monitor) -> Result<Option<Vec<u8>>, Error> {
        let mut packets = CaptureReader::open(&self.path, self.options)?;
        let Some(packet) = packets.next_packet()? else {
            return Ok(None);
        };
        let number = packet.payload.first_chunk().copied();
        let number = number.map_or(0, u32::from_le_bytes);
        if number == 1 {
            return Ok(None);
        }
        monitor.note(&format!(
            "{} begins with message {number}: the books are empty after it, and lack the levels that do not change",
            self.path.display()
        ));
        Ok(Some(packet.payload.to_vec()))
    }

    /// The price of the first order or level of a symbol that enters; `None`: there is none.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn first_price(&self, symbol: Symbol) -> Result<Option<u32>, Error> {
        if let Some(setup) = &self.fast {
            let mut decoder = setup.decoder()?;
            let packets = CaptureReader::open(&self.path, self.options)?;
            return find(packets, |payload| {
                let mut price = None;
                decoder.datagram(payload, &mut |event: &Event| {
                    let is_level = event.kind == Kind::Level && event.quantity > 0;
                    let enters = event.kind == Kind::Add || is_level;
                    if enters && event.symbol == Some(symbol) {
                        price = price.or(u32::try_from(event.price).ok());
                    }
                });
                price
            });
        }
        let of_packet = |payload: &[u8]| {
            let packet = mold::Packet::parse(payload).ok()?;
            let price = |message| match itch::Message::parse(self.version, message) {
                Ok(itch::Message::AddOrder(add)) if add.stock == symbol => Some(add.price),
                Ok(itch::Message::AddOrderMpid(add)) if add.stock == symbol => Some(add.price),
                _ => None,
            };
            packet.messages().find_map(price)
        };
        match Source::open(&self.path, self.options)? {
            Source::Messages(reader) => find(Packetizer::new(reader, Config::default()), of_packet),
            Source::Datagrams(reader) => find(reader, of_packet),
        }
    }
}

/// What the first packet gives that gives something.
fn find(
    mut packets: impl PacketSource,
    mut of: impl FnMut(&[u8]) -> Option<u32>,
) -> Result<Option<u32>, Error> {
    while let Some(packet) = packets.next_packet()? {
        if let Some(found) = of(packet.payload) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}
