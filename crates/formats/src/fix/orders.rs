//! Orders and their reports (FIX 4.4 volume 4; FIX 4.2 where noted).

use super::define::{codes, message};
use super::{Decimal, Timestamp};
use crate::Side;

codes! {
    /// OrdType (40). The exchange here takes the first four.
    OrdType {
        /// Limit.
        b'2' Limit,
        /// Market.
        b'1' Market,
        /// Stop: a market order once triggered.
        b'3' Stop,
        /// Stop limit: a limit order once triggered.
        b'4' StopLimit,
        /// Market on close (4.2).
        b'5' MarketOnClose,
        /// With or without.
        b'6' WithOrWithout,
        /// Limit or better.
        b'7' LimitOrBetter,
        /// Limit with or without.
        b'8' LimitWithOrWithout,
        /// On basis.
        b'9' OnBasis,
        /// On close (4.2).
        b'A' OnClose,
        /// Limit on close (4.2).
        b'B' LimitOnClose,
        /// Forex, market (4.2).
        b'C' ForexMarket,
        /// Previously quoted.
        b'D' PreviouslyQuoted,
        /// Previously indicated.
        b'E' PreviouslyIndicated,
        /// Forex, limit (4.2).
        b'F' ForexLimit,
        /// Forex, swap.
        b'G' ForexSwap,
        /// Forex, previously quoted (4.2).
        b'H' ForexPreviouslyQuoted,
        /// Funari: what a limit order has left at the close is a market order.
        b'I' Funari,
        /// Market if touched.
        b'J' MarketIfTouched,
        /// Market with what is left as a limit order.
        b'K' MarketWithLeftoverAsLimit,
        /// Previous fund valuation point.
        b'L' PreviousFundValuationPoint,
        /// Next fund valuation point.
        b'M' NextFundValuationPoint,
        /// Pegged.
        b'P' Pegged,
    }
}

codes! {
    /// TimeInForce (59). The exchange here takes day, good till cancel, immediate or cancel, fill or kill.
    TimeInForce {
        /// Day; the default.
        b'0' Day,
        /// Good till cancel.
        b'1' GoodTillCancel,
        /// At the opening.
        b'2' AtTheOpening,
        /// Immediate or cancel.
        b'3' ImmediateOrCancel,
        /// Fill or kill.
        b'4' FillOrKill,
        /// Good till crossing.
        b'5' GoodTillCrossing,
        /// Good till date.
        b'6' GoodTillDate,
        /// At the close (4.4).
        b'7' AtTheClose,
    }
}

codes! {
    /// ExecType (150).
    ExecType {
        /// New.
        b'0' New,
        /// Partial fill (4.2; 4.4 says trade).
        b'1' PartialFill,
        /// Fill (4.2; 4.4 says trade).
        b'2' Fill,
        /// Done for day.
        b'3' DoneForDay,
        /// Canceled.
        b'4' Canceled,
        /// Replaced.
        b'5' Replaced,
        /// Pending cancel.
        b'6' PendingCancel,
        /// Stopped.
        b'7' Stopped,
        /// Rejected.
        b'8' Rejected,
        /// Suspended.
        b'9' Suspended,
        /// Pending new.
        b'A' PendingNew,
        /// Calculated.
        b'B' Calculated,
        /// Expired.
        b'C' Expired,
        /// Restated.
        b'D' Restated,
        /// Pending replace.
        b'E' PendingReplace,
        /// Trade (4.4).
        b'F' Trade,
        /// Trade correct (4.4).
        b'G' TradeCorrect,
        /// Trade cancel (4.4).
        b'H' TradeCancel,
        /// Order status (4.4).
        b'I' OrderStatus,
    }
}

codes! {
    /// OrdStatus (39).
    OrdStatus {
        /// New.
        b'0' New,
        /// Partially filled.
        b'1' PartiallyFilled,
        /// Filled.
        b'2' Filled,
        /// Done for day.
        b'3' DoneForDay,
        /// Canceled.
        b'4' Canceled,
        /// Replaced (4.2).
        b'5' Replaced,
        /// Pending cancel.
        b'6' PendingCancel,
        /// Stopped.
        b'7' Stopped,
        /// Rejected.
        b'8' Rejected,
        /// Suspended.
        b'9' Suspended,
        /// Pending new.
        b'A' PendingNew,
        /// Calculated.
        b'B' Calculated,
        /// Expired.
        b'C' Expired,
        /// Accepted for bidding.
        b'D' AcceptedForBidding,
        /// Pending replace.
        b'E' PendingReplace,
    }
}

codes! {
    /// CxlRejResponseTo (434): what was refused.
    CancelRejectResponse {
        /// A cancel request.
        b'1' Cancel,
        /// A replace request.
        b'2' Replace,
    }
}

message! {
    /// NewOrderSingle.
    b"D" NewOrderSingle<'a> {
        /// ClOrdID.
        11 client_order_id: &'a [u8],
        /// Account.
        1 account: Option<&'a [u8]>,
        /// HandlInst; required in 4.2.
        21 handling: Option<u8>,
        /// Symbol.
        55 symbol: &'a [u8],
        /// Side.
        54 side: Side,
        /// TransactTime.
        60 transact_time: Timestamp,
        /// OrderQty.
        38 quantity: Option<Decimal>,
        /// OrdType.
        40 order_type: OrdType,
        /// Price; of limit and stop limit.
        44 price: Option<Decimal>,
        /// StopPx; of stop and stop limit.
        99 stop_price: Option<Decimal>,
        /// TimeInForce; absent is day.
        59 time_in_force: Option<TimeInForce>,
    }
}

