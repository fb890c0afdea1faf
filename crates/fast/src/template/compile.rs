//! XML to instructions.

mod field;
mod structure;

use std::collections::HashMap;

use roxmltree::{Document, Node, ParsingOptions};

use super::attributes::{Lines, at, is_defined, is_reset, place, required, warn};
use super::error::{Fault, Place, TemplateError};
use super::slots::{Scope, Slots};
use super::{
    DEEPEST_NESTING, Instruction, LARGEST_FILE, MOST_INSTRUCTIONS, Name, Template, Templates,
};

/// Elements, texts and comments of a document at most.
const MOST_NODES: u32 = 1 << 20;

/// What an element inherits from those around it.
#[derive(Clone, Debug)]
struct Context<'a> {
    /// Namespace of fields, keys and application types.
    ns: &'a str,
    /// Namespace of templates.
    template_ns: &'a str,
    /// The attribute `dictionary` of the nearest element that has it.
    dictionary: &'a str,
    /// The current template.
    template: usize,
    /// The current application type.
    application_type: Option<Name>,
    /// Groups, sequences and static references around it.
    depth: usize,
}

impl<'a> Context<'a> {
    /// As this, with what the element says.
    fn within(&self, node: Node<'a, '_>) -> Self {
        Context {
            ns: node.attribute("ns").unwrap_or(self.ns),
            template_ns: node.attribute("templateNs").unwrap_or(self.template_ns),
            dictionary: node.attribute("dictionary").unwrap_or(self.dictionary),
            ..self.clone()
        }
    }

    fn name(&self, local: &str) -> Name {
        Name {
            namespace: self.ns.into(),
            local: local.into(),
        }
    }

    fn scope(&self, dictionary: &str) -> Scope {
        match dictionary.trim() {
            "global" => Scope::Global,
            "template" => Scope::Template(self.template),
            "type" => Scope::Type(self.application_type.clone()),
            name => Scope::Named(name.into()),
        }
    }
}

/// A template of the document, before it is compiled.
struct Declared<'a, 'input> {
    node: Node<'a, 'input>,
    context: Context<'a>,
    name: Name,
}

/// A segment that is being filled: the instructions, and the next bit of its presence map.
#[derive(Debug, Default)]
struct Segment {
    instructions: Vec<Instruction>,
    map_bits: u16,
}

impl Segment {
    /// The next bit.
    fn take_bit(&mut self) -> Option<u16> {
        let bit = self.map_bits;
        self.map_bits = self.map_bits.saturating_add(1);
        Some(bit)
    }

    fn push(&mut self, instruction: Instruction) {
        self.instructions.push(instruction);
    }
}

struct Compiler<'a, 'input> {
    declared: Vec<Declared<'a, 'input>>,
    by_name: HashMap<Name, usize>,
    slots: Slots,
    lines: Lines<'a>,
    /// Templates whose static references are being written out.
    open: Vec<usize>,
    count: usize,
    /// The application types around dynamic references, in the order in which they are found.
    application_types: Vec<Name>,
}

impl<'a, 'input> Compiler<'a, 'input> {
    /// The children that are of the template definition; foreign ones are passed over (section 9).
    fn children(
        &self,
        node: Node<'a, 'input>,
    ) -> impl Iterator<Item = Node<'a, 'input>> + use<'a, 'input> {
        node.children()
            .filter(|child| child.is_element() && is_defined(*child))
    }

    /// One more instruction.
    fn count(&mut self, node: Node<'_, '_>) -> Result<(), TemplateError> {
        self.count += 1;
        if self.count > MOST_INSTRUCTIONS {
            return Err(at(node, Fault::TooMany));
        }
        Ok(())
    }

    fn deeper(&self, node: Node<'_, '_>, context: &Context<'_>) -> Result<usize, TemplateError> {
        if context.depth >= DEEPEST_NESTING {
            return Err(at(node, Fault::TooDeep));
        }
        Ok(context.depth + 1)
    }

    /// A template; `application_type`: what is around the dynamic reference that leads to it.
    fn template(
        &mut self,
        index: usize,
        application_type: Option<Name>,
    ) -> Result<Template, TemplateError> {
        let declared = &self.declared[index];
        let (node, name) = (declared.node, declared.name.clone());
        let context = Context {
            application_type,
            ..declared.context.clone()
        };
        // The identifier takes the first bit.
        let mut segment = Segment {
            map_bits: 1,
            ..Segment::default()
        };
        self.open.push(index);
        self.body(node, &context, &mut segment)?;
        self.open.pop();
        let id = node.attribute("id").map(str::trim);
        let id = id.map(|id| {
            id.parse().map_err(|_| {
                let fault = Fault::Attribute {
                    attribute: "id",
                    value: id.chars().take(40).collect(),
                    expected: "a number of 32 bits, for a template",
                };
                at(node, fault)
            })
        });
        Ok(Template {
            id: id.transpose()?,
            name,
            reset: is_reset(node),
            map_bits: segment.map_bits,
            instructions: segment.instructions,
            place: self.lines.place(node),
        })
    }
}

