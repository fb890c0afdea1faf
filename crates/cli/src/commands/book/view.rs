//! What is shown of a book: as text, as JSON.

use std::fmt;
use std::path::Path;

use book::{Book, Level, Status};
use formats::{Side, Symbol};
use serde::Serialize;

use super::player::Player;
use crate::commands::info::TimeOfDay;

/// Decimals of ITCH prices.
const DECIMALS: i64 = 10_000;

/// A price as people write it.
pub struct Price(pub i64);

impl fmt::Display for Price {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (dollars, rest) = (self.0 / DECIMALS, (self.0 % DECIMALS).abs());
        f.pad(&format!("{dollars}.{rest:04}"))
    }
}

/// Books at a point of a file, printed.
#[derive(Debug, Serialize)]
pub struct BookLine {
    file: String,
    /// Of the last message, in nanoseconds after midnight.
    time: u64,
    /// The number of that message.
    message: u64,
    books: Vec<Ladder>,
    /// Instruments of the file that are not shown.
    more: usize,
    /// Rows written to each file.
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<u64>,
}

/// The book of an instrument.
#[derive(Debug, Serialize)]
pub struct Ladder {
    symbol: Symbol,
    /// Whether it can be relied on.
    complete: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    orders: u64,
    bid_levels: usize,
    ask_levels: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_trade: Option<LastTrade>,
    bids: Vec<ShownLevel>,
    asks: Vec<ShownLevel>,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct LastTrade {
    price: i64,
    quantity: u64,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct ShownLevel {
    price: i64,
    quantity: u64,
    orders: u32,
}

impl From<Level> for ShownLevel {
    fn from(level: Level) -> Self {
        ShownLevel {
            price: level.price,
            quantity: level.quantity,
            orders: level.orders,
        }
    }
}

impl Ladder {
    /// The book of an instrument with so many levels of each side; `None`: it has not appeared yet, and has no orders.
    pub fn new(book: &Book, symbol: Symbol, instrument: Option<u32>, levels: usize) -> Self {
        // No book has so many instruments.
        let instrument = instrument.unwrap_or(u32::MAX);
        let side = |side| book.levels(instrument, side);
        let orders = |of| side(of).map(|level| u64::from(level.orders)).sum::<u64>();
        let why = match book.status(instrument) {
            Some(Status::Untradable(cause)) => Some(cause.to_string()),
            _ => None,
        };
        Ladder {
            symbol,
            complete: why.is_none(),
            why,
            orders: orders(Side::Buy) + orders(Side::Sell),
            bid_levels: side(Side::Buy).count(),
            ask_levels: side(Side::Sell).count(),
            last_trade: book.last_trade(instrument).map(|trade| LastTrade {
                price: trade.price,
                quantity: trade.quantity,
            }),
            bids: side(Side::Buy).take(levels).map(ShownLevel::from).collect(),
            asks: side(Side::Sell)
                .take(levels)
                .map(ShownLevel::from)
                .collect(),
        }
    }

    /// How many orders and levels, and the last trade, in words.
    pub fn summary(&self) -> String {
        let mut text = format!(
            "{} orders, {} bid and {} ask levels",
            self.orders, self.bid_levels, self.ask_levels
        );
        if let Some(trade) = self.last_trade {
            text += &format!("; last trade {} at {}", trade.quantity, Price(trade.price));
        }
        if let Some(why) = &self.why {
            text += &format!("; NOT COMPLETE: {why}");
        }
        text
    }

    /// Its rows, the best first: orders, quantity and price of the bid; price, quantity and orders of the ask.
    pub fn rows(&self) -> impl Iterator<Item = [String; 6]> {
        let lines = self.bids.len().max(self.asks.len());
        (0..lines).map(|rank| {
            let of = |levels: &[ShownLevel]| {
                levels.get(rank).map_or_else(Default::default, |level| {
                    [
                        level.orders.to_string(),
                        level.quantity.to_string(),
                        Price(level.price).to_string(),
                    ]
                })
            };
            let [bid_orders, bid_quantity, bid] = of(&self.bids);
            let [ask_orders, ask_quantity, ask] = of(&self.asks);
            [bid_orders, bid_quantity, bid, ask, ask_quantity, ask_orders]
        })
    }
}

impl fmt::Display for Ladder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.symbol, self.summary())?;
        let header = ["orders", "quantity", "bid", "ask", "quantity", "orders"].map(str::to_owned);
        for [a, b, c, d, e, g] in std::iter::once(header).chain(self.rows()) {
            let line = format!("  {a:>6} {b:>10} {c:>12} | {d:<12} {e:<10} {g}");
            write!(f, "\n{}", line.trim_end())?;
        }
        Ok(())
    }
}

impl BookLine {
    /// The books of what was asked for, or, where that was nothing, the most active ones; the files' rows, if there are any.
    pub fn new(
        player: &Player,
        path: &Path,
        symbols: &[Symbol],
        levels: usize,
        limit: usize,
        rows: Option<u64>,
    ) -> Self {
        let (book, directory) = (player.book(), player.directory());
        let ladder = |symbol| Ladder::new(book, symbol, directory.find(symbol), levels);
        let all = directory.symbols();
        let books: Vec<Ladder> = if symbols.is_empty() {
            let active = player.most_active().into_iter().take(limit);
            active
                .map(|(index, _)| ladder(all[index as usize]))
                .collect()
        } else {
            symbols.iter().map(|symbol| ladder(*symbol)).collect()
        };
        BookLine {
            file: path.display().to_string(),
            time: player.times().1,
            message: player.numbers().1,
            more: if symbols.is_empty() {
                all.len() - books.len()
            } else {
                0
            },
            books,
            rows,
        }
    }
}

impl fmt::Display for BookLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = TimeOfDay(self.time);
        write!(f, "{} at {time}, after message {}", self.file, self.message)?;
        for book in &self.books {
            write!(f, "\n{book}")?;
        }
        if self.more > 0 {
            write!(
                f,
                "\nand {} more symbols: --symbols or --limit shows them",
                self.more
            )?;
        }
        if let Some(rows) = self.rows {
            write!(f, "\n{rows} rows written")?;
        }
        Ok(())
    }
}
