//! Sample data: seeded order flow of many symbols that looks like a market, as ITCH 4.1 or 5.0 in a BinaryFILE.
//!
//! Every reference names a live order, books never cross, times never run back, and the same settings give the same
//! bytes. Activity falls off over the symbols as a power law; arrivals come in bursts.

mod book;

use std::io::{self, Write};

use formats::itch::{Head, Message, Seconds, StockDirectory, SystemEvent, Version};
use formats::{Symbol, binary_file};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use book::Book;

const SECOND: u64 = 1_000_000_000;
/// 09:30, in seconds since midnight.
const OPEN: u64 = 34_200;
/// Share of arrivals that follow immediately after the one before.
const BURST: f64 = 0.8;
/// Mean gap within a burst, as a part of the mean gap of all.
const BURST_GAP: f64 = 0.05;
/// Exponent of the fall of activity over the symbols.
const ACTIVITY: f64 = 0.9;
/// Messages between two calls of the progress callback.
const PROGRESS: u64 = 1 << 16;

/// What to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The ITCH to write.
    pub version: Version,
    /// How many symbols; from 1 on.
    pub symbols: usize,
    /// How many messages in all, directory, system events and `T` included. More are written if the opening alone needs more.
    pub messages: u64,
    /// Market time they spread over, about, in seconds; at most 50,000, so that the day does not end.
    pub seconds: u32,
    /// Another seed, another market.
    pub seed: u64,
}

/// What was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Messages written.
    pub messages: u64,
    /// Bytes written, lengths included.
    pub bytes: u64,
    /// Orders still in the books.
    pub live_orders: u64,
}

/// The name of symbol `index`: A, B … Z, AA, AB …, the most active first.
pub fn symbol(index: usize) -> Symbol {
    let mut name = [b' '; 8];
    let (mut rest, mut at) = (index + 1, 8);
    while rest > 0 && at > 0 {
        rest -= 1;
        at -= 1;
        name[at] = b'A' + (rest % 26) as u8;
        rest /= 26;
    }
    name.rotate_left(at);
    Symbol(name)
}

/// Writes messages, with a `T` before each new second in 4.1.
struct Writer<W: Write> {
    out: W,
    version: Version,
    second: Option<u64>,
    message: Vec<u8>,
    framed: Vec<u8>,
    messages: u64,
    bytes: u64,
}

impl<W: Write> Writer<W> {
    fn put(&mut self, message: &Message) -> io::Result<()> {
        self.message.clear();
        self.framed.clear();
        message
            .emit(self.version, &mut self.message)
            .map_err(io::Error::other)?;
        if !binary_file::push(&self.message, &mut self.framed) {
            return Err(io::Error::other("an empty message"));
        }
        self.messages += 1;
        self.bytes += self.framed.len() as u64;
        self.out.write_all(&self.framed)
    }

    /// Writes what `message` makes of the head for `time`, in nanoseconds since midnight.
    fn at(
        &mut self,
        time: u64,
        locate: u16,
        message: impl FnOnce(Head) -> Message,
    ) -> io::Result<()> {
        let nanoseconds = match self.version {
            Version::V50 => time,
            Version::V41 => {
                if self.second != Some(time / SECOND) {
                    self.second = Some(time / SECOND);
                    self.put(&Message::Seconds(Seconds {
                        seconds: (time / SECOND) as u32,
                    }))?;
                }
                time % SECOND
            }
        };
        let stock_locate = if self.version == Version::V50 {
            locate
        } else {
            0
        };
        self.put(&message(Head {
            stock_locate,
            tracking_number: 0,
            nanoseconds,
        }))
    }

    fn system_event(&mut self, time: u64, event_code: u8) -> io::Result<()> {
        self.at(time, 0, |head| {
            Message::SystemEvent(SystemEvent { head, event_code })
        })
    }
}

fn directory(head: Head, stock: Symbol) -> Message {
    Message::StockDirectory(StockDirectory::of_common_stock(head, stock, b'P'))
}

/// Nanoseconds until the next arrival: short within a burst, long between two, `mean` on average.
fn gap(random: &mut ChaCha8Rng, mean: f64) -> u64 {
    let scale = if random.random_bool(BURST) {
        BURST_GAP
    } else {
        (1.0 - BURST * BURST_GAP) / (1.0 - BURST)
    };
    (-(1.0 - random.random::<f64>()).ln() * mean * scale) as u64
}

/// Makes order flow and writes it to `out` as a BinaryFILE. `progress` is called now and then with the messages written.
///
/// # Errors
/// What writing says.
pub fn generate(
    settings: &Settings,
    out: impl Write,
    mut progress: impl FnMut(u64),
) -> io::Result<Summary> {
    let mut random = ChaCha8Rng::seed_from_u64(settings.seed);
    let symbols = settings.symbols.clamp(1, usize::from(u16::MAX) - 1);
    let mut writer = Writer {
        out,
        version: settings.version,
        second: None,
        message: vec![],
        framed: vec![],
        messages: 0,
        bytes: 0,
    };

    let before = (OPEN - 1) * SECOND;
    writer.system_event(before, b'O')?;
    writer.system_event(before + 1, b'S')?;
    let mut books = Vec::with_capacity(symbols);
    for index in 0..symbols {
        let (stock, locate) = (symbol(index), index as u16 + 1);
        writer.at(before + 2, locate, |head| directory(head, stock))?;
        books.push(Book::new(stock, locate, &mut random));
    }
    writer.system_event(OPEN * SECOND, b'Q')?;

    let mut cumulative = Vec::with_capacity(symbols);
    let mut sum = 0.0;
    for rank in 1..=symbols {
        sum += (rank as f64).powf(-ACTIVITY);
        cumulative.push(sum);
    }
    let seconds = settings.seconds.clamp(1, 50_000);
    // In 4.1 the `T`s are messages too; one is reserved for the end.
    let left = settings.messages.saturating_sub(writer.messages + 1);
    let mean = f64::from(seconds) * SECOND as f64 / left.max(1) as f64;
    let (mut time, mut reference, mut matched, mut told) = (OPEN * SECOND, 0, 0, 0);
    while writer.messages + 1 < settings.messages {
        time += gap(&mut random, mean);
        if settings.version == Version::V41
            && writer.second != Some(time / SECOND)
            && writer.messages + 2 >= settings.messages
        {
            break; // no room for a `T`, a message and the end
        }
        let point = random.random::<f64>() * sum;
        let index = cumulative
            .partition_point(|&upto| upto < point)
            .min(symbols - 1);
        let locate = books[index].locate;
        let mut step = books[index].step(&mut random, &mut reference, &mut matched);
        writer.at(time, locate, |head| step.message(head))?;
        if writer.messages - told >= PROGRESS {
            told = writer.messages;
            progress(told);
        }
    }
    // The market closes within the second of the last message, so that no further `T` is due.
    writer.system_event(time, b'M')?;
    progress(writer.messages);
    writer.out.flush()?;
    let live_orders = books.iter().map(|book| book.orders() as u64).sum();
    Ok(Summary {
        messages: writer.messages,
        bytes: writer.bytes,
        live_orders,
    })
}
