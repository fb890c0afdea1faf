//! The section `[feed.fast]` of a desk: an order log in FAST 1.1, or price levels.

use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use decoder::Fast;
use decoder::fast::{Coded, Map, MapError, Meaning, Snapshots, TemplateMap};
use fast::{Framing, Settings, Templates};
use feed::socket::Endpoint;
use formats::Kind;
use pipeline::OrderLog;
use serde::Deserialize;
use toml::Spanned;

use super::{Desk, Line, Source};
use crate::{Error, Monitor};

/// An order log or price levels in FAST, each packet a sequence number of four bytes and a message, as the Moscow Exchange sends it.
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

/// Compiles a template file, and notes what it passed over.
///
/// # Errors
/// The file cannot be read, or does not compile.
pub fn read_templates(path: &Path, monitor: &dyn Monitor) -> Result<Templates, Error> {
    let text = fs::read(path).and_then(|bytes| {
        let invalid = |_| {
            io::Error::new(
                io::ErrorKind::InvalidData,
                "not UTF-8; save the file as UTF-8",
            )
        };
        String::from_utf8(bytes).map_err(invalid)
    });
    let text = text.map_err(|cause| Error::Read {
        path: path.to_owned(),
        cause,
    })?;
    let templates = Templates::parse(&text).map_err(|cause| Error::Templates {
        path: path.to_owned(),
        cause,
    })?;
    if let [first, more @ ..] = templates.warnings() {
        let more = match more.len() {
            0 => String::new(),
            count => format!(" ({count} more)"),
        };
        monitor.note(&format!("{}: {first}{more}", path.display()));
    }
    Ok(templates)
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

    fn read(&self, monitor: &dyn Monitor) -> Result<FastSetup, Error> {
        let templates = read_templates(&self.templates, monitor)?;
        let path = self.map.clone();
        let text = fs::read_to_string(&path).map_err(|cause| Error::Read {
            path: path.clone(),
            cause,
        })?;
        let map = Map::parse(&text).map_err(|cause| Error::Map {
            path: path.clone(),
            cause,
        })?;
        if let Err((span, fault)) = fits_books(&map, &text) {
            return Err(Source { path, text }.fault(&span, fault).into());
        }
        Ok(FastSetup {
            templates,
            map,
            settings: Settings {
                reset_each_packet: true,
                ..Settings::default()
            },
            map_file: path,
        })
    }
}

/// What a feed in FAST is decoded with: its files, read and checked.
#[derive(Debug)]
pub struct FastSetup {
    /// The exchange's templates.
    pub templates: Templates,
    /// Which of their fields are which members of an event.
    pub map: Map,
    /// When dictionaries are reset.
    pub settings: Settings,
    /// The map's file.
    pub map_file: PathBuf,
}

impl FastSetup {
    /// The decoder.
    ///
    /// # Errors
    /// The map does not fit the templates.
    pub fn decoder(&self) -> Result<Fast, Error> {
        let decoder = Fast::new(&self.templates, self.settings, FRAMING, &self.map);
        decoder.map_err(|cause| self.refused(cause))
    }

    /// The same for a core. `before`: of a recording that begins in the middle of a session, the packet before its first.
    pub const fn in_core<'a>(&'a self, before: Option<&'a [u8]>) -> cosim::orders::FastFeed<'a> {
        cosim::orders::FastFeed {
            templates: &self.templates,
            map: &self.map,
            settings: self.settings,
            before,
        }
    }

    fn refused(&self, cause: MapError) -> Error {
        Error::Map {
            path: self.map_file.clone(),
            cause,
        }
    }
}

/// What stands around the messages.
const FRAMING: Framing = Framing::Preamble;

impl Desk {
    /// What its feed in FAST is decoded with.
    ///
    /// # Errors
    /// A file cannot be read; the map does not fit the books, or the desk's instruments not the map.
    pub fn read_fast(&self, fast: &FastFeed, monitor: &dyn Monitor) -> Result<FastSetup, Error> {
        let read = fast.read(monitor)?;
        let scale = Some(read.map.price_scale);
        let fits = self
            .session()
            .map_or(Ok(()), |session| session.check_instruments(scale));
        fits.map_err(|(span, fault)| self.source.fault(&span, fault))?;
        Ok(read)
    }

