//! A gap: a packet that the leading line lost, and the later ones that are early until the gap closes.
//!
//! Time runs from where the lost packet would have ended on the leader. Later packets end at random, `early_per_cycle` of them; each is kept. The gap closes
//! - by the other line's *copy*, `closes_cycles` later (never, if that line lost it too),
//! - by *time*, `time_window_cycles` after the first of them ended,
//! - by *count*, with the end of the `count_window_packets`-th,
//!
//! whichever comes first. The number of ends within a time t is Poisson distributed with mean x = `early_per_cycle` · t; p(n, x) = e^(−x) xⁿ / n!, and
//! P(n, x) the probability of n or more.

/// One gap's figures. Times may be infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gap {
    /// Rate of the packets that are early.
    pub early_per_cycle: f64,
    /// From the end of the first.
    pub time_window_cycles: f64,
    /// So many are not kept any longer; at least 1.
    pub count_window_packets: u32,
    /// When the missing packet's copy has come.
    pub closes_cycles: f64,
}

/// What closed a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The other line.
    Copy,
    /// The time window.
    Time,
    /// The count window, or the line's room.
    Count,
}

/// One way in which a gap closes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closing {
    /// What closed it.
    pub cause: Cause,
    /// Packets kept at that time.
    pub kept: u32,
    /// Of this way.
    pub probability: f64,
}

impl Gap {
    /// All waits for one gap together, from each packet's end to the closing.
    ///
    /// It is the integral over time of the expected number kept. With r the rate, T the time window, c the count and S when the copy comes, n of 1 to c − 1 are kept
    /// - at a time t before T with p(n, rt): no time has run out yet; the integral to min(S, T) is P(n + 1, r min(S, T)) / r;
    /// - later, with e^(−r (t − T)) p(n, rT): none that ended more than T ago; from T to S that is p(n, rT) (1 − e^(−r (S − T))) / r.
    ///
    /// Unlimited count and S ≤ T: r S² / 2. No copy: T + r T² / 2. No copy, no time: c (c − 1) / (2 r).
    pub fn waiting_cycles(&self) -> f64 {
        let rate = self.early_per_cycle;
        let window = self.time_window_cycles;
        let early = rate * self.closes_cycles.min(window);
        let late = self.starts_in_time();
        let kept = 1..self.count_window_packets;
        let each = kept
            .map(|n| f64::from(n) * (at_least(n + 1, early) + late * exactly(n, rate * window)));
        each.sum::<f64>() / rate
    }

    /// Every way in which it closes. The probabilities sum up to 1.
    ///
    /// - Copy: n of 0 to c − 1 are kept at S with p(n, rS), or, if S > T, with e^(−r (S − T)) p(n, rT), as above.
    /// - Time: the first ended before S − T, 1 − e^(−r (S − T)), and n − 1 of 0 to c − 2 within T after it: p(n − 1, rT).
    /// - Count: c are kept; what remains.
    pub fn closings(&self) -> Vec<Closing> {
        let (rate, count) = (self.early_per_cycle, self.count_window_packets);
        let in_window = rate * self.time_window_cycles;
        let starts = self.starts_in_time();
        let mut closings = vec![];
        for kept in 0..count {
            let early = exactly(kept, rate * self.closes_cycles.min(self.time_window_cycles));
            closings.push(Closing {
                cause: Cause::Copy,
                kept,
                probability: early * (1.0 - starts),
            });
        }
        for kept in 1..count {
            closings.push(Closing {
                cause: Cause::Time,
                kept,
                probability: starts * exactly(kept - 1, in_window),
            });
        }
        let known: f64 = closings.iter().map(|closing| closing.probability).sum();
        closings.push(Closing {
            cause: Cause::Count,
            kept: count,
            probability: (1.0 - known).max(0.0),
        });
        closings
    }

    /// Expected number of packets that are early for it.
    pub fn kept(&self) -> f64 {
        let closings = self.closings();
        let each = closings
            .iter()
            .map(|closing| closing.probability * f64::from(closing.kept));
        each.sum()
    }

    /// Probability that the missing packet is given up.
    pub fn given_up(&self) -> f64 {
        let closings = self.closings();
        let copy = closings
            .iter()
            .filter(|closing| closing.cause == Cause::Copy);
        (1.0 - copy.map(|closing| closing.probability).sum::<f64>()).max(0.0)
    }

    /// Probability that the first ends early enough for its time to run out before the copy comes: 1 − e^(−r (S − T)).
    fn starts_in_time(&self) -> f64 {
        if self.closes_cycles > self.time_window_cycles {
            -(-self.early_per_cycle * (self.closes_cycles - self.time_window_cycles)).exp_m1()
        } else {
            0.0
        }
    }
}

