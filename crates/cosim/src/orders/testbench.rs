//! The core with its session up: a TCP peer that speaks FIX, the feed on the same line, the host at the registers.

use std::collections::VecDeque;
use std::net::Ipv4Addr;

use book::Book;
use decoder::{Fix, Itch};
use device::instruments::INSTRUMENTS;
use device::orders::MESSAGE_BYTES;
use device::{Driver, RawReport, Streams, TcpConfig, TcpState, UtcClock};
use formats::fix::{self, Frame as FixFrame, Timestamp};
use formats::frame::NetConfig;
use formats::{Event, Source, Symbol, fcs, itch, mold};
use instrument::{Listing, Table};
use order::{Description, Instrument, Number, Templates};
use tcp_peer::Peer;

use super::Problem;
use crate::core::{Core, PathMark};
use crate::lockstep::Setup;
use crate::preset::{Feed, Preset, Strategy};

mod market;

pub use market::Start;

/// Names of the two ends of the session.
const CORE: &str = "CORE";
const PEER: &str = "PEER";
/// The peer.
const PEER_IP: Ipv4Addr = Ipv4Addr::new(192, 168, 77, 1);
const PORT: u16 = 9_880;
/// MsgType of a new order.
const NEW_ORDER: &[u8] = b"\x0135=D\x01";
/// When the session begins: a leap day, seconds before midnight, so that the date turns.
const BEGIN: &[u8] = b"20240228-23:59:59.990";
/// Cycles between two looks at the lines.
const SLICE: u64 = 160;
/// Slices without anything until the core counts as done; and where it prepares orders itself, for each of which it needs about 370 cycles, and the host's of up to 1,150.
const QUIET: u32 = 4;
const QUIET_PREPARING: u32 = QUIET + 10;
/// The same where a strategy reads levels of the book: the best 16 of both sides take up to 12,000 cycles.
const QUIET_READING: u32 = QUIET_PREPARING + 75;
/// Cycles after which it should be.
const PATIENCE: u64 = 4_000_000;

/// What a source gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// A trade of an instrument of ours.
    Trade(Event),
    /// Messages of the feed were lost.
    Gap,
}

/// An instrument of the testbench.
#[derive(Clone, Copy, Debug)]
pub struct Listed {
    /// Decimals of its prices.
    pub decimals: u8,
    /// Its prices come on the session.
    pub fix: bool,
    /// Its prices come on the feed.
    pub feed: bool,
    /// Orders of it have a template.
    pub template: bool,
}

/// The instruments, by index: those without a template stand last.
pub const LISTED: [Listed; 8] = [
    listed(4, true, true, true),
    listed(4, true, true, true),
    listed(2, true, false, true),
    listed(0, true, false, true),
    listed(8, true, false, true),
    listed(4, false, true, true),
    // Whether it has limits is the random host's choice, as for all instruments.
    listed(4, true, true, true),
    listed(4, true, true, false),
];

const fn listed(decimals: u8, fix: bool, feed: bool, template: bool) -> Listed {
    Listed {
        decimals,
        fix,
        feed,
        template,
    }
}

/// The symbol of an instrument.
pub fn symbol(index: usize) -> Symbol {
    let mut bytes = *b"SYM     ";
    bytes[3] = b'A' + (index % 26) as u8;
    // Of different lengths.
    for byte in bytes.iter_mut().skip(4).take(index % 5) {
        *byte = b'X';
    }
    Symbol(bytes)
}

/// A frame that the core sent.
#[derive(Clone, Copy, Debug)]
pub struct SentFrame {
    /// Cycle of its first preamble byte.
    pub first: u64,
    /// Cycle of its last byte.
    pub last: u64,
    /// A new order is in it (35=D).
    pub order: bool,
}

