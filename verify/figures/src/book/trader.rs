//! Tick to trade of the cores with an order book, as `out/bench/book.json` has it: cycles of each kind of message, nanoseconds at the clock that place
//! and route reached.

use std::collections::BTreeMap;
use std::path::Path;

use book::{Book, Limits};
use cosim::Preset;
use cosim::orders::{Desk, Market};
use formats::itch::{Message, Version};
use formats::{Side, Symbol, mold};
use instrument::{Locates, Table};
use report::distribution::{Distribution, Summary};
use report::packets::Packets;
use report::placed::{at_placed_clock, place_and_route};
use report::trading;
use serde_json::{Value, json};

use crate::{Error, Progress};

/// What an add is called to a side that has a price: it can only change the best price by improving it.
const IMPROVING_ADD: &str = "improving_add";

/// What the last message of each packet does to the book, whose other side `side` is watched.
fn kinds(packets: &Packets, symbol: Symbol, side: Side) -> Vec<Option<&'static str>> {
    let table = Table::of_feed(&[Some(symbol)]);
    let mut locates = Locates::new(1);
    let mut book = Book::new(1, Limits::HARDWARE);
    packets
        .iter()
        .map(|packet| {
            let top = book.top(0);
            let watched = match side {
                Side::Buy => top.ask,
                Side::Sell => top.bid,
            };
            let messages = mold::Packet::parse(packet.payload).ok()?;
            for message in messages.messages() {
                if let Ok(event) = decoder::itch::event(packets.version, message, 0, 0, true) {
                    book.apply(&locates.resolve(&table, &event));
                }
            }
            book.verdict(true);
            kind(packets.version, packet.payload, watched.orders > 0)
        })
        .collect()
}

/// What the last message of a packet does to the book; `has_price`: the watched side had one before the packet.
fn kind(version: Version, payload: &[u8], has_price: bool) -> Option<&'static str> {
    let packet = mold::Packet::parse(payload).ok()?;
    let last = packet.messages().last()?;
    Some(match Message::parse(version, last).ok()? {
        Message::AddOrder(_) | Message::AddOrderMpid(_) if has_price => IMPROVING_ADD,
        Message::AddOrder(_) | Message::AddOrderMpid(_) => "add_to_empty_side",
        Message::OrderExecuted(_) | Message::OrderExecutedWithPrice(_) => "execute",
        Message::OrderCancel(_) => "reduce",
        Message::OrderDelete(_) => "delete",
        Message::OrderReplace(_) => "replace",
        _ => "other",
    })
}

/// The price of the first order of the symbol that enters.
fn price(packets: &Packets, symbol: Symbol) -> Option<u32> {
    packets.iter().find_map(|packet| {
        let packet = mold::Packet::parse(packet.payload).ok()?;
        packet.messages().find_map(|message| {
            match Message::parse(packets.version, message).ok()? {
                Message::AddOrder(add) if add.stock == symbol => Some(add.price),
                _ => None,
            }
        })
    })
}

/// Cycles, and how many orders there were.
#[derive(Default)]
struct Cycles {
    /// Of one message a packet, by kind of the message, while nothing else of the core left.
    kinds: BTreeMap<&'static str, Distribution>,
    /// Of all those.
    alone: Distribution,
    /// Of packets of several messages: from the last byte of the packet, whichever message it was.
    several: Distribution,
    /// While another frame of the core left, or one was just before it.
    beside_others: Distribution,
    compared: u64,
    refused: u64,
}

/// Runs recordings through the core that trades, the software beside it, each with the symbol that is traded. `recordings`: packets of one
/// message, and of several.
///
/// # Errors
/// Hardware and software differ; a core refuses its setup.
pub fn trader(
    recordings: &[(Packets, Symbol)],
    placed: &Path,
    progress: Progress,
) -> Result<Value, Error> {
    let preset = Preset::with_book();
    let mut cycles = Cycles::default();
    for (packets, symbol) in recordings {
        let symbol = *symbol;
        let of_one = packets.iter().all(|packet| packet.messages <= 1);
        for side in [Side::Buy, Side::Sell] {
            let desk = Desk::of_market(&Market {
                version: packets.version,
                symbol,
                tick: 100,
                price: price(packets, symbol).unwrap_or(0),
                side,
                quantity: 100,
                max_notional: u64::MAX,
            })?;
            let name = "tick to trade, core";
            let run = trading::hardware(
                preset,
                &desk,
                None,
                packets,
                trading::Pace::OneByOne,
                name,
                progress,
            )?;
            cycles.compared += run.compared.sent;
            cycles.refused += run.compared.refused;
            let kinds = kinds(packets, symbol, side);
            for order in run.orders {
                let taken = match (order.alone, of_one) {
                    (false, _) => &mut cycles.beside_others,
                    (true, false) => &mut cycles.several,
                    (true, true) => {
                        let kind = kinds.get(order.packet).copied().flatten();
                        let of_kind = cycles.kinds.entry(kind.unwrap_or("other"));
                        of_kind.or_default().add(order.last_first);
                        &mut cycles.alone
                    }
                };
                taken.add(order.last_first);
            }
        }
    }
    Ok(figures(preset, &cycles, placed))
}

/// With one value a kind, nothing of it is left to chance.
fn jitter(summary: &Summary) -> f64 {
    summary.max - summary.min
}

fn figures(preset: &Preset, cycles: &Cycles, folder: &Path) -> Value {
    let placed = place_and_route(&folder.join(format!("{}.json", preset.name)));
    let ns = |cycles: f64| at_placed_clock(&placed, cycles as u64);
    let summaries: BTreeMap<_, _> = cycles
        .kinds
        .iter()
        .map(|(kind, cycles)| (*kind, cycles.summary()))
        .collect();
    let alone = cycles.alone.summary();
    let several = cycles.several.summary();
    let most = alone.max.max(several.max);
    let by_kind: serde_json::Map<String, Value> = summaries
        .iter()
        .map(|(kind, summary)| {
            (
                (*kind).to_owned(),
                json!({"orders": summary.count, "min": summary.min, "max": summary.max}),
            )
        })
        .collect();
    let improving = summaries.get(IMPROVING_ADD);
    json!({
        "preset": preset.name,
        "orders_compared": cycles.compared,
        "orders_refused": cycles.refused,
        "last_first_cycles": {"min": alone.min.min(several.min), "mean": alone.mean, "max": most},
        "last_first_ns": {"min": ns(alone.min.min(several.min)), "max": ns(most)},
        "last_first_cycles_by_kind": by_kind,
        "several_messages_cycles": several,
        "beside_other_frames_cycles": cycles.beside_others.summary(),
        "jitter_cycles": summaries.values().map(jitter).fold(0.0, f64::max),
        "improving_add_cycles": {"min": improving.map(|s| s.min), "max": improving.map(|s| s.max)},
        "improving_add_ns": {"max": improving.and_then(|s| ns(s.max))},
        "fmax_mhz": placed["fmax_mhz"],
        "lut4": placed["lut4"],
        "ff": placed["ff"],
        "ebr": placed["ebr"],
        "met": placed["met"],
    })
}
