//! Engine and software decoder on the same packets.

use std::collections::{BTreeMap, VecDeque};

use fast::wire_rate::{Tables, Wanted};
use fast::{Decimal, Decoder, Field, Kind, Settings, Templates, Value, Visitor};

use super::model::{Record, Value as Given};
use super::{Engine, FIELDS, HEADERS, Shape, Trap};

/// How a packet arrives.
#[derive(Clone, Copy, Debug, Default)]
pub struct Arrival {
    /// The frame's verdict is bad.
    pub err: bool,
    /// Its last beat has no bytes, where the one before is full.
    pub empty_end: bool,
    /// Lanes of its first beat that are before it: 0 to 7.
    pub skip: u8,
    /// Cycles without a beat, of 256.
    pub gaps: u8,
    /// Where these are.
    pub random: u64,
}

/// What was compared.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// Packets that the engine gave as good.
    pub good: u64,
    /// Of these, packets with more than one message.
    pub several: u64,
    /// Packets that it did not do, by reason.
    pub trapped: BTreeMap<Trap, u64>,
    /// Of these, packets that are good in software.
    pub trapped_good: u64,
    /// Entries of good packets.
    pub entries: u64,
    /// Their wanted fields, absent ones too.
    pub fields: u64,
    /// Cycles from the packet's last beat to its last entry, and how often. Only of packets whose verdict is on time: after a further message the next ones are late.
    pub last_entry: BTreeMap<u64, u64>,
    /// To the verdict.
    pub verdict: BTreeMap<u64, u64>,
}

impl Statistics {
    /// Adds what another lockstep compared.
    pub fn add(&mut self, other: &Statistics) {
        self.good += other.good;
        self.several += other.several;
        self.trapped_good += other.trapped_good;
        self.entries += other.entries;
        self.fields += other.fields;
        for (trap, count) in &other.trapped {
            *self.trapped.entry(*trap).or_default() += count;
        }
        for (all, more) in [
            (&mut self.last_entry, &other.last_entry),
            (&mut self.verdict, &other.verdict),
        ] {
            for (cycles, count) in more {
                *all.entry(*cycles).or_default() += count;
            }
        }
    }
}

/// A value, of whichever side.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Item {
    Absent,
    Integer(i128),
    Decimal(Decimal),
    Text(Vec<u8>),
}

impl From<Value<'_>> for Item {
    fn from(value: Value<'_>) -> Self {
        match value {
            Value::Absent => Item::Absent,
            Value::Unsigned(value) => Item::Integer(value.into()),
            Value::Signed(value) => Item::Integer(value.into()),
            Value::Decimal(value) => Item::Decimal(value),
            Value::Ascii(bytes) | Value::Unicode(bytes) | Value::Bytes(bytes) => {
                Item::Text(bytes.to_vec())
            }
        }
    }
}

/// A template that an engine has, and what is wanted of it.
#[derive(Clone, Debug)]
pub struct Taken {
    /// Its identifier.
    pub id: u32,
    /// What is to leave.
    pub wanted: Wanted,
    /// The engine's tables.
    pub tables: Tables,
}

/// The wanted fields of a message, from the software decoder.
#[derive(Clone, Debug, Default)]
struct Wants {
    /// The one of the templates taken that the message is of.
    which: usize,
    header: Vec<Option<Item>>,
    entries: Vec<Vec<Item>>,
}

/// Those of a packet.
struct Expected<'a> {
    taken: &'a [Taken],
    templates: &'a Templates,
    messages: Vec<Wants>,
    inside: bool,
    /// There are messages of other templates.
    others: bool,
}

impl Visitor for Expected<'_> {
    fn message_start(&mut self, index: usize) {
        let template = self.templates.all().get(index);
        let id = template.and_then(|template| template.id);
        let which = self.taken.iter().position(|taken| Some(taken.id) == id);
        if let Some(which) = which {
            self.messages.push(Wants {
                which,
                header: vec![None; self.taken[which].wanted.header.len()],
                entries: vec![],
            });
        } else {
            self.others |= template.is_none_or(|template| !template.instructions.is_empty());
        }
    }

    fn field(&mut self, field: Field, value: Value<'_>) {
        let Some(message) = self.messages.last_mut() else {
            return;
        };
        let wanted = &self.taken[message.which].wanted;
        if self.inside {
            let Some(entry) = message.entries.last_mut() else {
                return;
            };
            let mut at = wanted.fields.iter().enumerate();
            let at = at.find(|(_, tag)| **tag == field.tag);
            if let Some(item) = at.and_then(|(index, _)| entry.get_mut(index)) {
                *item = value.into();
            }
            return;
        }
        let at = wanted.header.iter().position(|tag| *tag == field.tag);
        if let Some(item) = at.and_then(|index| message.header.get_mut(index)) {
            *item = Some(value.into());
        }
    }

    fn entry_start(&mut self, _: u32, _: usize) {
        self.inside = true;
        if let Some(message) = self.messages.last_mut() {
            let fields = self.taken[message.which].wanted.fields.len();
            message.entries.push(vec![Item::Absent; fields]);
        }
    }

    fn sequence_end(&mut self) {
        self.inside = false;
    }
}

