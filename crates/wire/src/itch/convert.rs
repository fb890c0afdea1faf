//! ITCH messages as events: which member goes where (docs/reference/rules.md).

use super::*;
use crate::event::{Event, Kind, Side, Symbol};

impl Message {
    /// The message as an event. `seconds` is the second of the last `T` (5.0: 0).
    #[inline]
    pub fn event(&self, seconds: u32, sequence: u64, last: bool) -> Event {
        let mut maker = Maker::new(seconds, sequence, last);
        self.accept(&mut maker);
        Event {
            message_type: self.message_type(),
            ..maker.event
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
    let mut maker = Maker::new(seconds, sequence, last);
    visit(version, message, &mut maker);
    match maker.error {
        None => Ok(maker.event),
        Some(error) => Err(error),
    }
}

/// Fills in the members a message has.
struct Maker {
    event: Event,
    error: Option<Error>,
}

impl Maker {
    #[inline(always)]
    fn new(seconds: u32, sequence: u64, last: bool) -> Self {
        Maker {
            event: Event {
                seconds,
                sequence,
                last,
                ..Event::new(Kind::Status, 0)
            },
            error: None,
        }
    }

    #[inline(always)]
    fn order(&mut self, kind: Kind, order_id: u64, quantity: u32, price: u32) {
        self.event.kind = kind;
        self.event.order_id = order_id;
        self.event.quantity = u64::from(quantity);
        self.event.price = i64::from(price);
    }

    #[inline(always)]
    fn of(&mut self, side: Side, stock: Symbol) {
        self.event.side = side;
        self.event.symbol = Some(stock);
    }

    #[inline(always)]
    fn status(&mut self, stock: Symbol) {
        self.event.symbol = Some(stock);
    }
}

impl Visitor for Maker {
    #[inline(always)]
    fn head(&mut self, message_type: u8, head: Head) {
        self.event.message_type = message_type;
        self.event.nanoseconds = head.nanoseconds;
    }

    #[inline(always)]
    fn refused(&mut self, error: Error) {
        self.error = Some(error);
    }

    #[inline(always)]
    fn seconds(&mut self, m: Seconds) {
        self.event.kind = Kind::Time;
        self.event.message_type = Seconds::TYPE;
        self.event.seconds = m.seconds;
    }

    #[inline(always)]
    fn add_order(&mut self, m: AddOrder) {
        self.order(Kind::Add, m.order_reference, m.shares, m.price);
        self.of(m.side, m.stock);
    }

    #[inline(always)]
    fn add_order_mpid(&mut self, m: AddOrderMpid) {
        self.order(Kind::Add, m.order_reference, m.shares, m.price);
        self.of(m.side, m.stock);
    }

    #[inline(always)]
    fn trade(&mut self, m: Trade) {
        self.order(Kind::Trade, m.order_reference, m.shares, m.price);
        self.of(m.side, m.stock);
    }

    #[inline(always)]
    fn order_executed(&mut self, m: OrderExecuted) {
        self.order(Kind::Execute, m.order_reference, m.executed_shares, 0);
    }

    #[inline(always)]
    fn order_executed_with_price(&mut self, m: OrderExecutedWithPrice) {
        self.order(
            Kind::Execute,
            m.order_reference,
            m.executed_shares,
            m.execution_price,
        );
    }

    #[inline(always)]
    fn order_cancel(&mut self, m: OrderCancel) {
        self.order(Kind::Reduce, m.order_reference, m.cancelled_shares, 0);
    }

    #[inline(always)]
    fn order_delete(&mut self, m: OrderDelete) {
        self.order(Kind::Delete, m.order_reference, 0, 0);
    }

    #[inline(always)]
    fn order_replace(&mut self, m: OrderReplace) {
        self.order(Kind::Replace, m.order_reference, m.shares, m.price);
        self.event.new_order_id = m.new_order_reference;
    }

    #[inline(always)]
    fn cross_trade(&mut self, m: CrossTrade) {
        self.order(Kind::Trade, 0, 0, m.cross_price);
        self.event.quantity = m.shares;
        self.event.symbol = Some(m.stock);
    }

    #[inline(always)]
    fn broken_trade(&mut self, m: BrokenTrade) {
        self.event.order_id = m.match_number;
    }

    #[inline(always)]
    fn stock_directory(&mut self, m: StockDirectory) {
        self.status(m.stock);
    }

    #[inline(always)]
    fn stock_trading_action(&mut self, m: StockTradingAction) {
        self.status(m.stock);
    }

    #[inline(always)]
    fn reg_sho(&mut self, m: RegSho) {
        self.status(m.stock);
    }

    #[inline(always)]
    fn market_participant_position(&mut self, m: MarketParticipantPosition) {
        self.status(m.stock);
    }

    #[inline(always)]
    fn ipo_quoting_period(&mut self, m: IpoQuotingPeriod) {
        self.status(m.stock);
    }

    #[inline(always)]
    fn luld_auction_collar(&mut self, m: LuldAuctionCollar) {
        self.status(m.stock);
    }

    #[inline(always)]
    fn operational_halt(&mut self, m: OperationalHalt) {
        self.status(m.stock);
    }

    #[inline(always)]
    fn net_order_imbalance(&mut self, m: NetOrderImbalance) {
        self.status(m.stock);
    }

    #[inline(always)]
    fn retail_interest(&mut self, m: RetailInterest) {
        self.status(m.stock);
    }

    #[inline(always)]
    fn direct_listing(&mut self, m: DirectListing) {
        self.status(m.stock);
    }
}
