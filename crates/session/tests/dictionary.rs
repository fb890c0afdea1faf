//! Our description of FIX 4.4 against the dictionary in `../shared/data`: what we refuse, it refuses; what it demands, we demand. Without
//! it the test says so and does nothing.

use session::dictionary::{Kind, Presence, kind, messages, presence};
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

struct Dictionary {
    root: Element,
    /// Tags by name.
    tags: BTreeMap<String, u32>,
}

impl Dictionary {
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
        Some(Dictionary { root, tags })
    }

    /// Tags of an element outside groups, and whether each is required.
    fn fields(&self, element: &Element, required: bool, found: &mut BTreeMap<u32, bool>) {
        for child in &element.children {
            let required = required && child.get("required") == "Y";
            match child.name.as_str() {
                "field" | "group" => {
                    let tag = self.tags[child.get("name")];
                    *found.entry(tag).or_default() |= required;
                }
                "component" => {
                    let components = &self.root.child("components").children;
                    let name = child.get("name");
                    let component = components.iter().find(|c| c.get("name") == name).unwrap();
                    self.fields(component, required, found);
                }
                other => panic!("{other}"),
            }
        }
    }
}

fn is_of(kind: Kind, name: &str) -> bool {
    match kind {
        Kind::Int => name == "INT",
        Kind::Unsigned => ["SEQNUM", "LENGTH"].contains(&name),
        Kind::Count => name == "NUMINGROUP",
        Kind::Decimal => {
            ["PRICE", "PRICEOFFSET", "QTY", "AMT", "FLOAT", "PERCENTAGE"].contains(&name)
        }
        Kind::Char => name == "CHAR",
        Kind::Boolean => name == "BOOLEAN",
        Kind::Text => {
            let texts = [
                "STRING",
                "EXCHANGE",
                "CURRENCY",
                "COUNTRY",
                "MULTIPLEVALUESTRING",
            ];
            texts.contains(&name)
        }
        Kind::Data => name == "DATA",
        Kind::Timestamp => name == "UTCTIMESTAMP",
        Kind::Time => name == "UTCTIMEONLY",
        Kind::Date => ["UTCDATEONLY", "LOCALMKTDATE"].contains(&name),
        Kind::Month => name == "MONTHYEAR",
    }
}

#[test]
fn types_and_values_are_those_of_the_dictionary() {
    let Some(dictionary) = Dictionary::open() else {
        return;
    };
    let mut described = 0;
    for field in &dictionary.root.child("fields").children {
        let (tag, name) = (field.get("number").parse().unwrap(), field.get("type"));
        let Some(kind) = kind(tag) else { continue };
        described += 1;
        assert!(is_of(kind, name), "{tag} is {kind:?} here and {name} there");
        let values: BTreeSet<_> = field
            .children
            .iter()
            .map(|value| value.get("enum"))
            .collect();
        let ours: BTreeSet<_> = session::dictionary::values(tag)
            .split_whitespace()
            .collect();
        // Y and N are the type's.
        if !ours.is_empty() && kind != Kind::Boolean {
            assert_eq!(ours, values, "values of {tag}");
        }
    }
    assert!(described > 150, "{described}");
}

#[test]
fn messages_demand_what_the_dictionary_demands_and_refuse_what_it_refuses() {
    let Some(dictionary) = Dictionary::open() else {
        return;
    };
    let mut described = 0;
    for msg_type in messages() {
        let name = std::str::from_utf8(msg_type).unwrap();
        let messages = &dictionary.root.child("messages").children;
        let message = messages.iter().find(|m| m.get("msgtype") == name).unwrap();
        let mut theirs = BTreeMap::new();
        for part in [
            message,
            dictionary.root.child("header"),
            dictionary.root.child("trailer"),
        ] {
            // What the header demands of every message is asked for elsewhere.
            dictionary.fields(part, part.name == "message", &mut theirs);
        }
        for tag in 1..=1_100 {
            let ours = presence(msg_type, tag).unwrap();
            let fits = match theirs.get(&tag) {
                Some(true) => ours == Presence::Required,
                Some(false) => matches!(ours, Presence::Optional | Presence::Unchecked),
                None => matches!(ours, Presence::NotDefined | Presence::Unchecked),
            };
            assert!(
                fits,
                "{name}: {tag} is {ours:?} here and {:?} there",
                theirs.get(&tag)
            );
        }
        described += 1;
    }
    assert!(described >= 19, "{described}");
}
