//! The charts of the report, as SVG.

use std::collections::BTreeMap;
use std::ops::Range;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::compare::{Comparison, Series};
use crate::line_comparison::LineComparison;

/// The mesh of a chart as all charts have it.
#[macro_export]
macro_rules! axes {
    ($chart:expr) => {{
        let mut mesh = $chart.configure_mesh();
        mesh.light_line_style(WHITE)
            .bold_line_style($crate::chart::FAINT)
            .axis_style($crate::chart::GREY)
            .label_style($crate::chart::label());
        mesh
    }};
}
pub use axes;

/// Why a chart was not drawn.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

const WIDTH: u32 = 1000;
/// Margin on the right of the charts over market time, for the names of the published figures.
const RIGHT: u32 = 112;
/// Text.
pub const INK: RGBColor = RGBColor(0x33, 0x41, 0x55);
/// Grid.
pub const FAINT: RGBColor = RGBColor(0xe2, 0xe8, 0xf0);
/// Axes, and what is in the background.
pub const GREY: RGBColor = RGBColor(0x94, 0xa3, 0xb8);
const RATE: RGBColor = RGBColor(0x64, 0x74, 0x8b);
const HARDWARE: [RGBColor; 2] = [RGBColor(0x0f, 0x76, 0x6e), RGBColor(0x14, 0xb8, 0xa6)];
const SOFTWARE: [RGBColor; 4] = [
    RGBColor(0xea, 0x58, 0x0c),
    RGBColor(0x7c, 0x3a, 0xed),
    RGBColor(0xdb, 0x27, 0x77),
    RGBColor(0xca, 0x8a, 0x04),
];
/// Colours of the settings of two lines, in order.
pub const LINES: [RGBColor; 6] = [
    RGBColor(0x94, 0xa3, 0xb8),
    RGBColor(0x47, 0x55, 0x69),
    RGBColor(0xea, 0x58, 0x0c),
    RGBColor(0x0f, 0x76, 0x6e),
    RGBColor(0x7c, 0x3a, 0xed),
    RGBColor(0xdb, 0x27, 0x77),
];
/// System B's figures: last→first in nanoseconds.
const PUBLISHED: [(&str, f64); 2] = [("system B, FPGA", 2_700.0), ("system B, CPU", 38_000.0)];
/// Points along the time axis.
const BUCKETS: usize = 240;
/// Of the market's time, in nanoseconds.
const SECOND: u64 = 1_000_000_000;

/// The colour of each series, in order.
pub fn colours(series: &[Series]) -> Vec<RGBColor> {
    let (mut hardware, mut software) = (HARDWARE.iter().cycle(), SOFTWARE.iter().cycle());
    series
        .iter()
        .filter_map(|series| {
            if series.hardware {
                hardware.next()
            } else {
                software.next()
            }
        })
        .copied()
        .collect()
}

/// Share of reports whose first byte was out by a time.
pub fn distribution(comparison: &Comparison) -> Result<String, Failure> {
    draw(380, |area| {
        let span = nanoseconds_span(comparison);
        let mut chart = ChartBuilder::on(&area)
            .margin(12)
            .margin_right(40)
            .margin_top(26)
            .x_label_area_size(44)
            .y_label_area_size(64)
            .build_cartesian_2d(span.clone().log_scale(), 0.0..101.0)?;
        axes!(chart)
            .x_label_formatter(&|ns| duration(*ns))
            .y_label_formatter(&|percent| format!("{percent:.0} %"))
            .x_desc("last byte in → first byte out")
            .y_desc("reports out by then")
            .draw()?;
        for (name, ns) in PUBLISHED {
            chart.draw_series(DashedLineSeries::new(
                [(ns, 0.0), (ns, 101.0)],
                5,
                4,
                GREY.stroke_width(1),
            ))?;
            // Above the plot: inside it a curve may be in the way.
            let (x, y) = chart.backend_coord(&(ns, 101.0));
            area.draw_text(
                name,
                &label().pos(Pos::new(HPos::Center, VPos::Bottom)),
                (x, y - 4),
            )?;
        }
        for (series, colour) in comparison.series.iter().zip(colours(&comparison.series)) {
            let mut values: Vec<f64> = series.answers.values().copied().collect();
            values.sort_by(f64::total_cmp);
            let count = values.len() as f64;
            let mut steps = vec![];
            if let (Some(first), Some(last)) = (values.first(), values.last()) {
                steps.push((*first, 0.0));
                steps.extend(
                    thinned(&values)
                        .map(|(index, value)| (value, (index + 1) as f64 * 100.0 / count)),
                );
                steps.push((*last, 100.0));
            }
            chart.draw_series(LineSeries::new(
                steps,
                colour.stroke_width(if series.hardware { 4 } else { 2 }),
            ))?;
        }
        Ok(())
    })
}

