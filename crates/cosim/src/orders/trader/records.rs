//! What the ring of a core that has one says: what a strategy emits, as software does, and what goes wrong in the stages.

use std::collections::VecDeque;

use device::ring::{Incidents, Line, Status};
use device::{Driver, Producers, Ring};
use language::Record;

use super::super::Problem;
use crate::core::Core;
use crate::preset::Preset;

/// Where the ring is, in the core's view of host memory.
const BASE: u64 = 0x8000_0000;
/// Its lines: more than what is compared at once.
const SIZE_LOG2: u32 = 14;

/// A line of the ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RingLine {
    /// The strategy has emitted this.
    Record(Record),
    /// This went wrong in the stages.
    Incidents {
        /// What: all since the last such line.
        incidents: Incidents,
        /// When, by the core's clock, in nanoseconds.
        time_ns: u64,
    },
}

/// The reader of the ring, if the core has one, and what software's strategy has emitted since they were last compared.
#[derive(Debug)]
pub(super) struct Records {
    ring: Option<Ring>,
    pub(super) software: VecDeque<Record>,
    /// What the ring has said since [`super::Trader::take_told`] was last called.
    pub(super) told: Vec<RingLine>,
}

impl Records {
    /// Begins the ring, if the core has one.
    pub(super) fn begin(driver: &mut Driver<Core>, preset: &Preset) -> Result<Self, Problem> {
        let mut ring = None;
        if preset.ring {
            driver.registers().begin_memory(BASE, 8 << SIZE_LOG2);
            let producers = Producers {
                events: true,
                stages: true,
                ..Producers::default()
            };
            let has = driver.begin_ring(BASE, SIZE_LOG2, producers)?;
            ring = has.then(|| Ring::new(SIZE_LOG2));
        }
        Ok(Records {
            ring,
            software: VecDeque::new(),
            told: Vec::new(),
        })
    }

    /// Compares what was emitted on either side; returns how many records that were. Nothing is compared where the core has no ring.
    pub(super) fn compare(&mut self, driver: &mut Driver<Core>) -> Result<u64, Problem> {
        let Some(ring) = &mut self.ring else {
            self.software.clear();
            return Ok(0);
        };
        let memory: &Core = driver.registers();
        let mut hardware = VecDeque::new();
        while let Some(line) = ring.poll(memory) {
            match line.status() {
                Some(Status::Lost(lost)) => {
                    return Err(Problem::Testbench(format!("the ring lost {lost} records")));
                }
                Some(Status::Incidents { incidents, time_ns }) => {
                    self.told.push(RingLine::Incidents { incidents, time_ns });
                }
                _ => {}
            }
            if let Some(record) = record(&line) {
                hardware.push_back(record);
                self.told.push(RingLine::Record(record));
            }
        }
        driver.set_ring_position(ring.position())?;
        let software = std::mem::take(&mut self.software);
        if hardware == software {
            return Ok(hardware.len() as u64);
        }
        Err(Problem::Records {
            hardware: format!("{hardware:?}"),
            software: format!("{software:?}"),
        })
    }
}

fn record(line: &Line) -> Option<Record> {
    let (tag, values) = line.emitted()?;
    Some(Record::new(tag, &values.collect::<Vec<_>>()))
}
