//! Our dictionary of FIX 4.4 against QuickFIX's in `../shared/data`: the same types and values, the same fields in each message, and the same
//! groups in the same order. Without it the tests say so and do nothing.

use formats::fix::{self, Value, Version};
use session::dictionary::{Dictionary, Field, Item, Kind, Values};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::Path;

/// An element of the dictionary, which has no text and no entities.
#[derive(Debug, Default)]
struct Element {
    name: String,
    attributes: HashMap<String, String>,
    children: Vec<Element>,
}

impl Element {
    fn get(&self, attribute: &str) -> &str {
        self.attributes.get(attribute).map_or("", String::as_str)
    }

    fn child(&self, name: &str) -> &Element {
        self.children
            .iter()
            .find(|child| child.name == name)
            .unwrap()
    }
}

fn parse(text: &str) -> Element {
    let mut open = vec![Element::default()];
    for tag in text.split('<').skip(1) {
        let tag = tag.split_once('>').unwrap().0;
        if tag.starts_with(['?', '!']) {
            continue;
        }
        if !tag.starts_with('/') {
            let (name, rest) = tag.split_once([' ', '/']).unwrap_or((tag, ""));
            let mut element = Element {
                name: name.to_owned(),
                ..Element::default()
            };
            let mut parts = rest.split(['\'', '"']);
            while let (Some(name), Some(value)) = (parts.next(), parts.next()) {
                let name = name.trim().trim_end_matches('=').to_owned();
                element.attributes.insert(name, value.to_owned());
            }
            open.push(element);
        }
        if tag.starts_with('/') || tag.ends_with('/') {
            let element = open.pop().unwrap();
            open.last_mut().unwrap().children.push(element);
        }
    }
    open.pop().unwrap()
}

struct QuickFix {
    root: Element,
    /// Tags by name.
    tags: BTreeMap<String, u32>,
}

/// A field of a message, as [`Item`].
#[derive(Debug, PartialEq)]
struct Theirs {
    tag: u32,
    required: bool,
    entry: Vec<Theirs>,
}

impl QuickFix {
    fn open() -> Option<Self> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/fix/FIX44.xml");
        let Ok(text) = fs::read_to_string(&path) else {
            eprintln!("skipped: {} is absent", path.display());
            return None;
        };
        let root = parse(&text).children.remove(0);
        let fields = root.child("fields").children.iter();
        let tags = fields.map(|field| {
            (
                field.get("name").to_owned(),
                field.get("number").parse().unwrap(),
            )
        });
        let tags = tags.collect();
        Some(QuickFix { root, tags })
    }

    /// What an element may have, components resolved; nothing is required of a component that need not be there.
    fn items(&self, element: &Element, required: bool) -> Vec<Theirs> {
        let mut items = vec![];
        for child in &element.children {
            let name = child.get("name");
            let required = required && child.get("required") == "Y";
            match child.name.as_str() {
                "component" => {
                    let components = &self.root.child("components").children;
                    let component = components.iter().find(|c| c.get("name") == name).unwrap();
                    items.extend(self.items(component, required));
                }
                "field" | "group" => items.push(Theirs {
                    tag: self.tags[name],
                    required,
                    entry: self.items(child, true),
                }),
                other => panic!("{other}"),
            }
        }
        items
    }

    fn message(&self, msg_type: &[u8]) -> &Element {
        let messages = &self.root.child("messages").children;
        let of_type = |message: &&Element| message.get("msgtype").as_bytes() == msg_type;
        messages.iter().find(of_type).unwrap()
    }
}

fn ours(items: &[Item]) -> Vec<Theirs> {
    let theirs = |item: &Item| Theirs {
        tag: item.tag,
        required: item.required,
        entry: ours(item.entry),
    };
    items.iter().map(theirs).collect()
}

fn is_of(kind: Kind, name: &str) -> bool {
    let names: &[&str] = match kind {
        Kind::Int => &["INT"],
        Kind::Unsigned => &["SEQNUM", "LENGTH"],
        Kind::Count => &["NUMINGROUP"],
        Kind::Decimal => &["PRICE", "PRICEOFFSET", "QTY", "AMT", "FLOAT", "PERCENTAGE"],
        Kind::Char => &["CHAR"],
        Kind::Boolean => &["BOOLEAN"],
        Kind::Text => &["STRING", "EXCHANGE", "CURRENCY", "COUNTRY"],
        Kind::Texts => &["MULTIPLEVALUESTRING"],
        Kind::Data => &["DATA"],
        Kind::Timestamp => &["UTCTIMESTAMP"],
        Kind::Time => &["UTCTIMEONLY"],
        Kind::Date => &["UTCDATEONLY", "LOCALMKTDATE"],
        Kind::Month => &["MONTHYEAR"],
        Kind::Day => &["DAYOFMONTH"],
    };
    names.contains(&name)
}

