//! The state machine without a network: two sessions, a clock of the test's own, and what is between them.

use formats::fix::{
    self, Body, Decimal, Encoder, Frame, Header, Heartbeat, Logon, NewOrderSingle,
    OrderCancelRequest, ResendRequest, SequenceReset, TestRequest, Timestamp, Version,
};
use session::{Cause, Config, Event, Memory, NotResent, Resend, Role, Session, Store, StoreError};
use std::time::Duration;

const START: Timestamp = Timestamp(1_700_000_000_000_000_000);

fn order(name: &[u8]) -> NewOrderSingle<'_> {
    NewOrderSingle {
        client_order_id: name,
        symbol: b"ABC",
        quantity: Some(Decimal::new(1, 0)),
        transact_time: START,
        ..NewOrderSingle::default()
    }
}

/// A session and its events: ClOrdIDs with their MsgSeqNum, and the end.
struct Side<S = Memory> {
    session: Session<S>,
    orders: Vec<(u64, String)>,
    ends: Vec<Cause>,
}

impl<S: Store> Side<S> {
    fn new(config: Config, store: S) -> Self {
        Side {
            session: Session::new(config, store),
            orders: vec![],
            ends: vec![],
        }
    }

    /// Handles bytes and time; returns what is to be sent.
    fn turn(&mut self, now: Timestamp, bytes: &[u8]) -> Vec<u8> {
        self.session.receive(bytes);
        let (mut output, mut buffer) = (vec![], vec![]);
        loop {
            while let Some(event) = self.session.poll(now, &mut buffer) {
                match event {
                    Event::LoggedOn => {}
                    Event::Disconnect(cause) => self.ends.push(cause),
                    Event::Message { sequence } => {
                        let Frame::Message(message) = fix::frame(&buffer, buffer.len()) else {
                            panic!("a message that is none");
                        };
                        let mut names = message.fields().flatten().filter(|f| f.tag == 11);
                        let name = names.next().map_or(&[][..], |field| field.value);
                        let name = String::from_utf8_lossy(name).into_owned();
                        self.orders.push((sequence, name));
                    }
                }
            }
            let Ok(more) = self.session.output() else {
                return output;
            };
            if more.is_empty() {
                return output;
            }
            output.extend_from_slice(more);
            let length = more.len();
            self.session.sent(length);
        }
    }
}

fn config(role: Role) -> Config {
    match role {
        Role::Initiator => Config::new(role, Version::Fix44, b"US", b"THEM"),
        Role::Acceptor => Config::new(role, Version::Fix44, b"THEM", b"US"),
    }
}

/// Both sides of a session.
struct Pair {
    now: Timestamp,
    initiator: Side,
    acceptor: Side,
}

impl Pair {
    fn new(initiator: Config, acceptor: Config) -> Self {
        Pair {
            now: START,
            initiator: Side::new(initiator, Memory::default()),
            acceptor: Side::new(acceptor, Memory::default()),
        }
    }

    fn logged_on() -> Self {
        let mut pair = Pair::new(config(Role::Initiator), config(Role::Acceptor));
        pair.connect();
        pair
    }

    fn connect(&mut self) {
        self.initiator.session.connect(self.now);
        self.acceptor.session.connect(self.now);
        self.exchange();
        assert!(self.initiator.session.is_logged_on() && self.acceptor.session.is_logged_on());
    }

    /// Carries bytes both ways until there are none.
    fn exchange(&mut self) {
        let mut to_initiator = vec![];
        loop {
            let to_acceptor = self.initiator.turn(self.now, &to_initiator);
            to_initiator = self.acceptor.turn(self.now, &to_acceptor);
            if to_acceptor.is_empty() && to_initiator.is_empty() {
                return;
            }
        }
    }

    fn disconnect(&mut self) {
        self.initiator.session.disconnected();
        self.acceptor.session.disconnected();
    }
}

/// A message of the initiator, as bytes.
fn written<'a, B: Body<'a>>(sequence: u64, now: Timestamp, body: &B) -> Vec<u8> {
    let header = Header {
        sender: b"US",
        target: b"THEM",
        sequence,
        sending_time: now,
        ..Header::default()
    };
    let mut buffer = vec![0; 4_096];
    let length = fix::encode(&mut buffer, Version::Fix44, &header, body).unwrap();
    buffer.truncate(length);
    buffer
}

