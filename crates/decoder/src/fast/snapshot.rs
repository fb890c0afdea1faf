//! Snapshots of the books out of a channel that sends them in a cycle, one instrument after the other, each in fragments.
//!
//! A snapshot counts only if all of its fragments came, in order. A copy of a fragment, of another line, is passed over; after a lost one
//! the rest is dropped, and the next cycle brings the instrument again.

use ::fast::{Decoder, Error, Field, Framing, Kind, Settings, Templates, Value, Visitor};
use formats::{Event, Symbol};

use super::collect::{Cause, Collector};
use super::map::{Map, MapError, SnapshotMap};
use crate::count;

/// Events of a snapshot at most: so many live orders the simulated exchange has at most.
const MOST_EVENTS: usize = 1 << 20;

/// The book of an instrument as of a message of the feed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The instrument.
    pub symbol: Symbol,
    /// The number of the feed's first message that is not in it.
    pub next: u64,
    /// Its orders, as they are to enter an empty book.
    pub events: Vec<Event>,
}

/// What a reader of snapshots counted. 32 bits, wrapping.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SnapshotCounters {
    /// Fragments that were used.
    pub fragments: u32,
    /// Snapshots that were complete.
    pub complete: u32,
    /// Fragments that came again.
    pub again: u32,
    /// Snapshots, or their rest, that were dropped: a fragment was lost, does not belong to the others, or lacks a field; or they are too many.
    pub broken: u32,
    /// Packets that are not what the templates or the map say.
    pub malformed: u32,
}

/// The header of a fragment, as far as its fields have come.
#[derive(Clone, Copy, Debug, Default)]
struct Header {
    sequence: Option<u64>,
    symbol: Option<Symbol>,
    last_sequence: Option<u64>,
    is_first: bool,
    is_last: bool,
}

/// Where the fields of the header are in the template.
#[derive(Clone, Copy, Debug)]
struct Places {
    template: usize,
    sequence: u32,
    symbol: u32,
    last_sequence: u32,
    /// Of the fields that say it; `None`: each message is all of an instrument.
    fragments: Option<(u32, u32)>,
}

/// A snapshot that is not complete.
#[derive(Clone, Debug)]
struct Open {
    snapshot: Snapshot,
    /// Numbers of its first fragment and of the next one.
    first: u64,
    next: u64,
}

/// The reader.
#[derive(Clone, Debug)]
pub struct Snapshots {
    decoder: Decoder,
    framing: Framing,
    collector: Collector,
    places: Places,
    open: Option<Open>,
    counters: SnapshotCounters,
}

impl Snapshots {
    /// A reader that has seen nothing yet; `None`: the map has no snapshots.
    ///
    /// # Errors
    /// The map does not fit the templates.
    pub fn new(
        templates: &Templates,
        settings: Settings,
        framing: Framing,
        map: &Map,
    ) -> Result<Option<Self>, MapError> {
        let Some(snapshot) = &map.snapshot else {
            return Ok(None);
        };
        let of_entries = Map {
            price_scale: map.price_scale,
            depth: map.depth,
            quantity_scale: map.quantity_scale,
            templates: vec![snapshot.template.clone()],
            snapshot: None,
        };
        Ok(Some(Snapshots {
            decoder: Decoder::with(templates, settings),
            framing,
            collector: Collector::new(templates, &of_entries)?,
            places: places(templates, snapshot)?,
            open: None,
            counters: SnapshotCounters::default(),
        }))
    }

    /// Takes a UDP payload; gives the snapshots that it completes.
    pub fn datagram(&mut self, payload: &[u8], give: &mut impl FnMut(Snapshot)) -> Cause {
        let mut at = 0;
        let mut outcome = Cause::Good;
        loop {
            let mut reading = Reading {
                collector: &mut self.collector,
                places: self.places,
                header: None,
            };
            let framed =
                self.framing
                    .next_of_datagram(&mut self.decoder, payload, at, &mut reading);
            let header = reading.header;
            let mut events = vec![];
            // Numbers of fragments are looked at here.
            self.collector.restart();
            let cause = self.collector.finish(&mut |event: &Event| {
                events.push(*event);
            });
            match (framed, cause) {
                (Ok(frame), Cause::Good | Cause::Old) => {
                    if let Some(header) = header {
                        self.fragment(&header, events, give);
                    }
                    at = frame.end;
                }
                (Err(error), _) => {
                    count(&mut self.counters.malformed);
                    return Cause::Malformed(error.code);
                }
                // The next one may be of another instrument.
                (Ok(frame), cause) => {
                    count(&mut self.counters.malformed);
                    if outcome == Cause::Good {
                        outcome = cause;
                    }
                    at = frame.end;
                }
            }
            if at >= payload.len() {
                return outcome;
            }
        }
    }

    /// What was counted so far.
    pub const fn counters(&self) -> SnapshotCounters {
        self.counters
    }

