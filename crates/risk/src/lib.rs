//! What an order is compared with before it leaves: the twin of `rtl/risk`, with the types of `risk_pkg`.
//!
//! | what | where |
//! |---|---|
//! | the limits, and why an order is refused | [`Limits`], [`InstrumentLimits`], [`Refusal`] |
//! | the kill switch | [`Kill`] |
//! | what became of orders: as the host reports it, and out of the exchange's reports | [`Adjustment`], [`WorkingOrders`] |
//! | the check | [`Risk`] |
//! | what it must know again after a restart | [`Ledger`] |
//! | an order whose price comes out of the book, prepared | [`Computed`] |
//!
//! ```
//! use order::Order;
//! use risk::{InstrumentLimits, Kill, Limits, Refusal, Request, Risk};
//!
//! let mut risk = Risk::new(16);
//! risk.set_limits(&Limits { max_quantity: 100, max_notional: 10_000, rate_orders: 1, rate_window: 50, max_open_orders: 9, ..Limits::default() });
//! risk.set_instrument(0, &InstrumentLimits { enable: true, collar: 5, position: 1_000, ..InstrumentLimits::default() });
//! risk.price(0, 98);
//! let request = Request::new(Order { price: Some(100), quantity: 100, ..Order::default() });
//! assert_eq!(risk.check(&request, 0), Ok(()));
//! assert_eq!(risk.check(&request, 49), Err(Refusal::Rate));
//! assert_eq!(risk.check(&request, 50), Ok(()));
//! ```
#![forbid(unsafe_code)]

mod check;
mod computed;
mod ledger;
mod limits;
mod notional;
mod working;

pub use check::{Request, Risk};
pub use computed::{Computed, highest_price};
pub use ledger::{Exposure, Ledger, Unsure};
pub use limits::{Adjustment, InstrumentLimits, Kill, Limits, MAX_POSITION, Refusal, Sources};
pub use notional::notional;
pub use working::{Change, Execution, ExecutionReport, Reported, WorkingOrder, WorkingOrders};
