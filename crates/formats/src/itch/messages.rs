//! The table of messages: type, struct, members in wire order. Lengths, parsing and writing follow from it.

use super::define::messages;
use super::{EmitError, Error, Head, Version};
use crate::bytes::Field;
use crate::event::{Side, Symbol};

/// Length by type; 0: there is no such type.
const fn lengths<const V50: bool>() -> [u8; 256] {
    let mut lengths = [0; 256];
    let mut message_type = 0;
    while message_type < 256 {
        if let Some(length) = length::<V50>(message_type as u8) {
            lengths[message_type] = length as u8;
        }
        message_type += 1;
    }
    lengths
}

static LENGTHS_V41: [u8; 256] = lengths::<false>();
static LENGTHS_V50: [u8; 256] = lengths::<true>();

#[cold]
fn refusal<const V50: bool>(message: &[u8]) -> Error {
    let message_type = message.first().copied().unwrap_or(0);
    match length::<V50>(message_type) {
        Some(expected) => Error::BadLength {
            message_type,
            expected,
            found: message.len(),
        },
        None => Error::UnknownType(message_type),
    }
}

const fn both(length: usize) -> Option<usize> {
    Some(length)
}

const fn only50(_: usize) -> Option<usize> {
    None
}

/// `T` of 4.1: a new second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seconds {
    /// Seconds since midnight.
    pub seconds: u32,
}

impl Seconds {
    /// The type on the wire, ASCII.
    pub const TYPE: u8 = b'T';
    /// Length, in bytes.
    pub const LENGTH: usize = 5;

    #[inline(always)]
    fn read(message: &[u8]) -> Option<Self> {
        u32::take(&mut message.get(1..)?).map(|seconds| Seconds { seconds })
    }

    fn write(&self, version: Version, out: &mut Vec<u8>) -> Result<(), EmitError> {
        if version == Version::V50 {
            return Err(EmitError::UnknownType(Self::TYPE));
        }
        out.push(Self::TYPE);
        self.seconds.put(out);
        Ok(())
    }
}

