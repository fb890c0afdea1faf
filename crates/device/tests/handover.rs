//! A session that host and hardware share, against an acceptor: the hardware is a model of its registers and of `host_message`.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::Ipv4Addr;

use device::handover::{Ahead, Event, Handover, MARGIN, Outcome};
use device::order_registers as orders;
use device::registers as map;
use device::{Driver, RawAnswer, RawReport, Registers, Streams, TcpConfig};
use order::risk::{Kill, Limits};
use order::stop::{Operation, Stop};
use order::{Description, Instrument, Number, Order, Templates};
use session::{Config, Durable, Memory, Role, Safety, Session, Store};
use wire::Side;
use wire::fix::{self, Frame, NewOrderSingle, TestRequest, Timestamp, Version};

const NOW: Timestamp = Timestamp(1_700_000_000_123_456_789);
/// A cycle at 1 GbE, in picoseconds.
const CYCLE: u64 = 8_000;

/// What the core does that matters here.
struct Hardware {
    words: HashMap<u32, u32>,
    established: bool,
    number: u64,
    templates: Templates,
    stops: HashMap<u32, Order>,
    /// To the peer, message by message.
    sent: Vec<Vec<u8>>,
    answer: Option<RawAnswer>,
    reports: Vec<RawReport>,
    bytes: Vec<u8>,
}

impl Hardware {
    fn new() -> Self {
        Hardware {
            words: HashMap::from([
                (map::identity::ADDRESS, 0x5457_4952),
                (map::build::ADDRESS, 16 << 16 | 8),
            ]),
            established: false,
            number: 0,
            templates: templates(),
            stops: HashMap::new(),
            sent: Vec::new(),
            answer: None,
            reports: Vec::new(),
            bytes: Vec::new(),
        }
    }

    fn word(&self, address: u32) -> u32 {
        self.words.get(&address).copied().unwrap_or(0)
    }

    fn operand(&self, index: u32) -> u64 {
        self.word(orders::operand::ADDRESS + 4 * index).into()
    }

    fn operate(&mut self, register: u32) {
        match orders::operation::CODE.get(register) {
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
                    .insert(orders::operation::INDEX.get(register), order);
            }
            10 => {
                let digits = self.operand(1) << 32 | self.operand(0);
                self.number = Number::from_digits(digits).unwrap().get();
            }
            _ => {}
        }
    }

    /// A stop fires: its order leaves at this time of the core's clock.
    fn fire(&mut self, slot: u32, taken_ns: u64) {
        let order = self.stops.remove(&slot).unwrap();
        let number = Number::new(self.number).unwrap();
        self.number += 1;
        let time = Timestamp(taken_ns / 1_000_000 * 1_000_000);
        self.sent
            .push(self.templates.message(&order, number, time).unwrap());
        self.reports.push(RawReport {
            what: 0,
            reason: 0,
            client_id: order.client_id | slot,
            number: number.digits(),
            time_ns: taken_ns,
        });
    }
}

impl Registers for Hardware {
    type Error = Infallible;

    fn read32(&mut self, address: u32) -> Result<u32, Infallible> {
        Ok(match address {
            orders::session_state::ADDRESS => 3 * u32::from(self.established),
            orders::operation_state::ADDRESS => 2,
            map::time_low::ADDRESS => NOW.0 as u32,
            map::time_high::ADDRESS => (NOW.0 >> 32) as u32,
            other => self.word(other),
        })
    }

