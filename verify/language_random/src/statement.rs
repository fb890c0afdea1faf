//! Random statements.

use super::program::{Given, Shape, Writer};
use language::types::Type;

impl Writer {
    /// Some statements; returns whether nothing may follow them.
    pub(super) fn block(&mut self, indent: usize, depth: usize) -> bool {
        let (locals, levels) = (self.locals.len(), self.levels.len());
        let outermost = indent == 2;
        let mut ended = false;
        for _ in 0..1 + self.below(4) {
            ended = self.statement(indent, depth);
            if ended {
                break;
            }
        }
        if !outermost {
            // What a block assigns may have no value after it.
            self.locals.truncate(locals);
            self.levels.truncate(levels);
        }
        ended
    }

    /// Returns whether nothing may follow it.
    fn statement(&mut self, indent: usize, depth: usize) -> bool {
        match self.below(20) {
            0 | 1 => self.assign_local(indent, depth),
            2..=4 => self.assign_field(indent, depth),
            5 => self.augmented(indent, depth),
            6 | 7 if depth > 0 => self.choice(indent, depth),
            8 if depth > 0 && self.loops < 2 => self.repeat(indent, depth),
            9 if depth > 0 => self.matching(indent, depth),
            10 | 11 => self.order(indent),
            12 | 13 => self.emit(indent, depth),
            14 => self.change_order(indent),
            15 if !self.helpers.is_empty() && !self.in_helper => {
                let index = self.below(self.helpers.len());
                let call = self.call_of(index, 1);
                self.line(indent, &call);
            }
            16 if self.given == Given::Book => {
                let name = self.new_name("l");
                let level = self
                    .pick(&["book.bid", "book.ask", "book.level(Side.BUY, 1)"])
                    .unwrap_or("book.bid");
                self.line(indent, &format!("{name} = {level}"));
                self.levels.push(name);
            }
            17 if indent > 2 => return self.leave(indent),
            _ => self.push(indent, depth),
        }
        false
    }

    fn new_name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn assign_local(&mut self, indent: usize, depth: usize) {
        let of = self.any_type();
        let value = self.expression(of, depth);
        let same: Vec<String> = self
            .locals
            .iter()
            .filter(|(name, is)| *is == of && name.starts_with('x'))
            .map(|(name, _)| name.clone())
            .collect();
        if self.once_in(2)
            && let Some(name) = self.pick(&same)
        {
            return self.line(indent, &format!("{name} = {value}"));
        }
        let name = self.new_name("x");
        match (self.below(3), of) {
            (0, of) if of.is_amount() => {
                let value = self.literal(of);
                self.line(indent, &format!("{name}: {of} = {value}"));
            }
            (1, of) => self.line(indent, &format!("{name}: {of} = {value}")),
            _ => self.line(indent, &format!("{name} = {value}")),
        }
        self.locals.push((name, of));
    }

    /// What a field may be assigned: mostly an expression, sometimes a bare number.
    fn value_for(&mut self, of: Type, depth: usize) -> String {
        if of.is_amount() && self.once_in(5) {
            self.literal(of)
        } else {
            self.expression(of, depth)
        }
    }

    fn assign_field(&mut self, indent: usize, depth: usize) {
        let index = self.below(self.fields.len());
        let field = self.fields[index].clone();
        let value = self.value_for(field.of, depth);
        let name = field.name;
        let text = match field.shape {
            Shape::Scalar => format!("self.{name} = {value}"),
            Shape::Array(length) => format!("self.{name}[{}] = {value}", self.index(length)),
            Shape::PerInstrument => format!("self.{name}[{}] = {value}", self.instrument_plain()),
            Shape::Ring(_) => format!("self.{name}.push({value})"),
        };
        self.line(indent, &text);
    }

    fn push(&mut self, indent: usize, depth: usize) {
        let rings: Vec<(String, Type)> = self
            .fields
            .iter()
            .filter(|field| matches!(field.shape, Shape::Ring(_)))
            .map(|field| (field.name.clone(), field.of))
            .collect();
        match self.pick(&rings) {
            Some((name, of)) => {
                let value = self.value_for(of, depth);
                self.line(indent, &format!("self.{name}.push({value})"));
            }
            None => self.assign_field(indent, depth),
        }
    }

    fn augmented(&mut self, indent: usize, depth: usize) {
        let targets: Vec<(String, Type, Shape)> = self
            .fields
            .iter()
            .filter(|field| field.of.is_amount() && !matches!(field.shape, Shape::Ring(_)))
            .map(|field| {
                (
                    format!("self.{}", field.name),
                    field.of,
                    field.shape.clone(),
                )
            })
            .chain(
                self.locals
                    .iter()
                    .filter(|(name, of)| of.is_amount() && name.starts_with('x'))
                    .map(|(name, of)| (name.clone(), *of, Shape::Scalar)),
            )
            .collect();
        let Some((name, of, shape)) = self.pick(&targets) else {
            return self.assign_field(indent, depth);
        };
        let target = match shape {
            Shape::Array(length) => format!("{name}[{}]", self.index(length)),
            Shape::PerInstrument => format!("{name}[{}]", self.instrument_plain()),
            _ => name,
        };
        let text = match self.below(4) {
            0 => {
                let by = self.expression(Type::Int, depth.min(1));
                let sign = self.pick(&["*", "//", "%", "<<", ">>"]).unwrap_or("*");
                format!("{target} {sign}= {by}")
            }
            1 => format!("{target} += {}", self.literal(of)),
            _ => {
                let by = self.expression(of, depth.min(2));
                let sign = self.pick(&["+", "-"]).unwrap_or("+");
                format!("{target} {sign}= {by}")
            }
        };
        self.line(indent, &text);
    }

