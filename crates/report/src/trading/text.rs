//! Latencies as text: a table for a terminal, and a CSV.

use std::path::Path;

use device::FastEngines;

use super::{PUBLISHED, Series, TradingComparison};
use crate::Error;
use crate::distribution::Summary;
use crate::packets::Packets;

impl TradingComparison {
    /// A row an order: its packet, the packet's time, size and messages, and each latency; empty where there was none.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_csv(&self, packets: &Packets, path: &Path) -> Result<(), Error> {
        let mut text = String::from("packet,time_ns,payload_bytes,messages");
        for series in &self.series {
            let unit = if series.cycles.is_some() {
                "cycles"
            } else {
                "ns"
            };
            text += &format!(",{}_{unit}", series.key);
        }
        text.push('\n');
        for (index, packet) in packets.iter().enumerate() {
            let mut latencies = self.series.iter().map(|series| series.orders.get(&index));
            if latencies.clone().all(|latency| latency.is_none()) {
                continue;
            }
            let (time, bytes, messages) = (packet.time, packet.payload.len(), packet.messages);
            text += &format!("{index},{time},{bytes},{messages}");
            latencies
                .try_for_each(|latency| {
                    use std::fmt::Write;
                    match latency {
                        Some(latency) => write!(text, ",{latency}"),
                        None => write!(text, ","),
                    }
                })
                .map_err(|_| Error::Orders("a row of the CSV".to_owned()))?;
            text.push('\n');
        }
        crate::write(path, text.as_bytes())
    }

    /// A table for a terminal.
    pub fn table(&self) -> String {
        let heads = ["min", "mean", "max", "sd", "95 %", "97 %", "99 %", "99.9 %"];
        let line = |label: &str, cells: [String; 8]| {
            let cells: String = cells.iter().map(|cell| format!("{cell:>9}")).collect();
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
            if let (Some(at_wire_rate), Some(handed_over)) =
                (series.at_wire_rate, series.handed_over)
            {
                let engines = FastEngines {
                    wire_rate: at_wire_rate,
                    handed_over,
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