messages! {
    /// `S`: the market day begins, opens, closes.
    b'S' SystemEvent system_event both {
        /// `O`, `S`, `Q`, `M`, `E` or `C`; 4.1 has more.
        event_code: u8,
    }
    /// `R`: an instrument and its properties.
    b'R' StockDirectory stock_directory both {
        /// The instrument.
        stock: Symbol,
        /// Market where it is listed.
        market_category: u8,
        /// Deficient, delinquent, bankrupt.
        financial_status: u8,
        /// Shares in a round lot.
        round_lot_size: u32,
        /// Whether only round lots are taken: `Y` or `N`.
        round_lots_only: u8,
    } v50 {
        /// Class of the issue.
        issue_classification: u8,
        /// Kind of the issue.
        issue_sub_type: [u8; 2],
        /// `P` live, `T` test.
        authenticity: u8,
        /// Regulation SHO threshold: `Y`, `N` or space.
        short_sale_threshold: u8,
        /// Whether it is new: `Y`, `N` or space.
        ipo_flag: u8,
        /// Limit-up limit-down tier: `1`, `2` or space.
        luld_tier: u8,
        /// Exchange-traded product: `Y`, `N` or space.
        etp_flag: u8,
        /// Leverage of the product.
        etp_leverage_factor: u32,
        /// Whether it moves against its index: `Y` or `N`.
        inverse: u8,
    }
    /// `H`: trading in an instrument halts, pauses, resumes.
    b'H' StockTradingAction stock_trading_action both {
        /// The instrument.
        stock: Symbol,
        /// `H`, `P`, `Q` or `T`.
        trading_state: u8,
        /// Reserved.
        reserved: u8,
        /// Why.
        reason: [u8; 4],
    }
    /// `Y`: short-sale price test restriction.
    b'Y' RegSho reg_sho both {
        /// The instrument.
        stock: Symbol,
        /// `0`, `1` or `2`.
        action: u8,
    }
    /// `L`: the standing of a market participant in an instrument.
    b'L' MarketParticipantPosition market_participant_position both {
        /// The participant.
        mpid: [u8; 4],
        /// The instrument.
        stock: Symbol,
        /// Whether it is a primary market maker: `Y` or `N`.
        primary_market_maker: u8,
        /// Mode.
        market_maker_mode: u8,
        /// State.
        market_participant_state: u8,
    }
    /// `V`: the market-wide circuit breaker's levels of the day.
    b'V' MwcbDeclineLevel mwcb_decline_level only50 {
        /// Level 1, in 1/100,000,000.
        level_1: u64,
        /// Level 2, in 1/100,000,000.
        level_2: u64,
        /// Level 3, in 1/100,000,000.
        level_3: u64,
    }
    /// `W`: a level was breached.
    b'W' MwcbStatus mwcb_status only50 {
        /// `1`, `2` or `3`.
        breached_level: u8,
    }
    /// `K`: when quotation of a new issue begins.
    b'K' IpoQuotingPeriod ipo_quoting_period only50 {
        /// The instrument.
        stock: Symbol,
        /// Seconds since midnight.
        release_time: u32,
        /// `A` anticipated, `C` cancelled.
        release_qualifier: u8,
        /// Price of the issue.
        price: u32,
    }
    /// `J`: limits of the auction that ends a limit-up limit-down pause.
    b'J' LuldAuctionCollar luld_auction_collar only50 {
        /// The instrument.
        stock: Symbol,
        /// Reference price.
        reference_price: u32,
        /// Upper limit.
        upper_price: u32,
        /// Lower limit.
        lower_price: u32,
        /// Number of extensions.
        extension: u32,
    }
    /// `h`: one market halts or resumes an instrument.
    b'h' OperationalHalt operational_halt only50 {
        /// The instrument.
        stock: Symbol,
        /// `Q`, `B` or `X`.
        market_code: u8,
        /// `H` halted, `T` resumed.
        action: u8,
    }
    /// `A`: an order enters the book.
    b'A' AddOrder add_order both {
        /// The order.
        order_reference: u64,
        /// Its side.
        side: Side,
        /// Its shares.
        shares: u32,
        /// The instrument.
        stock: Symbol,
        /// Its price.
        price: u32,
    }
    /// `F`: an order enters the book, its owner named.
    b'F' AddOrderMpid add_order_mpid both {
        /// The order.
        order_reference: u64,
        /// Its side.
        side: Side,
        /// Its shares.
        shares: u32,
        /// The instrument.
        stock: Symbol,
        /// Its price.
        price: u32,
        /// The participant.
        attribution: [u8; 4],
    }
    /// `E`: an order trades at its price.
    b'E' OrderExecuted order_executed both {
        /// The order.
        order_reference: u64,
        /// Shares traded.
        executed_shares: u32,
        /// The trade.
        match_number: u64,
    }
    /// `C`: an order trades at another price.
    b'C' OrderExecutedWithPrice order_executed_with_price both {
        /// The order.
        order_reference: u64,
        /// Shares traded.
        executed_shares: u32,
        /// The trade.
        match_number: u64,
        /// Whether it goes on the tape: `Y` or `N`.
        printable: u8,
        /// Price of the trade.
        execution_price: u32,
    }
    /// `X`: an order loses part of its shares.
    b'X' OrderCancel order_cancel both {
        /// The order.
        order_reference: u64,
        /// Shares taken off.
        cancelled_shares: u32,
    }
    /// `D`: an order leaves the book.
    b'D' OrderDelete order_delete both {
        /// The order.
        order_reference: u64,
    }
    /// `U`: an order leaves and another takes its place.
    b'U' OrderReplace order_replace both {
        /// The order that leaves.
        order_reference: u64,
        /// The order that enters.
        new_order_reference: u64,
        /// Its shares.
        shares: u32,
        /// Its price.
        price: u32,
    }
    /// `P`: a trade against an order that was not displayed.
    b'P' Trade trade both {
        /// The order; 0 since 2014.
        order_reference: u64,
        /// Its side.
        side: Side,
        /// Shares traded.
        shares: u32,
        /// The instrument.
        stock: Symbol,
        /// Price of the trade.
        price: u32,
        /// The trade.
        match_number: u64,
    }
    /// `Q`: a cross.
    b'Q' CrossTrade cross_trade both {
        /// Shares traded.
        shares: u64,
        /// The instrument.
        stock: Symbol,
        /// Price of the cross.
        cross_price: u32,
        /// The trade.
        match_number: u64,
        /// `O`, `C`, `H` or `I`.
        cross_type: u8,
    }
    /// `B`: a trade is broken.
    b'B' BrokenTrade broken_trade both {
        /// The trade.
        match_number: u64,
    }
    /// `I`: the imbalance ahead of a cross.
    b'I' NetOrderImbalance net_order_imbalance both {
        /// Shares that match at the reference price.
        paired_shares: u64,
        /// Shares that do not.
        imbalance_shares: u64,
        /// `B`, `S`, `N` or `O`.
        imbalance_direction: u8,
        /// The instrument.
        stock: Symbol,
        /// Price at which cross orders alone would clear.
        far_price: u32,
        /// Price at which cross and continuous orders would clear.
        near_price: u32,
        /// Reference price.
        reference_price: u32,
        /// `O`, `C`, `H` or `A`.
        cross_type: u8,
        /// Class of the deviation of the near price from the reference price.
        price_variation: u8,
    }
    /// `N`: retail interest in an instrument.
    b'N' RetailInterest retail_interest both {
        /// The instrument.
        stock: Symbol,
        /// `B`, `S`, `A` or `N`.
        interest: u8,
    }
    /// `O`: price discovery of a direct listing with a capital raise.
    b'O' DirectListing direct_listing only50 {
        /// The instrument.
        stock: Symbol,
        /// Whether it may open: `Y` or `N`.
        open_eligibility: u8,
        /// Lowest price allowed.
        minimum_price: u32,
        /// Highest price allowed.
        maximum_price: u32,
        /// Price at which it would open now.
        near_price: u32,
        /// When that price came about, in nanoseconds since midnight.
        near_time: u64,
        /// Lower end of the collar.
        lower_price: u32,
        /// Upper end of the collar.
        upper_price: u32,
    }
}
