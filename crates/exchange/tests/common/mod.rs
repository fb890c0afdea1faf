//! Exchanges for tests, and messages to them.
#![allow(dead_code, reason = "not every test uses all of it")]

use std::path::Path;

use exchange::{Exchange, Listing, Request, Settings};
use formats::Side;
use formats::fix::{
    Decimal, MarketDataRequest, MdEntryType, NewOrderSingle, OrdType, OrderCancelReplaceRequest,
    OrderCancelRequest, RelatedSymbol, SubscriptionRequestType, TimeInForce, Timestamp, Version,
};
use session::{Durability, Limits};

pub const NOW: Timestamp = Timestamp(1_795_280_174_123_000_000);

/// An exchange of two instruments; clients 0 (4.4), 1 (4.2) and 2 (4.4).
pub fn exchange() -> Exchange {
    let settings = Settings {
        most_orders: 10_000,
        most_names: 1 << 20,
    };
    let listings = ["AAPL", "MSFT"].map(|symbol| Listing {
        highest_price: 100_0000,
        ..Listing::cents(symbol.parse().unwrap())
    });
    let mut exchange = Exchange::new(settings, &listings).unwrap();
    for (name, version) in [
        ("ALICE", Version::Fix44),
        ("BOB", Version::Fix42),
        ("CAROL", Version::Fix44),
    ] {
        exchange.client(name.as_bytes(), version);
    }
    exchange
}

/// A limit order in AAPL, price in cents.
pub fn limit(name: &[u8], side: Side, cents: i64, quantity: i64) -> NewOrderSingle<'_> {
    NewOrderSingle {
        client_order_id: name,
        symbol: b"AAPL",
        side,
        transact_time: NOW,
        quantity: Some(Decimal::new(quantity, 0)),
        order_type: OrdType::Limit,
        price: Some(Decimal::new(cents, 2)),
        ..NewOrderSingle::default()
    }
}

/// The cancel request of an order.
pub fn cancel<'a>(order: &NewOrderSingle<'a>, name: &'a [u8]) -> OrderCancelRequest<'a> {
    OrderCancelRequest {
        original_client_order_id: order.client_order_id,
        client_order_id: name,
        symbol: order.symbol,
        side: order.side,
        transact_time: NOW,
        ..OrderCancelRequest::default()
    }
}

/// The replace request of an order.
pub fn replace<'a>(
    order: &NewOrderSingle<'a>,
    name: &'a [u8],
    cents: i64,
    quantity: i64,
) -> OrderCancelReplaceRequest<'a> {
    OrderCancelReplaceRequest {
        original_client_order_id: order.client_order_id,
        client_order_id: name,
        symbol: order.symbol,
        side: order.side,
        transact_time: NOW,
        order_type: order.order_type,
        price: Some(Decimal::new(cents, 2)),
        stop_price: order.stop_price,
        quantity: Some(Decimal::new(quantity, 0)),
        ..OrderCancelReplaceRequest::default()
    }
}

