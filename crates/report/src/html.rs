//! The HTML report of a [`Comparison`]: one file, nothing loaded from elsewhere.

use std::fmt::Write;
use std::path::Path;

use plotters::style::RGBColor;

use crate::Error;
use crate::chart;
use crate::compare::Comparison;
use crate::distribution::Summary;
use crate::fast_lines::FastLines;
use crate::line_comparison::LineComparison;
use crate::placed::StopOrders;

const STYLE: &str = include_str!("report.css");

/// Writes the report.
///
/// # Errors
/// The file cannot be written.
pub fn write(comparison: &Comparison, path: &Path) -> Result<(), Error> {
    crate::write(path, html(comparison).as_bytes())
}

/// The report.
pub fn html(comparison: &Comparison) -> String {
    let mut body = String::new();
    headline(comparison, &mut body);
    table(comparison, &mut body);
    let legend = legend(comparison);
    section(
        &mut body,
        "How latency is distributed",
        "Share of reports whose first byte was out by then. Log scale; a vertical line is a latency without jitter.",
        &legend,
        &[chart::distribution(comparison)],
    );
    section(
        &mut body,
        "Latency over the day, and the message rate beneath",
        "Line: median of each stretch of market time. Points: its worst.",
        &legend,
        &[chart::over_time(comparison), chart::rate(comparison)],
    );
    if let Some(lines) = &comparison.lines {
        two_lines(lines, &mut body);
    }
    if !comparison.stops.is_empty() {
        stop_orders(&comparison.stops, &mut body);
    }
    if let Some(fast) = &comparison.fast {
        fast_lines(fast, &mut body);
    }
    notes(comparison, &mut body);
    page(&comparison.data, &body)
}

/// A page about these data.
pub(crate) fn page(data: &str, body: &str) -> String {
    let title = format!("Tickwire: {}", escape(data));
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{body}</main>\n</body>\n</html>\n"
    )
}

fn headline(comparison: &Comparison, out: &mut String) {
    let _ = writeln!(
        out,
        "<header><p class=\"brand\">Tickwire</p><h1>A tick in, a packet out</h1><p>{}: {} packets, {} messages, {} seconds answered with a \
         report of {} each, in the FPGA (Verilated, cycle-accurate) and in software (kernel UDP sockets). {}</p></header>",
        escape(&comparison.data),
        grouped(comparison.packets as u64),
        grouped(comparison.messages),
        grouped(comparison.rows.len() as u64),
        symbols(comparison),
        match comparison.mismatches {
            0 => "Every report of the hardware equals the software's, byte for byte.".to_owned(),
            count => format!("{count} reports differ."),
        },
    );
    if let Some(address) = &comparison.tick_to_trade {
        let _ = writeln!(
            out,
            "<p class=\"first\"><a href=\"{}\">Tick to trade: an order log in, orders out</a></p>",
            escape(address)
        );
    }
    let hardware = comparison
        .series
        .iter()
        .filter(|series| series.hardware)
        .min_by(|a, b| a.nanoseconds.p50.total_cmp(&b.nanoseconds.p50));
    let software = comparison
        .series
        .iter()
        .filter(|series| !series.hardware)
        .min_by(|a, b| a.nanoseconds.p50.total_cmp(&b.nanoseconds.p50));
    out.push_str("<section class=\"cards\">");
    if let Some(series) = hardware {
        let jitter = series.nanoseconds.max - series.nanoseconds.min;
        card(
            out,
            &chart::duration(series.nanoseconds.p50),
            &format!(
                "{}, median; max − min {}",
                series.label,
                chart::duration(jitter)
            ),
        );
        card(
            out,
            &times(2_700.0 / series.nanoseconds.mean),
            "faster than system B's FPGA (2.7\u{a0}µs), mean beside mean",
        );
    }
    if let Some(series) = software {
        card(
            out,
            &chart::duration(series.nanoseconds.p50),
            &format!("{}, median", series.label),
        );
    }
    out.push_str("</section>\n");
}

/// `1 symbol (AAPL)`, `16 symbols`.
fn symbols(comparison: &Comparison) -> String {
    match &comparison.symbols[..] {
        [symbol] => format!("1 symbol ({})", escape(&symbol.to_string())),
        symbols => format!("{} symbols", symbols.len()),
    }
}

/// `38×`, `3.2×`.
fn times(factor: f64) -> String {
    if factor < 10.0 {
        format!("{factor:.1}×")
    } else {
        format!("{factor:.0}×")
    }
}

fn card(out: &mut String, figure: &str, text: &str) {
    let _ = write!(
        out,
        "<div><strong>{figure}</strong><span>{}</span></div>",
        escape(text)
    );
}

