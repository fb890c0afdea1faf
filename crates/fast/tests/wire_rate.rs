//! The tables of the wire-rate engine against entries that are counted token by token.

use fast::wire_rate::{Refusal, Room, Tables, Wanted, compile, map_mask};
use fast::{Kind, Operator, Template, Templates};
use proptest::prelude::*;

/// A field of an entry, as XML.
fn field(kind: u8, number: usize) -> String {
    let name = format!("f{number}");
    let id = number + 1;
    match kind % 14 {
        0 => format!("<uInt32 name='{name}' id='{id}'/>"),
        1 => format!("<uInt32 name='{name}' id='{id}' presence='optional'/>"),
        2 => format!("<uInt32 name='{name}' id='{id}' presence='optional'><copy/></uInt32>"),
        3 => format!("<uInt32 name='{name}' id='{id}'><increment value='3'/></uInt32>"),
        4 => format!("<int64 name='{name}' id='{id}'><delta/></int64>"),
        5 => format!("<decimal name='{name}' id='{id}'/>"),
        6 => format!("<decimal name='{name}' id='{id}' presence='optional'/>"),
        7 => format!("<decimal name='{name}' id='{id}' presence='optional'><copy/></decimal>"),
        8 => format!("<string name='{name}' id='{id}'/>"),
        9 => format!("<string name='{name}' id='{id}' presence='optional'><default/></string>"),
        10 => format!("<uInt32 name='{name}' id='{id}'><constant value='7'/></uInt32>"),
        11 => format!(
            "<uInt32 name='{name}' id='{id}' presence='optional'><constant value='7'/></uInt32>"
        ),
        // A null exponent needs these after it.
        12 => format!("<decimal name='{name}' id='{id}' presence='optional'/>"),
        _ => format!("<string name='{name}' id='{id}' presence='optional'/>"),
    }
}

fn templates(fields: &str) -> Templates {
    let xml = format!(
        "<templates xmlns='http://www.fixprotocol.org/ns/fast/td/1.1'><template name='t' id='200'>\
         <uInt32 name='a' id='1000'/><uInt64 name='b' id='1001'><delta/></uInt64>\
         <sequence name='s'><length name='n' id='1002'/>{fields}</sequence></template></templates>"
    );
    Templates::parse(&xml).unwrap_or_else(|error| panic!("{error}: {xml}"))
}

fn made(templates: &Templates, fields: Vec<u32>) -> Result<Tables, Vec<Refusal>> {
    made_with(templates, fields, 20)
}

fn made_with(
    templates: &Templates,
    fields: Vec<u32>,
    watches: usize,
) -> Result<Tables, Vec<Refusal>> {
    let wanted = Wanted {
        header: vec![1000, 1001],
        fields,
    };
    let room = Room {
        numbers: 20,
        longs: 20,
        texts: 20,
        headers: 2,
        watches,
    };
    compile(templates, 200, &wanted, &room, true)
}