/// An acceptor that is logged on, and the number its peer's next message has.
fn accepted(config: Config) -> Side {
    let mut side = Side::new(config, Memory::default());
    side.session.connect(START);
    let logon = Logon {
        heartbeat_interval: 30,
        ..Logon::default()
    };
    side.turn(START, &written(1, START, &logon));
    assert!(side.session.is_logged_on());
    side
}

/// The messages in some bytes: MsgType, MsgSeqNum, PossDupFlag, and a field more.
fn seen(mut bytes: &[u8], tag: u32) -> Vec<(String, u64, bool, String)> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut found = vec![];
    while let Frame::Message(message) = fix::frame(bytes, bytes.len()) {
        let header = message.header().unwrap();
        let field = message.fields().flatten().find(|field| field.tag == tag);
        found.push((
            text(message.msg_type()),
            header.sequence,
            header.possible_duplicate == Some(true),
            field.map_or(String::new(), |field| text(field.value)),
        ));
        bytes = &bytes[message.len()..];
    }
    assert!(bytes.is_empty(), "something that is no message");
    found
}

#[test]
fn heartbeats_go_both_ways_and_nobody_is_disconnected() {
    let mut pair = Pair::logged_on();
    for second in 1..=300 {
        pair.now = Timestamp(START.0 + second * 1_000_000_000);
        pair.exchange();
    }
    assert!(pair.initiator.session.is_logged_on() && pair.acceptor.session.is_logged_on());
    // The Logon, and a Heartbeat every 30 s.
    assert_eq!(pair.initiator.session.counters().sent, 11);
    assert_eq!(pair.acceptor.session.counters().sent, 11);
}

#[test]
fn a_peer_that_is_silent_is_asked_and_then_disconnected() {
    let mut side = Side::new(config(Role::Initiator), Memory::default());
    side.session.connect(START);
    side.turn(START, &[]);
    let header = Header {
        sender: b"THEM",
        target: b"US",
        sequence: 1,
        sending_time: START,
        ..Header::default()
    };
    let logon = Logon {
        heartbeat_interval: 30,
        ..Logon::default()
    };
    let mut buffer = [0; 512];
    let length = fix::encode(&mut buffer, Version::Fix44, &header, &logon).unwrap();
    side.turn(START, &buffer[..length]);
    let mut said = vec![];
    while side.ends.is_empty() {
        let due = side.session.deadline().unwrap();
        let seconds = (due.0 - START.0) / 1_000_000_000;
        for (msg_type, ..) in seen(&side.turn(due, &[]), 0) {
            said.push((seconds, msg_type));
        }
        assert!(seconds < 100);
    }
    let said: Vec<_> = said.iter().map(|(at, what)| (*at, what.as_str())).collect();
    assert_eq!(said, [(30, "0"), (36, "1")]);
    assert_eq!(side.ends, [Cause::Silent]);
}

#[test]
fn what_both_sides_missed_is_sent_again_once_each_and_in_order() {
    let mut pair = Pair::logged_on();
    pair.initiator
        .session
        .send(pair.now, &order(b"I1"))
        .unwrap();
    pair.exchange();
    // Both send; the connection breaks in the middle of a message each way.
    for name in [b"I2", b"I3"] {
        pair.initiator.session.send(pair.now, &order(name)).unwrap();
    }
    for name in [b"A1", b"A2"] {
        pair.acceptor.session.send(pair.now, &order(name)).unwrap();
    }
    let from_initiator = pair.initiator.turn(pair.now, &[]);
    let from_acceptor = pair.acceptor.turn(pair.now, &[]);
    pair.acceptor
        .turn(pair.now, &from_initiator[..from_initiator.len() / 2 + 5]);
    pair.initiator.turn(pair.now, &from_acceptor[..20]);
    pair.disconnect();
    // What is sent meanwhile waits.
    pair.acceptor.session.send(pair.now, &order(b"A3")).unwrap();
    pair.now = Timestamp(START.0 + 5_000_000_000);
    pair.connect();
    // Logons and ResendRequests have numbers too.
    let names = |side: &Side| {
        side.orders
            .iter()
            .map(|(_, name)| name.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&pair.acceptor), ["I1", "I2", "I3"]);
    assert_eq!(names(&pair.initiator), ["A1", "A2", "A3"]);
    let counters = (
        pair.initiator.session.counters(),
        pair.acceptor.session.counters(),
    );
    assert_eq!(
        (counters.0.gaps, counters.1.gaps),
        (1, 1),
        "asked once each way"
    );
    // The numbers agree, so nothing is requested again.
    let numbers = |side: &Side| {
        let store = side.session.store();
        (store.next_outgoing(), store.next_incoming())
    };
    let (outgoing, incoming) = numbers(&pair.initiator);
    assert_eq!(numbers(&pair.acceptor), (incoming, outgoing));
}

