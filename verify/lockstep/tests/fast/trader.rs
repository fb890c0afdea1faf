//! Tick to trade on an order log in FAST: the core with decoder and order book against the pipeline in software, order by order.

use std::path::Path;

use cosim::orders::{Desk, FastFeed, Market, Program, Trader};
use cosim::{Preset, Strategy};
use decoder::fast::Map;
use fast::{Encoder, Framing, Json, Settings, Templates};
use formats::{Side, Symbol, itch};
use language::{Options, compile, parameters};

use super::common::{Random, recorded};
use crate::count::count;

pub(super) const PRICE: u32 = 5_850_000;
pub(super) const TICK: u32 = 100;

/// With the microcode engine alone, two lines and `best_price`.
const MICROCODE: &str = "fast_trader_10g";
/// What an order log needs, and no more: one line, four levels of a side, a strategy in the language.
const PROGRAM: &str = "moex_10g_one_line";

pub(super) fn shipped(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../desks/fast")
        .join(name);
    std::fs::read_to_string(path).expect("it is shipped")
}

pub(super) fn map() -> Map {
    Map::parse(&shipped("moex-order-log.toml")).expect("it is a map")
}

/// The order log, and one of another shape for half of the packets: members in another order and without operators, sides in place of entry types.
fn two_order_logs() -> (Templates, Map) {
    let (templates, map) = two_order_logs_as_text();
    (
        Templates::parse(&templates).expect("well-formed"),
        Map::parse(&map).expect("it is a map"),
    )
}

fn two_order_logs_as_text() -> (String, String) {
    let other = r#"<template name="OtherLog" id="200001" dictionary="template">
        <uInt32 name="MsgSeqNum" id="34"/><uInt32 name="Unwanted" id="9001" presence="optional"/><uInt64 name="SendingTime" id="52"/>
        <sequence name="Entries"><length name="Entries" id="268"/>
          <decimal name="MDEntrySize" id="271" presence="optional"/><string name="MDEntryID" id="278"/><uInt32 name="Side" id="54"/>
          <string name="Symbol" id="55" presence="optional"><copy/></string><uInt32 name="MDUpdateAction" id="279"/>
          <decimal name="MDEntryPx" id="270" presence="optional"><delta/></decimal>
        </sequence></template></templates>"#;
    let templates = shipped("order-log.xml").replace("</templates>", other);
    let of_other = r#"
        [[template]]
        id = 200001
        message_type = "Y"
        sequence = 34
        time = { field = 52, decimals = 6 }
        symbol = 55
        order_id = 278
        price = 270
        quantity = 271
        action = { field = 279, values = { 4 = "add", 5 = "modify", 6 = "delete" } }
        side = { field = 54, values = { 1 = "buy", 2 = "sell" } }

        [[template]]
        id = 2106"#;
    let map = shipped("moex-order-log.toml").replace("[[template]]\nid = 2106", of_other);
    (templates, map)
}

/// The same, each template with dictionaries of its own, and a Reset.
fn two_order_logs_with_dictionaries() -> (Templates, Map) {
    let (templates, map) = two_order_logs_as_text();
    let own = r#"<template name="OrderLog" id="3610" dictionary="template">"#;
    let templates = templates.replacen(r#"<template name="OrderLog" id="3610">"#, own, 1);
    assert!(templates.contains(own));
    let templates = with_reset(&templates);
    (
        Templates::parse(&templates).expect("well-formed"),
        Map::parse(&map).expect("it is a map"),
    )
}

/// These templates, and a Reset.
fn with_reset(templates: &str) -> String {
    let reset = "<template name='Reset' id='120' xmlns:scp='http://www.fixprotocol.org/ns/fast/scp/1.1' scp:reset='yes'/></templates>";
    templates.replacen("</templates>", reset, 1)
}

/// A message that resets all dictionaries.
const RESET: [u8; 2] = [0xc0, 0x80 | 120];

/// The session, and the status of an order in the book, in each entry of the order log.
const SESSION: &str = r#","TradingSessionID":"CETS","TradingSessionSubID":"N""#;
const ACTIVE: &str = r#","OrderStatus":"O""#;

/// A decimal without zeros at its end.
fn decimal(mut mantissa: u32, mut exponent: i32) -> String {
    while mantissa != 0 && mantissa.is_multiple_of(10) {
        (mantissa, exponent) = (mantissa / 10, exponent + 1);
    }
    format!("{mantissa}e{exponent}")
}

/// An order that the exchange has.
#[derive(Clone, Copy)]
pub(super) struct Live {
    pub(super) id: u64,
    pub(super) side: Side,
    pub(super) price: u32,
    pub(super) quantity: u32,
}

/// To sell, before all others.
pub(super) const IMPROVING: Live = Live {
    id: 1_000_000_001,
    side: Side::Sell,
    price: PRICE - 100 * TICK,
    quantity: 1,
};

/// A market of one instrument, whose order log is sent.
pub(super) struct Exchange<'t> {
    json: Json<'t>,
    templates: &'t Templates,
    /// Two packets of five are of the other order log.
    has_other: bool,
    pub(super) live: Vec<Live>,
    next_id: u64,
    pub(super) number: u32,
    pub(super) random: Random,
    /// A change leaves less of an order, where it is.
    pub(super) less_stays: bool,
    /// Adds, changes, deletes.
    counts: [u32; 3],
    /// Its dictionaries outlive a packet; one packet in so many begins with a Reset.
    outlive: Option<(Encoder, u64)>,
}

