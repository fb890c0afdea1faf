//! `tickwire fast statistics`: what a feed asks of a decoder.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use clap::Args;
use fast::{Field, Kind, Templates, Value, Visitor};
use serde::Serialize;

use super::payloads::{self, Packet};
use super::{FramingName, Stream};
use crate::console::Console;
use crate::error::Error;

/// The stop bit.
const STOP: u8 = 0x80;
/// Bytes that the hardware's 64-bit engine takes a cycle.
const BEAT: usize = 8;

/// Show what a feed asks of a decoder: sizes of packets, entries and tokens
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  tickwire fast statistics --templates templates.xml day.dat
  tickwire fast statistics --templates templates.xml capture.pcap --port 9113 --framing preamble --json

A token is a field in the stream, up to its stop bit; a beat is eight bytes, what the hardware takes a cycle at 10 Gb/s. Entries are
those of the outermost sequences. In a file that is no capture, a message that resets the dictionaries begins a packet; if there is
none, every message is one.")]
pub struct Arguments {
    /// Messages; or pcap or pcapng, of which UDP payloads are decoded
    file: PathBuf,
    #[command(flatten)]
    stream: Stream,
    /// Of a capture, only datagrams to this UDP port
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
}

/// Values of which least, mean, 99th percentile and greatest are wanted.
#[derive(Clone, Debug, Default)]
pub struct Series(BTreeMap<usize, u64>);

/// A series, printed.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Summary {
    /// The least.
    pub min: usize,
    /// The mean.
    pub mean: f64,
    /// The 99th percentile.
    pub p99: usize,
    /// The greatest.
    pub max: usize,
}

impl Series {
    /// Takes a value.
    pub fn add(&mut self, value: usize) {
        *self.0.entry(value).or_default() += 1;
    }

    fn count(&self) -> u64 {
        self.0.values().sum()
    }

    fn share(&self, value: usize) -> f64 {
        let count = self.0.get(&value).copied().unwrap_or(0);
        ratio(count, self.count())
    }

    /// What came.
    pub fn summary(&self) -> Summary {
        let count = self.count();
        let sum: u64 = self
            .0
            .iter()
            .map(|(value, times)| *value as u64 * times)
            .sum();
        let mut below = 0;
        let p99 = self.0.iter().find(|(_, times)| {
            below += **times;
            below * 100 >= count * 99
        });
        Summary {
            min: self.0.first_key_value().map_or(0, |(value, _)| *value),
            mean: ratio(sum, count),
            p99: p99.map_or(0, |(value, _)| *value),
            max: self.0.last_key_value().map_or(0, |(value, _)| *value),
        }
    }
}

fn ratio(count: u64, of: u64) -> f64 {
    if of == 0 {
        0.0
    } else {
        count as f64 / of as f64
    }
}

/// What is counted of the packet at hand, and thrown away if it is dropped.
#[derive(Clone, Debug, Default)]
struct Pending {
    templates: Vec<usize>,
    /// Where each entry begins and ends, and whether a presence map is its first token.
    entries: Vec<(usize, usize, bool)>,
    nulls: u64,
    longest_string: usize,
}

/// Counts.
struct Counter<'t> {
    templates: &'t Templates,
    template: usize,
    depth: u32,
    has_map: bool,
    start: usize,
    pending: Pending,
    packets: u64,
    messages: BTreeMap<usize, u64>,
    payloads: Series,
    entries_a_packet: Series,
    entry_bytes: Series,
    entry_tokens: Series,
    map_bytes: Series,
    beat_tokens: Series,
    beat_starts: Series,
    tokens: u64,
    long_tokens: u64,
    nulls: u64,
    longest_string: usize,
    /// What a packet of a file without frames has so far: bytes and entries.
    open: Option<(usize, usize)>,
}

