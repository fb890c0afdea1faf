//! What a network does to the packets of a line, by chance, seeded.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Probabilities of what happens to a packet; one thing at most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impairment {
    /// It is not sent.
    pub loss: f64,
    /// It is sent twice.
    pub duplication: f64,
    /// It is held back and sent after later ones.
    pub reordering: f64,
    /// How many later packets pass one that is held back; 0 means 1. One packet at a time is held.
    pub distance: u32,
    /// Of the random numbers. The same seed and packets give the same result, whatever the other probabilities of the line.
    pub seed: u64,
}

impl Default for Impairment {
    fn default() -> Self {
        Self {
            loss: 0.0,
            duplication: 0.0,
            reordering: 0.0,
            distance: 1,
            seed: 0,
        }
    }
}

impl Impairment {
    pub(super) fn is_valid(&self) -> bool {
        [self.loss, self.duplication, self.reordering]
            .iter()
            .all(|p| (0.0..=1.0).contains(p))
    }

    fn is_none(&self) -> bool {
        self.loss == 0.0 && self.duplication == 0.0 && self.reordering == 0.0
    }
}

/// What happened on a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineCounters {
    /// Packets that were to be sent.
    pub offered: u64,
    /// Packets that were sent: offered − lost + duplicated.
    pub sent: u64,
    /// Bytes of UDP payload sent.
    pub bytes: u64,
    /// Packets not sent.
    pub lost: u64,
    /// Packets sent twice.
    pub duplicated: u64,
    /// Packets sent after at least one later packet.
    pub reordered: u64,
}

/// Does to the packets of a line what an [`Impairment`] says.
#[derive(Debug)]
pub struct Impairer {
    impairment: Impairment,
    random: ChaCha8Rng,
    held: Vec<u8>,
    /// Packets that are still to pass the held one; 0: none is held.
    wait: u32,
    passed: bool,
    counters: LineCounters,
}

impl Impairer {
    /// A line that has sent nothing.
    pub fn new(impairment: Impairment) -> Self {
        let random = ChaCha8Rng::seed_from_u64(impairment.seed);
        Self {
            impairment,
            random,
            held: Vec::new(),
            wait: 0,
            passed: false,
            counters: LineCounters::default(),
        }
    }

    /// What happened so far.
    pub fn counters(&self) -> LineCounters {
        self.counters
    }

    /// Takes a packet, and sends it, or others, or nothing.
    ///
    /// # Errors
    /// Those of `send`.
    pub fn pass<E>(
        &mut self,
        payload: &[u8],
        send: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.counters.offered += 1;
        if self.impairment.is_none() {
            return self.send(payload, send);
        }
        // Three random numbers a packet, whatever becomes of it: one probability does not change the results of the others.
        let [loss, duplication, reordering] = std::array::from_fn(|_| self.random.random::<f64>());
        if loss < self.impairment.loss {
            self.counters.lost += 1;
            return Ok(());
        }
        if duplication < self.impairment.duplication {
            self.counters.duplicated += 1;
            self.send(payload, send)?;
            self.send(payload, send)?;
        } else if self.wait == 0 && reordering < self.impairment.reordering {
            self.held.clear();
            self.held.extend_from_slice(payload);
            self.wait = self.impairment.distance.max(1);
            self.passed = false;
            return Ok(());
        } else {
            self.send(payload, send)?;
        }
        if self.wait > 0 {
            self.passed = true;
            self.wait -= 1;
            if self.wait == 0 {
                self.send_held(send)?;
            }
        }
        Ok(())
    }

    /// Sends what is still held.
    ///
    /// # Errors
    /// Those of `send`.
    pub fn flush<E>(&mut self, send: &mut impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        if self.wait == 0 {
            return Ok(());
        }
        self.wait = 0;
        self.send_held(send)
    }

    fn send_held<E>(&mut self, send: &mut impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        self.counters.reordered += u64::from(self.passed);
        let held = std::mem::take(&mut self.held);
        let sent = self.send(&held, send);
        self.held = held;
        sent
    }

    fn send<E>(
        &mut self,
        payload: &[u8],
        send: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        send(payload)?;
        self.counters.sent += 1;
        self.counters.bytes += payload.len() as u64;
        Ok(())
    }
}
