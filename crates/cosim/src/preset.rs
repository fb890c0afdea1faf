//! The presets: every core that is shipped, as `rtl/presets.toml` describes them.

use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;

use serde::Deserialize;

use crate::embedded;
use crate::models::{Builder, CORE, Design, LoadedModel, ModelError};
use crate::width::Width;

/// A core that is shipped: what it has in it, and where it is placed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preset {
    /// Its name, as the command line and `make pnr` take it.
    #[serde(skip)]
    pub name: &'static str,
    /// Parameters of its top.
    #[serde(skip)]
    parameters: Vec<(&'static str, u64)>,
    /// Its top with plain ports: file and text.
    #[serde(skip)]
    shell: (&'static str, &'static str),
    /// What it is, in a sentence.
    #[serde(deserialize_with = "text")]
    pub summary: &'static str,
    /// Its top module in `rtl/`.
    #[serde(deserialize_with = "text")]
    pub top: &'static str,
    /// Its interface.
    #[serde(deserialize_with = "width")]
    pub width: Width,
    /// Lines of the feed: 2 with the arbiter.
    pub lines: u32,
    /// The market data that is decoded.
    pub feed: Feed,
    /// Whether it has statistics per symbol, and their report packets.
    pub statistics: bool,
    /// The longest UDP payload that its arbiter can keep, in bytes; 0: it keeps none, and has the low-latency output alone.
    pub packet: u32,
    /// Room for frames that no module takes until the host takes them, by line, in beats.
    pub host: u32,
    /// FIX sessions, with stop orders and risk.
    pub sessions: u32,
    /// Whether prices are read from the session's messages (35=W, 35=X).
    pub session_prices: bool,
    /// Slots for stop orders.
    pub stops: u32,
    /// Orders that its order book has room for; 0: it has none.
    pub book: u32,
    /// Levels of each side that the book keeps ready; with fewer than 8 it takes no feed of price levels.
    pub book_levels: u32,
    /// What acts on it.
    pub strategy: Strategy,
    /// Whether it follows the orders of a strategy in the language.
    pub own_orders: bool,
    /// Whether a strategy in the language may read levels that are not the best.
    pub level_reads: bool,
    /// Whether a strategy in the language may be called at each change of the book.
    pub each_change: bool,
    /// Whether stop orders and strategies get the trades of the feed.
    pub trades: bool,
    /// Whether a strategy in the language may have a timer.
    pub timers: bool,
    /// What FAST decodes, its packets and events, what goes wrong in the stages and what a strategy emits are written into a ring in host memory.
    pub ring: bool,
    /// FAST feeds that it decodes side by side.
    pub feeds: u32,
    /// Whether the program `tickwire` has its model in it, where it is built with the feature `built-in-models`.
    pub built_in: bool,
    /// Where it is placed; the first is the reference. None: it is for simulation.
    #[serde(rename = "place")]
    pub placements: Vec<Placement>,
}

/// The market data on a preset's lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Feed {
    /// There is none: prices come over the FIX session.
    None,
    /// MoldUDP64 and ITCH.
    Itch,
    /// Moscow's preamble and FAST, whose program the host loads.
    Fast,
}

/// The strategy on a preset's order book.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// There is none.
    None,
    /// `strategy/module/best_price`.
    BestPrice,
    /// The processor, whose program is loaded.
    Processor,
    /// A module of its own, beside the core: in a simulation a model of its own.
    External,
}

/// A part, and the clock required there.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Placement {
    /// The vendor's name of it, with the speed grade.
    #[serde(deserialize_with = "text")]
    pub part: &'static str,
    /// In MHz.
    pub clock_mhz: f64,
}

/// What the tops are called that keep the best prices of an order log, and no orders.
const ORDER_LOG: &str = "order_log_";
/// Plain ports around a top.
const SHELL: &str = include_str!("../../../rtl/cores/shell.sv.in");

static PRESETS: LazyLock<Vec<Preset>> = LazyLock::new(|| {
    read(include_str!("../../../rtl/presets.toml")).expect("rtl/presets.toml is checked by a test")
});

