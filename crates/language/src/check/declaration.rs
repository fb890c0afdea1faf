//! Fields and parameters: `name: Price = state(0)`.

use ruff_python_ast::{Arguments, Expr, ExprCall, StmtAnnAssign};
use ruff_text_size::Ranged;

use super::literal::with_article;
use super::names::{is_whole, list};
use super::{Checked, Checker, Member};
use crate::program::{Field, Parameter, Shape};
use crate::types::Type;

/// The longest array or ring.
const LENGTH: i128 = 1 << 16;

/// `Array`, `Ring`, `PerInstrument` and the function that makes one.
const CONTAINERS: [(&str, &str); 3] = [
    ("Array", "array"),
    ("Ring", "ring"),
    ("PerInstrument", "per_instrument"),
];

impl<'a> Checker<'a> {
    pub(super) fn declaration(&mut self, node: &'a StmtAnnAssign, name: &str) -> Checked<Member> {
        let Some(Expr::Call(call)) = node.value.as_deref() else {
            let instead = format!(
                "write {name}: {} = state(…), or param(…) for what the host sets",
                self.text(&*node.annotation)
            );
            return Err(self.fail(node, "a field without state(…) or param(…)", instead));
        };
        let Expr::Name(function) = &*call.func else {
            return Err(self.fail(
                call,
                "not a declaration",
                "write state(…), param(…), array(…), ring(…) or per_instrument(…)",
            ));
        };
        let function = function.id.as_str();
        if !matches!(
            function,
            "state" | "param" | "array" | "ring" | "per_instrument"
        ) {
            return Err(self.fail(
                call,
                "not a declaration",
                "write state(…), param(…), array(…), ring(…) or per_instrument(…)",
            ));
        }
        self.needs_import(call, function);
        let container = CONTAINERS.into_iter().find(|(_, makes)| *makes == function);
        let of = match container {
            None => self.annotation(&node.annotation)?,
            Some((container, _)) => self.container_annotation(&node.annotation, container)?,
        };
        if function == "param" {
            return self.parameter(node, name, of, call);
        }
        let (shape, initial) = match function {
            "state" => (Shape::Scalar, self.argument(call, 0, of, Some(1))?),
            "per_instrument" => (Shape::PerInstrument, self.argument(call, 0, of, Some(1))?),
            "array" => (
                Shape::Array(self.length(call, 2)?),
                self.argument(call, 1, of, Some(2))?,
            ),
            _ => (Shape::Ring(self.length(call, 1)?), Some(0)),
        };
        self.fields.push(Field {
            name: name.to_owned(),
            of,
            shape,
            initial: initial.unwrap_or(0),
            at: self.at(node),
        });
        Ok(Member::Field(self.fields.len() - 1))
    }

    fn parameter(
        &mut self,
        node: &'a StmtAnnAssign,
        name: &str,
        of: Type,
        call: &'a ExprCall,
    ) -> Checked<Member> {
        let default = self.argument(call, 0, of, Some(1))?;
        let at = self.at(node);
        self.parameters.push(Parameter {
            name: name.to_owned(),
            of,
            default,
            at,
        });
        Ok(Member::Parameter(self.parameters.len() - 1))
    }

    /// The value of an argument, if it is there; and that there are no more than `most`.
    fn argument(
        &mut self,
        call: &'a ExprCall,
        index: usize,
        of: Type,
        most: Option<usize>,
    ) -> Checked<Option<i64>> {
        let Arguments { args, keywords, .. } = &call.arguments;
        if let Some(keyword) = keywords.first() {
            return Err(self.fail(keyword, "an argument with a name", "write its value alone"));
        }
        if let Some(extra) = most.and_then(|most| args.get(most)) {
            return Err(self.fail(extra, "one argument too many", "leave it out"));
        }
        args.get(index)
            .map(|value| self.initial(value, of))
            .transpose()
    }

    /// A constant of that type.
    fn initial(&mut self, node: &'a Expr, of: Type) -> Checked<i64> {
        if let Some(literal) = self.constant(node) {
            return self.convert(node, literal?, of);
        }
        self.body = super::scope::Body::default();
        let (found, value) = self.constant_expression(node)?;
        if found == of {
            Ok(value)
        } else {
            Err(self.fail(
                node,
                format!(
                    "{} where {} is declared",
                    with_article(found),
                    with_article(of)
                ),
                "write a value of that type",
            ))
        }
    }

    fn length(&mut self, call: &'a ExprCall, most: usize) -> Checked<usize> {
        let Some(first) = call.arguments.args.first() else {
            return Err(self.fail(
                call,
                "no length",
                "write the number of values, as in array(8) and ring(8)",
            ));
        };
        if let Some(extra) = call.arguments.args.get(most) {
            return Err(self.fail(extra, "one argument too many", "leave it out"));
        }
        match self.constant(first) {
            Some(Ok(literal)) if is_whole(&literal) && (1..=LENGTH).contains(&literal.value) => {
                Ok(literal.value as usize)
            }
            Some(Err(reported)) => Err(reported),
            _ => Err(self.fail(
                first,
                "not a length",
                format!("write a number from 1 to {LENGTH}, or the name of a constant"),
            )),
        }
    }

    /// A type, as an annotation has it.
    pub(super) fn annotation(&mut self, node: &'a Expr) -> Checked<Type> {
        let named = match node {
            Expr::Name(name) => Type::named(name.id.as_str()),
            _ => None,
        };
        let Some(of) = named else {
            return Err(self.no_type(node));
        };
        if !matches!(of, Type::Int | Type::Bool) {
            self.needs_import(node, of.name());
        }
        Ok(of)
    }

    fn no_type(&mut self, node: &'a Expr) -> super::Reported {
        let text = self.text(node);
        let instead = match text {
            "float" => "write Price for a price, or int: there are no floats".to_owned(),
            "str" => "write int: there are no strings".to_owned(),
            _ => {
                let container = CONTAINERS
                    .into_iter()
                    .find(|(container, _)| text.starts_with(container));
                match container {
                    Some((_, makes)) => format!("give it {makes}(…) as its value"),
                    None => format!("write one of {}", list(Type::ALL.map(Type::name))),
                }
            }
        };
        self.fail(node, format!("{text} is no type of one value"), instead)
    }

    fn container_annotation(&mut self, node: &'a Expr, container: &'static str) -> Checked<Type> {
        match node {
            Expr::Subscript(subscript) if matches!(&*subscript.value, Expr::Name(name) if name.id.as_str() == container) =>
            {
                self.needs_import(node, container);
                self.annotation(&subscript.slice)
            }
            _ => {
                let of = Type::named(self.text(node)).map_or("Price", Type::name);
                Err(self.fail(
                    node,
                    "the type does not say what it holds many of",
                    format!("write {container}[{of}]"),
                ))
            }
        }
    }

    /// The value of an expression that needs nothing but constants, and its type.
    pub(super) fn constant_expression(&mut self, node: &'a Expr) -> Checked<(Type, i64)> {
        let value = self.with_frame(|checker| checker.scalar(node, None))?;
        match value {
            (of, crate::program::Expression::Constant(value)) => Ok((of, value)),
            _ => Err(self.fail(
                &node.range(),
                "not a constant",
                "write a number, or a constant such as Side.BUY or SECOND",
            )),
        }
    }
}
