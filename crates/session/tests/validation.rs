//! What is refused, and why: messages of both versions, as on the wire, with the tag and SessionRejectReason that the standard has
//! for the fault (FIX 4.4 volume 1, "Repeating Groups" and "Field Presence"; volume 2, "Reject"). `|` is SOH.

use formats::fix::{self, Frame, Reason, Version};
use session::dictionary::validate;

/// The tag and the reason that a message is refused with. BodyLength, CheckSum and the header's required fields are filled in.
fn refusal(version: Version, msg_type: &str, body: &str) -> Option<(i64, Reason)> {
    let begin_string = std::str::from_utf8(version.begin_string()).unwrap();
    let header = format!("35={msg_type}|34=2|49=US|52=20260101-10:00:00|56=THEM|");
    let text = format!("{header}{body}");
    let text = format!("8={begin_string}|9={}|{text}", text.len()).replace('|', "\x01");
    let sum = text.bytes().map(u32::from).sum::<u32>() % 256;
    let text = format!("{text}10={sum:03}\x01");
    let Frame::Message(message) = fix::frame(text.as_bytes(), text.len()) else {
        panic!("{body} is garbled");
    };
    let refusal = validate(version, &message).err()?;
    Some((refusal.tag, refusal.reason))
}

#[track_caller]
fn accepted(version: Version, msg_type: &str, body: &str) {
    assert_eq!(refusal(version, msg_type, body), None, "{msg_type}: {body}");
}

#[track_caller]
fn refused(version: Version, msg_type: &str, body: &str, tag: i64, reason: Reason) {
    let expected = Some((tag, reason));
    let found = refusal(version, msg_type, body);
    assert_eq!(found, expected, "{msg_type}: {body}");
}

const FIX44: Version = Version::Fix44;
const FIX42: Version = Version::Fix42;

const ORDER: &str = "11=A|21=1|55=ABC|54=1|60=20260101-10:00:00|38=5|40=2|44=1.5|";

#[test]
fn a_group_is_refused_where_the_message_has_none() {
    accepted(FIX44, "D", ORDER);
    refused(
        FIX44,
        "D",
        &format!("{ORDER}268=1|269=0|270=1|"),
        268,
        Reason::NotDefined,
    );
    refused(
        FIX44,
        "D",
        &format!("{ORDER}146=1|55=XYZ|"),
        146,
        Reason::NotDefined,
    );
    // An order has parties, a heartbeat has none; nor has anything in FIX 4.2.
    accepted(FIX44, "D", &format!("{ORDER}453=1|448=X|447=D|452=1|"));
    refused(
        FIX44,
        "0",
        "453=1|448=X|447=D|452=1|",
        453,
        Reason::NotDefined,
    );
    refused(
        FIX42,
        "D",
        &format!("{ORDER}453=1|448=X|447=D|452=1|"),
        453,
        Reason::InvalidTag,
    );
    // What belongs in an entry may not stand outside it.
    refused(
        FIX44,
        "D",
        &format!("{ORDER}448=X|"),
        448,
        Reason::NotDefined,
    );
}

#[test]
fn an_entry_of_a_group_begins_with_its_first_field() {
    let request = "262=R|263=1|264=1|265=1|";
    accepted(
        FIX44,
        "V",
        &format!("{request}267=2|269=0|269=1|146=1|55=ABC|48=7|22=8|"),
    );
    refused(
        FIX44,
        "V",
        &format!("{request}267=1|269=0|146=1|48=7|55=ABC|"),
        48,
        Reason::GroupOrder,
    );
    refused(
        FIX44,
        "D",
        &format!("{ORDER}453=1|447=D|448=X|"),
        447,
        Reason::GroupOrder,
    );
}

#[test]
fn fields_of_an_entry_come_in_the_order_of_the_definition() {
    let parties = |entry: &str| format!("{ORDER}453=1|{entry}");
    accepted(FIX44, "D", &parties("448=X|452=1|802=1|523=Y|803=1|"));
    refused(
        FIX44,
        "D",
        &parties("448=X|452=1|447=D|"),
        447,
        Reason::GroupOrder,
    );
    // Neither does it help to begin another entry.
    let two = format!("{ORDER}453=2|448=X|452=1|448=Y|802=0|447=D|");
    refused(FIX44, "D", &two, 447, Reason::GroupOrder);
    // In nested groups too.
    refused(
        FIX44,
        "D",
        &parties("448=X|802=1|803=1|523=Y|"),
        803,
        Reason::GroupOrder,
    );
    let prices = "55=ABC|268=1|269=0|271=5|270=1.5|";
    refused(FIX44, "W", prices, 270, Reason::GroupOrder);
    refused(FIX42, "W", prices, 270, Reason::GroupOrder);
    // Outside groups the order is free.
    accepted(FIX44, "W", "268=1|269=0|270=1.5|271=5|55=ABC|262=R|");
}

#[test]
fn a_field_comes_once_in_an_entry() {
    let body = format!("{ORDER}453=1|448=X|447=D|447=C|");
    refused(FIX44, "D", &body, 447, Reason::Repeated);
    accepted(
        FIX44,
        "D",
        &format!("{ORDER}453=2|448=X|447=D|448=Y|447=C|"),
    );
}

