//! Strategies in the language, on a feed: which handlers run when, as `docs/reference/strategy-language.md` says and `backtest` does it.
//!
//! ```text
//!  event ─ book ─┬─ on_trade, on_book ─ Programmed ─ intents ─ risk ─ order
//!  time ─────────┤                        ↑
//!  exchange ─────┴─ on_order ─────────────┘
//! ```

use book::{Book, Change};
use formats::Event as FeedEvent;
use language::event::Event;
use language::{Machine, Program};
use order::Templates;
use risk::Risk;
use strategy::events::{self, Changes, Levels};

use crate::own_orders::Executed;
use crate::programmed::{Context, Programmed};
use crate::sink::OrderSink;
use crate::trading::Trading;

/// Nanoseconds of a microsecond.
const MICROSECOND: i64 = 1_000;

/// The time that handlers see: the feed's, in nanoseconds after midnight; while the feed is silent it goes on as this machine's clock does. Within a session
/// it never goes back.
#[derive(Clone, Copy, Debug, Default)]
struct Clock {
    /// The feed's last time, and when it came, in microseconds.
    feed: Option<(i64, u64)>,
    last: i64,
}

impl Clock {
    /// A message of the feed has this time; 0: the feed gives none.
    fn message(&mut self, time_ns: u64, now: u64) -> i64 {
        let time = time_ns as i64;
        let is_news = self.feed.is_none_or(|(before, _)| time > before);
        if is_news {
            self.feed = Some((time, now));
        }
        if time == 0 {
            return self.at(now);
        }
        self.last = self.last.max(time);
        self.last
    }

    /// It is `now`, in microseconds.
    fn at(&mut self, now: u64) -> i64 {
        if let Some((time, came)) = self.feed {
            let since = i64::try_from(now.saturating_sub(came)).unwrap_or(i64::MAX);
            let time = time.saturating_add(since.saturating_mul(MICROSECOND));
            self.last = self.last.max(time);
        }
        self.last
    }
}

/// What a strategy in the language did so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProgramCounts {
    /// Handlers that ran.
    pub handlers: u64,
    /// Intents.
    pub intents: u64,
    /// Records.
    pub records: u64,
    /// Faults.
    pub faults: u64,
}

/// A strategy in the language, to be added to [`Programs`].
pub struct Added<'a> {
    /// Its place among the desk's strategies: `Decision::strategy`.
    pub place: usize,
    /// The program.
    pub program: &'a Program,
    /// What runs it.
    pub machine: Box<dyn Machine>,
    /// A fault stops it.
    pub fault_stops: bool,
}

/// The strategies in the language of a desk. With one, the time of [`Trading::datagram_with`] counts microseconds.
#[derive(Debug, Default)]
pub struct Programs {
    list: Vec<Programmed>,
    /// The templates of orders, which leave the time in force to each order.
    templates: Templates,
    changes: Changes,
    clock: Clock,
}

impl Programs {
    /// None yet. `templates` are those of the orders ([`order::Description::time_in_force`] is set).
    pub fn new(templates: Templates) -> Self {
        Programs {
            templates,
            ..Programs::default()
        }
    }

    /// Adds a strategy of so many instruments.
    pub fn add(&mut self, added: Added<'_>, instruments: usize) {
        let room = self.templates.length;
        self.list.push(Programmed::new(added, instruments, room));
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// What each did so far: its place, what was counted, and how many of its orders are open.
    pub fn counts(&self) -> impl Iterator<Item = (usize, ProgramCounts, i64)> + '_ {
        self.list
            .iter()
            .map(|one| (one.place, one.counts, one.open_orders()))
    }

    /// What a strategy holds of each instrument: bought less sold; `None`: there is no such strategy in the language.
    pub fn positions(&self, place: usize) -> Option<&[i64]> {
        let found = self.list.iter().find(|one| one.place == place);
        found.map(Programmed::positions)
    }

    /// The feed begins a new session: another day, perhaps.
    pub(crate) fn new_session(&mut self) {
        self.clock = Clock::default();
        for one in &mut self.list {
            one.restart_timer();
        }
    }

