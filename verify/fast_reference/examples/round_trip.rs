//! Random messages and faults through the reference decoder, and how many there were.
//!
//! `cargo run --release -p fast_reference --example round_trip -- [messages] [first seed]`

use std::collections::BTreeMap;
use std::time::Instant;

use fast_reference::random::{Case, Limits, mutate};
use fast_reference::reference::Decoder;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn main() {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u64>());
    let wanted = arguments.next().and_then(Result::ok).unwrap_or(200_000);
    let mut seed = arguments.next().and_then(Result::ok).unwrap_or(0);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut cases, mut messages, mut bytes, mut mismatches) = (0_u64, 0_u64, 0_u64, 0_u64);
    let (mut mutated, mut codes) = (0_u64, BTreeMap::<String, u64>::new());
    let start = Instant::now();
    while messages < wanted {
        let case = Case::new(seed, &Limits::default());
        let mut decoder = match Decoder::with_options(&case.xml, case.options()) {
            Ok(decoder) => decoder,
            Err(error) => {
                eprintln!("seed {seed}: {error}");
                mismatches += 1;
                seed += 1;
                continue;
            }
        };
        for packet in &case.packets {
            // The faults first, so that they meet the dictionaries they were made for; an error leaves those as they were.
            let faulty = mutate(&packet.bytes, &mut rng);
            let results = decoder.clone().packet(&faulty);
            mutated += 1;
            if let Some(Err(error)) = results.last() {
                *codes.entry(error.code.to_string()).or_default() += 1;
            }
            let decoded: Result<Vec<_>, _> = decoder.packet(&packet.bytes).into_iter().collect();
            if decoded.as_ref() != Ok(&packet.messages) {
                eprintln!("seed {seed}: {decoded:?}");
                mismatches += 1;
            }
            messages += packet.messages.len() as u64;
            bytes += packet.bytes.len() as u64;
        }
        cases += 1;
        seed += 1;
    }
    println!(
        "{cases} template files, {messages} messages, {bytes} bytes, {mismatches} mismatches, {:.1} s",
        start.elapsed().as_secs_f64()
    );
    println!("{mutated} mutated packets; those that are no messages any more:");
    for (code, count) in codes {
        println!("{count:8}  {code}");
    }
}
