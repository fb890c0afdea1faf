//! A recorded day through the simulated market.

use std::collections::BTreeMap;
use std::time::Instant;

use backtest::{Action, Backtest, Feed, Fill, Holding};
use book::Status;
use feed::{Packet, PacketSource};
use formats::Listener;
use formats::itch::Version;
use instrument::Directory;
use language::{Guarded, Intent, Machine, Program};
use live::desk::ToBacktest;
use live::{Desk, Recording};
use serde::Serialize;

use super::latency::Named;
use super::{Arguments, FeedSummary, Instrument, Summary};
use crate::commands::book::some_of;
use crate::commands::check::PRICE_DECIMALS;
use crate::console::Console;
use crate::error::Error;
use crate::input::{Packets, version_of};
use crate::stop;

/// Something that happened, as a line of JSON.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Line<'a> {
    Intent {
        time_ns: u64,
        #[serde(flatten)]
        intent: &'a Intent,
    },
    Fill {
        time_ns: u64,
        #[serde(flatten)]
        fill: &'a Fill,
    },
    Record {
        time_ns: u64,
        tag: u8,
        values: &'a [i64],
    },
}

/// What was recorded.
pub struct Recorded(Recording);

impl Recorded {
    /// What the file is: of a desk's feed, or else ITCH.
    ///
    /// # Errors
    /// The file, the templates or the map cannot be read; nothing of the file is of the feed.
    pub fn find(
        arguments: &Arguments,
        desk: Option<&Desk>,
        console: Console,
    ) -> Result<Self, Error> {
        let (path, read) = (&arguments.file, &arguments.read);
        let version = match desk.is_some_and(|desk| desk.feed.fast.is_some()) {
            true => Version::V50,
            false => {
                let found = version_of(path, read)?;
                found.ok_or_else(|| Error::NoBook { path: path.clone() })?
            }
        };
        let recording = Recording::open(desk, path, read.options(), version, &console)?;
        Ok(Recorded(recording))
    }

    /// Decimals of its prices.
    pub fn price_decimals(&self) -> u8 {
        let map = self.0.fast().map(|setup| &setup.map);
        map.map_or(PRICE_DECIMALS as u8, |map| map.price_scale)
    }

    /// What decodes it, from its beginning.
    fn feed(&self) -> Result<Feed, Error> {
        let Some(setup) = self.0.fast() else {
            return Ok(Feed::itch(self.0.version()));
        };
        let mut templates = setup.map.templates.iter();
        let tells_time = templates.any(|one| one.time.is_some());
        Ok(Feed::fast(setup.decoder()?, tells_time))
    }

    fn packets(&self, arguments: &Arguments) -> Result<Packets, Error> {
        let (path, read) = (&arguments.file, &arguments.read);
        Ok(match self.0.fast() {
            None => Packets::open(path, read, &arguments.packet_options)?,
            Some(_) => Packets::of_any_protocol(path, read)?,
        })
    }

    /// The symbols that it has, in the order in which they come.
    fn directory(&self, arguments: &Arguments) -> Result<Directory, Error> {
        struct Listing(Directory);
        impl Listener for Listing {
            fn event(&mut self, event: &formats::Event) {
                self.0.index(event);
            }
        }
        let (mut feed, mut packets) = (self.feed()?, self.packets(arguments)?);
        let mut listing = Listing(Directory::default());
        while let Some(Packet { payload, .. }) = packets.next_packet()? {
            feed.datagram(payload, &mut listing);
        }
        Ok(listing.0)
    }
}

/// What is played.
pub struct Day<'a> {
    pub what: &'a ToBacktest,
    pub program: &'a Program,
    pub recorded: &'a Recorded,
    /// What each parameter is, as it would be written.
    pub parameters: BTreeMap<String, String>,
    pub latency: Named,
    /// What happens, order by order.
    pub tells: bool,
}

