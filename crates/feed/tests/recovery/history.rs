//! The server's side: what was sent, as far back as it is stored.

use feed::recovery::{History, Refusal};
use proptest::prelude::*;

use crate::recovery::consumer::{SESSION, packet, packet_of, request};

#[test]
fn the_history_answers_what_it_has_and_no_more_than_a_frame() {
    let mut history = History::new(10_000);
    for number in 0..100 {
        history.record(&packet(1 + 3 * number, 3));
        history.record(&packet(4 + 3 * number, 0));
    }
    assert_eq!(
        history.answer(&request(SESSION, 7, 2)).unwrap(),
        packet(7, 2)
    );
    assert_eq!(
        history.answer(&request(SESSION, 300, 50)).unwrap(),
        packet(300, 1)
    );
    let most = history.answer(&request(SESSION, 1, 0xffff)).unwrap();
    assert!((1_440..=1_472).contains(&most.len()), "{}", most.len());
    let mut refused = |request: &[u8]| history.answer(request).unwrap_err();
    assert_eq!(refused(&request(SESSION, 301, 1)), Refusal::Unavailable);
    assert_eq!(refused(&request(SESSION, 0, 1)), Refusal::Unavailable);
    assert_eq!(
        refused(&request(SESSION, u64::MAX, 1)),
        Refusal::Unavailable
    );
    assert_eq!(
        refused(&request(b"NIGHT     ", 7, 1)),
        Refusal::OtherSession
    );
    assert_eq!(refused(&request(SESSION, 7, 0)), Refusal::Malformed);
    assert_eq!(refused(&request(SESSION, 7, 1)[..19]), Refusal::Malformed);
    assert_eq!(refused(&[0; 21]), Refusal::Malformed);
}

#[test]
fn the_history_forgets_the_oldest_and_other_sessions() {
    let mut history = History::new(110);
    for number in 1..=100 {
        history.record(&packet(number, 1));
    }
    assert_eq!(history.len(), 10, "of 10 to 11 bytes each");
    assert!(history.answer(&request(SESSION, 91, 1)).is_ok());
    assert_eq!(
        history.answer(&request(SESSION, 90, 1)),
        Err(Refusal::Unavailable)
    );
    history.record(b"no packet");
    assert_eq!(history.len(), 10);
    history.record(&packet_of(b"NIGHT     ", 1, 1));
    assert_eq!((history.len(), history.is_empty()), (1, false));
    assert_eq!(
        history.answer(&request(SESSION, 100, 1)),
        Err(Refusal::OtherSession)
    );
}

#[test]
fn a_history_whose_numbers_do_not_follow_begins_anew() {
    let mut history = History::new(1_000);
    history.record(&packet(1, 3));
    history.record(&packet(10, 2));
    assert_eq!(history.len(), 2);
    assert_eq!(
        history.answer(&request(SESSION, 4, 1)),
        Err(Refusal::Unavailable)
    );
    assert_eq!(
        history.answer(&request(SESSION, 11, 9)).unwrap(),
        packet(11, 1)
    );
}

proptest! {
    #[test]
    fn no_request_makes_the_history_panic(requests in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 50)) {
        let mut history = History::new(1_000);
        history.record(&packet(u64::MAX - 1, 1));
        for request in requests {
            let _ = history.answer(&request);
        }
        prop_assert!(history.answer(&request(SESSION, u64::MAX - 1, 0xffff)).is_ok());
    }
}
