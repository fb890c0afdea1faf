//! Market data (volume 3): the request, the snapshot and the increments.

use super::define::{Seen, codes, entry, malformed, message, prefix, store};
use super::{Decimal, Encoder, Fields, Member, Refusal, Value};

codes! {
    /// SubscriptionRequestType (263).
    SubscriptionRequestType {
        /// A snapshot, once.
        b'0' Snapshot,
        /// A snapshot, then what changes.
        b'1' Subscribe,
        /// No more.
        b'2' Unsubscribe,
    }
}

codes! {
    /// MDEntryType (269). The exchange here publishes the first three.
    MdEntryType {
        /// Bid.
        b'0' Bid,
        /// Offer.
        b'1' Offer,
        /// Trade.
        b'2' Trade,
        /// Index value.
        b'3' IndexValue,
        /// Opening price.
        b'4' OpeningPrice,
        /// Closing price.
        b'5' ClosingPrice,
        /// Settlement price.
        b'6' SettlementPrice,
        /// Trading session's high price.
        b'7' HighPrice,
        /// Trading session's low price.
        b'8' LowPrice,
        /// Trading session's volume-weighted average price.
        b'9' AveragePrice,
        /// Imbalance (4.4).
        b'A' Imbalance,
        /// Trade volume (4.4).
        b'B' TradeVolume,
        /// Open interest (4.4).
        b'C' OpenInterest,
    }
}

codes! {
    /// MDUpdateAction (279).
    MdUpdateAction {
        /// A new entry.
        b'0' New,
        /// A change of one.
        b'1' Change,
        /// One is gone.
        b'2' Delete,
    }
}

/// An entry of NoMDEntryTypes: that field alone.
impl<'a> Member<'a> for MdEntryType {
    const FIRST: u32 = 269;

    fn parse(fields: &mut Fields<'a>) -> Result<Self, Refusal> {
        let (mut read, mut seen) = (MdEntryType::default(), Seen::default());
        if let Some(field) = fields.front() {
            malformed(field.tag)?;
            if field.tag == Self::FIRST {
                seen.note(0, Self::FIRST)?;
                store(&mut read, Self::FIRST, field.text)?;
                fields.pass(&field);
            }
        }
        seen.demand(1, &[Self::FIRST])?;
        Ok(read)
    }

    fn put(&self, encoder: &mut Encoder<'_>) {
        self.write(prefix!(269), encoder);
    }
}

entry! {
    /// An instrument.
    RelatedSymbol<'a> {
        /// Symbol.
        55 symbol: &'a [u8],
    }
    // The rest of the instrument; fields that the request does not use.
    skips { 1..=261 | 268..=9_999_999 }
}

message! {
    /// MarketDataRequest.
    b"V" MarketDataRequest<'a> {
        /// MDReqID.
        262 request_id: &'a [u8],
        /// SubscriptionRequestType.
        263 subscription: SubscriptionRequestType,
        /// MarketDepth: 0 the full book, 1 its top, N so many levels.
        264 depth: u32,
        /// MDUpdateType: 0 full refresh, 1 incremental.
        265 update_type: Option<u32>,
        /// AggregatedBook.
        266 aggregated: Option<bool>,
    }
    groups {
        /// NoMDEntryTypes.
        267 entry_types: MdEntryType,
        /// NoRelatedSym.
        146 symbols: RelatedSymbol<'a>,
    }
}

codes! {
    /// MDReqRejReason (281).
    MdRequestRejectReason {
        /// Unknown symbol.
        b'0' UnknownSymbol,
        /// Duplicate MDReqID.
        b'1' DuplicateRequestId,
        /// Insufficient bandwidth.
        b'2' InsufficientBandwidth,
        /// Insufficient permissions.
        b'3' InsufficientPermissions,
        /// Unsupported SubscriptionRequestType.
        b'4' UnsupportedSubscription,
        /// Unsupported MarketDepth.
        b'5' UnsupportedDepth,
        /// Unsupported MDUpdateType.
        b'6' UnsupportedUpdateType,
        /// Unsupported AggregatedBook.
        b'7' UnsupportedAggregatedBook,
        /// Unsupported MDEntryType.
        b'8' UnsupportedEntryType,
        /// Unsupported TradingSessionID (4.4).
        b'9' UnsupportedTradingSession,
        /// Unsupported Scope (4.4).
        b'A' UnsupportedScope,
        /// Unsupported OpenCloseSettlFlag (4.4).
        b'B' UnsupportedOpenCloseFlag,
        /// Unsupported MDImplicitDelete (4.4).
        b'C' UnsupportedImplicitDelete,
    }
}

message! {
    /// MarketDataRequestReject.
    b"Y" MarketDataRequestReject<'a> {
        /// MDReqID.
        262 request_id: &'a [u8],
        /// MDReqRejReason.
        281 reason: Option<MdRequestRejectReason>,
        /// Text.
        58 text: Option<&'a [u8]>,
    }
}

entry! {
    /// A price of a snapshot.
    SnapshotEntry<'a> {
        /// MDEntryType.
        269 entry_type: MdEntryType,
        /// MDEntryPx.
        270 price: Option<Decimal>,
        /// MDEntrySize.
        271 size: Option<Decimal>,
        /// OrderID.
        37 order_id: Option<&'a [u8]>,
        /// NumberOfOrders.
        346 orders: Option<u32>,
        /// MDEntryPositionNo: the level, from 1 on.
        290 level: Option<u32>,
    }
    skips { 1..=9_999_999 }
}

message! {
    /// MarketDataSnapshotFullRefresh.
    b"W" MarketDataSnapshot<'a> {
        /// MDReqID.
        262 request_id: Option<&'a [u8]>,
        /// Symbol.
        55 symbol: &'a [u8],
    }
    groups {
        /// NoMDEntries.
        268 entries: SnapshotEntry<'a>,
    }
}

entry! {
    /// A price that changed.
    IncrementalEntry<'a> {
        /// MDUpdateAction.
        279 action: MdUpdateAction,
        /// MDEntryType.
        269 entry_type: Option<MdEntryType>,
        /// MDEntryID.
        278 entry_id: Option<&'a [u8]>,
        /// Symbol.
        55 symbol: Option<&'a [u8]>,
        /// MDEntryPx.
        270 price: Option<Decimal>,
        /// MDEntrySize.
        271 size: Option<Decimal>,
        /// NumberOfOrders.
        346 orders: Option<u32>,
        /// MDEntryPositionNo: the level, from 1 on.
        290 level: Option<u32>,
    }
    skips { 1..=9_999_999 }
}

message! {
    /// MarketDataIncrementalRefresh.
    b"X" MarketDataIncrement<'a> {
        /// MDReqID.
        262 request_id: Option<&'a [u8]>,
    }
    groups {
        /// NoMDEntries.
        268 entries: IncrementalEntry<'a>,
    }
}
