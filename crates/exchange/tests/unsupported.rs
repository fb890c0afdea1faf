//! What is not implemented is refused, and is not traded as something else: messages as on the wire, `|` for SOH. What is right is from
//! FIX: an order with an unsupported characteristic is an ExecutionReport with OrdStatus (39) 8 and OrdRejReason (103) 11, which 4.2 does
//! not have (0 there: the broker's choice); never a Reject of the session, since the dictionary has the value.

use crate::common;
use common::{NOW, books, exchange};
use exchange::{Exchange, Outgoing};
use formats::fix::{self, Frame, Header, Version};
use session::dictionary::{Dictionary, Kind, Values, validate};

/// A message of client 0 (4.4) or 1 (4.2), and the answers to it, each without what only counts and without times. Both must be valid by the
/// dictionary.
fn told(exchange: &mut Exchange, version: Version, msg_type: &str, body: &str) -> Vec<String> {
    let client = u32::from(version == Version::Fix42);
    let begin_string = std::str::from_utf8(version.begin_string()).unwrap();
    let header = format!("35={msg_type}|34=2|49=US|52=20260101-10:00:00|56=THEM|");
    let text = format!("{header}{body}60=20260101-10:00:00|");
    let text = format!("8={begin_string}|9={}|{text}", text.len()).replace('|', "\x01");
    let sum = text.bytes().map(u32::from).sum::<u32>() % 256;
    let text = format!("{text}10={sum:03}\x01");
    let Frame::Message(message) = fix::frame(text.as_bytes(), text.len()) else {
        panic!("{body} is garbled");
    };
    validate(version, &message).unwrap_or_else(|refusal| panic!("{body}: {refusal}"));
    let mut answers = vec![];
    let mut outbox = |client: u32, message: &Outgoing<'_>| {
        let version = [Version::Fix44, Version::Fix42][client as usize];
        answers.push(line(version, message));
    };
    exchange
        .message(client, &message, NOW, &mut outbox)
        .unwrap_or_else(|error| panic!("{body}: {error}"));
    answers
}

fn line(version: Version, message: &Outgoing<'_>) -> String {
    let header = Header {
        sender: b"X",
        target: b"Y",
        sequence: 1,
        ..Header::default()
    };
    let mut buffer = [0; 4_096];
    let length = message.encode(&mut buffer, version, &header).unwrap();
    let Frame::Message(found) = fix::frame(&buffer[..length], fix::LONGEST_BODY) else {
        panic!()
    };
    validate(version, &found).unwrap_or_else(|refusal| panic!("{message:?}: {refusal}"));
    let fields = found.fields().map(Result::unwrap);
    let fields = fields.filter(|field| ![8, 9, 10, 49, 56, 34, 52, 60, 17].contains(&field.tag));
    let fields: Vec<_> = fields
        .map(|field| format!("{}={}", field.tag, String::from_utf8_lossy(field.value)))
        .collect();
    let msg_type = String::from_utf8_lossy(found.msg_type());
    format!("35={msg_type}|{}", fields.join("|"))
}

const ORDER: &str = "11=A|21=1|55=AAPL|54=1|38=10|40=2|44=50.00|";
const CHANGE: &str = "41=LIVE|11=A|21=1|55=AAPL|54=1|38=10|40=2|44=49.00|";

/// A body with a field that it had otherwise, or not at all.
fn with(body: &str, field: &str) -> String {
    let tag = format!("{}=", field.split_once('=').unwrap().0);
    let others = body
        .split_terminator('|')
        .filter(|one| !one.starts_with(&tag));
    let mut fields: Vec<_> = others.collect();
    fields.push(field);
    fields.join("|") + "|"
}

