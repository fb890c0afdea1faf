//! Expected and worst-case delay over the message rate, a pair of lines a window mode.

use std::path::Path;

use arbiter::{Mode, Window};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use report::chart::{Failure, INK, axes, draw, duration, label};

use super::{Prediction, Setting};
use crate::Error;

/// Times the 1x rate: what the plot goes over.
const FACTORS: std::ops::RangeInclusive<f64> = 0.1..=1_000.0;
const POINTS: u32 = 40;
/// Widest first: where modes agree, all stay visible.
const MODES: [(Mode, &str, RGBColor, u32); 3] = [
    (
        Mode::TimeAndCount,
        "time & count",
        RGBColor(0xca, 0x8a, 0x04),
        7,
    ),
    (Mode::Time, "time", RGBColor(0x0f, 0x76, 0x6e), 4),
    (Mode::Count, "count", RGBColor(0x7c, 0x3a, 0xed), 2),
];

/// A mode's figures, by rate: as far as the line can carry them.
struct Curve {
    name: &'static str,
    colour: RGBColor,
    width: u32,
    points: Vec<Prediction>,
    saturation_packets_per_second: f64,
}

/// Writes the plot.
///
/// # Errors
/// It cannot be drawn, or the file not be written.
pub fn write(setting: &Setting, path: &Path) -> Result<(), Error> {
    let svg = svg(setting).map_err(|cause| Error::Write {
        path: path.to_owned(),
        cause: std::io::Error::other(cause),
    })?;
    report::write(path, svg.as_bytes())
}

/// The plot, as SVG; the setting's own mode does not matter.
///
/// # Errors
/// It cannot be drawn.
pub fn svg(setting: &Setting) -> Result<String, Failure> {
    let curves = MODES.map(|(mode, name, colour, width)| curve(setting, mode, name, colour, width));
    let rates =
        FACTORS.start() * setting.packets_per_second..FACTORS.end() * setting.packets_per_second;
    let delays = curves
        .iter()
        .flat_map(|curve| &curve.points)
        .flat_map(|point| {
            [
                point.high_reliability.expected_nanoseconds,
                point.worst_case_delay_nanoseconds,
            ]
        });
    let (least, most) = delays.fold((f64::MAX, 1.0_f64), |(least, most), delay| {
        (least.min(delay), most.max(delay))
    });
    let decade = |value: f64, up: f64| 10_f64.powf((value.log10() + up).floor());
    let delays = decade(least, 0.0)..decade(most, 1.0);
    draw(460, |area| {
        let mut chart = ChartBuilder::on(&area)
            .margin(12)
            .margin_top(56)
            .margin_right(28)
            .x_label_area_size(44)
            .y_label_area_size(72)
            .build_cartesian_2d(rates.clone().log_scale(), delays.clone().log_scale())?;
        axes!(chart)
            .x_label_formatter(&|rate| times(*rate / setting.packets_per_second))
            .y_label_formatter(&|delay| duration(*delay))
            .x_desc(format!(
                "packets a second, 1x = {}",
                setting.packets_per_second
            ))
            .y_desc("delay")
            .draw()?;
        for curve in &curves {
            let line = |delay: fn(&Prediction) -> f64| {
                curve
                    .points
                    .iter()
                    .map(move |point| (point.packets_per_second, delay(point)))
            };
            let worst = line(|point| point.worst_case_delay_nanoseconds);
            chart.draw_series(LineSeries::new(
                worst,
                curve.colour.stroke_width(curve.width),
            ))?;
            let expected = line(|point| point.high_reliability.expected_nanoseconds);
            chart.draw_series(DashedLineSeries::new(
                expected,
                12,
                8,
                curve.colour.stroke_width(curve.width.min(4)),
            ))?;
        }
        for (index, curve) in curves.iter().enumerate() {
            let x = 90 + 150 * index as i32;
            area.draw(&PathElement::new(
                [(x, 18), (x + 28, 18)],
                curve.colour.stroke_width(curve.width),
            ))?;
            area.draw_text(
                curve.name,
                &label().pos(Pos::new(HPos::Left, VPos::Center)),
                (x + 36, 18),
            )?;
            let limit = curve.saturation_packets_per_second;
            if rates.contains(&limit) {
                let ends = [(limit, delays.start), (limit, delays.end)];
                chart.draw_series(DashedLineSeries::new(
                    ends,
                    2,
                    4,
                    curve.colour.stroke_width(curve.width.min(4)),
                ))?;
                let (x, y) = chart.backend_coord(&(limit, delays.end));
                let style = label()
                    .color(&curve.colour)
                    .pos(Pos::new(HPos::Center, VPos::Bottom));
                area.draw_text(
                    &format!("full at {}", times(limit / setting.packets_per_second)),
                    &style,
                    (x, y - 3 - 15 * (index as i32 % 2)),
                )?;
            }
        }
        let style = label().color(&INK).pos(Pos::new(HPos::Left, VPos::Center));
        area.draw_text(
            "solid: worst case; dashed: expected, all packets; dotted: saturation",
            &style,
            (540, 18),
        )?;
        Ok(())
    })
}

fn curve(setting: &Setting, mode: Mode, name: &'static str, colour: RGBColor, width: u32) -> Curve {
    let setting = Setting {
        window: Window {
            mode,
            ..setting.window
        },
        ..*setting
    };
    let decades = (FACTORS.end() / FACTORS.start()).log10();
    let factor =
        |point: u32| FACTORS.start() * 10_f64.powf(decades * f64::from(point) / f64::from(POINTS));
    let points = (0..=POINTS).map(|point| setting.at(factor(point)));
    Curve {
        name,
        colour,
        width,
        points: points.filter(|point| point.line_load <= 1.0).collect(),
        saturation_packets_per_second: setting.saturation_packets_per_second(),
    }
}

/// `0.1x`, `7.6x`, `100x`.
fn times(factor: f64) -> String {
    let digits = usize::from(factor < 9.95 && (factor - factor.round()).abs() > 0.01);
    format!("{factor:.digits$}x")
}

#[cfg(test)]
mod tests {
    use arbiter::Protocol;

    use super::*;

    #[test]
    fn the_plot_shows_each_mode_and_where_it_saturates() {
        let mut setting = Setting::new(Protocol::MOLD_UDP64, 64);
        setting.window = Window {
            mode: Mode::Time,
            time: 1_000_000,
            count: 4,
        };
        let svg = svg(&setting).unwrap();
        // 8 packets in 1 ms + 8 * 7.2 us + 16 * 6.4 ns: 7,564 a second. With 4 counted, 4 in 57.7 us: 69,321.
        for text in ["time &amp; count", "full at 7.6x", "full at 69x"] {
            assert!(svg.contains(text), "{text}");
        }
    }

    #[test]
    fn what_a_line_cannot_carry_is_not_drawn() {
        // 166 bytes a frame at 1 Gb/s: at most 753,012 a second; points are a tenth of a decade apart.
        let setting = Setting::new(Protocol::MOLD_UDP64, 8);
        let curve = curve(&setting, Mode::Time, "", INK, 1);
        let last = curve.points.last().unwrap();
        assert!(last.packets_per_second < 753_013.0 && last.packets_per_second > 753_012.0 / 1.26);
    }

    #[test]
    fn factors_read_as_people_write_them() {
        assert_eq!(
            [0.1, 1.0, 7.56, 69.3, 1e3].map(times),
            ["0.1x", "1x", "7.6x", "69x", "1000x"]
        );
    }
}
