//! A latency distribution: never a mean alone.

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

/// Latencies, in one unit. Percentiles to three significant digits, the rest exact.
#[derive(Clone, Debug)]
pub struct Distribution {
    histogram: Histogram<u64>,
    sum: f64,
    squares: f64,
    minimum: u64,
    maximum: u64,
}

/// The figures of a [`Distribution`], in its unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Values.
    pub count: u64,
    /// Least.
    pub min: f64,
    /// Mean.
    pub mean: f64,
    /// Median.
    pub p50: f64,
    /// 95th percentile.
    pub p95: f64,
    /// 97th percentile.
    pub p97: f64,
    /// 99th percentile.
    pub p99: f64,
    /// 99.9th percentile.
    pub p999: f64,
    /// Greatest.
    pub max: f64,
    /// Standard deviation of the population.
    pub sd: f64,
}

impl Summary {
    /// In another unit.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Summary {
            count: self.count,
            min: self.min * factor,
            mean: self.mean * factor,
            p50: self.p50 * factor,
            p95: self.p95 * factor,
            p97: self.p97 * factor,
            p99: self.p99 * factor,
            p999: self.p999 * factor,
            max: self.max * factor,
            sd: self.sd * factor,
        }
    }
}

impl Default for Distribution {
    fn default() -> Self {
        // Three digits is a precision the histogram has.
        let histogram = Histogram::new(3).expect("three significant digits");
        Distribution {
            histogram,
            sum: 0.0,
            squares: 0.0,
            minimum: u64::MAX,
            maximum: 0,
        }
    }
}

impl Distribution {
    /// Adds a value.
    pub fn add(&mut self, value: u64) {
        // It grows with its values: recording fails only past 2^60.
        let _ = self.histogram.record(value);
        self.sum += value as f64;
        self.squares += (value as f64).powi(2);
        self.minimum = self.minimum.min(value);
        self.maximum = self.maximum.max(value);
    }

    /// Its figures; all 0 where it is empty.
    pub fn summary(&self) -> Summary {
        let count = self.histogram.len();
        if count == 0 {
            return Summary::default();
        }
        // A percentile of the histogram is a bucket's end: never beyond what was seen.
        let at = |quantile| {
            self.histogram
                .value_at_quantile(quantile)
                .clamp(self.minimum, self.maximum) as f64
        };
        let mean = self.sum / count as f64;
        Summary {
            count,
            min: self.minimum as f64,
            mean,
            p50: at(0.5),
            p95: at(0.95),
            p97: at(0.97),
            p99: at(0.99),
            p999: at(0.999),
            max: self.maximum as f64,
            sd: (self.squares / count as f64 - mean * mean).max(0.0).sqrt(),
        }
    }
}

impl FromIterator<u64> for Distribution {
    fn from_iter<I: IntoIterator<Item = u64>>(values: I) -> Self {
        let mut distribution = Distribution::default();
        values.into_iter().for_each(|value| distribution.add(value));
        distribution
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thousand_numbers_have_the_figures_a_pencil_gives() {
        let summary = (1..=1000).collect::<Distribution>().summary();
        assert_eq!(
            (summary.count, summary.min, summary.max, summary.mean),
            (1000, 1.0, 1000.0, 500.5)
        );
        assert_eq!(
            (
                summary.p50,
                summary.p95,
                summary.p97,
                summary.p99,
                summary.p999
            ),
            (500.0, 950.0, 970.0, 990.0, 999.0)
        );
        // The variance of 1 to n is (n^2 - 1) / 12.
        assert!((summary.sd - (999_999.0_f64 / 12.0).sqrt()).abs() < 1e-6);
    }

    #[test]
    fn equal_values_have_no_spread() {
        let summary = std::iter::repeat_n(12_345_678, 50)
            .collect::<Distribution>()
            .summary();
        assert_eq!(
            (
                summary.min,
                summary.p50,
                summary.p999,
                summary.max,
                summary.sd
            ),
            (12_345_678.0, 12_345_678.0, 12_345_678.0, 12_345_678.0, 0.0)
        );
    }

    #[test]
    fn great_values_keep_their_percentiles() {
        let summary = [1_000, 1_000_000_000, 2_000_000_000]
            .into_iter()
            .collect::<Distribution>()
            .summary();
        assert!((summary.p50 / 1e9 - 1.0).abs() < 0.001, "{}", summary.p50);
        assert!((summary.p99 / 2e9 - 1.0).abs() < 0.001, "{}", summary.p99);
    }

    #[test]
    fn nothing_is_all_zeros() {
        assert_eq!(Distribution::default().summary(), Summary::default());
    }
}
