//! Makes Rust of the dictionaries: `dictionary/fix44.dictionary` becomes `generated/fix44.rs` in Cargo's output folder. The notation is
//! explained in `dictionary/README.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, process};

const DICTIONARIES: [&str; 2] = ["fix42", "fix44"];

fn main() {
    println!("cargo:rerun-if-changed=dictionary");
    let output = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo sets OUT_DIR"));
    let folder = output.join("generated");
    fs::create_dir_all(&folder).expect("OUT_DIR can be written");
    for name in DICTIONARIES {
        let path = Path::new("dictionary").join(format!("{name}.dictionary"));
        let text = fs::read_to_string(&path).map_err(|error| error.to_string());
        let rust = text.and_then(|text| Dictionary::parse(&text)?.rust(name));
        match rust {
            Ok(rust) => {
                fs::write(folder.join(format!("{name}.rs")), rust).expect("OUT_DIR can be written")
            }
            Err(error) => {
                println!("cargo:warning={}: {error}", path.display());
                process::exit(1);
            }
        }
    }
}

/// A field of a message, or a repeating group: the field that counts its entries, and what each entry may have.
#[derive(Clone)]
struct Item {
    tag: u32,
    required: bool,
    entry: Vec<Item>,
}

struct Field {
    name: String,
    kind: &'static str,
    values: Vec<String>,
}

struct Message {
    msg_type: String,
    name: String,
    items: Vec<Item>,
}

#[derive(Default)]
struct Dictionary {
    version: String,
    types: Vec<String>,
    highest: u32,
    unused: BTreeSet<u32>,
    fields: BTreeMap<u32, Field>,
    components: BTreeMap<String, Vec<Item>>,
    header: Vec<Item>,
    trailer: Vec<Item>,
    messages: Vec<Message>,
}

/// The variants of `Kind`, by the standard's name of the type.
fn kind(name: &str) -> Option<&'static str> {
    Some(match name {
        "int" => "Int",
        "length" | "seqnum" => "Unsigned",
        "numingroup" => "Count",
        "float" | "price" | "priceoffset" | "qty" | "amt" | "percentage" => "Decimal",
        "char" => "Char",
        "boolean" => "Boolean",
        "string" | "exchange" | "currency" | "country" => "Text",
        "multiplevaluestring" => "Texts",
        "data" => "Data",
        "utctimestamp" => "Timestamp",
        "utctimeonly" => "Time",
        "utcdate" | "utcdateonly" | "localmktdate" => "Date",
        "monthyear" => "Month",
        "dayofmonth" => "Day",
        _ => return None,
    })
}

/// What a word means: itself, or, of `3-9`, `A-F` and `AA-AZ`, all from the first to the last.
fn range(word: &str) -> Vec<String> {
    let alone = vec![word.to_owned()];
    let Some((first, last)) = word.split_once('-') else {
        return alone;
    };
    if let (Ok(first), Ok(last)) = (first.parse::<u32>(), last.parse::<u32>()) {
        return (first..=last).map(|number| number.to_string()).collect();
    }
    let ends = |word: &str| Some((word.get(..word.len() - 1)?.to_owned(), word.chars().last()?));
    match (ends(first), ends(last)) {
        (Some((front, first)), Some((same, last))) if front == same && front.len() < 2 => {
            (first..=last).map(|end| format!("{front}{end}")).collect()
        }
        _ => alone,
    }
}

fn number(word: &str) -> Result<u32, String> {
    word.parse().map_err(|_| format!("{word:?} is no tag"))
}

