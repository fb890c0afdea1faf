//! Random messages of random templates, and mutated ones.

use super::common::all_widths;
use super::fast_sim::random::compare;

/// Messages to compare.
fn wanted_messages() -> u64 {
    let long = std::env::var_os("TICKWIRE_LONG").is_some();
    std::env::var("FAST_MESSAGES")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(if long { 200_000 } else { 4_000 })
}

#[test]
fn random_messages_decode_as_in_software() {
    for width in all_widths() {
        let compared = compare(width, 0, wanted_messages(), false, |_| ());
        let compared = compared.unwrap_or_else(|difference| panic!("{difference}"));
        assert!(compared.messages > compared.bad_packets, "{compared:?}");
        assert!(compared.references > 40, "{compared:?}");
        // Three types, six operators, two presences.
        assert_eq!(compared.texts.len(), 36, "{compared:?}");
        assert!(
            compared.texts.values().all(|files| *files > 3),
            "{compared:?}"
        );
        println!("{width:?}: {compared:?}");
    }
}

#[test]
fn mutated_messages_fail_as_in_software_and_leave_the_dictionary_as_it_was() {
    for width in all_widths() {
        let compared = compare(width, 1_000_000, wanted_messages(), true, |_| ());
        let compared = compared.unwrap_or_else(|difference| panic!("{difference}"));
        assert!(
            compared.bad_packets > compared.messages / 10,
            "the mutations are too kind: {compared:?}"
        );
    }
}
