//! Template files that cannot be published with, and what is said about them.

use exchange::FastPublisher;
use exchange::publish::fast::LayoutError;
use fast::Templates;

use crate::fast::of_project;

/// What is said of the project's own templates after a change of the text.
fn refused(changes: &[(&str, &str)]) -> LayoutError {
    let mut text = of_project("desks/fast/order-log.xml");
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replacen(from, to, 1);
    }
    let templates = Templates::parse(&text).unwrap();
    let publisher = FastPublisher::new(&templates, vec![]);
    let publisher = publisher.and_then(|publisher| publisher.with_snapshots(vec![], 1));
    publisher.err().unwrap()
}

#[test]
fn a_template_that_is_not_there_is_named_and_a_file_that_has_it() {
    let log = refused(&[("id=\"3610\"", "id=\"3611\"")]).to_string();
    assert!(log.contains("3610 (X-OLR-CURR)"), "{log}");
    assert!(log.contains("order-log.xml"), "{log}");
    let snapshot = refused(&[("id=\"3600\"", "id=\"3601\"")]).to_string();
    assert!(snapshot.contains("3600 (W-OLS-CURR)"), "{snapshot}");
}

#[test]
fn a_field_that_is_missing_of_another_type_or_mandatory_is_named() {
    let missing = refused(&[(
        "<string name=\"MDEntryID\" id=\"278\" presence=\"optional\"/>",
        "",
    )]);
    let LayoutError::NoField { template, tag, .. } = missing else {
        panic!("{missing}");
    };
    assert_eq!((template, tag), (3610, 278));
    let other = refused(&[(
        "<uInt32 name=\"LastMsgSeqNumProcessed\" id=\"369\" presence=\"optional\"/>",
        "<string name=\"LastMsgSeqNumProcessed\" id=\"369\" presence=\"optional\"/>",
    )]);
    assert!(
        matches!(
            other,
            LayoutError::Type {
                template: 3600,
                tag: 369,
                ..
            }
        ),
        "{other}"
    );
    let mandatory = refused(&[(
        "<int32 name=\"RptSeq\" id=\"83\" presence=\"optional\"/>",
        "<int32 name=\"Venue\" id=\"207\"/>",
    )]);
    assert!(
        mandatory.to_string().contains("Venue (207) is mandatory"),
        "{mandatory}"
    );
}

#[test]
fn a_template_without_entries_or_with_a_group_is_refused() {
    let group = refused(&[(
        "<string name=\"MsgType\" id=\"35\"><constant value=\"X\"/></string>",
        "<group name=\"G\"><string name=\"MsgType\" id=\"35\"><constant value=\"X\"/></string></group>",
    )]);
    assert!(
        matches!(group, LayoutError::Structure { template: 3610, .. }),
        "{group}"
    );
    let text = of_project("desks/fast/order-log.xml");
    let (from, rest) = text.split_once("    <sequence name=\"Entries\">").unwrap();
    let (_, rest) = rest.split_once("</sequence>").unwrap();
    let templates = Templates::parse(&format!("{from}{rest}")).unwrap();
    let none = FastPublisher::new(&templates, vec![]).err().unwrap();
    assert!(
        matches!(none, LayoutError::Structure { template: 3610, .. }),
        "{none}"
    );
}

#[test]
fn a_template_whose_types_are_too_small_for_the_exchange_is_refused_before_the_market_begins() {
    let small = refused(&[(
        "<uInt32 name=\"MDEntryTime\" id=\"273\" presence=\"optional\"><copy/></uInt32>",
        "<uInt8 name=\"MDEntryTime\" id=\"273\" presence=\"optional\"><copy/></uInt8>",
    )]);
    assert!(small.to_string().contains("MDEntryTime"), "{small}");
}

#[test]
fn a_feed_without_the_template_of_a_heartbeat_has_none() {
    let text = of_project("desks/fast/order-log.xml").replace("id=\"2108\"", "id=\"2109\"");
    let templates = Templates::parse(&text).unwrap();
    let (line, sent) = crate::fast::line();
    let mut exchange = crate::fast::exchange();
    let publisher = FastPublisher::new(&templates, vec![line]).unwrap();
    exchange.publish(Box::new(publisher), crate::fast::NOW);
    let before = sent.borrow().len();
    exchange.heartbeat(crate::fast::NOW);
    assert_eq!(sent.borrow().len(), before);
}
