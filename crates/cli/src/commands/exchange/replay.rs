//! `tickwire exchange --replay`: a recorded day in the books, in which the clients' live orders take part.

use std::fmt;
use std::path::PathBuf;

use clap::Args;
use exchange::replay::Counters;
use exchange::server::Watch;
use exchange::{Exchange, PlayOptions, Player, Replay, Server, ServerError, Speed};
use formats::Side;
use serde::Serialize;

use crate::commands::replay::positive;
use crate::console::Console;
use crate::error::Error;
use crate::input::ReadOptions;

#[derive(Args, Debug)]
#[command(next_help_heading = "Replay")]
pub struct ReplayOptions {
    /// Let the orders of a recorded day enter the books: BinaryFILE, pcap or pcapng. Clients' orders match with them by price and time;
    /// excludes --journal
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
    /// So many times as fast as recorded, or max
    #[arg(long, value_name = "TIMES|max", requires = "replay", default_value = "1", value_parser = speed)]
    speed: Speed,
    /// Begin the replay once every client has logged on
    #[arg(long, requires = "replay")]
    await_clients: bool,
    /// End with the replay; otherwise the market stays open in its last state
    #[arg(long, requires = "replay")]
    close_at_end: bool,
    #[command(flatten)]
    read: ReadOptions,
}

fn speed(text: &str) -> Result<Speed, String> {
    if text == "max" {
        return Ok(Speed::Unpaced);
    }
    let times = positive(text).map_err(|_| "write a number above 0, or max".to_owned())?;
    Ok(Speed::Times(times))
}

/// The result of a replay.
#[derive(Serialize)]
struct Replayed {
    #[serde(rename = "type")]
    kind: &'static str,
    messages: u64,
    orders: u64,
    executed: u64,
    followed: u64,
    diverted: u64,
    void: u64,
    taken: u64,
    left_out: u64,
    unknown: u64,
    others: u64,
    malformed: u64,
    /// Messages of a capture that are missing by their numbers.
    missing: u64,
    /// Packets of a capture that are no MoldUDP64.
    malformed_packets: u64,
    crossed: u64,
    books: Vec<Book>,
}

/// A book at the end.
#[derive(Serialize)]
struct Book {
    symbol: String,
    orders: usize,
    bids: usize,
    offers: usize,
}

impl Book {
    fn of(exchange: &Exchange, instrument: u32, symbol: String) -> Self {
        let engine = exchange.engine();
        let orders = |side| engine.orders(instrument, side).count();
        Book {
            symbol,
            orders: orders(Side::Buy) + orders(Side::Sell),
            bids: engine.levels(instrument, Side::Buy).count(),
            offers: engine.levels(instrument, Side::Sell).count(),
        }
    }
}

impl Replayed {
    fn new(player: &Player, replay: &Replay, exchange: &Exchange) -> Self {
        let Counters {
            messages,
            orders,
            left_out,
            unknown,
            others,
            malformed,
            executed,
            followed,
            diverted,
            void,
            taken,
            crossed,
        } = replay.counters();
        let listings = (0..).zip(exchange.listings());
        Replayed {
            kind: "replayed",
            messages,
            orders,
            executed,
            followed,
            diverted,
            void,
            taken,
            left_out,
            unknown,
            others,
            malformed,
            missing: player.missing(),
            malformed_packets: player.malformed(),
            crossed,
            books: listings
                .map(|(at, listing)| Book::of(exchange, at, listing.symbol.to_string()))
                .collect(),
        }
    }
}

impl fmt::Display for Replayed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "replayed: {} messages, {} orders; of {} shares executed {} went to clients, {} had no counterparty; clients took {} more",
            self.messages, self.orders, self.executed, self.diverted, self.void, self.taken
        )?;
        for (count, what) in [
            (self.left_out, "orders left out (tick, band, size)"),
            (self.unknown, "messages about unknown orders"),
            (self.malformed, "messages that are no ITCH"),
            (self.missing, "messages missing from the capture"),
            (self.malformed_packets, "packets that are no MoldUDP64"),
            (
                self.crossed,
                "shares traded within the record, which was crossed",
            ),
        ] {
            if count > 0 {
                write!(f, "\n  {count} {what}")?;
            }
        }
        for book in &self.books {
            let (symbol, orders) = (&book.symbol, book.orders);
            let (bids, offers) = (book.bids, book.offers);
            write!(
                f,
                "\n  {symbol}: {orders} orders, {bids} bid and {offers} offer levels"
            )?;
        }
        if self.orders == 0 {
            write!(
                f,
                "\n  no order of the record is in an instrument of --symbols"
            )?;
        }
        Ok(())
    }
}

impl ReplayOptions {
    /// Whether a day is to be replayed.
    pub const fn is_given(&self) -> bool {
        self.replay.is_some()
    }

    /// Opens the file, and has the server play it.
    ///
    /// # Errors
    /// It cannot be opened, is of no known format, or there is a journal.
    pub fn start(&self, server: &mut Server, console: Console) -> Result<(), Error> {
        let Some(path) = &self.replay else {
            return Ok(());
        };
        let player = Player::open(path, self.read.options(), self.speed)?;
        let bar = console.bytes("replaying", player.position().1);
        let watch: Watch = Box::new(move |player, replay, exchange, ended| {
            bar.set_position(player.position().0);
            if ended {
                bar.finish_and_clear();
                // A closed standard output is no reason to close the market.
                let _ = console.print(&Replayed::new(player, replay, exchange));
            }
        });
        let play = PlayOptions {
            awaits_clients: self.await_clients,
            closes: self.close_at_end,
        };
        server.play(player, play, watch)?;
        Ok(())
    }
}

/// A journal beside a replay is refused before either is opened.
pub fn check(replay: &ReplayOptions, journal: bool) -> Result<(), Error> {
    if replay.is_given() && journal {
        Err(ServerError::ReplayJournal.into())
    } else {
        Ok(())
    }
}
