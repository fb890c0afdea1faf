//! The table of messages: type, struct, members in wire order. Lengths, parsing and writing follow from it.

use super::{EmitError, Error, Head, Version};
use crate::bytes::Field;
use crate::event::{Side, Symbol};

/// `type Name method [in 4.1 too?] { members } { members at the end that only 5.0 has }`
macro_rules! messages {
    ($(
        $(#[$doc:meta])*
        $code:literal $name:ident $method:ident $since:ident
        { $($(#[$member_doc:meta])* $member:ident: $type:ty,)* }
        $(v50 { $($(#[$tail_doc:meta])* $tail:ident: $tail_type:ty,)* })?
    )*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub struct $name {
                /// Locate code, tracking number and time.
                pub head: Head,
                $($(#[$member_doc])* pub $member: $type,)*
                $($($(#[$tail_doc])* pub $tail: $tail_type,)*)?
            }

            impl $name {
                /// The type on the wire, ASCII.
                pub const TYPE: u8 = $code;
                /// Length in 5.0, in bytes.
                pub const LENGTH_V50: usize = Head::LENGTH_V50
                    $(+ <$type as Field>::SIZE)* $($(+ <$tail_type as Field>::SIZE)*)?;
                /// Length in 4.1, in bytes; `None` if 4.1 does not have it.
                pub const LENGTH_V41: Option<usize> = $since(Head::LENGTH_V41 $(+ <$type as Field>::SIZE)*);

                #[inline(always)]
                fn read<const V50: bool>(message: &[u8]) -> Option<Self> {
                    let mut rest = message.get(1..)?;
                    let rest = &mut rest;
                    let head = Head::take::<V50>(rest)?;
                    $(let $member = <$type as Field>::take(rest)?;)*
                    $($(let $tail = if V50 { <$tail_type as Field>::take(rest)? } else { Default::default() };)*)?
                    Some($name { head, $($member,)* $($($tail,)*)? })
                }

                fn write(&self, version: Version, out: &mut Vec<u8>) -> Result<(), EmitError> {
                    if version == Version::V41 && Self::LENGTH_V41.is_none() {
                        return Err(EmitError::UnknownType(Self::TYPE));
                    }
                    let start = out.len();
                    out.push(Self::TYPE);
                    if let Err(error) = self.head.put(version, out) {
                        out.truncate(start);
                        return Err(error);
                    }
                    $(self.$member.put(out);)*
                    $(if version == Version::V50 { $(self.$tail.put(out);)* })?
                    Ok(())
                }
            }

            impl From<$name> for Message {
                #[inline(always)]
                fn from(message: $name) -> Self {
                    Message::$name(message)
                }
            }
        )*

        /// Any message of either version.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Message {
            /// `T` of 4.1.
            Seconds(Seconds),
            $($(#[$doc])* $name($name),)*
        }

        impl Message {
            /// The message in these bytes.
            #[inline]
            pub fn parse(version: Version, message: &[u8]) -> Result<Self, Error> {
                let mut parser = Parser(Err(Error::UnknownType(0)));
                super::visit(version, message, &mut parser);
                parser.0
            }

            /// Appends the message to `out`. On an error nothing is appended.
            pub fn emit(&self, version: Version, out: &mut Vec<u8>) -> Result<(), EmitError> {
                match self {
                    Message::Seconds(message) => message.write(version, out),
                    $(Message::$name(message) => message.write(version, out),)*
                }
            }

            /// The type on the wire, ASCII.
            pub const fn message_type(&self) -> u8 {
                match self {
                    Message::Seconds(_) => Seconds::TYPE,
                    $(Message::$name(_) => $name::TYPE,)*
                }
            }

            /// Locate code, tracking number and time; `T` has none.
            pub const fn head(&self) -> Option<&Head> {
                match self {
                    Message::Seconds(_) => None,
                    $(Message::$name(message) => Some(&message.head),)*
                }
            }
        }

        /// Takes messages one by one. Each has its method, which does nothing unless it is written.
        #[allow(unused_variables)]
        pub trait Visitor {
            /// Before the method of every message but `T`: its type and head.
            #[inline(always)]
            fn head(&mut self, message_type: u8, head: Head) {}

            /// Bytes that are not a message of this version.
            #[inline(always)]
            fn refused(&mut self, error: Error) {}

            /// `T` of 4.1.
            #[inline(always)]
            fn seconds(&mut self, message: Seconds) {}

            $(
                $(#[$doc])*
                #[inline(always)]
                fn $method(&mut self, message: $name) {}
            )*
        }

        /// Keeps the message it is given.
        struct Parser(Result<Message, Error>);

        impl Visitor for Parser {
            #[inline(always)]
            fn refused(&mut self, error: Error) {
                self.0 = Err(error);
            }

            #[inline(always)]
            fn seconds(&mut self, message: Seconds) {
                self.0 = Ok(Message::Seconds(message));
            }

            $(
                #[inline(always)]
                fn $method(&mut self, message: $name) {
                    self.0 = Ok(Message::$name(message));
                }
            )*
        }

        impl Message {
            /// Calls the visitor's method for this message.
            #[inline(always)]
            pub fn accept<V: Visitor>(&self, visitor: &mut V) {
                if let Some(head) = self.head() {
                    visitor.head(self.message_type(), *head);
                }
                match *self {
                    Message::Seconds(message) => visitor.seconds(message),
                    $(Message::$name(message) => visitor.$method(message),)*
                }
            }
        }

        /// One look at the table tells whether type and length go together. A method that does nothing then needs no branch, so
        /// a visitor of few types costs few mispredictions; those that do something check the length once more, and load at
        /// constant offsets.
        #[inline(always)]
        pub(super) fn visit<const V50: bool, V: Visitor>(message: &[u8], visitor: &mut V) {
            let lengths = if V50 { &LENGTHS_V50 } else { &LENGTHS_V41 };
            let Some((&message_type, mut rest)) = message.split_first() else {
                return visitor.refused(refusal::<V50>(message));
            };
            if usize::from(lengths[usize::from(message_type)]) != message.len() {
                return visitor.refused(refusal::<V50>(message));
            }
            if !V50 && message_type == Seconds::TYPE {
                if let Some(message) = Seconds::read(message) {
                    visitor.seconds(message);
                }
                return;
            }
            let Some(head) = Head::take::<V50>(&mut rest) else { return };
            visitor.head(message_type, head);
            match message_type {
                $($name::TYPE => {
                    let length = if V50 { $name::LENGTH_V50 } else { $name::LENGTH_V41.unwrap_or(0) };
                    if let Some(message) = message.get(..length).and_then($name::read::<V50>) {
                        visitor.$method(message);
                    }
                })*
                _ => {}
            }
        }

        pub(super) const fn length<const V50: bool>(message_type: u8) -> Option<usize> {
            match message_type {
                Seconds::TYPE if !V50 => Some(Seconds::LENGTH),
                $($name::TYPE => if V50 { Some($name::LENGTH_V50) } else { $name::LENGTH_V41 },)*
                _ => None,
            }
        }

        /// The types of a version, ASCII.
        pub const fn types(version: Version) -> &'static [u8] {
            const V50: &[u8] = &[$($name::TYPE),*];
            const V41: &[u8] = b"TSRHYLAFECXDUPQBIN";
            match version {
                Version::V41 => V41,
                Version::V50 => V50,
            }
        }
    };
}

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
    /// `R`: an instrument and what is known of it.
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
