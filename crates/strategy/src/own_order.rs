//! The one order that a strategy keeps in the market: the twin of `rtl/strategy/module/own_order.sv`. The rule is in `docs/reference/rules.md`.

/// What became of an order of the strategy. Orders are named by their MsgSeqNums.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OrderChange {
    /// Risk refused it or its cancel, or the order stage dropped it.
    NotSent,
    /// It left with this number.
    Sent(u32),
    /// The exchange has the order.
    Open(u32),
    /// The order ended: filled, cancelled, rejected.
    Closed(u32),
    /// This replacement is the order now.
    Replaced(u32),
    /// This replacement, or the cancel of this order, was refused: the order is as it was.
    ChangeRefused(u32),
    /// What replaces the order and what cancels it are prepared.
    Prepared,
    /// The cancel left.
    CancelSent,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
enum State {
    /// There is no order.
    #[default]
    Absent,
    /// Risk is given a new order.
    Asked,
    /// It left.
    Sent { order: u32 },
    /// The exchange has it; its replacement and its cancel are being prepared.
    Preparing { order: u32, gone: bool },
    /// It may be replaced or cancelled.
    Working { order: u32 },
    /// Risk is given the replacement.
    ChangeAsked { order: u32, gone: bool },
    /// The replacement left.
    ChangeSent {
        order: u32,
        request: u32,
        gone: bool,
    },
    /// Risk is given the cancel.
    CancelAsked { order: u32, gone: bool },
    /// The cancel left.
    CancelSent { order: u32 },
}

/// Follows the order. `gone`: it ended while something about it was on its way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct OwnOrder(State);

impl OwnOrder {
    /// There is none.
    pub const NONE: OwnOrder = OwnOrder(State::Absent);

    /// Whether something may be asked for: nothing is due about the order.
    pub const fn is_free(&self) -> bool {
        matches!(self.0, State::Absent | State::Working { .. })
    }

    /// The order in the market that the next intent replaces or cancels; `None`: there is none, or something is due about it.
    pub const fn replaces(&self) -> Option<u32> {
        match self.0 {
            State::Working { order } => Some(order),
            _ => None,
        }
    }

    /// The order whose replacement and cancel are to be prepared.
    pub const fn prepares(&self) -> Option<u32> {
        match self.0 {
            State::Preparing { order, .. } => Some(order),
            _ => None,
        }
    }

    /// The strategy has an intent of an order.
    pub const fn ask(&mut self) {
        self.0 = match self.0 {
            State::Absent => State::Asked,
            State::Working { order } => State::ChangeAsked { order, gone: false },
            other => other,
        };
    }

    /// The strategy asks for its order's cancel.
    pub const fn ask_cancel(&mut self) {
        if let State::Working { order } = self.0 {
            self.0 = State::CancelAsked { order, gone: false };
        }
    }

    /// Something became of an order. What is about another one changes nothing.
    pub fn became(&mut self, became: OrderChange) {
        use OrderChange::{ChangeRefused, Closed, NotSent, Open, Prepared, Replaced, Sent};
        use State::{Absent, Asked, CancelAsked, ChangeAsked, ChangeSent, Preparing, Working};
        let end = |gone, order| if gone { Absent } else { Working { order } };
        self.0 = match (self.0, became) {
            (Asked, NotSent) => Absent,
            (Asked, Sent(order)) => State::Sent { order },
            (State::Sent { order }, Open(number)) if number == order => {
                Preparing { order, gone: false }
            }
            (State::Sent { order } | Working { order }, Closed(number)) if number == order => {
                Absent
            }
            (Preparing { order, gone }, Prepared) => end(gone, order),
            (Preparing { order, .. }, Closed(number)) if number == order => {
                Preparing { order, gone: true }
            }
            (ChangeAsked { order, gone }, NotSent) => end(gone, order),
            (ChangeAsked { order, gone }, Sent(request)) => ChangeSent {
                order,
                request,
                gone,
            },
            (ChangeAsked { order, .. }, Closed(number)) if number == order => {
                ChangeAsked { order, gone: true }
            }
            (ChangeSent { request, .. }, Replaced(number)) if number == request => Preparing {
                order: request,
                gone: false,
            },
            (ChangeSent { request, .. }, Closed(number)) if number == request => Absent,
            (
                ChangeSent {
                    order,
                    request,
                    gone,
                },
                ChangeRefused(number),
            ) if number == request => end(gone, order),
            (ChangeSent { order, request, .. }, Closed(number)) if number == order => ChangeSent {
                order,
                request,
                gone: true,
            },
            (CancelAsked { order, gone }, NotSent) => end(gone, order),
            (CancelAsked { gone: true, .. }, OrderChange::CancelSent) => Absent,
            (CancelAsked { order, gone: false }, OrderChange::CancelSent) => {
                State::CancelSent { order }
            }
            (CancelAsked { order, .. }, Closed(number)) if number == order => {
                CancelAsked { order, gone: true }
            }
            (State::CancelSent { order }, Closed(number)) if number == order => Absent,
            (State::CancelSent { order }, ChangeRefused(number)) if number == order => {
                Working { order }
            }
            (state, _) => state,
        };
    }
}
