//! Calls: what a strategy asks for and tells, what it reads by a call, conversions, and helper methods.

use formats::Side;
use ruff_python_ast::{Expr, ExprAttribute, ExprCall, ExprName};

use super::expression::{Level, Value};
use super::literal::{Literal, with_article};
use super::names::{is_whole, nearest};
use super::scope::Object;
use super::{Checked, Checker};
use crate::event::{LEVELS, VALUES};
use crate::program::{Binary, Expression, Shape, StatementKind, TimeInForce};
use crate::types::Type;

impl<'a> Checker<'a> {
    pub(super) fn call(&mut self, node: &'a ExprCall) -> Checked<Value> {
        match &*node.func {
            Expr::Name(name) => self.call_name(node, name),
            Expr::Attribute(attribute) => self.call_attribute(node, attribute),
            other => Err(self.fail(
                other,
                "this cannot be called",
                "call a method of self, or a function of the language",
            )),
        }
    }

    /// The arguments, which have no names, if there are as many as that.
    fn plain(&mut self, node: &'a ExprCall, form: &str, count: usize) -> Checked<&'a [Expr]> {
        if let Some(keyword) = node.arguments.keywords.first() {
            return Err(self.fail(keyword, "an argument with a name", format!("write {form}")));
        }
        if node.arguments.args.len() != count {
            let reason = format!(
                "{} arguments, and it takes {count}",
                node.arguments.args.len()
            );
            return Err(self.fail(node, reason, format!("write {form}")));
        }
        Ok(&node.arguments.args)
    }

    fn call_name(&mut self, node: &'a ExprCall, name: &'a ExprName) -> Checked<Value> {
        let function = name.id.as_str();
        match function {
            "min" | "max" => {
                let binary = if function == "min" {
                    Binary::Minimum
                } else {
                    Binary::Maximum
                };
                if node.arguments.args.len() < 2 || !node.arguments.keywords.is_empty() {
                    return Err(self.fail(
                        node,
                        "it takes two values or more",
                        format!("write {function}(a, b)"),
                    ));
                }
                let mut all = self.value(&node.arguments.args[0])?;
                for argument in &node.arguments.args[1..] {
                    let next = self.value(argument)?;
                    all = self.extreme(binary, (&node.arguments.args[0], all), (argument, next))?;
                }
                Ok(all)
            }
            "abs" => {
                let [argument] = self.plain(node, "abs(a)", 1)? else {
                    return Err(super::Reported);
                };
                self.absolute(argument)
            }
            "int" => {
                let [argument] = self.plain(node, "int(a)", 1)? else {
                    return Err(super::Reported);
                };
                let (_, value) = self.scalar(argument, None)?;
                Ok(Value::Scalar(Type::Int, value))
            }
            "len" => {
                let [argument] = self.plain(node, "len(self.field)", 1)? else {
                    return Err(super::Reported);
                };
                let field = self.container(argument)?;
                match self.fields[field].shape {
                    Shape::Array(length) => Ok(Value::Scalar(
                        Type::Int,
                        Expression::Constant(length as i64),
                    )),
                    Shape::Ring(_) => Err(self.fail(
                        node,
                        "len of a ring",
                        format!("write {}.count", self.text(argument)),
                    )),
                    _ => Err(self.fail(
                        node,
                        "len of what each instrument has",
                        "write for instrument in instruments",
                    )),
                }
            }
            "bool" => Err(self.fail(
                node,
                "bool(…) is not in the language",
                "write a comparison, such as … != 0",
            )),
            "range" => Err(self.fail(node, "range outside of for", "write for i in range(…)")),
            "Price" | "Quantity" | "Time" | "OrderRef" | "Instrument" | "Side" | "ReportKind" => {
                self.needs_import(node, function);
                self.conversion(node, function)
            }
            "round" | "sum" | "print" | "float" | "str" | "pow" | "divmod" | "sorted" | "any"
            | "all" | "enumerate" | "zip" => {
                let instead = match function {
                    "print" => "write self.emit(tag, …), which the host shows",
                    "sum" | "any" | "all" => "write a for loop",
                    "enumerate" | "zip" => "write for i in range(…)",
                    "pow" => "write a product, or 1 << n for a power of two",
                    "divmod" => "write // and %",
                    _ => "leave it out: values are whole numbers",
                };
                Err(self.fail(node, format!("{function} is not in the language"), instead))
            }
            _ if self.methods.contains_key(function) => Err(self.fail(
                node,
                format!("{function} belongs to the strategy"),
                format!("write self.{function}(…)"),
            )),
            _ => Err(self.fail(
                node,
                format!("there is no function {function}"),
                "call a method of self, or min, max, abs, int, len",
            )),
        }
    }

    /// A unit for a number.
    fn conversion(&mut self, node: &'a ExprCall, function: &'a str) -> Checked<Value> {
        let to = Type::named(function).ok_or(super::Reported)?;
        let [argument] = self.plain(node, &format!("{function}(a)"), 1)? else {
            return Err(super::Reported);
        };
        match self.value(argument)? {
            Value::Literal(literal) => {
                let value = self.convert(argument, literal, to)?;
                Ok(Value::Scalar(to, Expression::Constant(value)))
            }
            Value::Scalar(Type::Int, value) if matches!(to, Type::Quantity | Type::Time) => {
                Ok(Value::Scalar(to, value))
            }
            Value::Scalar(Type::Int, _) if to == Type::Price => {
                let text = self.text(argument);
                let reason =
                    "whether this counts whole prices or the smallest steps of one is not clear";
                Err(self.fail(
                    node,
                    reason,
                    format!("write Price.raw({text}) for steps, or {text} * Price(1)"),
                ))
            }
            Value::Scalar(of, _) if of == to => Err(self.fail(
                node,
                format!("it is {} already", with_article(of)),
                format!("write {}", self.text(argument)),
            )),
            Value::Scalar(of, _)
                if matches!(to, Type::Quantity | Type::Time | Type::Price) && of != Type::Int =>
            {
                let form = if to == Type::Price {
                    "Price.raw"
                } else {
                    function
                };
                let instead = format!("write {form}(int({}))", self.text(argument));
                Err(self.fail(node, format!("{} is no {to}", with_article(of)), instead))
            }
            Value::Scalar(..) => {
                let instead = match to {
                    Type::OrderRef => "keep what self.buy(…) gives; OrderRef(0) is no order",
                    Type::Instrument => "write for instrument in instruments, or a parameter",
                    _ => "write a comparison, and one of its constants",
                };
                Err(self.fail(node, format!("a number is no {to}"), instead))
            }
            value => self
                .as_scalar(argument, value, Some(to))
                .map(|(of, value)| Value::Scalar(of, value)),
        }
    }

    fn call_attribute(
        &mut self,
        node: &'a ExprCall,
        attribute: &'a ExprAttribute,
    ) -> Checked<Value> {
        let name = attribute.attr.as_str();
        if let Expr::Name(base) = &*attribute.value
            && base.id.as_str() == "Price"
        {
            self.needs_import(&*attribute.value, "Price");
            if name != "raw" {
                return Err(self.fail(
                    &attribute.attr,
                    format!("Price has no {name}"),
                    "write Price(12.5), or Price.raw(n) for n smallest steps",
                ));
            }
            let [argument] = self.plain(node, "Price.raw(n)", 1)? else {
                return Err(super::Reported);
            };
            let (_, value) = self.scalar(argument, Some(Type::Int))?;
            return Ok(Value::Scalar(Type::Price, value));
        }
        match self.value(&attribute.value)? {
            Value::Object(Object::Strategy) => self.call_own(node, attribute, name),
            Value::Object(Object::Book) if name == "level" => self.level(node),
            Value::Container(field)
                if name == "push" && matches!(self.fields[field].shape, Shape::Ring(_)) =>
            {
                let [argument] = self.plain(node, "push(value)", 1)? else {
                    return Err(super::Reported);
                };
                let (_, value) = self.scalar(argument, Some(self.fields[field].of))?;
                Ok(Value::Effect(vec![
                    self.make(node, StatementKind::Push(field, value)),
                ]))
            }
            Value::Container(field)
                if matches!(self.fields[field].shape, Shape::Ring(_))
                    && matches!(name, "sum" | "count" | "minimum" | "maximum") =>
            {
                Err(self.fail(
                    node,
                    format!("{name} is not a method"),
                    format!("write {}", self.text(&*node.func)),
                ))
            }
            _ => Err(self.fail(
                node,
                format!("there is no method {name} here"),
                "call methods of self, book.level(…), or push(…) of a ring",
            )),
        }
    }

    fn call_own(
        &mut self,
        node: &'a ExprCall,
        attribute: &'a ExprAttribute,
        name: &'a str,
    ) -> Checked<Value> {
        match name {
            "buy" | "sell" => self.order(node, if name == "buy" { Side::Buy } else { Side::Sell }),
            "cancel" => {
                let [order] = self.plain(node, "self.cancel(order)", 1)? else {
                    return Err(super::Reported);
                };
                let (_, order) = self.scalar(order, Some(Type::OrderRef))?;
                Ok(Value::Effect(vec![
                    self.make(node, StatementKind::Cancel(order)),
                ]))
            }
            "replace" => {
                let form = "self.replace(order, price, quantity)";
                let [order, price, quantity] =
                    self.named(node, form, ["order", "price", "quantity"])?;
                let (_, order) = self.scalar(order, Some(Type::OrderRef))?;
                let (_, price) = self.scalar(price, Some(Type::Price))?;
                let (_, quantity) = self.scalar(quantity, Some(Type::Quantity))?;
                Ok(Value::Effect(vec![self.make(
                    node,
                    StatementKind::Replace {
                        order,
                        price,
                        quantity,
                    },
                )]))
            }
            "emit" => self.emit(node),
            "position" => {
                let [instrument] = self.plain(node, "self.position(instrument)", 1)? else {
                    return Err(super::Reported);
                };
                let (_, instrument) = self.scalar(instrument, Some(Type::Instrument))?;
                Ok(Value::Scalar(
                    Type::Quantity,
                    Expression::PositionIn(Box::new(instrument)),
                ))
            }
            _ => match self.methods.get(name).copied() {
                Some(function) => self.inline(node, function),
                None if self.members.contains_key(name) => Err(self.fail(
                    &attribute.attr,
                    format!("{name} is not a method"),
                    format!("write self.{name}"),
                )),
                None => {
                    let known = self
                        .methods
                        .keys()
                        .copied()
                        .chain(["buy", "sell", "cancel", "replace", "emit", "position"]);
                    let instead = nearest(name, known).map_or_else(
                        || format!("write def {name}(self, …): in the class"),
                        |near| format!("write self.{near}(…)"),
                    );
                    Err(self.fail(
                        &attribute.attr,
                        format!("the strategy has no method {name}"),
                        instead,
                    ))
                }
            },
        }
    }

    /// Arguments that may have their names, in the order in which they stand.
    fn named<const N: usize>(
        &mut self,
        node: &'a ExprCall,
        form: &str,
        names: [&str; N],
    ) -> Checked<[&'a Expr; N]> {
        let plain = &node.arguments.args;
        let mut found: Vec<&'a Expr> = plain.iter().collect();
        for keyword in &node.arguments.keywords {
            let expected = names.get(found.len()).copied();
            match keyword.arg.as_ref().map(|name| name.as_str()) {
                Some(name) if Some(name) == expected => found.push(&keyword.value),
                Some(name) if names.contains(&name) => {
                    return Err(self.fail(
                        keyword,
                        "arguments out of order",
                        format!("write {form}: they are evaluated in this order"),
                    ));
                }
                _ => {
                    return Err(self.fail(
                        keyword,
                        "there is no such argument",
                        format!("write {form}"),
                    ));
                }
            }
        }
        let count = found.len();
        found.try_into().map_err(|_| {
            self.fail(
                node,
                format!("{count} arguments, and it takes {N}"),
                format!("write {form}"),
            )
        })
    }

    fn order(&mut self, node: &'a ExprCall, side: Side) -> Checked<Value> {
        let name = if side == Side::Buy { "buy" } else { "sell" };
        let form = format!(
            "self.{name}(instrument, price, quantity), perhaps with time_in_force=TimeInForce.IOC at the end"
        );
        let mut time_in_force = TimeInForce::default();
        let arguments = &node.arguments;
        let mut found: Vec<&'a Expr> = arguments.args.iter().collect();
        for keyword in &arguments.keywords {
            let name = keyword.arg.as_ref().map(|name| name.as_str());
            if name == Some("time_in_force") && found.len() == 3 {
                match self.value(&keyword.value)? {
                    Value::TimeInForce(value) => time_in_force = value,
                    _ => {
                        let instead = "write TimeInForce.DAY, GTC, IOC or FOK";
                        return Err(self.fail(&keyword.value, "not a time in force", instead));
                    }
                }
            } else if name.is_some()
                && ["instrument", "price", "quantity"]
                    .get(found.len())
                    .copied()
                    == name
            {
                found.push(&keyword.value);
            } else {
                return Err(self.fail(
                    keyword,
                    "no such argument, or out of order",
                    format!("write {form}"),
                ));
            }
        }
        let [instrument, price, quantity] = found[..] else {
            return Err(self.fail(
                node,
                format!("{} arguments, and it takes 3", found.len()),
                format!("write {form}"),
            ));
        };
        let (_, instrument) = self.scalar(instrument, Some(Type::Instrument))?;
        let price = match self.value(price)? {
            Value::Market => None,
            value => Some(self.as_scalar(price, value, Some(Type::Price))?.1),
        };
        let (_, quantity) = self.scalar(quantity, Some(Type::Quantity))?;
        let order = self.local(Type::OrderRef);
        let new = self.make(
            node,
            StatementKind::New {
                side,
                instrument,
                price,
                quantity,
                time_in_force,
                order,
            },
        );
        Ok(Value::Scalar(
            Type::OrderRef,
            Expression::Block(vec![new], order),
        ))
    }

    fn emit(&mut self, node: &'a ExprCall) -> Checked<Value> {
        let form = "self.emit(tag, value, …)";
        if let Some(keyword) = node.arguments.keywords.first() {
            return Err(self.fail(keyword, "an argument with a name", format!("write {form}")));
        }
        let Some((tag_node, values)) = node.arguments.args.split_first() else {
            return Err(self.fail(node, "a record without a tag", format!("write {form}")));
        };
        let tag = match self.value(tag_node)? {
            Value::Literal(Literal { value, .. }) if (0..=255).contains(&value) => value as u8,
            _ => {
                return Err(self.fail(
                    tag_node,
                    "not a tag",
                    "write a number from 0 to 255, or the name of a constant",
                ));
            }
        };
        if values.len() > VALUES {
            return Err(self.fail(
                node,
                format!("{} values, and a record has at most {VALUES}", values.len()),
                "emit two records",
            ));
        }
        let mut read = Vec::new();
        for value in values {
            read.push(self.scalar(value, None)?.1);
        }
        Ok(Value::Effect(vec![
            self.make(node, StatementKind::Emit(tag, read)),
        ]))
    }

    fn level(&mut self, node: &'a ExprCall) -> Checked<Value> {
        let [side, number] = self.plain(node, "book.level(Side.BUY, 0): 0 is the best", 2)? else {
            return Err(super::Reported);
        };
        let (_, side) = self.scalar(side, Some(Type::Side))?;
        let value = self.value(number)?;
        if let Value::Literal(literal) = &value
            && (!is_whole(literal) || !(0..LEVELS as i128).contains(&literal.value))
        {
            return Err(self.fail(
                number,
                format!("there are {LEVELS} levels"),
                format!("write 0, the best, to {}", LEVELS - 1),
            ));
        }
        let (_, number) = self.as_scalar(number, value, Some(Type::Int))?;
        Ok(Value::Level(Level::Read(Box::new(side), Box::new(number))))
    }
}
