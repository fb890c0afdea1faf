//! The generated order log: what a plain book makes of its entries, that they are like the recorded ones, and that the order-log pipeline books it.

use std::collections::BTreeMap;
use std::fmt::Write;

use exchange::publish::fast::LayoutError;
use exchange::publish::fast::generate::{Settings, Summary, generate, symbols};
use fast::{Decoder, Framing, Json, MessageBuilder, Templates};
use formats::Symbol;
use serde_json::Value;

use super::{SETTINGS, map, of_project, template_files};

fn made(templates: &Templates, packets: u32, seed: u64) -> (Vec<Vec<u8>>, Summary) {
    let settings = Settings {
        packets,
        seconds: 60,
        seed,
    };
    let (mut all, mut last) = (vec![], 0);
    let summary = generate::<LayoutError>(templates, &settings, |time, packet| {
        assert!(time.0 >= last, "time runs back");
        last = time.0;
        all.push(packet.to_vec());
        Ok(())
    });
    (all, summary.unwrap())
}

/// Price in 1/10,000: of a decimal as JSON has it, a number or a text.
fn ten_thousandths(value: &Value) -> i64 {
    let mut text = String::new();
    match value {
        Value::String(digits) => text.push_str(digits),
        other => write!(text, "{other}").unwrap(),
    }
    let value: f64 = text.parse().unwrap();
    (value * 10_000.0).round() as i64
}

/// An order: whether it is a bid, its price, its quantity.
type Order = (bool, i64, i64);

