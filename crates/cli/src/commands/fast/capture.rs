//! `tickwire fast capture`: messages of a file as the packets of a line.

use std::fmt;
use std::net::Ipv4Addr;
use std::path::PathBuf;

use clap::Args;
use decoder::fast::{Cause, Collector, Map, TemplateMap};
use fast::Framing;
use formats::Event;
use formats::ethernet::MacAddress;
use formats::fix::Timestamp;
use formats::frame::UdpFrame;
use serde::Serialize;

use super::payloads::{self, Packet};
use super::{FramingName, Stream};
use crate::console::Console;
use crate::error::Error;
use crate::pcap::Writer;

/// Write messages that stand back to back in a file as a capture: each a UDP packet, after its number in four bytes
///
/// That is how a line brings them, so that a desk takes them (tickwire sim, tickwire measure, tickwire replay). The number is the one that the map finds in
/// the message, a snapshot's too, the time of the packet the message's. A message without a number, such as one that resets the dictionaries, stands in the
/// packet of the next.
/// Each message is read with empty dictionaries, as a desk reads it: one that needs those before it is an error.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  tickwire fast capture --templates templates.xml --map desks/fast/micex-levels.toml increment_a.dat --out a.pcap
  tickwire sim a.pcap --desk desks/micex-levels.toml")]
pub struct Arguments {
    /// Messages back to back
    file: PathBuf,
    /// The exchange's template file (FAST 1.1 XML)
    #[arg(long, value_name = "XML")]
    templates: PathBuf,
    /// Which fields are which members of an event (TOML)
    #[arg(long, value_name = "TOML")]
    map: PathBuf,
    /// The capture to write (pcap); an existing file is overwritten
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
}

/// What was written.
#[derive(Serialize)]
struct Written<'a> {
    file: &'a PathBuf,
    packets: u64,
    first: Option<u64>,
    last: Option<u64>,
}

impl fmt::Display for Written<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} packets", self.file.display(), self.packets)?;
        match (self.first, self.last) {
            (Some(first), Some(last)) => write!(f, ", messages {first} to {last}"),
            _ => Ok(()),
        }
    }
}

/// Who sends, and to which group.
const FROM: (MacAddress, Ipv4Addr, u16) = (
    MacAddress([0x02, 0x54, 0x57, 0x00, 0x00, 0x03]),
    Ipv4Addr::new(10, 50, 129, 200),
    9_330,
);
const GROUP: (MacAddress, Ipv4Addr, u16) = (
    MacAddress([0x01, 0x00, 0x5e, 0x4d, 0x01, 0x0b]),
    Ipv4Addr::new(239, 77, 1, 11),
    26_440,
);

/// Runs the command.
///
/// # Errors
/// A file cannot be read or written; a message is not what the templates or the map say.
pub fn run(arguments: &Arguments, console: Console) -> Result<(), Error> {
    let stream = Stream {
        templates: arguments.templates.clone(),
        framing: FramingName::None,
        // As desks do.
        reset_each_packet: true,
        template: None,
    };
    let templates = stream.compiled(console)?;
    let text = std::fs::read_to_string(&arguments.map).map_err(|cause| live::Error::Read {
        path: arguments.map.clone(),
        cause,
    })?;
    let made = Map::parse(&text).and_then(|mut map| {
        // On their lines the messages of snapshots have numbers too.
        let snapshot = map.snapshot.take().map(|snapshot| snapshot.template);
        let snapshot = snapshot.filter(|one| templates.by_id(one.id).is_some());
        let is_new = |one: &TemplateMap| map.templates.iter().all(|other| other.id != one.id);
        map.templates.extend(snapshot.filter(is_new));
        Collector::new(&templates, &map)
    });
    let mut collector = made.map_err(|cause| live::Error::Map {
        path: arguments.map.clone(),
        cause,
    })?;
    let failed = |cause| Error::Write {
        path: arguments.out.clone(),
        cause,
    };
    let writer = Writer::create(&arguments.out, UdpFrame::new(FROM, GROUP));
    let mut writer = writer.map_err(failed)?;
    let mut written = Written {
        file: &arguments.out,
        packets: 0,
        first: None,
        last: None,
    };
    // Messages that wait for the one whose packet they are in.
    let (mut waiting, mut waiting_messages, mut payload) = (Vec::new(), 0_u64, Vec::new());
    let mut time = 0;
    let dropped = |packet: &Packet<'_>, why: String| Error::Dropped {
        path: arguments.file.clone(),
        count: 1,
        first: format!("message {}, {why}", packet.number),
    };
    let outcome = payloads::decode(
        &arguments.file,
        None,
        &stream,
        &templates,
        console,
        &mut collector,
        |collector, packet| {
            // Which numbers came before is not looked at.
            collector.restart();
            let mut at = 0;
            let cause = collector.finish(&mut |event: &Event| at = event.nanoseconds);
            if packet.error.is_some() {
                return Ok(());
            }
            if let Cause::Faulty(fault) = cause {
                return Err(dropped(&packet, fault.to_string()));
            }
            waiting.extend_from_slice(packet.bytes.get(packet.start..packet.end).unwrap_or(&[]));
            waiting_messages += 1;
            let Some(next) = collector.expected() else {
                return Ok(());
            };
            // A message without an event has a time all the same; one without a time comes with the one before.
            time = [at, collector.time(), time]
                .into_iter()
                .find(|time| *time > 0)
                .unwrap_or(0);
            let number = next.wrapping_sub(1);
            let four_bytes = u32::try_from(number)
                .map_err(|_| dropped(&packet, format!("number {number} has more than 32 bits")))?;
            payload.clear();
            Framing::Preamble.put(four_bytes, &waiting, &mut payload);
            waiting.clear();
            waiting_messages = 0;
            written.packets += 1;
            written.first = written.first.or(Some(number));
            written.last = Some(number);
            writer.packet(Timestamp(time), &payload).map_err(failed)
        },
    )?;
    outcome.check(&arguments.file)?;
    writer.finish().map_err(failed)?;
    if written.packets == 0 && waiting_messages > 0 {
        return Err(Error::NoNumber {
            path: arguments.file.clone(),
            messages: waiting_messages,
            map: arguments.map.clone(),
        });
    }
    if waiting_messages > 0 {
        console.note(&format!(
            "{}: the last {waiting_messages} messages have no number by the map, and none after them: left out",
            arguments.file.display()
        ));
    }
    console.print(&written)
}