#[test]
fn a_resent_message_has_its_number_its_first_time_and_possdup() {
    let mut side = accepted(config(Role::Acceptor));
    side.session.send(START, &order(b"A1")).unwrap();
    side.session
        .send_once(START, b"W", |encoder: &mut Encoder<'_>| {
            encoder.field(55, &b"ABC".as_slice())
        })
        .unwrap();
    side.session.send(START, &order(b"A2")).unwrap();
    side.turn(START, &[]);
    let later = Timestamp(START.0 + 60_000_000_000);
    let request = ResendRequest { begin: 1, end: 0 };
    let answer = side.turn(later, &written(2, later, &request));
    // The Logon, and the price, are gap-filled.
    let expected = [("4", 1, "2"), ("D", 2, ""), ("4", 3, "4"), ("D", 4, "")];
    let expected = expected.map(|(what, at, new)| (what.to_owned(), at, true, new.to_owned()));
    assert_eq!(seen(&answer, 36), expected);
    let times: Vec<_> = seen(&answer, 122)
        .into_iter()
        .map(|(.., time)| time)
        .collect();
    let (then, now) = (START.text().to_vec(), later.text().to_vec());
    let texts = [&now, &then, &now, &then].map(|time| String::from_utf8(time.clone()).unwrap());
    assert_eq!(times, texts);
    for (.., sent) in seen(&answer, 52) {
        assert_eq!(sent.as_bytes(), now);
    }
}

#[test]
fn an_order_that_the_hardware_sent_is_resent_as_one_of_ours() {
    let mut pair = Pair::logged_on();
    let (now, later) = (START, Timestamp(START.0 + 29_000_000_000));
    // It left, and did not arrive.
    let sent = written(2, now, &order(b"HARDWARE"));
    pair.initiator.session.keep_sent(later, 2, &sent);
    pair.now = later;
    pair.initiator.session.send(later, &order(b"HOST")).unwrap();
    pair.exchange();
    let expected = [(2, "HARDWARE".to_owned()), (3, "HOST".to_owned())];
    assert_eq!(pair.acceptor.orders, expected);
    // The host has sent something just now.
    pair.now = Timestamp(START.0 + 31_000_000_000);
    assert!(seen(&pair.initiator.turn(pair.now, &[]), 0).is_empty());
}

#[test]
fn a_session_that_resends_nothing_fills_the_whole_gap() {
    let config = Config {
        resend: Resend::GapFill,
        ..config(Role::Acceptor)
    };
    let mut side = accepted(config);
    for _ in 0..3 {
        side.session.send(START, &order(b"A")).unwrap();
    }
    side.turn(START, &[]);
    let request = ResendRequest { begin: 2, end: 3 };
    let answer = side.turn(START, &written(2, START, &request));
    assert_eq!(seen(&answer, 36), [("4".into(), 2, true, "4".into())]);
}

/// The fault: orders of four minutes ago were sent again.
#[test]
fn an_order_older_than_the_limit_is_not_sent_again_and_told() {
    const LIMIT: Duration = Duration::from_secs(60);
    let config = Config {
        resend_within: Some(LIMIT),
        ..config(Role::Acceptor)
    };
    let mut side = accepted(config);
    let later = |by: Duration| Timestamp(START.0 + by.as_nanos() as u64);
    let cancel = OrderCancelRequest {
        client_order_id: b"C",
        original_client_order_id: b"A",
        symbol: b"ABC",
        transact_time: START,
        ..OrderCancelRequest::default()
    };
    side.session.send(START, &order(b"A")).unwrap();
    side.session.send(START, &cancel).unwrap();
    let one = Duration::from_millis(1);
    side.session.send(later(one), &order(b"B")).unwrap();
    side.turn(START, &[]);
    // The second one is as old as may be.
    let now = later(LIMIT + one);
    let request = ResendRequest { begin: 2, end: 4 };
    let answer = side.turn(now, &written(2, now, &request));
    let again =
        |msg_type: &str, sequence, text: &str| (msg_type.into(), sequence, true, text.into());
    // NewSeqNo; a gap of what was too old alone.
    assert_eq!(
        seen(&answer, 36),
        [again("4", 2, "3"), again("F", 3, ""), again("D", 4, "")]
    );
    let told: Vec<_> = side.session.not_resent().collect();
    let age = LIMIT + one;
    assert_eq!(told, [NotResent { sequence: 2, age }]);
    assert_eq!(side.session.not_resent().count(), 0);
}

