//! What a strategy's place in the FPGA gives it: the inputs of `rtl/strategy/processor/processor_pkg.sv`, in the order of their places.

use crate::event::{Event, Intent, Moment};
use crate::program::{Input, TimeInForce};

/// How many places there are.
pub const INPUTS: usize = 11;

/// The place of an input. Inputs that no event has together share one.
pub const fn place(input: Input) -> usize {
    match input {
        Input::Now => 0,
        Input::OpenOrders => 1,
        Input::Instrument => 2,
        Input::Changed | Input::Kind => 3,
        Input::Tradable | Input::Side => 4,
        Input::BidPrice | Input::Price => 5,
        Input::BidQuantity | Input::Quantity => 6,
        Input::BidOrders | Input::Order => 7,
        Input::AskPrice | Input::Remaining => 8,
        Input::AskQuantity | Input::Reason => 9,
        Input::AskOrders => 10,
    }
}

/// The inputs of an event; 0 where it has none. Units are those of [`crate::event`].
pub fn inputs(moment: &Moment<'_>, event: &Event<'_>) -> [i64; INPUTS] {
    let mut inputs = [0; INPUTS];
    inputs[..2].copy_from_slice(&[moment.now, moment.open_orders]);
    match event {
        Event::Book(book, _) => inputs[2..].copy_from_slice(&[
            book.instrument.into(),
            book.changed.into(),
            book.tradable.into(),
            book.bid.price,
            book.bid.quantity,
            book.bid.orders,
            book.ask.price,
            book.ask.quantity,
            book.ask.orders,
        ]),
        Event::Trade(trade) => inputs[2..7].copy_from_slice(&[
            trade.instrument.into(),
            0,
            trade.side as i64,
            trade.price,
            trade.quantity,
        ]),
        Event::Report(report) => inputs[2..10].copy_from_slice(&[
            report.instrument.into(),
            report.kind as i64,
            report.side as i64,
            report.price,
            report.quantity,
            report.order,
            report.remaining,
            report.reason,
        ]),
        Event::Timer => {}
    }
    inputs
}

/// The number of an event's handler (`handler_e`).
pub const fn handler(event: &Event<'_>) -> usize {
    match event {
        Event::Book(..) => 0,
        Event::Trade(_) => 1,
        Event::Report(_) => 2,
        Event::Timer => 3,
    }
}

/// The time in force of FIX's code (59) in an intent; one that the language does not have is a day.
pub const fn time_in_force(code: u8) -> TimeInForce {
    match code {
        1 => TimeInForce::GoodTillCancel,
        3 => TimeInForce::ImmediateOrCancel,
        4 => TimeInForce::FillOrKill,
        _ => TimeInForce::Day,
    }
}

/// An intent as it leaves the slot, and whether all of its members fit: an instrument has 8 bits there, a quantity and the name of an order 32, and
/// a price 48 with its sign (`processor_pkg.sv`). What does not fit loses its upper bits.
pub fn narrowed(intent: &Intent) -> (Intent, bool) {
    let small = |value: i64| i64::from(value as u32);
    let price = |value: i64| value << 16 >> 16;
    let narrow = match *intent {
        Intent::New(mut new) => {
            new.instrument = (new.instrument as u8).into();
            new.quantity = small(new.quantity);
            new.price = new.price.map(price);
            Intent::New(new)
        }
        Intent::Cancel { order } => Intent::Cancel {
            order: small(order),
        },
        Intent::Replace {
            order,
            price: asked,
            quantity,
        } => Intent::Replace {
            order: small(order),
            price: price(asked),
            quantity: small(quantity),
        },
    };
    (narrow, narrow == *intent)
}
