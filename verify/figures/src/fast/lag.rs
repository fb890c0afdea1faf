//! How far behind the wire each FAST engine is at a packet's end, against the packet's size: `tickwire-verify lag`.
//!
//! Every packet comes alone, eight bytes a cycle; the cycles that an engine takes for any packet, its pipeline, are not counted.

use std::collections::BTreeMap;

use plotters::prelude::*;

pub use report::chart::Failure;
use report::chart::{FAINT, GREY, LINES, axes, draw, label};

/// Bytes that come in a cycle.
const BEAT: usize = 8;
/// The stop bit.
const STOP: u8 = 0x80;

/// The engines, in the order of [`Lags::of`].
pub const ENGINES: [Engine; 3] = [Engine::OneToken, Engine::Microcode, Engine::WireRate];

/// What decodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Not one of ours: whatever takes a token a cycle and no more, calculated.
    OneToken,
    /// `rtl/decoder/fast`, Verilated.
    Microcode,
    /// `rtl/decoder/fast/wire`, Verilated.
    WireRate,
}

impl Engine {
    /// As people call it.
    pub const fn name(self) -> &'static str {
        match self {
            Engine::OneToken => "one token a cycle (calculated)",
            Engine::Microcode => "microcode engine",
            Engine::WireRate => "wire-rate engine",
        }
    }

    /// In JSON.
    pub const fn key(self) -> &'static str {
        match self {
            Engine::OneToken => "one_token",
            Engine::Microcode => "microcode",
            Engine::WireRate => "wire_rate",
        }
    }
}

/// The lag of each packet with each engine, in cycles.
#[derive(Clone, Debug, Default)]
pub struct Lags {
    /// Bytes of each packet.
    pub sizes: Vec<usize>,
    /// Of each of [`ENGINES`] the lag of each packet: `None`, if the engine does not take it. An engine that this program does not have, has none.
    pub of: [Vec<Option<u64>>; 3],
    /// Packets that the wire-rate engine does not do, by reason.
    pub handed_over: BTreeMap<String, u64>,
    /// Why the wire-rate engine was not asked.
    pub not_eligible: Option<String>,
}

/// The lag of an engine that takes a token a cycle, and only when its last byte has come.
pub fn one_token_a_cycle(packet: &[u8]) -> u64 {
    // The cycle in which the next token can be taken.
    let mut next = 0;
    for (at, byte) in packet.iter().enumerate() {
        if byte & STOP != 0 {
            next = next.max((at / BEAT) as u64) + 1;
        }
    }
    next.saturating_sub(packet.len().div_ceil(BEAT) as u64)
}

impl Lags {
    /// Those that are calculated.
    pub fn calculated<'a>(packets: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut lags = Lags::default();
        for packet in packets {
            lags.sizes.push(packet.len());
            lags.of[0].push(Some(one_token_a_cycle(packet)));
        }
        lags
    }

    /// The lags of an engine.
    pub fn values(&self, engine: Engine) -> impl Iterator<Item = u64> + '_ {
        self.of[engine as usize].iter().flatten().copied()
    }

    /// Mean and greatest lag of an engine by the beats of a packet.
    pub fn by_beats(&self, engine: Engine) -> BTreeMap<usize, (f64, u64)> {
        let mut sums: BTreeMap<usize, (u64, u64, u64)> = BTreeMap::new();
        for (size, lag) in self.sizes.iter().zip(&self.of[engine as usize]) {
            let Some(lag) = lag else { continue };
            let (sum, count, most) = sums.entry(size.div_ceil(BEAT)).or_default();
            *sum += lag;
            *count += 1;
            *most = (*most).max(*lag);
        }
        let mean = |(beats, (sum, count, most))| (beats, (sum as f64 / count as f64, most));
        sums.into_iter().map(mean).collect()
    }

    /// The lags against the size of the packet: means as lines, the greatest as points.
    ///
    /// # Errors
    /// It cannot be drawn.
    pub fn chart(&self) -> Result<String, Failure> {
        let colours = [GREY, LINES[2], LINES[3]];
        let series = ENGINES.map(|engine| self.by_beats(engine));
        let all = || series.iter().flatten();
        let right = all().map(|(beats, _)| *beats).max().unwrap_or(1) * BEAT;
        let top = all().map(|(_, (_, most))| *most).max().unwrap_or(0).max(10);
        draw(420, |area| {
            let mut chart = ChartBuilder::on(&area)
                .margin(12)
                .x_label_area_size(44)
                .y_label_area_size(64)
                .build_cartesian_2d(
                    0.0..right as f64 * 1.02,
                    -(top as f64) / 40.0..top as f64 * 1.05,
                )?;
            axes!(chart)
                .x_desc("bytes of the packet")
                .y_desc("cycles behind the wire at its end")
                .draw()?;
            for ((engine, series), colour) in ENGINES.into_iter().zip(&series).zip(colours) {
                if series.is_empty() {
                    continue;
                }
                let bytes = |beats: &usize| (beats * BEAT) as f64;
                let line = series
                    .iter()
                    .map(|(beats, (mean, _))| (bytes(beats), *mean));
                let line = LineSeries::new(line, colour.stroke_width(3));
                chart
                    .draw_series(line)?
                    .label(engine.name())
                    .legend(move |(x, y)| {
                        PathElement::new([(x, y), (x + 16, y)], colour.stroke_width(3))
                    });
                chart.draw_series(series.iter().map(|(beats, (_, most))| {
                    Circle::new((bytes(beats), *most as f64), 2, colour.filled())
                }))?;
            }
            chart
                .configure_series_labels()
                .position(SeriesLabelPosition::UpperLeft)
                .background_style(WHITE)
                .border_style(FAINT)
                .label_font(label())
                .draw()?;
            Ok(())
        })
    }
}

