//! The presets of `rtl/presets.toml`, and the table of them that the crate includes.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::fail;

/// A preset of `rtl/presets.toml`, which explains each member.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preset {
    pub summary: String,
    pub width: u32,
    pub lines: u32,
    pub feed: Feed,
    pub statistics: bool,
    pub packet: u32,
    pub host: u32,
    pub sessions: u32,
    pub session_prices: bool,
    pub stops: u32,
    pub book: u32,
    pub book_levels: u32,
    pub strategy: Strategy,
    pub own_orders: bool,
    pub level_reads: bool,
    pub each_change: bool,
    pub trades: bool,
    pub timers: bool,
    pub ring: bool,
    pub wire_rate: WireRate,
    pub feeds: u32,
    pub program: bool,
    pub place: Vec<Placement>,
}

/// FAST's wire-rate engine: none, with tables that are loaded, or with constants; `WIRE_RATE` of the core.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WireRate {
    None,
    Loaded,
    Constants,
}

/// The market data on its lines; `FEED` of the core.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Feed {
    None,
    Itch,
    Fast,
}

/// What acts on its book; `STRATEGY` of the core.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    None,
    BestPrice,
    Alu,
    Outside,
}

/// A part, and the clock required there.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Placement {
    part: String,
    clock_mhz: f64,
}

/// The presets, by name.
pub fn presets(file: &Path) -> BTreeMap<String, Preset> {
    println!("cargo:rerun-if-changed={}", file.display());
    let text = fs::read_to_string(file)
        .unwrap_or_else(|cause| fail(&format!("cannot read {}: {cause}", file.display())));
    toml::from_str(&text).unwrap_or_else(|cause| fail(&format!("{}: {cause}", file.display())))
}

/// `presets.rs`: the table that `src/preset.rs` includes.
pub fn table(presets: &BTreeMap<String, Preset>, all: bool) -> String {
    let mut text = String::from("unsafe extern \"C\" {\n");
    for (name, _) in presets.iter().filter(|(_, preset)| all || preset.program) {
        text += &format!(
            "    #[link_name = \"{name}_model\"]\n    static {}: Model;\n",
            name.to_uppercase()
        );
    }
    text += &format!("}}\nstatic PRESETS: [Preset; {}] = [\n", presets.len());
    for (name, preset) in presets {
        let Preset {
            summary,
            width,
            lines,
            feed,
            statistics,
            packet,
            sessions,
            session_prices,
            stops,
            book,
            book_levels,
            strategy,
            own_orders,
            level_reads,
            each_change,
            trades,
            timers,
            ring,
            wire_rate,
            feeds,
            ..
        } = preset;
        let width = match width {
            8 => "Gmii",
            64 => "Xgmii",
            _ => fail(&format!("presets.toml: {name}: width is 8 or 64")),
        };
        if !matches!(wire_rate, WireRate::None) && (!matches!(feed, Feed::Fast) || width != "Xgmii")
        {
            fail(&format!(
                "presets.toml: {name}: a wire-rate engine needs FAST at 64 bits"
            ));
        }
        if *own_orders && !matches!(strategy, Strategy::Alu | Strategy::Outside) {
            fail(&format!(
                "presets.toml: {name}: own orders are followed of a strategy in the language: alu or outside"
            ));
        }
        let alone = !ring || *sessions != 0 || *book != 0;
        if !(1..=4).contains(feeds) || (*feeds > 1 && alone) {
            fail(&format!(
                "presets.toml: {name}: feeds are 1 to 4; side by side they need a ring, and neither a session nor a book"
            ));
        }
        let places: Vec<String> = preset
            .place
            .iter()
            .map(|Placement { part, clock_mhz }| {
                format!("Placement {{ part: {part:?}, clock_mhz: {clock_mhz:?} }}")
            })
            .collect();
        let model = if all || preset.program {
            format!("Some(unsafe {{ &{} }})", name.to_uppercase())
        } else {
            "None".to_owned()
        };
        text += &format!(
            "    Preset {{ name: {name:?}, summary: {summary:?}, width: Width::{width}, lines: {lines}, feed: Feed::{feed:?}, statistics: {statistics}, packet: {packet}, \
             sessions: {sessions}, session_prices: {session_prices}, \
             stops: {stops}, book: {book}, book_levels: {book_levels}, strategy: Strategy::{strategy:?}, own_orders: {own_orders}, level_reads: {level_reads}, each_change: {each_change}, trades: {trades}, timers: {timers}, ring: {ring}, wire_rate: WireRate::{wire_rate:?}, feeds: {feeds}, placements: &[{}], model: {model} }},\n",
            places.join(", ")
        );
    }
    text + "];\n"
}