/// The bits of a number, mixed (SplitMix64): the same each time, in any process.
pub fn mixed(number: u64) -> u64 {
    let mut z = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// The order that request `number` of an endless day sends or is about.
fn order_of(number: u64, name: &[u8]) -> (u32, NewOrderSingle<'_>) {
    let bits = mixed(number);
    let side = if bits & 1 == 0 { Side::Buy } else { Side::Sell };
    let away = (bits >> 8 & 15) as i64;
    let order = NewOrderSingle {
        symbol: if bits & 2 == 0 { b"AAPL" } else { b"MSFT" },
        order_type: match bits >> 16 & 15 {
            0 => OrdType::Market,
            1 => OrdType::Stop,
            2 => OrdType::StopLimit,
            _ => OrdType::Limit,
        },
        stop_price: Some(Decimal::new(5_000 + (bits >> 20 & 15) as i64 - 8, 2)),
        time_in_force: match bits >> 24 & 15 {
            0 => Some(TimeInForce::ImmediateOrCancel),
            1 => Some(TimeInForce::FillOrKill),
            2 => Some(TimeInForce::GoodTillCancel),
            _ => None,
        },
        ..limit(name, side, 5_000 - 8 + away, (bits >> 32 & 63) as i64)
    };
    ((bits >> 40) as u32 % 3, order)
}

/// Acts on request `number` of an endless day of orders, replacements and cancels; some are refused.
pub fn act(exchange: &mut Exchange, number: u64, outbox: &mut dyn exchange::Outbox) {
    let bits = mixed(!number);
    let name = format!("N{number}").into_bytes();
    let (client, order) = order_of(number, &name);
    // One of the last, or one of long ago.
    let back = number.saturating_sub(bits >> 8 & 31);
    let other_name = format!("N{back}").into_bytes();
    let (other_client, other) = order_of(back, &other_name);
    let (client, request) = match bits & 7 {
        0 | 1 => (other_client, Request::Cancel(cancel(&other, &name))),
        2 => {
            let request = replace(
                &other,
                &name,
                4_990 + (bits >> 16 & 15) as i64,
                (bits >> 24 & 63) as i64,
            );
            (other_client, Request::Replace(request))
        }
        _ => (client, Request::New(order)),
    };
    exchange.order(client, &request, NOW, outbox).unwrap();
}

/// The complete state of the books.
pub fn books(exchange: &Exchange) -> String {
    let mut text = format!("{} orders\n", exchange.live_orders());
    for instrument in 0..2 {
        text += &format!("last {:?}\n", exchange.engine().last_price(instrument));
        for side in [Side::Buy, Side::Sell] {
            for order in exchange.engine().orders(instrument, side) {
                text += &format!("{order:?}\n");
            }
        }
    }
    text
}

/// Everything that a restart must not change: what the exchange would write at the beginning of a journal. It does not include
/// the engine's ids.
pub fn everything(exchange: &Exchange) -> Vec<Vec<u8>> {
    let (mut parts, mut names) = (vec![], vec![]);
    exchange.state(&mut |part| match part[0] {
        // Names of orders that are done are in no order.
        5 => names.push(part.to_vec()),
        // Clients are numbered as they come.
        3 => {}
        _ => parts.push(part.to_vec()),
    });
    let mut names: Vec<_> = names.iter().flat_map(|part| split(part)).collect();
    names.sort();
    parts.extend(names);
    parts
}

/// Client and name of each name of a part, and the eight bytes about its order.
fn split(part: &[u8]) -> Vec<Vec<u8>> {
    let (client, mut rest) = part[2..].split_at(usize::from(part[1]));
    let mut names = vec![];
    while let Some((length, after)) = rest.split_first() {
        let (name, after) = after.split_at(usize::from(*length) + 8);
        names.push([client, b" ", name].concat());
        rest = after;
    }
    names
}

/// A request for prices from now on, under the name `r`.
pub fn price_request<'a>(depth: u32, symbols: &'a [RelatedSymbol<'a>]) -> MarketDataRequest<'a> {
    const ALL: &[MdEntryType] = &[MdEntryType::Bid, MdEntryType::Offer, MdEntryType::Trade];
    MarketDataRequest {
        request_id: b"r",
        subscription: SubscriptionRequestType::Subscribe,
        depth,
        update_type: Some(1),
        aggregated: None,
        entry_types: ALL.into(),
        symbols: symbols.into(),
    }
}

/// Small enough for a journal to be rewritten every few requests.
pub const LIMITS: Limits = Limits {
    most_sent: 100,
    rewrite_after: 3_000,
};

/// An exchange in the state at a journal's end, and how many requests that is.
pub fn recovered(path: &Path) -> (Exchange, u64) {
    recovered_at(path, Durability::Process, LIMITS)
}

/// As [`recovered`], at a level and with limits.
pub fn recovered_at(path: &Path, durability: Durability, limits: Limits) -> (Exchange, u64) {
    let mut exchange = exchange();
    let found = exchange.recover(path, durability, limits).unwrap();
    (exchange, found.requests)
}

/// An exchange that acted on the first requests of the day without a journal.
pub fn uninterrupted(requests: u64) -> Exchange {
    let mut exchange = exchange();
    for number in 0..requests {
        act(&mut exchange, number, &mut ());
    }
    exchange
}