impl Visitor for Counter<'_> {
    fn message_start(&mut self, index: usize) {
        self.template = index;
        self.depth = 0;
        self.pending.templates.push(index);
    }

    fn reference_start(&mut self, _: Field, index: usize) {
        self.template = index;
    }

    fn field(&mut self, field: Field, value: Value<'_>) {
        match value {
            Value::Ascii(bytes) | Value::Unicode(bytes) | Value::Bytes(bytes) => {
                let longest = &mut self.pending.longest_string;
                *longest = bytes.len().max(*longest);
            }
            Value::Absent if self.depth > 0 => {
                let template = self.templates.all().get(self.template);
                let found = template.and_then(|each| each.instructions.get(field.index as usize));
                let is_decimal = found.is_some_and(|each| each.kind == Kind::Decimal);
                self.pending.nulls += u64::from(is_decimal);
            }
            _ => {}
        }
    }

    fn sequence_start(&mut self, field: Field, _: u32) {
        self.depth += 1;
        if self.depth == 1 {
            let template = self.templates.all().get(self.template);
            let found = template.and_then(|each| each.instructions.get(field.index as usize));
            self.has_map = found.is_some_and(|start| start.own_map);
        }
    }

    fn sequence_end(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    fn entry_start(&mut self, _: u32, at: usize) {
        if self.depth == 1 {
            self.start = at;
        }
    }

    fn entry_end(&mut self, at: usize) {
        if self.depth == 1 {
            self.pending.entries.push((self.start, at, self.has_map));
        }
    }
}

impl<'t> Counter<'t> {
    fn new(templates: &'t Templates) -> Self {
        Counter {
            templates,
            template: 0,
            depth: 0,
            has_map: false,
            start: 0,
            pending: Pending::default(),
            packets: 0,
            messages: BTreeMap::new(),
            payloads: Series::default(),
            entries_a_packet: Series::default(),
            entry_bytes: Series::default(),
            entry_tokens: Series::default(),
            map_bytes: Series::default(),
            beat_tokens: Series::default(),
            beat_starts: Series::default(),
            tokens: 0,
            long_tokens: 0,
            nulls: 0,
            longest_string: 0,
            open: None,
        }
    }

    /// A packet's size and entries.
    fn size(&mut self, bytes: usize, entries: usize) {
        self.packets += 1;
        self.payloads.add(bytes);
        self.entries_a_packet.add(entries);
    }

    /// The last packet of a file without frames.
    fn close(&mut self) {
        if let Some((bytes, entries)) = self.open.take() {
            self.size(bytes, entries);
        }
    }

    /// A packet is over. `joins`: the file has no frames, and only a reset begins a packet.
    fn packet(&mut self, packet: &Packet<'_>, joins: bool) {
        let pending = std::mem::take(&mut self.pending);
        if packet.error.is_some() {
            return;
        }
        let begins = pending.templates.iter().any(|index| {
            let template = self.templates.all().get(*index);
            template.is_some_and(|template| template.reset)
        });
        let bytes = packet.end - packet.start;
        let count = pending.entries.len();
        match self.open {
            Some((open_bytes, open_count)) if joins && !begins => {
                self.open = Some((open_bytes + bytes, open_count + count));
            }
            _ => {
                self.close();
                self.open = Some((bytes, count));
                if !joins {
                    self.close();
                }
            }
        }
        for template in pending.templates {
            *self.messages.entry(template).or_default() += 1;
        }
        self.nulls += pending.nulls;
        self.longest_string = self.longest_string.max(pending.longest_string);
        let payload = packet.bytes.get(packet.start..packet.end).unwrap_or(&[]);
        for beat in payload.chunks(BEAT) {
            self.beat_tokens.add(stops(beat));
        }
        let mut starts = vec![0; payload.len().div_ceil(BEAT)];
        for (start, end, has_map) in pending.entries {
            let entry = packet.bytes.get(start..end).unwrap_or(&[]);
            self.entry(entry, has_map);
            if let Some(beat) = starts.get_mut((start - packet.start.min(start)) / BEAT) {
                *beat += 1;
            }
        }
        for count in starts {
            self.beat_starts.add(count);
        }
    }

    fn entry(&mut self, entry: &[u8], has_map: bool) {
        self.entry_bytes.add(entry.len());
        let mut tokens = entry.split_inclusive(|byte| byte & STOP != 0);
        if has_map && let Some(map) = tokens.next() {
            self.map_bytes.add(map.len());
        }
        let (mut count, mut long) = (0, 0);
        for token in tokens {
            count += 1;
            long += u64::from(token.len() > BEAT);
        }
        self.entry_tokens.add(count);
        self.tokens += count as u64;
        self.long_tokens += long;
    }
}

fn stops(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| *byte & STOP != 0).count()
}

/// How many messages of a template.
#[derive(Serialize)]
struct OfTemplate {
    template: String,
    id: Option<u32>,
    messages: u64,
}