/// The tokens of an entry, one by one: which field each is of, and whether it is a null exponent.
fn tokens(template: &Template, map: u16, nulls: u64) -> Vec<(usize, bool)> {
    let inside = template
        .instructions
        .iter()
        .skip_while(|each| each.kind != Kind::SequenceStart);
    let mut tokens = vec![];
    for (index, instruction) in inside.skip(1).enumerate() {
        let there = instruction
            .map_bit
            .is_none_or(|bit| map & map_mask(bit) != 0);
        if instruction.operator == Operator::Constant || !there || !instruction.kind.is_field() {
            continue;
        }
        let is_decimal = instruction.kind == Kind::Decimal;
        let null = is_decimal && instruction.nullable && nulls >> index & 1 != 0;
        tokens.push((index, null));
        if is_decimal && !null {
            tokens.push((index, false));
        }
    }
    tokens
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]
    #[test]
    fn tokens_positions_and_null_exponents_are_those_of_the_entry(
        kinds in prop::collection::vec(any::<u8>(), 1..18),
        tail in prop::collection::vec(12_u8..14, 0..10),
        map in 0_u16..1 << 14,
        nulls in any::<u64>(),
        room_to_watch in 0_usize..12,
    ) {
        let all: Vec<u8> = kinds.iter().chain(&tail).copied().collect();
        let xml: String = all.iter().enumerate().map(|(number, kind)| field(*kind, number)).collect();
        let templates = templates(&xml);
        let template = &templates.all()[0];
        let tags = template.instructions.iter().filter(|each| each.tag < 1000 && each.operator != Operator::Constant && each.kind.is_field());
        let tags: Vec<u32> = tags.map(|each| each.tag).collect();
        let tables = match made_with(&templates, tags.clone(), room_to_watch) {
            Ok(tables) => tables,
            Err(refusals) => {
                let too_long = refusals.iter().all(|refusal| matches!(refusal, Refusal::Template(_) | Refusal::NoTokens | Refusal::Watches(..)));
                prop_assert!(too_long, "{refusals:?}");
                return Ok(());
            }
        };
        let word = &tables.template;
        let map = map & word.known;
        let watched: Vec<u16> = tables.watches.iter().flatten().map(|place| place.before.count(map) as u16).collect();
        let whole = tokens(template, map, 0);
        prop_assert_eq!(word.tokens.count(map) as usize + usize::from(word.no_map), whole.len());
        for (tag, place) in tags.iter().zip(&tables.places) {
            let word = tables.fields[*place].unwrap().0;
            let first = whole.iter().position(|(index, _)| *index + 1 == *tag as usize);
            let there = word.place.always || map & word.place.bit != 0;
            prop_assert_eq!(first, there.then(|| word.place.before.count(map) as usize));
        }
        // The walk from r to r, a token at a time.
        let exponents = word.exponents_with(map);
        let mut left = whole.len();
        for (at, (index, null)) in tokens(template, map, nulls).into_iter().enumerate() {
            let position = whole.len() - left;
            prop_assert_eq!(whole[position].0, index);
            let met = left < 32 && null && exponents >> left & 1 != 0;
            let watched = watched.contains(&(position as u16));
            // The engine finds that out.
            if null && !met && watched {
                return Ok(());
            }
            prop_assert_eq!(met, null);
            // One so near the entry's start that it could be in the beat that the entry begins in is watched.
            let near = if word.no_map { 8 } else { 7 };
            prop_assert!(!null || watched || at >= near);
            left -= if met { 2 } else { 1 };
        }
        prop_assert_eq!(left, 0);
        // What is no null exponent is never taken for one: only exponents of optional decimals are at such an r.
        for (position, (index, _)) in whole.iter().enumerate() {
            let left = whole.len() - position;
            if left < 32 && exponents >> left & 1 != 0 && !word.guessed {
                let start = template.instructions.iter().position(|each| each.kind == Kind::SequenceStart).unwrap();
                prop_assert_eq!(template.instructions[start + 1 + index].kind, Kind::Decimal);
                prop_assert!(position == 0 || whole[position - 1].0 != *index);
            }
        }
    }
}

#[test]
fn the_header_is_counted_with_every_bit_set() {
    let templates = templates(&field(0, 0));
    let tables = made(&templates, vec![1]).unwrap();
    let word = tables.template;
    // Presence map, identifier, a, b, length.
    assert_eq!((word.header, word.length_at, word.header_map), (5, 4, 0x40));
    assert_eq!((word.id, word.id_bytes, word.reset_id), (200, 2, 0));
    assert_eq!(
        tables
            .headers
            .iter()
            .flatten()
            .map(|each| (each.at, each.signed))
            .collect::<Vec<_>>(),
        [(2, false), (3, true)]
    );
}

#[test]
fn what_cannot_be_taken_says_why() {
    let refused = |fields: &str, wanted: Vec<u32>| made(&templates(fields), wanted).unwrap_err();
    assert_eq!(refused(&field(0, 0), vec![99]), [Refusal::NoField(99)]);
    assert_eq!(
        refused(&field(10, 0), vec![1]),
        [Refusal::NoTokens, Refusal::Kind("f0".into())]
    );
    let shared = "<uInt32 name='x' id='1'><copy key='k'/></uInt32><uInt32 name='y' id='2'><copy key='k'/></uInt32>";
    assert_eq!(refused(shared, vec![1]), [Refusal::Shared("x".into())]);
    let long = "<string name='x' id='1'><default value='0123456789abc'/></string>";
    assert_eq!(refused(long, vec![1]), [Refusal::Initial("x".into())]);
    let copies = templates(&field(2, 0));
    let wanted = Wanted {
        header: vec![],
        fields: vec![1],
    };
    assert_eq!(
        compile(&copies, 7, &wanted, &Room::default(), true),
        Err(vec![Refusal::NoTemplate(7)])
    );
}