#[test]
fn a_peer_that_asks_without_reading_is_made_to_wait() {
    let mut side = accepted(config(Role::Acceptor));
    for _ in 0..1_000 {
        side.session.send(START, &order(b"A")).unwrap();
    }
    side.turn(START, &[]);
    for sequence in 2..200 {
        let request = ResendRequest { begin: 1, end: 0 };
        side.session.receive(&written(sequence, START, &request));
    }
    let mut buffer = vec![];
    while side.session.poll(START, &mut buffer).is_some() {}
    let length = side.session.output().unwrap().len();
    assert!(
        (256 << 10..300 << 10).contains(&length),
        "{length} bytes wait"
    );
    assert!(side.session.waiting() > 0);
    // And goes on when the peer reads.
    side.turn(START, &[]);
    assert_eq!(side.session.waiting(), 0);
    assert_eq!(side.session.store().next_incoming(), 200);
}

#[test]
fn messages_ahead_of_their_turn_are_kept_as_far_as_there_is_room() {
    let config = Config {
        longest_queue: 3,
        ..config(Role::Acceptor)
    };
    let mut side = accepted(config);
    for sequence in 3..=8 {
        side.turn(START, &written(sequence, START, &order(b"AHEAD")));
    }
    assert_eq!(side.session.counters().dropped, 3);
    side.turn(START, &written(2, START, &order(b"FIRST")));
    let numbers: Vec<_> = side.orders.iter().map(|(sequence, _)| *sequence).collect();
    assert_eq!(numbers, [2, 3, 4, 5]);
    // The next message shows the rest of the gap, and it is asked for.
    let answer = side.turn(START, &written(9, START, &Heartbeat::default()));
    assert_eq!(seen(&answer, 7), [("2".into(), 3, false, "6".into())]);
}

#[test]
fn numbers_at_the_end_of_their_range_do_no_harm() {
    let mut side = accepted(config(Role::Acceptor));
    let reset = SequenceReset {
        gap_fill: None,
        new_sequence: u64::MAX,
    };
    side.turn(START, &written(2, START, &reset));
    side.turn(START, &written(u64::MAX, START, &order(b"LAST")));
    side.turn(
        START,
        &written(
            u64::MAX,
            START,
            &ResendRequest {
                begin: u64::MAX,
                end: u64::MAX,
            },
        ),
    );
    assert_eq!(side.orders, [(u64::MAX, "LAST".to_owned())]);
    let request = ResendRequest {
        begin: 1,
        end: u64::MAX,
    };
    let answer = side.turn(START, &written(u64::MAX, START, &request));
    assert_eq!(
        seen(&answer, 36).len(),
        1,
        "all that was sent is filled over"
    );
}

#[test]
fn fix_4_2_is_spoken_too() {
    let version = |role| Config {
        version: Version::Fix42,
        ..config(role)
    };
    let mut pair = Pair::new(version(Role::Initiator), version(Role::Acceptor));
    pair.connect();
    let mut said = order(b"I1");
    said.handling = Some(b'1');
    pair.initiator.session.send(pair.now, &said).unwrap();
    pair.exchange();
    assert_eq!(pair.acceptor.orders, [(2, "I1".to_owned())]);
    pair.initiator.session.log_out(pair.now, None);
    pair.exchange();
    assert_eq!(pair.initiator.ends, [Cause::LogoutAnswered]);
    assert_eq!(pair.acceptor.ends, [Cause::PeerLogout]);
}

#[test]
fn a_logon_that_resets_makes_both_begin_at_one() {
    let reset = Config {
        reset_on_logon: true,
        ..config(Role::Initiator)
    };
    let mut pair = Pair::new(reset, config(Role::Acceptor));
    for _ in 0..2 {
        pair.connect();
        pair.initiator.session.send(pair.now, &order(b"I")).unwrap();
        pair.exchange();
        pair.disconnect();
    }
    assert_eq!(
        pair.acceptor.orders,
        [(2, "I".to_owned()), (2, "I".to_owned())]
    );
}

