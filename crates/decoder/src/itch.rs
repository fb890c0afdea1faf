//! MoldUDP64 datagrams with ITCH 4.1 or 5.0: the twin of `decoder_itch`.

use formats::itch::{self, Error, Version, Visitor};
use formats::mold::{Cause, Packet};
use formats::{Event, FeedInfo, Head, Kind, Listener, Side, Symbol};

use crate::count;
use crate::mold::{Sequence, Step};

/// What became of datagrams and messages. 32 bits, wrapping; `mold_lost` 64.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Datagrams that are no MoldUDP64 packet.
    pub mold_malformed: u32,
    /// Datagrams whose messages have all come before.
    pub mold_old: u32,
    /// Heartbeats.
    pub mold_heartbeat: u32,
    /// Ends of session.
    pub mold_end_of_session: u32,
    /// Packets with messages.
    pub mold_packet: u32,
    /// Sessions begun, the first included.
    pub mold_new_session: u32,
    /// Gaps in the sequence.
    pub mold_gap: u32,
    /// Messages lost in gaps.
    pub mold_lost: u64,
    /// Messages of good packets.
    pub itch_messages: u32,
    /// Of these, those whose type the version does not have.
    pub itch_unknown_type: u32,
    /// Of these, those of a known type and a wrong length.
    pub itch_bad_length: u32,
}

/// The decoder of a feed. It allocates nothing.
#[derive(Clone, Debug)]
pub struct Itch {
    version: Version,
    sequence: Sequence,
    /// Second of the last `T` (4.1).
    seconds: u32,
    counters: Counters,
}

impl Itch {
    /// A decoder that has seen nothing yet.
    pub fn new(version: Version) -> Self {
        Itch {
            version,
            sequence: Sequence::default(),
            seconds: 0,
            counters: Counters::default(),
        }
    }

    /// Takes a UDP payload: gives the events of all of it that has not come before, or none.
    #[inline]
    pub fn datagram(&mut self, payload: &[u8], listener: &mut impl Listener) -> Cause {
        let counters = &mut self.counters;
        let Ok(packet) = Packet::parse(payload) else {
            count(&mut counters.mold_malformed);
            return Cause::Malformed;
        };
        let header = packet.header;
        let step = self.sequence.take(&header);
        let mut known = 0;
        match step {
            Step::Old => {
                count(&mut counters.mold_old);
                return Cause::Old;
            }
            Step::Overlap(messages) => known = messages,
            Step::Next(0) => {}
            Step::Next(lost) => {
                count(&mut counters.mold_gap);
                counters.mold_lost = counters.mold_lost.wrapping_add(lost);
            }
            Step::NewSession => {
                count(&mut counters.mold_new_session);
                self.seconds = 0;
            }
        }
        let cause = packet.cause();
        count(match cause {
            Cause::Heartbeat => &mut counters.mold_heartbeat,
            Cause::EndOfSession => &mut counters.mold_end_of_session,
            _ => &mut counters.mold_packet,
        });
        let messages = header.messages() - known;
        counters.itch_messages = counters.itch_messages.wrapping_add(messages.into());
        listener.frame(&FeedInfo {
            session: header.session,
            first_sequence: header.sequence.wrapping_add(known.into()),
            lost: counters.mold_lost,
            new_session: step == Step::NewSession,
        });
        match self.version {
            Version::V41 => self.messages::<false, _>(&packet, known, listener),
            Version::V50 => self.messages::<true, _>(&packet, known, listener),
        }
        cause
    }

    #[inline(always)]
    fn messages<const V50: bool, L: Listener>(
        &mut self,
        packet: &Packet<'_>,
        known: u16,
        listener: &mut L,
    ) {
        let mut events = Events {
            listener,
            seconds: self.seconds,
            message: Event::new(Kind::Status, 0),
            version: self.version,
            refused: |error: Error| {
                count(match error {
                    Error::UnknownType(_) => &mut self.counters.itch_unknown_type,
                    Error::BadLength { .. } => &mut self.counters.itch_bad_length,
                });
            },
        };
        let first = packet.header.sequence;
        let end = first.wrapping_add(u64::from(packet.header.messages()));
        events.message.sequence = first.wrapping_add(known.into());
        for message in packet.messages().skip(known.into()) {
            let next = events.message.sequence.wrapping_add(1);
            events.message.last = next == end;
            if V50 {
                itch::visit_v50(message, &mut events);
            } else {
                itch::visit_v41(message, &mut events);
            }
            events.message.sequence = next;
        }
        self.seconds = events.seconds;
    }

