//! Byte vectors: their bytes have no stop bits, look like tokens of any length, and end anywhere in one. The expected values are those that were encoded here.

use fast::microcode::{Room, Wanted, assemble};
use fast::{Settings, Templates};

use super::common::{Random, all_widths};
use super::fast_sim::{Item, Lockstep};

/// A vector, a string, an optional vector, an integer; and one that ends with a vector.
const XML: &str = r#"<templates>
  <template name="Between" id="1"><byteVector name="A" id="11"/><string name="S" id="12"/>
    <byteVector name="B" id="13" presence="optional"/><uInt32 name="I" id="14"><delta/></uInt32></template>
  <template name="AtTheEnd" id="2"><string name="T" id="21" charset="unicode"/></template>
</templates>"#;

/// An unsigned integer (10.6.1).
fn integer(value: u64, out: &mut Vec<u8>) {
    let digits = (1..10).find(|n| value >> (7 * n) == 0).unwrap_or(10);
    for place in (0..digits).rev() {
        let stop = if place == 0 { 0x80 } else { 0 };
        out.push((value >> (7 * place)) as u8 & 0x7F | stop);
    }
}

/// Bytes without stop bits, with one here and there, or all with one: as long as several beats now and then.
fn vector(random: &mut Random) -> Vec<u8> {
    let most = [3, 10, 40, 200][random.below(4) as usize];
    let (length, stops) = (random.below(most), random.below(4));
    let byte = |_| {
        let byte = random.next() as u8;
        match stops {
            0 => byte & 0x7F,
            1 => byte | 0x80,
            2 if random.below(9) == 0 => byte | 0x80,
            2 => byte & 0x7F,
            _ => byte,
        }
    };
    (0..length).map(byte).collect()
}

/// A message of one of the two templates, and what it says. `last` is the sum of the deltas so far.
fn message(random: &mut Random, last: &mut u64, out: &mut Vec<u8>, meant: &mut Vec<Item>) {
    // The presence map has the template identifier's bit alone.
    out.push(0xC0);
    if random.below(3) == 0 {
        let text = vector(random);
        out.push(0x82);
        integer(text.len() as u64, out);
        out.extend(&text);
        meant.extend([Item::Message(2), Item::Text(21, text), Item::MessageEnd]);
        return;
    }
    let (first, second) = (vector(random), vector(random));
    out.push(0x81);
    integer(first.len() as u64, out);
    out.extend(&first);
    let characters = 1 + random.below(20);
    let text: Vec<u8> = (0..characters)
        .map(|_| b'A' + random.below(26) as u8)
        .collect();
    out.extend(&text);
    *out.last_mut().unwrap() |= 0x80;
    let second = (random.below(4) != 0).then_some(second);
    match &second {
        // NULL; else lengths are one higher, as of every optional integer.
        None => out.push(0x80),
        Some(bytes) => {
            integer(bytes.len() as u64 + 1, out);
            out.extend(bytes);
        }
    }
    let delta = random.below(64);
    *last += delta;
    out.push(delta as u8 | 0x80);
    let second = second.map_or(Item::Absent(13), |bytes| Item::Text(13, bytes));
    meant.extend([
        Item::Message(1),
        Item::Text(11, first),
        Item::Text(12, text),
        second,
        Item::Unsigned(14, *last),
        Item::MessageEnd,
    ]);
}

#[test]
fn byte_vectors_leave_as_they_were_encoded_and_what_comes_after_them_too() {
    let templates = Templates::parse(XML).unwrap();
    let program = assemble(&templates, &Wanted::All, Room::default());
    assert_eq!(program.refused, []);
    for width in all_widths() {
        let settings = Settings::default();
        let mut both = Lockstep::new(width, &templates, &program, &Wanted::All, settings);
        let (mut random, mut last) = (Random(7), 0);
        for _ in 0..600 {
            let (mut packet, mut meant, before) = (vec![], vec![], last);
            for _ in 0..1 + random.below(4) {
                message(&mut random, &mut last, &mut packet, &mut meant);
            }
            let wire = random.wire();
            let items = both.items(&packet, wire);
            let items = items.unwrap_or_else(|difference| panic!("{packet:02x?}: {difference}"));
            if wire.err {
                // A bad frame changes nothing.
                last = before;
            } else {
                assert_eq!(items, meant, "{packet:02x?}");
            }
        }
        assert!(both.statistics.good > 400, "{:?}", both.statistics);
    }
}

#[test]
fn a_packet_that_ends_anywhere_in_a_byte_vector_is_refused_as_in_software() {
    let templates = Templates::parse(XML).unwrap();
    let program = assemble(&templates, &Wanted::All, Room::default());
    for width in all_widths() {
        let settings = Settings::default();
        let mut both = Lockstep::new(width, &templates, &program, &Wanted::All, settings);
        let (mut random, mut last) = (Random(11), 0);
        let mut refused = 0;
        for _ in 0..12 {
            let (mut packet, mut meant) = (vec![], vec![]);
            message(&mut random, &mut last, &mut packet, &mut meant);
            for end in 1..packet.len() {
                let before = both.statistics.bad;
                let compared = both.packet(&packet[..end], random.wire());
                compared
                    .unwrap_or_else(|difference| panic!("{:02x?}: {difference}", &packet[..end]));
                refused += both.statistics.bad - before;
            }
        }
        assert!(refused > 200, "{refused}");
    }
}