    /// An event of a good frame, that the book has taken.
    #[inline(never)]
    pub(crate) fn event(
        &mut self,
        event: &FeedEvent,
        change: Option<&Change>,
        trade: Option<(u32, book::Trade)>,
        book: &Book,
        risk: &mut Risk,
        (now, sink): (u64, &mut dyn OrderSink),
    ) {
        if self.list.is_empty() {
            return;
        }
        let time = self.clock.message(event.time_ns(), now);
        let mut desk = Context {
            templates: &self.templates,
            risk,
            now,
            sequence: event.sequence,
            sink,
        };
        for one in &mut self.list {
            one.timers(time, &mut desk);
        }
        if let Some((instrument, traded)) = trade {
            let trade = events::trade(instrument, &traded);
            for one in &mut self.list {
                one.event(time, &Event::Trade(&trade), &mut desk);
            }
        }
        let Some(change) = change else {
            return;
        };
        self.changes.note(change);
        let instrument = change.instrument;
        for one in self.list.iter_mut().filter(|one| one.each_change) {
            let changed = events::book_change(book, instrument, change.before);
            let levels = Levels { book, instrument };
            one.event(time, &Event::Book(&changed, &levels), &mut desk);
        }
        for one in &mut self.list {
            one.sequence = event.sequence;
        }
    }

    /// The frame has ended.
    pub(crate) fn frame_ended(
        &mut self,
        book: &Book,
        risk: &mut Risk,
        now: u64,
        sink: &mut dyn OrderSink,
    ) {
        let (list, templates, time) = (&mut self.list, &self.templates, self.clock.last);
        self.changes.end(|instrument, before| {
            let changed = events::book_change(book, instrument, before);
            let levels = Levels { book, instrument };
            for one in list.iter_mut().filter(|one| !one.each_change) {
                let mut desk = Context {
                    templates,
                    risk: &mut *risk,
                    now,
                    sequence: one.sequence,
                    sink: &mut *sink,
                };
                one.event(time, &Event::Book(&changed, &levels), &mut desk);
            }
        });
    }

    /// Gives each strategy its turn, with what its intents go through.
    fn each(
        &mut self,
        risk: &mut Risk,
        now: u64,
        sink: &mut dyn OrderSink,
        mut turn: impl FnMut(&mut Programmed, &mut Context<'_>),
    ) {
        for one in &mut self.list {
            let mut desk = Context {
                templates: &self.templates,
                risk: &mut *risk,
                now,
                sequence: one.sequence,
                sink: &mut *sink,
            };
            turn(one, &mut desk);
        }
    }
}

impl Trading {
    /// Lets time pass without a datagram: timers that are due run. `now` as for [`Trading::datagram_with`], in microseconds.
    pub fn time_passes(&mut self, programs: &mut Programs, now: u64, sink: &mut dyn OrderSink) {
        if programs.list.is_empty() || programs.clock.feed.is_none() {
            return;
        }
        let time = programs.clock.at(now);
        programs.each(&mut self.stages.risk, now, sink, |one, desk| {
            one.timers(time, desk);
        });
    }

    /// The exchange said something about an order, and risk knows ([`Trading::adjust`]): the strategy in the language whose order it is gets its reports.
    pub fn executed(
        &mut self,
        programs: &mut Programs,
        executed: &Executed,
        now: u64,
        sink: &mut dyn OrderSink,
    ) {
        let time = programs.clock.at(now);
        programs.each(&mut self.stages.risk, now, sink, |one, desk| {
            one.executed(time, executed, desk);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::Clock;

    #[test]
    fn time_is_the_feeds_goes_on_while_it_is_silent_and_never_back() {
        let mut clock = Clock::default();
        assert_eq!(clock.at(5), 0, "nothing has come");
        assert_eq!(clock.message(1_000_000, 10), 1_000_000);
        assert_eq!(clock.at(12), 1_002_000);
        assert_eq!(clock.message(1_001_000, 13), 1_002_000, "not back");
        assert_eq!(clock.message(2_000_000, 14), 2_000_000);
        assert_eq!(clock.at(15), 2_001_000);
    }

    #[test]
    fn a_feed_without_times_has_those_of_the_machine_since_its_first_message() {
        let mut clock = Clock::default();
        assert_eq!(clock.message(0, 100), 0);
        assert_eq!(clock.message(0, 103), 3_000);
    }
}
