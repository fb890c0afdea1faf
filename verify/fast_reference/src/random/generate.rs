//! Random templates: every type, operator and presence, nested, with shared entries, references and namespaces.

use std::collections::{BTreeSet, HashSet};

use rand::Rng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand_chacha::ChaCha8Rng;

use super::limits::Limits;
use super::model::{
    Attribute, File, Group, Instruction, Kind, Operator, Primitive, Sequence, Template,
    TypeReference,
};

const DICTIONARIES: [&str; 5] = ["global", "template", "type", "book", "74"];
const TYPES: [&str; 3] = ["Order", "Trade", "Quote"];

/// How many tries a file gets to stay within the dictionary entries, before it goes without previous values.
const TRIES: usize = 20;

/// A random file within the limits.
pub fn file(rng: &mut ChaCha8Rng, limits: &Limits) -> File {
    let mut instructions = limits.instructions.max(1);
    for _ in 0..TRIES {
        let file = Generator::new(rng, limits, instructions, true).file();
        if file.entries() <= limits.dictionary_entries {
            return file;
        }
        instructions = instructions.div_ceil(2);
    }
    Generator::new(rng, limits, 1, false).file()
}

/// What an element inherits, and where it stands.
#[derive(Clone)]
pub(super) struct Around {
    pub(super) namespace: String,
    template_namespace: String,
    pub(super) dictionary: String,
    /// How many levels may still be nested here.
    levels: usize,
}

impl Around {
    fn deeper(&self) -> Around {
        Around {
            levels: self.levels.saturating_sub(1),
            ..self.clone()
        }
    }
}

pub(super) struct Generator<'a> {
    pub(super) rng: &'a mut ChaCha8Rng,
    pub(super) limits: &'a Limits,
    instructions: usize,
    /// Whether operators with previous values are used.
    pub(super) is_stateful: bool,
    /// Whether templates share names of fields, and so default keys. Then they do not refer to each other: one message would
    /// have two fields of one name.
    pub(super) shares_names: bool,
    templates: Vec<Template>,
    identifiers: HashSet<u32>,
    /// Names of the template that is being made.
    pub(super) names: HashSet<String>,
    /// Templates that are part of it.
    parts: BTreeSet<usize>,
    pub(super) count: usize,
}

impl<'a> Generator<'a> {
    fn new(
        rng: &'a mut ChaCha8Rng,
        limits: &'a Limits,
        instructions: usize,
        is_stateful: bool,
    ) -> Self {
        let shares_names = rng.random();
        Generator {
            rng,
            limits,
            instructions,
            is_stateful,
            shares_names,
            templates: Vec::new(),
            identifiers: HashSet::new(),
            names: HashSet::new(),
            parts: BTreeSet::new(),
            count: 0,
        }
    }

    pub(super) fn chance(&mut self, probability: f64) -> bool {
        self.rng.random_bool(probability)
    }

