//! What the order stage is asked for: `order_t` of `rtl/order/order_pkg.sv`.

use formats::Side;
use formats::fix::TimeInForce;

use crate::digits::Number;

/// What an order asks for. The discriminants are those of `order_kind_e`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Kind {
    /// NewOrderSingle.
    #[default]
    New,
    /// OrderCancelRequest, of the order sent with this number.
    Cancel(
        /// The order's MsgSeqNum: OrigClOrdID ends with it.
        Number,
    ),
    /// OrderCancelReplaceRequest, of the order sent with this number.
    Replace(
        /// The order's MsgSeqNum.
        Number,
    ),
}

/// An order for the order stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Order {
    /// What it asks for.
    pub kind: Kind,
    /// Side.
    pub side: Side,
    /// The instrument's index.
    pub instrument: u8,
    /// Limit price in the instrument's scale; `None` is a market order.
    pub price: Option<i64>,
    /// Quantity.
    pub quantity: u32,
    /// How long it stays, where the templates leave that to each order; not of a cancel.
    pub time_in_force: TimeInForce,
    /// The strategy's number of the order; its low bits give its text.
    pub client_id: u32,
}

/// Which of an instrument's templates an order is sent with. The discriminants are those of `order_form_e`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Form {
    /// NewOrderSingle with a price.
    Limit,
    /// OrderCancelRequest.
    Cancel,
    /// OrderCancelReplaceRequest, of a limit order.
    Replace,
    /// NewOrderSingle without a price.
    Market,
    /// NewOrderSingle whose price comes with the intent.
    Computed,
    /// OrderCancelReplaceRequest whose price comes with the intent.
    ComputedReplace,
}

impl Form {
    /// All of them, in the order of their codes.
    pub const ALL: [Form; 6] = [
        Form::Limit,
        Form::Cancel,
        Form::Replace,
        Form::Market,
        Form::Computed,
        Form::ComputedReplace,
    ];

    /// Those of prepared orders, whose text is complete.
    pub const PREPARED: [Form; 4] = [Form::Limit, Form::Cancel, Form::Replace, Form::Market];

    /// Whether Price is in its text.
    pub const fn has_price(self) -> bool {
        matches!(self, Form::Limit | Form::Replace)
    }

    /// Whether Price comes with the intent.
    pub const fn is_computed(self) -> bool {
        matches!(self, Form::Computed | Form::ComputedReplace)
    }

    /// Whether OrigClOrdID is in it.
    pub const fn has_original(self) -> bool {
        matches!(self, Form::Cancel | Form::Replace | Form::ComputedReplace)
    }
}

impl Order {
    /// The form it is sent in.
    pub const fn form(&self) -> Form {
        match (self.kind, self.price) {
            (Kind::Cancel(_), _) => Form::Cancel,
            (Kind::Replace(_), _) => Form::Replace,
            (Kind::New, Some(_)) => Form::Limit,
            (Kind::New, None) => Form::Market,
        }
    }

    /// The number of the order it is about.
    pub const fn original(&self) -> Option<Number> {
        match self.kind {
            Kind::New => None,
            Kind::Cancel(number) | Kind::Replace(number) => Some(number),
        }
    }
}
