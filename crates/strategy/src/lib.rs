//! What decides, and what is reported: the twins of `rtl/strategy`.
//!
//! [`Statistics`] count the orders that enter and report at each second. [`Stops`] holds stop orders, as the core and a client in software
//! both do. These two listen to events whose instrument is known. [`BestPrice`] listens to the book, and sends an order when a best price changes.
//! [`events`] makes the events of strategies in the language out of the book.
#![forbid(unsafe_code)]

pub mod best_price;
pub mod events;
pub mod own_order;
pub mod statistics;
pub mod stops;

pub use best_price::BestPrice;
pub use own_order::OwnOrder;
pub use statistics::Statistics;
pub use stops::Stops;