#[test]
fn fields_have_the_types_and_values_of_the_other_dictionary() {
    let Some(quickfix) = QuickFix::open() else {
        return;
    };
    let dictionary = Dictionary::of(Version::Fix44);
    let mut described = 0;
    for theirs in &quickfix.root.child("fields").children {
        let tag = theirs.get("number").parse().unwrap();
        assert!(dictionary.has_field(tag), "{tag}");
        let Some(field) = dictionary.field(tag) else {
            continue;
        };
        described += 1;
        assert_eq!(field.name, theirs.get("name"), "{tag}");
        let kind = theirs.get("type");
        assert!(is_of(field.kind, kind), "{field:?} is {kind} there");
        let values = theirs.children.iter().map(|value| value.get("enum"));
        let values: BTreeSet<_> = values.map(str::to_owned).collect();
        let ours = self::values(field);
        // Y and N are the type's; a wrong MsgType is detected with the dictionary's list of messages.
        if field.kind != Kind::Boolean && tag != 35 {
            assert_eq!(ours, values, "values of {tag}");
        }
    }
    assert_eq!(described, dictionary.fields().len());
    let all: BTreeSet<_> = quickfix.tags.values().copied().collect();
    for tag in 0..=2_000 {
        assert_eq!(dictionary.has_field(tag), all.contains(&tag), "{tag}");
    }
}

#[test]
fn messages_have_the_fields_and_groups_of_the_other_dictionary() {
    let Some(quickfix) = QuickFix::open() else {
        return;
    };
    let dictionary = Dictionary::of(Version::Fix44);
    for (part, name) in [
        (dictionary.header(), "header"),
        (dictionary.trailer(), "trailer"),
    ] {
        same(
            name,
            part.items,
            quickfix.items(quickfix.root.child(name), true),
        );
    }
    for message in dictionary.messages() {
        let theirs = quickfix.message(message.msg_type);
        assert_eq!(message.name, theirs.get("name"));
        same(
            message.name,
            message.body.items,
            quickfix.items(theirs, true),
        );
    }
    let types = &quickfix.root.child("messages").children;
    for theirs in types {
        let msg_type = theirs.get("msgtype").as_bytes();
        assert!(dictionary.has_msg_type(msg_type), "{msg_type:?}");
    }
    for wrong in ["", "*", "I", "O", "AAA", "BI", "CA", "0 "] {
        assert!(!dictionary.has_msg_type(wrong.as_bytes()), "{wrong:?}");
    }
}

/// The order matters in groups only.
fn same(name: &str, items: &[Item], mut theirs: Vec<Theirs>) {
    let mut ours = ours(items);
    ours.sort_by_key(|item| item.tag);
    theirs.sort_by_key(|item| item.tag);
    for (ours, theirs) in ours.iter().zip(&theirs) {
        assert_eq!(ours, theirs, "{name}");
    }
    assert_eq!(ours.len(), theirs.len(), "{name}");
}

/// Whether a value is one of the enum.
type Reads = fn(&[u8]) -> bool;

/// What Tickwire reads as one of a list has all of the standard's list: a message with another value is no fault of the session.
#[test]
fn every_value_of_the_dictionary_is_read() {
    fn reads<V: for<'v> Value<'v>>(value: &[u8]) -> bool {
        V::read(value).is_ok()
    }
    let fields: [(u32, Reads); 10] = [
        (39, reads::<fix::OrdStatus>),
        (40, reads::<fix::OrdType>),
        (59, reads::<fix::TimeInForce>),
        (150, reads::<fix::ExecType>),
        (263, reads::<fix::SubscriptionRequestType>),
        (269, reads::<fix::MdEntryType>),
        (279, reads::<fix::MdUpdateAction>),
        (281, reads::<fix::MdRequestRejectReason>),
        (380, reads::<fix::BusinessRejectReason>),
        (434, reads::<fix::CancelRejectResponse>),
    ];
    for version in [Version::Fix42, Version::Fix44] {
        for (tag, reads) in fields {
            let field = Dictionary::of(version).field(tag).unwrap();
            let narrow = |value: &String| !reads(value.as_bytes());
            let unread: Vec<_> = values(field).into_iter().filter(narrow).collect();
            assert_eq!(unread, [""; 0], "{version:?} {}", field.name);
        }
    }
}

/// The values that a field may have, if they are listed.
fn values(field: &Field) -> BTreeSet<String> {
    match field.values {
        Values::Any => BTreeSet::new(),
        Values::Characters(bits) => (0..128_u8)
            .filter(|character| bits >> character & 1 != 0)
            .map(|character| char::from(character).to_string())
            .collect(),
        Values::Texts(texts) => texts.iter().map(ToString::to_string).collect(),
    }
}
