//! Bodies, groups, sequences and references to templates (sections 6.2.5, 6.2.6 and 6.4).

use roxmltree::Node;

use super::super::Place;
use super::super::attributes::{at, is_optional, required};
use super::super::error::{Fault, TemplateError};
use super::super::{Instruction, Kind, Name, Operator, tag_of_name};
use super::field::{is_operator, tag};
use super::{Compiler, Context, Segment};

/// What may be in a body.
const FIELDS: &str = "fields, groups, sequences and templateRef";

/// A bracket or a reference; what is special is changed afterwards.
fn bracket(kind: Kind, place: Place, name: Name, tag: u32) -> Instruction {
    Instruction {
        kind,
        operator: Operator::None,
        nullable: false,
        map_bit: None,
        own_map: false,
        map_bits: 0,
        slot: None,
        initial: None,
        tag,
        name,
        length_name: None,
        application_type: 0,
        partner: 0,
        place,
    }
}

impl<'a, 'input> Compiler<'a, 'input> {
    /// The instructions of a template, a group or a sequence. Lengths are taken before.
    pub(super) fn body(
        &mut self,
        node: Node<'a, 'input>,
        context: &Context<'a>,
        segment: &mut Segment,
    ) -> Result<(), TemplateError> {
        let mut context = context.clone();
        let mut typed = false;
        let is_sequence = node.tag_name().name() == "sequence";
        for child in self.children(node) {
            match child.tag_name().name() {
                "typeRef" => {
                    if std::mem::replace(&mut typed, true) {
                        return Err(at(node, Fault::Twice("typeRef")));
                    }
                    let name = context.within(child).name(required(child, "name")?);
                    context.application_type = Some(name);
                }
                "length" if is_sequence => {}
                "group" => self.group(child, &context, segment)?,
                "sequence" => self.sequence(child, &context, segment)?,
                "templateRef" => self.reference(child, &context, segment)?,
                "int8" | "uInt8" | "int16" | "uInt16" | "int32" | "uInt32" | "int64" | "uInt64"
                | "decimal" | "string" | "byteVector" => self.field(child, &context, segment)?,
                other => {
                    let fault = Fault::Child {
                        child: other.chars().take(60).collect(),
                        expected: FIELDS,
                    };
                    return Err(at(node, fault));
                }
            }
        }
        Ok(())
    }

    /// Appends a bracket around a segment's instructions, whose own brackets move along.
    fn enclose(
        &mut self,
        mut start: Instruction,
        end: Kind,
        inner: Segment,
        node: Node<'a, 'input>,
        segment: &mut Segment,
    ) -> Result<(), TemplateError> {
        self.count(node)?;
        self.count(node)?;
        let first = segment.instructions.len();
        let last = first + 1 + inner.instructions.len();
        start.partner = last;
        start.own_map = inner.map_bits > 0;
        start.map_bits = inner.map_bits;
        let mut closing = bracket(end, start.place, start.name.clone(), start.tag);
        closing.partner = first;
        segment.push(start);
        self.append(inner, first + 1, segment);
        segment.push(closing);
        Ok(())
    }

    /// Appends instructions that were numbered from zero.
    fn append(&self, inner: Segment, first: usize, segment: &mut Segment) {
        for mut instruction in inner.instructions {
            instruction.partner += first;
            segment.push(instruction);
        }
    }

    fn group(
        &mut self,
        node: Node<'a, 'input>,
        context: &Context<'a>,
        segment: &mut Segment,
    ) -> Result<(), TemplateError> {
        let context = Context {
            depth: self.deeper(node, context)?,
            ..context.within(node)
        };
        let name = context.name(required(node, "name")?);
        let mut start = bracket(
            Kind::GroupStart,
            self.lines.place(node),
            name.clone(),
            tag(node, &name),
        );
        start.nullable = is_optional(node)?;
        if start.nullable {
            start.map_bit = segment.take_bit();
        }
        let mut inner = Segment::default();
        self.body(node, &context, &mut inner)?;
        self.enclose(start, Kind::GroupEnd, inner, node, segment)
    }

    fn sequence(
        &mut self,
        node: Node<'a, 'input>,
        context: &Context<'a>,
        segment: &mut Segment,
    ) -> Result<(), TemplateError> {
        let context = Context {
            depth: self.deeper(node, context)?,
            ..context.within(node)
        };
        let name = context.name(required(node, "name")?);
        let tag = tag(node, &name);
        let mut lengths = self
            .children(node)
            .filter(|child| child.tag_name().name() == "length");
        let length = lengths.next();
        if lengths.next().is_some() {
            return Err(at(node, Fault::Twice("length")));
        }
        let start = bracket(
            Kind::SequenceStart,
            self.lines.place(node),
            name.clone(),
            tag,
        );
        let type_ref = self
            .children(node)
            .find(|child| child.tag_name().name() == "typeRef");
        let mut around = context.clone();
        if let Some(child) = type_ref {
            let name = context.within(child).name(required(child, "name")?);
            around.application_type = Some(name);
        }
        self.length(node, length, &name, &around, segment)?;
        let mut inner = Segment::default();
        self.body(node, &context, &mut inner)?;
        self.enclose(start, Kind::SequenceEnd, inner, node, segment)
    }

    fn reference(
        &mut self,
        node: Node<'a, 'input>,
        context: &Context<'a>,
        segment: &mut Segment,
    ) -> Result<(), TemplateError> {
        if let Some(child) = self.children(node).next() {
            let child = child.tag_name().name();
            let expected = if is_operator(child) {
                "nothing: a reference has no operator"
            } else {
                "nothing"
            };
            let child = child.chars().take(60).collect();
            return Err(at(node, Fault::Child { child, expected }));
        }
        // Counted even where it stands for nothing: references multiply.
        self.count(node)?;
        let context = context.within(node);
        if node.attribute("name").is_none() {
            let name = Name::default();
            let tag = tag_of_name(&name);
            let place = self.lines.place(node);
            let mut instruction = bracket(Kind::TemplateReference, place, name, tag);
            instruction.partner = segment.instructions.len();
            let around = self.application_type(context.application_type.as_ref());
            instruction.application_type = around.ok_or_else(|| at(node, Fault::TooMany))?;
            segment.push(instruction);
            return Ok(());
        }
        let name = Name {
            namespace: context.template_ns.into(),
            local: required(node, "name")?.into(),
        };
        let Some(&index) = self.by_name.get(&name) else {
            return Err(at(node, Fault::NoTemplate(name.local)));
        };
        if let Some(from) = self.open.iter().position(|open| *open == index) {
            let circle = self.open[from..].iter().chain([&index]);
            let circle: Vec<&str> = circle
                .map(|index| self.declared[*index].name.local.as_str())
                .collect();
            return Err(at(node, Fault::Cycle(circle.join(" → "))));
        }
        let depth = self.deeper(node, &context)?;
        let declared = &self.declared[index];
        let target = declared.node;
        // Scopes are the referred template's; the application type goes on unless it has its own.
        let inner = Context {
            application_type: context.application_type,
            depth,
            ..declared.context.clone()
        };
        self.open.push(index);
        self.body(target, &inner, segment)?;
        self.open.pop();
        Ok(())
    }
}
