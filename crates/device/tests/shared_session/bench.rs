//! A session that host and hardware share, and its peer: the hardware is a model of its registers and of `host_message`.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::Ipv4Addr;

use device::order_registers as orders;
use device::registers as map;
use device::shared_session::{Event, SharedSession};
use device::{Driver, RawAnswer, RawReport, Registers, Streams, TcpConfig};
use formats::Side;
use formats::fix::{self, Frame, TimeInForce, Timestamp, Version};
use order::{Description, Instrument, Kind, Number, Order, Templates};
use risk::{Kill, Limits};
use session::{Config, Memory, Role, Session, Store};
use strategy::stops::{Operation, Stop};

pub const NOW: Timestamp = Timestamp(1_700_000_000_123_456_789);
/// A cycle at 1 GbE, in picoseconds.
pub const CYCLE: u64 = 8_000;

/// The limit of open orders.
pub const MOST_OPEN: u16 = 12;

/// The part of the core that matters here.
pub struct Hardware {
    pub words: HashMap<u32, u32>,
    pub established: bool,
    /// The peer answers no FIN, and no SYN.
    pub silent: bool,
    /// What was asked of TCP.
    pub commands: Vec<u32>,
    pub number: u64,
    pub templates: Templates,
    pub stops: HashMap<u32, Order>,
    /// The host's own order.
    pub given: Option<Order>,
    /// What was reported to it about orders: instrument, buy, sell, closed.
    pub adjusted: Vec<(u32, i64, i64, u64)>,
    /// It corrects exposures itself.
    pub reads_reports: bool,
    /// What it was told of ClOrdIDs, and at which index.
    pub prefix: Vec<(u32, u64)>,
    pub operation_state: u32,
    /// To the peer, message by message.
    pub sent: Vec<Vec<u8>>,
    pub answer: Option<RawAnswer>,
    pub reports: Vec<RawReport>,
    pub bytes: Vec<u8>,
}

impl Hardware {
    pub fn new() -> Self {
        Hardware {
            words: HashMap::from([
                (map::identity::ADDRESS, 0x5457_4952),
                (map::build::ADDRESS, 16 << 16 | 64 << 8 | 8),
            ]),
            established: false,
            silent: false,
            commands: Vec::new(),
            number: 0,
            templates: templates(),
            stops: HashMap::new(),
            given: None,
            adjusted: Vec::new(),
            reads_reports: false,
            prefix: Vec::new(),
            operation_state: 2,
            sent: Vec::new(),
            answer: None,
            reports: Vec::new(),
            bytes: Vec::new(),
        }
    }

    pub fn word(&self, address: u32) -> u32 {
        self.words.get(&address).copied().unwrap_or(0)
    }

    pub fn operand(&self, index: u32) -> u64 {
        self.word(map::operand::ADDRESS + 4 * index).into()
    }

    pub fn operate(&mut self, register: u32) {
        match map::operation::CODE.get(register) {
            1 => {
                let first = self.operand(0);
                let order = Order {
                    side: if first & 1 != 0 {
                        Side::Sell
                    } else {
                        Side::Buy
                    },
                    price: (first & 2 != 0)
                        .then(|| (self.operand(4) << 32 | self.operand(3)) as i64),
                    quantity: self.operand(5) as u32,
                    client_id: self.operand(6) as u32,
                    ..Order::default()
                };
                self.stops
                    .insert(map::operation::INDEX.get(register), order);
            }
            13 if map::operation::INDEX.get(register) >= 256 => {
                let index = map::operation::INDEX.get(register);
                self.prefix.push((index, self.operand(0)));
            }
            12 => {
                let instrument = map::operation::INDEX.get(register);
                let signed = |low| (self.operand(low + 1) << 32 | self.operand(low)) as i64;
                let told = (instrument, signed(0), signed(2), self.operand(4));
                self.adjusted.push(told);
            }
            15 => {
                let first = self.operand(0);
                let original = self.operand(2) << 32 | self.operand(1);
                let kind = match first >> 2 & 3 {
                    0 => Kind::New,
                    1 => Kind::Cancel(Number::from_digits(original).unwrap()),
                    _ => Kind::Replace(Number::from_digits(original).unwrap()),
                };
                let price = (self.operand(4) << 32 | self.operand(3)) as i64;
                self.given = Some(Order {
                    kind,
                    side: [Side::Buy, Side::Sell][(first & 1) as usize],
                    instrument: (first >> 8) as u8,
                    price: (first & 2 != 0).then_some(price),
                    quantity: self.operand(5) as u32,
                    time_in_force: TimeInForce::Day,
                    client_id: self.operand(6) as u32,
                });
            }
            10 => {
                let digits = self.operand(1) << 32 | self.operand(0);
                self.number = Number::from_digits(digits).unwrap().get();
            }
            _ => {}
        }
    }

    /// A stop fires: its order leaves at this time of the core's clock.
    pub fn fire(&mut self, slot: u32, taken_ns: u64) {
        let order = self.stops.remove(&slot).unwrap();
        self.leave(&order, taken_ns);
    }

    /// An order leaves.
    pub fn leave(&mut self, order: &Order, taken_ns: u64) {
        let number = Number::new(self.number).unwrap();
        self.number += 1;
        let time = Timestamp(taken_ns / 1_000_000 * 1_000_000);
        self.sent
            .push(self.templates.message(order, number, time).unwrap());
        self.reports.push(RawReport {
            what: 0,
            reason: 0,
            client_id: order.client_id,
            number: number.digits(),
            time_ns: taken_ns,
        });
    }
}

impl Registers for Hardware {
    type Error = Infallible;

