//! The charts of the tick-to-trade report, as SVG.

use std::ops::Range;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::{PUBLISHED, Series, TradingComparison};
use crate::chart::{Failure, GREY, INK, LINES, axes, draw, duration, label};
use crate::packets::Packets;

const COLOURS: [RGBColor; 6] = [
    RGBColor(0x0f, 0x76, 0x6e),
    RGBColor(0xea, 0x58, 0x0c),
    RGBColor(0x7c, 0x3a, 0xed),
    RGBColor(0xdb, 0x27, 0x77),
    RGBColor(0xca, 0x8a, 0x04),
    RGBColor(0x47, 0x55, 0x69),
];
/// Pixels of a bar and the space after it.
const BAR: u32 = 56;

/// The colour of each series, in order.
pub fn colours(series: &[Series]) -> impl Iterator<Item = RGBColor> {
    COLOURS.into_iter().cycle().take(series.len())
}

/// Share of orders whose first byte was out by a time.
pub fn distribution(comparison: &TradingComparison) -> Result<String, Failure> {
    draw(380, |area| {
        let mut chart = ChartBuilder::on(&area)
            .margin(12)
            .margin_right(40)
            .margin_top(26)
            .x_label_area_size(44)
            .y_label_area_size(64)
            .build_cartesian_2d(span(comparison).log_scale(), 0.0..101.0)?;
        axes!(chart)
            .x_label_formatter(&|ns| duration(*ns))
            .y_label_formatter(&|percent| format!("{percent:.0} %"))
            .x_desc("last byte in → first byte out")
            .y_desc("orders out by then")
            .draw()?;
        for (_, values) in PUBLISHED {
            let mean = f64::from(values[1]);
            let line = [(mean, 0.0), (mean, 101.0)];
            chart.draw_series(DashedLineSeries::new(line, 5, 4, GREY.stroke_width(1)))?;
        }
        for (series, colour) in comparison.series.iter().zip(colours(&comparison.series)) {
            let mut values = series.order_ns();
            values.sort_by(f64::total_cmp);
            let share = 100.0 / values.len().max(1) as f64;
            let mut steps = vec![];
            for (index, value) in values.into_iter().enumerate() {
                steps.push((value, index as f64 * share));
                steps.push((value, (index + 1) as f64 * share));
            }
            chart.draw_series(LineSeries::new(steps, colour.stroke_width(3)))?;
        }
        Ok(())
    })
}

/// A point an order, by the entries of its packet.
pub fn over_entries(comparison: &TradingComparison, packets: &Packets) -> Result<String, Failure> {
    let entries: Vec<f64> = packets
        .iter()
        .map(|packet| f64::from(packet.messages.max(1)))
        .collect();
    let most = entries.iter().copied().fold(2.0, f64::max);
    draw(380, |area| {
        let mut chart = ChartBuilder::on(&area)
            .margin(12)
            .margin_right(40)
            .x_label_area_size(44)
            .y_label_area_size(64)
            .build_cartesian_2d((0.9..most * 1.2).log_scale(), span(comparison).log_scale())?;
        axes!(chart)
            .x_label_formatter(&|entries| format!("{entries:.0}"))
            .y_label_formatter(&|ns| duration(*ns))
            .x_desc("entries of the packet")
            .draw()?;
        for (series, colour) in comparison.series.iter().zip(colours(&comparison.series)) {
            let of = series.orders.keys().zip(series.order_ns());
            chart.draw_series(of.filter_map(|(packet, ns)| {
                let at = (*entries.get(*packet)?, ns);
                Some(Circle::new(at, 3, colour.mix(0.6).filled()))
            }))?;
        }
        Ok(())
    })
}

/// A bar a core: its mean cycles, stage by stage.
pub fn stages(comparison: &TradingComparison) -> Result<String, Failure> {
    let bars: Vec<_> = comparison
        .series
        .iter()
        .filter_map(|series| Some((series, series.stages.as_ref()?)))
        .collect();
    let length = |(_, stages): &(&Series, &super::StageSummaries)| {
        let cycles: f64 = stages.in_order().map(|(_, _, cycles)| cycles.mean).sum();
        cycles
    };
    let longest = bars.iter().map(length).fold(1.0, f64::max);
    let top = 16_i32;
    draw(BAR * (bars.len() as u32 + 1), |area| {
        let (width, _) = area.dim_in_pixel();
        let pixels = (f64::from(width) - 40.0) / longest;
        for (place, (series, stages)) in (0_i32..).zip(&bars) {
            let y = top + place * BAR as i32;
            area.draw_text(&series.label, &label(), (20, y))?;
            let mut at = 20.0;
            for ((_, _, cycles), colour) in stages.in_order().zip(LINES) {
                let end = at + cycles.mean * pixels;
                let corners = [(at as i32, y + 18), (end as i32, y + 42)];
                area.draw(&Rectangle::new(corners, colour.filled()))?;
                if end - at > 24.0 {
                    let centre = Pos::new(HPos::Center, VPos::Center);
                    let white = label().color(&WHITE).pos(centre);
                    let text = format!("{:.0}", cycles.mean);
                    area.draw_text(&text, &white, (((at + end) / 2.0) as i32, y + 30))?;
                }
                at = end;
            }
        }
        // Which colour is which stage.
        let (mut x, y) = (20, top + bars.len() as i32 * BAR as i32 + 8);
        for ((name, _, _), colour) in super::stages::STAGES.iter().zip(LINES) {
            area.draw(&Rectangle::new([(x, y), (x + 12, y + 12)], colour.filled()))?;
            area.draw_text(name, &label().color(&INK), (x + 18, y))?;
            x += 120;
        }
        Ok(())
    })
}

/// From a decade below the least to one above the greatest, the published means included, in nanoseconds.
fn span(comparison: &TradingComparison) -> Range<f64> {
    let values = || comparison.series.iter().flat_map(Series::order_ns);
    let least = values().fold(100.0, f64::min).max(1.0);
    let most = values().fold(10_000.0, f64::max);
    10_f64.powf(least.log10().floor())..10_f64.powf(most.log10().ceil())
}