#[test]
fn dictionary_entries_outlive_a_packet_where_no_other_template_has_them() {
    let of = |templates: &Templates, header: &[u32], resets| {
        let wanted = Wanted {
            header: header.to_vec(),
            fields: vec![1],
        };
        compile(templates, 200, &wanted, &Room::default(), resets)
            .map(|tables| (tables.template.outlives, tables.template.needs_reset))
    };
    let copies = templates(&field(2, 0));
    assert_eq!(of(&copies, &[1000], false), Ok((true, false)));
    assert_eq!(of(&copies, &[1000], true), Ok((false, false)));
    assert_eq!(of(&templates(&field(0, 0)), &[], false), Ok((false, false)));
    // The engine has no dictionary entries of the header's fields.
    let remembers = |name: &str| Err(vec![Refusal::Remembers(name.into())]);
    assert_eq!(of(&copies, &[1001], false), remembers("b"));
    // Another template changes the entry too: a packet needs a Reset.
    let with = |more: &str| {
        let xml = format!(
            "<templates xmlns='http://www.fixprotocol.org/ns/fast/td/1.1'><template name='t' id='200'>\
             <sequence name='s'><length name='n' id='1002'/>{}</sequence></template>\
             <template name='u' id='201'><uInt32 name='f0' id='9'><copy/></uInt32></template>{more}</templates>",
            field(2, 0)
        );
        Templates::parse(&xml).unwrap_or_else(|error| panic!("{error}: {xml}"))
    };
    assert_eq!(of(&with(""), &[], false), remembers("f0"));
    let reset = "<template name='Reset' id='120' xmlns:scp='http://www.fixprotocol.org/ns/fast/scp/1.1' scp:reset='yes'/>";
    assert_eq!(of(&with(reset), &[], false), Ok((false, true)));
}

#[test]
fn one_late_bit_moves_the_exponents_before_it_by_one() {
    let numbers: String = (0..7).map(|number| field(0, number)).collect();
    let late = |after: &str| numbers.clone() + &field(6, 7) + &field(2, 8) + after;
    let of = |fields: &str| {
        let templates = templates(fields);
        let listing = templates.listing();
        let tables = made_with(&templates, vec![], 2).unwrap();
        let watches = tables.watches.iter().flatten().count();
        (tables.template, watches, listing)
    };
    // Left at the exponents: f9's, a string after it, 3; f7's 5, and with f8 6.
    let (word, watches, listing) = of(&late(&(field(6, 9) + &field(8, 10))));
    assert_eq!((word.late, word.late_row), (map_mask(0), 4));
    assert_eq!(word.exponents_with(0), 1 << 3 | 1 << 5);
    assert_eq!(word.exponents_with(map_mask(0)), 1 << 3 | 1 << 6);
    assert_eq!((word.guessed, watches), (false, 0));
    assert!(
        listing.contains("engine: wire-rate; f8 moves the exponents before it by one\n"),
        "{listing}"
    );
    // A second such field: guessed, and both exponents are watched.
    let (word, watches, _) = of(&late(&(field(2, 9) + &field(6, 10))));
    assert_eq!((word.late, word.guessed, watches), (0, true, 2));
    // A field that moves them by two.
    let (word, watches, _) = of(&(numbers.clone() + &field(6, 7) + &field(7, 8)));
    assert_eq!((word.late, word.guessed, watches), (0, true, 2));
    // A bit of a field before them is known by then, and so is one of a constant, which has no token.
    let (word, watches, _) = of(&(field(2, 11) + &numbers + &field(6, 7) + &field(11, 8)));
    assert_eq!((word.late, word.guessed, watches), (0, false, 0));
    assert_eq!(word.exponents, 1 << 2);
}

#[test]
fn where_later_bits_decide_the_walk_looks_for_a_null_exponent_wherever_it_may_stand() {
    let copied = |kind: &str, number: usize| {
        format!("<{kind} name='f{number}' id='{number}' presence='optional'><copy/></{kind}>")
    };
    let numbers: String = (0..7).map(|number| field(0, number)).collect();
    let end = |fields: &[(&str, usize)]| {
        let fields: String = fields
            .iter()
            .map(|(kind, number)| copied(kind, *number))
            .collect();
        let templates = templates(&(numbers.clone() + &fields));
        made_with(&templates, vec![], 2).unwrap().template
    };
    // The end of an entry of X-OLR-CURR. After its exponent a size has its mantissa and up to three strings, a price that and two tokens of the size, so they
    // stand with 2 to 5 and 4 to 7 tokens left.
    let (decimal, string) = ("decimal", "string");
    let word = end(&[
        (decimal, 7),
        (decimal, 8),
        (string, 9),
        (string, 10),
        (string, 11),
    ]);
    assert!(word.guessed);
    assert_eq!(word.exponents, 0b1111_1100);
    // Without the strings.
    let word = end(&[(decimal, 7), (decimal, 8)]);
    assert_eq!((word.guessed, word.exponents), (true, 0b1_0100));
}
