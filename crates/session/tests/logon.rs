//! Logons that are refused: which peer is told, and what both sides know afterwards (FIX 4.4 volume 2, "Logon": a refusal may be sent as a
//! Logout, which takes a sequence number).

use formats::fix::{self, Body, Frame, Header, Logon, Timestamp, Version};
use session::{Cause, Config, Credentials, Event, Memory, Role, Session, Store};

const NOW: Timestamp = Timestamp(1_700_000_000_000_000_000);

fn config(role: Role) -> Config {
    match role {
        Role::Initiator => Config::new(role, Version::Fix44, b"US", b"THEM"),
        Role::Acceptor => Config::new(role, Version::Fix44, b"THEM", b"US"),
    }
}

fn with_password(role: Role, password: &str) -> Config {
    Config {
        credentials: Some(Credentials {
            username: b"US".into(),
            password: password.into(),
        }),
        ..config(role)
    }
}

/// Gives bytes to a session; returns what it sends, and how the connection ended, if it did.
fn turn(session: &mut Session<Memory>, bytes: &[u8]) -> (Vec<u8>, Option<Cause>) {
    session.receive(bytes);
    let (mut end, mut buffer) = (None, vec![]);
    while let Some(event) = session.poll(NOW, &mut buffer) {
        if let Event::Disconnect(cause) = event {
            end = Some(cause);
        }
    }
    let output = session.output().unwrap().to_vec();
    session.sent(output.len());
    (output, end)
}

/// The one message in some bytes: MsgType, MsgSeqNum, Text.
fn only(bytes: &[u8]) -> (String, u64, String) {
    let Frame::Message(message) = fix::frame(bytes, bytes.len()) else {
        panic!("no message in {}", bytes.escape_ascii());
    };
    assert_eq!(message.len(), bytes.len(), "one message");
    let mut fields = message.fields().flatten();
    let text = fields
        .find(|field| field.tag == 58)
        .map(|field| field.value);
    let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let sequence = message.header().unwrap().sequence;
    (
        lossy(message.msg_type()),
        sequence,
        lossy(text.unwrap_or_default()),
    )
}

/// What an acceptor does with a first message of the initiator.
fn answer<'a, B: Body<'a>>(config: Config, sequence: u64, body: &B) -> (Vec<u8>, Option<Cause>) {
    let header = Header {
        sender: b"US",
        target: b"THEM",
        sequence,
        sending_time: NOW,
        ..Header::default()
    };
    let mut buffer = [0; 512];
    let length = fix::encode(&mut buffer, Version::Fix44, &header, body).unwrap();
    let mut session = Session::new(config, Memory::default());
    session.connect(NOW);
    let (output, end) = turn(&mut session, &buffer[..length]);
    assert!(!session.is_connected());
    let incoming = session.store().next_incoming();
    assert_eq!(incoming, 1, "a Logon that is refused is not taken");
    (output, end)
}

const LOGON: Logon<'static> = Logon {
    encrypt_method: 0,
    heartbeat_interval: 30,
    reset_sequence: None,
    next_expected_sequence: None,
    username: None,
    password: None,
};

#[test]
fn a_logon_that_is_refused_is_answered_with_a_logout_that_says_why() {
    let encrypted = Logon {
        encrypt_method: 1,
        ..LOGON
    };
    let rare = Logon {
        heartbeat_interval: 3_601,
        ..LOGON
    };
    let guess = Logon {
        username: Some(b"US"),
        password: Some(b"guess"),
        ..LOGON
    };
    let unknown = Logon {
        encrypt_method: 7,
        ..LOGON
    };
    let acceptor = || config(Role::Acceptor);
    let secret = || with_password(Role::Acceptor, "secret");
    let password = "a Logon with a wrong Username (553) or Password (554)";
    let asks =
        "a Logon with an EncryptMethod (98) other than 0, or a HeartBtInt (108) out of range";
    for (config, logon, sequence, text) in [
        (acceptor(), encrypted, 1, asks),
        (acceptor(), rare, 1, asks),
        (secret(), LOGON, 1, password),
        (secret(), guess, 1, password),
        (
            acceptor(),
            unknown,
            1,
            "a Logon that is refused: Value is incorrect (out of range) for this tag: tag 98",
        ),
        (
            acceptor(),
            LOGON,
            0,
            "MsgSeqNum too low, expecting 1 but received 0",
        ),
    ] {
        let (output, end) = answer(config, sequence, &logon);
        assert_eq!(only(&output), ("5".into(), 1, text.into()));
        assert!(end.is_some());
    }
}