    fn read32(&mut self, address: u32) -> Result<u32, Infallible> {
        Ok(match address {
            // Established, or SYN sent.
            orders::session_state::ADDRESS if self.silent && self.commands.last() == Some(&1) => 1,
            orders::session_state::ADDRESS => 3 * u32::from(self.established),
            map::operation_state::ADDRESS => {
                let operation = self.word(map::operation::ADDRESS);
                let names = map::operation::CODE.get(operation) == 13
                    && map::operation::INDEX.get(operation) >= 256;
                match names && !self.reads_reports {
                    true => 0,
                    false => self.operation_state,
                }
            }
            map::time_low::ADDRESS => NOW.0 as u32,
            map::time_high::ADDRESS => (NOW.0 >> 32) as u32,
            other => self.word(other),
        })
    }

    fn write32(&mut self, address: u32, value: u32) -> Result<(), Infallible> {
        match address {
            orders::session_command::ADDRESS => {
                self.commands.push(value);
                let remains = self.silent && value == orders::session_command::CLOSE.mask();
                self.established = (self.established && remains) || value & 1 != 0 && !self.silent;
            }
            map::operation::ADDRESS => self.operate(value),
            _ => {}
        }
        self.words.insert(address, value);
        Ok(())
    }
}

impl Streams for Hardware {
    fn session_bytes(&mut self, into: &mut Vec<u8>) {
        into.append(&mut self.bytes);
    }

    fn reports(&mut self, into: &mut Vec<RawReport>) {
        into.append(&mut self.reports);
    }

    fn begin_message(&mut self, bytes: &[u8], number_at: Option<u16>) {
        let mut bytes = bytes.to_vec();
        let mut number = 0;
        if let Some(at) = number_at {
            let place = usize::from(at)..usize::from(at) + 9;
            assert_eq!(&bytes[place.clone()], b"000000000");
            bytes[place].copy_from_slice(format!("{:09}", self.number).as_bytes());
            let end = bytes.len() - 7;
            let check = format!("10={:03}\x01", fix::checksum(&bytes[..end]));
            bytes[end..].copy_from_slice(check.as_bytes());
            number = Number::new(self.number).unwrap().digits();
            self.number += 1;
        }
        self.sent.push(bytes);
        self.answer = Some(RawAnswer { answer: 0, number });
    }

    fn answer(&mut self) -> Option<RawAnswer> {
        self.answer.take()
    }
}

pub fn templates() -> Templates {
    let instrument = Instrument {
        symbol: "ABC".into(),
        decimals: 2,
    };
    let mut description = Description::new("ALICE", "EX", vec![instrument]);
    description.client_order_id_prefix = "T".into();
    Templates::compile(&description, 256).unwrap()
}

/// Both sides, and what is between them.
pub struct Bench<S: Store> {
    pub core: Driver<Hardware>,
    pub shared_session: SharedSession<S>,
    pub peer: Session<Memory>,
    /// Messages the peer got: MsgSeqNum and bytes.
    pub got: Vec<(u64, Vec<u8>)>,
    pub events: Vec<Event>,
    /// Message types to lose once.
    pub lose: Option<&'static [u8]>,
}

impl<S: Store> Bench<S> {
    pub fn new(store: S, peer: Session<Memory>) -> Self {
        let limits = Limits {
            kill: Kill {
                session: true,
                ..Kill::default()
            },
            max_open_orders: MOST_OPEN,
            ..Limits::default()
        };
        let config = Config::new(Role::Initiator, Version::Fix44, b"ALICE", b"EX");
        Bench {
            core: Driver::new(Hardware::new()).unwrap(),
            shared_session: SharedSession::new(config, store, templates(), "T", &limits, CYCLE),
            peer,
            got: Vec::new(),
            events: Vec::new(),
            lose: None,
        }
    }

    pub fn hardware(&mut self) -> &mut Hardware {
        self.core.registers()
    }

    pub fn connect(&mut self) {
        let tcp = TcpConfig::new(Ipv4Addr::LOCALHOST, 9_880, 50_000, 1);
        self.shared_session.load_templates(&mut self.core).unwrap();
        self.shared_session
            .connect(&mut self.core, &tcp, NOW)
            .unwrap();
        self.peer.connect(NOW);
    }

    /// Until neither side has anything to send.
    pub fn settle(&mut self) {
        for _ in 0..20 {
            while let Some(event) = self.shared_session.poll(&mut self.core, NOW).unwrap() {
                self.events.push(event);
            }
            for message in std::mem::take(&mut self.hardware().sent) {
                let Frame::Message(framed) = fix::frame(&message, 1_000) else {
                    panic!("{}", String::from_utf8_lossy(&message));
                };
                if self.lose == Some(framed.msg_type()) {
                    self.lose = None;
                    continue;
                }
                let sequence = framed.header().unwrap().sequence;
                self.peer.receive(&message);
                self.got.push((sequence, message));
            }
            let mut message = Vec::new();
            while let Some(event) = self.peer.poll(NOW, &mut message) {
                assert!(!matches!(event, session::Event::Disconnect(_)), "{event:?}");
            }
            let output = self.peer.output().unwrap().to_vec();
            self.peer.sent(output.len());
            self.hardware().bytes.extend(output);
        }
    }

    pub fn arm(&mut self, slot: usize, price: i64) {
        let stop = Stop {
            side: Side::Sell,
            price: Some(price),
            quantity: 5,
            ..Stop::default()
        };
        let set = self
            .shared_session
            .operate_stop(&mut self.core, Operation::Set, slot, &stop);
        assert_eq!(set.unwrap(), Ok(()));
    }

    pub fn numbers(&self) -> Vec<u64> {
        self.got.iter().map(|(sequence, _)| *sequence).collect()
    }
}

pub fn peer() -> Session<Memory> {
    let config = Config::new(Role::Acceptor, Version::Fix44, b"EX", b"ALICE");
    Session::new(config, Memory::default())
}