    fn one_of(&mut self, choices: &[&'static str]) -> String {
        (*choices.choose(self.rng).unwrap_or(&"")).to_owned()
    }

    /// A namespace for fields, types and keys.
    pub(super) fn namespace(&mut self) -> String {
        self.one_of(&["", "urn:fields", "urn:other"])
    }

    fn file(mut self) -> File {
        let count = self.rng.random_range(1..=self.limits.templates.max(1));
        let mut around = Around {
            namespace: String::new(),
            template_namespace: String::new(),
            dictionary: "global".to_owned(),
            levels: self.limits.nesting,
        };
        let is_single = count == 1 && self.chance(0.5);
        let attributes = (!is_single).then(|| {
            let mut attributes = Vec::new();
            self.inherited(&mut attributes, &mut around, 0.2);
            attributes
        });
        for index in 0..count {
            let template = self.template(index, index + 1 == count, &around);
            self.templates.push(template);
        }
        let mut order: Vec<usize> = (0..count).collect();
        order.shuffle(self.rng);
        File {
            prefixed: self.chance(0.15),
            attributes,
            templates: self.templates,
            order,
        }
    }

    /// Now and then the attributes that apply to all inside an element, written and taken into account.
    fn inherited(&mut self, attributes: &mut Vec<Attribute>, around: &mut Around, often: f64) {
        if self.chance(often) {
            around.namespace = self.namespace();
            attributes.push(("ns", around.namespace.clone()));
        }
        if self.chance(often) {
            around.template_namespace = self.one_of(&["", "urn:templates", "urn:more"]);
            attributes.push(("templateNs", around.template_namespace.clone()));
        }
        self.dictionary(attributes, around, often);
    }

    pub(super) fn dictionary(
        &mut self,
        attributes: &mut Vec<Attribute>,
        around: &mut Around,
        often: f64,
    ) {
        if self.chance(often) {
            around.dictionary = self.one_of(&DICTIONARIES);
            attributes.push(("dictionary", around.dictionary.clone()));
        }
    }

    fn template(&mut self, index: usize, is_last: bool, around: &Around) -> Template {
        self.names.clear();
        self.parts = BTreeSet::from([index]);
        let mut around = around.clone();
        let name = format!("Template{index}");
        let mut attributes = vec![("name", name.clone())];
        // One without identifier is for references alone.
        let identifier = (is_last || self.chance(0.9)).then(|| self.identifier());
        attributes.extend(identifier.map(|identifier| ("id", identifier.to_string())));
        let reset = self.chance(0.06);
        if reset {
            attributes.push(("reset", self.one_of(&["yes", "Y"])));
        }
        self.inherited(&mut attributes, &mut around, 0.15);
        let namespace = around.template_namespace.clone();
        let type_reference = self.type_reference(&around);
        let body = self.body(index, &around);
        Template {
            name,
            attributes,
            namespace,
            identifier,
            reset,
            type_reference,
            depth: self.depth(&body),
            body,
            parts: std::mem::take(&mut self.parts),
        }
    }

    /// A new identifier of one to five bytes.
    fn identifier(&mut self) -> u32 {
        loop {
            let greatest = *[127, 16_383, u32::MAX].choose(self.rng).unwrap_or(&127);
            let identifier = self.rng.random_range(0..=greatest);
            if self.identifiers.insert(identifier) {
                return identifier;
            }
        }
    }

    fn type_reference(&mut self, around: &Around) -> Option<TypeReference> {
        if !self.chance(0.25) {
            return None;
        }
        let name = self.one_of(&TYPES);
        let mut attributes = vec![("name", name.clone())];
        let mut namespace = around.namespace.clone();
        if self.chance(0.2) {
            namespace = self.namespace();
            attributes.push(("ns", namespace.clone()));
        }
        Some(TypeReference {
            attributes,
            identity: format!("{namespace}|{name}"),
        })
    }

    fn body(&mut self, index: usize, around: &Around) -> Vec<Instruction> {
        let count = self.rng.random_range(1..=self.instructions);
        (0..count)
            .map(|_| self.instruction(index, around))
            .collect()
    }

    fn instruction(&mut self, index: usize, around: &Around) -> Instruction {
        let instruction = match self.rng.random_range(0..24) {
            0 | 1 if around.levels > 0 => Some(self.group(index, around)),
            2 | 3 if around.levels > 0 => Some(self.sequence(index, around)),
            4 | 5 => self.static_reference(around),
            6 if around.levels > 0 => self.dynamic_reference(around),
            7..=9 => Some(self.decimal(around)),
            _ => None,
        };
        instruction.unwrap_or_else(|| self.field(around))
    }

    fn group(&mut self, index: usize, around: &Around) -> Instruction {
        let mut around = around.deeper();
        let (name, mut attributes) = self.named("Group", &mut around);
        let optional = self.presence(&mut attributes);
        self.dictionary(&mut attributes, &mut around, 0.15);
        Instruction::Group(Group {
            name,
            attributes,
            optional,
            type_reference: self.type_reference(&around),
            body: self.body(index, &around),
        })
    }

    fn sequence(&mut self, index: usize, around: &Around) -> Instruction {
        let mut around = around.deeper();
        let (name, mut attributes) = self.named("Sequence", &mut around);
        let optional = self.presence(&mut attributes);
        self.dictionary(&mut attributes, &mut around, 0.15);
        let type_reference = self.type_reference(&around);

        // The key of a length is its name, or a generated one.
        let mut key = format!("{}|{name}|length", around.namespace);
        let mut length_attributes = Vec::new();
        let mut around_length = around.clone();
        if self.chance(0.6) {
            let (name, attributes) = self.named("UInt32", &mut around_length);
            key = format!("{}|{name}", around_length.namespace);
            length_attributes = attributes;
        }
        let length = Primitive {
            least: 0,
            greatest: self.limits.elements as i128,
            ..self.unoperated(
                Kind::Integer {
                    signed: false,
                    bits: 32,
                },
                optional,
            )
        };
        // Which type is current for a length, the specification does not say clearly: no length depends on it.
        let has_type = type_reference.is_some();
        let length = self.operated(length, "UInt32", &key, &around_length, has_type);
        let has_element = !length_attributes.is_empty()
            || !matches!(length.operator, Operator::None)
            || self.chance(0.1);
        Instruction::Sequence(Sequence {
            name,
            attributes,
            length_attributes: has_element.then_some(length_attributes),
            length,
            type_reference,
            body: self.body(index, &around),
        })
    }

    /// A reference to an earlier template, so that there are no cycles, that is no part of this one yet.
    fn static_reference(&mut self, around: &Around) -> Option<Instruction> {
        if self.shares_names {
            return None;
        }
        let candidates: Vec<usize> = (0..self.templates.len())
            .filter(|&index| {
                let template = &self.templates[index];
                !template.reset
                    && template.depth <= around.levels
                    && template.parts.is_disjoint(&self.parts)
            })
            .collect();
        let &index = candidates.choose(self.rng)?;
        let template = &self.templates[index];
        let (name, namespace) = (template.name.clone(), template.namespace.clone());
        self.parts.extend(template.parts.clone());
        let mut attributes = vec![("name", name)];
        if namespace != around.template_namespace || self.chance(0.1) {
            attributes.push(("templateNs", namespace));
        }
        Some(Instruction::Static(index, attributes))
    }

    /// A reference that may lead to any earlier template.
    fn dynamic_reference(&mut self, around: &Around) -> Option<Instruction> {
        let targets: Vec<usize> = (0..self.templates.len())
            .filter(|&index| {
                let template = &self.templates[index];
                !template.reset && template.identifier.is_some() && template.depth < around.levels
            })
            .collect();
        (!self.shares_names && !targets.is_empty()).then_some(Instruction::Dynamic(targets))
    }

    fn depth(&self, body: &[Instruction]) -> usize {
        body.iter()
            .map(|instruction| match instruction {
                Instruction::Field(_) | Instruction::Decimal(_) => 0,
                Instruction::Group(group) => 1 + self.depth(&group.body),
                Instruction::Sequence(sequence) => 1 + self.depth(&sequence.body),
                Instruction::Static(index, _) => self.templates[*index].depth,
                Instruction::Dynamic(targets) => {
                    let deepest = targets.iter().map(|&index| self.templates[index].depth);
                    1 + deepest.max().unwrap_or(0)
                }
            })
            .max()
            .unwrap_or(0)
    }
}