impl Dictionary {
    fn parse(text: &str) -> Result<Self, String> {
        let mut lines: Vec<(usize, String)> = vec![];
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.split('#').next().unwrap_or_default().trim_end();
            match lines.last_mut() {
                _ if line.is_empty() => {}
                Some((_, last)) if line.starts_with(' ') => last.push_str(line),
                _ => lines.push((number, line.to_owned())),
            }
        }
        let mut dictionary = Dictionary::default();
        for (number, line) in lines {
            let done = dictionary.line(&line);
            done.map_err(|error| format!("line {number}: {error}"))?;
        }
        Ok(dictionary)
    }

    fn line(&mut self, line: &str) -> Result<(), String> {
        let spaced = line.replace('(', " ( ").replace(')', " ) ");
        let mut words = spaced.split_whitespace();
        let mut word = || words.next().ok_or("something is missing");
        match word()? {
            "version" => self.version = word()?.to_owned(),
            "types" => self.types = words.flat_map(range).collect(),
            "highest" => self.highest = number(word()?)?,
            "unused" => {
                for word in words.flat_map(range) {
                    self.unused.insert(number(&word)?);
                }
            }
            "field" => {
                let (tag, name, type_name) = (number(word()?)?, word()?.to_owned(), word()?);
                let kind = kind(type_name).ok_or_else(|| format!("no type {type_name:?}"))?;
                let values = words.flat_map(range).collect();
                let field = Field { name, kind, values };
                if self.fields.insert(tag, field).is_some() {
                    return Err(format!("field {tag} twice"));
                }
            }
            "component" => {
                let name = word()?.to_owned();
                let items = self.items(&mut words, false)?;
                self.components.insert(name, items);
            }
            "header" => self.header = self.items(&mut words, false)?,
            "trailer" => self.trailer = self.items(&mut words, false)?,
            "message" => {
                let (msg_type, name) = (word()?.to_owned(), word()?.to_owned());
                let items = self.items(&mut words, false)?;
                self.messages.push(Message {
                    msg_type,
                    name,
                    items,
                });
            }
            other => return Err(format!("{other:?} is not understood")),
        }
        Ok(())
    }

    /// Items up to the end, or up to the end of a group.
    fn items<'a>(
        &self,
        words: &mut impl Iterator<Item = &'a str>,
        in_group: bool,
    ) -> Result<Vec<Item>, String> {
        let mut items: Vec<Item> = vec![];
        while let Some(word) = words.next() {
            match (word, word.strip_prefix('@')) {
                (")", _) if in_group => return Ok(items),
                ("(", _) => {
                    let entry = self.items(words, true)?;
                    items.last_mut().ok_or("a group without its count")?.entry = entry;
                }
                (_, Some(name)) => {
                    let component = self
                        .components
                        .get(name)
                        .ok_or_else(|| format!("no component {name}"))?;
                    items.extend(component.iter().cloned());
                }
                (word, None) => {
                    let (tag, required) =
                        (number(word.trim_end_matches('!'))?, word.ends_with('!'));
                    if !self.fields.contains_key(&tag) || self.unused.contains(&tag) {
                        return Err(format!("no field {tag}"));
                    }
                    items.push(Item {
                        tag,
                        required,
                        entry: vec![],
                    });
                }
            }
        }
        if in_group {
            Err("a group does not end".to_owned())
        } else {
            Ok(items)
        }
    }

    fn rust(&self, name: &str) -> Result<String, String> {
        let version = self.version.replace("FIX.4.", "Fix4");
        let mut text = format!("// Made by build.rs of dictionary/{name}.dictionary.\n\n");
        let mut fields = String::new();
        for (tag, Field { name, kind, values }) in &self.fields {
            let values = match &values[..] {
                [] => "Values::Any".to_owned(),
                values if values.iter().all(|value| value.len() == 1) => {
                    let bits = values
                        .iter()
                        .fold(0_u128, |bits, value| bits | 1 << value.as_bytes()[0]);
                    format!("Values::Characters({bits:#x})")
                }
                values => format!("Values::Texts(&{values:?})"),
            };
            let field = format!(
                "Field {{ tag: {tag}, name: {name:?}, kind: Kind::{kind}, values: {values} }}"
            );
            let _ = writeln!(fields, "    {field},");
        }
        let constant = name.to_uppercase();
        let _ = writeln!(text, "const {constant}_FIELDS: &[Field] = &[\n{fields}];\n");
        let mut messages = String::new();
        for Message {
            msg_type,
            name,
            items,
        } in &self.messages
        {
            let items = rust_items(items).map_err(|error| format!("{name}: {error}"))?;
            let _ = writeln!(
                messages,
                "        Message::new(b{msg_type:?}, {name:?}, const {{ {items} }}),"
            );
        }
        let types: Vec<_> = self.types.iter().map(|name| format!("b{name:?}")).collect();
        let unused: Vec<_> = self.unused.iter().map(u32::to_string).collect();
        let _ = writeln!(
            text,
            "/// {name}: see the file it is made of.\n\
             pub(super) static {constant}: Dictionary = Dictionary {{\n    \
             version: Version::{version},\n    \
             types: &[{}],\n    \
             highest: {},\n    \
             unused: Tags::of(&[0, {}]),\n    \
             fields: {constant}_FIELDS,\n    \
             places: &places::<{}>({constant}_FIELDS),\n    \
             header: Part::new(const {{ {} }}),\n    \
             trailer: Part::new(const {{ {} }}),\n    \
             messages: &[\n{messages}    ],\n}};",
            types.join(", "),
            self.highest,
            unused.join(", "),
            self.fields.keys().last().unwrap_or(&0) + 1,
            rust_items(&self.header)?,
            rust_items(&self.trailer)?,
        );
        Ok(text)
    }
}

fn rust_items(items: &[Item]) -> Result<String, String> {
    let mut text = "&[".to_owned();
    let mut tags = BTreeSet::new();
    for Item {
        tag,
        required,
        entry,
    } in items
    {
        if !tags.insert(tag) {
            return Err(format!("field {tag} twice"));
        }
        let entry = rust_items(entry)?;
        let _ = write!(
            text,
            "Item {{ tag: {tag}, required: {required}, entry: {entry} }}, "
        );
    }
    text.push(']');
    Ok(text)
}
