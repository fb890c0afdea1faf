//! The HTML report of a [`TradingComparison`]: one file, nothing loaded from elsewhere.

use std::fmt::Write;
use std::path::Path;

use super::{PUBLISHED, Series, TradingComparison, chart};
use crate::Error;
use crate::chart::duration;
use crate::distribution::Summary;
use crate::html::{css, escape, grouped, head, page, row, section};
use crate::packets::Packets;
use crate::profit;

/// Columns of latency.
const LATENCY: [&str; 9] = [
    "cycles", "min", "mean", "sd", "p95", "p97", "p99", "p99.9", "max",
];
/// Columns of the stages.
const STAGE: [&str; 4] = ["min", "mean", "p99", "max"];

impl TradingComparison {
    /// Writes the report of these packets.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_report(&self, packets: &Packets, path: &Path) -> Result<(), Error> {
        crate::write(path, self.html(packets).as_bytes())
    }

    fn html(&self, packets: &Packets) -> String {
        let mut body = String::new();
        let _ = writeln!(
            body,
            "<header><p class=\"brand\">Tickwire</p><h1>Tick to trade</h1><p>{}, {}: {} packets, {} orders ({} refused by risk). Every order of the core \
             equals the software's, byte for byte.</p></header>",
            escape(&self.data),
            escape(&self.feed),
            grouped(self.packets as u64),
            grouped(self.orders_sent),
            grouped(self.orders_refused),
        );
        self.latencies(&mut body);
        let legend = self.legend();
        section(
            &mut body,
            "How latency is distributed",
            "Share of orders whose first byte was out by then. Log scale; dashed: means of system E (2018), as published.",
            &legend,
            &[chart::distribution(self)],
        );
        section(
            &mut body,
            "Latency and the size of the packet",
            "A point an order: entries of the packet that it follows, and how long after the packet's last byte its first byte left. Both scales are logarithmic.",
            &legend,
            &[chart::over_entries(self, packets)],
        );
        if self.series.iter().any(|series| series.stages.is_some()) {
            section(
                &mut body,
                "Where the time goes",
                "Mean cycles of each stage, one packet at a time.",
                "",
                &[chart::stages(self)],
            );
            self.stages(&mut body);
        }
        if let Some(lines) = &self.lines {
            let _ = writeln!(
                body,
                "<section><h2>Lines A and B, with losses</h2><p>{}.</p></section>",
                escape(&lines.text())
            );
        }
        if !self.profits.is_empty() {
            section(
                &mut body,
                "What a latency costs",
                "Profit of a market maker on a recorded day, when each of its orders has one of the latencies above and the line's on top.",
                "",
                &[profit::chart(&self.profits)],
            );
        }
        page(&self.data, &body)
    }

    fn latencies(&self, out: &mut String) {
        let _ = writeln!(
            out,
            "<section><h2>Last byte in → first byte out</h2>{}",
            head(&LATENCY)
        );
        for (series, colour) in self.series.iter().zip(chart::colours(&self.series)) {
            let cycles = series.cycles.map_or_else(
                || "–".to_owned(),
                |cycles| format!("{}–{}", cycles.min, cycles.max),
            );
            let mut values = vec![cycles];
            values.extend(match series.has_length() {
                true => of_system_e(&series.shown()).map(duration),
                // A time at another clock would look like one that was reached.
                false => std::array::from_fn(|_| "–".to_owned()),
            });
            row(out, "", Some(colour), &series.label, &LATENCY, &values);
        }
        for (label, values) in PUBLISHED {
            let [min, mean, max, sd, p95, p97, p99, p999] = values.map(f64::from);
            let mut cells = vec!["–".to_owned()];
            cells.extend([min, mean, sd, p95, p97, p99, p999, max].map(duration));
            row(out, "published", None, label, &LATENCY, &cells);
        }
        out.push_str("</tbody></table></div>");
        if self.series.iter().any(Series::is_at_the_lines_clock) {
            out.push_str(
                "<p>The cycles of a core that was never placed have no length; the pictures show them at the clock of the line, which it has not been shown to reach.</p>",
            );
        }
        for why in self.not_measured.values() {
            let _ = write!(out, "<p>{}</p>", escape(why));
        }
        out.push_str("</section>\n");
    }

    fn stages(&self, out: &mut String) {
        out.push_str("<section><h2>Cycles of each stage</h2>");
        out.push_str(&head(&STAGE));
        for series in &self.series {
            let Some(stages) = &series.stages else {
                continue;
            };
            for (name, what, cycles) in stages.in_order() {
                let label = format!("{}: {name}, {what}", series.label);
                let values = [cycles.min, cycles.mean, cycles.p99, cycles.max];
                let values = values.map(|value| format!("{value:.0}"));
                row(out, "", None, &label, &STAGE, &values);
            }
        }
        out.push_str("</tbody></table></div></section>\n");
    }

    fn legend(&self) -> String {
        let mut legend = String::from("<ul class=\"legend\">");
        for (series, colour) in self.series.iter().zip(chart::colours(&self.series)) {
            let (colour, label) = (css(colour), escape(&series.label));
            let _ = write!(
                legend,
                "<li><i style=\"background:{colour}\"></i>{label}</li>"
            );
        }
        legend + "<li><i class=\"dashed\"></i>System E (2018), as published</li></ul>"
    }
}

/// In the order of the table, in nanoseconds.
fn of_system_e(s: &Summary) -> [f64; 8] {
    [s.min, s.mean, s.sd, s.p95, s.p97, s.p99, s.p999, s.max]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::trading::TradedLines;
    use crate::trading::tests::series;

    #[test]
    fn the_report_has_each_latency_in_nanoseconds_each_stage_and_what_was_published() {
        let orders = BTreeMap::from([(0, 50), (1, 150)]);
        let comparison = TradingComparison {
            data: "a<b.pcap".into(),
            feed: "FAST".into(),
            packets: 2,
            orders_sent: 2,
            orders_refused: 0,
            mismatches: 0,
            series: vec![
                series("core at 125 MHz", Some(125.0), &orders),
                series("core, never placed", None, &orders),
            ],
            not_measured: BTreeMap::from([(
                "software_af_xdp".into(),
                "AF_XDP was not measured: a <reason>".into(),
            )]),
            profits: vec![("0".into(), 12.0), ("fpga_w64_module".into(), 11.5)],
            lines: Some(TradedLines {
                preset: "fast_trader_10g".into(),
                packets: 1_000,
                loss: 0.05,
                lost: [52, 47],
                recovered: 99,
                missing: 0,
                orders: 2,
                cycles: None,
                clock_mhz: None,
            }),
        };
        let packets = Packets::of("two", [(vec![0; 58], 0, 1), (vec![0; 58], 0, 31)]);
        let html = comparison.html(&packets);
        // 50 and 150 cycles of 8 ns. Those of a core that was never placed would be of 6.4 ns at the line's clock.
        for part in ["400 ns", "800 ns", "1.2 µs"] {
            assert!(html.contains(part), "{part}");
        }
        for part in ["320 ns", "960 ns"] {
            assert!(!html.contains(part), "{part}");
        }
        for part in [
            "a&lt;b.pcap",
            "decode, to the verdict",
            "System E (2018): Verilog",
            "AF_XDP was not measured: a &lt;reason&gt;",
            "What a latency costs",
            "fpga_w64_module",
            "A lost 52, B lost 47, none was lost on both",
            "took all 99 from the other line",
        ] {
            assert!(html.contains(part), "{part}");
        }
        assert!(html.contains("never placed have no length"));
        assert_eq!(html.matches("<svg").count(), 4);
    }
}
