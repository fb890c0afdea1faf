//! Reads template XML (appendix 1 has its grammar) into a tree.

use roxmltree::{Document, Node, ParsingOptions};

use super::NESTING;
use super::error::{StaticCode, TemplateError};
use super::initial;
use super::references;
use super::template::{
    Access, Data, Group, Instruction, Key, Kind, Name, Operator, Primitive, Scope, Sequence,
    SplitDecimal, Template, Templates,
};

/// The namespace of template definitions (section 3.1), the one that the specification's first example still has, and none,
/// which is how some exchanges publish.
const NAMESPACES: [Option<&str>; 3] = [
    Some("http://www.fixprotocol.org/ns/fast/td/1.1"),
    Some("http://www.fixprotocol.org/ns/template-definition"),
    None,
];

/// The longest XML that is read, in bytes, and the most nodes of it.
const LENGTH: usize = 16 << 20;
const NODES: u32 = 1 << 20;

/// What an element inherits from those around it.
#[derive(Clone)]
struct Inherited {
    /// `ns` (section 7).
    namespace: String,
    /// `templateNs` (section 7).
    template_namespace: String,
    /// `dictionary` (section 6.3.1).
    dictionary: Scope,
    /// Elements around this one.
    depth: usize,
}

impl Inherited {
    /// The same with the attributes of `node`.
    fn at(&self, node: Node) -> Inherited {
        let or = |attribute, inherited: &String| {
            node.attribute(attribute)
                .map_or_else(|| inherited.clone(), str::to_owned)
        };
        Inherited {
            namespace: or("ns", &self.namespace),
            template_namespace: or("templateNs", &self.template_namespace),
            dictionary: match node.attribute("dictionary").map(str::trim) {
                None => self.dictionary.clone(),
                Some("global") => Scope::Global,
                Some("template") => Scope::Template,
                Some("type") => Scope::Type,
                Some(name) => Scope::User(name.to_owned()),
            },
            depth: self.depth + 1,
        }
    }

    /// A name with the namespace for fields, types and keys.
    fn name(&self, local: String) -> Name {
        Name {
            namespace: self.namespace.clone(),
            local,
        }
    }
}