    fn fragment(&mut self, header: &Header, events: Vec<Event>, give: &mut impl FnMut(Snapshot)) {
        let (Some(number), Some(symbol), Some(last)) =
            (header.sequence, header.symbol, header.last_sequence)
        else {
            self.open = None;
            return count(&mut self.counters.broken);
        };
        let next = last.saturating_add(1);
        let known = |open: &Open| (open.first..open.next).contains(&number);
        if self.open.as_ref().is_some_and(known) {
            return count(&mut self.counters.again);
        }
        let begun = self.open.take();
        let open = match begun {
            Some(mut open)
                if !header.is_first
                    && open.next == number
                    && (open.snapshot.symbol, open.snapshot.next) == (symbol, next)
                    && open.snapshot.events.len() + events.len() <= MOST_EVENTS =>
            {
                open.snapshot.events.extend(events);
                open.next = number.saturating_add(1);
                open
            }
            begun => {
                if begun.is_some() || !header.is_first {
                    count(&mut self.counters.broken);
                }
                if !header.is_first {
                    return;
                }
                Open {
                    snapshot: Snapshot {
                        symbol,
                        next,
                        events,
                    },
                    first: number,
                    next: number.saturating_add(1),
                }
            }
        };
        count(&mut self.counters.fragments);
        if header.is_last {
            count(&mut self.counters.complete);
            give(open.snapshot);
        } else {
            self.open = Some(open);
        }
    }
}

fn places(templates: &Templates, map: &SnapshotMap) -> Result<Places, MapError> {
    let id = map.template.id;
    let (index, template) = templates.by_id(id).ok_or(MapError::Template(id))?;
    let header = template
        .instructions
        .iter()
        .take_while(|instruction| instruction.kind != Kind::SequenceStart);
    let find = |tag: Option<u32>, member| {
        let missing = MapError::Field {
            template: id,
            field: tag.unwrap_or_default(),
        };
        let mut fields = (0..).zip(header.clone());
        let field = fields.find(|(_, one)| Some(one.tag) == tag && one.kind.is_field());
        let (at, one) = field.ok_or(missing)?;
        let number = matches!(one.kind, Kind::Unsigned(_) | Kind::Signed(_));
        let text = matches!(one.kind, Kind::Ascii | Kind::Unicode);
        if number || text && member == "symbol" {
            return Ok(at);
        }
        Err(MapError::Type {
            template: id,
            field: one.tag,
            member,
        })
    };
    Ok(Places {
        template: index,
        sequence: find(map.template.sequence, "sequence")?,
        symbol: find(map.template.symbol, "symbol")?,
        last_sequence: find(Some(map.last_sequence), "last_sequence")?,
        fragments: match (map.first_fragment, map.last_fragment) {
            (None, None) => None,
            (first, last) => Some((find(first, "first_fragment")?, find(last, "last_fragment")?)),
        },
    })
}

/// Listens to the FAST decoder: the header for the reader, everything for the collector.
struct Reading<'c> {
    collector: &'c mut Collector,
    places: Places,
    /// That of the message, if it is a fragment.
    header: Option<Header>,
}

fn number(value: Value<'_>) -> Option<u64> {
    match value {
        Value::Unsigned(value) => Some(value),
        Value::Signed(value) => value.try_into().ok(),
        _ => None,
    }
}

impl Visitor for Reading<'_> {
    fn message_start(&mut self, index: usize) {
        let is_all = self.places.fragments.is_none();
        let header = Header {
            is_first: is_all,
            is_last: is_all,
            ..Header::default()
        };
        self.header = (index == self.places.template).then_some(header);
        self.collector.message_start(index);
    }

    fn field(&mut self, field: Field, value: Value<'_>) {
        if let Some(header) = &mut self.header {
            // The index of an instruction is of one field, before the entries or in them.
            let (at, places) = (field.index, &self.places);
            if at == places.sequence {
                header.sequence = number(value);
            } else if at == places.symbol {
                header.symbol = match value {
                    Value::Ascii(name) | Value::Unicode(name) => Symbol::of_name(name),
                    _ => number(value).and_then(Symbol::of_id),
                };
            } else if at == places.last_sequence {
                header.last_sequence = number(value);
            } else if let Some((first, last)) = places.fragments {
                if at == first {
                    header.is_first = number(value) == Some(1);
                } else if at == last {
                    header.is_last = number(value) == Some(1);
                }
            }
        }
        self.collector.field(field, value);
    }

    fn sequence_start(&mut self, field: Field, length: u32) {
        self.collector.sequence_start(field, length);
    }

    fn entry_start(&mut self, index: u32, at: usize) {
        self.collector.entry_start(index, at);
    }

    fn entry_end(&mut self, at: usize) {
        self.collector.entry_end(at);
    }

    fn sequence_end(&mut self) {
        self.collector.sequence_end();
    }

    fn reference_start(&mut self, field: Field, index: usize) {
        self.collector.reference_start(field, index);
    }

    fn reference_end(&mut self) {
        self.collector.reference_end();
    }

    fn message_end(&mut self) {
        self.collector.message_end();
    }

    fn dropped(&mut self, error: &Error) {
        self.header = None;
        self.collector.dropped(error);
    }
}