impl Compiler<'_, '_> {
    /// The number of an application type around a dynamic reference.
    fn application_type(&mut self, name: Option<&Name>) -> Option<u16> {
        let Some(name) = name else {
            return Some(0);
        };
        let known = self
            .application_types
            .iter()
            .position(|type_| type_ == name);
        let at = known.unwrap_or_else(|| {
            self.application_types.push(name.clone());
            self.application_types.len() - 1
        });
        u16::try_from(at + 1).ok()
    }

    /// Every template that is another one within an application type.
    fn variants(
        &mut self,
        templates: &[Template],
    ) -> Result<Vec<HashMap<usize, Template>>, TemplateError> {
        let mut all = Vec::new();
        // No types are added on the way: a template within a type has its own types, or that one.
        while let Some(name) = self.application_types.get(all.len()).cloned() {
            let mut variants = HashMap::new();
            for (index, template) in templates.iter().enumerate() {
                let variant = self.template(index, Some(name.clone()))?;
                if variant != *template {
                    variants.insert(index, variant);
                }
            }
            all.push(variants);
        }
        Ok(all)
    }
}

/// Compiles a document.
pub(super) fn compile(xml: &str) -> Result<Templates, TemplateError> {
    let whole = |place, fault| TemplateError {
        place,
        element: String::new(),
        fault,
    };
    if xml.len() > LARGEST_FILE {
        return Err(whole(Place::default(), Fault::TooLarge(xml.len())));
    }
    let options = ParsingOptions {
        allow_dtd: false,
        nodes_limit: MOST_NODES,
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(xml, options).map_err(|error| {
        let position = error.pos();
        let place = Place {
            line: position.row,
            column: position.col,
        };
        let fault = match error {
            roxmltree::Error::DtdDetected => Fault::DocumentType,
            error => Fault::Xml(error.to_string()),
        };
        whole(place, fault)
    })?;
    let mut warnings = Vec::new();
    let (mut compiler, root) = declare(&document)?;
    for node in root.descendants().filter(Node::is_element) {
        if is_defined(node) {
            warn(node, &mut warnings);
        }
    }
    let mut templates = Vec::with_capacity(compiler.declared.len());
    let mut by_id = HashMap::new();
    for index in 0..compiler.declared.len() {
        let template = compiler.template(index, None)?;
        if let Some(id) = template.id
            && let Some(first) = by_id.insert(id, index)
        {
            let first = place(compiler.declared[first].node);
            let node = compiler.declared[index].node;
            return Err(at(node, Fault::DuplicateId { id, first }));
        }
        templates.push(template);
    }
    let variants = compiler.variants(&templates)?;
    Ok(Templates {
        templates,
        by_id,
        variants,
        slots: compiler.slots.entries,
        warnings,
    })
}

/// Finds the templates of a document.
fn declare<'a, 'input>(
    document: &'a Document<'input>,
) -> Result<(Compiler<'a, 'input>, Node<'a, 'input>), TemplateError> {
    let root = document.root_element();
    let known = is_defined(root);
    let mut compiler = Compiler {
        declared: Vec::new(),
        by_name: HashMap::new(),
        slots: Slots::default(),
        lines: Lines::new(document.input_text()),
        open: Vec::new(),
        count: 0,
        application_types: Vec::new(),
    };
    let outer = Context {
        ns: "",
        template_ns: "",
        dictionary: "global",
        template: 0,
        application_type: None,
        depth: 0,
    };
    let (nodes, outer): (Vec<_>, _) = match root.tag_name().name() {
        "templates" if known => (compiler.children(root).collect(), outer.within(root)),
        "template" if known => (vec![root], outer),
        _ => return Err(at(root, Fault::Root)),
    };
    if nodes.is_empty() {
        let foreign = root.children().find(Node::is_element).map(|child| {
            let uri = child.tag_name().namespace().unwrap_or_default();
            uri.chars().take(100).collect()
        });
        return Err(at(root, Fault::NoTemplates { foreign }));
    }
    for (index, node) in nodes.into_iter().enumerate() {
        if node.tag_name().name() != "template" {
            let child = node.tag_name().name().into();
            let expected = "template";
            return Err(at(root, Fault::Child { child, expected }));
        }
        let context = Context {
            template: index,
            ..outer.within(node)
        };
        let name = Name {
            namespace: context.template_ns.into(),
            local: required(node, "name")?.into(),
        };
        if let Some(first) = compiler.by_name.insert(name.clone(), index) {
            let first = place(compiler.declared[first].node);
            return Err(at(node, Fault::DuplicateName(first)));
        }
        compiler.declared.push(Declared {
            node,
            context,
            name,
        });
    }
    Ok((compiler, root))
}
