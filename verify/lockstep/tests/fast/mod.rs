//! The FAST engine of `rtl/decoder/fast` against the software decoder.

mod byte_vectors;
mod common;
mod core_events;
mod core_ring;
mod deltas;
mod events;
mod feeds;
mod feeds_bench;
mod latency;
mod levels;
mod order_log;
mod random;
mod recorded;
mod references;
mod ring;
mod stops;
mod tails;
mod trader;
mod vectors;

use lockstep::fast as fast_sim;
