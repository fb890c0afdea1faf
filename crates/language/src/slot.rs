//! What a strategy's place in the FPGA gives it: the inputs of `rtl/strategy/alu/alu_pkg.sv`, in the order of their places.

use crate::event::{Event, Moment};
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
