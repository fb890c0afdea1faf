//! What a client may ask for.

use formats::fix::{
    Body, MarketDataRequest, NewOrderSingle, OrderCancelReplaceRequest, OrderCancelRequest,
};

/// What a client may ask for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Request<'a> {
    /// A new order.
    New(NewOrderSingle<'a>),
    /// That an order be cancelled.
    Cancel(OrderCancelRequest<'a>),
    /// That an order be replaced.
    Replace(OrderCancelReplaceRequest<'a>),
    /// Prices, or their end.
    Prices(MarketDataRequest<'a>),
}

impl Request<'_> {
    /// MsgType (35).
    pub const fn msg_type(&self) -> &'static [u8] {
        match self {
            Request::New(_) => NewOrderSingle::MSG_TYPE,
            Request::Cancel(_) => OrderCancelRequest::MSG_TYPE,
            Request::Replace(_) => OrderCancelReplaceRequest::MSG_TYPE,
            Request::Prices(_) => MarketDataRequest::MSG_TYPE,
        }
    }
}