impl<'t> Exchange<'t> {
    pub(super) fn new(templates: &'t Templates, seed: u64) -> Self {
        Exchange {
            json: Json::new(templates),
            templates,
            has_other: templates.by_id(200_001).is_some(),
            live: Vec::new(),
            next_id: 20_000_000_000,
            number: 1,
            random: Random(seed),
            less_stays: false,
            counts: [0; 3],
            outlive: None,
        }
    }

    /// One whose dictionaries outlive a packet; one packet in so many begins with a Reset.
    fn outliving(templates: &'t Templates, seed: u64, resets: u64) -> Self {
        let encoder = Encoder::new(templates).with_identifiers();
        Exchange {
            outlive: Some((encoder, resets)),
            ..Exchange::new(templates, seed)
        }
    }

    /// The number that each recorded entry has. The wire-rate engine would take its absence for that of a price.
    fn report(&self) -> String {
        format!(r#","RptSeq":{}"#, self.number)
    }

    /// A packet of these entries.
    pub(super) fn packet(&mut self, entries: &[String]) -> Vec<u8> {
        self.packet_of(&[self.order_log(entries)])
    }

    /// The message of these entries in the next packet; a few of them a second.
    pub(super) fn order_log(&self, entries: &[String]) -> String {
        let (number, time) = (self.number, u64::from(self.number) * 40_000);
        let time = 190_404_100_000_000_000 + time / 1_000_000 % 60 * 1_000_000 + time % 1_000_000;
        let mut entries = entries.join(",");
        let mut id = 3610;
        if self.has_other && number % 5 > 2 {
            id = 200_001;
            for (ours, other) in [
                (r#""MDEntryType":"0""#, r#""Side":1"#),
                (r#""MDEntryType":"1""#, r#""Side":2"#),
                (r#""MDUpdateAction":0"#, r#""MDUpdateAction":4"#),
                (r#""MDUpdateAction":1"#, r#""MDUpdateAction":5"#),
                (r#""MDUpdateAction":2"#, r#""MDUpdateAction":6"#),
                (SESSION, ""),
                (ACTIVE, ""),
                (&self.report(), ""),
            ] {
                entries = entries.replace(ours, other);
            }
        }
        format!(
            r#"{{"id":{id},"fields":{{"MsgSeqNum":{number},"SendingTime":{time},"Entries":[{entries}]}}}}"#
        )
    }

    /// A packet of these messages, which share its number. Each but the first is after a Reset, where the templates have one.
    pub(super) fn packet_of(&mut self, messages: &[String]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut new = Encoder::new(self.templates);
        let encoder = match &mut self.outlive {
            None => &mut new,
            Some((encoder, resets)) => {
                if self.random.below(*resets) == 0 {
                    encoder.reset();
                    bytes.extend(RESET);
                }
                encoder
            }
        };
        for (index, text) in messages.iter().enumerate() {
            if index > 0 && self.templates.by_id(120).is_some() {
                encoder.reset();
                bytes.extend(RESET);
            }
            let message = self
                .json
                .read(text)
                .unwrap_or_else(|error| panic!("{text}: {error}"));
            encoder
                .message(&message, &mut bytes)
                .expect("it can be encoded");
        }
        let mut packet = Vec::new();
        Framing::Preamble.put(self.number, &bytes, &mut packet);
        self.number += 1;
        packet
    }

    /// The first packet: the book is empty.
    fn opening(&mut self) -> Vec<u8> {
        let entry = r#"{"MDUpdateAction":0,"MDEntryType":"J","Symbol":"AAPL"}"#;
        self.packet(&[entry.to_owned()])
    }

    pub(super) fn entry(&self, action: u32, symbol: &str, order: Live) -> String {
        let Live {
            id,
            side,
            price,
            quantity,
        } = order;
        // As recorded: a delete has its price, and neither quantity nor status.
        let left = match action {
            2 => String::new(),
            _ => format!(r#","MDEntrySize":"{}"{ACTIVE}"#, decimal(quantity, 0)),
        };
        format!(
            r#"{{"MDUpdateAction":{action},"MDEntryType":"{}","MDEntryID":"{id}","Symbol":"{symbol}","MDEntryPx":"{}"{left}{SESSION}{}}}"#,
            side as u32,
            decimal(price, -4),
            self.report()
        )
    }

    fn new_order(&mut self) -> Live {
        self.next_id += 1 + self.random.below(3);
        let side = if self.random.below(2) == 0 {
            Side::Buy
        } else {
            Side::Sell
        };
        let away = self.random.below(12) as u32 * TICK;
        let price = match side {
            Side::Buy => PRICE - away,
            Side::Sell => PRICE + TICK + away,
        };
        Live {
            id: self.next_id,
            side,
            price,
            quantity: 1 + self.random.below(500) as u32,
        }
    }

    /// What happens next, as an entry.
    fn act(&mut self) -> String {
        let place = self.random.below(self.live.len().max(1) as u64) as usize;
        if self.less_stays && self.live.len() > 24 && self.random.below(3) != 0 {
            return self.best_leaves();
        }
        match self.random.below(10) {
            0 => {
                let order = self.new_order();
                self.entry(0, "MSFT", order)
            }
            1..4 if self.live.len() > 4 => {
                self.counts[2] += 1;
                let order = self.live.swap_remove(place);
                self.entry(2, "AAPL", order)
            }
            4..7 if !self.live.is_empty() => {
                self.counts[1] += 1;
                let changed = self.new_order();
                let order = &mut self.live[place];
                let how = match self.less_stays {
                    true => 1,
                    false => self.random.below(3),
                };
                match how {
                    // Another price on the same side; less; nothing is left.
                    0 => {
                        let back = (changed.price.abs_diff(PRICE)) / TICK * TICK;
                        order.price = match order.side {
                            Side::Buy => PRICE - back.min(11 * TICK),
                            Side::Sell => PRICE + TICK + back.min(11 * TICK),
                        };
                        order.quantity = changed.quantity;
                    }
                    1 => order.quantity = 1 + order.quantity / 2,
                    _ => order.quantity = 0,
                }
                let order = *order;
                if order.quantity == 0 {
                    self.live.swap_remove(place);
                }
                self.entry(1, "AAPL", order)
            }
            _ => {
                self.counts[0] += 1;
                let order = self.new_order();
                self.live.push(order);
                self.entry(0, "AAPL", order)
            }
        }
    }

    /// Of the orders of one side the best one leaves.
    fn best_leaves(&mut self) -> String {
        let side = [Side::Buy, Side::Sell][self.random.below(2) as usize];
        let rank = |order: &Live| (order.side != side, order.price.abs_diff(PRICE));
        let places = 0..self.live.len();
        let best = places.min_by_key(|place| rank(&self.live[*place]));
        self.counts[2] += 1;
        let order = self.live.swap_remove(best.expect("there are some"));
        self.entry(2, "AAPL", order)
    }

    pub(super) fn some(&mut self, most: u64) -> Vec<u8> {
        let count = 1 + self.random.below(most);
        let entries: Vec<_> = (0..count).map(|_| self.act()).collect();
        self.packet(&entries)
    }

    /// One of those that the wire-rate engine cannot do: of a message that depends on the one before, of another template, with an order id of thirteen digits.
    fn uncommon(&mut self) -> Vec<u8> {
        let first: Vec<_> = (0..3).map(|_| self.act()).collect();
        let mut messages = vec![self.order_log(&first)];
        match self.random.below(3) {
            0 => {
                let second: Vec<_> = (0..2).map(|_| self.act()).collect();
                messages.push(self.order_log(&second));
            }
            1 => {
                let number = self.number;
                messages.insert(0, format!(r#"{{"id":2108,"fields":{{"MsgSeqNum":{number},"SendingTime":190404100000000000}}}}"#));
            }
            _ => {
                let long = Live {
                    id: 9_000_000_000_000 + u64::from(self.number),
                    ..self.new_order()
                };
                self.live.push(long);
                let last = self.entry(0, "AAPL", long);
                messages = vec![self.order_log(&[first, vec![last]].concat())];
            }
        }
        self.packet_of(&messages)
    }
}

/// The shipped strategy that buys at the best ask, as this core takes it.
fn best_offer(slot: Strategy) -> Program {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../desks/best-offer/strategy.py");
    let text = std::fs::read_to_string(path).expect("it is shipped");
    let options = Options {
        price_decimals: 4,
        ..Options::default()
    };
    let program = compile(&text, &options).unwrap_or_else(|messages| panic!("{messages}"));
    let values = parameters(&program, [("instrument", 0), ("size", 100)]).expect("its parameters");
    let program = Program::new(program, values).unwrap_or_else(|not| panic!("{not}"));
    if slot == Strategy::Processor {
        return program;
    }
    let module = program.as_module(&text);
    module.unwrap_or_else(|limit| panic!("{limit}"))
}

pub(super) fn trader(
    preset: &str,
    (templates, map): (&Templates, &Map),
    side: Side,
    exchange: &mut Exchange<'_>,
) -> Trader {
    let preset = Preset::by_name(preset).expect("a preset");
    let mut desk = Desk::of_market(&Market {
        version: itch::Version::V50,
        symbol: Symbol(*b"AAPL    "),
        tick: TICK,
        price: PRICE,
        side,
        quantity: 100,
        max_notional: u64::MAX,
    })
    .expect("a desk");
    if preset.strategy != Strategy::BestPrice {
        desk.program = Some(best_offer(preset.strategy));
    }
    let feed = FastFeed {
        templates,
        map,
        settings: Settings {
            reset_each_packet: exchange.outlive.is_none(),
            ..Settings::default()
        },
        before: None,
    };
    let trader = Trader::of_order_log(preset, &desk, &feed);
    let mut trader = trader.unwrap_or_else(|problem| panic!("{problem}"));
    trader.payload(&exchange.opening(), false);
    trader
}

/// The packets of a recorded log, each after its length; how many they are.
fn play(trader: &mut Trader, mut recorded: &[u8]) -> u32 {
    let mut packets = 0;
    while let Some((length, after)) = recorded.split_first_chunk() {
        let (packet, after) = after.split_at(u16::from_be_bytes(*length).into());
        trader.payload(packet, false);
        (recorded, packets) = (after, packets + 1);
    }
    packets
}

/// Orders enter, change in place and leave, several an event; one packet in ten comes damaged first, one in ten again.
fn trade(trader: &mut Trader, exchange: &mut Exchange<'_>) {
    for step in 0..count(25, 150) {
        for _ in 0..8 {
            let packet = match exchange.random.below(12) {
                0 => exchange.uncommon(),
                1 => exchange.some(24),
                _ => exchange.some(6),
            };
            if exchange.random.below(10) == 0 {
                trader.payload(&packet, true);
            }
            trader.payload(&packet, false);
            if exchange.random.below(10) == 0 {
                trader.payload(&packet, false);
            }
        }
        if let Err(problem) = trader.compare() {
            panic!("step {step}: {problem}");
        }
    }
    let compared = *trader.compared();
    assert!(compared.sent > count(15, 100), "{compared:?}");
    let entries = count(70, 500);
    assert!(exchange.counts.iter().all(|came| *came > entries));
}

#[test]
fn an_order_log_gives_the_same_orders_as_in_software() {
    let templates = Templates::parse(&shipped("order-log.xml")).expect("it is shipped");
    let (one, two) = ((templates, map()), two_order_logs());
    for (preset, side, (templates, map)) in [
        (MICROCODE, Side::Buy, &one),
        (MICROCODE, Side::Sell, &two),
        (PROGRAM, Side::Buy, &two),
    ] {
        let mut exchange = Exchange::new(templates, 9 + side as u64);
        let mut trader = trader(preset, (templates, map), side, &mut exchange);
        trade(&mut trader, &mut exchange);
        println!("{preset}, {side:?}: {:?}", trader.compared());
    }
}

fn sent_by_both(trader: &mut Trader) -> u64 {
    match trader.compare() {
        Ok(compared) => compared.sent,
        Err(problem) => panic!("{problem}"),
    }
}

/// The exchange's own packets with its own templates through the core of a preset: how many there are, how many the engine that is built for the shipped ones does, and
/// how many it cannot read. None without the recording.
pub(super) fn play_recorded_order_log(preset: &str) -> Option<(u32, u32, u32)> {
    let xml = recorded("moex-templates/asts-2017-03.xml")?;
    let bytes = recorded("moex-order-log/packets.bin")?;
    let theirs = Templates::parse(&String::from_utf8(xml).expect("UTF-8")).expect("templates");
    let shipped = Templates::parse(&shipped("order-log.xml")).expect("it is shipped");
    let mut none = Exchange::new(&shipped, 1);
    let mut trader = trader(preset, (&theirs, &map()), Side::Buy, &mut none);
    // The packet that the market opens with has been counted then.
    sent_by_both(&mut trader);
    let before = trader.fast_engines().expect("the core answers");
    let packets = play(&mut trader, &bytes);
    sent_by_both(&mut trader);
    let after = trader.fast_engines().expect("the core answers");
    let done = after.wire_rate - before.wire_rate;
    Some((packets, done, after.unread - before.unread))
}

#[test]
fn order_logs_whose_dictionaries_outlive_a_packet_give_the_same_orders_as_in_software() {
    let (templates, map) = two_order_logs_with_dictionaries();
    for preset in [MICROCODE, PROGRAM] {
        let mut exchange = Exchange::outliving(&templates, 12, 5);
        let mut trader = trader(preset, (&templates, &map), Side::Buy, &mut exchange);
        trade(&mut trader, &mut exchange);
        println!("{preset}: {:?}", trader.compared());
    }
}

/// No cause of the kill switch is enabled: what stops the orders is the book.
#[test]
fn after_a_lost_packet_no_order_leaves_and_none_after_one_that_cannot_be_read() {
    let templates = Templates::parse(&shipped("order-log.xml")).expect("it is shipped");
    let cases = [MICROCODE, PROGRAM].map(|preset| [(preset, false), (preset, true)]);
    for (preset, unreadable) in cases.concat() {
        let mut exchange = Exchange::new(&templates, 3);
        let mut trader = trader(preset, (&templates, &map()), Side::Buy, &mut exchange);
        let compare = |trader: &mut Trader| match trader.compare() {
            Ok(compared) => compared.sent,
            Err(problem) => panic!("{preset}, unreadable {unreadable}: {problem}"),
        };
        for _ in 0..20 {
            let packet = exchange.some(6);
            trader.payload(&packet, false);
        }
        let before = compare(&mut trader);
        assert!(before > 5, "{before}");
        let lost = exchange.some(6);
        if unreadable {
            let mut packet = Vec::new();
            // Template 127 is none of theirs.
            Framing::Preamble.put(exchange.number - 1, &[0xC0, 0xFF], &mut packet);
            trader.payload(&packet, false);
        }
        drop(lost);
        // The price changes long before the end of the packet, which is when the core learns of the gap.
        let mut entries = vec![exchange.entry(0, "AAPL", IMPROVING)];
        for id in 0..6 {
            let order = Live {
                id: id + 1,
                ..IMPROVING
            };
            entries.push(exchange.entry(0, "MSFT", order));
        }
        let packet = exchange.packet(&entries);
        trader.payload(&packet, false);
        assert_eq!(compare(&mut trader), before, "the first change");
        for _ in 0..20 {
            let packet = exchange.some(6);
            trader.payload(&packet, false);
        }
        assert_eq!(compare(&mut trader), before);
    }
}