#[test]
fn nobody_who_connects_and_waits_stays() {
    let mut side = Side::new(config(Role::Acceptor), Memory::default());
    side.session.connect(START);
    let due = side.session.deadline().unwrap();
    assert_eq!(due.0 - START.0, 10_000_000_000);
    side.turn(due, &[]);
    assert_eq!(side.ends, [Cause::LogonTimeout]);
}

/// A store whose commits fail.
#[derive(Default)]
struct Full(Memory);

impl Store for Full {
    fn next_outgoing(&self) -> u64 {
        self.0.next_outgoing()
    }
    fn next_incoming(&self) -> u64 {
        self.0.next_incoming()
    }
    fn set_next_outgoing(&mut self, sequence: u64) {
        self.0.set_next_outgoing(sequence);
    }
    fn set_next_incoming(&mut self, sequence: u64) {
        self.0.set_next_incoming(sequence);
    }
    fn keep_sent(&mut self, sequence: u64, message: &[u8]) {
        self.0.keep_sent(sequence, message);
    }
    fn sent(&self, from: u64, to: u64) -> Result<Option<(u64, Vec<u8>)>, StoreError> {
        self.0.sent(from, to)
    }
    fn reset(&mut self) {
        self.0.reset();
    }
    fn commit(&mut self) -> Result<(), StoreError> {
        Err(StoreError("the disk is full".into()))
    }
}

#[test]
fn nothing_leaves_that_the_store_did_not_take() {
    let mut side = Side::new(config(Role::Initiator), Full::default());
    side.session.connect(START);
    assert_eq!(side.session.output(), Err(Cause::Store));
    assert!(!side.session.is_connected());
    let error = side.session.store_error().unwrap().to_string();
    assert_eq!(error, "the session's store failed: the disk is full");
}

/// Numbers that look random, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) as usize % limit
    }
}

/// A message with its length and sum made right again, so that it is not just garbled.
fn repaired(message: &[u8]) -> Vec<u8> {
    let text = |bytes: &[u8]| bytes.iter().map(|b| u32::from(*b)).sum::<u32>() % 256;
    let body = message
        .windows(4)
        .position(|w| w == b"\x0135=")
        .map_or(20, |at| at + 1);
    let end = message.len().saturating_sub(7).max(body);
    let body = &message[body..end];
    let mut whole = format!("8=FIX.4.4\x019={}\x01", body.len()).into_bytes();
    whole.extend_from_slice(body);
    let sum = text(&whole);
    whole.extend_from_slice(format!("10={sum:03}\x01").as_bytes());
    whole
}

#[test]
fn damaged_messages_are_answered_or_ignored_and_the_session_lives_or_ends_in_order() {
    let mut random = Random(7);
    let mut ends = 0;
    let mut side = accepted(config(Role::Acceptor));
    for _ in 0..20_000 {
        if !side.session.is_connected() {
            ends += 1;
            side = accepted(config(Role::Acceptor));
        }
        let sequence = side.session.store().next_incoming();
        let mut message = match random.below(5) {
            0 => written(sequence, START, &order(b"SOME")),
            1 => written(
                sequence,
                START,
                &TestRequest {
                    test_request_id: b"X",
                },
            ),
            2 => written(sequence, START, &ResendRequest { begin: 1, end: 0 }),
            3 => written(
                sequence,
                START,
                &SequenceReset {
                    gap_fill: Some(true),
                    new_sequence: sequence + 1,
                },
            ),
            _ => written(sequence, START, &Logon::default()),
        };
        for _ in 0..random.below(4) {
            let at = random.below(message.len());
            match random.below(3) {
                0 => message[at] = b"\x01=0198ADYN|\xff"[random.below(11)],
                1 => drop(message.remove(at)),
                _ => message.insert(at, message[random.below(message.len())]),
            }
        }
        if random.below(8) > 0 {
            message = repaired(&message);
        }
        let before = side.session.counters();
        let answer = side.turn(START, &message);
        // All that is sent is well formed.
        seen(&answer, 0);
        let after = side.session.counters();
        assert!(
            after != before || side.session.waiting() > 0,
            "something happened"
        );
    }
    assert!(ends > 100, "{ends}");
}