    /// The decoder of its feed in FAST, and of the snapshots.
    ///
    /// # Errors
    /// As [`Desk::read_fast`]; the map does not fit the templates.
    pub fn order_log(&self, fast: &FastFeed, monitor: &dyn Monitor) -> Result<OrderLog, Error> {
        let read = self.read_fast(fast, monitor)?;
        let snapshots = if fast.snapshots.is_empty() {
            None
        } else {
            let reader = Snapshots::new(&read.templates, read.settings, FRAMING, &read.map);
            let none = || {
                let text = "the desk has snapshots, but the map has no section [snapshot]";
                read.refused(MapError::Toml(text.into()))
            };
            let reader = reader.map_err(|cause| read.refused(cause))?;
            Some(reader.ok_or_else(none)?)
        };
        Ok(OrderLog::new(read.decoder()?, snapshots))
    }
}

/// Where the entries of a map stand that may not fit the books.
#[derive(Deserialize)]
struct Places {
    quantity_scale: Option<Spanned<u8>>,
    depth: Option<Spanned<u8>>,
    #[serde(default)]
    template: Vec<Spanned<toml::Table>>,
    snapshot: Option<Spanned<toml::Table>>,
}

/// Whether the books can take what a map gives: whole quantities, and either orders or so many price levels.
fn fits_books(map: &Map, text: &str) -> Result<(), (Range<usize>, String)> {
    // The map itself was read from it.
    let Ok(places) = toml::from_str::<Places>(text) else {
        return Ok(());
    };
    let of = |place: &Option<Spanned<u8>>| place.as_ref().map_or(0..0, Spanned::span);
    if map.quantity_scale != 0 {
        let fault = "quantity_scale: the books take whole quantities: write quantity_scale = 0";
        return Err((of(&places.quantity_scale), fault.into()));
    }
    let templates = map.templates.iter().zip(&places.template);
    let templates = templates.map(|(template, place)| (template, place.span()));
    let snapshot = map.snapshot.as_ref().zip(places.snapshot.as_ref());
    let snapshot = snapshot.map(|(snapshot, place)| (&snapshot.template, place.span()));
    for (template, span) in templates.chain(snapshot) {
        let gives = |wanted: fn(Kind) -> bool| meanings(template).any(wanted);
        let id = template.id;
        if map.depth.is_none() && gives(|kind| kind == Kind::Level) {
            return Err((
                span,
                format!(
                    "template {id} gives price levels: write at the top of the map how many of a side the feed has, like depth = 5"
                ),
            ));
        }
        if map.depth.is_some() && gives(is_of_order) {
            return Err((
                of(&places.depth),
                format!(
                    "depth is of a feed that gives price levels, but template {id} gives orders: leave it out"
                ),
            ));
        }
    }
    Ok(())
}

/// What the entries of a template may be.
fn meanings(template: &TemplateMap) -> impl Iterator<Item = Kind> {
    let coded = [&template.action, &template.entry_type];
    let coded = coded.into_iter().flatten();
    let values = coded.flat_map(|coded: &Coded| coded.values.values());
    values
        .chain(&template.kind)
        .copied()
        .filter_map(Meaning::kind)
}

const fn is_of_order(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Add | Kind::Modify | Kind::Execute | Kind::Reduce | Kind::Delete
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEVELS: &str = include_str!("../../../../desks/fast/micex-levels.toml");
    const ORDERS: &str = include_str!("../../../../desks/fast/moex-order-log.toml");

    /// The line of the fault, and the fault.
    fn fault(text: &str) -> (usize, String) {
        let (span, fault) = fits_books(&Map::parse(text).unwrap(), text).unwrap_err();
        (text[..span.start].matches('\n').count() + 1, fault)
    }

    #[test]
    fn a_map_that_does_not_fit_the_books_is_refused_where_it_says_so() {
        for text in [LEVELS, ORDERS] {
            assert_eq!(fits_books(&Map::parse(text).unwrap(), text), Ok(()));
        }
        let line =
            |text: &str, of: &str| text.lines().position(|line| line.contains(of)).unwrap() + 1;
        let (found, says) = fault(&LEVELS.replace("\ndepth = ", "\n# depth = "));
        assert_eq!(found, line(LEVELS, "[[template]]"));
        assert!(says.contains("template 74 gives price levels"), "{says}");
        assert!(says.contains("depth = 5"), "{says}");
        let with_depth = ORDERS.replace("price_scale = 4", "price_scale = 4\ndepth = 5");
        let (found, says) = fault(&with_depth);
        assert_eq!(found, line(&with_depth, "depth = 5"));
        assert!(says.contains("template 3610 gives orders"), "{says}");
        let scaled = ORDERS.replace("price_scale = 4", "price_scale = 4\nquantity_scale = 2");
        let (found, says) = fault(&scaled);
        assert_eq!(found, line(&scaled, "quantity_scale"));
        assert!(says.contains("whole quantities"), "{says}");
    }
}