/// The core, all that is around it, and its output since the last look.
pub struct Testbench {
    /// The core, through its driver.
    pub driver: Driver<Core>,
    /// The templates it has.
    pub templates: Templates,
    /// What became of orders, not checked yet.
    pub reports: Vec<RawReport>,
    /// Bytes of the core on the session, not checked yet.
    pub stream: Vec<u8>,
    /// When the frames of the core left, in their order, if that is wanted.
    pub left: Option<Vec<SentFrame>>,
    /// How far packets and orders came, since somebody set `left`.
    pub passed: Vec<PathMark>,
    /// Slices without anything until it counts as done.
    quiet: u32,
    /// Its universal time.
    pub clock: UtcClock,
    /// The CompIDs of the core and of its peer.
    names: [String; 2],
    peer: Peer,
    /// MsgSeqNum of the peer's next message.
    peer_sequence: u64,
    /// Bytes for the peer to write.
    to_write: VecDeque<Vec<u8>>,
    feed: Setup,
    /// The software decoder for the bytes that the core gets.
    pub fix: Fix,
    itch: Itch,
    instruments: Table,
    /// Of the feed, where the core has one and what reaches stops and risk is compared.
    pub book: Option<Book>,
    inputs: [Vec<Input>; 2],
    packet: mold::Builder,
    /// The core's clock when the peer last worked, in nanoseconds.
    elapsed: u64,
    bytes: Vec<u8>,
}

/// `8=FIX.4.4|9=…|` before a body and `10=000|` after it; `number_at` is where its zeros for MsgSeqNum are.
fn to_be_numbered(body: &str) -> (Vec<u8>, u16) {
    let body = body.replace('|', "\x01");
    let message = format!("8=FIX.4.4\x019={}\x01{body}10=000\x01", body.len());
    let at = message.find("\x0134=").map_or(0, |at| at + 4);
    (message.into_bytes(), at as u16)
}

impl Testbench {
    /// A core of a preset with the instruments of [`LISTED`], their prices where it takes them from; it has logged on, instruments have no limits yet.
    pub fn new(preset: &Preset) -> Result<Self, Problem> {
        let name = |index: usize| symbol(index).to_string();
        let instruments: Vec<_> = (0..)
            .zip(&LISTED)
            .map(|(index, listed)| {
                let instrument = device::Instrument {
                    feed: (listed.feed && preset.feed == Feed::Itch).then(|| symbol(index)),
                    session: (listed.fix && preset.session_prices).then(|| name(index)),
                    decimals: listed.decimals,
                    quantity_decimals: 0,
                };
                (instrument, listed.template.then(|| name(index)))
            })
            .collect();
        Testbench::of(preset, itch::Version::V50, &instruments)
    }

    /// A core of a preset with a session, and these instruments by index, each with its name in orders if there are any of it: those without stand
    /// last. It has logged on; instruments have no limits yet.
    pub fn of(
        preset: &Preset,
        version: itch::Version,
        listed: &[(device::Instrument, Option<String>)],
    ) -> Result<Self, Problem> {
        let named = listed.iter().filter_map(|(listed, name)| {
            Some(Instrument {
                symbol: name.clone()?,
                decimals: listed.decimals,
            })
        });
        let mut description = Description::new(CORE, PEER, named.collect());
        description.client_order_id_prefix = "T".to_owned();
        description.quantity_width = 6;
        let templates = Templates::compile(&description, MESSAGE_BYTES)
            .map_err(|error| Problem::Testbench(error.to_string()))?;
        let listed: Vec<_> = listed.iter().map(|(listed, _)| listed.clone()).collect();
        let names = [CORE, PEER].map(str::to_owned);
        Testbench::with(preset, version, &listed, templates, names)
    }