mod measured {
    use fast::microcode::{Room, Wanted, assemble};
    use fast::{Settings, Templates, wire_rate};
    use lockstep::fast::{Lockstep, Width, Wire};
    use lockstep::fast_wire;

    use super::super::engine::PIPELINE;
    use super::Lags;

    /// Cycles from a packet's verdict to the next packet.
    const REST: u64 = 20;

    impl Lags {
        /// Runs the Verilated engines, each packet compared with the software decoder. `of`: the identifier of the wire-rate engine's template, and the
        /// fields that leave both. `each` gets how many packets are done.
        ///
        /// # Errors
        /// Hardware and software differ: a sentence about where.
        pub fn measure(
            &mut self,
            templates: &Templates,
            settings: Settings,
            packets: &[Vec<u8>],
            of: (u32, Vec<u32>),
            mut each: impl FnMut(u64),
        ) -> Result<(), String> {
            let (id, fields) = of;
            // Both give the same fields.
            let wanted = if fields.is_empty() {
                Wanted::All
            } else {
                Wanted::Tags(fields.clone())
            };
            let program = assemble(templates, &wanted, Room::default());
            let mut both = Lockstep::new(Width::W64, templates, &program, &wanted, settings);
            for (number, packet) in (1..).zip(packets) {
                let done = both.statistics.last_field.len();
                both.packet(packet, Wire::default())
                    .map_err(|error| format!("microcode engine, packet {number}: {error}"))?;
                both.engine().run(REST);
                let cycles = both.statistics.last_field.get(done);
                let lag = cycles.map(|cycles| cycles.saturating_sub(PIPELINE));
                self.of[1].push(lag);
                each(number);
            }
            self.wire_rate(templates, settings, packets, (id, fields), each)
        }

        fn wire_rate(
            &mut self,
            templates: &Templates,
            settings: Settings,
            packets: &[Vec<u8>],
            (id, fields): (u32, Vec<u32>),
            mut each: impl FnMut(u64),
        ) -> Result<(), String> {
            let wanted = wire_rate::Wanted {
                header: vec![],
                fields,
            };
            let room = wire_rate::Room::default();
            let tables =
                wire_rate::compile(templates, id, &wanted, &room, settings.reset_each_packet);
            let tables = match tables {
                Ok(tables) => tables,
                Err(reasons) => {
                    let reasons: Vec<_> = reasons.iter().map(ToString::to_string).collect();
                    self.not_eligible = Some(format!("template {id}: {}", reasons.join("; ")));
                    return Ok(());
                }
            };
            let mut both = fast_wire::Lockstep::new(templates, id, &wanted, &tables, settings);
            for (number, packet) in (1..).zip(packets) {
                both.statistics = fast_wire::Statistics::default();
                both.packet(packet, fast_wire::Arrival::default())
                    .and_then(|()| both.rest(0))
                    .map_err(|error| format!("wire-rate engine, packet {number}: {error}"))?;
                for trap in both.statistics.trapped.keys() {
                    *self.handed_over.entry(format!("{trap:?}")).or_default() += 1;
                }
                let cycles = both.statistics.last_entry.keys().next();
                let lag = cycles.map(|cycles| cycles.saturating_sub(fast_wire::LAST_ENTRY));
                self.of[2].push(lag);
                each(number);
            }
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_and_maxima_are_by_the_beats_of_a_packet_and_drawn() {
        let packets: [&[u8]; 3] = [&[STOP; 8], &[0, STOP], &[STOP; 9]];
        let lags = Lags::calculated(packets.into_iter());
        let by_beats = lags.by_beats(Engine::OneToken);
        assert_eq!(
            by_beats.into_iter().collect::<Vec<_>>(),
            [(1, (3.5, 7)), (2, (7.0, 7))]
        );
        assert_eq!(lags.values(Engine::WireRate).count(), 0);
        let chart = lags.chart().expect("it can be drawn");
        assert!(chart.contains("one token a cycle") && !chart.contains("wire-rate"));
    }

    #[test]
    fn a_token_a_cycle_is_behind_by_the_tokens_that_come_faster_than_that() {
        assert_eq!(one_token_a_cycle(&[0, 0, 0, 0, 0, 0, 0, STOP]), 0);
        assert_eq!(
            one_token_a_cycle(&[STOP; 8]),
            7,
            "the eighth waits for seven"
        );
        assert_eq!(
            one_token_a_cycle(&[STOP; 9]),
            7,
            "a cycle more, a token more"
        );
        let mut long = vec![STOP; 8];
        long.extend([0; 71]);
        long.push(STOP);
        assert_eq!(one_token_a_cycle(&long), 0, "it has caught up");
        assert_eq!(one_token_a_cycle(&[]), 0);
    }
}