/// Fields of 4.4 that change what an order is, and what Text says.
const UNSUPPORTED: &[(&str, &str)] = &[
    // Side: sell short, sell short exempt.
    ("54=5", "Side (54) 5"),
    ("54=6", "Side (54) 6"),
    // OrdType: pegged, with or without. TimeInForce: at the opening, good till date, at the close.
    ("40=P", "OrdType (40) P"),
    ("40=6", "OrdType (40) 6"),
    ("59=2", "TimeInForce (59) 2"),
    ("59=6", "TimeInForce (59) 6"),
    ("59=7", "TimeInForce (59) 7"),
    // ExecInst: all or none, participate don't initiate; one of several.
    ("18=G", "ExecInst (18) G"),
    ("18=6", "ExecInst (18) 6"),
    ("18=5 1 R", "ExecInst (18) R"),
    ("21=3", "HandlInst (21) 3"),
    ("110=5", "MinQty (110)"),
    ("111=1", "MaxFloor (111)"),
    ("210=1", "MaxShow (210)"),
    ("126=20200101-00:00:00", "ExpireTime (126)"),
    ("432=20200101", "ExpireDate (432)"),
    ("168=20990101-00:00:00", "EffectiveTime (168)"),
    ("386=1|336=OPEN", "NoTradingSessions (386)"),
    ("211=0.01", "PegOffsetValue (211)"),
    ("836=0", "PegOffsetType (836)"),
    ("388=0", "DiscretionInst (388)"),
    ("389=0.05", "DiscretionOffsetValue (389)"),
    ("847=1", "TargetStrategy (847)"),
    ("849=0.1", "ParticipationRate (849)"),
    ("152=1000", "CashOrderQty (152)"),
    ("516=0.5", "OrderPercent (516)"),
    ("854=1", "QtyType (854) 1"),
    ("423=1", "PriceType (423) 1"),
    ("423=011", "PriceType (423) 011"),
    ("15=JPY", "Currency (15)"),
    ("218=1", "Spread (218)"),
    ("236=0.05", "Yield (236)"),
    ("100=XLON", "ExDestination (100)"),
    ("63=1", "SettlType (63) 1"),
    ("64=20260301", "SettlDate (64)"),
    ("120=EUR", "SettlCurrency (120)"),
    ("121=Y", "ForexReq (121) Y"),
    ("193=20260301", "SettlDate2 (193)"),
    ("640=51", "Price2 (640)"),
    ("775=1", "BookingType (775) 1"),
    ("65=WI", "SymbolSfx (65)"),
    ("167=OPT", "SecurityType (167) OPT"),
    ("200=202612", "MaturityMonthYear (200)"),
    ("202=50", "StrikePrice (202)"),
    ("711=1|311=X", "NoUnderlyings (711)"),
    ("913=X", "AgreementDesc (913)"),
];

#[test]
fn an_order_that_asks_for_what_is_not_implemented_is_refused() {
    let mut exchange = exchange();
    let before = books(&exchange);
    for (field, text) in UNSUPPORTED {
        let lines = told(&mut exchange, Version::Fix44, "D", &with(ORDER, field));
        let [line] = lines.as_slice() else {
            panic!("{field}: {lines:?}");
        };
        let start = "35=8|37=NONE|11=A|150=8|39=8|103=11|";
        let end = format!("|151=0|14=0|6=0|58={text} is not supported");
        assert!(line.starts_with(start) && line.ends_with(&end), "{line}");
        // What it asked for comes back.
        let of_order = |tag| {
            let body = with(ORDER, field);
            let mut fields = body.split('|');
            fields.find(|one| one.starts_with(tag)).unwrap().to_owned()
        };
        for tag in ["55=", "54=", "38=", "40=", "44="] {
            assert!(line.contains(&format!("|{}|", of_order(tag))), "{line}");
        }
    }
    // Those of a bond, a swap or a strategy are in D alone.
    for (field, text) in [
        ("117=Q", "QuoteID (117)"),
        ("23=I", "IOIID (23)"),
        ("232=1|233=PIECES|234=1", "NoStipulations (232)"),
    ] {
        let lines = told(&mut exchange, Version::Fix44, "D", &with(ORDER, field));
        assert!(
            lines[0].contains("|103=11|") && lines[0].contains(text),
            "{lines:?}"
        );
    }
    // 4.2 has fewer reasons.
    for field in [
        "54=5", "110=5", "18=G", "40=P", "59=6", "211=0.01", "205=15",
    ] {
        let lines = told(&mut exchange, Version::Fix42, "D", &with(ORDER, field));
        let start = "35=8|37=NONE|11=A|20=0|150=8|39=8|103=0|";
        assert!(lines.len() == 1 && lines[0].starts_with(start), "{lines:?}");
    }
    assert_eq!(books(&exchange), before);
    // The name is free.
    let lines = told(&mut exchange, Version::Fix44, "D", ORDER);
    assert!(lines[0].contains("|150=0|39=0|"), "{lines:?}");
}

