//! Messages that went wrong.

use rand::Rng;

use super::write;

/// `bytes` with one to three random faults: bits flipped; bytes cut off, taken out, doubled or put in; integers made overlong or
/// longer than ten bytes; presence maps and strings without end; unknown template identifiers; sequence lengths of billions.
///
/// What comes out may still be a valid message, by chance.
pub fn mutate(bytes: &[u8], rng: &mut impl Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let count = if rng.random() {
        1
    } else {
        rng.random_range(2..=3)
    };
    for _ in 0..count {
        fault(&mut bytes, rng);
    }
    bytes
}

fn fault(bytes: &mut Vec<u8>, rng: &mut impl Rng) {
    let length = bytes.len();
    let place = rng.random_range(0..=length);
    match rng.random_range(0..24) {
        0..=5 => {
            if let Some(byte) = bytes.get_mut(place) {
                *byte ^= 1 << rng.random_range(0..8);
            }
        }
        6 | 7 => bytes.truncate(place),
        8 | 9 => {
            let count = rng.random_range(1..=12);
            let random: Vec<u8> = (0..count).map(|_| rng.random()).collect();
            bytes.splice(place..place, random);
        }
        10 | 11 => {
            let end = (place + rng.random_range(1..=6)).min(length);
            bytes.drain(place..end);
        }
        12 | 13 => {
            let end = (place + rng.random_range(1..=20)).min(length);
            let doubled = bytes[place..end].to_vec();
            bytes.splice(place..place, doubled);
        }
        // Overlong: zeros, or for a negative integer ones, before an entity.
        14 | 15 => {
            let filling = if rng.random() { 0x00 } else { 0x7f };
            let count = rng.random_range(1..=3);
            bytes.splice(place..place, vec![filling; count]);
        }
        // Too long for any type.
        16 | 17 => {
            let mut integer: Vec<u8> = (0..rng.random_range(10..=20))
                .map(|_| rng.random_range(0..0x80))
                .collect();
            integer.push(rng.random_range(0x80..=0xff));
            bytes.splice(place..place, integer);
        }
        // No stop bit from here on, or for a while: a presence map, an integer or a string without end.
        18 | 19 => {
            let count = *[3, 10, usize::MAX]
                .get(rng.random_range(0..3))
                .unwrap_or(&3);
            for byte in bytes.iter_mut().skip(place).take(count) {
                *byte &= 0x7f;
            }
        }
        // A presence map with the template's bit, and a template that hardly exists.
        20 => {
            let mut start = vec![0xc0 | rng.random_range(0..0x40)];
            start.extend(write::unsigned(rng.random_range(0..1 << 40)));
            let end = (start.len()).min(length);
            bytes.splice(..end, start);
        }
        // A length of billions.
        21 => {
            let end = (place + 1).min(length);
            bytes.splice(place..end, [0x0f, 0x7f, 0x7f, 0x7f, 0xfe]);
        }
        _ => {
            if let Some(byte) = bytes.get_mut(place) {
                *byte = rng.random();
            }
        }
    }
}