#[test]
fn a_silent_peer_does_not_hold_up_a_logout() {
    let mut pair = Pair::logged_on();
    pair.initiator.session.log_out(pair.now, Some("good night"));
    let said = pair.initiator.turn(pair.now, &[]);
    assert_eq!(
        seen(&said, 58),
        [("5".into(), 2, false, "good night".into())]
    );
    let due = pair.initiator.session.deadline().unwrap();
    assert_eq!(
        Duration::from_nanos(due.0 - pair.now.0),
        Duration::from_secs(2)
    );
    pair.initiator.turn(due, &[]);
    assert_eq!(pair.initiator.ends, [Cause::LogoutTimeout]);
}

/// Sends a message with a header of the peer's own; returns the Reject's MsgType (372), field (371) and reason (373), and the text of the
/// Logout if one follows.
fn refused<'a, B: Body<'a>>(header: Header<'_>, body: &B) -> ([String; 3], Option<String>) {
    let mut side = accepted(config(Role::Acceptor));
    let mut buffer = vec![0; 4_096];
    let length = fix::encode(&mut buffer, Version::Fix44, &header, body).unwrap();
    let output = side.turn(START, &buffer[..length]);
    let of = |tag| seen(&output, tag).into_iter();
    let field = |tag| {
        let reject = of(tag).find(|(msg_type, ..)| msg_type == "3");
        reject.expect("a Reject").3
    };
    let logout = of(58).find(|(msg_type, ..)| msg_type == "5");
    assert_eq!(of(58).count(), 1 + usize::from(logout.is_some()));
    ([372, 371, 373].map(field), logout.map(|(.., text)| text))
}

/// FIX 4.4 volume 2: RefTagID (371) is "the tag number of the FIX field being referenced", and Text (58) of a Logout explains it.
/// SessionRejectReason (373): 9 CompID problem, 10 SendingTime accuracy problem, 5 value out of range, 11 invalid MsgType.
#[test]
fn a_reject_names_the_field_and_a_logout_the_value_and_the_reason() {
    let right = Header {
        sender: b"US",
        target: b"THEM",
        sequence: 2,
        sending_time: START,
        ..Header::default()
    };
    let long = [b'X'; 1_000];
    let day = 86_400_000_000_000;
    // START is 2023-11-14 22:13:20.
    for (header, tag, reason, text) in [
        (
            Header {
                sender: b"YOU",
                ..right
            },
            "49",
            "9",
            "SenderCompID (49) is YOU, not US".to_owned(),
        ),
        (
            Header {
                target: b"ME",
                ..right
            },
            "56",
            "9",
            "TargetCompID (56) is ME, not THEM".to_owned(),
        ),
        (
            Header {
                target: &long,
                ..right
            },
            "56",
            "9",
            format!("TargetCompID (56) is {}..., not THEM", "X".repeat(64)),
        ),
        (
            Header {
                sending_time: Timestamp(START.0 - day),
                ..right
            },
            "52",
            "10",
            "SendingTime (52) is 20231113-22:13:20.000, more than 120 s from this clock, 20231114-22:13:20.000".to_owned(),
        ),
        (
            Header {
                sending_time: Timestamp(START.0 + day),
                ..right
            },
            "52",
            "10",
            "SendingTime (52) is 20231115-22:13:20.000, more than 120 s from this clock, 20231114-22:13:20.000".to_owned(),
        ),
        (
            Header {
                sequence: 1,
                possible_duplicate: Some(true),
                original_sending_time: Some(Timestamp(START.0 + 1_000_000)),
                ..right
            },
            "122",
            "10",
            "OrigSendingTime (122) is 20231114-22:13:20.001, after SendingTime (52), 20231114-22:13:20.000".to_owned(),
        ),
    ] {
        let expected = (["D", tag, reason].map(str::to_owned), Some(text));
        assert_eq!(refused(header, &order(b"A")), expected);
    }
    // A fault of one message: no Logout.
    let low = SequenceReset {
        gap_fill: None,
        new_sequence: 1,
    };
    let expected = (["4", "36", "5"].map(str::to_owned), None);
    assert_eq!(refused(right, &low), expected);
    let expected = (["*", "35", "11"].map(str::to_owned), None);
    assert_eq!(refused(right, &Unknown), expected);
}

/// A message of a type that FIX does not have.
#[derive(Default)]
struct Unknown;

impl<'a> Body<'a> for Unknown {
    const MSG_TYPE: &'static [u8] = b"*";

    fn fill(&mut self, _: fix::Fields<'a>) -> Result<(), fix::Refusal> {
        Ok(())
    }

    fn put(&self, _: &mut Encoder<'_>) {}
}
