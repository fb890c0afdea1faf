//! The section `[feed.fast]` of a desk: an order log in FAST 1.1.

use std::fs;
use std::ops::Range;
use std::path::PathBuf;

use decoder::Fast;
use decoder::fast::{Map, MapError, Snapshots};
use fast::{Framing, Settings, Templates};
use feed::socket::Endpoint;
use instrument::ITCH_PRICE_SCALE;
use pipeline::OrderLog;
use serde::Deserialize;
use toml::Spanned;

use super::Line;
use crate::commands::fast::read_templates;
use crate::console::Console;
use crate::error::Error;

/// An order log in FAST, each packet a sequence number of four bytes and a message, as the Moscow Exchange sends it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FastFeed {
    /// The exchange's template file.
    pub templates: PathBuf,
    /// Which fields are which members of an event (`docs/reference/fast-events.md`).
    pub map: PathBuf,
    /// Lines A, B of the snapshots, from which books are rebuilt that lost messages.
    #[serde(default)]
    pub snapshots: Vec<Spanned<Line>>,
}

impl FastFeed {
    pub(super) fn check(&self) -> Result<(), (Range<usize>, String)> {
        for line in &self.snapshots {
            match &line.get_ref().0 {
                Err(error) => return Err((line.span(), error.to_string())),
                Ok(endpoint) if endpoint.address.port() == 0 => {
                    return Err((line.span(), "port 0 is none".into()));
                }
                Ok(_) => {}
            }
        }
        Ok(())
    }

    /// The lines of the snapshots.
    pub fn snapshot_lines(&self) -> Vec<Endpoint> {
        let lines = self.snapshots.iter();
        lines
            .filter_map(|line| line.get_ref().0.clone().ok())
            .collect()
    }

    /// Templates and map, and when dictionaries are reset.
    ///
    /// # Errors
    /// A file cannot be read; the map's prices and quantities do not fit the books.
    pub fn read(&self, console: Console) -> Result<(Templates, Map, Settings), Error> {
        let templates = read_templates(&self.templates, console)?;
        let text = fs::read_to_string(&self.map).map_err(|cause| Error::Read {
            path: self.map.clone(),
            cause,
        })?;
        let map = Map::parse(&text).map_err(|cause| self.refused(cause))?;
        if map.price_scale != ITCH_PRICE_SCALE || map.quantity_scale != 0 {
            return Err(self.refused(MapError::Toml(format!(
                "a desk takes price_scale = {ITCH_PRICE_SCALE} and quantity_scale = 0"
            ))));
        }
        let settings = Settings {
            reset_each_packet: true,
            ..Settings::default()
        };
        Ok((templates, map, settings))
    }

    /// The map is refused.
    pub fn refused(&self, cause: MapError) -> Error {
        Error::Map {
            path: self.map.clone(),
            cause,
        }
    }

    /// The decoder of the feed and of its snapshots.
    ///
    /// # Errors
    /// As [`FastFeed::read`]; the map does not fit the templates.
    pub fn order_log(&self, console: Console) -> Result<OrderLog, Error> {
        let (templates, map, settings) = self.read(console)?;
        let refused = |cause| self.refused(cause);
        let framing = Framing::Preamble;
        let decoder = Fast::new(&templates, settings, framing, &map).map_err(refused)?;
        let snapshots = if self.snapshots.is_empty() {
            None
        } else {
            let reader = Snapshots::new(&templates, settings, framing, &map).map_err(refused)?;
            let none = || {
                let text = "the desk has snapshots, but the map has no section [snapshot]";
                refused(MapError::Toml(text.into()))
            };
            Some(reader.ok_or_else(none)?)
        };
        Ok(OrderLog::new(decoder, snapshots))
    }
}
