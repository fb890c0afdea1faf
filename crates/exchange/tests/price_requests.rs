//! Requests for prices (35=V): how deep the book is sent, and what is refused, with MDReqID (262) and MDReqRejReason (281).

use crate::common;
use std::collections::BTreeMap;

use common::{NOW, exchange, limit, price_request};
use exchange::{Exchange, Outgoing, Request};
use formats::Side;
use formats::fix::{
    self, Decimal, Frame, Header, MarketDataRequest, MarketDataRequestReject, MdEntryType,
    MdRequestRejectReason, MdUpdateAction, RelatedSymbol, SubscriptionRequestType, Version,
};

const CAROL: u32 = 2;
const AAPL: &[RelatedSymbol<'static>] = &[RelatedSymbol { symbol: b"AAPL" }];

/// What CAROL knows of the book from the messages she gets: price to quantity, by side; and how many messages that took.
#[derive(Default)]
struct View {
    bids: BTreeMap<i64, i64>,
    offers: BTreeMap<i64, i64>,
    snapshots: usize,
    increments: usize,
    rejects: Vec<(Vec<u8>, Option<MdRequestRejectReason>, String)>,
}

impl View {
    fn side(&mut self, what: MdEntryType) -> Option<&mut BTreeMap<i64, i64>> {
        match what {
            MdEntryType::Bid => Some(&mut self.bids),
            MdEntryType::Offer => Some(&mut self.offers),
            _ => None,
        }
    }

    fn take(&mut self, client: u32, message: &Outgoing<'_>) {
        let number = |value: Option<Decimal>, scale| value.unwrap().at_scale(scale).unwrap();
        match message {
            _ if client != CAROL => {}
            Outgoing::Snapshot(snapshot) => {
                self.snapshots += 1;
                for entry in &snapshot.entries {
                    if let Some(side) = self.side(entry.entry_type) {
                        side.insert(number(entry.price, 2), number(entry.size, 0));
                    }
                }
            }
            Outgoing::Increment(increment) => {
                self.increments += 1;
                for entry in &increment.entries {
                    let price = number(entry.price, 2);
                    let Some(side) = self.side(entry.entry_type.unwrap()) else {
                        continue;
                    };
                    let before = match entry.action {
                        MdUpdateAction::Delete => side.remove(&price),
                        _ => side.insert(price, number(entry.size, 0)),
                    };
                    let is_new = entry.action == MdUpdateAction::New;
                    assert_eq!(before.is_none(), is_new, "{:?} of {price}", entry.action);
                }
            }
            Outgoing::RequestReject(reject) => {
                let text = String::from_utf8_lossy(reject.text.unwrap()).into_owned();
                self.rejects
                    .push((reject.request_id.to_vec(), reject.reason, text));
            }
            other => panic!("{other:?}"),
        }
        // Whatever it is, its session must be able to send it.
        let header = Header {
            sender: b"TICKWIRE",
            target: b"CAROL",
            ..Header::default()
        };
        let mut buffer = vec![0; 70_000];
        let length = message
            .encode(&mut buffer, Version::Fix44, &header)
            .unwrap();
        let framed = fix::frame(&buffer[..length], fix::LONGEST_BODY);
        assert!(matches!(framed, Frame::Message(_)), "{length} bytes");
    }
}

/// A book with so many levels of a side, a cent apart, the best at 50.00 and 50.01.
fn book(levels: i64) -> Exchange {
    let mut exchange = exchange();
    for level in 0..levels {
        for (name, side, price) in [
            ("b", Side::Buy, 5_000 - level),
            ("s", Side::Sell, 5_001 + level),
        ] {
            order(
                &mut exchange,
                &mut View::default(),
                &format!("{name}{level}"),
                side,
                price,
                10,
            );
        }
    }
    exchange
}

fn order(
    exchange: &mut Exchange,
    view: &mut View,
    name: &str,
    side: Side,
    cents: i64,
    quantity: i64,
) {
    let order = Request::New(limit(name.as_bytes(), side, cents, quantity));
    let mut outbox = |client: u32, message: &Outgoing<'_>| view.take(client, message);
    exchange.order(0, &order, NOW, &mut outbox).unwrap();
}

fn ask(exchange: &mut Exchange, view: &mut View, request: MarketDataRequest<'_>) {
    let mut outbox = |client: u32, message: &Outgoing<'_>| view.take(client, message);
    let request = Request::Prices(request);
    exchange.order(CAROL, &request, NOW, &mut outbox).unwrap();
}

/// The best levels of a side as the engine has them.
fn best(exchange: &Exchange, side: Side, levels: usize) -> BTreeMap<i64, i64> {
    let levels = exchange.engine().levels(0, side).take(levels);
    levels
        .map(|level| (level.price, level.quantity as i64))
        .collect()
}

fn snapshot_of(depth: u32) -> MarketDataRequest<'static> {
    MarketDataRequest {
        subscription: SubscriptionRequestType::Snapshot,
        ..price_request(depth, AAPL)
    }
}

#[test]
fn a_depth_of_zero_is_the_full_book_and_any_other_so_many_levels_of_a_side() {
    let mut exchange = book(120);
    for (depth, levels) in [(0, 120), (1, 1), (5, 5), (60, 60), (200, 120)] {
        let mut view = View::default();
        ask(&mut exchange, &mut view, snapshot_of(depth));
        assert_eq!(view.bids, best(&exchange, Side::Buy, levels), "{depth}");
        assert_eq!(view.offers, best(&exchange, Side::Sell, levels), "{depth}");
        assert_eq!(
            (view.bids.len(), view.snapshots, view.increments),
            (levels, 1, 0)
        );
    }
}

