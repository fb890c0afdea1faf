//! The options of what a network does to a feed.

use clap::Args;
use feed::replay::Impairment;

use crate::commands::replay::probability;

#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Impairment of the feed, on each line by itself")]
pub struct ImpairmentOptions {
    /// Probability that a packet is not sent
    #[arg(long, value_name = "P", default_value_t = 0.0, value_parser = probability)]
    loss: f64,
    /// Probability that a packet is sent twice
    #[arg(long, value_name = "P", default_value_t = 0.0, value_parser = probability)]
    duplicate: f64,
    /// Probability that a packet is held back
    #[arg(long, value_name = "P", default_value_t = 0.0, value_parser = probability)]
    reorder: f64,
    /// How many later packets pass one that is held back
    #[arg(long, value_name = "PACKETS", default_value_t = 1)]
    reorder_distance: u32,
    /// Seed of the random choices: the same seed, the same packets
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl ImpairmentOptions {
    /// Each line has its own random numbers.
    pub fn on_line(&self, line: u64) -> Impairment {
        Impairment {
            loss: self.loss,
            duplication: self.duplicate,
            reordering: self.reorder,
            distance: self.reorder_distance,
            seed: self.seed.wrapping_mul(2).wrapping_add(line),
        }
    }
}
