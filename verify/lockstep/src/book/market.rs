//! Files of ITCH messages, through both books: every message, in frames of random size.

use book::{Book, Limits};
use formats::itch::Version;
use formats::{Event, Kind, Side, Symbol, binary_file};
use instrument::{Locates, Table};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Design, INSTRUMENTS, Lockstep, Spacing, Stats, Window};

/// Tick size of shares, in 1/10,000 dollar.
const TICK: i64 = 100;

/// What is done with the messages.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Of sizes and pauses.
    pub seed: u64,
    /// Messages of a frame, at most.
    pub frame: usize,
    /// Every so many frames one is given with a bad verdict first.
    pub bad_every: u64,
    /// How far apart the messages of a frame are.
    pub spacing: Spacing,
    /// The host rebuilds the first instrument once, in the middle, while the feed goes on.
    pub rebuilds: bool,
}

/// What became of it.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What was done and compared.
    pub stats: Stats,
    /// Messages in the file.
    pub messages: u64,
    /// Orders left at the end.
    pub orders: u32,
    /// Levels left at the end, bids and asks, of each instrument.
    pub levels: Vec<[usize; 2]>,
}

/// The events of a BinaryFILE, as decoder and instrument table give them: the instruments are these symbols.
pub fn events(version: Version, file: &[u8], symbols: &[Option<Symbol>]) -> Vec<Event> {
    let (table, mut locates) = (Table::of_feed(symbols), Locates::new(symbols.len()));
    let messages = binary_file::Messages::new(file).map_while(Result::ok);
    let event = |message| decoder::itch::event(version, message, 0, 0, false).ok();
    messages
        .filter_map(event)
        .map(|event| locates.resolve(&table, &event))
        .collect()
}

/// For each instrument a window around the middle one of the prices at which orders enter.
fn windows(events: &[Event]) -> Vec<(usize, Window)> {
    let mut prices = vec![vec![]; INSTRUMENTS];
    for event in events.iter().filter(|event| event.kind == Kind::Add) {
        let instrument = event.instrument.map(usize::from);
        if let Some(prices) = instrument.and_then(|instrument| prices.get_mut(instrument)) {
            prices.push(event.price);
        }
    }
    let all = prices.iter_mut().enumerate();
    all.filter(|(_, prices)| !prices.is_empty())
        .map(|(instrument, prices)| {
            let middle = prices.len() / 2;
            let (_, price, _) = prices.select_nth_unstable(middle);
            (instrument, Window::around(*price, TICK))
        })
        .collect()
}

/// All events through both, to the end; then every line is shown, and every order deleted, so that each level is the best one once.
///
/// # Errors
/// The first difference, in words.
pub fn run(
    design: Design,
    events: &[Event],
    setting: Setting,
    mut progress: impl FnMut(u64),
) -> Result<Outcome, String> {
    let mut lockstep = Lockstep::new(design, setting.seed);
    let mut random = ChaCha8Rng::seed_from_u64(setting.seed);
    let windows = windows(events);
    for (instrument, window) in &windows {
        lockstep.open(*instrument, *window);
    }
    let instruments = || windows.iter().map(|(instrument, _)| *instrument);
    // What the feed says, without limits: the host's snapshots are of it.
    let mut feed = Book::new(INSTRUMENTS, Limits::UNLIMITED);
    let (mut at, mut frames) = (0, 0);
    let mut rebuilds = setting.rebuilds.then(|| instruments().next()).flatten();
    while at < events.len() && lockstep.failure().is_none() {
        let count = random
            .random_range(1..=setting.frame)
            .min(events.len() - at);
        let frame = &events[at..at + count];
        frames += 1;
        if setting.bad_every > 0 && frames % setting.bad_every == 0 {
            lockstep.frame(frame, false, setting.spacing);
        }
        lockstep.frame(frame, true, setting.spacing);
        for event in frame {
            feed.apply(event);
        }
        feed.verdict(true);
        at += count;
        if let Some(instrument) = rebuilds
            && at > events.len() / 2
        {
            if !lockstep.waits() && lockstep.is_tradable(instrument) {
                lockstep.clear(instrument);
            } else if !lockstep.waits() {
                rebuild(&mut lockstep, &feed, instrument);
                rebuilds = None;
            }
        }
        if frames.is_multiple_of(256) {
            progress(at as u64);
        }
    }
    lockstep.settle();
    lockstep.show(instruments());
    let orders = lockstep.book().orders();
    let levels = |instrument| [Side::Buy, Side::Sell].map(|s| lockstep.level_count(instrument, s));
    let levels = instruments().map(levels).collect();
    lockstep.drain(instruments());
    lockstep.settle();
    lockstep.show(instruments());
    if let Some(text) = lockstep.failure() {
        return Err(format!("{design:?}, {setting:?}, {text}"));
    }
    Ok(Outcome {
        stats: lockstep.stats.clone(),
        messages: events.len() as u64,
        orders,
        levels,
    })
}

/// Events were missed while the book was cleared: a snapshot of before is refused, one of now is not.
fn rebuild(lockstep: &mut Lockstep, feed: &Book, instrument: usize) {
    let early = lockstep.sequence() / 2;
    if lockstep.make_tradable(instrument, early) {
        lockstep.fail(format!("a snapshot of message {early} was taken"));
    }
    lockstep.rebuild(instrument, &super::lockstep::orders(feed, instrument));
}
