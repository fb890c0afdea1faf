//! Hints change nothing, right or wrong.

use book::{Book, Hints, Limits};
use feed::generate::{Settings, generate};
use formats::itch::Version;
use formats::{Event, Side, binary_file};

#[test]
fn a_book_with_hints_right_and_wrong_is_the_one_without() {
    let settings = Settings {
        version: Version::V50,
        symbols: 400,
        messages: 60_000,
        seconds: 600,
        seed: 3,
    };
    let mut file = vec![];
    generate(&settings, &mut file, |_| ()).unwrap();
    let mut plain = Book::new(401, Limits::UNLIMITED);
    let mut hinted = plain.clone();
    let mut hints = Hints::default();
    let messages = || binary_file::Messages::new(&file).map(Result::unwrap);
    let mut ahead = messages().skip(Hints::DISTANCE);
    let mut most = 0;
    for (number, message) in messages().enumerate() {
        if let Some(next) = ahead.next()
            && let Some(next) = decoder::itch::preview(Version::V50, next)
        {
            hints.give(
                &hinted,
                next.locate.map(u32::from),
                next.order_id,
                next.limit,
            );
        }
        match number % 3 {
            0 => hints.give(&hinted, Some(u32::MAX), u64::MAX, None),
            1 => hints.give(&hinted, None, number as u64, Some((Side::Sell, i64::MIN))),
            _ => {}
        }
        let mut both = |event: &Event| {
            let index = event.locate.map(u32::from);
            assert_eq!(hinted.apply_to(index, event), plain.apply_to(index, event));
        };
        decoder::itch::give(Version::V50, message, 0, 0, true, &mut both).unwrap();
        hinted.verdict(true);
        plain.verdict(true);
        most = most.max(plain.orders());
    }
    // Below 4,096 no hint is taken.
    assert!(most > 5_000, "{most}");
}

#[test]
fn a_preview_is_what_the_event_says() {
    for version in [Version::V41, Version::V50] {
        let settings = Settings {
            version,
            symbols: 5,
            messages: 5_000,
            seconds: 60,
            seed: 4,
        };
        let mut file = vec![];
        generate(&settings, &mut file, |_| ()).unwrap();
        let mut seen = 0;
        for message in binary_file::Messages::new(&file).map(Result::unwrap) {
            let event = decoder::itch::event(version, message, 0, 0, true).unwrap();
            let Some(preview) = decoder::itch::preview(version, message) else {
                assert!(!b"AFECXDU".contains(&message[0]));
                continue;
            };
            assert_eq!(preview.order_id, event.order_id);
            assert_eq!(preview.locate, event.locate);
            let enters = b"AF".contains(&message[0]);
            assert_eq!(preview.limit, enters.then_some((event.side, event.price)));
            seen += 1;
            for length in 0..message.len().min(20) {
                // Too short: no hint, or that of what is there.
                decoder::itch::preview(version, &message[..length]);
            }
        }
        assert!(seen > 4_500);
    }
}