/// A packet that is under way in the engine.
struct Pending {
    bytes: Vec<u8>,
    last: u64,
    err: bool,
    /// `None`: an error, or more than the engine has.
    messages: Option<Vec<Wants>>,
}

/// An engine and a decoder with the same templates.
pub struct Lockstep<'t> {
    engine: Engine,
    decoder: Decoder,
    templates: &'t Templates,
    taken: Vec<Taken>,
    /// By template, and wanted field of its entries.
    kinds: Vec<Vec<Kind>>,
    pending: VecDeque<Pending>,
    records: Vec<Record>,
    /// What was compared so far.
    pub statistics: Statistics,
}

impl<'t> Lockstep<'t> {
    /// Both after a reset, an engine of one template with these tables.
    pub fn new(
        templates: &'t Templates,
        id: u32,
        wanted: &Wanted,
        tables: &Tables,
        settings: Settings,
    ) -> Self {
        Self::of_one(Shape::One, templates, id, wanted, tables, settings)
    }

    /// The same, of this shape, which has room for one template.
    pub fn of_one(
        shape: Shape,
        templates: &'t Templates,
        id: u32,
        wanted: &Wanted,
        tables: &Tables,
        settings: Settings,
    ) -> Self {
        let one = Taken {
            id,
            wanted: wanted.clone(),
            tables: tables.clone(),
        };
        Self::with(templates, Engine::new(shape), vec![one], settings)
    }

    /// Both after a reset, an engine of a set of templates.
    pub fn of_set(templates: &'t Templates, taken: Vec<Taken>, settings: Settings) -> Self {
        Self::with(templates, Engine::new(Shape::Set), taken, settings)
    }

    fn with(
        templates: &'t Templates,
        mut engine: Engine,
        taken: Vec<Taken>,
        settings: Settings,
    ) -> Self {
        engine.load(taken.iter().map(|each| &each.tables));
        engine.set_several(settings.reset_each_packet);
        let kinds = taken.iter().map(|each| {
            let template = templates.by_id(each.id).map(|(_, template)| template);
            let kinds = each.wanted.fields.iter().filter_map(|tag| {
                let mut all = template?.instructions.iter();
                Some(all.find(|each| each.tag == *tag)?.kind)
            });
            kinds.collect()
        });
        let kinds = kinds.collect();
        Lockstep {
            engine,
            decoder: Decoder::with(templates, settings),
            templates,
            taken,
            kinds,
            pending: VecDeque::new(),
            records: vec![],
            statistics: Statistics::default(),
        }
    }

    /// The engine.
    pub fn engine(&mut self) -> &mut Engine {
        &mut self.engine
    }

    /// Sends a packet right after the one before, and compares what has left by then.
    ///
    /// # Errors
    /// A sentence about the first difference.
    pub fn packet(&mut self, bytes: &[u8], arrival: Arrival) -> Result<(), String> {
        let last = self.engine.packet(bytes, &arrival);
        let mut expected = Expected {
            taken: &self.taken,
            templates: self.templates,
            messages: vec![],
            inside: false,
            others: false,
        };
        let before = arrival.err.then(|| self.decoder.clone());
        let decoded = self.decoder.packet(bytes, &mut expected);
        if let Some(before) = before {
            self.decoder = before;
        }
        let is_ours = decoded.is_ok() && !expected.messages.is_empty() && !expected.others;
        self.pending.push_back(Pending {
            bytes: bytes.to_vec(),
            last,
            err: arrival.err,
            messages: is_ours.then_some(expected.messages),
        });
        self.compare()
    }

    /// Waits until nothing is in the engine, and for so many cycles more.
    ///
    /// # Errors
    /// As [`Lockstep::packet`]; also a packet without a verdict.
    pub fn rest(&mut self, cycles: u64) -> Result<(), String> {
        for _ in 0..MOST_CYCLES {
            if self.engine.idle() {
                break;
            }
            self.engine.run(1);
        }
        self.engine.run(30 + cycles);
        self.compare()?;
        match self.pending.front() {
            Some(pending) => Err(format!("no verdict on {:02x?}", pending.bytes)),
            None if self.engine.asserted() => Err("an assertion failed".into()),
            None => Ok(()),
        }
    }

    /// Whether packets wait for further messages, theirs or others', which are decoded one after the other. Not more may wait than the engine keeps.
    pub fn waits(&self) -> bool {
        let cycle = self.engine.cycle();
        let due = |pending: &Pending| pending.last + VERDICT + SCOUT + 1;
        self.pending.front().is_some_and(|first| due(first) < cycle)
    }

