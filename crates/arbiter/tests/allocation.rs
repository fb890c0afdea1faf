//! The arbiter allocates nothing once it is built, whatever happens on its lines.

use arbiter::{Arbiter, Config, Delivery, Event, Protocol, Sink};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[derive(Default)]
struct Counted {
    packets: u64,
    events: u64,
}

impl Sink for Counted {
    fn packet(&mut self, _: Delivery<'_>) {
        self.packets += 1;
    }

    fn event(&mut self, _: Event) {
        self.events += 1;
    }
}

#[test]
fn nothing_is_allocated_after_construction() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut arbiter = Arbiter::new(Config::new(Protocol::MOEX)).unwrap();
    let mut counted = Counted::default();
    let mut packet = [0; 9_000];
    let allocated = allocation_counter::measure(|| {
        for index in 0..100_000_u32 {
            let session = if index < 60_000 { 0 } else { 1 << 30 };
            let number = session + (index / 2).saturating_sub(random.random_range(0..6));
            packet[..4].copy_from_slice(&number.to_le_bytes());
            let (line, length) = (random.random_range(0..3), random.random_range(0..2_000));
            let now = u64::from(index) * random.random_range(100_000..100_100);
            let good = !random.random_bool(0.05);
            arbiter.push(line, now, &packet[..length], good, &mut counted);
        }
        arbiter.flush(u64::MAX, &mut counted);
    });
    let counters = arbiter.counters();
    assert!(counted.packets > 50_000 && counted.events > 1_000);
    assert!(counters.store[0].forced > 0 && counters.session_reset == 1);
    assert_eq!(allocated.count_total, 0);
}
