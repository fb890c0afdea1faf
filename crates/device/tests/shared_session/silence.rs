//! A peer that is silent: TCP ends with the session, so that nothing old reaches it later, and ARP asks for it anew.

use std::time::Duration;

use device::order_registers::session_command::{ABORT, CLOSE, CONNECT};
use device::shared_session::Event;
use formats::fix::Timestamp;
use session::{Cause, Memory};

use crate::shared_session::bench::{Bench, NOW, peer};

fn at(seconds: u64) -> Timestamp {
    Timestamp(NOW.0 + Duration::from_secs(seconds).as_nanos() as u64)
}

/// What happens until then, looked at each second.
fn pass(bench: &mut Bench<Memory>, seconds: std::ops::RangeInclusive<u64>) -> Vec<Event> {
    let mut events = vec![];
    for second in seconds {
        while let Some(event) = bench
            .shared_session
            .poll(&mut bench.core, at(second))
            .unwrap()
        {
            events.push(event);
        }
    }
    events
}

fn connected() -> Bench<Memory> {
    let mut bench = Bench::new(Memory::default(), peer());
    bench.connect();
    bench.settle();
    assert_eq!(bench.hardware().commands, [CONNECT.mask()]);
    bench.hardware().silent = true;
    bench.hardware().commands.clear();
    bench
}

/// HeartBtInt is 30 s: TestRequest after 36, the end after 72.
#[test]
fn with_a_session_that_got_no_answer_tcp_is_broken_off_at_once() {
    let mut bench = connected();
    assert_eq!(pass(&mut bench, 1..=71), []);
    let ended = [Event::Disconnected(Some(Cause::Silent))];
    assert_eq!(pass(&mut bench, 72..=72), ended);
    assert_eq!(bench.hardware().commands, [ABORT.mask()]);
    assert_eq!(pass(&mut bench, 72..=73), []);
    assert!(bench.shared_session.is_idle());
    assert_eq!(bench.hardware().commands, [ABORT.mask()]);
}

#[test]
fn a_fin_without_an_answer_is_followed_by_a_reset() {
    let mut bench = connected();
    // The peer has logged out, and does not close.
    bench.peer.log_out(NOW, None);
    let output = bench.peer.output().unwrap().to_vec();
    bench.hardware().bytes.extend(output);
    let ended = [Event::Disconnected(Some(Cause::PeerLogout))];
    assert_eq!(pass(&mut bench, 0..=4), ended);
    assert!(
        bench
            .hardware()
            .commands
            .iter()
            .all(|one| *one == CLOSE.mask())
    );
    assert_eq!(pass(&mut bench, 5..=6), []);
    assert_eq!(bench.hardware().commands.last(), Some(&ABORT.mask()));
    assert!(bench.shared_session.is_idle());
}

#[test]
fn a_syn_without_an_answer_is_given_up_so_that_the_mac_is_asked_for_again() {
    let mut bench = Bench::new(Memory::default(), peer());
    bench.hardware().silent = true;
    bench.connect();
    assert_eq!(pass(&mut bench, 0..=9), []);
    assert_eq!(bench.hardware().commands, [CONNECT.mask()]);
    assert_eq!(pass(&mut bench, 10..=11), [Event::Disconnected(None)]);
    assert_eq!(bench.hardware().commands, [CONNECT.mask(), ABORT.mask()]);
    assert!(bench.shared_session.is_idle());
}
