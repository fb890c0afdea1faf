//! Random fields: their names, types, operators, initial values and keys.

use rand::Rng;

use super::generate::{Around, Generator};
use super::initial;
use super::model::{
    Attribute, Decimal, Field, Initial, Instruction, Kind, Operator, Primitive, Scope, Slot,
};

impl Generator<'_> {
    /// A name that is new in the template, with its attributes: `name`, at times `ns` and `id`.
    pub(super) fn named(&mut self, class: &str, around: &mut Around) -> (String, Vec<Attribute>) {
        let shared = format!("{class}{}", self.rng.random_range(0..3));
        let name = if self.shares_names && self.chance(0.6) && !self.names.contains(&shared) {
            shared
        } else {
            self.count += 1;
            format!("{class}Field{}", self.count)
        };
        self.names.insert(name.clone());
        let mut attributes = vec![("name", name.clone())];
        if self.chance(0.05) {
            around.namespace = self.namespace();
            attributes.push(("ns", around.namespace.clone()));
        }
        if self.chance(0.2) {
            attributes.push(("id", self.rng.random_range(1..30_000).to_string()));
        }
        (name, attributes)
    }

    /// Whether a field is optional, with the attribute that says so.
    pub(super) fn presence(&mut self, attributes: &mut Vec<Attribute>) -> bool {
        let optional = self.rng.random();
        if optional || self.chance(0.3) {
            let presence = if optional { "optional" } else { "mandatory" };
            attributes.push(("presence", presence.to_owned()));
        }
        optional
    }

    pub(super) fn field(&mut self, around: &Around) -> Instruction {
        let integer = |signed, bits| Kind::Integer { signed, bits };
        let (element, class, kind) = [
            ("int8", "Int8", integer(true, 8)),
            ("int16", "Int16", integer(true, 16)),
            ("int32", "Int32", integer(true, 32)),
            ("int64", "Int64", integer(true, 64)),
            ("uInt8", "UInt8", integer(false, 8)),
            ("uInt16", "UInt16", integer(false, 16)),
            ("uInt32", "UInt32", integer(false, 32)),
            ("uInt64", "UInt64", integer(false, 64)),
            ("decimal", "Decimal", Kind::Decimal),
            ("string", "Ascii", Kind::Ascii),
            ("string", "Ascii", Kind::Ascii),
            ("string", "Unicode", Kind::Unicode),
            ("byteVector", "Bytes", Kind::Bytes),
        ][self.rng.random_range(0..13)];
        let mut around = around.clone();
        let (name, mut attributes) = self.named(class, &mut around);
        let optional = self.presence(&mut attributes);
        match kind {
            Kind::Unicode => attributes.push(("charset", "unicode".to_owned())),
            Kind::Ascii if self.chance(0.1) => attributes.push(("charset", "ascii".to_owned())),
            _ => {}
        }
        let has_length = matches!(kind, Kind::Unicode | Kind::Bytes) && self.chance(0.2);
        let key = format!("{}|{name}", around.namespace);
        let primitive = self.unoperated(kind, optional);
        Instruction::Field(Field {
            length: has_length.then(|| format!("{name}Size")),
            name,
            element,
            attributes,
            primitive: self.operated(primitive, class, &key, &around, false),
        })
    }

    pub(super) fn decimal(&mut self, around: &Around) -> Instruction {
        let mut around = around.clone();
        let (name, mut attributes) = self.named("Decimal", &mut around);
        let optional = self.presence(&mut attributes);
        let exponent = Primitive {
            least: -63,
            greatest: 63,
            ..self.unoperated(
                Kind::Integer {
                    signed: true,
                    bits: 32,
                },
                optional,
            )
        };
        let mantissa = self.unoperated(
            Kind::Integer {
                signed: true,
                bits: 64,
            },
            false,
        );
        let key = |part| format!("{}|{name}|{part}", around.namespace);
        Instruction::Decimal(Decimal {
            attributes,
            exponent: self.operated(exponent, "Int32", &key("exponent"), &around, false),
            mantissa: self.operated(mantissa, "Int64", &key("mantissa"), &around, false),
            name,
        })
    }

    /// A field without operator, with all values of its type.
    pub(super) fn unoperated(&self, kind: Kind, optional: bool) -> Primitive {
        let (least, greatest) = kind.range();
        Primitive {
            kind,
            least,
            greatest,
            optional,
            operator: Operator::None,
        }
    }

    /// The field with a random operator that applies to its type.
    pub(super) fn operated(
        &mut self,
        field: Primitive,
        class: &str,
        default_key: &str,
        around: &Around,
        avoids_type: bool,
    ) -> Primitive {
        let is_integer = matches!(field.kind, Kind::Integer { .. });
        let is_text = !is_integer && field.kind != Kind::Decimal;
        let choices = if self.is_stateful { 7 } else { 3 };
        let operator = loop {
            break match self.rng.random_range(0..choices) {
                0 => Operator::None,
                1 => Operator::Constant(self.initial(&field)),
                2 if field.optional && self.chance(0.5) => Operator::Default(None),
                2 => Operator::Default(Some(self.initial(&field))),
                3 => Operator::Copy(self.slot(&field, class, default_key, around, avoids_type)),
                4 => Operator::Delta(self.slot(&field, class, default_key, around, avoids_type)),
                5 if is_integer => {
                    Operator::Increment(self.slot(&field, class, default_key, around, avoids_type))
                }
                6 if is_text => {
                    Operator::Tail(self.slot(&field, class, default_key, around, avoids_type))
                }
                _ => continue,
            };
        };
        Primitive { operator, ..field }
    }

    fn initial(&mut self, field: &Primitive) -> Initial {
        initial::initial(self.rng, field, self.limits.string_bytes)
    }

    /// Where an operator has its previous value. Keys that are written are shared by all fields of a type.
    fn slot(
        &mut self,
        field: &Primitive,
        class: &str,
        default_key: &str,
        around: &Around,
        avoids_type: bool,
    ) -> Slot {
        let mut attributes = Vec::new();
        let mut around = around.clone();
        self.dictionary(&mut attributes, &mut around, 0.25);
        if avoids_type && around.dictionary == "type" {
            around.dictionary = "global".to_owned();
            attributes = vec![("dictionary", around.dictionary.clone())];
        }
        let mut key = default_key.to_owned();
        if self.chance(0.35) {
            let name = format!("Key{class}{}", self.rng.random_range(0..2));
            if self.chance(0.2) {
                around.namespace = self.namespace();
                attributes.push(("ns", around.namespace.clone()));
            }
            key = format!("{}|{name}", around.namespace);
            attributes.push(("key", name));
        }
        Slot {
            scope: Scope::of(&around.dictionary),
            key,
            initial: self.chance(0.5).then(|| self.initial(field)),
            attributes,
        }
    }
}