/// Latency over market time: the median of each stretch as a line, its worst as points.
pub fn over_time(comparison: &Comparison) -> Result<String, Failure> {
    let span = time_span(comparison);
    draw(360, |area| {
        let mut chart = ChartBuilder::on(&area)
            .margin(12)
            .margin_right(RIGHT)
            .x_label_area_size(30)
            .y_label_area_size(64)
            .build_cartesian_2d(span.clone(), nanoseconds_span(comparison).log_scale())?;
        axes!(chart)
            .x_labels(9)
            .x_label_formatter(&|minutes| clock(*minutes))
            .y_label_formatter(&|ns| duration(*ns))
            .y_desc("last byte in → first byte out")
            .draw()?;
        for (name, ns) in PUBLISHED {
            chart.draw_series(DashedLineSeries::new(
                [(span.start, ns), (span.end, ns)],
                5,
                4,
                GREY.stroke_width(1),
            ))?;
            let (x, y) = chart.backend_coord(&(span.end, ns));
            area.draw_text(
                name,
                &label().pos(Pos::new(HPos::Left, VPos::Center)),
                (x + 4, y),
            )?;
        }
        for (series, colour) in comparison
            .series
            .iter()
            .zip(colours(&comparison.series))
            .rev()
        {
            let stretches = stretches(comparison, series, &span);
            let worst = stretches
                .iter()
                .map(|(at, values)| (*at, values.iter().copied().fold(0.0, f64::max)));
            chart
                .draw_series(worst.map(|point| Circle::new(point, 2, colour.mix(0.45).filled())))?;
            let median = stretches
                .iter()
                .map(|(at, values)| (*at, values[values.len() / 2]));
            chart.draw_series(LineSeries::new(median, colour.stroke_width(2)))?;
        }
        Ok(())
    })
}

/// Messages a second, over market time.
pub fn rate(comparison: &Comparison) -> Result<String, Failure> {
    let span = time_span(comparison);
    let most = comparison.rate.values().copied().max().unwrap_or(1).max(1) as f64;
    draw(180, |area| {
        let mut chart = ChartBuilder::on(&area)
            .margin(12)
            .margin_right(RIGHT)
            .x_label_area_size(44)
            .y_label_area_size(64)
            .build_cartesian_2d(span.clone(), 0.0..most * 1.05)?;
        axes!(chart)
            .x_labels(9)
            .y_labels(4)
            .x_label_formatter(&|minutes| clock(*minutes))
            .y_label_formatter(&|count| format!("{count:.0}"))
            .x_desc("market time")
            .y_desc("messages/s")
            .draw()?;
        let seconds = (span.start * 60.0).round() as u64..=(span.end * 60.0).round() as u64;
        let points = seconds.map(|second| {
            let messages = comparison.rate.get(&second).copied().unwrap_or(0);
            (second as f64 / 60.0, messages as f64)
        });
        chart.draw_series(
            AreaSeries::new(points, 0.0, RATE.mix(0.25)).border_style(RATE.stroke_width(1)),
        )?;
        Ok(())
    })
}

/// Share of all messages that were delivered within a time, for each setting of two lines.
pub fn lines(comparison: &LineComparison) -> Result<String, Failure> {
    let share = |messages: u64| messages as f64 * 100.0 / comparison.messages.max(1) as f64;
    let delays = || comparison.rows.iter().flat_map(|row| &row.delays);
    let least = delays().map(|(ns, _)| *ns).fold(1_000.0, f64::min);
    let most = delays().map(|(ns, _)| *ns).fold(least, f64::max) * 1.3;
    // The differences are all above what the lines have in common: a first copy that came on time.
    let rows = comparison.rows.iter().filter(|row| row.key != "line_b");
    let first = rows.filter_map(|row| row.delays.first());
    let bottom = first
        .map(|(_, messages)| share(*messages))
        .fold(100.0, f64::min);
    let bottom = (bottom - 2.0).max(0.0).floor();
    draw(380, |area| {
        let mut chart = ChartBuilder::on(&area)
            .margin(12)
            .margin_right(40)
            .x_label_area_size(44)
            .y_label_area_size(64)
            .build_cartesian_2d((least * 0.8..most).log_scale(), bottom..100.2)?;
        axes!(chart)
            .x_label_formatter(&|ns| duration(*ns))
            .y_label_formatter(&|percent| format!("{percent:.0} %"))
            .x_desc("first copy in → delivered")
            .y_desc("messages delivered by then")
            .draw()?;
        for (row, colour) in comparison.rows.iter().zip(LINES).rev() {
            let (mut steps, mut delivered) = (vec![], 0.0);
            for (ns, messages) in &row.delays {
                steps.push((*ns, delivered));
                delivered += share(*messages);
                steps.push((*ns, delivered));
            }
            steps.push((most, delivered));
            steps.retain(|(_, share)| *share >= bottom);
            let width = if row.key.starts_with("line") { 2 } else { 3 };
            chart.draw_series(LineSeries::new(steps, colour.stroke_width(width)))?;
        }
        Ok(())
    })
}

