//! `tickwire-verify lag`: how far behind the wire each FAST engine is at the end of a user's packets.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use clap::Args;
use fast::{Field, Templates, Value, Visitor};
use figures::fast::lag::{ENGINES, Engine, Lags};
use serde::Serialize;
use tickwire::Console;
use tickwire::fast::payloads::{self, Packet};
use tickwire::fast::statistics::{Series, Summary};
use tickwire::fast::{FramingName, Stream};

use crate::error::Error;

/// Bytes of Moscow's preamble.
const PREAMBLE: usize = 4;

/// Show how far behind the wire the FAST engines are at a packet's end
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  tickwire-verify lag --templates templates.xml day.dat
  tickwire-verify lag --templates templates.xml capture.pcap --port 9113 \\
      --framing preamble --reset-each-packet --chart lag.svg

Every packet comes alone, eight bytes a cycle, as at 10 Gb/s. The lag is what an engine needs for this packet beyond the cycles that it needs for any. An
engine that takes a token a cycle is calculated; the two of the core run in Verilator, each packet compared with the software decoder.

Both give the same fields: those of --fields, or the first of the template's entries that the wire-rate engine has places for. Packets that it does not do are counted by
reason. In a file that is no capture, a message that resets the dictionaries begins a packet; if there is none, every message is one.")]
pub struct Arguments {
    /// Messages; or pcap or pcapng, of which UDP payloads are decoded
    file: PathBuf,
    #[command(flatten)]
    stream: Stream,
    /// Of a capture, only datagrams to this UDP port
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
    /// Template of the wire-rate engine, by its id; the one that most messages have
    #[arg(long, value_name = "ID")]
    wire_rate_template: Option<u32>,
    /// Fields that leave the engines, by tag; the first ones that fit
    #[arg(long, value_name = "TAG", value_delimiter = ',')]
    fields: Option<Vec<u32>>,
    /// Packets at most
    #[arg(long, value_name = "COUNT")]
    packets: Option<usize>,
    /// Write a chart of lag against packet size (SVG)
    #[arg(long, value_name = "FILE")]
    chart: Option<PathBuf>,
}

/// The packets of a file, as the engines get them.
struct Collector<'t> {
    templates: &'t Templates,
    packets: Vec<Vec<u8>>,
    messages: BTreeMap<usize, u64>,
    /// Templates of the packet at hand.
    pending: Vec<usize>,
    /// Characters of the longest text of each field, by tag.
    longest: BTreeMap<u32, usize>,
}

impl Visitor for Collector<'_> {
    const CONSTANTS: bool = false;

    fn message_start(&mut self, index: usize) {
        self.pending.push(index);
    }

    fn field(&mut self, field: Field, value: Value<'_>) {
        if let Value::Ascii(text) = value {
            let longest = self.longest.entry(field.tag).or_default();
            *longest = text.len().max(*longest);
        }
    }
}

impl Collector<'_> {
    /// `joins`: only a reset begins a packet.
    fn packet(&mut self, packet: &Packet<'_>, preamble: usize, joins: bool) {
        let templates = std::mem::take(&mut self.pending);
        let payload = packet.bytes.get(packet.start + preamble..packet.end);
        let (None, Some(payload)) = (&packet.error, payload) else {
            return;
        };
        let resets = templates.iter().any(|index| {
            let template = self.templates.all().get(*index);
            template.is_some_and(|template| template.reset)
        });
        for index in templates {
            *self.messages.entry(index).or_default() += 1;
        }
        match self.packets.last_mut() {
            Some(last) if joins && !resets => last.extend_from_slice(payload),
            _ => self.packets.push(payload.to_vec()),
        }
    }

    /// The identifier of the template with entries that most messages have.
    fn usual(&self) -> Option<u32> {
        let of = |(index, count): (&usize, &u64)| {
            let template = self.templates.all().get(*index)?;
            let entries = |each: &fast::Instruction| each.kind == fast::Kind::SequenceStart;
            let has_entries = template.instructions.iter().any(entries);
            Some((*count, template.id.filter(|_| has_entries)?))
        };
        self.messages.iter().filter_map(of).max().map(|(_, id)| id)
    }
}

/// An engine, printed.
#[derive(Serialize)]
struct OfEngine {
    engine: &'static str,
    packets: usize,
    cycles: Summary,
    /// Bytes of a packet, in beats of eight: mean and most.
    by_bytes: BTreeMap<usize, (f64, u64)>,
}

/// What is printed.
#[derive(Serialize)]
struct Report {
    file: String,
    packets: usize,
    engines: BTreeMap<&'static str, OfEngine>,
    handed_over: BTreeMap<String, u64>,
    not_eligible: Option<String>,
}