    /// ITCH version.
    pub const fn version(&self) -> Version {
        self.version
    }

    /// The session, and the number of the next message; `None`: nothing has come yet.
    pub const fn position(&self) -> Option<([u8; 10], u64)> {
        self.sequence.position()
    }

    /// What was counted so far.
    pub const fn counters(&self) -> Counters {
        self.counters
    }
}

/// The event in the bytes of one message. `seconds` is the second of the last `T` (5.0: 0).
///
/// # Errors
/// The version has no such message.
#[inline]
pub fn event(
    version: Version,
    message: &[u8],
    seconds: u32,
    sequence: u64,
    last: bool,
) -> Result<Event, Error> {
    let mut found = Event::new(Kind::Status, 0);
    let mut copy = |event: &Event| found = *event;
    give(version, message, seconds, sequence, last, &mut copy).map(|()| found)
}

/// The same without a copy: gives the event to a listener.
///
/// # Errors
/// The version has no such message.
#[inline(always)]
pub fn give(
    version: Version,
    message: &[u8],
    seconds: u32,
    sequence: u64,
    last: bool,
    listener: &mut impl Listener,
) -> Result<(), Error> {
    let mut refused = Ok(());
    itch::visit(
        version,
        message,
        &mut Events {
            listener,
            seconds,
            message: Event {
                sequence,
                last,
                ..Event::new(Kind::Status, 0)
            },
            version,
            refused: |error: Error| refused = Err(error),
        },
    );
    refused
}

/// What a message of an order is about, without its event: for hints of what comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preview {
    /// The stock locate (5.0).
    pub locate: Option<u16>,
    /// The order's id.
    pub order_id: u64,
    /// Side and price of an order that enters.
    pub limit: Option<(Side, i64)>,
}

/// A look at a message: `None` if it is not about an order, or is too short.
#[inline(always)]
pub fn preview(version: Version, message: &[u8]) -> Option<Preview> {
    let (message_type, rest) = message.split_first()?;
    let (locate, body) = match version {
        Version::V50 => (rest.first_chunk::<2>(), rest.get(10..)?),
        Version::V41 => (None, rest.get(4..)?),
    };
    // Reference 8, side 1, shares 4, stock 8, price 4 (TotalView-ITCH, section "Add order").
    let limit = match message_type {
        b'A' | b'F' => {
            let side = Side::from_ascii(*body.get(8)?);
            let price = u32::from_be_bytes(*body.get(21..)?.first_chunk::<4>()?);
            Some((side, price.into()))
        }
        b'E' | b'C' | b'X' | b'D' | b'U' => None,
        _ => return None,
    };
    Some(Preview {
        locate: locate.map(|bytes| u16::from_be_bytes(*bytes)),
        order_id: u64::from_be_bytes(*body.first_chunk::<8>()?),
        limit,
    })
}

/// Makes events of messages: which member goes where (docs/reference/rules.md, "ITCH").
struct Events<'a, L, R> {
    listener: &'a mut L,
    /// Second of the last `T`.
    seconds: u32,
    /// What all events of this message have in common.
    message: Event,
    version: Version,
    refused: R,
}

impl<L: Listener, R> Events<'_, L, R> {
    #[inline(always)]
    fn begin(&mut self, message_type: u8, nanoseconds: u64) {
        self.message.message_type = message_type;
        self.message.seconds = self.seconds;
        self.message.nanoseconds = nanoseconds;
        self.listener.head(&Head {
            seconds: self.seconds,
            nanoseconds,
            sequence: self.message.sequence,
        });
    }

    #[inline(always)]
    fn give(&mut self, event: Event) {
        self.listener.event(&event);
    }

    /// An order that is known by its number alone.
    #[inline(always)]
    fn known_order(&mut self, kind: Kind, order_id: u64, quantity: u32, price: u32) {
        self.give(Event {
            kind,
            order_id,
            quantity: quantity.into(),
            price: price.into(),
            ..self.message
        });
    }

    #[inline(always)]
    fn order(&mut self, kind: Kind, order: (u64, Side, u32, Symbol, u32)) {
        let (order_id, side, quantity, symbol, price) = order;
        self.give(Event {
            kind,
            side,
            symbol: Some(symbol),
            order_id,
            quantity: quantity.into(),
            price: price.into(),
            ..self.message
        });
    }

    #[inline(always)]
    fn status(&mut self, symbol: Option<Symbol>) {
        self.give(Event {
            symbol,
            ..self.message
        });
    }
}