fn width<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Width, D::Error> {
    match u32::deserialize(deserializer)? {
        8 => Ok(Width::Gmii),
        64 => Ok(Width::Xgmii),
        other => Err(serde::de::Error::custom(format!(
            "width is 8 or 64, not {other}"
        ))),
    }
}

/// The table of presets is read once, and lives as long as the program.
fn text<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<&'static str, D::Error> {
    Ok(String::deserialize(deserializer)?.leak())
}

/// What a top has, in the file: what every preset of it has, and what its parameters are.
#[derive(Clone, Debug, Deserialize)]
struct Top {
    parameters: BTreeMap<String, String>,
    #[serde(flatten)]
    has: toml::Table,
}

/// The presets of the file, by name: each has what `[defaults]` and the table of its top have where it does not say otherwise.
fn read(text: &str) -> Result<Vec<Preset>, toml::de::Error> {
    use serde::de::Error;

    let mut tables: BTreeMap<String, toml::Table> = toml::from_str(text)?;
    let defaults = tables.remove("defaults").unwrap_or_default();
    let tops: BTreeMap<String, Top> =
        toml::Value::Table(tables.remove("tops").unwrap_or_default()).try_into()?;
    let presets = tables.into_iter().map(|(name, own)| {
        let top = own.get("top").and_then(toml::Value::as_str);
        let Some(top) = top.and_then(|top| tops.get(top)) else {
            return Err(toml::de::Error::custom(format!("{name}: no such top")));
        };
        let mut table = defaults.clone();
        table.extend(top.has.clone());
        table.extend(own);
        let parameters = top.parameters.iter().map(|(parameter, member)| {
            let value = match table.get(member) {
                Some(toml::Value::Integer(value)) => u64::try_from(*value).ok(),
                _ => None,
            };
            let value =
                value.ok_or_else(|| toml::de::Error::custom(format!("{name}: {member}")))?;
            Ok((&*parameter.clone().leak(), value))
        });
        let parameters = parameters.collect::<Result<_, _>>()?;
        let mut preset: Preset = table.try_into()?;
        preset.name = name.leak();
        preset.parameters = parameters;
        preset.shell = preset.shell();
        Ok(preset)
    });
    presets.collect()
}

/// The lines of a template that are there: between `@if NAME` and `@else` or `@end` where it `has` that.
fn filled(template: &str, has: impl Fn(&str) -> bool) -> String {
    let mut text = String::new();
    let mut there = true;
    for line in template.lines() {
        match line.split_whitespace().collect::<Vec<_>>()[..] {
            ["@if", name] => there = has(name),
            ["@else"] => there = !there,
            ["@end"] => there = true,
            _ if there => text.extend([line, "\n"]),
            _ => {}
        }
    }
    text
}

