//! What an order's latency costs, as a picture.

use std::path::Path;

use plotters::prelude::*;

use crate::Error;
use crate::chart::{Failure, axes, draw};

const COLOUR: RGBColor = RGBColor(0x0f, 0x76, 0x6e);

/// A latency in the largest unit in which it is whole: `100 ns`, `10 µs`.
pub fn time(nanoseconds: u64) -> String {
    match nanoseconds {
        0 => "0".to_owned(),
        ns if ns % 1_000_000_000 == 0 => format!("{} s", ns / 1_000_000_000),
        ns if ns % 1_000_000 == 0 => format!("{} ms", ns / 1_000_000),
        ns if ns % 1_000 == 0 => format!("{} µs", ns / 1_000),
        ns => format!("{ns} ns"),
    }
}

/// Draws profits, in the currency of the prices, against latencies, by their names, in the order in which they are given, and writes them as SVG.
///
/// # Errors
/// The file cannot be written; the picture cannot be drawn.
pub fn write(points: &[(String, f64)], path: &Path) -> Result<(), Error> {
    let svg = chart(points).map_err(|failure| Error::Orders(failure.to_string()))?;
    crate::write(path, svg.as_bytes())
}

pub(crate) fn chart(points: &[(String, f64)]) -> Result<String, Failure> {
    let profits = || points.iter().map(|(_, profit)| *profit);
    let (least, most) = (profits().fold(0.0, f64::min), profits().fold(0.0, f64::max));
    let room = ((most - least) * 0.1).max(1.0);
    let last = points.len().saturating_sub(1).max(1) as f64;
    draw(360, |area| {
        let mut chart = ChartBuilder::on(&area)
            .margin(12)
            .margin_right(40)
            .x_label_area_size(44)
            .y_label_area_size(96)
            .build_cartesian_2d(-0.2..last + 0.2, least - room..most + room)?;
        let name = |place: &f64| match place.fract().abs() < 1e-6 {
            true => points
                .get(*place as usize)
                .map_or_else(String::new, |(name, _)| name.clone()),
            false => String::new(),
        };
        axes!(chart)
            .x_labels(points.len())
            .x_label_formatter(&name)
            .y_label_formatter(&|profit| format!("{profit:.0}"))
            .x_desc("from the decision to the market")
            .y_desc("profit")
            .draw()?;
        let placed = || {
            (0_u32..)
                .zip(points)
                .map(|(place, (_, profit))| (f64::from(place), *profit))
        };
        chart.draw_series(LineSeries::new(placed(), COLOUR.stroke_width(3)))?;
        chart.draw_series(placed().map(|at| Circle::new(at, 5, COLOUR.filled())))?;
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_latency_is_named_in_the_unit_in_which_it_is_whole() {
        let times = [0, 100, 1_000, 1_500, 10_000, 2_000_000, 3_000_000_000];
        let names = ["0", "100 ns", "1 µs", "1500 ns", "10 µs", "2 ms", "3 s"];
        assert_eq!(times.map(time), names);
    }

    #[test]
    fn each_latency_is_named_below_its_point_and_losses_are_drawn_too() {
        let points = [(0, 120.0), (1_000, -40.0), (10_000, -900.5)];
        let points = points.map(|(ns, profit)| (time(ns), profit));
        let svg = chart(&points).unwrap();
        for part in ["1 µs", "10 µs", "from the decision to the market"] {
            assert!(svg.contains(part), "{part}");
        }
        assert_eq!(svg.matches("<circle").count(), 3);
    }
}
