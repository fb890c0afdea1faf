//! The assembler of the hardware engine's programs: what it makes of templates, and its text.

use crate::common;
use common::templates;
use fast::Templates;
use fast::microcode::{Fault, Limit, Program, Room, Wanted, assemble};
use fast_reference::random::{Case, Limits};

fn parse(fields: &str) -> Templates {
    let xml = format!(r#"<templates><template name="T" id="7">{fields}</template></templates>"#);
    Templates::parse(&xml).unwrap_or_else(|error| panic!("{error}\n{xml}"))
}

fn program(fields: &str) -> Program {
    assemble(&parse(fields), &Wanted::All, Room::default())
}

/// The lines of a listing without comment and template, their spaces made one.
fn lines(program: &Program) -> Vec<String> {
    let text = program.to_string();
    let lines = text.lines().skip(2);
    lines
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

fn refusal(fields: &str) -> Option<Limit> {
    program(fields)
        .refused
        .into_iter()
        .next()
        .map(|one| one.limit)
}

#[test]
fn four_fields_share_a_group_and_number_its_presence_map_bits() {
    let program = program(
        r#"<uInt32 name="A" id="1"/><uInt32 name="B" id="2" presence="optional"><copy/></uInt32>
           <int64 name="C" id="3"><delta value="-5"/></int64><string name="D" id="4"><default value="a b"/></string>
           <uInt8 name="E" id="5"><increment/></uInt8>"#,
    );
    assert_eq!(
        lines(&program),
        [
            "g0 bits 2",
            "uInt32 1 field none wanted -",
            "uInt32? 2 field bit 0 clear copy slot 0 wanted -",
            "int64 3 field delta slot 1 = -5 wanted -",
            r#"ascii 4 text bit 1 clear default = "a\x20b" wanted -"#,
            "g1 ends message bits 1",
            "uInt8 5 field bit 0 clear increment slot 2 wanted -",
        ]
    );
}

#[test]
fn a_sequence_begins_in_a_group_of_its_own_and_its_length_jumps_past_it() {
    let program = program(
        r#"<sequence name="S"><length name="N" id="9"/><uInt32 name="A" id="1"><copy/></uInt32></sequence><uInt32 name="B" id="2"/>"#,
    );
    assert_eq!(
        lines(&program),
        [
            "g0",
            "uInt32 9 loop none wanted g2",
            "g1 ends entry-map bits 1",
            "map - map none -",
            "uInt32 1 field bit 0 clear copy slot 0 wanted -",
            "g2 ends message",
            "uInt32 2 field none wanted -",
        ]
    );
}

#[test]
fn both_parts_of_a_decimal_are_in_one_group() {
    let program = program(
        r#"<uInt32 name="A" id="1"/><uInt32 name="B" id="2"/><uInt32 name="C" id="3"/><decimal name="D" id="4" presence="optional"><copy/></decimal>"#,
    );
    assert_eq!(
        lines(&program)[4..],
        [
            "g1 ends message bits 1",
            "exponent? 4 exponent bit 0 clear copy slot 0 whole wanted -",
            "mantissa 4 field bit 0 clear copy slot 1 whole wanted -",
        ]
    );
}

#[test]
fn what_nobody_wants_takes_its_tokens_and_no_more() {
    let templates = parse(
        r#"<uInt32 name="A" id="1"><constant value="5"/></uInt32><uInt32 name="B" id="2" presence="optional"><copy/></uInt32>
           <uInt32 name="C" id="3"><copy/></uInt32><uInt32 name="D" id="4"><default value="1"/></uInt32>"#,
    );
    let program = assemble(&templates, &Wanted::Tags(vec![]), Room::default());
    assert_eq!(
        lines(&program),
        [
            "g0 ends message bits 3",
            "uInt32? 2 field bit 0 copy slot 0 -",
            // Without a value before it there is an error.
            "uInt32 3 field bit 1 clear copy slot 1 -",
            "uInt32 4 field bit 2 default = 1 -",
        ]
    );
}

#[test]
fn every_template_of_the_exchanges_files_fits_the_engine() {
    for (file, count) in [
        ("moex-templates/asts-2017-03.xml", 18),
        ("moex-templates/asts-2020-12.xml", 18),
        ("moex-templates/spectra-2020-12.xml", 14),
        ("moex-templates/forts-2017.xml", 13),
        ("micex-2013-08-01/templates.xml", 12),
    ] {
        let Some(templates) = templates(file) else {
            return;
        };
        let program = assemble(&templates, &Wanted::All, Room::default());
        assert_eq!(program.refused, [], "{file}");
        assert_eq!(program.subroutines.len(), count, "{file}");
    }
}

#[test]
fn a_byte_vector_is_its_length_and_its_bytes() {
    let vector = r#"<byteVector name="A" id="95" presence="optional"/>"#;
    assert_eq!(
        lines(&program(vector)),
        [
            "g0 ends message",
            "length? 95 exponent none wanted -",
            "bytes 95 bytes none wanted -",
        ]
    );
}

#[test]
fn a_delta_of_a_string_is_its_subtraction_length_and_its_string() {
    let fields = r#"<string name="A" id="1" presence="optional"><delta/></string><byteVector name="B" id="2"><delta value="616263646566676869"/></byteVector>
        <byteVector name="C" id="3" presence="optional"><delta/></byteVector>"#;
    assert_eq!(
        lines(&program(fields)),
        [
            "g0",
            "subtraction? 1 exponent none wanted -",
            "ascii 1 text delta slot 0 wait wanted -",
            "g1",
            "subtraction 2 exponent none wanted -",
            "length 2 exponent none wanted -",
            r#"bytes 2 bytes delta slot 1 = "abcdefghi" wait wanted -"#,
            "g2 ends message",
            // Its NULL skips two.
            "subtraction? 3 exponent none wait wanted -",
            "length 3 exponent none wanted -",
            "bytes 3 bytes delta slot 2 wait wanted -",
        ]
    );
}

#[test]
fn strings_that_are_put_together_are_waited_for() {
    let fields = r#"<uInt32 name="N" id="9"><copy/></uInt32><string name="A" id="1"><copy/></string>
        <string name="B" id="2" presence="optional"><copy value="nine char"/></string><string name="C" id="3"><tail/></string>
        <byteVector name="D" id="4" presence="optional"><copy/></byteVector><string name="E" id="5" charset="unicode"><default value="nine char"/></string>
        <string name="F" id="6" presence="optional"><constant value="nine char"/></string>"#;
    let program = program(fields);
    assert_eq!(
        lines(&program),
        [
            "g0 bits 4",
            // Entries of strings come first.
            "uInt32 9 field bit 0 clear copy slot 4 wanted -",
            "ascii 1 text bit 1 clear copy slot 0 wait-long wanted -",
            r#"ascii? 2 text bit 2 clear copy slot 1 = "nine\x20char" wait wanted -"#,
            "ascii 3 text bit 3 clear tail slot 2 wait wanted -",
            "g1 bits 2",
            "bytes-length? 4 exponent bit 0 copy slot 3 wanted -",
            "bytes? 4 bytes bit 0 clear copy slot 3 wait wanted -",
            "length 5 exponent bit 1 none wanted -",
            r#"unicode 5 bytes bit 1 clear default = "nine\x20char" wait wanted -"#,
            "g2 ends message bits 1",
            r#"ascii? 6 literal bit 0 clear constant = "nine\x20char" wait wanted -"#,
        ]
    );
    let (nine, r) = (u64::from_be_bytes(*b"nine cha"), u64::from(b'r'));
    assert_eq!(program.texts, [nine, r, nine, r, nine, r]);
    let loads = program.loads();
    let texts: Vec<_> = loads.iter().filter(|load| load.what == 7).collect();
    assert_eq!(texts.len(), 6);
    assert_eq!(
        (texts[1].index, texts[1].data),
        (1, [u32::from(b'r'), 0, 0, 0, 0])
    );
}

#[test]
fn a_dynamic_template_reference_comes_after_a_group_and_takes_bytes() {
    let program = program(
        r#"<uInt32 name="A" id="1"/><sequence name="S"><length name="N" id="9"/><templateRef/></sequence><templateRef/><templateRef/>"#,
    );
    assert_eq!(program.refused, []);
    assert_eq!(
        lines(&program),
        [
            "g0",
            "uInt32 1 field none wanted -",
            "uInt32 9 loop none wanted g3",
            "g1 ends reference",
            "g2 ends entry",
            "g3 ends reference",
            "g4 ends reference",
            "g5 ends message",
        ]
    );
}

#[test]
fn what_the_engine_has_no_room_for_is_refused_by_name() {
    assert_eq!(refusal(r#"<uInt32 name="A"/>"#), None);
    let tail = |length: usize| {
        let value = "x".repeat(length);
        refusal(&format!(
            r#"<string name="A"><tail value="{value}"/></string>"#
        ))
    };
    assert_eq!(tail(64), None);
    assert_eq!(tail(65), Some(Limit::Initial("A".into(), 65)));
    let many = |count: usize, operator: &str| -> String {
        let one = |n| format!(r#"<string name="F{n}">{operator}</string>"#);
        (0..count).map(one).collect()
    };
    assert_eq!(refusal(&many(32, "<delta/>")), None);
    assert_eq!(refusal(&many(33, "<delta/>")), Some(Limit::Texts));
    // Two pieces each.
    let constant = r#"<constant value="nine char"/>"#;
    assert_eq!(refusal(&many(96, constant)), None);
    assert_eq!(refusal(&many(97, constant)), Some(Limit::TextMemory));
    let of_type = r#"<typeRef name="Order"/><uInt32 name="A"><copy dictionary="type"/></uInt32><templateRef/>"#;
    assert_eq!(refusal(of_type), None);
    let within_type = r#"<group name="G"><typeRef name="Order"/><templateRef/></group><uInt32 name="A"><copy dictionary="type"/></uInt32>"#;
    assert_eq!(
        refusal(within_type),
        Some(Limit::ApplicationType("T".into()))
    );
    assert_eq!(
        refusal(r#"<sequence name="S"><uInt32 name="A"><constant value="1"/></uInt32></sequence>"#),
        Some(Limit::FreeEntries("S".into()))
    );
    let many: String = (0..60)
        .map(|n| format!(r#"<uInt32 name="F{n}"><default value="1"/></uInt32>"#))
        .collect();
    assert_eq!(refusal(&many), Some(Limit::MapBits(61)));
    let many: String = (0..257)
        .map(|n| format!(r#"<uInt32 name="F{n}"><delta/></uInt32>"#))
        .collect();
    assert_eq!(refusal(&many), Some(Limit::Slots));
    let deep = |depth: usize| {
        let start: String = (0..depth)
            .map(|n| format!(r#"<sequence name="S{n}"><uInt32 name="A{n}"/>"#))
            .collect();
        start + &"</sequence>".repeat(depth)
    };
    assert_eq!(refusal(&deep(8)), None);
    assert_eq!(refusal(&deep(9)), Some(Limit::Nesting(9, 8)));
    let small = Room {
        groups: 1,
        ..Room::default()
    };
    let five = r#"<uInt32 name="A"/><uInt32 name="B"/><uInt32 name="C"/><uInt32 name="D"/><uInt32 name="E"/>"#;
    assert_eq!(
        assemble(&parse(five), &Wanted::All, small).refused[0].limit,
        Limit::Groups(1)
    );
}

#[test]
fn identifiers_are_kept_apart_by_their_hash() {
    let template = |id: u32| format!(r#"<template name="T{id}" id="{id}"/>"#);
    // All have the same lowest seven bits.
    let ids: Vec<u32> = (0..32).map(|n| n * 128 + 5).collect();
    let xml = format!(
        "<templates>{}</templates>",
        ids.iter().map(|id| template(*id)).collect::<String>()
    );
    let program = assemble(
        &Templates::parse(&xml).expect("well-formed"),
        &Wanted::All,
        Room::default(),
    );
    assert_eq!(program.refused, []);
    let mut rows: Vec<usize> = ids.iter().map(|id| program.patterns.row(*id)).collect();
    rows.sort_unstable();
    rows.dedup();
    assert_eq!(rows.len(), 32);
    // These differ where the hash does not look.
    let xml = format!(
        "<templates>{}{}</templates>",
        template(5),
        template(5 + (1 << 14))
    );
    let program = assemble(
        &Templates::parse(&xml).expect("well-formed"),
        &Wanted::All,
        Room::default(),
    );
    assert_eq!(program.refused[0].limit, Limit::Identifier(5 + (1 << 14)));
}

/// A program without what its text does not have.
fn bare(mut program: Program) -> Program {
    program.refused.clear();
    for (group, instructions) in &mut program.groups {
        for (walk, execute) in group.walk.iter_mut().zip(instructions) {
            if !execute.operator.has_slot() {
                walk.slot = 0;
            }
        }
    }
    program
}

#[test]
fn a_program_reads_back_from_its_text() {
    let check = |templates: &Templates, wanted: &Wanted| {
        let program = assemble(
            templates,
            wanted,
            Room {
                groups: 512,
                nesting: 8,
            },
        );
        let text = program.to_string();
        let read = Program::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(bare(read.clone()), bare(program), "{text}");
        assert_eq!(read.to_string(), text);
    };
    for file in [
        "micex-2013-08-01/templates.xml",
        "moex-templates/asts-2017-03.xml",
        "moex-templates/spectra-2020-12.xml",
        "fast-spec/templates.xml",
    ] {
        if let Some(templates) = templates(file) {
            check(&templates, &Wanted::All);
            check(&templates, &Wanted::Tags(vec![34, 268, 270, 271]));
        }
    }
    for seed in 0..500 {
        let case = Case::new(seed, &Limits::hardware(40));
        check(
            &Templates::parse(&case.xml).expect("generated"),
            &Wanted::All,
        );
    }
}

#[test]
fn a_wrong_line_is_named() {
    let fault = |text: &str| {
        Program::parse(text)
            .map_err(|error| (error.line, error.fault))
            .expect_err("wrong")
    };
    assert_eq!(fault("uInt32 1 field none -"), (1, Fault::NoGroup));
    assert_eq!(fault("template 1 T\ng1"), (2, Fault::Group(0)));
    assert_eq!(
        fault("template 1 T\ng0\nuInt7 1 field none -"),
        (3, Fault::Word("uInt7".into()))
    );
    assert_eq!(
        fault("template 1 T\ng0\nuInt8 1 leap none -"),
        (3, Fault::Word("leap".into()))
    );
    assert_eq!(
        fault("template 1 T\ng0\nuInt8 1 field none"),
        (3, Fault::Missing("the target, or - for none,"))
    );
    assert_eq!(
        fault("template 1 T\ng0\nuInt8 1 field bit 4 none -"),
        (3, Fault::Number("4".into()))
    );
    assert_eq!(
        fault("template 1 T\ng0\nascii 1 text default = \"ninechars -"),
        (3, Fault::Word("\"ninechars".into()))
    );
    let full = "template 1 T\ng0\n".to_owned() + &"uInt8 1 field none -\n".repeat(5);
    assert_eq!(fault(&full), (7, Fault::Full));
    assert_eq!(
        fault("template 1 T\ng0\ntemplate 1 U\ng1"),
        (4, Fault::Identifier(1))
    );
}