#[test]
fn a_full_book_that_is_too_long_for_a_message_goes_on_in_increments() {
    let mut exchange = book(1_200);
    let mut view = View::default();
    ask(&mut exchange, &mut view, price_request(0, AAPL));
    assert_eq!(view.bids, best(&exchange, Side::Buy, usize::MAX));
    assert_eq!(view.offers, best(&exchange, Side::Sell, usize::MAX));
    assert_eq!((view.bids.len(), view.snapshots), (1_200, 1));
    // A client that gets no changes gets a refusal that says so.
    let mut view = View::default();
    ask(&mut exchange, &mut view, snapshot_of(0));
    let (request, reason, text) = &view.rejects[0];
    assert_eq!((view.snapshots, request.as_slice()), (0, b"r".as_slice()));
    assert_eq!(*reason, Some(MdRequestRejectReason::InsufficientBandwidth));
    assert!(text.contains("500 levels"), "{text}");
}

#[test]
fn whoever_follows_some_levels_sees_them_as_they_are_after_every_order() {
    let mut exchange = exchange();
    let mut view = View::default();
    ask(&mut exchange, &mut view, price_request(3, AAPL));
    assert_eq!((view.snapshots, view.bids.len()), (1, 0));
    let mut bits = 7_u64;
    for at in 0..2_000 {
        bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let side = if bits >> 63 == 0 {
            Side::Buy
        } else {
            Side::Sell
        };
        let price = 5_000 + (bits >> 40 & 15) as i64;
        let quantity = 1 + (bits >> 50 & 31) as i64;
        order(
            &mut exchange,
            &mut view,
            &format!("o{at}"),
            side,
            price,
            quantity,
        );
        assert_eq!(view.bids, best(&exchange, Side::Buy, 3), "after {at}");
        assert_eq!(view.offers, best(&exchange, Side::Sell, 3), "after {at}");
    }
    assert!(view.increments > 500);
}

#[test]
fn what_is_not_published_is_refused_by_its_reason_and_nothing_is_sent() {
    let mut exchange = book(1);
    let unknown = [AAPL[0], RelatedSymbol { symbol: b"IBM" }];
    let long = [b'r'; 33];
    let whole = price_request(0, AAPL);
    let refresh = MarketDataRequest {
        update_type: Some(0),
        ..whole
    };
    let named = MarketDataRequest {
        request_id: &long,
        ..whole
    };
    let empty = MarketDataRequest {
        symbols: [][..].into(),
        ..whole
    };
    use MdRequestRejectReason::{UnknownSymbol, UnsupportedUpdateType};
    for (request, reason) in [
        (price_request(1, &unknown), Some(UnknownSymbol)),
        (refresh, Some(UnsupportedUpdateType)),
        (named, None),
        (empty, None),
    ] {
        let mut view = View::default();
        ask(&mut exchange, &mut view, request);
        let (id, found, _) = &view.rejects[0];
        assert_eq!((id.as_slice(), *found), (request.request_id, reason));
        assert_eq!((view.snapshots, view.rejects.len()), (0, 1));
    }
    // There are no subscriptions now.
    let mut view = View::default();
    order(&mut exchange, &mut view, "x", Side::Buy, 5_000, 1);
    assert_eq!(view.increments, 0);
}

#[test]
fn an_entry_type_that_is_not_published_is_refused_by_its_reason() {
    let mut exchange = book(1);
    // 269=4: OpeningPrice.
    let body = "35=V|49=CAROL|56=TICKWIRE|34=2|52=20260101-10:00:00|262=q|263=1|264=1|267=1|269=4|146=1|55=AAPL|";
    let text = format!("8=FIX.4.4|9={}|{body}", body.len()).replace('|', "\x01");
    let sum = text.bytes().map(u32::from).sum::<u32>() % 256;
    let text = format!("{text}10={sum:03}\x01");
    let Frame::Message(message) = fix::frame(text.as_bytes(), text.len()) else {
        panic!("{text}");
    };
    let mut rejects = vec![];
    let mut outbox = |_: u32, message: &Outgoing<'_>| {
        let Outgoing::RequestReject(MarketDataRequestReject {
            request_id, reason, ..
        }) = message
        else {
            panic!("{message:?}");
        };
        rejects.push((request_id.to_vec(), *reason));
    };
    exchange.message(CAROL, &message, NOW, &mut outbox).unwrap();
    let reason = Some(MdRequestRejectReason::UnsupportedEntryType);
    assert_eq!(rejects, [(b"q".to_vec(), reason)]);
}

#[test]
fn an_empty_book_is_a_snapshot_with_no_entries() {
    let mut exchange = exchange();
    let mut messages = vec![];
    let mut outbox = |_: u32, message: &Outgoing<'_>| {
        let mut buffer = [0; 512];
        let length = message
            .encode(&mut buffer, Version::Fix44, &Header::default())
            .unwrap();
        messages.push(buffer[..length].escape_ascii().to_string());
    };
    let request = Request::Prices(price_request(1, AAPL));
    exchange.order(CAROL, &request, NOW, &mut outbox).unwrap();
    assert_eq!(messages.len(), 1);
    assert!(
        messages[0].contains("\\x0155=AAPL\\x01268=0\\x0110="),
        "{}",
        messages[0]
    );
}
