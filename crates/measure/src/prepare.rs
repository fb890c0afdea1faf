//! A file made ready to be measured: its datagrams, and the reports that each must cause.

use std::path::Path;

use feed::packetize::{Config as Grouping, Packetizer};
use feed::source::{Options, Source, SourceError};
use feed::{Packet, PacketSource};
use strategy::{Config, ConfigError, Counters, Handler};
use thiserror::Error;
use wire::itch::Version;
use wire::mold;

use crate::software::Datagram;

/// Why a file cannot be measured.
#[derive(Debug, Error)]
pub enum PrepareError {
    /// The file.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The symbols.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A capture does not say which ITCH it holds.
    #[error("{0}: a capture does not say which ITCH it holds; tell it (--itch 4.1 or --itch 5.0)")]
    Version(String),
}

/// A file's datagrams.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// In order.
    pub datagrams: Vec<Datagram>,
    /// ITCH messages in them.
    pub messages: u64,
    /// Reports they cause.
    pub reports: usize,
    /// The ITCH in them.
    pub version: Version,
    /// What a handler counted over all of them; nothing about frames.
    pub counters: strategy::Counters,
}

/// Reads a BinaryFILE or a capture whole and runs a handler over it. `config.version` is replaced by the file's own, where it
/// has one.
///
/// # Errors
/// The file's fault, with its offset; symbols that the handler refuses.
pub fn prepare(path: &Path, version: Option<Version>, grouping: Grouping, config: &mut Config) -> Result<Prepared, PrepareError> {
    match Source::open(path, Options { version, ..Options::default() })? {
        Source::Messages(messages) => {
            config.version = messages.version();
            collect(Packetizer::new(messages, grouping), config)
        }
        Source::Datagrams(capture) => {
            config.version = version.ok_or_else(|| PrepareError::Version(path.display().to_string()))?;
            collect(capture, config)
        }
    }
}

fn collect(mut source: impl PacketSource, config: &Config) -> Result<Prepared, PrepareError> {
    let mut handler = Handler::new(config.clone())?;
    let (mut datagrams, mut messages, mut reports) = (vec![], 0, 0);
    while let Some(Packet { time, payload }) = source.next_packet()? {
        messages += mold::Packet::parse(payload).map_or(0, |packet| u64::from(packet.header.messages()));
        let mut report = vec![];
        if handler.datagram(payload).report_due {
            report = handler.report().into_iter().flatten().map(<[u8]>::to_vec).collect();
            reports += 1;
        }
        datagrams.push(Datagram { time, payload: payload.to_vec(), report });
    }
    let counters = Counters { feed: *handler.counters(), ..Counters::default() };
    Ok(Prepared { datagrams, messages, reports, version: config.version, counters })
}
