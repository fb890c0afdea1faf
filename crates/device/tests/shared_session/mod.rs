//! A session that host and hardware share, against an acceptor.

mod bench;
mod host_orders;
mod restart;
mod silence;
mod strategy;

use device::order_registers as orders;
use device::shared_session::{Ahead, Event, MARGIN, Origin, Outcome};
use formats::fix::{self, Frame, NewOrderSingle, TestRequest, Version};
use session::{Durability, Durable, Memory, Store};

use bench::{Bench, NOW, peer};

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
            origin: Some(Origin::Stop(slot)),
            order: Some(order),
            outcome: Outcome::Sent { number, .. },
        } => Some((*slot, order.price, number.get())),
        _ => None,
    });
    assert_eq!(
        sent.collect::<Vec<_>>(),
        [(3, Some(1_000), 2), (4, Some(1_001), 4)]
    );
    assert_eq!(bench.shared_session.session().store().next_outgoing(), 5);
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
    let open = || Durable::open(&path, Durability::Process).unwrap();
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
    drop(bench.shared_session);

    let mut bench = Bench::new(open(), peer);
    bench.connect();
    bench.settle();
    assert_eq!(bench.events, [Event::Connected, Event::LoggedOn]);
    let logon = bench.got[0].0;
    assert!((4..=2 * MARGIN).contains(&logon), "Logon with {logon}");
    // The gap is filled as empty, and the session goes on after it.
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
