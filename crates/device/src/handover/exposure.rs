//! What the peer's reports mean for the risk limits.

use std::collections::HashMap;

use order::{Kind, Number, Order};
use risk::Adjustment;
use wire::Side;
use wire::fix::{Decimal, ExecType, ExecutionReport, Message, OrdStatus, OrderCancelReject};

/// What the peer says about an order of ours, or of a request about one. Numbers are MsgSeqNums: ClOrdIDs end with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// An execution report.
    Executed {
        /// The order, or the request that changed it.
        number: Number,
        /// The order, if `number` is a request's.
        original: Option<Number>,
        /// What was traded with this report.
        filled: u32,
        /// The order is no longer open.
        closed: bool,
    },
    /// An order has the number and the quantity of its replacement.
    Replaced {
        /// The replacement.
        number: Number,
        /// The order before.
        original: Number,
        /// What is still to be traded.
        leaves: u32,
    },
    /// An execution report: this order, or this replacement, was rejected.
    Rejected {
        /// It.
        number: Number,
    },
    /// OrderCancelReject: the order is unchanged.
    ChangeRefused {
        /// The cancel or the replacement.
        number: Number,
    },
}

/// An order whose end is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenOrder {
    /// The instrument's index.
    pub instrument: u8,
    /// Its side.
    pub side: Side,
    /// What is still to be traded.
    pub quantity: u32,
}

impl OpenOrder {
    /// Takes quantity from the exposure of its side.
    fn give_back(&self, quantity: i64, closed: bool) -> Adjustment {
        let (buy, sell) = match self.side {
            Side::Buy => (-quantity, 0),
            Side::Sell => (0, -quantity),
        };
        Adjustment {
            instrument: self.instrument,
            buy,
            sell,
            closed: closed.into(),
        }
    }
}

/// The orders the hardware sent, until the peer reports their end.
#[derive(Debug, Default)]
pub struct Exposure {
    open: HashMap<Number, OpenOrder>,
    /// Replacements the peer has not answered: their full quantity is exposed, and that of the orders they replace.
    replacements: HashMap<Number, OpenOrder>,
}

impl Exposure {
    /// How many there are.
    pub fn open_orders(&self) -> usize {
        self.open.len()
    }

    /// The order sent with this number.
    pub fn open_order(&self, number: Number) -> Option<&OpenOrder> {
        self.open.get(&number)
    }

    /// An order left.
    pub fn sent(&mut self, number: Number, order: &Order) {
        let open = OpenOrder {
            instrument: order.instrument,
            side: order.side,
            quantity: order.quantity,
        };
        match order.kind {
            Kind::New => self.open.insert(number, open),
            Kind::Replace(_) => self.replacements.insert(number, open),
            Kind::Cancel(_) => None,
        };
    }

    /// What a message of the peer changes. `prefix` is what our ClOrdIDs begin with.
    pub fn message(&mut self, prefix: &[u8], message: &Message<'_>) -> Option<Adjustment> {
        self.told(&Told::of(prefix, message)?)
    }

    /// What the peer's report changes; nothing if the order is not known.
    pub fn told(&mut self, told: &Told) -> Option<Adjustment> {
        match *told {
            Told::Executed {
                number,
                original,
                filled,
                closed,
            } => {
                let number = Some(number).filter(|number| self.open.contains_key(number));
                self.executed(number.or(original)?, filled, closed)
            }
            Told::Replaced {
                number,
                original,
                leaves,
            } => self.replaced(number, original, leaves),
            Told::Rejected { number } => match self.replacements.remove(&number) {
                Some(replacement) => {
                    Some(replacement.give_back(replacement.quantity.into(), false))
                }
                None => self.executed(number, 0, true),
            },
            Told::ChangeRefused { number } => {
                let replacement = self.replacements.remove(&number)?;
                Some(replacement.give_back(replacement.quantity.into(), false))
            }
        }
    }

    fn executed(&mut self, number: Number, filled: u32, closed: bool) -> Option<Adjustment> {
        let open = self.open.get_mut(&number)?;
        // A fill beyond the ordered quantity is ignored.
        let filled = filled.min(open.quantity);
        open.quantity -= filled;
        let open = *open;
        if closed {
            self.open.remove(&number);
        } else if filled == 0 {
            return None;
        }
        let given_back = if closed { open.quantity } else { 0 };
        let mut adjustment = open.give_back(given_back.into(), closed);
        // A fill moves quantity from the open orders of a side to the position: it reduces the exposure to the other side only.
        match open.side {
            Side::Buy => adjustment.sell -= i64::from(filled),
            Side::Sell => adjustment.buy -= i64::from(filled),
        }
        Some(adjustment)
    }

