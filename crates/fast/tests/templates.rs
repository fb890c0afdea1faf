//! Template files: what is resolved at compile time, and what is wrong with bad ones.

use std::time::{Duration, Instant};

use fast::template::{Fault, eligible};
use fast::{Kind, Templates, template::Reason};

fn file(body: &str) -> String {
    format!(r#"<templates xmlns="http://www.fixprotocol.org/ns/fast/td/1.1">{body}</templates>"#)
}

fn one(fields: &str) -> String {
    file(&format!(r#"<template name="T" id="1">{fields}</template>"#))
}

#[test]
fn every_static_error_has_its_code() {
    for (xml, code) in [
        ("<templates".into(), Some("S1")),
        ("<a/>".into(), Some("S1")),
        ("<templates/>".into(), Some("S1")),
        (file(""), Some("S1")),
        (file("<x:template xmlns:x='urn:x' name='T'/>"), Some("S1")),
        (one("<float name='a'/>"), Some("S1")),
        (one("<uInt32/>"), Some("S1")),
        (one("<uInt32 name='a' presence='perhaps'/>"), Some("S1")),
        (one("<string name='a' charset='latin1'/>"), Some("S1")),
        (one("<uInt32 name='a'><copy/><delta/></uInt32>"), Some("S1")),
        (file("<template name='T'/><template name='T'/>"), Some("S1")),
        (one("<string name='a'><increment/></string>"), Some("S2")),
        (one("<decimal name='a'><tail/></decimal>"), Some("S2")),
        (one("<uInt32 name='a'><tail/></uInt32>"), Some("S2")),
        (
            one("<uInt32 name='a'><copy value='-1'/></uInt32>"),
            Some("S3"),
        ),
        (one("<int8 name='a'><copy value='128'/></int8>"), Some("S3")),
        (
            one("<decimal name='a'><copy value='1e5'/></decimal>"),
            Some("S3"),
        ),
        (
            one("<string name='a'><copy value='\u{e9}'/></string>"),
            Some("S3"),
        ),
        (
            one("<byteVector name='a'><copy value='abc'/></byteVector>"),
            Some("S3"),
        ),
        (one("<uInt32 name='a'><constant/></uInt32>"), Some("S4")),
        (one("<uInt32 name='a'><default/></uInt32>"), Some("S5")),
        (one("<templateRef name='U'/>"), Some("D8")),
        (
            file("<template name='A' id='1'/><template name='B' id='1'/>"),
            None,
        ),
    ] {
        let error = Templates::parse(&xml).expect_err(&xml);
        assert_eq!(error.code(), code, "{xml}: {error}");
    }
}

#[test]
fn an_error_says_where_and_what_to_do() {
    let xml = one("\n  <uInt32 name='Price'>\n    <default/>\n  </uInt32>");
    let error = Templates::parse(&xml).unwrap_err();
    assert_eq!((error.place.line, error.place.column), (2, 3));
    let text = error.to_string();
    assert!(
        text.starts_with(r#"line 2, column 3: <uInt32 name="Price">: [S5]"#),
        "{text}"
    );
    assert!(text.contains("make the field optional"), "{text}");
}

#[test]
fn circles_entities_and_files_without_bound_are_refused_at_once() {
    let begun = Instant::now();
    let circle = file(
        "<template name='A'><templateRef name='B'/></template><template name='B'><templateRef name='A'/></template>",
    );
    let error = Templates::parse(&circle).unwrap_err();
    assert!(
        matches!(&error.fault, Fault::Cycle(names) if names == "A → B → A"),
        "{error}"
    );
    let entities = format!("<!DOCTYPE t [<!ENTITY a 'b'>]>{}", file(""));
    assert_eq!(
        Templates::parse(&entities).unwrap_err().fault,
        Fault::DocumentType
    );
    let large = " ".repeat(100_000_000);
    assert!(matches!(
        Templates::parse(&large).unwrap_err().fault,
        Fault::TooLarge(100_000_000)
    ));
    let deep = one(&("<group name='g'>".repeat(1_000) + &"</group>".repeat(1_000)));
    assert_eq!(Templates::parse(&deep).unwrap_err().fault, Fault::TooDeep);
    // Each template refers ten times to the next: ten to the power of thirty.
    let mut doubling = String::new();
    for number in 0..30 {
        let reference = format!("<templateRef name='T{}'/>", number + 1);
        doubling += &format!(
            "<template name='T{number}'>{}</template>",
            reference.repeat(10)
        );
    }
    doubling += "<template name='T30'/>";
    assert_eq!(
        Templates::parse(&file(&doubling)).unwrap_err().fault,
        Fault::TooMany
    );
    assert!(begun.elapsed() < Duration::from_secs(20));
}

/// The slots of a template's instructions.
fn slots(templates: &Templates, template: usize) -> Vec<Option<u16>> {
    let instructions = &templates.all()[template].instructions;
    instructions
        .iter()
        .map(|each| each.slot.map(|slot| slot.0))
        .collect()
}

/// Section 6.3.1.
#[test]
fn dictionary_scopes_share_entries_as_the_specification_says() {
    let fields = "<uInt32 name='a'><copy/></uInt32><uInt32 name='b'><copy key='a'/></uInt32>\
         <uInt32 name='c'><copy key='a' dictionary='template'/></uInt32>\
         <uInt32 name='d'><copy key='a' dictionary='type'/></uInt32>\
         <uInt32 name='e'><copy key='a' dictionary='own'/></uInt32>\
         <uInt32 name='a' ns='other'><copy/></uInt32>";
    let template = |name: &str, of: &str| {
        format!("<template name='{name}'><typeRef name='{of}'/>{fields}</template>")
    };
    let xml = file(&[template("A", "X"), template("B", "X"), template("C", "Y")].concat());
    let templates = Templates::parse(&xml).unwrap();
    let (a, b, c) = (
        slots(&templates, 0),
        slots(&templates, 1),
        slots(&templates, 2),
    );
    assert_eq!(a[0], a[1], "a key");
    assert_eq!(
        (a[0], a[4], a[5]),
        (b[0], b[4], b[5]),
        "global, and by name"
    );
    assert_eq!((a[0], a[4]), (c[0], c[4]), "whatever the type");
    assert_ne!(a[2], b[2], "one a template");
    assert_eq!(a[3], b[3], "one a type");
    assert_ne!(a[3], c[3], "another type");
    let mut distinct = a[1..].to_vec();
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), 5, "and all others are apart: {a:?}");
}

/// Section 10.5.1 and appendix 3.3.1.
#[test]
fn presence_map_bits_are_those_of_the_table() {
    let operators = [
        "",
        "<constant value='1'/>",
        "<copy/>",
        "<default value='1'/>",
        "<delta/>",
        "<increment/>",
    ];
    let bits = |presence: &str| -> Vec<bool> {
        let of = |operator: &&str| {
            one(&format!(
                "<uInt32 name='a' presence='{presence}'>{operator}</uInt32>"
            ))
        };
        let parsed = operators
            .iter()
            .map(|operator| Templates::parse(&of(operator)).unwrap());
        parsed
            .map(|templates| templates.all()[0].instructions[0].map_bit == Some(1))
            .collect()
    };
    assert_eq!(bits("mandatory"), [false, false, true, true, false, true]);
    assert_eq!(bits("optional"), [false, true, true, true, false, true]);
}

#[test]
fn groups_and_entries_have_a_map_of_their_own_only_where_a_field_needs_a_bit() {
    let xml = one(
        "<group name='g' presence='optional'><uInt32 name='a'><copy/></uInt32></group>\
         <sequence name='s'><length name='n'><copy/></length><uInt32 name='b'/></sequence>",
    );
    let templates = Templates::parse(&xml).unwrap();
    let found: Vec<_> = templates.all()[0]
        .instructions
        .iter()
        .map(|each| (each.kind, each.map_bit, each.own_map))
        .collect();
    assert_eq!(
        found,
        [
            (Kind::GroupStart, Some(1), true),
            (Kind::Unsigned(fast::Width::W32), Some(0), false),
            (Kind::GroupEnd, None, false),
            (Kind::Length, Some(2), false),
            (Kind::SequenceStart, None, false),
            (Kind::Unsigned(fast::Width::W32), None, false),
            (Kind::SequenceEnd, None, false),
        ]
    );
}

#[test]
fn foreign_elements_are_passed_over_and_unknown_attributes_are_warned_of() {
    let xml = one(
        "<x:note xmlns:x='urn:x'><anything/></x:note><uInt32 name='a' skip='true'><x:y xmlns:x='urn:x'/><copy/></uInt32>",
    );
    let templates = Templates::parse(&xml).unwrap();
    assert_eq!(templates.all()[0].instructions.len(), 1);
    assert_eq!(templates.warnings().len(), 1);
    assert!(templates.warnings()[0].to_string().contains("skip"));
}

#[test]
fn a_template_that_the_wire_rate_engine_cannot_take_says_why() {
    let reasons =
        |fields: &str| eligible(&Templates::parse(&one(fields)).unwrap().all()[0]).unwrap_err();
    assert_eq!(reasons("<uInt32 name='a'/>"), [Reason::NoSequence]);
    let sequence = |body: &str, after: &str| format!("<sequence name='s'>{body}</sequence>{after}");
    assert_eq!(
        reasons(&sequence("<byteVector name='b'/>", "")),
        [Reason::RawBytes("b".into())]
    );
    assert_eq!(
        reasons(&sequence("", "<uInt32 name='z'/>")),
        [Reason::AfterSequence("z".into())]
    );
    let many: String = (0..40)
        .map(|number| format!("<uInt32 name='f{number}'/>"))
        .collect();
    assert_eq!(reasons(&sequence(&many, "")), [Reason::Tokens(40)]);
    let many: String = (0..15)
        .map(|number| format!("<uInt32 name='f{number}'><copy/></uInt32>"))
        .collect();
    assert_eq!(reasons(&sequence(&many, "")), [Reason::MapBits(15)]);
    let good = Templates::parse(&one(&sequence("<uInt32 name='a'/>", ""))).unwrap();
    assert_eq!(eligible(&good.all()[0]), Ok(()));
}

/// Section 9 and appendix 1 name one namespace; published files have drafts' and none, and mix them (CME's of 2007: a root in none, templates in td/1.1).
#[test]
fn root_templates_and_fields_may_each_be_in_any_namespace_of_the_definition() {
    let namespaces = [
        "",
        "http://www.fixprotocol.org/ns/fast/td/1.1",
        "http://www.fixprotocol.org/ns/fast/td/1.0",
        "http://www.fixprotocol.org/ns/template-definition",
    ];
    let plain = Templates::parse(&one("<uInt32 name='a' id='7'><copy/></uInt32>")).unwrap();
    for root in namespaces {
        for template in namespaces {
            for field in namespaces {
                for operator in namespaces {
                    let xml = format!(
                        "<templates xmlns='{root}'><template name='T' id='1' xmlns='{template}'>\
                         <uInt32 name='a' id='7' xmlns='{field}'><copy xmlns='{operator}'/></uInt32></template></templates>"
                    );
                    let templates =
                        Templates::parse(&xml).unwrap_or_else(|error| panic!("{xml}: {error}"));
                    let mixed = &templates.by_id(1).unwrap().1.instructions;
                    let [mixed] = mixed.as_slice() else {
                        panic!("{xml}: {mixed:?}");
                    };
                    let plain = &plain.all()[0].instructions[0];
                    assert_eq!(
                        (mixed.kind, mixed.operator, mixed.tag, &mixed.name),
                        (plain.kind, plain.operator, plain.tag, &plain.name),
                        "{xml}"
                    );
                }
            }
        }
    }
    // What is of another namespace stays foreign, and so does what the definition does not have in a file that is in its namespace.
    let foreign = one(
        "<scp:x xmlns:scp='http://www.fixprotocol.org/ns/fast/scp/1.1'/><note xmlns=''/><copy xmlns='urn:x'/><uInt32 name='a'/>",
    );
    assert_eq!(
        Templates::parse(&foreign).unwrap().all()[0]
            .instructions
            .len(),
        1
    );
}

#[test]
fn a_file_whose_templates_are_all_foreign_says_where_they_are() {
    let error =
        Templates::parse("<templates><template name='T' xmlns='urn:x'/></templates>").unwrap_err();
    assert!(
        error
            .to_string()
            .contains("no template in this file: its elements are in the namespace \"urn:x\""),
        "{error}"
    );
}