/// The statistics, printed.
#[derive(Serialize)]
struct Statistics {
    file: String,
    packets: u64,
    messages: Vec<OfTemplate>,
    payload_bytes: Summary,
    entries_a_packet: Summary,
    entries: u64,
    entry_bytes: Summary,
    entry_tokens: Summary,
    tokens_a_beat: Summary,
    /// Shares of the beats in which 0, 1, 2 entries begin, and more.
    entry_starts_a_beat: [f64; 4],
    null_exponents_an_entry: f64,
    longest_string: usize,
    long_tokens: f64,
    map_bytes: Option<Summary>,
}

impl Statistics {
    fn new(file: String, counter: &Counter<'_>) -> Self {
        let entries = counter.entry_bytes.count();
        let of = |(index, messages): (&usize, &u64)| {
            let template = counter.templates.all().get(*index)?;
            Some(OfTemplate {
                template: template.name.local.clone(),
                id: template.id,
                messages: *messages,
            })
        };
        let starts = |count| counter.beat_starts.share(count);
        let few = [starts(0), starts(1), starts(2)];
        let more = (1.0 - few.iter().sum::<f64>()).max(0.0);
        Statistics {
            file,
            packets: counter.packets,
            messages: counter.messages.iter().filter_map(of).collect(),
            payload_bytes: counter.payloads.summary(),
            entries_a_packet: counter.entries_a_packet.summary(),
            entries,
            entry_bytes: counter.entry_bytes.summary(),
            entry_tokens: counter.entry_tokens.summary(),
            tokens_a_beat: counter.beat_tokens.summary(),
            entry_starts_a_beat: [few[0], few[1], few[2], more],
            null_exponents_an_entry: ratio(counter.nulls, entries),
            longest_string: counter.longest_string,
            long_tokens: ratio(counter.long_tokens, counter.tokens),
            map_bytes: (counter.map_bytes.count() > 0).then(|| counter.map_bytes.summary()),
        }
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let messages: u64 = self.messages.iter().map(|of| of.messages).sum();
        writeln!(
            f,
            "{}: {} packets, {messages} messages, {} entries",
            self.file, self.packets, self.entries
        )?;
        for of in &self.messages {
            let id = of.id.map_or_else(String::new, |id| format!("{id} "));
            writeln!(f, "  {:>9}  {id}{}", of.messages, of.template)?;
        }
        let row = |f: &mut fmt::Formatter<'_>, name: &str, of: &Summary| {
            writeln!(
                f,
                "{name:<34} min {:>5}  mean {:>7.1}  p99 {:>5}  max {:>5}",
                of.min, of.mean, of.p99, of.max
            )
        };
        row(f, "payload bytes a packet", &self.payload_bytes)?;
        row(f, "entries a packet", &self.entries_a_packet)?;
        row(f, "bytes an entry", &self.entry_bytes)?;
        row(f, "tokens an entry", &self.entry_tokens)?;
        match &self.map_bytes {
            Some(map) => row(f, "presence map of an entry, bytes", map)?,
            None => writeln!(f, "presence map of an entry           none")?,
        }
        row(f, "tokens that end in a beat of 8", &self.tokens_a_beat)?;
        let [none, one, two, more] = self.entry_starts_a_beat.map(|share| 100.0 * share);
        writeln!(
            f,
            "entry starts in a beat             none {none:.0} %, one {one:.0} %, two {two:.0} %, more {more:.0} %"
        )?;
        writeln!(
            f,
            "null exponents an entry            {:.2}",
            self.null_exponents_an_entry
        )?;
        write!(
            f,
            "longest string                     {} bytes; tokens over 8 bytes: {:.1} %",
            self.longest_string,
            100.0 * self.long_tokens
        )
    }
}

/// Runs the command.
///
/// # Errors
/// The file cannot be read, or a packet is not what the templates say.
pub fn run(arguments: &Arguments, console: Console) -> Result<(), Error> {
    let templates = arguments.stream.compiled(console)?;
    let mut counter = Counter::new(&templates);
    let has_reset = templates.all().iter().any(|template| template.reset);
    let may_join = has_reset && arguments.stream.framing == FramingName::None;
    let outcome = payloads::decode(
        &arguments.file,
        arguments.port,
        &arguments.stream,
        &templates,
        console,
        &mut counter,
        |counter, packet| {
            // A datagram begins at its first byte, a message of a file where the one before ended.
            counter.packet(&packet, may_join && !packet.is_datagram);
            Ok(())
        },
    )?;
    counter.close();
    let file = arguments.file.display().to_string();
    console.print(&Statistics::new(file, &counter))?;
    outcome.check(&arguments.file)
}
