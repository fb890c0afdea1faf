//! FAST to events: recorded feeds against sums that were worked out from them apart (tests of the shipped maps), the order log of an
//! exchange's template, and everything that can be wrong with an entry.

mod faults;
mod maps;
mod order_log;
mod recorded;

use std::fs;
use std::path::Path;

use decoder::fast::{Cause, Collector, Map};
use fast::{Decoder, Encoder, Framing, Json, Settings, Templates};
use formats::{Event, FeedInfo, Listener};

/// A file of the recorded data; `None`, and a line that says so, where it is absent.
fn recorded(path: &str) -> Option<Vec<u8>> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let read = fs::read(data.join(path)).ok();
    if read.is_none() {
        eprintln!("skipped: {path} is absent");
    }
    read
}

fn templates(path: &str) -> Option<Templates> {
    let xml = String::from_utf8(recorded(path)?).unwrap();
    Some(Templates::parse(&xml).unwrap())
}

/// A map that is shipped.
fn map(name: &str) -> Map {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../desks/fast");
    Map::parse(&fs::read_to_string(path.join(name)).unwrap()).unwrap()
}

/// What a listener was given.
#[derive(Clone, Debug, Default)]
struct Given {
    frames: Vec<FeedInfo>,
    events: Vec<Event>,
}

impl Listener for Given {
    fn frame(&mut self, info: &FeedInfo) {
        self.frames.push(*info);
    }

    fn event(&mut self, event: &Event) {
        self.events.push(*event);
    }
}

/// Decodes a file of frames; each is a packet.
fn decode_file(
    templates: &Templates,
    map: &Map,
    framing: Framing,
    bytes: &[u8],
) -> (Given, Collector) {
    let mut decoder = Decoder::new(templates);
    let mut collector = Collector::new(templates, map).unwrap();
    let mut given = Given::default();
    let mut at = 0;
    while at < bytes.len() {
        at = framing
            .next(&mut decoder, bytes, at, &mut collector)
            .unwrap()
            .end;
        assert_eq!(collector.finish(&mut given), Cause::Good);
    }
    (given, collector)
}

/// Messages in JSON as a packet of FAST.
fn packet(templates: &Templates, messages: &[&str]) -> Vec<u8> {
    let (json, mut encoder) = (Json::new(templates), Encoder::new(templates));
    let mut bytes = Vec::new();
    for message in messages {
        let message = json.read(message).unwrap();
        encoder.message(&message, &mut bytes).unwrap();
    }
    bytes
}

/// Every packet begins with empty dictionaries, as in Moscow.
const SETTINGS: fn() -> Settings = || Settings {
    reset_each_packet: true,
    ..Settings::default()
};
