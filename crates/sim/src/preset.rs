//! The presets: every core that is shipped, as `rtl/presets.toml` describes them.

use crate::core::Width;
use crate::model::Model;

/// A core that is shipped: what it has in it, and where it is placed.
#[derive(Debug)]
pub struct Preset {
    /// Its name, as the command line and `make pnr` take it.
    pub name: &'static str,
    /// What it is, in a sentence.
    pub summary: &'static str,
    /// Its interface.
    pub width: Width,
    /// Lines of the feed: 2 with the arbiter.
    pub lines: u32,
    /// The market data that is decoded.
    pub feed: Feed,
    /// Whether it has statistics per symbol, and their report packets.
    pub statistics: bool,
    /// The longest UDP payload that its arbiter can keep, in bytes.
    pub packet: u32,
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
    /// The wire-rate engine beside FAST's microcode engine.
    pub wire_rate: WireRate,
    /// FAST feeds that it decodes side by side.
    pub feeds: u32,
    /// Where it is placed; the first is the reference. None: it is for simulation.
    pub placements: &'static [Placement],
    pub(crate) model: Option<&'static Model>,
}

/// The market data on a preset's lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feed {
    /// There is none: prices come over the FIX session.
    None,
    /// MoldUDP64 and ITCH.
    Itch,
    /// Moscow's preamble and FAST, whose program the host loads.
    Fast,
}

/// The wire-rate engine of a preset's FAST decoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireRate {
    /// There is none: the microcode engine does all packets.
    None,
    /// Its tables are loaded.
    Loaded,
    /// Its tables are constants, of `fast_wire_constants_pkg`: with those of another template the microcode engine does all packets.
    Constants,
}

impl WireRate {
    /// Whether there is one.
    pub fn is_there(self) -> bool {
        self != WireRate::None
    }

    /// As the configuration has it.
    pub const fn name(self) -> &'static str {
        match self {
            WireRate::None => "none",
            WireRate::Loaded => "loaded",
            WireRate::Constants => "constants",
        }
    }
}

/// The strategy on a preset's order book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// There is none.
    None,
    /// `strategy/wire/best_price`.
    BestPrice,
    /// The processor, whose program is loaded.
    Alu,
    /// A module of its own, beside the core: in a simulation a model of its own.
    Outside,
}

/// A part, and the clock required there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// The vendor's name of it, with the speed grade.
    pub part: &'static str,
    /// In MHz.
    pub clock_mhz: f64,
}

// SAFETY of what this includes: each static is a table of functions that the build has linked, and none is ever written.
include!(concat!(env!("OUT_DIR"), "/presets.rs"));

impl Preset {
    /// All of them, by name.
    pub fn all() -> &'static [Preset] {
        &PRESETS
    }

    /// The one of that name.
    pub fn by_name(name: &str) -> Option<&'static Preset> {
        PRESETS.iter().find(|preset| preset.name == name)
    }

    /// Whether this build has its model: the program has some, a build with the feature `all-models` all.
    pub fn is_built(&self) -> bool {
        self.model.is_some()
    }

    /// Whether its book takes a feed of price levels: of up to seven of a side it must know one more.
    pub fn takes_price_levels(&self) -> bool {
        self.book_levels >= 8
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

    /// The one with an order book and `best_price`, on ITCH, at that width. This build may not have its model ([`Preset::is_built`]).
    pub fn with_book(width: Width) -> &'static Preset {
        Preset::trader(Feed::Itch, Strategy::BestPrice, width)
            .expect("rtl/presets.toml has one at each width")
    }

    /// The first with an order book on this feed, and this strategy on it, at that width, if there is one. This build may not have its model
    /// ([`Preset::is_built`]).
    pub fn trader(feed: Feed, strategy: Strategy, width: Width) -> Option<&'static Preset> {
        Preset::traders(feed, strategy, width).next()
    }

    /// All of those. This build may not have their models.
    pub fn traders(
        feed: Feed,
        strategy: Strategy,
        width: Width,
    ) -> impl Iterator<Item = &'static Preset> {
        PRESETS.iter().filter(move |preset| {
            preset.width == width
                && preset.feed == feed
                && preset.strategy == strategy
                && !preset.wire_rate.is_there()
        })
    }

    /// As [`Preset::trader`]: the first of these that this build has and that `does` what is wanted, or else the first.
    pub fn trader_that(
        feed: Feed,
        strategy: Strategy,
        width: Width,
        does: impl Fn(&Preset) -> bool,
    ) -> Option<&'static Preset> {
        let mut traders = Preset::traders(feed, strategy, width);
        let able = traders.find(|preset| preset.is_built() && does(preset));
        able.or_else(|| Preset::trader(feed, strategy, width))
    }

    /// Those with FAST's wire-rate engine. This build may not have their models ([`Preset::is_built`]).
    pub fn traders_at_wire_rate(
        strategy: Strategy,
        width: Width,
    ) -> impl Iterator<Item = &'static Preset> {
        PRESETS.iter().filter(move |preset| {
            preset.width == width && preset.strategy == strategy && preset.wire_rate.is_there()
        })
    }

    /// FAST on two lines and a session, without an order book, at that width. This build may not have its model ([`Preset::is_built`]).
    pub fn with_fast(width: Width) -> &'static Preset {
        PRESETS
            .iter()
            .find(|preset| {
                preset.width == width
                    && preset.feed == Feed::Fast
                    && preset.sessions == 1
                    && preset.book == 0
            })
            .expect("rtl/presets.toml has one at each width")
    }

    /// One FAST feed on two lines, and a ring in host memory, at that width. This build may not have its model ([`Preset::is_built`]).
    pub fn with_ring(width: Width) -> &'static Preset {
        PRESETS
            .iter()
            .find(|preset| {
                preset.width == width
                    && preset.feed == Feed::Fast
                    && preset.ring
                    && preset.feeds == 1
            })
            .expect("rtl/presets.toml has one at each width")
    }

    /// One line of market data and a session, at that width.
    pub fn with_session(width: Width) -> &'static Preset {
        of(width, |preset| {
            preset.lines == 1
                && preset.feed == Feed::Itch
                && preset.sessions == 1
                && preset.book == 0
        })
    }
}

/// The first preset of that width for which this is true.
fn of(width: Width, wanted: impl Fn(&Preset) -> bool) -> &'static Preset {
    PRESETS
        .iter()
        .find(|preset| preset.width == width && preset.is_built() && wanted(preset))
        .expect("rtl/presets.toml has it with program = true")
}