fn table(comparison: &Comparison, out: &mut String) {
    let _ = writeln!(
        out,
        "<section><h2>Last byte in → first byte out</h2>{}",
        head(&LATENCY)
    );
    for (series, colour) in comparison
        .series
        .iter()
        .zip(chart::colours(&comparison.series))
    {
        let s = series.nanoseconds;
        let cycles = series.cycles.map_or_else(
            || "–".to_owned(),
            |c| {
                if c.min == c.max {
                    c.min.to_string()
                } else {
                    format!("{}–{}", c.min, c.max)
                }
            },
        );
        let mut values = vec![cycles];
        values
            .extend([s.min, s.mean, s.p50, s.p95, s.p99, s.p999, s.max, s.sd].map(chart::duration));
        values.push(grouped(s.count));
        row(out, "", Some(colour), &series.label, &LATENCY, &values);
    }
    for (label, microseconds) in Comparison::PUBLISHED {
        let values = ["–".to_owned(), String::new(), format!("{microseconds} µs")];
        let label = format!("{label}, as published");
        row(out, "published", None, &label, &LATENCY, &values);
    }
    out.push_str("</tbody></table></div></section>\n");
}

/// Columns of latency.
const LATENCY: [&str; 10] = [
    "cycles",
    "min",
    "mean",
    "p50",
    "p95",
    "p99",
    "p99.9",
    "max",
    "std. dev.",
    "reports",
];
/// Columns of what is delivered of two lines.
const DELIVERED: [&str; 8] = [
    "packets", "messages", "lost", "gaps", "reports", "mean", "p99", "max",
];
/// Columns of stop orders.
const STOPS: [&str; 6] = ["orders", "cycles", "p50", "p99", "max", "std. dev."];

/// The beginning of a table, up to its rows.
pub(crate) fn head(columns: &[&str]) -> String {
    let columns: String = columns
        .iter()
        .map(|name| format!("<th>{name}</th>"))
        .collect();
    format!("<div class=\"scroll\"><table><thead><tr><th></th>{columns}</tr></thead><tbody>")
}

/// A row of a table. Each value has its column's name, which a narrow screen shows beside it; columns without a value are left empty.
pub(crate) fn row(
    out: &mut String,
    class: &str,
    colour: Option<RGBColor>,
    label: &str,
    columns: &[&str],
    values: &[String],
) {
    let style = colour.map_or_else(String::new, |colour| {
        format!(" style=\"background:{}\"", css(colour))
    });
    let mut cells = String::new();
    for (index, column) in columns.iter().enumerate() {
        match values.get(index).filter(|value| !value.is_empty()) {
            Some(value) => {
                let _ = write!(cells, "<td data-column=\"{column}\">{value}</td>");
            }
            None => cells.push_str("<td></td>"),
        }
    }
    let _ = writeln!(
        out,
        "<tr class=\"{class}\"><th><i{style}></i>{}</th>{cells}</tr>",
        escape(label)
    );
}

/// Stop orders: the core at each width, the software client, and what was published.
fn stop_orders(runs: &[StopOrders], out: &mut String) {
    let _ = writeln!(
        out,
        "<section><h2>Stop orders: price in → order out</h2><p>The core and a software client in one market, each with a FIX session at the \
         simulated exchange; each order traded. Core: last byte of the frame with the price to the first byte of the order's frame. Software: from \
         the price's bytes in its hands to the end of the write of the order.</p>{}",
        head(&STOPS)
    );
    let values = |summary: &Summary, cycles: String| {
        let mut values = vec![grouped(summary.count), cycles];
        values.extend([summary.p50, summary.p99, summary.max, summary.sd].map(chart::duration));
        values
    };
    for run in runs {
        let cycles = format!("{:.0}–{:.0}", run.cycles.min, run.cycles.max);
        let values = values(&run.nanoseconds, cycles);
        row(out, "", None, &run.label, &STOPS, &values);
    }
    if let Some(run) = runs.last() {
        let values = values(&run.software, "–".to_owned());
        row(out, "", None, "Software client, sockets", &STOPS, &values);
    }
    let published = ["", "32–39", "640 ns", "", "780 ns"].map(str::to_owned);
    let label = "System C's FPGA (2018, 50 MHz), mean and most, as published";
    row(out, "published", None, label, &STOPS, &published);
    out.push_str("</tbody></table></div></section>\n");
}

/// Columns of [`fast_lines`].
const FAST: [&str; 6] = ["packets", "fields", "cycles", "p50", "p99", "max"];

