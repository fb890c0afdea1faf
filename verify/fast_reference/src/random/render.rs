//! Random templates as XML.

use std::fmt::Write;

use super::model::{
    Attribute, File, Initial, Instruction, Operator, Primitive, Slot, Template, TypeReference,
};

const NAMESPACE: &str = "http://www.fixprotocol.org/ns/fast/td/1.1";

/// The XML of a file.
pub fn xml(file: &File) -> String {
    let mut writer = Writer {
        xml: String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"),
        prefix: if file.prefixed { "td:" } else { "" },
        depth: 0,
    };
    let declaration = if file.prefixed { "xmlns:td" } else { "xmlns" };
    let declarations = [
        (declaration, NAMESPACE.to_owned()),
        // Foreign elements and attributes may stand anywhere (section 9).
        ("xmlns:note", "urn:note".to_owned()),
    ];
    match &file.attributes {
        Some(attributes) => writer.element("templates", &[&declarations, attributes], |writer| {
            for &index in &file.order {
                writer.template(&file.templates[index], &[]);
            }
        }),
        None => writer.template(&file.templates[0], &declarations),
    }
    writer.xml
}

struct Writer {
    xml: String,
    prefix: &'static str,
    depth: usize,
}

impl Writer {
    fn element(
        &mut self,
        name: &str,
        attributes: &[&[Attribute]],
        content: impl FnOnce(&mut Self),
    ) {
        let prefix = self.prefix;
        self.start_line();
        let _ = write!(self.xml, "<{prefix}{name}");
        for (name, value) in attributes.iter().copied().flatten() {
            let _ = write!(self.xml, " {name}=\"{}\"", escaped(value));
        }
        self.xml.push('>');
        let start = self.xml.len();
        self.depth += 1;
        content(self);
        self.depth -= 1;
        if self.xml.len() == start {
            self.xml.pop();
            self.xml.push_str("/>");
        } else {
            self.start_line();
            let _ = write!(self.xml, "</{prefix}{name}>");
        }
    }

    fn start_line(&mut self) {
        if self.depth > 0 || self.xml.ends_with('>') {
            self.xml.push('\n');
        }
        self.xml.push_str(&"  ".repeat(self.depth));
    }

    fn template(&mut self, template: &Template, declarations: &[Attribute]) {
        let attributes = [declarations, &template.attributes];
        self.element("template", &attributes, |writer| {
            writer.type_reference(&template.type_reference);
            writer.body(&template.body);
        });
    }

    fn type_reference(&mut self, reference: &Option<TypeReference>) {
        if let Some(reference) = reference {
            self.element("typeRef", &[&reference.attributes], |_| {});
        }
    }

    fn body(&mut self, body: &[Instruction]) {
        for (place, instruction) in body.iter().enumerate() {
            if place % 7 == 6 {
                self.start_line();
                self.xml
                    .push_str("<!-- what follows --><note:it note:of=\"x\"/>");
            }
            self.instruction(instruction);
        }
    }

    fn instruction(&mut self, instruction: &Instruction) {
        match instruction {
            Instruction::Field(field) => {
                self.element(field.element, &[&field.attributes], |writer| {
                    if let Some(name) = &field.length {
                        writer.element("length", &[&[("name", name.clone())]], |_| {});
                    }
                    writer.operator(&field.primitive);
                });
            }
            Instruction::Decimal(decimal) => {
                self.element("decimal", &[&decimal.attributes], |writer| {
                    writer.element("exponent", &[], |writer| writer.operator(&decimal.exponent));
                    writer.element("mantissa", &[], |writer| writer.operator(&decimal.mantissa));
                });
            }
            Instruction::Group(group) => self.element("group", &[&group.attributes], |writer| {
                writer.type_reference(&group.type_reference);
                writer.body(&group.body);
            }),
            Instruction::Sequence(sequence) => {
                self.element("sequence", &[&sequence.attributes], |writer| {
                    writer.type_reference(&sequence.type_reference);
                    if let Some(attributes) = &sequence.length_attributes {
                        writer.element("length", &[attributes], |writer| {
                            writer.operator(&sequence.length);
                        });
                    }
                    writer.body(&sequence.body);
                });
            }
            Instruction::Static(_, attributes) => {
                self.element("templateRef", &[attributes], |_| {});
            }
            Instruction::Dynamic(_) => self.element("templateRef", &[], |_| {}),
        }
    }

    fn operator(&mut self, primitive: &Primitive) {
        match &primitive.operator {
            Operator::None => {}
            Operator::Constant(initial) => self.stateless("constant", Some(initial)),
            Operator::Default(initial) => self.stateless("default", initial.as_ref()),
            Operator::Copy(slot) => self.stateful("copy", slot),
            Operator::Increment(slot) => self.stateful("increment", slot),
            Operator::Delta(slot) => self.stateful("delta", slot),
            Operator::Tail(slot) => self.stateful("tail", slot),
        }
    }

    fn stateless(&mut self, name: &str, initial: Option<&Initial>) {
        self.element(name, &[&value(initial)], |_| {});
    }

    fn stateful(&mut self, name: &str, slot: &Slot) {
        let value = value(slot.initial.as_ref());
        self.element(name, &[&slot.attributes, &value], |_| {});
    }
}

fn value(initial: Option<&Initial>) -> Vec<Attribute> {
    initial
        .map(|initial| ("value", initial.text.clone()))
        .into_iter()
        .collect()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