/// All templates of a document whose root is `<templates>` or `<template>`.
pub fn read(xml: &str) -> Result<Templates, TemplateError> {
    if xml.len() > LENGTH {
        return Err(TemplateError {
            code: StaticCode::Limit,
            line: 1,
            column: 1,
            reason: format!("{} bytes; {LENGTH} are the most", xml.len()),
        });
    }
    let options = ParsingOptions {
        allow_dtd: false,
        nodes_limit: NODES,
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(xml, options).map_err(|error| TemplateError {
        code: match error {
            roxmltree::Error::NodesLimitReached => StaticCode::Limit,
            _ => StaticCode::S1,
        },
        line: error.pos().row,
        column: error.pos().col,
        reason: error.to_string(),
    })?;
    let root = document.root_element();
    if !NAMESPACES.contains(&root.tag_name().namespace()) {
        return Err(fail(root, StaticCode::S1, "the namespace is another one"));
    }
    let outside = Inherited {
        namespace: String::new(),
        template_namespace: String::new(),
        dictionary: Scope::Global,
        depth: 0,
    };
    let nodes: Vec<Node> = match root.tag_name().name() {
        "template" => vec![root],
        "templates" => elements(root).collect(),
        _ => return Err(unknown(root)),
    };
    let inherited = match root.tag_name().name() {
        "templates" => outside.at(root),
        _ => outside,
    };
    let mut templates = Templates::default();
    for &node in &nodes {
        if node.tag_name().name() != "template" {
            return Err(unknown(node));
        }
        add(&mut templates, template(node, &inherited)?, node)?;
    }
    references::check(&templates).map_err(|(index, code)| {
        fail(nodes[index], code, "with the templates that it refers to")
    })?;
    Ok(templates)
}

/// Adds a template if its name and its identifier are new.
fn add(templates: &mut Templates, template: Template, node: Node) -> Result<(), TemplateError> {
    let index = templates.list.len();
    let name = template.name.clone();
    if templates.by_name.insert(name, index).is_some() {
        return Err(fail(node, StaticCode::Duplicate, "the name is taken"));
    }
    if let Some(identifier) = template.identifier
        && templates.by_identifier.insert(identifier, index).is_some()
    {
        return Err(fail(node, StaticCode::Duplicate, "the id is taken"));
    }
    templates.list.push(template);
    Ok(())
}

fn template(node: Node, inherited: &Inherited) -> Result<Template, TemplateError> {
    let inherited = inherited.at(node);
    let identifier = node
        .attribute("id")
        .map(|id| id.trim().parse())
        .transpose()
        .map_err(|_| fail(node, StaticCode::S1, "the id of a template is a number"))?;
    Ok(Template {
        name: Name {
            namespace: inherited.template_namespace.clone(),
            local: name_of(node)?,
        },
        identifier,
        reset: node.attributes().any(|attribute| {
            attribute.name() == "reset" && matches!(attribute.value(), "yes" | "Y" | "true" | "T")
        }),
        application_type: application_type(node, &inherited)?,
        instructions: instructions(node, &inherited)?,
    })
}

/// The name in the `<typeRef>` that a template, a group or a sequence may start with.
fn application_type(node: Node, inherited: &Inherited) -> Result<Option<Name>, TemplateError> {
    elements(node)
        .find(|child| child.tag_name().name() == "typeRef")
        .map(|child| Ok(inherited.at(child).name(name_of(child)?)))
        .transpose()
}

/// All instructions in a template, a group or a sequence.
fn instructions(node: Node, inherited: &Inherited) -> Result<Vec<Instruction>, TemplateError> {
    if inherited.depth > NESTING {
        return Err(fail(
            node,
            StaticCode::Limit,
            "elements are nested too deep",
        ));
    }
    elements(node)
        .filter(|child| match child.tag_name().name() {
            "typeRef" => false,
            "length" => node.tag_name().name() != "sequence",
            _ => true,
        })
        .map(|child| instruction(child, inherited))
        .collect()
}

fn instruction(node: Node, inherited: &Inherited) -> Result<Instruction, TemplateError> {
    let inherited = inherited.at(node);
    if node.tag_name().name() == "templateRef" {
        return Ok(match node.attribute("name") {
            Some(name) => Instruction::StaticReference(Name {
                namespace: inherited.template_namespace,
                local: name.trim().to_owned(),
            }),
            None => Instruction::DynamicReference,
        });
    }
    let name = name_of(node)?;
    let optional = is_optional(node)?;
    let key = inherited.name(name.clone());
    match node.tag_name().name() {
        "group" => Ok(Instruction::Group(Group {
            name,
            optional,
            application_type: application_type(node, &inherited)?,
            instructions: instructions(node, &inherited)?,
        })),
        "sequence" => Ok(Instruction::Sequence(Sequence {
            name,
            length: length(node, optional, key, &inherited)?,
            application_type: application_type(node, &inherited)?,
            instructions: instructions(node, &inherited)?,
        })),
        "decimal" if elements(node).any(is_part) => {
            let part = |tag, kind, optional, key| {
                let of = elements(node).find(|child| child.tag_name().name() == tag);
                primitive(of, kind, optional, key, &inherited)
            };
            if let Some(other) = elements(node).find(|child| !is_part(*child)) {
                return Err(unknown(other));
            }
            Ok(Instruction::SplitDecimal(SplitDecimal {
                name,
                exponent: part(
                    "exponent",
                    Kind::EXPONENT,
                    optional,
                    Key::ExponentOf(key.clone()),
                )?,
                mantissa: part("mantissa", Kind::MANTISSA, false, Key::MantissaOf(key))?,
            }))
        }
        _ => {
            let kind = kind_of(node)?;
            let primitive = primitive(Some(node), kind, optional, Key::Named(key), &inherited)?;
            Ok(Instruction::Field(name, primitive))
        }
    }
}

fn is_part(node: Node) -> bool {
    matches!(node.tag_name().name(), "exponent" | "mantissa")
}

/// The type of a field that is neither group nor sequence.
fn kind_of(node: Node) -> Result<Kind, TemplateError> {
    let integer = |signed, bits| Ok(Kind::Integer { signed, bits });
    match node.tag_name().name() {
        "int8" => integer(true, 8),
        "int16" => integer(true, 16),
        "int32" => integer(true, 32),
        "int64" => integer(true, 64),
        "uInt8" => integer(false, 8),
        "uInt16" => integer(false, 16),
        "uInt32" => integer(false, 32),
        "uInt64" => integer(false, 64),
        "decimal" => Ok(Kind::Decimal),
        "byteVector" => Ok(Kind::Bytes),
        "string" => match node.attribute("charset").map(str::trim) {
            None | Some("ascii") => Ok(Kind::Ascii),
            Some("unicode") => Ok(Kind::Unicode),
            Some(_) => Err(fail(node, StaticCode::S1, "charset is ascii or unicode")),
        },
        _ => Err(unknown(node)),
    }
}

/// The length field of a sequence: without a name of its own, or without an element, its name is a generated one
/// (section 6.2.5).
fn length(
    node: Node,
    optional: bool,
    sequence: Name,
    inherited: &Inherited,
) -> Result<Primitive, TemplateError> {
    let element = elements(node).find(|child| child.tag_name().name() == "length");
    let inherited = element.map_or_else(|| inherited.clone(), |element| inherited.at(element));
    let key = match element.and_then(|element| element.attribute("name")) {
        Some(name) => Key::Named(inherited.name(name.trim().to_owned())),
        None => Key::LengthOf(sequence),
    };
    primitive(element, Kind::LENGTH, optional, key, &inherited)
}

/// A value of this type with the operator that stands in `node`, if any does.
fn primitive(
    node: Option<Node>,
    kind: Kind,
    optional: bool,
    default_key: Key,
    inherited: &Inherited,
) -> Result<Primitive, TemplateError> {
    let mut operator = Operator::None;
    let has_length = matches!(kind, Kind::Unicode | Kind::Bytes);
    for child in node.into_iter().flat_map(elements) {
        // It only gives the length of a byte vector a name (section 6.2.4).
        if has_length && child.tag_name().name() == "length" {
            continue;
        }
        if !matches!(operator, Operator::None) {
            return Err(fail(child, StaticCode::S1, "a field has one operator"));
        }
        operator = operator_of(child, kind, optional, &default_key, inherited)?;
    }
    Ok(Primitive {
        kind,
        optional,
        operator,
    })
}

/// Section 6.3.
fn operator_of(
    node: Node,
    kind: Kind,
    optional: bool,
    default_key: &Key,
    inherited: &Inherited,
) -> Result<Operator, TemplateError> {
    let initial = initial_value(node, kind)?;
    let inherited = inherited.at(node);
    let access = |initial| Access {
        dictionary: inherited.dictionary.clone(),
        key: match node.attribute("key") {
            Some(key) => Key::Named(inherited.name(key.trim().to_owned())),
            None => default_key.clone(),
        },
        initial,
    };
    let is_integer = matches!(kind, Kind::Integer { .. });
    let is_text = matches!(kind, Kind::Ascii | Kind::Unicode | Kind::Bytes);
    match node.tag_name().name() {
        "constant" => match initial {
            Some(value) => Ok(Operator::Constant(value)),
            None => Err(fail(node, StaticCode::S4, "value is missing")),
        },
        "default" if initial.is_none() && !optional => {
            Err(fail(node, StaticCode::S5, "value is missing"))
        }
        "default" => Ok(Operator::Default(initial)),
        "copy" => Ok(Operator::Copy(access(initial))),
        "increment" if is_integer => Ok(Operator::Increment(access(initial))),
        "delta" => Ok(Operator::Delta(access(initial))),
        "tail" if is_text => Ok(Operator::Tail(access(initial))),
        "increment" => Err(fail(node, StaticCode::S2, "increment is for integers")),
        "tail" => Err(fail(
            node,
            StaticCode::S2,
            "tail is for strings and byte vectors",
        )),
        _ => Err(unknown(node)),
    }
}

/// The `value` attribute as a value of the type.
fn initial_value(node: Node, kind: Kind) -> Result<Option<Data>, TemplateError> {
    node.attribute("value")
        .map(|text| {
            initial::convert(text, kind)
                .ok_or_else(|| fail(node, StaticCode::S3, &format!("value {text:?}")))
        })
        .transpose()
}

fn is_optional(node: Node) -> Result<bool, TemplateError> {
    match node.attribute("presence").map(str::trim) {
        None | Some("mandatory") => Ok(false),
        Some("optional") => Ok(true),
        Some(_) => Err(fail(
            node,
            StaticCode::S1,
            "presence is mandatory or optional",
        )),
    }
}

fn name_of(node: Node) -> Result<String, TemplateError> {
    match node.attribute("name").map(str::trim) {
        Some(name) if !name.is_empty() => Ok(name.to_owned()),
        _ => Err(fail(node, StaticCode::S1, "name is missing")),
    }
}

/// The elements in `node`, without foreign ones: those of another namespace than the document's (section 9).
fn elements<'a, 'input>(node: Node<'a, 'input>) -> impl Iterator<Item = Node<'a, 'input>> {
    let namespace = node.document().root_element().tag_name().namespace();
    node.children()
        .filter(move |child| child.is_element() && child.tag_name().namespace() == namespace)
}

fn unknown(node: Node) -> TemplateError {
    let reason = format!("element {} has no place here", node.tag_name().name());
    fail(node, StaticCode::S1, &reason)
}

fn fail(node: Node, code: StaticCode, reason: &str) -> TemplateError {
    let position = node.document().text_pos_at(node.range().start);
    TemplateError {
        code,
        line: position.row,
        column: position.col,
        reason: reason.to_owned(),
    }
}
