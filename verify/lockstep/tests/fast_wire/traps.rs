//! Packets that are not done, and why.

use super::*;

/// One packet, alone: why it is not done, if it is not, which a short engine finds too.
fn trap(templates: &Templates, id: u32, wanted: &Wanted, bytes: &[u8]) -> Option<Trap> {
    let [one, short] =
        [Shape::One, Shape::Short].map(|shape| trap_of(shape, templates, id, wanted, bytes));
    assert_eq!(one, short);
    one
}

fn trap_of(
    shape: Shape,
    templates: &Templates,
    id: u32,
    wanted: &Wanted,
    bytes: &[u8],
) -> Option<Trap> {
    let tables = tables(templates, id, wanted, RESET);
    let mut both = Lockstep::of_one(shape, templates, id, wanted, &tables, RESET);
    for skip in 0..8 {
        let arrival = Arrival {
            skip,
            ..Arrival::default()
        };
        both.packet(bytes, arrival)
            .expect("nothing wrong is given as good");
        both.rest(1).expect("nothing wrong is given as good");
    }
    both.statistics.trapped.keys().next().copied()
}

#[test]
fn what_it_does_not_do_has_a_reason() {
    let templates = desk_templates();
    let wanted = order_log_wanted();
    let log = order_log(&templates, 40);
    let of = |bytes: &[u8]| trap(&templates, 3610, &wanted, bytes);
    let packet = &log[20];
    assert_eq!(of(packet), None);
    // Cut short anywhere.
    for end in 0..packet.len() {
        assert!(of(&packet[..end]).is_some(), "{end}");
    }
    // A heartbeat; something after the message.
    assert_eq!(of(&[0xc0, 0x10, 0xbc, 0x81, 0x81]), Some(Trap::Template));
    assert!(of(&[packet.as_slice(), &[0x80]].concat()).is_some());
    // One entry more or less than there are.
    let length = 3
        + packet[3..]
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte & 0x80 != 0)
            .map(|(at, _)| at)
            .nth(1)
            .unwrap()
        + 1;
    for wrong in [packet[length] - 1, packet[length] + 1] {
        let mut bytes = packet.clone();
        bytes[length] = wrong;
        assert!(of(&bytes).is_some());
    }

    // Templates of one's own: the header is presence map, identifier, length.
    let one = |fields: &str| {
        let xml = format!(
            "<templates xmlns='http://www.fixprotocol.org/ns/fast/td/1.1'><template name='t' id='5'><sequence name='s'>\
             <length name='n' id='1002'/>{fields}</sequence></template></templates>"
        );
        Templates::parse(&xml).expect("well-formed")
    };
    let number = |id: usize| format!("<uInt32 name='f{id}' id='{id}'/>");
    let optional = |id: usize| format!("<decimal name='d{id}' id='{id}' presence='optional'/>");
    let first = Wanted {
        header: vec![],
        fields: vec![1],
    };
    // Entries of a byte: two begin in a beat.
    let short = one(&number(1));
    assert_eq!(
        trap(&short, 5, &first, &[0xc0, 0x85, 0x83, 0x81, 0x82, 0x83]),
        Some(Trap::Starts)
    );
    // Eight null exponents in a row.
    let numbers: String = (1..9).map(number).collect();
    let nulls = one(&(numbers + &(9..17).map(optional).collect::<String>()));
    let entry = [
        0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
        0x80,
    ];
    assert_eq!(
        trap(
            &nulls,
            5,
            &first,
            &[&[0xc0, 0x85, 0x81], entry.as_slice()].concat()
        ),
        Some(Trap::Nulls)
    );
    // A null exponent near the entry's beginning.
    let late = one(&(number(1) + &optional(2) + &(3..12).map(number).collect::<String>()));
    let entry = [
        0x81, 0x80, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x8b,
    ];
    assert_eq!(
        trap(
            &late,
            5,
            &first,
            &[&[0xc0, 0x85, 0x81], entry.as_slice()].concat()
        ),
        Some(Trap::Late)
    );
    let entry = [
        0x81, 0x82, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x8b,
    ];
    assert_eq!(
        trap(
            &late,
            5,
            &first,
            &[&[0xc0, 0x85, 0x81], entry.as_slice()].concat()
        ),
        None
    );
    // A value outside its type, and an overlong one.
    let plain = one(&(1..10).map(number).collect::<String>());
    let rest = [0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89];
    for value in [
        [0x7f, 0x7f, 0x7f, 0x7f, 0xff].as_slice(),
        &[0x00, 0x81],
        &[1, 1, 1, 1, 1, 1, 0x81],
    ] {
        let bytes = [&[0xc0, 0x85, 0x81], value, &rest].concat();
        assert_eq!(trap(&plain, 5, &first, &bytes), Some(Trap::Value));
    }
    // A presence map with a bit that nothing takes, an overlong one, and one of three bytes.
    let mapped = one(
        &("<uInt32 name='f1' id='1'><copy value='1'/></uInt32>".to_owned()
            + &(2..11).map(number).collect::<String>()),
    );
    let rest = [0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89];
    assert_eq!(
        trap(
            &mapped,
            5,
            &first,
            &[&[0xc0, 0x85, 0x81, 0x80], rest.as_slice()].concat()
        ),
        None
    );
    for map in [[0xa0].as_slice(), &[0x00, 0x80], &[0x00, 0x00, 0x81]] {
        let bytes = [&[0xc0, 0x85, 0x81], map, &rest].concat();
        assert_eq!(trap(&mapped, 5, &first, &bytes), Some(Trap::Map));
    }
}
