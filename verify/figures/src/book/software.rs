//! What a message takes in software.

use std::hint::black_box;

use book::{Book, Hints, Limits};
use formats::itch::{self, Version};
use formats::{Event, Listener, Side, binary_file};
use instrument::Directory;
use rustix::time::{ClockId, clock_gettime};
use serde::Serialize;

use crate::Progress;

/// What a message takes, in nanoseconds of the thread's processor time: the least of several passes, which take turns, so that the ratios are those of
/// one machine at one time.
#[derive(Clone, Debug, Serialize)]
pub struct Rate {
    /// What was read.
    pub data: String,
    /// Its ITCH.
    pub version: Version,
    /// Messages in it.
    pub messages: u64,
    /// Orders left at the end.
    pub orders: u32,
    /// Parsed into plain structs, each field of each message; no book.
    pub parse_ns: f64,
    /// Parsed and booked, one by one.
    pub book_ns: f64,
    /// Parsed and booked, with hints of what comes.
    pub hinted_ns: f64,
    /// The latter as a multiple of the first.
    pub of_parse: f64,
}

/// Processor time of this thread, in nanoseconds: what others take of a shared machine is not in it.
fn processor_time() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// Measures on `file`: the passes of parser and books take turns.
pub fn measure(
    data: &str,
    version: Version,
    file: &[u8],
    symbols: usize,
    passes: u32,
    progress: Progress,
) -> Rate {
    let messages = messages(file).count() as u64;
    let mut orders = 0;
    let mut best = [f64::INFINITY; 3];
    let passes = passes.max(1);
    for pass in 0..passes {
        progress(data, pass.into(), passes.into());
        for (kind, best) in best.iter_mut().enumerate() {
            let start = processor_time();
            match kind {
                0 => parsed(version, file),
                1 => orders = booked::<false>(version, file, symbols),
                _ => orders = booked::<true>(version, file, symbols),
            }
            *best = best.min((processor_time() - start) / messages.max(1) as f64);
        }
    }
    progress(data, passes.into(), passes.into());
    let [parse_ns, book_ns, hinted_ns] = best;
    Rate {
        data: data.to_owned(),
        version,
        messages,
        orders,
        parse_ns,
        book_ns,
        hinted_ns,
        of_parse: hinted_ns / parse_ns,
    }
}

pub fn messages(file: &[u8]) -> impl Iterator<Item = &[u8]> {
    binary_file::Messages::new(file).map_while(Result::ok)
}

fn parsed(version: Version, file: &[u8]) {
    for message in messages(file) {
        let _ = black_box(itch::Message::parse(version, message));
    }
}

/// Books what it hears, a frame a message, and looks at every change of the best prices, as a strategy does.
struct Booking {
    book: Book,
    directory: Directory,
    seconds: u32,
    best: i64,
}

impl Listener for Booking {
    #[inline(always)]
    fn event(&mut self, event: &Event) {
        self.seconds = event.seconds;
        let instrument = self.directory.index(event);
        if let Some(change) = self.book.apply_to(instrument, event) {
            let after = change.after;
            if change.best_changed(Side::Buy) || change.best_changed(Side::Sell) {
                self.best = self.best.wrapping_add(after.bid.price ^ after.ask.price);
            }
        }
        self.book.verdict(true);
    }
}

/// Books a file; the instruments are numbered as its directory lists them. Returns the orders that are left.
fn booked<const HINTS: bool>(version: Version, file: &[u8], symbols: usize) -> u32 {
    match version {
        Version::V41 => booked_as::<HINTS, false>(file, symbols),
        Version::V50 => booked_as::<HINTS, true>(file, symbols),
    }
}

fn booked_as<const HINTS: bool, const V50: bool>(file: &[u8], symbols: usize) -> u32 {
    let version = if V50 { Version::V50 } else { Version::V41 };
    let mut booking = Booking {
        book: Book::new(symbols, Limits::UNLIMITED),
        directory: Directory::default(),
        seconds: 0,
        best: 0,
    };
    let mut hints = Hints::default();
    let mut ahead = messages(file);
    ahead.by_ref().take(Hints::DISTANCE).for_each(drop);
    for message in messages(file) {
        if HINTS
            && let Some(next) = ahead.next()
            && let Some(next) = decoder::itch::preview(version, next)
        {
            let instrument = next
                .locate
                .and_then(|locate| booking.directory.of_locate(locate));
            hints.give(&booking.book, instrument, next.order_id, next.limit);
        }
        let seconds = booking.seconds;
        let _ = decoder::itch::give(version, message, seconds, 0, true, &mut booking);
    }
    black_box(booking.best);
    booking.book.orders()
}
