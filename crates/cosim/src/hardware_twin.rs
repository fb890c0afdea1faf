//! The core without orders, as software: frames in, report frames out.

use formats::counters::{Counters, NetCounters};
use formats::frame::{self, NetConfig};
use formats::report::ReportConfig;
use pipeline::{Outcome, Pipeline};

/// What the core must equal, bit for bit.
#[derive(Clone, Debug)]
pub struct HardwareTwin {
    /// Which frames are ours.
    pub net: NetConfig,
    /// Where reports go.
    pub report: ReportConfig,
    /// What takes the UDP payloads.
    pub pipeline: Pipeline,
    counters: NetCounters,
    last_cause: frame::Cause,
    last_outcome: Option<Outcome>,
}

impl HardwareTwin {
    /// A core that has seen nothing yet.
    pub fn new(net: NetConfig, report: ReportConfig, pipeline: Pipeline) -> Self {
        HardwareTwin {
            net,
            report,
            pipeline,
            counters: NetCounters::default(),
            last_cause: frame::Cause::Accepted,
            last_outcome: None,
        }
    }

    /// Takes a frame, FCS included; gives the frames of the report it caused, FCS included: none, or one a part.
    pub fn frame(&mut self, frame_with_fcs: &[u8]) -> Vec<Vec<u8>> {
        let payload = frame::classify(frame_with_fcs, &self.net).map(|datagram| datagram.payload);
        self.last_cause = payload.err().unwrap_or(frame::Cause::Accepted);
        self.last_outcome = None;
        self.counters.count(self.last_cause);
        let Ok(payload) = payload else {
            return Vec::new();
        };
        let outcome = self.pipeline.datagram(payload);
        self.last_outcome = Some(outcome);
        if !outcome.report_due {
            return Vec::new();
        }
        let headers = self.report.frame(&self.net);
        let emit = |part: &[u8]| {
            let mut frame = Vec::new();
            // A part has at most 1,088 bytes, so it always fits.
            headers.emit(part, &mut frame).ok().map(|()| frame)
        };
        self.pipeline
            .report()
            .into_iter()
            .flatten()
            .filter_map(emit)
            .collect()
    }

    /// A frame in which the PHY flagged an error: counted, nothing else.
    pub fn mii_error(&mut self) {
        self.last_cause = frame::Cause::MiiError;
        self.last_outcome = None;
        self.counters.count(frame::Cause::MiiError);
    }

    /// The cause of the last frame, and what its datagram was.
    pub const fn last(&self) -> (frame::Cause, Option<Outcome>) {
        (self.last_cause, self.last_outcome)
    }

    /// What was counted so far.
    pub fn counters(&self) -> Counters {
        Counters {
            net: self.counters,
            feed: self.pipeline.counters(),
        }
    }
}