/// p(n, mean).
fn exactly(n: u32, mean: f64) -> f64 {
    if mean.is_infinite() {
        return 0.0;
    }
    (1..=n).fold((-mean).exp(), |term, i| term * mean / f64::from(i))
}

/// P(n, mean).
fn at_least(n: u32, mean: f64) -> f64 {
    if mean < 1.0 {
        // This way no precision is lost to subtraction; the terms fall fast.
        (n..n + 20).map(|i| exactly(i, mean)).sum()
    } else {
        1.0 - (0..n).map(|i| exactly(i, mean)).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-9 * b.abs().max(1e-9)
    }

    const UNLIMITED: u32 = 200;

    #[test]
    fn without_limits_waits_are_half_the_square_of_the_skew_times_the_rate() {
        let gap = Gap {
            early_per_cycle: 0.01,
            time_window_cycles: 1_000.0,
            count_window_packets: UNLIMITED,
            closes_cycles: 600.0,
        };
        assert!(near(gap.waiting_cycles(), 0.01 * 600.0 * 600.0 / 2.0));
        assert!(near(gap.kept(), 6.0));
        assert!(gap.given_up() < 1e-12);
    }

    #[test]
    fn a_time_window_alone_holds_the_first_for_all_of_it_and_the_others_for_half() {
        let gap = Gap {
            early_per_cycle: 0.01,
            time_window_cycles: 1_000.0,
            count_window_packets: UNLIMITED,
            closes_cycles: f64::INFINITY,
        };
        assert!(near(gap.waiting_cycles(), 1_000.0 + 0.01 * 1e6 / 2.0));
        assert!(near(gap.kept(), 1.0 + 10.0));
        assert!(near(gap.given_up(), 1.0));
    }

    #[test]
    fn a_count_of_three_holds_the_first_for_two_gaps_and_the_second_for_one() {
        let gap = Gap {
            early_per_cycle: 0.01,
            time_window_cycles: f64::INFINITY,
            count_window_packets: 3,
            closes_cycles: f64::INFINITY,
        };
        assert!(near(gap.waiting_cycles(), 200.0 + 100.0));
        assert!(near(gap.kept(), 3.0));
    }

    #[test]
    fn a_count_of_one_makes_nothing_wait() {
        let gap = Gap {
            early_per_cycle: 0.01,
            time_window_cycles: 50.0,
            count_window_packets: 1,
            closes_cycles: 100.0,
        };
        assert_eq!(gap.waiting_cycles(), 0.0);
        // Given up as soon as one comes: 1 - e^-1.
        assert!(near(gap.given_up(), 0.632_120_558_828_557_7));
        assert!(near(gap.kept(), 0.632_120_558_828_557_7));
    }

    /// Two limits and a copy, by hand: r = 1, T = 1, c = 2, S = 2. One is kept from its end, at g (density e^-g), until g + 1, the next end (h, density e^-h
    /// after it) or 2. The expected wait after g < 1 is the integral of e^-h from 0 to 1, 1 - 1/e; after 1 < g < 2 it is 1 - e^-(2-g).
    /// So (1 - 1/e)² + the integral from 1 to 2 of e^-g - e^-2 = (1 - 1/e)² + 1/e - 2/e².
    #[test]
    fn time_count_and_copy_together() {
        let gap = Gap {
            early_per_cycle: 1.0,
            time_window_cycles: 1.0,
            count_window_packets: 2,
            closes_cycles: 2.0,
        };
        let e = std::f64::consts::E;
        let by_hand = (1.0 - 1.0 / e).powi(2) + 1.0 / e - 2.0 / (e * e);
        assert!(near(gap.waiting_cycles(), by_hand));
        // Not given up: none ended, e^-2, or one between 1 and 2 and none after it, e^-2.
        assert!(near(gap.given_up(), 1.0 - 2.0 / (e * e)));
        let closings = gap.closings();
        let probability: f64 = closings.iter().map(|closing| closing.probability).sum();
        assert!(near(probability, 1.0));
        // By time: the first before 1, none within 1 after it.
        let time = closings
            .iter()
            .find(|closing| closing.cause == Cause::Time)
            .unwrap();
        assert!(near(time.probability, (1.0 - 1.0 / e) / e));
    }

    #[test]
    fn rare_packets_lose_no_digits() {
        // P(2, 1e-6) = 1e-12 / 2, to the first order.
        assert!((at_least(2, 1e-6) / 5e-13 - 1.0).abs() < 1e-5);
    }
}