#[test]
fn books_are_plausible_after_every_entry_and_packets_have_the_sizes_of_the_recorded_log() {
    let mut logs = vec![];
    for templates in template_files() {
        let (packets, summary) = made(&templates, 30_000, 1);
        assert_eq!(packets.len(), 30_000);
        let mut books: BTreeMap<String, BTreeMap<String, Order>> = BTreeMap::new();
        let (mut sizes, mut kinds, mut entered) = (BTreeMap::new(), [0_u32; 3], vec![]);
        let (mut several, mut of_several, mut exponents) = (0, 0, BTreeMap::new());
        let json = Json::new(&templates);
        let mut messages = MessageBuilder::new(&templates);
        for (packet, number) in packets.iter().zip(1_u32..) {
            assert!(packet.len() <= 1_472, "{} bytes", packet.len());
            assert_eq!(packet[..4], number.to_le_bytes());
            let mut decoder = Decoder::with(&templates, SETTINGS());
            let frame = Framing::Preamble.next(&mut decoder, packet, 0, &mut messages);
            assert_eq!(frame.unwrap().end, packet.len());
            let taken = messages.take();
            let message: Value = serde_json::from_str(&json.write(&taken[0])).unwrap();
            let fields = &message["fields"];
            assert_eq!(fields["MsgSeqNum"], number);
            let entries = fields
                .as_object()
                .unwrap()
                .values()
                .find_map(Value::as_array)
                .unwrap();
            *sizes.entry(entries.len()).or_insert(0_u32) += 1;
            if entries.len() > 1 {
                several += 1;
                let mut names = entries.iter().map(|entry| &entry["Symbol"]);
                let first = names.next();
                of_several += u32::from(names.any(|name| Some(name) != first));
            }
            for entry in entries {
                let symbol = entry["Symbol"].as_str().unwrap().to_owned();
                let orders = books.entry(symbol).or_default();
                let side = entry["MDEntryType"].as_str().unwrap();
                if side == "J" {
                    assert!(orders.is_empty());
                    continue;
                }
                let id = entry["MDEntryID"].as_str().unwrap().to_owned();
                let action = entry["MDUpdateAction"].as_u64().unwrap();
                kinds[action as usize] += 1;
                // As recorded: no date; the session; status and quantity of what is in the book alone.
                assert_eq!(entry.get("MDEntryDate"), None);
                assert_eq!(entry["TradingSessionID"], "CETS");
                assert_eq!(entry["TradingSessionSubID"], "N");
                let status = (action != 2).then(|| Value::from("O"));
                assert_eq!(entry.get("OrderStatus"), status.as_ref());
                assert_eq!(entry.get("MDEntrySize").is_some(), action != 2);
                let exponent = |decimal: &Value| {
                    let (mantissa, exponent) = decimal.as_str().unwrap().split_once('e').unwrap();
                    assert!(!mantissa.ends_with('0'), "{decimal}");
                    exponent.to_owned()
                };
                entry.get("MDEntrySize").map(exponent);
                *exponents
                    .entry(exponent(&entry["MDEntryPx"]))
                    .or_insert(0_u32) += 1;
                let price = ten_thousandths(&entry["MDEntryPx"]);
                let order = || {
                    let quantity = ten_thousandths(&entry["MDEntrySize"]) / 10_000;
                    (side == "0", price, quantity)
                };
                entered.push(id.clone());
                match action {
                    0 => assert_eq!(orders.insert(id, order()), None, "it enters twice"),
                    1 => {
                        let (bid, price, quantity) = order();
                        let before = orders.insert(id, (bid, price, quantity)).unwrap();
                        assert_eq!((before.0, before.1), (bid, price));
                        assert!(
                            (1..before.2).contains(&quantity),
                            "{quantity} of {before:?}"
                        );
                    }
                    _ => {
                        let (bid, was, _) = orders.remove(&id).unwrap();
                        assert_eq!((bid, was), (side == "0", price));
                    }
                }
                let of = |bid| orders.values().filter(move |order| order.0 == bid);
                let bid = of(true).map(|order| order.1).max();
                let ask = of(false).map(|order| order.1).min();
                if let (Some(bid), Some(ask)) = (bid, ask) {
                    assert!(0 < bid && bid < ask, "{bid} and {ask}");
                    // Within a tenth of each other.
                    assert!(ask - bid < bid / 10, "{bid} and {ask}");
                }
            }
        }
        let names: Vec<_> = books.keys().map(String::as_str).collect();
        assert!(
            names.contains(&"USD000UTSTOM") && names.len() == 6,
            "{names:?}"
        );
        // The recorded order log has 195 entries in 150 packets: 121 of one entry, 23 of two.
        let entries: u32 = sizes.iter().map(|(size, count)| *size as u32 * count).sum();
        let mean = f64::from(entries) / 30_000.0;
        assert!((1.3..1.5).contains(&mean), "{mean}");
        let share = |size| f64::from(sizes[&size]) / 30_000.0;
        assert!((0.78..0.83).contains(&share(1)), "{sizes:?}");
        assert!((0.13..0.17).contains(&share(2)), "{sizes:?}");
        assert_eq!(sizes.keys().max(), Some(&90));
        assert_eq!(
            (summary.entries, summary.most_entries),
            (entries.into(), 90)
        );
        // 19 of its 29 packets of more are of several instruments.
        let of_several = f64::from(of_several) / f64::from(several);
        assert!((0.55..0.75).contains(&of_several), "{of_several}");
        let live: usize = books.values().map(BTreeMap::len).sum();
        assert_eq!(summary.live_orders, live as u64);
        // Hardly a change.
        let [added, changed, deleted] = kinds.map(|count| f64::from(count) / f64::from(entries));
        assert!((0.45..0.55).contains(&added), "{kinds:?}");
        assert!((0.45..0.55).contains(&deleted), "{kinds:?}");
        assert!((0.002..0.02).contains(&changed), "{kinds:?}");
        for exponent in ["-4", "-3", "-2", "-1", "0", "1"] {
            assert!(exponents[exponent] > 50, "{exponents:?}");
        }
        logs.push(entered);
    }
    // The market does not depend on the templates.
    assert!(logs.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn the_same_seed_gives_the_same_packets_and_another_one_others() {
    let templates = &template_files()[0];
    let (first, _) = made(templates, 2_000, 7);
    assert_eq!(made(templates, 2_000, 7).0, first);
    assert_ne!(made(templates, 2_000, 8).0, first);
}

#[test]
fn the_decoder_gives_an_event_for_each_entry_and_the_book_takes_them_all() {
    for templates in template_files() {
        let (packets, summary) = made(&templates, 5_000, 3);
        let named: Vec<_> = symbols()
            .map(|name| Symbol::of_name(name.as_bytes()))
            .collect();
        let table = instrument::Table::of_feed(&named);
        let mut books = Books {
            table,
            book: book::Book::new(named.len(), book::Limits::UNLIMITED),
            events: 0,
        };
        let framing = Framing::Preamble;
        let mut decoder = decoder::Fast::new(&templates, SETTINGS(), framing, &map()).unwrap();
        for packet in &packets {
            let cause = decoder.datagram(packet, &mut books);
            assert_eq!(cause, decoder::fast::Cause::Good);
            books.book.verdict(true);
        }
        assert_eq!(books.events, summary.entries);
        for index in 0..named.len() as u32 {
            assert_eq!(books.book.status(index), Some(book::Status::Tradable));
            let top = books.book.top(index);
            assert!(top.bid.price < top.ask.price, "{top:?}");
        }
    }
}

struct Books {
    table: instrument::Table,
    book: book::Book,
    events: u64,
}

impl formats::Listener for Books {
    fn frame(&mut self, info: &formats::FeedInfo) {
        self.book.frame(info);
    }

    fn event(&mut self, event: &formats::Event) {
        self.events += 1;
        let event = self.table.resolve(event);
        assert!(event.instrument.is_some());
        let event = self.book.with_price(&event);
        let change = self.book.apply(&event);
        let is_fault = change.is_some_and(|change| matches!(change.what, book::What::Fault(_)));
        assert!(!is_fault, "{event:?}");
    }
}

#[test]
fn templates_that_cannot_carry_it_are_refused() {
    let text = of_project("desks/fast/order-log.xml").replace("id=\"3610\"", "id=\"3611\"");
    let templates = Templates::parse(&text).unwrap();
    let settings = Settings {
        packets: 1,
        seconds: 1,
        seed: 1,
    };
    let refused = generate::<LayoutError>(&templates, &settings, |_, _| Ok(()));
    assert!(
        matches!(refused, Err(LayoutError::NoTemplate { .. })),
        "{refused:?}"
    );
}