message! {
    /// OrderCancelRequest.
    b"F" OrderCancelRequest<'a> {
        /// OrigClOrdID: the order.
        41 original_client_order_id: &'a [u8],
        /// OrderID, if the client knows it.
        37 order_id: Option<&'a [u8]>,
        /// ClOrdID: of this request.
        11 client_order_id: &'a [u8],
        /// Symbol.
        55 symbol: &'a [u8],
        /// Side.
        54 side: Side,
        /// TransactTime.
        60 transact_time: Timestamp,
        /// OrderQty: of the order.
        38 quantity: Option<Decimal>,
    }
}

message! {
    /// OrderCancelReplaceRequest.
    b"G" OrderCancelReplaceRequest<'a> {
        /// OrderID, if the client knows it.
        37 order_id: Option<&'a [u8]>,
        /// OrigClOrdID: the order.
        41 original_client_order_id: &'a [u8],
        /// ClOrdID: what the order is called once replaced.
        11 client_order_id: &'a [u8],
        /// HandlInst; required in 4.2.
        21 handling: Option<u8>,
        /// Symbol.
        55 symbol: &'a [u8],
        /// Side.
        54 side: Side,
        /// TransactTime.
        60 transact_time: Timestamp,
        /// OrderQty: what was traded already included.
        38 quantity: Option<Decimal>,
        /// OrdType.
        40 order_type: OrdType,
        /// Price.
        44 price: Option<Decimal>,
        /// StopPx.
        99 stop_price: Option<Decimal>,
        /// TimeInForce.
        59 time_in_force: Option<TimeInForce>,
    }
}

message! {
    /// ExecutionReport.
    b"8" ExecutionReport<'a> {
        /// OrderID.
        37 order_id: &'a [u8],
        /// ClOrdID.
        11 client_order_id: Option<&'a [u8]>,
        /// OrigClOrdID.
        41 original_client_order_id: Option<&'a [u8]>,
        /// ExecID.
        17 execution_id: &'a [u8],
        /// ExecTransType; required in 4.2, gone in 4.4. `0`: new.
        20 transaction_type: Option<u8>,
        /// ExecType.
        150 execution_type: ExecType,
        /// OrdStatus.
        39 status: OrdStatus,
        /// OrdRejReason.
        103 reject_reason: Option<u32>,
        /// Account.
        1 account: Option<&'a [u8]>,
        /// Symbol.
        55 symbol: &'a [u8],
        /// Side.
        54 side: Side,
        /// OrderQty.
        38 quantity: Option<Decimal>,
        /// OrdType.
        40 order_type: Option<OrdType>,
        /// Price.
        44 price: Option<Decimal>,
        /// StopPx.
        99 stop_price: Option<Decimal>,
        /// TimeInForce.
        59 time_in_force: Option<TimeInForce>,
        /// LastQty (4.2: LastShares).
        32 last_quantity: Option<Decimal>,
        /// LastPx.
        31 last_price: Option<Decimal>,
        /// LeavesQty.
        151 leaves_quantity: Decimal,
        /// CumQty.
        14 cumulative_quantity: Decimal,
        /// AvgPx.
        6 average_price: Decimal,
        /// TransactTime.
        60 transact_time: Option<Timestamp>,
        /// Text.
        58 text: Option<&'a [u8]>,
    }
}

message! {
    /// ExecutionReport about an order that is refused for a value that no order here may have: values as its client wrote them.
    b"8" OrderRefusal<'a> {
        /// OrderID.
        37 order_id: &'a [u8],
        /// ClOrdID.
        11 client_order_id: Option<&'a [u8]>,
        /// ExecID.
        17 execution_id: &'a [u8],
        /// ExecTransType; required in 4.2, gone in 4.4. `0`: new.
        20 transaction_type: Option<u8>,
        /// ExecType.
        150 execution_type: ExecType,
        /// OrdStatus.
        39 status: OrdStatus,
        /// OrdRejReason.
        103 reject_reason: Option<u32>,
        /// Account.
        1 account: Option<&'a [u8]>,
        /// Symbol.
        55 symbol: Option<&'a [u8]>,
        /// Side.
        54 side: Option<&'a [u8]>,
        /// OrderQty.
        38 quantity: Option<&'a [u8]>,
        /// OrdType.
        40 order_type: Option<&'a [u8]>,
        /// Price.
        44 price: Option<&'a [u8]>,
        /// StopPx.
        99 stop_price: Option<&'a [u8]>,
        /// TimeInForce.
        59 time_in_force: Option<&'a [u8]>,
        /// LeavesQty.
        151 leaves_quantity: Decimal,
        /// CumQty.
        14 cumulative_quantity: Decimal,
        /// AvgPx.
        6 average_price: Decimal,
        /// TransactTime.
        60 transact_time: Option<Timestamp>,
        /// Text.
        58 text: Option<&'a [u8]>,
    }
}

message! {
    /// OrderCancelReject: a cancel or replace request that is refused.
    b"9" OrderCancelReject<'a> {
        /// OrderID; `NONE` if the order is not known.
        37 order_id: &'a [u8],
        /// ClOrdID: of the request.
        11 client_order_id: &'a [u8],
        /// OrigClOrdID: the order.
        41 original_client_order_id: &'a [u8],
        /// OrdStatus.
        39 status: OrdStatus,
        /// TransactTime.
        60 transact_time: Option<Timestamp>,
        /// CxlRejResponseTo.
        434 response_to: CancelRejectResponse,
        /// CxlRejReason: 0 too late, 1 unknown order, 2 broker, 3 already pending, 6 duplicate ClOrdID, 99 other.
        102 reason: Option<u32>,
        /// Text.
        58 text: Option<&'a [u8]>,
    }
}