#[test]
fn a_count_is_the_number_of_entries() {
    for (count, entries) in [(0, "448=X|"), (2, "448=X|"), (1, "448=X|448=Y|"), (1, "")] {
        let body = format!("{ORDER}453={count}|{entries}");
        refused(FIX44, "D", &body, 453, Reason::Count);
    }
    accepted(FIX44, "D", &format!("{ORDER}453=0|"));
    refused(
        FIX44,
        "D",
        &format!("{ORDER}453=-1|448=X|"),
        453,
        Reason::Format,
    );
    let nested = format!("{ORDER}453=2|448=X|802=2|523=Y|803=1|448=Z|");
    refused(FIX44, "D", &nested, 802, Reason::Count);
    // The field between the entries is the fault, if no message has it.
    let between = format!("{ORDER}453=2|448=X|9999=Y|448=Z|");
    refused(FIX44, "D", &between, 9999, Reason::InvalidTag);
}

#[test]
fn an_entry_has_what_it_must_have() {
    // MDEntryPx must be in each entry of a snapshot of 4.2, and need not in 4.4.
    let prices = "55=ABC|268=2|269=0|271=5|269=1|270=1.5|";
    refused(FIX42, "W", prices, 270, Reason::Missing);
    accepted(FIX44, "W", prices);
    let prices = "55=ABC|268=2|269=0|270=1.5|269=1|";
    refused(FIX42, "W", prices, 270, Reason::Missing);
}

#[test]
fn a_group_that_must_be_there_may_have_no_entries() {
    accepted(FIX44, "W", "55=ABC|268=0|");
    accepted(FIX42, "W", "55=ABC|268=0|");
    refused(FIX44, "W", "55=ABC|", 268, Reason::Missing);
    refused(FIX42, "W", "55=ABC|", 268, Reason::Missing);
}

#[test]
fn an_application_message_of_4_2_is_held_against_4_2() {
    accepted(FIX42, "D", ORDER);
    // HandlInst must be there in 4.2, and need not in 4.4.
    let without = ORDER.replace("21=1|", "");
    refused(FIX42, "D", &without, 21, Reason::Missing);
    accepted(FIX44, "D", &without);
    // 4.4 has ExecType F, 4.2 has 1 and 2.
    let report = "37=1|17=1|20=0|150=F|39=2|55=ABC|54=1|151=0|14=5|6=1.5|";
    refused(FIX42, "8", report, 150, Reason::Range);
    accepted(FIX42, "8", &report.replace("150=F", "150=2"));
    refused(
        FIX44,
        "8",
        &report.replace("150=F", "150=2"),
        20,
        Reason::InvalidTag,
    );
    refused(
        FIX44,
        "8",
        &report.replace("150=F|", "150=2|").replace("20=0|", ""),
        150,
        Reason::Range,
    );
    // A field that came with 4.4, one of another message, an invalid value, an invalid quantity.
    refused(
        FIX42,
        "D",
        &format!("{ORDER}526=X|"),
        526,
        Reason::InvalidTag,
    );
    refused(
        FIX42,
        "D",
        &format!("{ORDER}434=1|"),
        434,
        Reason::NotDefined,
    );
    refused(
        FIX42,
        "D",
        &ORDER.replace("54=1", "54=X"),
        54,
        Reason::Range,
    );
    refused(
        FIX42,
        "D",
        &ORDER.replace("38=5", "38=+5"),
        38,
        Reason::Format,
    );
    refused(FIX42, "D", &format!("{ORDER}40=1|"), 40, Reason::Repeated);
    refused(FIX42, "D", &format!("{ORDER}205=32|"), 205, Reason::Format);
    accepted(FIX42, "D", &format!("{ORDER}200=202601|205=31|"));
}

#[test]
fn a_password_may_come_with_the_logon_of_either_version() {
    for version in [FIX42, FIX44] {
        accepted(version, "A", "98=0|108=30|553=US|554=secret|");
    }
    // NextExpectedMsgSeqNum came with 4.4.
    refused(FIX42, "A", "98=0|108=30|789=1|", 789, Reason::InvalidTag);
    accepted(FIX44, "A", "98=0|108=30|789=1|");
}

#[test]
fn message_types_of_the_version_and_private_ones_are_for_the_application_to_refuse() {
    for (version, known, unknown) in [
        (FIX44, ["6", "AE", "BH", "U1", "U"], ["*", "I", "BI", "CA"]),
        (FIX42, ["6", "B", "m", "U1", "U"], ["*", "I", "AE", "n"]),
    ] {
        for msg_type in known {
            accepted(version, msg_type, "11=A|9000=B|453=1|448=X|");
            // Still, a field has a value, and the header is a header.
            refused(version, msg_type, "11=|", 11, Reason::Empty);
            refused(version, msg_type, "11=A|50=X|", 50, Reason::Order);
            refused(version, msg_type, "43=X|11=A|", 43, Reason::Format);
        }
        for msg_type in unknown {
            refused(version, msg_type, "11=A|", 35, Reason::MsgType);
        }
    }
}

#[test]
fn numbers_may_have_zeros_in_front() {
    accepted(FIX44, "A", "98=00|108=030|");
    refused(FIX44, "A", "98=07|108=30|", 98, Reason::Range);
}

#[test]
fn hops_are_a_group_of_the_header() {
    accepted(FIX44, "0", "627=2|628=A|629=20260101-10:00:00|628=B|112=X|");
    refused(FIX44, "0", "627=2|628=A|112=X|", 627, Reason::Count);
    refused(FIX44, "0", "628=A|", 628, Reason::NotDefined);
    refused(FIX42, "0", "627=1|628=A|", 627, Reason::InvalidTag);
}
