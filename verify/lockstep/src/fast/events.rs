//! The FAST engine with `fast_events` after it (`tests/rtl/fast_events_tb.sv`), and what leaves: events and verdicts.

use decoder::fast::Hardware;
use formats::{Event, Kind, Side, Symbol};

use super::model::{EventRecord, EventsModel, WithEvents};
use super::{Engine, Width, Wire};
use crate::testbench::functions;

/// What became of a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Its events.
    pub events: Vec<Event>,
    /// It is good.
    pub good: bool,
    /// The number of the fault, in the order of [`decoder::fast::Fault`].
    pub fault: Option<u8>,
    /// Cycles from the last beat to the last event; `None`: it has none.
    pub last_event: Option<u64>,
    /// To the verdict.
    pub verdict: u64,
}

/// An engine and its events.
pub struct EventsEngine {
    engine: Engine,
    events: &'static EventsModel,
}

/// Cycles that a packet may take after its last beat.
const CYCLES: u64 = 20_000;

impl EventsEngine {
    /// An engine after reset, loaded.
    pub fn new(width: Width, hardware: &Hardware) -> Self {
        let design = width.design(
            ["fast_events8", "fast_events64"],
            "fast_events_tb",
            include_str!("../../../../tests/rtl/fast_events_tb.sv"),
            2,
        );
        // SAFETY: `WithEvents` mirrors the table of cpp/fast.inc.
        let WithEvents {
            engine: model,
            events,
        } = unsafe { functions(&design) };
        // SAFETY: it takes nothing.
        let sim = unsafe { (model.new)() };
        let mut engine = EventsEngine {
            engine: Engine { width, model, sim },
            events,
        };
        engine.engine.load(&hardware.program);
        for load in &hardware.table {
            let (sim, data) = (engine.engine.sim, load.data.as_ptr());
            // SAFETY: `sim` came from `new`, and three words are read.
            unsafe { (events.table)(sim, load.what, load.index, data) }
        }
        engine.engine.run(300);
        engine
    }

    /// The engine.
    pub fn engine(&mut self) -> &mut Engine {
        &mut self.engine
    }

    /// Sends packets one after the other, with so many cycles between them, and gives what became of them; `None`: a verdict is missing.
    pub fn packets(&mut self, packets: &[(&[u8], Wire)], apart: u64) -> Option<Vec<Packet>> {
        let mut ends = Vec::new();
        for (bytes, wire) in packets {
            ends.push(self.engine.packet(bytes, wire));
            self.engine.run(apart);
        }
        let mut found = Vec::new();
        let mut open = (Vec::new(), None);
        for _ in 0..CYCLES {
            for record in self.records() {
                let end = ends.get(found.len()).copied().unwrap_or(0);
                if record.what & 1 != 0 {
                    open.0.push(event(&record));
                    open.1 = Some(record.cycle.saturating_sub(end));
                }
                if record.what & 2 != 0 {
                    let (events, last_event) = std::mem::take(&mut open);
                    found.push(Packet {
                        events,
                        good: record.good != 0,
                        fault: record.fault.checked_sub(1),
                        last_event,
                        verdict: record.cycle.saturating_sub(end),
                    });
                }
            }
            if found.len() == packets.len() {
                return Some(found);
            }
            self.engine.run(1);
        }
        None
    }

    fn records(&mut self) -> Vec<EventRecord> {
        let mut first = std::ptr::null();
        // SAFETY: `sim` came from `new`; the records stay where they are until they are cleared, and are copied before.
        unsafe {
            let count = (self.events.events)(self.engine.sim, &mut first) as usize;
            let records = match count {
                0 => Vec::new(),
                _ => std::slice::from_raw_parts(first, count).to_vec(),
            };
            (self.events.clear)(self.engine.sim);
            records
        }
    }
}

/// An event as the software has it.
fn event(record: &EventRecord) -> Event {
    let kind = Kind::from_code(record.kind);
    Event {
        side: if record.side == 0 {
            Side::Buy
        } else {
            Side::Sell
        },
        symbol: (record.has_symbol != 0).then_some(Symbol::from_u64(record.symbol)),
        price: record.price as i64,
        quantity: record.quantity,
        order_id: record.order_id,
        nanoseconds: record.time,
        sequence: record.sequence,
        last: record.last != 0,
        // A number that is no kind is one that FAST never has.
        ..Event::new(kind.unwrap_or(Kind::Time), record.message_type)
    }
}