/// A drawing so high, as SVG.
pub fn draw(
    height: u32,
    content: impl FnOnce(DrawingArea<SVGBackend, Shift>) -> Result<(), Failure>,
) -> Result<String, Failure> {
    let mut svg = String::new();
    let area = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
    area.fill(&WHITE)?;
    content(area.clone())?;
    area.present()?;
    drop(area);
    Ok(svg)
}

/// How labels are written.
pub fn label() -> TextStyle<'static> {
    ("sans-serif", 14).into_font().color(&INK)
}

/// From a decade below the least to one above the greatest, the published figures included.
fn nanoseconds_span(comparison: &Comparison) -> Range<f64> {
    let summaries = || {
        comparison
            .series
            .iter()
            .map(|series| series.nanoseconds)
            .filter(|summary| summary.count > 0)
    };
    let least = summaries()
        .map(|summary| summary.min)
        .fold(1_000.0, f64::min);
    let most = summaries()
        .map(|summary| summary.max)
        .fold(100_000.0, f64::max);
    10_f64.powf(least.log10().floor())..10_f64.powf(most.log10().ceil())
}

/// Minutes since midnight: the unit whose round numbers a clock shows as such.
fn time_span(comparison: &Comparison) -> Range<f64> {
    let first = comparison.rows.first().map_or(0, |row| row.time / SECOND);
    let last = comparison.rows.last().map_or(0, |row| row.time / SECOND);
    first as f64 / 60.0..last.max(first + 1) as f64 / 60.0
}

/// The answers of a series by stretch of market time, each stretch sorted.
fn stretches(comparison: &Comparison, series: &Series, span: &Range<f64>) -> Vec<(f64, Vec<f64>)> {
    let length = (span.end - span.start) / BUCKETS as f64;
    let mut stretches: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for (index, nanoseconds) in &series.answers {
        let Some(row) = comparison.rows.get(*index) else {
            continue;
        };
        let bucket = ((row.time as f64 / (60 * SECOND) as f64 - span.start) / length) as usize;
        stretches
            .entry(bucket.min(BUCKETS - 1))
            .or_default()
            .push(*nanoseconds);
    }
    let middle = |bucket: usize| span.start + (bucket as f64 + 0.5) * length;
    stretches
        .into_iter()
        .map(|(bucket, mut values)| {
            values.sort_by(f64::total_cmp);
            (middle(bucket), values)
        })
        .collect()
}

/// At most about a thousand of many sorted values, the hundred highest all of them.
fn thinned(values: &[f64]) -> impl Iterator<Item = (usize, f64)> {
    let step = (values.len() / 900).max(1);
    let tail = values.len().saturating_sub(100);
    values
        .iter()
        .copied()
        .enumerate()
        .filter(move |(index, _)| index % step == 0 || *index >= tail)
}

/// `64 ns`, `2.7 µs`, `1 ms`.
pub fn duration(nanoseconds: f64) -> String {
    let short = |value: f64, unit: &str| {
        let text = if value >= 100.0 || value.fract().abs() < 1e-9 {
            format!("{value:.0}")
        } else {
            format!("{value:.1}")
        };
        format!("{text} {unit}")
    };
    match nanoseconds {
        ns if ns < 1e3 => short(ns, "ns"),
        ns if ns < 1e6 => short(ns / 1e3, "µs"),
        ns => short(ns / 1e6, "ms"),
    }
}

fn clock(minutes: f64) -> String {
    let seconds = (minutes * 60.0).round() as u64 % 86_400;
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if second == 0 {
        format!("{hour:02}:{minute:02}")
    } else {
        format!("{hour:02}:{minute:02}:{second:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_as_people_write_them() {
        assert_eq!(
            [64.0, 2_700.0, 38_000.0, 1e6].map(duration),
            ["64 ns", "2.7 µs", "38 µs", "1 ms"]
        );
        assert_eq!([570.0, 570.5].map(clock), ["09:30", "09:30:30"]);
    }
}