impl Preset {
    /// All of them, by name.
    pub fn all() -> &'static [Preset] {
        &PRESETS
    }

    /// The one of that name.
    pub fn by_name(name: &str) -> Option<&'static Preset> {
        PRESETS.iter().find(|preset| preset.name == name)
    }

    /// Its top with plain ports, as Verilator wants them: file and text.
    fn shell(&self) -> (&'static str, &'static str) {
        let file = format!("{}.sv", self.top);
        let core = embedded::rtl().iter().find(|(name, _)| *name == file);
        let (_, core) =
            core.expect("every top of rtl/presets.toml is in rtl/cores: a test builds each");
        let code = core
            .lines()
            .map(|line| line.split("//").next().unwrap_or_default());
        let ports: HashSet<&str> = code
            .take_while(|line| !line.starts_with(");"))
            .flat_map(|line| line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')))
            .collect();
        let lines = |line: fn(&str, u64) -> String| {
            let lines = self
                .parameters
                .iter()
                .map(|(name, value)| line(name, *value));
            lines.collect::<Vec<_>>().join(",\n")
        };
        let declared = lines(|name, value| format!("    parameter int {name} = {value}"));
        let set = lines(|name, _| format!("      .{name}({name})"));
        let text = filled(SHELL, |name| ports.contains(name))
            .replace("@TOP@", self.top)
            .replace("@PARAMETERS@", &declared)
            .replace("@SETTINGS@", &set);
        (format!("{}_shell.sv", self.top).leak(), text.leak())
    }

    /// What its model is made of.
    pub fn design(&self) -> Design<'_> {
        let beside = u32::from(self.ring) + 2 * u32::from(self.strategy == Strategy::External);
        Design {
            name: self.name,
            top: self.shell.0.trim_end_matches(".sv"),
            parameters: self.parameters.clone(),
            files: vec![self.shell],
            shim: CORE,
            defines: vec![("WIDTH", self.width.bits()), ("PRESET", beside)],
        }
    }

    /// Its model, kept for the rest of the program: the one in this program, or the one that is built when it is first asked for.
    ///
    /// # Errors
    /// It cannot be built.
    pub fn model(&self) -> Result<LoadedModel, ModelError> {
        let built_in = embedded::models()
            .iter()
            .find(|(name, _)| *name == self.name);
        match built_in {
            Some((name, library)) => Builder::built_in(name, library),
            None => Builder::default().shared(&self.design()),
        }
    }

    /// Whether this program has its model in it.
    pub fn is_built_in(&self) -> bool {
        embedded::models()
            .iter()
            .any(|(name, _)| *name == self.name)
    }

    /// Whether it keeps the best prices of an order log, and no orders. What it cannot read at line rate its host has to make good: so the messages that a log
    /// opens with, which say that books are empty.
    pub fn is_order_log(&self) -> bool {
        self.top.starts_with(ORDER_LOG)
    }

    /// Whether its book takes a feed of price levels: of up to seven of a side it must know one more.
    pub fn takes_price_levels(&self) -> bool {
        self.book_levels >= 8 && !self.is_order_log()
    }

    /// Says that it `lacks` something, and which one with a book on the same feed, at the same width, is able to do that, if there is one: with this one's
    /// strategy, or else with another.
    pub(crate) fn refusal(&self, lacks: &str, able: impl Fn(&Preset) -> bool) -> String {
        let able = PRESETS.iter().filter(|preset| {
            preset.feed == self.feed
                && preset.width == self.width
                && preset.book != 0
                && able(preset)
        });
        let other = match able.min_by_key(|preset| preset.strategy != self.strategy) {
            Some(able) => format!("; {} does", able.name),
            None => String::new(),
        };
        format!("preset {} {lacks}{other}", self.name)
    }

    /// Two lines and no session, at that width.
    pub fn two_lines(width: Width) -> &'static Preset {
        of(width, |preset| {
            preset.lines == 2 && preset.feed == Feed::Itch && preset.sessions == 0
        })
    }

    /// The one with an order book and `best_price`, on ITCH.
    pub fn with_book() -> &'static Preset {
        Preset::trader(Feed::Itch, Strategy::BestPrice, Width::Xgmii)
            .expect("rtl/presets.toml has one")
    }

    /// The one with this strategy on an order book on this feed, at that width, if there is one.
    pub fn trader(feed: Feed, strategy: Strategy, width: Width) -> Option<&'static Preset> {
        PRESETS.iter().find(|preset| {
            preset.width == width && preset.feed == feed && preset.strategy == strategy
        })
    }

    /// One FAST feed on two lines, and a ring in host memory.
    pub fn with_ring() -> &'static Preset {
        PRESETS
            .iter()
            .find(|preset| preset.feed == Feed::Fast && preset.ring && preset.feeds == 1)
            .expect("rtl/presets.toml has one")
    }

    /// Stop orders on the prices of a session at that width.
    pub fn with_session(width: Width) -> &'static Preset {
        of(width, |preset| {
            preset.feed == Feed::None && preset.stops != 0
        })
    }
}

/// The first preset of that width for which this is true.
fn of(width: Width, wanted: impl Fn(&Preset) -> bool) -> &'static Preset {
    PRESETS
        .iter()
        .find(|preset| preset.width == width && wanted(preset))
        .expect("rtl/presets.toml has one at each width")
}
