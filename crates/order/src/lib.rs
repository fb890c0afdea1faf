//! Orders as the hardware sends them; the twin of `rtl/order`.
//!
//! | what | where |
//! |---|---|
//! | what a desk says about its orders, compiled to templates for the hardware | [`Description`], [`Templates`] |
//! | the variable fields of an order, as in its message | [`Text`] |
//! | the bytes of an order's message, as the hardware sends them | [`Templates::message`] |
//! | an order whose price comes with the intent, and its message | [`ComputedOrder`], [`Prepared`] |
//! | why something is not sent | [`report`] |
//!
//! ```
//! use order::{Description, Instrument, Number, Order, Templates};
//! use formats::fix::{self, Frame, NewOrderSingle, Timestamp};
//!
//! let instruments = vec![Instrument { symbol: "AAPL".into(), decimals: 4 }];
//! let description = Description::new("TICKWIRE", "EXCHANGE", instruments);
//! let templates = Templates::compile(&description, 256).unwrap();
//! let order = Order { price: Some(585_0000), quantity: 100, ..Order::default() };
//! let (number, time) = (Number::new(7).unwrap(), Timestamp::parse(b"20120621-13:30:00.005").unwrap());
//! let message = templates.message(&order, number, time).unwrap();
//! let Frame::Message(message) = fix::frame(&message, fix::LONGEST_BODY) else { panic!() };
//! let (header, order) = message.read::<NewOrderSingle>().unwrap();
//! assert_eq!((header.sequence, order.client_order_id, order.price.unwrap().at_scale(4)), (7, &b"000000007"[..], Some(585_0000)));
//! ```
#![forbid(unsafe_code)]

mod compile;
mod computed;
mod description;
mod digits;
mod price;
pub mod report;
mod request;
mod template;
mod text;

pub use compile::CompileError;
pub use computed::{ComputedOrder, Prepared, computed_price_width};
pub use description::{Description, DescriptionError, Instrument};
pub use digits::{Number, decimal_digits, time_digits};
pub use price::{PRICE_BITS, last_price, price_fits};
pub use request::{Form, Kind, Order};
pub use template::{Code, Forms, Occurrence, Record, Template, Templates};
pub use text::{Layout, TEXT_BYTES, Text, TextError, TextRecord};
