//! Streams of messages as bytes, valid and not: lost, doubled, exchanged, and with bytes changed. After every message the book is the plain one.

use book::{Book, Limits};
use feed::generate::{Settings, generate, symbol};
use formats::binary_file;
use formats::itch::Version;
use instrument::{Locates, Table};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::naive::Naive;

/// Of the symbols of the stream the last is not ours.
const SYMBOLS: usize = 4;

/// What happens to a message.
#[derive(Clone, Debug)]
enum Fault {
    Lost(Index),
    Doubled(Index),
    Exchanged(Index, Index),
    Changed(Index, Index, u8),
    Cut(Index, Index),
}

fn fault() -> impl Strategy<Value = Fault> {
    let index = any::<Index>;
    prop_oneof![
        2 => index().prop_map(Fault::Lost),
        1 => index().prop_map(Fault::Doubled),
        1 => (index(), index()).prop_map(|(a, b)| Fault::Exchanged(a, b)),
        4 => (index(), index(), any::<u8>()).prop_map(|(a, b, byte)| Fault::Changed(a, b, byte)),
        1 => (index(), index()).prop_map(|(a, b)| Fault::Cut(a, b)),
    ]
}

fn strike(messages: &mut Vec<Vec<u8>>, fault: &Fault) {
    let count = messages.len();
    match fault {
        Fault::Lost(at) => drop(messages.remove(at.index(count))),
        Fault::Doubled(at) => {
            let message = messages[at.index(count)].clone();
            messages.insert(at.index(count), message);
        }
        Fault::Exchanged(a, b) => messages.swap(a.index(count), b.index(count)),
        Fault::Changed(at, byte, to) => {
            let message = &mut messages[at.index(count)];
            if !message.is_empty() {
                let byte = byte.index(message.len());
                message[byte] = *to;
            }
        }
        Fault::Cut(at, to) => {
            let message = &mut messages[at.index(count)];
            message.truncate(to.index(message.len() + 1));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn streams_of_valid_and_invalid_messages(
        seed in 0..1_000_u64,
        v50: bool,
        small: bool,
        faults in prop::collection::vec(fault(), 0..40),
    ) {
        let version = if v50 { Version::V50 } else { Version::V41 };
        let settings = Settings { version, symbols: SYMBOLS, messages: 400, seconds: 5, seed };
        let mut file = vec![];
        generate(&settings, &mut file, |_| ()).unwrap();
        let all = binary_file::Messages::new(&file).map(|message| message.unwrap().to_vec());
        let mut messages: Vec<_> = all.collect();
        faults.iter().for_each(|fault| strike(&mut messages, fault));

        let limits = if small {
            Limits { orders: 40, levels: 12, window: Some(16), level_orders: 2, ..Limits::HARDWARE }
        } else {
            Limits::UNLIMITED
        };
        let ours: Vec<_> = (0..SYMBOLS - 1).map(|index| Some(symbol(index))).collect();
        let (table, mut locates) = (Table::of_feed(&ours), Locates::new(ours.len()));
        let mut book = Book::new(ours.len(), limits);
        let mut naive = Naive::new(ours.len(), limits);
        for index in 0..ours.len() {
            book.set_tick(index as u32, 100).unwrap();
            naive.markets[index].tick = 100;
        }
        for message in &messages {
            let Ok(event) = decoder::itch::event(version, message, 0, 0, true) else {
                continue;
            };
            let event = locates.resolve(&table, &event);
            assert_eq!(book.apply(&event), naive.apply(&event), "{event:?}");
            naive.compare(&book);
            book.verdict(true);
            naive.verdict(true);
        }
        naive.compare(&book);
    }
}