fn fast_lines(fast: &FastLines, out: &mut String) {
    let _ = writeln!(
        out,
        "<section><h2>FAST on two lines: packet in → fields in host memory</h2><p>{}: {} packets. Line A lost {}, line B {}, both {}. The core arbitrates, \
         decodes, and writes every field into a ring in the program's memory, where it was read and compared with the software decoder: all equal. From the \
         last byte of a packet's first copy on either line to its last field in memory; a packet waits for one that is missing before it.</p>{}",
        escape(&fast.data),
        grouped(fast.packets),
        grouped(fast.lost[0]),
        grouped(fast.lost[1]),
        grouped(fast.lost_on_both),
        head(&FAST)
    );
    let cycles = format!("{:.0}–{:.0}", fast.cycles.min, fast.cycles.max);
    let mut values = vec![grouped(fast.compared), grouped(fast.fields), cycles];
    let label = match fast.clock_mhz {
        Some(mhz) => {
            let ns = fast.cycles.scaled(1_000.0 / mhz);
            values.extend([ns.p50, ns.p99, ns.max].map(chart::duration));
            format!("{} at {mhz:.1} MHz", fast.preset)
        }
        None => format!("{}, never placed", fast.preset),
    };
    row(out, "", None, &label, &FAST, &values);
    let published = ["", "", "", "2.6 µs", "", ""].map(str::to_owned);
    let label = "System A's FAST bypass (2011), with its bus, as published";
    row(out, "published", None, label, &FAST, &published);
    out.push_str("</tbody></table></div></section>\n");
}

pub(crate) fn section<E: std::fmt::Display>(
    out: &mut String,
    title: &str,
    text: &str,
    legend: &str,
    charts: &[Result<String, E>],
) {
    let _ = writeln!(out, "<section><h2>{title}</h2><p>{text}</p>{legend}");
    for chart in charts {
        match chart {
            Ok(svg) => {
                let _ = writeln!(out, "<div class=\"scroll\">{svg}</div>");
            }
            Err(e) => {
                let _ = writeln!(out, "<p>No chart: {}</p>", escape(&e.to_string()));
            }
        }
    }
    out.push_str("</section>\n");
}

/// Lines A and B: a table, and how soon the messages were there.
fn two_lines(lines: &LineComparison, out: &mut String) {
    let _ = writeln!(
        out,
        "<section><h2>Two lines that lose packets, made one</h2><p>{} Delay: from the last byte of a message's first copy on either line to its \
         delivery to the decoder. Each report is the software's of what was delivered.</p>{}",
        escape(&lines.sentence()),
        head(&DELIVERED)
    );
    for (line, colour) in lines.rows.iter().zip(chart::LINES) {
        let s = line.nanoseconds;
        let counts = [
            line.packets,
            line.messages,
            line.lost,
            line.gaps,
            line.reports,
        ];
        let mut values = counts.map(grouped).to_vec();
        values.extend([s.mean, s.p99, s.max].map(chart::duration));
        row(out, "", Some(colour), &line.label, &DELIVERED, &values);
    }
    out.push_str("</tbody></table></div></section>\n");
    let rows = lines.rows.iter().zip(chart::LINES).map(|(row, colour)| {
        let (colour, label) = (css(colour), escape(&row.label));
        format!("<li><i style=\"background:{colour}\"></i>{label}</li>")
    });
    section(
        out,
        "How many messages were there, and how soon",
        "Share of all messages delivered within a time of their first copy's end. A curve that stops below 100 % has lost the rest.",
        &format!("<ul class=\"legend\">{}</ul>", rows.collect::<String>()),
        &[chart::lines(lines)],
    );
}

/// Which colour is which, above a chart.
fn legend(comparison: &Comparison) -> String {
    let mut legend = String::from("<ul class=\"legend\">");
    for (series, colour) in comparison
        .series
        .iter()
        .zip(chart::colours(&comparison.series))
    {
        let _ = write!(
            legend,
            "<li><i style=\"background:{}\"></i>{}</li>",
            css(colour),
            escape(&series.label)
        );
    }
    legend + "<li><i class=\"dashed\"></i>System B (2011), as published</li></ul>"
}

fn notes(comparison: &Comparison, out: &mut String) {
    let missed: Vec<String> = comparison
        .series
        .iter()
        .filter(|series| series.missed > 0)
        .map(|series| {
            format!(
                "{}: {} reports did not come.",
                escape(&series.label),
                series.missed
            )
        })
        .collect();
    let _ = writeln!(
        out,
        "<section class=\"notes\"><h2>How it was measured</h2><p>Hardware: at the MII of the core, from the cycle of the last FCS byte to the cycle of the first preamble \
         byte; silence between packets is skipped by moving the core's clock. Software: from the call that hands the datagram to the kernel, to the \
         return of the call that takes the report, on loopback; packets at their own spacing, long silence cut short. The machine's noise is in the software's \
         tail: compare within one run. {}</p></section>",
        missed.join(" ")
    );
}

pub(crate) fn css(colour: RGBColor) -> String {
    format!("#{:02x}{:02x}{:02x}", colour.0, colour.1, colour.2)
}

pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// `92,082`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_and_text_is_escaped() {
        assert_eq!(
            [7, 999, 1_000, 92_082, 1_234_567].map(grouped),
            ["7", "999", "1,000", "92,082", "1,234,567"]
        );
        assert_eq!(escape("<a & b>"), "&lt;a &amp; b&gt;");
        assert_eq!([38.35, 9.94, 0.5].map(times), ["38×", "9.9×", "0.5×"]);
    }
}