    fn compare(&mut self) -> Result<(), String> {
        self.records.extend(self.engine.records());
        while let Some(at) = self.records.iter().position(|record| record.what & 2 != 0) {
            let Some(pending) = self.pending.pop_front() else {
                return Err("a verdict on no packet".into());
            };
            let verdict = self.records[at];
            // An entry of the next packet may come with the verdict, or a cycle before it.
            let until = |record: &Record| record.cycle + (VERDICT - LAST_ENTRY) <= verdict.cycle;
            let count = self
                .records
                .iter()
                .take_while(|record| until(record))
                .count();
            let own: Vec<Record> = self.records.drain(..count.min(at + 1)).collect();
            let at = self.records.iter().position(|record| record.what & 2 != 0);
            if let Some(record) = at.and_then(|at| self.records.get_mut(at))
                && record.cycle == verdict.cycle
            {
                record.what &= 1;
            }
            self.records.retain(|record| record.what != 0);
            let own: Vec<Record> = own.into_iter().filter(|each| each.what & 1 != 0).collect();
            self.one(&pending, &own, &verdict)
                .map_err(|error| format!("{error}\nof {:02x?}", pending.bytes))?;
        }
        Ok(())
    }

    /// Compares a packet.
    fn one(&mut self, pending: &Pending, own: &[Record], verdict: &Record) -> Result<(), String> {
        let statistics = &mut self.statistics;
        let cycles = verdict.cycle - pending.last;
        let on_time = cycles == self.engine.last_entry() + VERDICT - LAST_ENTRY;
        *statistics.verdict.entry(cycles).or_default() += 1;
        if verdict.good == 0 {
            let trap = Trap::of(verdict.reason);
            if pending.err != (trap == Trap::Frame) {
                return Err(format!("not done for {trap:?}, frame bad: {}", pending.err));
            }
            *statistics.trapped.entry(trap).or_default() += 1;
            statistics.trapped_good += u64::from(pending.messages.is_some());
            return Ok(());
        }
        if pending.err {
            return Err("a bad frame is given as good".into());
        }
        let Some(messages) = &pending.messages else {
            return Err("the engine gives it as good, the software does not".into());
        };
        let expected = messages
            .iter()
            .flat_map(|message| message.entries.iter().map(move |entry| (message, entry)));
        let count = expected.clone().count();
        if own.len() != count {
            return Err(format!("{} entries, not {count}", own.len()));
        }
        for (number, (record, (message, entry))) in own.iter().zip(expected).enumerate() {
            let (taken, kinds) = (&self.taken[message.which], &self.kinds[message.which]);
            let is_last = number + 1 == count;
            if (record.last != 0) != is_last {
                return Err(format!("entry {number} of {count}: last {}", record.last));
            }
            if is_last && on_time {
                let cycles = record.cycle - pending.last;
                *statistics.last_entry.entry(cycles).or_default() += 1;
            }
            for (index, item) in entry.iter().enumerate() {
                let place = taken.tables.places.get(index).copied().unwrap_or(FIELDS);
                let kind = kinds.get(index).copied();
                let given = record
                    .values
                    .get(place)
                    .and_then(|value| item_of(value, kind?));
                if given.as_ref() != Some(item) {
                    return Err(format!(
                        "entry {number}, field {}: {given:?}, not {item:?}",
                        taken.wanted.fields[index]
                    ));
                }
                statistics.fields += 1;
            }
            for (index, item) in message.header.iter().enumerate().take(HEADERS) {
                let given = if record.header_absent >> index & 1 != 0 {
                    Item::Absent
                } else {
                    Item::Integer((record.header[index] as i64).into())
                };
                if Some(&given) != item.as_ref() {
                    return Err(format!(
                        "entry {number}, header {index}: {given:?}, not {item:?}"
                    ));
                }
            }
        }
        statistics.good += 1;
        statistics.several += u64::from(messages.len() > 1);
        statistics.entries += own.len() as u64;
        Ok(())
    }
}

/// Cycles from a packet's last beat to its last entry, in an engine of one template: what comes later is of the next packet.
pub const LAST_ENTRY: u64 = 13;
/// And to its verdict.
pub const VERDICT: u64 = LAST_ENTRY + 2;
/// Of packets that wait for further messages the last one has its verdict after so many cycles at most.
const MOST_CYCLES: u64 = 10_000;
/// In a short engine both are so much earlier.
pub const SAVED: u64 = 3;
/// In an engine of a set both are so much later.
pub const SCOUT: u64 = 4;

fn item_of(value: &Given, kind: Kind) -> Option<Item> {
    if value.absent != 0 {
        return Some(Item::Absent);
    }
    let bits = u128::from(value.high) << 64 | u128::from(value.low);
    Some(match kind {
        Kind::Ascii => {
            let count = usize::from(value.count);
            if bits >> (7 * count) != 0 {
                return None;
            }
            let characters = (0..count).rev().map(|at| (bits >> (7 * at) & 0x7f) as u8);
            Item::Text(characters.collect())
        }
        Kind::Decimal => Item::Decimal(Decimal {
            exponent: i32::from((value.exponent << 1) as i8 >> 1),
            mantissa: value.low as i64,
        }),
        _ => Item::Integer((value.low as i64).into()),
    })
}