#[test]
fn nobody_who_is_not_this_session_is_told_anything() {
    let other = Config {
        target: b"OTHERS".into(),
        ..config(Role::Acceptor)
    };
    assert_eq!(
        answer(other, 1, &LOGON),
        (vec![], Some(Cause::OtherSession))
    );
    let no_logon = answer(config(Role::Acceptor), 1, &fix::Heartbeat::default());
    assert_eq!(no_logon, (vec![], Some(Cause::NotLogon)));
}

#[test]
fn a_refused_logon_that_asks_for_new_numbers_changes_none() {
    let mut session = Session::new(with_password(Role::Acceptor, "secret"), Memory::default());
    session.store_mut().set_next_incoming(8);
    session.store_mut().set_next_outgoing(9);
    session.connect(NOW);
    let reset = Config {
        reset_on_logon: true,
        ..with_password(Role::Initiator, "guess")
    };
    let mut initiator = Session::new(reset, Memory::default());
    initiator.connect(NOW);
    let (logon, _) = turn(&mut initiator, &[]);
    let (logout, end) = turn(&mut session, &logon);
    assert_eq!(end, Some(Cause::NotAuthorized));
    assert_eq!(only(&logout).1, 9);
    assert_eq!(session.store().next_incoming(), 8);
    assert_eq!(session.store().next_outgoing(), 10, "the Logout took one");
}

#[test]
fn who_is_refused_knows_why_and_can_log_on_later() {
    let mut acceptor = Session::new(with_password(Role::Acceptor, "secret"), Memory::default());
    let mut store = Memory::default();
    for (password, ends) in [("guess", Some(Cause::PeerLogout)), ("secret", None)] {
        let mut initiator = Session::new(with_password(Role::Initiator, password), store);
        acceptor.connect(NOW);
        initiator.connect(NOW);
        let mut to_acceptor = turn(&mut initiator, &[]).0;
        let mut end = None;
        for _ in 0..6 {
            let to_initiator = turn(&mut acceptor, &to_acceptor).0;
            let (output, ended) = turn(&mut initiator, &to_initiator);
            (to_acceptor, end) = (output, end.or(ended));
        }
        assert_eq!(end, ends);
        let text = ends.map(|_| "a Logon with a wrong Username (553) or Password (554)");
        assert_eq!(initiator.logout_text(), text);
        assert_eq!(initiator.is_logged_on(), ends.is_none());
        let expected = acceptor.store().next_outgoing();
        assert_eq!(
            initiator.store().next_incoming(),
            expected,
            "no message is missing"
        );
        store = initiator.store().clone();
    }
}

#[test]
fn a_reject_of_4_2_has_only_reasons_of_4_2() {
    let version = Version::Fix42;
    let acceptor = Config::new(Role::Acceptor, version, b"THEM", b"US");
    let mut session = Session::new(acceptor, Memory::default());
    session.connect(NOW);
    let mut send = |sequence: u64, msg_type: &[u8], fields: &[(u32, &[u8])]| {
        let header = Header {
            sender: b"US",
            target: b"THEM",
            sequence,
            sending_time: NOW,
            ..Header::default()
        };
        let mut buffer = [0; 512];
        let mut encoder = fix::Encoder::new(&mut buffer, version.begin_string(), msg_type);
        header.put(&mut encoder);
        fields
            .iter()
            .for_each(|(tag, value)| encoder.field(*tag, value));
        let length = encoder.finish().unwrap();
        let answer = turn(&mut session, &buffer[..length]).0;
        answer.escape_ascii().to_string().replace("\\x01", "|")
    };
    send(1, b"A", &[(98, b"0"), (108, b"30")]);
    // FIX 4.2 has SessionRejectReason up to 11; "Tag appears more than once" came with 4.3.
    let repeated = send(2, b"1", &[(112, b"X"), (112, b"X")]);
    assert!(
        repeated.contains("|371=112|372=1|58=Tag appears more than once|"),
        "{repeated}"
    );
    assert!(!repeated.contains("|373="), "{repeated}");
    let unknown = send(3, b"*", &[]);
    assert!(unknown.contains("|373=11|58=Invalid MsgType|"), "{unknown}");
}
