//! How a core's latency is made up, stage by stage.

use std::collections::BTreeMap;

use cosim::orders::{SentOrder, Stages};
use serde::Serialize;

use crate::distribution::{Distribution, Summary};

/// A stage's name, what it is, and its cycles.
type Stage = (&'static str, &'static str, fn(&Stages) -> u64);

/// The stages of the path, in order.
pub const STAGES: [Stage; 6] = [
    ("receive", "MAC, UDP, arbitration", |stages| stages.receive),
    ("decode", "to the verdict on the packet", |stages| {
        stages.decode
    }),
    ("book", "to the best levels after it", |stages| stages.book),
    ("strategy", "to the order it asks for", |stages| {
        stages.strategy
    }),
    ("risk", "until it passes", |stages| stages.risk),
    ("send", "FIX, TCP, MAC", |stages| stages.send),
];

/// Cycles of each stage, by its name.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(transparent)]
pub struct StageSummaries(BTreeMap<&'static str, Summary>);

impl StageSummaries {
    /// Each stage with what it is, in the order of the path.
    pub fn in_order(&self) -> impl Iterator<Item = (&'static str, &'static str, &Summary)> {
        let stages = STAGES.iter();
        stages.filter_map(|(name, what, _)| Some((*name, *what, self.0.get(name)?)))
    }
}

/// Of all these orders; `None`: the core does not tell it of one.
pub fn of(orders: &[SentOrder]) -> Option<StageSummaries> {
    let stages: Option<Vec<Stages>> = orders.iter().map(|order| order.stages).collect();
    let stages = stages.filter(|stages| !stages.is_empty())?;
    let summaries = STAGES.iter().map(|(name, _, cycles)| {
        let cycles: Distribution = stages.iter().map(cycles).collect();
        (*name, cycles.summary())
    });
    Some(StageSummaries(summaries.collect()))
}