    fn choice(&mut self, indent: usize, depth: usize) {
        let condition = self.condition(depth);
        self.line(indent, &format!("if {condition}:"));
        self.block(indent + 1, depth - 1);
        if self.once_in(3) {
            let condition = self.condition(depth - 1);
            self.line(indent, &format!("elif {condition}:"));
            self.block(indent + 1, depth - 1);
        }
        if self.once_in(2) {
            self.line(indent, "else:");
            self.block(indent + 1, depth - 1);
        }
    }

    fn repeat(&mut self, indent: usize, depth: usize) {
        let name = self.new_name("i");
        let of = if self.once_in(3) {
            Type::Instrument
        } else {
            Type::Int
        };
        let over = match (of, self.below(3)) {
            (Type::Instrument, _) => "instruments".to_owned(),
            (_, 0) => format!("range({})", self.below(5)),
            (_, 1) => format!("range({}, {})", self.below(3), self.below(7)),
            _ => format!("range({}, -2, -{})", self.below(4), 1 + self.below(2)),
        };
        self.line(indent, &format!("for {name} in {over}:"));
        self.loops += 1;
        let locals = self.locals.len();
        self.locals.push((name, of));
        self.block(indent + 1, depth - 1);
        self.locals.truncate(locals);
        self.loops -= 1;
    }

    fn matching(&mut self, indent: usize, depth: usize) {
        let (subject, cases): (String, [String; 3]) =
            if self.given == Given::Report && self.once_in(2) {
                let cases = [
                    "ReportKind.ACCEPTED",
                    "ReportKind.FILLED | ReportKind.CANCELLED",
                    "ReportKind.REFUSED",
                ];
                ("report.kind".to_owned(), cases.map(str::to_owned))
            } else if self.once_in(3) {
                (
                    self.expression(Type::Side, depth - 1),
                    ["Side.SELL", "Side.BUY", "Side.SELL"].map(str::to_owned),
                )
            } else {
                (
                    self.expression(Type::Int, depth - 1),
                    ["0 | 1", "-1", "2"].map(str::to_owned),
                )
            };
        self.line(indent, &format!("match {subject}:"));
        for case in &cases[..1 + self.below(3)] {
            let guard = if self.once_in(4) {
                format!(" if {}", self.condition(depth - 1))
            } else {
                String::new()
            };
            self.line(indent + 1, &format!("case {case}{guard}:"));
            self.block(indent + 2, depth - 1);
        }
        if self.once_in(2) {
            self.line(indent + 1, "case _:");
            self.block(indent + 2, depth - 1);
        }
    }

    fn order(&mut self, indent: usize) {
        let instrument = self.instrument();
        let side = self.pick(&["buy", "sell"]).unwrap_or("buy");
        let price = if self.once_in(5) {
            "MARKET".to_owned()
        } else {
            self.value_for(Type::Price, 1)
        };
        let quantity = self.value_for(Type::Quantity, 1);
        let force = self
            .pick(&[
                "",
                "",
                ", time_in_force=TimeInForce.IOC",
                ", time_in_force=TimeInForce.GTC",
            ])
            .unwrap_or("");
        let call = format!("self.{side}({instrument}, {price}, {quantity}{force})");
        let keepers: Vec<String> = self
            .fields
            .iter()
            .filter(|field| field.of == Type::OrderRef && field.shape == Shape::Scalar)
            .map(|field| field.name.clone())
            .collect();
        match (self.below(3), self.pick(&keepers)) {
            (0, Some(name)) => self.line(indent, &format!("self.{name} = {call}")),
            (1, _) => {
                let name = self.new_name("x");
                self.line(indent, &format!("{name} = {call}"));
                self.locals.push((name, Type::OrderRef));
            }
            _ => self.line(indent, &call),
        }
    }

    fn change_order(&mut self, indent: usize) {
        let order = self.expression(Type::OrderRef, 0);
        if self.once_in(2) {
            return self.line(indent, &format!("self.cancel({order})"));
        }
        let (price, quantity) = (
            self.value_for(Type::Price, 1),
            self.value_for(Type::Quantity, 1),
        );
        self.line(
            indent,
            &format!("self.replace({order}, {price}, {quantity})"),
        );
    }

    fn emit(&mut self, indent: usize, depth: usize) {
        let mut text = format!("self.emit({}", self.below(256));
        for _ in 0..self.below(8) {
            let of = self.any_type();
            text += &format!(", {}", self.expression(of, depth.min(2)));
        }
        self.line(indent, &format!("{text})"));
    }

    /// `return`, `break` or `continue`.
    fn leave(&mut self, indent: usize) -> bool {
        if self.loops > 0 && self.once_in(2) {
            let text = self.pick(&["break", "continue"]).unwrap_or("break");
            self.line(indent, text);
            return true;
        }
        match self.gives {
            Some(of) => {
                let value = self.value_for(of, 1);
                self.line(indent, &format!("return {value}"));
            }
            None => self.line(indent, "return"),
        }
        true
    }
}
