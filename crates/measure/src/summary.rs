//! A distribution in the figures that the field compares: never a mean alone.

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

/// Significant decimal digits that the histogram keeps.
const DIGITS: u8 = 4;

/// A distribution of latencies. The unit is that of the values it was made from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// How many values.
    pub count: u64,
    /// The smallest.
    pub min: f64,
    /// The mean.
    pub mean: f64,
    /// Half are at or below.
    pub p50: f64,
    /// 95 in 100 are at or below.
    pub p95: f64,
    /// 99 in 100 are at or below.
    pub p99: f64,
    /// 999 in 1,000 are at or below.
    pub p99_9: f64,
    /// The largest.
    pub max: f64,
    /// Standard deviation.
    pub sd: f64,
}

impl Summary {
    /// Summarizes values, e.g. nanoseconds; all zero for none. Percentiles are exact to four digits (HdrHistogram).
    pub fn of(values: impl IntoIterator<Item = u64>) -> Self {
        // From 1 to the largest u64 always fits: growing is on, and the digits are in range.
        let Ok(mut histogram) = Histogram::<u64>::new(DIGITS) else { return Summary::default() };
        for value in values {
            histogram.saturating_record(value);
        }
        if histogram.is_empty() {
            return Summary::default();
        }
        let at = |quantile: f64| histogram.value_at_quantile(quantile) as f64;
        Summary {
            count: histogram.len(),
            min: histogram.min() as f64,
            mean: histogram.mean(),
            p50: at(0.5),
            p95: at(0.95),
            p99: at(0.99),
            p99_9: at(0.999),
            max: histogram.max() as f64,
            sd: histogram.stdev(),
        }
    }

    /// All values times `factor`: another unit.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Summary {
            count: self.count,
            min: self.min * factor,
            mean: self.mean * factor,
            p50: self.p50 * factor,
            p95: self.p95 * factor,
            p99: self.p99 * factor,
            p99_9: self.p99_9 * factor,
            max: self.max * factor,
            sd: self.sd * factor,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_of_one_to_a_thousand() {
        let summary = Summary::of(1..=1_000);
        assert_eq!((summary.count, summary.min, summary.max), (1_000, 1.0, 1_000.0));
        assert_eq!((summary.p50, summary.p95, summary.p99, summary.p99_9), (500.0, 950.0, 990.0, 999.0));
        assert!((summary.mean - 500.5).abs() < 0.5);
        // Of a uniform distribution: the square root of (n² − 1) / 12.
        assert!((summary.sd - 288.67).abs() < 0.5, "{}", summary.sd);
    }

    #[test]
    fn a_single_number_has_no_spread() {
        let summary = Summary::of([12; 50]);
        assert_eq!((summary.min, summary.p50, summary.max, summary.sd), (12.0, 12.0, 12.0, 0.0));
    }

    #[test]
    fn nothing_summarizes_to_zeros_and_units_scale() {
        assert_eq!(Summary::of([]), Summary::default());
        let scaled = Summary::of([10, 20]).scaled(6.4);
        assert!((scaled.min - 64.0).abs() < 1e-9 && (scaled.max - 128.0).abs() < 1e-9 && scaled.count == 2);
    }
}