impl Report {
    fn new(file: String, lags: &Lags) -> Self {
        let of = |engine: Engine| {
            let mut series = Series::default();
            for lag in lags.values(engine) {
                series.add(lag as usize);
            }
            let by_beats = lags.by_beats(engine).into_iter();
            let of = OfEngine {
                engine: engine.name(),
                packets: lags.values(engine).count(),
                cycles: series.summary(),
                by_bytes: by_beats.map(|(beats, lag)| (beats * 8, lag)).collect(),
            };
            (of.packets > 0).then_some((engine.key(), of))
        };
        Report {
            file,
            packets: lags.sizes.len(),
            engines: ENGINES.into_iter().filter_map(of).collect(),
            handed_over: lags.handed_over.clone(),
            not_eligible: lags.not_eligible.clone(),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} packets; cycles behind the wire at a packet's end",
            self.file, self.packets
        )?;
        for of in ENGINES
            .iter()
            .filter_map(|each| self.engines.get(each.key()))
        {
            let Summary {
                min,
                mean,
                p99,
                max,
            } = of.cycles;
            write!(
                f,
                "\n{:<32} {:>8} packets  min {min:>4}  mean {mean:>7.1}  p99 {p99:>5}  max {max:>5}",
                of.engine, of.packets
            )?;
        }
        let handed: u64 = self.handed_over.values().sum();
        if handed > 0 {
            let reasons = self.handed_over.iter();
            let reasons: Vec<_> = reasons
                .map(|(why, count)| format!("{why} {count}"))
                .collect();
            write!(
                f,
                "\nnot done by the wire-rate engine {handed:>5} packets: {}",
                reasons.join(", ")
            )?;
        }
        if let Some(why) = &self.not_eligible {
            write!(f, "\nthe wire-rate engine does not take it: {why}")?;
        }
        Ok(())
    }
}

/// Runs the command.
///
/// # Errors
/// The file cannot be read, a packet is not what the templates say, hardware and software differ, or the chart cannot be written.
pub fn run(arguments: &Arguments, console: Console) -> Result<(), Error> {
    if arguments.stream.framing == FramingName::Block {
        return Err(Error::BlockFraming);
    }
    let templates = arguments.stream.compiled(console)?;
    let mut collector = Collector {
        templates: &templates,
        packets: vec![],
        messages: BTreeMap::new(),
        pending: vec![],
        longest: BTreeMap::new(),
    };
    let has_reset = templates.all().iter().any(|template| template.reset);
    let may_join = has_reset && arguments.stream.framing == FramingName::None;
    let preamble = match arguments.stream.framing {
        FramingName::Preamble => PREAMBLE,
        _ => 0,
    };
    let outcome = payloads::decode(
        &arguments.file,
        arguments.port,
        &arguments.stream,
        &templates,
        console,
        &mut collector,
        |collector, packet| {
            collector.packet(&packet, preamble, may_join && !packet.is_datagram);
            Ok(())
        },
    )?;
    let most = arguments.packets.unwrap_or(usize::MAX);
    collector.packets.truncate(most);
    let packets = collector.packets.iter().map(Vec::as_slice);
    let mut lags = Lags::calculated(packets);
    measured(arguments, console, &collector, &mut lags)?;
    let file = arguments.file.display().to_string();
    console.print(&Report::new(file, &lags))?;
    if let Some(path) = &arguments.chart {
        let chart = lags.chart().map_err(Error::Chart)?;
        std::fs::write(path, chart).map_err(|cause| Error::Write {
            path: path.clone(),
            cause,
        })?;
    }
    Ok(outcome.check(&arguments.file)?)
}

fn measured(
    arguments: &Arguments,
    console: Console,
    collector: &Collector<'_>,
    lags: &mut Lags,
) -> Result<(), Error> {
    if arguments.stream.template.is_some() {
        lags.not_eligible = Some("its messages name no template (--template)".into());
        return Ok(());
    }
    let Some(id) = arguments.wire_rate_template.or_else(|| collector.usual()) else {
        lags.not_eligible = Some("no message has entries".into());
        return Ok(());
    };
    let settings = fast::Settings {
        reset_each_packet: arguments.stream.reset_each_packet,
        ..fast::Settings::default()
    };
    let bar = console.count("packets", Some(2 * collector.packets.len() as u64));
    let fields = arguments.fields.clone().unwrap_or_else(|| {
        let longest = |tag| collector.longest.get(&tag).copied().unwrap_or_default();
        let reset = settings.reset_each_packet;
        fast::wire_rate::fitting(collector.templates, id, reset, longest).fields
    });
    let of = (id, fields);
    let result = lags.measure(
        collector.templates,
        settings,
        &collector.packets,
        of,
        |_| {
            bar.inc(1);
        },
    );
    bar.finish_and_clear();
    result.map_err(Error::FastDiffers)
}