    fn write32(&mut self, address: u32, value: u32) -> Result<(), Infallible> {
        match address {
            orders::session_command::ADDRESS => self.established = value & 1 != 0,
            orders::operation::ADDRESS => self.operate(value),
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

fn templates() -> Templates {
    let instrument = Instrument {
        symbol: "ABC".into(),
        decimals: 2,
    };
    let mut description = Description::new("ALICE", "EX", vec![instrument]);
    description.client_order_id_prefix = "T".into();
    Templates::compile(&description, 256).unwrap()
}

/// Both sides, and what is between them.
struct Bench<S: Store> {
    core: Driver<Hardware>,
    handover: Handover<S>,
    peer: Session<Memory>,
    /// Messages the peer got: MsgSeqNum and bytes.
    got: Vec<(u64, Vec<u8>)>,
    events: Vec<Event>,
    /// Message types to lose once.
    lose: Option<&'static [u8]>,
}

impl<S: Store> Bench<S> {
    fn new(store: S, peer: Session<Memory>) -> Self {
        let limits = Limits {
            kill: Kill {
                session: true,
                ..Kill::default()
            },
            ..Limits::default()
        };
        let config = Config::new(Role::Initiator, Version::Fix44, b"ALICE", b"EX");
        Bench {
            core: Driver::new(Hardware::new()).unwrap(),
            handover: Handover::new(config, store, templates(), "T", &limits, CYCLE),
            peer,
            got: Vec::new(),
            events: Vec::new(),
            lose: None,
        }
    }

    fn hardware(&mut self) -> &mut Hardware {
        self.core.registers()
    }

    fn connect(&mut self) {
        let tcp = TcpConfig::new(Ipv4Addr::LOCALHOST, 9_880, 50_000, 1);
        self.handover.load_templates(&mut self.core).unwrap();
        self.handover.connect(&mut self.core, &tcp, NOW).unwrap();
        self.peer.connect(NOW);
    }

    /// Until nobody has anything to say.
    fn settle(&mut self) {
        for _ in 0..20 {
            while let Some(event) = self.handover.poll(&mut self.core, NOW).unwrap() {
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

    fn arm(&mut self, slot: usize, price: i64) {
        let stop = Stop {
            side: Side::Sell,
            price: Some(price),
            quantity: 5,
            ..Stop::default()
        };
        let set = self
            .handover
            .operate_stop(&mut self.core, Operation::Set, slot, &stop);
        assert_eq!(set.unwrap(), Ok(()));
    }

    fn numbers(&self) -> Vec<u64> {
        self.got.iter().map(|(sequence, _)| *sequence).collect()
    }
}

fn peer() -> Session<Memory> {
    let config = Config::new(Role::Acceptor, Version::Fix44, b"EX", b"ALICE");
    Session::new(config, Memory::default())
}

#[test]
fn the_peer_sees_one_run_of_numbers_whoever_sends() {
    let mut bench = Bench::new(Memory::default(), peer());
    bench.connect();
    bench.settle();
    assert_eq!(bench.events, [Event::Connected, Event::LoggedOn]);
    assert_eq!(bench.hardware().word(orders::logged_on::ADDRESS), 1);
    bench.arm(3, 1_000);
    bench.arm(4, 1_001);
    // The host answers with a number that an order has taken meanwhile, and does not know it yet.
    let id = TestRequest {
        test_request_id: b"ARE YOU THERE",
    };
    let asked = {
        let mut buffer = [0; 256];
        let header = fix::Header {
            sender: b"EX",
            target: b"ALICE",
            sequence: 2,
            sending_time: NOW,
            ..fix::Header::default()
        };
        let length = fix::encode(&mut buffer, Version::Fix44, &header, &id).unwrap();
        buffer[..length].to_vec()
    };
    bench.hardware().bytes.extend(asked);
    bench.hardware().fire(3, NOW.0);
    bench.settle();
    bench.hardware().fire(4, NOW.0);
    bench.settle();
    assert_eq!(bench.numbers(), [1, 2, 3, 4]);
    let kind = |bytes: &[u8]| match fix::frame(bytes, 1_000) {
        Frame::Message(message) => message.msg_type().to_vec(),
        _ => panic!("{}", String::from_utf8_lossy(bytes)),
    };
    let kinds: Vec<u8> = bench
        .got
        .iter()
        .flat_map(|(_, bytes)| kind(bytes))
        .collect();
    assert_eq!(kinds, *b"AD0D", "Logon, order, Heartbeat, order");
    assert_eq!(bench.peer.counters().gaps, 0);
    let sent = bench.events.iter().filter_map(|event| match event {
        Event::Order {
            slot,
            order: Some(order),
            outcome: Outcome::Sent { number, .. },
        } => Some((*slot, order.price, number.get())),
        _ => None,
    });
    assert_eq!(
        sent.collect::<Vec<_>>(),
        [(3, Some(1_000), 2), (4, Some(1_001), 4)]
    );
    assert_eq!(bench.handover.session().store().next_outgoing(), 5);
}

#[test]
fn an_order_of_the_hardware_that_got_lost_is_sent_again_as_it_was() {
    let mut bench = Bench::new(Memory::default(), peer());
    bench.connect();
    bench.settle();
    bench.arm(0, 1_234);
    bench.arm(1, 1_235);
    // Half a millisecond on: the digits are those of the millisecond that began last.
    let taken = NOW.0 + 500_000;
    bench.lose = Some(b"D");
    bench.hardware().fire(0, taken);
    let lost = bench.hardware().sent[0].clone();
    bench.hardware().fire(1, taken);
    bench.settle();
    assert_eq!(bench.peer.counters().gaps, 1);
    let again = bench.got.iter().find(|(sequence, _)| *sequence == 2);
    let (_, again) = again.expect("sent again");
    let fields = |bytes: &[u8]| -> Vec<(u32, Vec<u8>)> {
        let Frame::Message(message) = fix::frame(bytes, 1_000) else {
            panic!()
        };
        let fields = message.fields().map(|field| field.unwrap());
        let fields = fields.map(|field| (field.tag, field.value.to_vec()));
        fields.collect()
    };
    let (was, is) = (fields(&lost), fields(again));
    let time_was = was.iter().find(|(tag, _)| *tag == 52).unwrap().1.clone();
    assert!(is.contains(&(43, b"Y".to_vec())));
    assert!(is.contains(&(122, time_was)), "OrigSendingTime");
    let changed = |(tag, _): &&(u32, Vec<u8>)| !matches!(tag, 43 | 52 | 122);
    let rest =
        |fields: &[(u32, Vec<u8>)]| fields.iter().filter(changed).cloned().collect::<Vec<_>>();
    assert_eq!(rest(&was), rest(&is));
    assert_eq!(bench.peer.store().next_incoming(), 4);
}

#[test]
fn what_a_host_did_not_live_to_hear_of_is_never_numbered_twice() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("alice.redb");
    let open = || Durable::open(&path, Safety::Process).unwrap();
    let mut bench = Bench::new(open(), peer());
    bench.connect();
    bench.settle();
    bench.arm(0, 1_000);
    bench.arm(1, 1_001);
    bench.hardware().fire(0, NOW.0);
    bench.settle();
    // The host dies; the hardware sends on.
    bench.hardware().fire(1, NOW.0);
    let unheard = bench.hardware().sent.remove(0);
    let mut peer = bench.peer;
    peer.receive(&unheard);
    while peer.poll(NOW, &mut Vec::new()).is_some() {}
    assert_eq!(peer.store().next_incoming(), 4);
    peer.disconnected();
    drop(bench.handover);

    let mut bench = Bench::new(open(), peer);
    bench.connect();
    bench.settle();
    assert_eq!(bench.events, [Event::Connected, Event::LoggedOn]);
    let logon = bench.got[0].0;
    assert!((4..=2 * MARGIN).contains(&logon), "Logon with {logon}");
    // The gap is told to hold nothing, and the session goes on behind it.
    bench.arm(0, 1_002);
    bench.hardware().fire(0, NOW.0);
    bench.settle();
    assert_eq!(bench.peer.store().next_incoming(), logon + 2);
    let last = bench.got.last().unwrap();
    let Frame::Message(last) = fix::frame(&last.1, 1_000) else {
        panic!()
    };
    let (header, order) = last.read::<NewOrderSingle>().unwrap();
    assert_eq!(
        (header.sequence, order.price.unwrap().at_scale(2)),
        (logon + 1, Some(1_002))
    );
}

#[test]
fn a_store_stays_ahead_while_the_hardware_runs_and_not_behind_it() {
    let mut store = Ahead::new(Memory::default(), 100);
    assert_eq!(store.next_outgoing(), 1);
    store.run();
    for number in 1..1_000 {
        store.number_used(number);
        assert_eq!(store.next_outgoing(), number + 1);
        let kept = Ahead::new(store.inner().clone(), 100).next_outgoing();
        assert!(
            (number + 50..=number + 101).contains(&kept),
            "{kept} at {number}"
        );
    }
    store.number_used(5);
    assert_eq!(
        store.next_outgoing(),
        1_000,
        "an old number changes nothing"
    );
    store.stop();
    assert_eq!(
        Ahead::new(store.inner().clone(), 100).next_outgoing(),
        1_000
    );
    store.run();
    store.reset();
    assert_eq!(store.next_outgoing(), 1);
    assert!(store.inner().next_outgoing() >= 51);
}