/// Plays the day; where it tells what happens, as lines of JSON.
///
/// # Errors
/// The file cannot be read, or nothing of it is of the feed; the strategy does not come to an end.
pub fn play<M: Machine>(
    arguments: &Arguments,
    day: Day<'_>,
    machine: M,
    console: Console,
) -> Result<Summary, Error> {
    let began = Instant::now();
    let Day {
        what,
        program,
        recorded,
        parameters,
        latency,
        tells,
    } = day;
    let fault_stops = what.fault_stops && !arguments.go_on_after_faults;
    let machine = Guarded::new(machine, fault_stops);
    let symbols: Vec<_> = what.instruments.iter().map(|(_, symbol)| *symbol).collect();
    let backtest = Backtest::new(program, machine, recorded.feed()?, &symbols)?;
    let mut backtest = backtest.with_latency(latency.latency);
    let mut packets = recorded.packets(arguments)?;
    let bar = console.bytes("backtest", packets.position().1);
    let mut count = 0;
    let mut failed = None;
    while arguments.packets.is_none_or(|most| count < most) && !stop::requested() {
        let Some(Packet { time, payload }) = packets.next_packet()? else {
            break;
        };
        count += 1;
        backtest.datagram(payload, time, &mut |time_ns, happened| {
            if !tells {
                return;
            }
            let line = match happened {
                Action::Intent(intent) => Line::Intent { time_ns, intent },
                Action::Fill(fill) => Line::Fill { time_ns, fill },
                Action::Record(record) => Line::Record {
                    time_ns,
                    tag: record.tag,
                    values: record.values(),
                },
            };
            if let Err(error) = console.json_line(&line) {
                failed.get_or_insert(error);
            }
        })?;
        if count == 1 && recorded.0.is_joined() {
            backtest.begin_with_empty_books();
        }
        if let Some(error) = failed.take() {
            return Err(error);
        }
        if count % 1_024 == 0 {
            bar.set_position(packets.position().0);
        }
    }
    bar.finish_and_clear();
    let wrong = backtest.wrong();
    if let (Some(setup), 0, 1..) = (recorded.0.fast(), wrong.good, count) {
        return Err(Error::OtherFeed {
            path: arguments.file.clone(),
            packets: count,
            malformed: wrong.malformed,
            faulty: wrong.faulty(),
            map: setup.map_file.clone(),
        });
    }
    // Only where a symbol may not be in the file is it read again.
    if !stop::requested() && backtest.unseen().next().is_some() {
        let has = recorded.directory(arguments)?;
        let missing = symbols.iter().find(|symbol| has.find(**symbol).is_none());
        if let Some(symbol) = missing {
            return Err(Error::NoSymbol {
                path: arguments.file.clone(),
                symbol: *symbol,
                has: some_of(has.symbols()),
            });
        }
    }
    let skipped = packets.skipped();
    let scale = recorded.price_decimals();
    let holdings = (0_u32..).zip(&what.instruments).zip(backtest.holdings());
    let instruments = holdings.map(|((index, (name, _)), holding)| {
        let status = backtest.status(index);
        instrument(name, holding, arguments.fee, scale, status)
    });
    Ok(Summary {
        file: arguments.file.clone(),
        strategy: program.name.clone(),
        parameters,
        fee: arguments.fee,
        packets: count,
        latency: latency.name,
        latency_ns: latency.mean_ns,
        counts: *backtest.counts(),
        on_their_way: backtest.on_their_way(),
        stopped: backtest.machine().stopped(),
        open_orders: backtest.open_orders(),
        instruments: instruments.collect(),
        feed: FeedSummary {
            wrong,
            damaged_frames: skipped.incomplete + skipped.fragment,
        },
        seconds: began.elapsed().as_secs_f64(),
    })
}

fn instrument(
    symbol: &str,
    holding: &Holding,
    fee: f64,
    decimals: u8,
    status: Option<Status>,
) -> Instrument {
    let scale = 2.0 * 10_f64.powi(decimals.into());
    let fees = holding.traded as f64 * fee;
    Instrument {
        symbol: symbol.to_owned(),
        position: holding.position,
        traded: holding.traded,
        profit: holding.twice_profit() as f64 / scale - fees,
        fees,
        untradable: match status {
            Some(Status::Untradable(cause)) => Some(cause.to_string()),
            _ => None,
        },
    }
}
