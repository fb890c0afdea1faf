//! Packets of several messages: the engine decodes them one after the other.

use lockstep::fast_wire::Taken;

use super::*;

/// Cycles that a further message comes later.
const FURTHER: u64 = 17;

/// A template of this identifier: in the header a number that may be a delta, in an entry one with this operator, and nine plain ones.
fn template(id: u32, header: &str, operator: &str) -> String {
    let plain: String = (2..11)
        .map(|id| format!("<uInt32 name='f{id}' id='{id}'/>"))
        .collect();
    format!(
        "<template name='t{id}' id='{id}' dictionary='template'><uInt32 name='h' id='1000'>{header}</uInt32><sequence name='s'>\
         <length name='n' id='1002'/><uInt32 name='f1' id='1'>{operator}</uInt32>{plain}</sequence></template>"
    )
}

fn parse(templates: &str) -> Templates {
    let xml = format!(
        "<templates xmlns='http://www.fixprotocol.org/ns/fast/td/1.1'>{templates}\
         <template name='Reset' id='120' xmlns:scp='http://www.fixprotocol.org/ns/fast/scp/1.1' scp:reset='yes'/></templates>"
    );
    Templates::parse(&xml).expect("well-formed")
}

fn wanted() -> Wanted {
    Wanted {
        header: vec![1000],
        fields: vec![1, 3, 10],
    }
}

/// A message with this many entries, with the value of the field with the operator, or without.
fn message(id: u8, entries: u8, given: bool) -> Vec<u8> {
    let mut bytes = vec![0xc0, 0x80 | id, 0x85, 0x80 | entries];
    for entry in 0..entries {
        bytes.push(if given { 0xc0 } else { 0x80 });
        bytes.extend(given.then_some(0xb0 | entry));
        bytes.extend((0..9).map(|field| 0x80 | (entry + field)));
    }
    bytes
}

const RESET_MESSAGE: [u8; 2] = [0xc0, 0x80 | 120];

/// The packet, alone at every alignment: why it is not done, if it is not, and cycles to the verdict.
fn outcome(
    templates: &Templates,
    ids: &[u32],
    bytes: &[u8],
    err: bool,
) -> (Option<Trap>, Vec<u64>) {
    let of = |shape| outcome_of(shape, templates, ids, bytes, err);
    let all = of(Shape::One);
    if ids.len() == 1 {
        // Each message comes earlier from a short engine, and the verdict with it.
        let short = of(Shape::Short);
        assert_eq!(short.0, all.0);
        for (cycles, short) in all.1.iter().zip(&short.1) {
            let messages = 1 + (cycles - VERDICT) / FURTHER;
            assert_eq!(*short, cycles - messages * SAVED);
        }
    }
    all
}

fn outcome_of(
    shape: Shape,
    templates: &Templates,
    ids: &[u32],
    bytes: &[u8],
    err: bool,
) -> (Option<Trap>, Vec<u64>) {
    let wanted = wanted();
    let taken = ids.iter().map(|&id| Taken {
        id,
        wanted: wanted.clone(),
        tables: tables(templates, id, &wanted, RESET),
    });
    let mut both = if let [id] = ids {
        let tables = tables(templates, *id, &wanted, RESET);
        Lockstep::of_one(shape, templates, *id, &wanted, &tables, RESET)
    } else {
        Lockstep::of_set(templates, taken.collect(), RESET)
    };
    for skip in 0..8 {
        let arrival = Arrival {
            skip,
            err,
            ..Arrival::default()
        };
        both.packet(bytes, arrival)
            .and_then(|()| both.rest(1))
            .unwrap_or_else(|error| panic!("{skip}: {error}"));
    }
    let statistics = &both.statistics;
    let trapped: u64 = statistics.trapped.values().sum();
    assert!(
        trapped == 0 || (trapped == 8 && statistics.trapped.len() == 1),
        "{statistics:?}"
    );
    let cycles = statistics.verdict.keys().copied().collect();
    (statistics.trapped.keys().next().copied(), cycles)
}

#[test]
fn each_message_of_a_packet_costs_as_much() {
    let one = parse(&template(5, "", "<copy/>"));
    let set = parse(&(template(5, "", "<copy/>") + &template(7, "<delta/>", "<increment/>")));
    for count in 1..8 {
        let bytes: Vec<u8> = (0..count).flat_map(|at| message(5, 1 + at, true)).collect();
        let later = u64::from(count - 1) * FURTHER;
        assert_eq!(
            outcome(&one, &[5], &bytes, false),
            (None, vec![VERDICT + later])
        );
        // The templates in turn.
        let reset = |at: u8| {
            if at == 0 {
                vec![]
            } else {
                RESET_MESSAGE.to_vec()
            }
        };
        let both = |at: u8| [reset(at), message(5 + 2 * (at % 2), 1 + at, true)].concat();
        let bytes: Vec<u8> = (0..count).flat_map(both).collect();
        let later = u64::from(count - 1) * (FURTHER + SCOUT);
        assert_eq!(
            outcome(&set, &[5, 7], &bytes, false),
            (None, vec![VERDICT + SCOUT + later])
        );
    }
}

#[test]
fn what_depends_on_the_message_before_is_not_done() {
    for operator in ["<copy/>", "<increment/>", "<copy value='3'/>"] {
        let templates = parse(&template(5, "", operator));
        let of = |first: bool, second: bool, reset: bool| {
            let reset = if reset {
                RESET_MESSAGE.to_vec()
            } else {
                vec![]
            };
            let bytes = [message(5, 2, first), reset, message(5, 2, second)].concat();
            outcome(&templates, &[5], &bytes, false).0
        };
        assert_eq!(of(true, true, false), None, "{operator}");
        assert_eq!(of(true, false, false), Some(Trap::Value), "{operator}");
        if operator.contains('3') {
            // With the initial value.
            assert_eq!(of(false, false, true), None);
        }
    }
    // A delta needs what it is added to.
    for (header, operator, trap) in [
        ("", "<delta/>", Trap::Value),
        ("<delta/>", "<default value='4'/>", Trap::Header),
    ] {
        let templates = parse(&template(5, header, operator));
        let message = if operator == "<delta/>" {
            let mut bytes = message(5, 2, true);
            bytes.retain(|byte| *byte != 0xc0);
            [vec![0xc0], bytes].concat()
        } else {
            message(5, 2, true)
        };
        let of = |between: &[u8]| {
            let bytes = [&message, between, &message].concat();
            outcome(&templates, &[5], &bytes, false).0
        };
        assert_eq!(of(&[]), Some(trap));
        assert_eq!(of(&RESET_MESSAGE), None);
    }
}

#[test]
fn messages_without_entries_and_of_other_templates_among_several() {
    let templates = parse(&(template(5, "", "<copy/>") + &template(7, "", "<copy/>")));
    let of = |messages: &[Vec<u8>], err: bool| outcome(&templates, &[5], &messages.concat(), err).0;
    let (ours, none, other) = (
        message(5, 1, true),
        message(5, 0, true),
        message(7, 1, true),
    );
    assert_eq!(of(&[none.clone(), ours.clone()], false), None);
    assert_eq!(of(&[ours.clone(), none], false), Some(Trap::Length));
    assert_eq!(of(&[ours.clone(), other], false), Some(Trap::Template));
    assert_eq!(of(&[ours.clone(), vec![0x80]], false), Some(Trap::Template));
    assert_eq!(of(&[ours.clone(), ours], true), Some(Trap::Frame));
}