    /// The same with templates for the orders, by the indices of the instruments, and the CompIDs of the core and of its peer.
    pub fn with(
        preset: &Preset,
        version: itch::Version,
        listed: &[device::Instrument],
        templates: Templates,
        names: [String; 2],
    ) -> Result<Self, Problem> {
        let width = preset.width;
        let mut setup = Setup::example(version, &[]);
        setup.pipeline.symbols = listed.iter().map(|listed| listed.feed).collect();
        let mut driver = setup.core_of(preset)?;
        driver.load_templates(&templates)?;
        let mut instruments = Table::new(INSTRUMENTS);
        for index in 0..INSTRUMENTS {
            let instrument = listed.get(index).cloned().unwrap_or_default();
            driver.set_instrument(index, &instrument)?;
            let session = instrument
                .session
                .as_deref()
                .and_then(|name| name.parse().ok());
            let session = session.map(|symbol| Listing {
                symbol,
                price_scale: instrument.decimals,
                quantity_scale: instrument.quantity_decimals,
            });
            instruments.set(Source::Session, index, session);
            instruments.set(Source::Feed, index, instrument.feed.map(Listing::itch));
        }
        let now = Timestamp::parse(BEGIN).ok_or_else(|| Problem::Testbench("its time".into()))?;
        let picoseconds = width.cycle_picoseconds();
        let clock = UtcClock::new(now, driver.time()?, picoseconds);
        let next = Timestamp((now.0 / 1_000_000 + 1) * 1_000_000);
        driver.load_utc(now, clock.core_ns(next))?;
        driver.load_date(Timestamp(now.0 + 86_400_000_000_000))?;
        let mut peer = Peer::new(setup.report.destination_mac.0, PEER_IP, PORT, 0);
        peer.acknowledge_at_once();
        let mut testbench = Testbench {
            driver,
            templates,
            reports: Vec::new(),
            stream: Vec::new(),
            left: None,
            passed: Vec::new(),
            quiet: match preset.strategy {
                Strategy::Processor | Strategy::External => QUIET_PREPARING,
                Strategy::None | Strategy::BestPrice => QUIET,
            },
            clock,
            names,
            peer,
            peer_sequence: 1,
            to_write: VecDeque::new(),
            feed: setup,
            fix: Fix::default(),
            itch: Itch::new(version),
            instruments,
            book: None,
            inputs: Default::default(),
            packet: mold::Builder::new(*b"ORDERS    ", 1),
            elapsed: 0,
            bytes: Vec::new(),
        };
        testbench.log_on()?;
        Ok(testbench)
    }

    fn log_on(&mut self) -> Result<(), Problem> {
        self.driver
            .set_tcp(&TcpConfig::new(PEER_IP, PORT, 50_000, 1))?;
        self.driver.connect()?;
        self.settle()?;
        let connection = self.driver.connection()?;
        if connection.tcp != TcpState::Established {
            return Err(Problem::Testbench(format!("no connection: {connection:?}")));
        }
        let first = Number::new(1).map_err(|error| Problem::Testbench(error.to_string()))?;
        self.driver.load_number(first)?;
        self.begin_message("A", "|98=0|108=3600");
        self.settle()?;
        self.answer()?;
        self.send_fix(&fix::Logon {
            encrypt_method: 0,
            heartbeat_interval: 3_600,
            ..fix::Logon::default()
        });
        self.settle()?;
        self.driver.set_logged_on(true)?;
        Ok(())
    }

    /// What the core was set up with.
    pub const fn setup(&self) -> &Setup {
        &self.feed
    }

    /// Which frames are the core's.
    pub const fn net(&self) -> NetConfig {
        self.feed.net
    }

    /// The cycle the core is in.
    pub fn cycle(&mut self) -> u64 {
        self.driver.registers().cycle()
    }

    /// Has the host send a message of this type, which the core numbers. [`Testbench::answer`] follows.
    pub fn begin_message(&mut self, msg_type: &str, fields: &str) {
        let [core, peer] = &self.names;
        let body = format!(
            "35={msg_type}|49={core}|56={peer}|34=000000000|52=20240228-23:59:59.990{fields}|"
        );
        let (bytes, at) = to_be_numbered(&body);
        self.driver.registers().begin_message(&bytes, Some(at));
    }

    /// The number that the host's message got.
    pub fn answer(&mut self) -> Result<u64, Problem> {
        let answer = self.driver.registers().answer();
        let number = answer
            .filter(|answer| answer.answer == 0)
            .and_then(|answer| Number::from_digits(answer.number).ok());
        let number = number.ok_or_else(|| Problem::HostMessage(format!("{answer:?}")))?;
        Ok(number.get())
    }

