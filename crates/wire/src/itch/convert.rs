//! ITCH messages as events: which member goes where (docs/reference/rules.md).

use super::{Error, Message, Version};
use crate::event::{Event, Kind, Symbol};

impl Message {
    /// The message as an event. `seconds` is the second of the last `T` (5.0: 0).
    pub fn event(&self, seconds: u32, sequence: u64, last: bool) -> Event {
        let base = |kind| Event {
            seconds,
            nanoseconds: self.head().map_or(0, |head| head.nanoseconds),
            sequence,
            last,
            ..Event::new(kind, self.message_type())
        };
        let status = |stock: Symbol| Event {
            symbol: Some(stock),
            ..base(Kind::Status)
        };
        match *self {
            Message::Seconds(m) => Event {
                seconds: m.seconds,
                ..base(Kind::Time)
            },
            Message::AddOrder(m) => Event {
                side: m.side,
                symbol: Some(m.stock),
                price: i64::from(m.price),
                quantity: u64::from(m.shares),
                order_id: m.order_reference,
                ..base(Kind::Add)
            },
            Message::AddOrderMpid(m) => Event {
                side: m.side,
                symbol: Some(m.stock),
                price: i64::from(m.price),
                quantity: u64::from(m.shares),
                order_id: m.order_reference,
                ..base(Kind::Add)
            },
            Message::Trade(m) => Event {
                side: m.side,
                symbol: Some(m.stock),
                price: i64::from(m.price),
                quantity: u64::from(m.shares),
                order_id: m.order_reference,
                ..base(Kind::Trade)
            },
            Message::OrderExecuted(m) => Event {
                order_id: m.order_reference,
                quantity: u64::from(m.executed_shares),
                ..base(Kind::Execute)
            },
            Message::OrderExecutedWithPrice(m) => Event {
                order_id: m.order_reference,
                quantity: u64::from(m.executed_shares),
                price: i64::from(m.execution_price),
                ..base(Kind::Execute)
            },
            Message::OrderCancel(m) => Event {
                order_id: m.order_reference,
                quantity: u64::from(m.cancelled_shares),
                ..base(Kind::Reduce)
            },
            Message::OrderDelete(m) => Event {
                order_id: m.order_reference,
                ..base(Kind::Delete)
            },
            Message::OrderReplace(m) => Event {
                order_id: m.order_reference,
                new_order_id: m.new_order_reference,
                quantity: u64::from(m.shares),
                price: i64::from(m.price),
                ..base(Kind::Replace)
            },
            Message::CrossTrade(m) => Event {
                quantity: m.shares,
                symbol: Some(m.stock),
                price: i64::from(m.cross_price),
                ..base(Kind::Trade)
            },
            Message::BrokenTrade(m) => Event {
                order_id: m.match_number,
                ..base(Kind::Status)
            },
            Message::StockDirectory(m) => status(m.stock),
            Message::StockTradingAction(m) => status(m.stock),
            Message::RegSho(m) => status(m.stock),
            Message::MarketParticipantPosition(m) => status(m.stock),
            Message::IpoQuotingPeriod(m) => status(m.stock),
            Message::LuldAuctionCollar(m) => status(m.stock),
            Message::OperationalHalt(m) => status(m.stock),
            Message::NetOrderImbalance(m) => status(m.stock),
            Message::RetailInterest(m) => status(m.stock),
            Message::DirectListing(m) => status(m.stock),
            Message::SystemEvent(_) | Message::MwcbDeclineLevel(_) | Message::MwcbStatus(_) => {
                base(Kind::Status)
            }
        }
    }
}

/// The event in the bytes of a message. `seconds` is the second of the last `T` (5.0: 0).
#[inline]
pub fn event(
    version: Version,
    message: &[u8],
    seconds: u32,
    sequence: u64,
    last: bool,
) -> Result<Event, Error> {
    Message::parse(version, message).map(|message| message.event(seconds, sequence, last))
}