    /// The hardware counted the replacement's full quantity: what was traded of it before, and what was open of the order, is taken off.
    fn replaced(&mut self, number: Number, original: Number, leaves: u32) -> Option<Adjustment> {
        let replacement = self.replacements.remove(&number)?;
        let leaves = leaves.min(replacement.quantity);
        let before = self.open.remove(&original);
        let before = before.map_or(0, |open| i64::from(open.quantity));
        if leaves > 0 {
            let open = OpenOrder {
                quantity: leaves,
                ..replacement
            };
            self.open.insert(number, open);
        }
        let traded = i64::from(replacement.quantity - leaves);
        Some(replacement.give_back(before + traded, leaves == 0))
    }
}

impl Told {
    /// What a message says about one of our orders; `None` if nothing.
    pub fn of(prefix: &[u8], message: &Message<'_>) -> Option<Self> {
        let number = |name: &[u8]| {
            let digits = name.strip_prefix(prefix)?;
            let value = std::str::from_utf8(digits).ok()?.parse().ok()?;
            Number::new(value).ok()
        };
        let whole = |quantity: Decimal| u32::try_from(quantity.at_scale(0)?).ok();
        if message.msg_type() == b"9" {
            let (_, reject) = message.read::<OrderCancelReject<'_>>().ok()?;
            let number = number(reject.client_order_id)?;
            return Some(Told::ChangeRefused { number });
        }
        if message.msg_type() != b"8" {
            return None;
        }
        let (_, report) = message.read::<ExecutionReport<'_>>().ok()?;
        let original = report.original_client_order_id.and_then(number);
        let number = number(report.client_order_id?)?;
        if report.execution_type == ExecType::Replaced {
            return Some(Told::Replaced {
                number,
                original: original?,
                leaves: whole(report.leaves_quantity)?,
            });
        }
        if report.status == OrdStatus::Rejected {
            return Some(Told::Rejected { number });
        }
        let traded = matches!(
            report.execution_type,
            ExecType::Trade | ExecType::Fill | ExecType::PartialFill
        );
        let filled = report.last_quantity.filter(|_| traded).and_then(whole);
        let closed = matches!(
            report.status,
            OrdStatus::Filled | OrdStatus::Canceled | OrdStatus::Expired | OrdStatus::DoneForDay
        );
        Some(Told::Executed {
            number,
            original,
            filled: filled.unwrap_or(0),
            closed,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::fix::{self, CancelRejectResponse, Frame, Header, Version};

    fn number(value: u64) -> Number {
        Number::new(value).unwrap()
    }

    fn order(kind: Kind, side: Side, quantity: u32) -> Order {
        Order {
            kind,
            side,
            instrument: 3,
            quantity,
            ..Order::default()
        }
    }

    fn executed(value: u64, filled: u32, closed: bool) -> Told {
        Told::Executed {
            number: number(value),
            original: None,
            filled,
            closed,
        }
    }

    const fn adjustment(buy: i64, sell: i64, closed: u16) -> Option<Adjustment> {
        Some(Adjustment {
            instrument: 3,
            buy,
            sell,
            closed,
        })
    }

    /// As in risk_pkg: bought: buy 0 and sell minus; cancelled: buy minus.
    #[test]
    fn fills_and_ends_give_back_what_the_order_had_taken() {
        let mut exposure = Exposure::default();
        exposure.sent(number(5), &order(Kind::New, Side::Buy, 10));
        exposure.sent(number(6), &order(Kind::New, Side::Sell, 10));
        assert_eq!(exposure.told(&executed(5, 0, false)), None);
        assert_eq!(exposure.told(&executed(5, 4, false)), adjustment(0, -4, 0));
        assert_eq!(exposure.told(&executed(5, 0, true)), adjustment(-6, 0, 1));
        assert_eq!(exposure.told(&executed(5, 1, true)), None);
        assert_eq!(exposure.told(&executed(6, 99, true)), adjustment(-10, 0, 1));
        assert_eq!(exposure.open_orders(), 0);
    }

    /// The exchange names the cancel, and also the order (FIX 4.4, volume 7, appendix D).
    #[test]
    fn an_order_that_was_cancelled_gives_back_what_was_open_of_it() {
        let mut exposure = Exposure::default();
        exposure.sent(number(5), &order(Kind::New, Side::Sell, 10));
        exposure.sent(number(6), &order(Kind::Cancel(number(5)), Side::Sell, 10));
        assert_eq!(exposure.told(&executed(5, 3, false)), adjustment(-3, 0, 0));
        let cancelled = Told::Executed {
            number: number(6),
            original: Some(number(5)),
            filled: 0,
            closed: true,
        };
        let refused = Told::ChangeRefused { number: number(6) };
        assert_eq!(exposure.told(&refused), None);
        assert_eq!(exposure.open_orders(), 1);
        assert_eq!(exposure.told(&cancelled), adjustment(0, -7, 1));
        assert_eq!(exposure.told(&cancelled), None);
    }

    /// The hardware counted 10 and 25; 4 were bought before, so 21 are open in the end, of one order.
    #[test]
    fn a_replacement_gives_back_the_order_it_replaces_and_what_was_traded_of_it() {
        let mut exposure = Exposure::default();
        exposure.sent(number(5), &order(Kind::New, Side::Buy, 10));
        exposure.sent(number(6), &order(Kind::Replace(number(5)), Side::Buy, 25));
        assert_eq!(exposure.told(&executed(5, 4, false)), adjustment(0, -4, 0));
        let replaced = Told::Replaced {
            number: number(6),
            original: number(5),
            leaves: 21,
        };
        assert_eq!(exposure.told(&replaced), adjustment(-(6 + 4), 0, 0));
        assert_eq!(exposure.told(&replaced), None);
        assert_eq!(exposure.open_order(number(5)), None);
        let open = exposure.open_order(number(6)).unwrap();
        assert_eq!((open.quantity, open.side), (21, Side::Buy));
        assert_eq!(exposure.told(&executed(6, 21, true)), adjustment(0, -21, 1));
    }

    #[test]
    fn a_replacement_that_leaves_nothing_closes_the_order() {
        let mut exposure = Exposure::default();
        exposure.sent(number(5), &order(Kind::New, Side::Sell, 10));
        exposure.told(&executed(5, 6, false));
        exposure.sent(number(6), &order(Kind::Replace(number(5)), Side::Sell, 6));
        let replaced = Told::Replaced {
            number: number(6),
            original: number(5),
            leaves: 0,
        };
        assert_eq!(exposure.told(&replaced), adjustment(0, -(4 + 6), 1));
        assert_eq!(exposure.open_orders(), 0);
    }

    #[test]
    fn a_replacement_that_is_refused_gives_back_its_own_quantity_only() {
        let refusals = [
            Told::ChangeRefused { number: number(6) },
            Told::Rejected { number: number(6) },
        ];
        for refused in refusals {
            let mut exposure = Exposure::default();
            exposure.sent(number(5), &order(Kind::New, Side::Buy, 10));
            exposure.sent(number(6), &order(Kind::Replace(number(5)), Side::Buy, 25));
            assert_eq!(exposure.told(&refused), adjustment(-25, 0, 0));
            assert_eq!(exposure.told(&refused), None);
            assert_eq!(exposure.open_order(number(5)).unwrap().quantity, 10);
        }
        let mut exposure = Exposure::default();
        exposure.sent(number(5), &order(Kind::New, Side::Buy, 10));
        // An OrderCancelReject is never about an order.
        let refused = Told::ChangeRefused { number: number(5) };
        assert_eq!(exposure.told(&refused), None);
        let rejected = Told::Rejected { number: number(5) };
        assert_eq!(exposure.told(&rejected), adjustment(-10, 0, 1));
    }

    fn told<'a>(body: &impl fix::Body<'a>) -> Option<Told> {
        let mut buffer = vec![0; 512];
        let header = Header {
            sender: b"EX",
            target: b"TW",
            sequence: 1,
            ..Header::default()
        };
        let length = fix::encode(&mut buffer, Version::Fix44, &header, body).unwrap();
        match fix::frame(&buffer[..length], 512) {
            Frame::Message(message) => Told::of(b"T", &message),
            _ => panic!("{}", String::from_utf8_lossy(&buffer[..length])),
        }
    }

    #[test]
    fn reports_are_read_by_the_numbers_in_their_names() {
        let report = ExecutionReport {
            order_id: b"1",
            execution_id: b"1",
            symbol: b"ABC",
            client_order_id: Some(b"T000000006"),
            original_client_order_id: Some(b"T000000005"),
            execution_type: ExecType::Replaced,
            leaves_quantity: Decimal::new(21, 0),
            ..ExecutionReport::default()
        };
        let replaced = Told::Replaced {
            number: number(6),
            original: number(5),
            leaves: 21,
        };
        assert_eq!(told(&report), Some(replaced));
        let cancelled = ExecutionReport {
            execution_type: ExecType::Canceled,
            status: OrdStatus::Canceled,
            ..report
        };
        let executed = Told::Executed {
            number: number(6),
            original: Some(number(5)),
            filled: 0,
            closed: true,
        };
        assert_eq!(told(&cancelled), Some(executed));
        let others = ExecutionReport {
            client_order_id: Some(b"U000000006"),
            ..report
        };
        assert_eq!(told(&others), None);
        let reject = OrderCancelReject {
            order_id: b"1",
            client_order_id: b"T000000006",
            original_client_order_id: b"T000000005",
            response_to: CancelRejectResponse::Replace,
            ..OrderCancelReject::default()
        };
        let refused = Told::ChangeRefused { number: number(6) };
        assert_eq!(told(&reject), Some(refused));
    }
}
