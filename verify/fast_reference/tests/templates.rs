//! Template XML: what is refused, with which code and where; and all files that exchanges published.

use crate::common;
use std::fmt::Write;
use std::fs;

use common::{data, templates};
use fast_reference::reference::{Decoder, StaticCode};

fn refused(xml: &str) -> StaticCode {
    match Decoder::new(xml) {
        Ok(_) => panic!("accepted: {xml}"),
        Err(error) => error.code,
    }
}

/// What is wrong with a template of this content.
fn content(content: &str) -> StaticCode {
    refused(&templates(&format!(
        r#"<template name="T" id="1">{content}</template>"#
    )))
}

#[test]
fn s1_for_what_the_schema_does_not_allow() {
    for xml in [
        "",
        "<templates>",
        "<a:templates/>",
        r#"<!DOCTYPE x [<!ENTITY a "b">]><templates/>"#,
        r#"<templates xmlns="urn:x"/>"#,
        "<fields/>",
        "<templates><uInt8 name=\"A\"/></templates>",
        "<template id=\"1\"/>",
        "<template name=\"T\" id=\"x\"/>",
        "<template name=\"T\" id=\"4294967296\"/>",
    ] {
        assert_eq!(refused(xml), StaticCode::S1, "{xml}");
    }
    for inner in [
        r#"<uInt8/>"#,
        r#"<uInt7 name="A"/>"#,
        r#"<copy/>"#,
        r#"<length name="A"/>"#,
        r#"<uInt8 name="A" presence="never"/>"#,
        r#"<uInt8 name="A"><copy/><delta/></uInt8>"#,
        r#"<uInt8 name="A"><add/></uInt8>"#,
        r#"<uInt8 name="A"><length name="B"/></uInt8>"#,
        r#"<string name="A" charset="utf-16"/>"#,
        r#"<decimal name="A"><exponent/><copy/></decimal>"#,
        r#"<typeRef/>"#,
    ] {
        assert_eq!(content(inner), StaticCode::S1, "{inner}");
    }
}

#[test]
fn s2_to_s5_for_operators_and_values_that_do_not_fit() {
    for (code, inner) in [
        (StaticCode::S2, r#"<string name="A"><increment/></string>"#),
        (
            StaticCode::S2,
            r#"<decimal name="A"><increment/></decimal>"#,
        ),
        (StaticCode::S2, r#"<uInt8 name="A"><tail/></uInt8>"#),
        (StaticCode::S2, r#"<decimal name="A"><tail/></decimal>"#),
        (
            StaticCode::S2,
            r#"<sequence name="A"><length><tail/></length></sequence>"#,
        ),
        (
            StaticCode::S3,
            r#"<uInt8 name="A"><copy value="256"/></uInt8>"#,
        ),
        (
            StaticCode::S3,
            r#"<uInt8 name="A"><copy value=""/></uInt8>"#,
        ),
        (
            StaticCode::S3,
            r#"<decimal name="A"><constant value="1e5"/></decimal>"#,
        ),
        (
            StaticCode::S3,
            r#"<decimal name="A"><exponent><copy value="0.5"/></exponent></decimal>"#,
        ),
        (
            StaticCode::S3,
            r#"<string name="A"><copy value="é"/></string>"#,
        ),
        (
            StaticCode::S3,
            r#"<byteVector name="A"><copy value="abc"/></byteVector>"#,
        ),
        (StaticCode::S4, r#"<uInt8 name="A"><constant/></uInt8>"#),
        (StaticCode::S5, r#"<uInt8 name="A"><default/></uInt8>"#),
        (
            StaticCode::S5,
            r#"<sequence name="A"><length><default/></length></sequence>"#,
        ),
    ] {
        assert_eq!(content(inner), code, "{inner}");
    }
    // A mantissa is mandatory, whatever its decimal is.
    let mantissa =
        r#"<decimal name="A" presence="optional"><mantissa><default/></mantissa></decimal>"#;
    assert_eq!(content(mantissa), StaticCode::S5);
}

#[test]
fn an_error_has_line_and_column() {
    let xml = "<templates>\n  <template name='T'>\n    <uInt8 name='A'><tail/></uInt8>\n  </template>\n</templates>";
    let error = Decoder::new(xml).unwrap_err();
    assert_eq!(
        (error.code, error.line, error.column),
        (StaticCode::S2, 3, 21)
    );
}

#[test]
fn duplicates_and_cycles_are_refused() {
    let t = |name: &str, id: u32, inner: &str| {
        format!(r#"<template name="{name}" id="{id}">{inner}</template>"#)
    };
    let reference = |name: &str| format!(r#"<templateRef name="{name}"/>"#);
    for (code, parts) in [
        (StaticCode::Duplicate, [t("A", 1, ""), t("A", 2, "")]),
        (StaticCode::Duplicate, [t("A", 1, ""), t("B", 1, "")]),
        (
            StaticCode::Cycle,
            [t("A", 1, &reference("A")), String::new()],
        ),
        (
            StaticCode::Cycle,
            [
                t("A", 1, &reference("B")),
                t(
                    "B",
                    2,
                    &format!(r#"<sequence name="S">{}</sequence>"#, reference("A")),
                ),
            ],
        ),
    ] {
        assert_eq!(refused(&templates(&parts.concat())), code, "{parts:?}");
    }
}

#[test]
fn what_would_take_time_without_bound_is_refused() {
    // Two to the power of 40 instructions in 41 templates.
    let mut doubling = String::from(r#"<template name="T0"><uInt8 name="A"/></template>"#);
    for n in 1..=40 {
        let reference = format!(r#"<templateRef name="T{}"/>"#, n - 1);
        let _ = write!(
            doubling,
            r#"<template name="T{n}">{reference}{reference}</template>"#
        );
    }
    assert_eq!(refused(&templates(&doubling)), StaticCode::Limit);
    // A chain of 10,000 references, in either order.
    let links: Vec<String> = (1..=10_000)
        .map(|n| {
            format!(
                r#"<template name="T{n}"><templateRef name="T{}"/></template>"#,
                n - 1
            )
        })
        .collect();
    assert_eq!(refused(&templates(&links.concat())), StaticCode::Limit);
    let backwards: String = links.into_iter().rev().collect();
    assert_eq!(refused(&templates(&backwards)), StaticCode::Limit);
    let deep = |tag: &str| {
        format!(
            "{}{}",
            format!("<{tag} name='A'>").repeat(10_000),
            format!("</{tag}>").repeat(10_000)
        )
    };
    for tag in ["group", "sequence"] {
        assert_eq!(content(&deep(tag)), StaticCode::Limit);
    }
    let large = format!("<templates>{}</templates>", " ".repeat(17 << 20));
    assert_eq!(refused(&large), StaticCode::Limit);
}

#[test]
fn the_published_files_are_templates() {
    for (name, count) in [
        // shared/data/README.md and the files: templates in each.
        ("moex-templates/asts-2017-03.xml", 18),
        ("moex-templates/asts-2020-12.xml", 18),
        ("moex-templates/forts-2017.xml", 13),
        ("moex-templates/spectra-2020-12.xml", 14),
        ("micex-2013-08-01/templates.xml", 12),
        ("fast-spec/templates.xml", 16),
    ] {
        let Some(path) = data(name) else {
            continue;
        };
        let decoder = Decoder::new(&fs::read_to_string(path).unwrap()).unwrap();
        assert_eq!(decoder.templates(), count, "{name}");
    }
}