/// Messages about an instrument that are neither orders nor trades.
macro_rules! status {
    ($($method:ident $message:ident,)*) => {$(
        #[inline(always)]
        fn $method(&mut self, m: itch::$message) {
            self.status(Some(m.stock));
        }
    )*};
}

impl<L: Listener, R: FnMut(Error)> Visitor for Events<'_, L, R> {
    #[inline(always)]
    fn head(&mut self, message_type: u8, head: itch::Head) {
        self.message.locate = (self.version == Version::V50).then_some(head.stock_locate);
        self.begin(message_type, head.nanoseconds);
    }

    #[inline(always)]
    fn refused(&mut self, error: Error) {
        (self.refused)(error);
    }

    #[inline(always)]
    fn seconds(&mut self, m: itch::Seconds) {
        self.seconds = m.seconds;
        self.begin(itch::Seconds::TYPE, 0);
        self.give(Event {
            kind: Kind::Time,
            ..self.message
        });
    }

    #[inline(always)]
    fn add_order(&mut self, m: itch::AddOrder) {
        let order = (m.order_reference, m.side, m.shares, m.stock, m.price);
        self.order(Kind::Add, order);
    }

    #[inline(always)]
    fn add_order_mpid(&mut self, m: itch::AddOrderMpid) {
        let order = (m.order_reference, m.side, m.shares, m.stock, m.price);
        self.order(Kind::Add, order);
    }

    #[inline(always)]
    fn trade(&mut self, m: itch::Trade) {
        let order = (m.order_reference, m.side, m.shares, m.stock, m.price);
        self.order(Kind::of_trade(m.price.into(), m.shares.into()), order);
    }

    #[inline(always)]
    fn order_executed(&mut self, m: itch::OrderExecuted) {
        self.known_order(Kind::Execute, m.order_reference, m.executed_shares, 0);
    }

    #[inline(always)]
    fn order_executed_with_price(&mut self, m: itch::OrderExecutedWithPrice) {
        self.give(Event {
            kind: Kind::Execute,
            order_id: m.order_reference,
            quantity: m.executed_shares.into(),
            price: m.execution_price.into(),
            non_printable: m.printable == b'N',
            ..self.message
        });
    }

    #[inline(always)]
    fn order_cancel(&mut self, m: itch::OrderCancel) {
        self.known_order(Kind::Reduce, m.order_reference, m.cancelled_shares, 0);
    }

    #[inline(always)]
    fn order_delete(&mut self, m: itch::OrderDelete) {
        self.known_order(Kind::Delete, m.order_reference, 0, 0);
    }

    #[inline(always)]
    fn order_replace(&mut self, m: itch::OrderReplace) {
        self.give(Event {
            kind: Kind::Replace,
            order_id: m.order_reference,
            new_order_id: m.new_order_reference,
            quantity: m.shares.into(),
            price: m.price.into(),
            ..self.message
        });
    }

    #[inline(always)]
    fn cross_trade(&mut self, m: itch::CrossTrade) {
        self.give(Event {
            kind: Kind::of_trade(m.cross_price.into(), m.shares),
            symbol: Some(m.stock),
            quantity: m.shares,
            price: m.cross_price.into(),
            ..self.message
        });
    }

    #[inline(always)]
    fn broken_trade(&mut self, m: itch::BrokenTrade) {
        self.give(Event {
            order_id: m.match_number,
            ..self.message
        });
    }

    #[inline(always)]
    fn system_event(&mut self, _: itch::SystemEvent) {
        self.status(None);
    }

    #[inline(always)]
    fn mwcb_decline_level(&mut self, _: itch::MwcbDeclineLevel) {
        self.status(None);
    }

    #[inline(always)]
    fn mwcb_status(&mut self, _: itch::MwcbStatus) {
        self.status(None);
    }

    status! {
        stock_directory StockDirectory,
        stock_trading_action StockTradingAction,
        reg_sho RegSho,
        market_participant_position MarketParticipantPosition,
        ipo_quoting_period IpoQuotingPeriod,
        luld_auction_collar LuldAuctionCollar,
        operational_halt OperationalHalt,
        net_order_imbalance NetOrderImbalance,
        retail_interest RetailInterest,
        direct_listing DirectListing,
    }
}