    /// Takes what the core sent and reported; returns whether there was anything.
    fn take(&mut self) -> Result<bool, Problem> {
        let core = self.driver.registers();
        if self.left.is_some() {
            core.passed(&mut self.passed);
        }
        let frames = core.take();
        let before = self.reports.len();
        core.reports(&mut self.reports);
        self.bytes.clear();
        core.session_bytes(&mut self.bytes);
        let mut any = !frames.is_empty() || self.reports.len() > before || core.is_sending();
        for frame in frames {
            any = true;
            if frame.malformed || !fcs::is_good(&frame.bytes) {
                return Err(Problem::Malformed(frame.first));
            }
            let bytes = &frame.bytes[..frame.bytes.len() - fcs::LENGTH];
            if let Some(left) = &mut self.left {
                left.push(SentFrame {
                    first: frame.first,
                    last: frame.last,
                    order: bytes.windows(NEW_ORDER.len()).any(|text| text == NEW_ORDER),
                });
            }
            self.peer.receive(bytes);
        }
        Ok(any)
    }

    /// A strategy that reads levels is to be waited for.
    pub const fn expect_reads(&mut self) {
        self.quiet = QUIET_READING;
    }

    /// Runs until nothing moves any more.
    ///
    /// # Errors
    /// It never stops, or a frame is not as it should be.
    pub fn settle(&mut self) -> Result<(), Problem> {
        self.settle_for(0)
    }

    /// Runs until nothing has moved for at least so many cycles.
    ///
    /// # Errors
    /// As [`Testbench::settle`].
    pub fn settle_for(&mut self, cycles: u64) -> Result<(), Problem> {
        let wanted = self.quiet.max(cycles.div_ceil(SLICE) as u32);
        let begin = self.cycle();
        let mut quiet = 0;
        while quiet < wanted {
            let sent = self.work(crate::MINIMUM_GAP);
            self.driver.registers().run(SLICE);
            let took = self.take()?;
            quiet = if sent || took { 0 } else { quiet + 1 };
            if quiet == wanted {
                // A long frame of the core is seen when it is complete.
                let stopped = self.driver.registers().run_until_idle();
                if !stopped || self.take()? {
                    quiet = 0;
                }
            }
            if self.cycle() - begin > PATIENCE {
                return Err(Problem::Endless);
            }
        }
        self.peer.read(&mut self.stream);
        Ok(())
    }

    /// Lets cycles pass in which nothing comes.
    ///
    /// # Errors
    /// As [`Testbench::settle`].
    pub fn wait(&mut self, cycles: u64) -> Result<(), Problem> {
        self.driver.registers().run(cycles);
        self.settle()
    }

    /// Number and SendingTime of a message, as software renders them.
    ///
    /// # Errors
    /// A number that no message can have.
    pub fn sent(&self, number: u64, taken_ns: u64) -> Result<(Number, Timestamp), Problem> {
        let number = Number::new(number).map_err(|error| Problem::Testbench(error.to_string()))?;
        Ok((number, self.clock.sending_time(taken_ns)))
    }

    /// The next message of the core on the session, and its MsgSeqNum.
    ///
    /// # Errors
    /// There is none, or its bytes are no FIX message.
    pub fn message(&mut self) -> Result<(u64, Vec<u8>), Problem> {
        let FixFrame::Message(message) = fix::frame(&self.stream, fix::LONGEST_BODY) else {
            let text = String::from_utf8_lossy(&self.stream).replace('\x01', "|");
            return Err(Problem::NoMessage(text));
        };
        let sequence = message.fields().flatten().find(|field| field.tag == 34);
        let sequence = sequence.and_then(|field| std::str::from_utf8(field.value).ok());
        let sequence = sequence.and_then(|text| text.parse().ok()).unwrap_or(0);
        let bytes = message.bytes().to_vec();
        self.stream.drain(..bytes.len());
        Ok((sequence, bytes))
    }
}
