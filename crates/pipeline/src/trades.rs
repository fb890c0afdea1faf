//! What counts as a trade where there is an order book: the twin of `rtl/book/market_stage.sv`.

use book::{Change, Trade};
use wire::{Event, Kind};

/// The trade that an event is, and the index of its instrument: what stops and risk get. `change` is what the book made of the event.
///
/// A message of a trade is one whatever the book makes of it; an execution of a displayed order is one if the book has booked it, at the price that
/// the book knows (docs/reference/rules.md, "Prices").
#[inline(always)]
pub fn trade_of(event: &Event, change: Option<&Change>) -> Option<(u32, Trade)> {
    if event.kind == Kind::Trade {
        let trade = Trade {
            side: event.side,
            price: event.price,
            quantity: event.quantity,
        };
        return Some((event.instrument?.into(), trade));
    }
    let change = change?;
    Some((change.instrument, change.trade?))
}
