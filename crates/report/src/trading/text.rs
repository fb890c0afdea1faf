//! Latencies as text: a table for a terminal, and a CSV.

use std::path::Path;

use device::FastEngines;

use super::{PUBLISHED, Series, TradingComparison};
use crate::Error;
use crate::distribution::Summary;
use crate::packets::Packets;

impl TradingComparison {
    /// A row an order: its packet, the packet's time, size and messages, and each latency; empty where there was none. A core's is in cycles, and in nanoseconds
    /// at the clock that it was placed at, where it was.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_csv(&self, packets: &Packets, path: &Path) -> Result<(), Error> {
        let mut text = String::from("packet,time_ns,payload_bytes,messages");
        for series in &self.series {
            let key = &series.key;
            text += &match (series.cycles.is_some(), series.clock_mhz) {
                (true, Some(_)) => format!(",{key}_cycles,{key}_ns"),
                (true, None) => format!(",{key}_cycles"),
                (false, _) => format!(",{key}_ns"),
            };
        }
        text.push('\n');
        for (index, packet) in packets.iter().enumerate() {
            let of = |series: &Series| series.orders.get(&index).copied();
            if self.series.iter().all(|series| of(series).is_none()) {
                continue;
            }
            let (time, bytes, messages) = (packet.time, packet.payload.len(), packet.messages);
            text += &format!("{index},{time},{bytes},{messages}");
            for series in &self.series {
                let latency = of(series);
                text.push(',');
                text += &latency.map_or_else(String::new, |units| units.to_string());
                if let (true, Some(mhz)) = (series.cycles.is_some(), series.clock_mhz) {
                    let ns = latency.map(|cycles| cycles as f64 * 1_000.0 / mhz);
                    text.push(',');
                    text += &ns.map_or_else(String::new, |ns| format!("{ns:.1}"));
                }
            }
            text.push('\n');
        }
        crate::write(path, text.as_bytes())
    }

    /// The distribution of each latency as a picture of its own (SVG), as it is in the report.
    ///
    /// # Errors
    /// It cannot be drawn, or the file cannot be written.
    pub fn write_picture(&self, path: &Path) -> Result<(), Error> {
        let picture = super::chart::distribution(self);
        let picture = picture.map_err(|cause| Error::Orders(format!("the picture: {cause}")))?;
        crate::write(path, picture.as_bytes())
    }

    /// A table for a terminal.
    pub fn table(&self) -> String {
        let heads = ["min", "mean", "max", "sd", "95 %", "97 %", "99 %", "99.9 %"];
        let line = |label: &str, cells: [String; 8]| {
            let cells: String = cells.iter().map(|cell| format!(" {cell:>9}")).collect();
            format!("{label:<44}{cells}\n")
        };
        let figures = |s: &Summary| [s.min, s.mean, s.max, s.sd, s.p95, s.p97, s.p99, s.p999];
        let mut text = format!(
            "{}: {} packets, {} orders ({} refused by risk); hardware and software give the same\n",
            self.data, self.packets, self.orders_sent, self.orders_refused
        );
        text += &line("last byte in → first byte out, ns", heads.map(String::from));
        for series in &self.series {
            let shown = series.nanoseconds.or(series.cycles).unwrap_or_default();
            text += &line(
                &series.label,
                figures(&shown).map(|value| format!("{value:.0}")),
            );
        }
        for (name, of) in [
            (
                "message's first byte in → first byte out",
                Series::som as fn(&Series) -> _,
            ),
            ("message's last byte in → first byte out", Series::eot),
        ] {
            let shown = self
                .series
                .iter()
                .filter_map(|series| Some((series, of(series)?)));
            let mut shown = shown.peekable();
            if shown.peek().is_some() {
                text += &line(name, heads.map(String::from));
            }
            for (series, summary) in shown {
                let cells = figures(&summary).map(|value| format!("{value:.0}"));
                text += &line(&series.label, cells);
            }
        }
        for (label, values) in PUBLISHED {
            text += &line(label, values.map(|value| value.to_string()));
        }
        for series in &self.series {
            let Some(stages) = &series.stages else {
                continue;
            };
            let head = format!("{}, stage by stage: cycles", series.key);
            text += &line(&head, heads.map(String::from));
            for (name, what, cycles) in stages.in_order() {
                let cells = figures(cycles).map(|value| format!("{value:.0}"));
                text += &line(&format!("  {name:<9} {what}"), cells);
            }
        }
        for why in self.not_measured.values() {
            text += &format!("{why}\n");
        }
        if let Some(lines) = &self.lines {
            text += &format!("{}\n", lines.text());
        }
        for series in &self.series {
            if let (Some(at_wire_rate), Some(unread)) = (series.at_wire_rate, series.unread) {
                let engines = FastEngines {
                    wire_rate: at_wire_rate,
                    unread,
                };
                text += &format!("{}: {engines}\n", series.label);
            }
            if let Some(seconds) = series.edit_to_simulation_seconds {
                let how = match series.model_reused {
                    None => "loaded",
                    Some(false) => "model built, loaded",
                    Some(true) => "loaded; its model was built before",
                };
                text += &format!(
                    "{}: from the strategy to its simulation {seconds:.1} s ({how})\n",
                    series.key
                );
            }
        }
        text
    }
}