#[test]
fn a_replacement_that_asks_for_what_is_not_implemented_is_refused_and_the_order_stays() {
    let mut exchange = exchange();
    told(&mut exchange, Version::Fix44, "D", &with(ORDER, "11=LIVE"));
    let before = books(&exchange);
    let others = [
        // The order is a limit order for the day.
        (
            "59=3",
            "TimeInForce of a replacement must be that of the order",
        ),
        (
            "59=1",
            "TimeInForce of a replacement must be that of the order",
        ),
    ];
    let unsupported = UNSUPPORTED
        .iter()
        .map(|(field, text)| (*field, format!("{text} is not supported")))
        .chain(others.map(|(field, text)| (field, text.to_owned())))
        .chain([(
            "586=20260101-10:00:00",
            "OrigOrdModTime (586) is not supported".to_owned(),
        )]);
    for (field, text) in unsupported {
        assert_eq!(
            told(&mut exchange, Version::Fix44, "G", &with(CHANGE, field)),
            [format!(
                "35=9|37=1|11=A|41=LIVE|39=0|434=2|102=99|58={text}"
            )],
            "{field}"
        );
    }
    let cancel = "41=LIVE|11=A|55=AAPL|38=10|";
    for (field, text) in [
        ("54=5", "Side (54) 5"),
        ("65=WI", "SymbolSfx (65)"),
        ("586=20260101-10:00:00", "OrigOrdModTime (586)"),
    ] {
        let cancel = with(&with(cancel, "54=1"), field);
        assert_eq!(
            told(&mut exchange, Version::Fix44, "F", &cancel),
            [format!(
                "35=9|37=1|11=A|41=LIVE|39=0|434=1|102=99|58={text} is not supported"
            )],
            "{field}"
        );
    }
    assert_eq!(books(&exchange), before);
    let lines = told(&mut exchange, Version::Fix44, "G", &with(CHANGE, "59=0"));
    assert!(
        lines[0].contains("|150=5|39=0|") && lines[0].contains("|44=49.00|59=0|"),
        "{lines:?}"
    );
}

/// What asks for nothing more than an order is, or is about who it is for, is taken.
#[test]
fn what_changes_nothing_is_taken() {
    let mut exchange = exchange();
    for (at, field) in [
        "18=1",
        "18=5 B",
        "21=2",
        "110=0",
        "110=0.00",
        "63=0",
        "775=0",
        "854=0",
        "854=00",
        "423=2",
        "121=N",
        "386=0",
        "711=0",
        "167=CS",
        "460=5",
        "1=ACCOUNT",
        "48=US0378331005|22=4",
        "453=1|448=X|447=D|452=1",
        "78=1|79=X|80=5",
        "77=O",
        "203=1",
        "528=P",
        "581=1",
        "12=0.01",
        "58=hello",
        "81=0",
        "207=XNAS",
        "526=X",
        "583=Y",
        "59=0",
        "59=1",
    ]
    .iter()
    .enumerate()
    {
        let order = with(&with(ORDER, field), &format!("11=N{at}"));
        let lines = told(&mut exchange, Version::Fix44, "D", &order);
        assert!(lines[0].contains("|150=0|39=0|"), "{field}: {lines:?}");
    }
}

/// Whatever value of an enumeration an order has, its client hears of it by a report.
#[test]
fn every_value_that_the_dictionary_has_is_answered_by_the_application() {
    let mut exchange = exchange();
    let mut orders = 0;
    for version in [Version::Fix42, Version::Fix44] {
        let dictionary = Dictionary::of(version);
        for item in dictionary.message(b"D").unwrap().body.items {
            let field = dictionary.field(item.tag).unwrap();
            let values: Vec<String> = match field.values {
                Values::Any if field.kind == Kind::Boolean => vec!["Y".into(), "N".into()],
                Values::Any => continue,
                Values::Characters(bits) => (0..128_u8)
                    .filter(|character| bits >> character & 1 != 0)
                    .map(|character| char::from(character).to_string())
                    .collect(),
                Values::Texts(texts) => texts.iter().map(ToString::to_string).collect(),
            };
            for value in values {
                orders += 1;
                let order = with(ORDER, &format!("11=V{orders}"));
                let order = with(&with(&order, "99=60.00"), &format!("{}={value}", item.tag));
                let lines = told(&mut exchange, version, "D", &order);
                let reason = if version == Version::Fix42 { 0 } else { 11 };
                let refused = format!("|150=8|39=8|103={reason}|");
                assert!(
                    lines[0].contains("|150=0|39=0|") || lines[0].contains(&refused),
                    "{}={value}: {lines:?}",
                    item.tag
                );
            }
        }
    }
    assert!(orders > 250, "{orders}");
}
