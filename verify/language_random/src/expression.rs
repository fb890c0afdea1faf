//! Random expressions of a given type. Each has a value that is not a bare number, so that its type is certain.

use rand::Rng;

use super::program::{Given, Shape, Writer};
use language::types::Type;

/// Whole numbers at their edges.
const EDGES: [i64; 9] = [0, 1, -1, 2, 63, 64, i64::MAX, i64::MIN, i64::MIN + 1];
const AMOUNTS: [Type; 4] = [Type::Int, Type::Price, Type::Quantity, Type::Time];

impl Writer {
    /// A whole number, in brackets if it is negative.
    pub(super) fn whole(&mut self) -> String {
        let value = match self.below(6) {
            0 => EDGES[self.below(EDGES.len())],
            1 => self.random.random(),
            _ => self.random.random_range(-20..=100),
        };
        if value < 0 {
            format!("({value})")
        } else {
            value.to_string()
        }
    }

    /// A number that has that type where one is wanted.
    pub(super) fn literal(&mut self, of: Type) -> String {
        if of != Type::Price {
            return self.whole();
        }
        let decimals = self.options.price_decimals as usize;
        let whole: i64 = self.random.random_range(-300..=300_000);
        let digits = self.below(decimals + 1);
        if digits == 0 {
            return if whole < 0 {
                format!("({whole})")
            } else {
                whole.to_string()
            };
        }
        let fraction = self.below(10_usize.pow(digits as u32));
        format!("{}.{fraction:0digits$}", whole.unsigned_abs())
    }

    /// An expression of a type.
    pub(super) fn expression(&mut self, of: Type, depth: usize) -> String {
        if depth == 0 {
            return self.leaf(of);
        }
        if self.once_in(10)
            && let Some(call) = self.helper_value(of, depth)
        {
            return call;
        }
        if self.once_in(10) {
            let (condition, a, b) = (
                self.condition(depth - 1),
                self.expression(of, depth - 1),
                self.expression(of, depth - 1),
            );
            return format!("({a} if {condition} else {b})");
        }
        match of {
            Type::Bool => self.condition(depth),
            of if of.is_amount() => self.arithmetic(of, depth - 1),
            of => self.leaf(of),
        }
    }

    fn helper_value(&mut self, of: Type, depth: usize) -> Option<String> {
        let candidates: Vec<usize> = (0..self.helpers.len())
            .filter(|index| self.helpers[*index].gives == Some(of))
            .collect();
        let index = self.pick(&candidates)?;
        Some(self.call_of(index, depth - 1))
    }

    /// An expression, or a bare number of that type.
    fn or_literal(&mut self, of: Type, depth: usize) -> String {
        if self.once_in(3) {
            self.literal(of)
        } else {
            self.expression(of, depth)
        }
    }

    fn arithmetic(&mut self, of: Type, depth: usize) -> String {
        let a = self.expression(of, depth);
        match self.below(15) {
            0..=2 => {
                let b = self.or_literal(of, depth);
                let sign = self.pick(&["+", "-"]).unwrap_or("+");
                if self.once_in(4) {
                    format!("({b} {sign} {a})")
                } else {
                    format!("({a} {sign} {b})")
                }
            }
            3 => {
                let b = self.or_literal(Type::Int, depth);
                format!("({a} * {b})")
            }
            4 | 5 => {
                let b = self.expression(Type::Int, depth);
                let sign = self.pick(&["//", "%"]).unwrap_or("%");
                format!("({a} {sign} {b})")
            }
            6 => {
                let by = *self.pick(&[&2, &3, &8, &10, &100, &-1, &-7]).unwrap_or(&2);
                let sign = self.pick(&["//", "%"]).unwrap_or("//");
                format!("({a} {sign} ({by}))")
            }
            7 => {
                let sign = self.pick(&["<<", ">>"]).unwrap_or("<<");
                let by = if self.once_in(2) {
                    self.below(64).to_string()
                } else {
                    self.expression(Type::Int, depth)
                };
                format!("({a} {sign} {by})")
            }
            8 | 9 => {
                let b = self.or_literal(of, depth);
                let function = self.pick(&["min", "max"]).unwrap_or("min");
                if self.once_in(3) {
                    let c = self.expression(of, depth);
                    format!("{function}({a}, {b}, {c})")
                } else {
                    format!("{function}({b}, {a})")
                }
            }
            10 => format!("abs({a})"),
            11 => format!("(-{a})"),
            _ if of == Type::Int => self.whole_number(a, depth),
            12 => {
                let b = self.expression(of, depth);
                format!("({a} % {b})")
            }
            _ => self.with_unit(of, depth),
        }
    }

    /// What only whole numbers have.
    fn whole_number(&mut self, a: String, depth: usize) -> String {
        match self.below(5) {
            0 => {
                let b = self.or_literal(Type::Int, depth);
                let sign = self.pick(&["&", "|", "^"]).unwrap_or("&");
                format!("({a} {sign} {b})")
            }
            1 => format!("(~{a})"),
            2 => {
                let of = AMOUNTS[self.below(4)];
                let (b, c) = (self.expression(of, depth), self.expression(of, depth));
                format!("({b} // {c})")
            }
            3 => {
                let (b, c) = (
                    self.expression(Type::Price, depth),
                    self.expression(Type::Quantity, depth),
                );
                format!("({b} * {c})")
            }
            _ => {
                let of = self.any_type();
                let b = self.expression(of, depth);
                format!("int({b})")
            }
        }
    }

    fn with_unit(&mut self, of: Type, depth: usize) -> String {
        let number = self.expression(Type::Int, depth);
        if of == Type::Price {
            format!("Price.raw({number})")
        } else {
            format!("{of}({number})")
        }
    }

    /// An expression of type `bool`.
    pub(super) fn condition(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.leaf(Type::Bool);
        }
        match self.below(8) {
            0 => {
                let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
                format!("({a} and {b})")
            }
            1 => {
                let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
                format!("({a} or {b})")
            }
            2 => format!("(not {})", self.condition(depth - 1)),
            3 => {
                let of = AMOUNTS[self.below(4)];
                let (a, b, c) = (
                    self.expression(of, depth - 1),
                    self.expression(of, depth - 1),
                    self.or_literal(of, depth - 1),
                );
                let signs = [self.order_sign(), self.order_sign()];
                format!("({a} {} {b} {} {c})", signs[0], signs[1])
            }
            4 => {
                let of = self
                    .pick(&[Type::Bool, Type::Side, Type::OrderRef])
                    .unwrap_or(Type::Bool);
                let (a, b) = (
                    self.expression(of, depth - 1),
                    self.expression(of, depth - 1),
                );
                let sign = self.pick(&["==", "!="]).unwrap_or("==");
                format!("({a} {sign} {b})")
            }
            5 => {
                let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
                let sign = self.pick(&["&", "|", "^"]).unwrap_or("&");
                format!("({a} {sign} {b})")
            }
            _ => {
                let of = AMOUNTS[self.below(4)];
                let (a, b) = (
                    self.expression(of, depth - 1),
                    self.or_literal(of, depth - 1),
                );
                let sign = self.order_sign();
                if self.once_in(3) {
                    format!("({b} {sign} {a})")
                } else {
                    format!("({a} {sign} {b})")
                }
            }
        }
    }

    fn order_sign(&mut self) -> &'static str {
        self.pick(&["<", "<=", ">", ">=", "==", "!="])
            .unwrap_or("<")
    }

    /// An instrument that may be another than those there are only if the event has such a one.
    pub(super) fn instrument(&mut self) -> String {
        self.leaf(Type::Instrument)
    }

    /// The shortest expressions of a type.
    fn leaf(&mut self, of: Type) -> String {
        let mut all = vec![self.plain(of)];
        all.extend(
            self.locals
                .iter()
                .filter(|(_, is)| *is == of)
                .map(|(name, _)| name.clone()),
        );
        all.extend(
            self.parameters
                .iter()
                .filter(|(_, is)| *is == of)
                .map(|(name, _)| format!("self.{name}")),
        );
        for index in 0..self.fields.len() {
            all.extend(self.field_value(index, of));
        }
        all.extend(self.of_event(of));
        self.pick(&all).unwrap_or_default()
    }

    /// What there is without any name.
    fn plain(&mut self, of: Type) -> String {
        match of {
            Type::Int => match self.below(3) {
                0 => "int(now)".to_owned(),
                1 => {
                    let value = self.whole();
                    format!("int({value})")
                }
                _ => "self.open_orders".to_owned(),
            },
            Type::Bool => self.pick(&["True", "False"]).unwrap_or("True").to_owned(),
            Type::Price => format!("Price({})", self.literal(of)),
            Type::Quantity
                if self.once_in(2)
                    && (self.given != Given::Nothing
                        || self
                            .parameters
                            .iter()
                            .any(|(_, is)| *is == Type::Instrument)) =>
            {
                format!("self.position({})", self.instrument())
            }
            Type::Quantity => format!("Quantity({})", self.literal(of)),
            Type::Time => self
                .pick(&["now", "SECOND", "MICROSECOND"])
                .unwrap_or("now")
                .to_owned(),
            Type::Side => self
                .pick(&["Side.BUY", "Side.SELL"])
                .unwrap_or("Side.BUY")
                .to_owned(),
            Type::OrderRef => "OrderRef(0)".to_owned(),
            Type::ReportKind => "ReportKind.FILLED".to_owned(),
            Type::Instrument => "Instrument(0)".to_owned(),
        }
    }

    /// An index, mostly one that is there.
    pub(super) fn index(&mut self, length: usize) -> String {
        let names: Vec<String> = self
            .locals
            .iter()
            .filter(|(_, of)| *of == Type::Int)
            .map(|(name, _)| name.clone())
            .collect();
        match self.below(5) {
            0 => self
                .pick(&names)
                .unwrap_or_else(|| "self.open_orders".to_owned()),
            _ => self.below(length).to_string(),
        }
    }

    fn field_value(&mut self, index: usize, of: Type) -> Option<String> {
        let field = self.fields[index].clone();
        let name = field.name;
        match field.shape {
            Shape::Ring(_) if of == Type::Int && self.once_in(4) => {
                Some(format!("self.{name}.count"))
            }
            _ if field.of != of => None,
            Shape::Scalar => Some(format!("self.{name}")),
            Shape::Array(length) => Some(format!("self.{name}[{}]", self.index(length))),
            Shape::PerInstrument => Some(format!("self.{name}[{}]", self.instrument_plain())),
            Shape::Ring(length) => Some(match self.below(4) {
                0 => format!("self.{name}.sum"),
                1 => format!("self.{name}.minimum"),
                2 => format!("self.{name}.maximum"),
                _ => format!("self.{name}[{}]", self.index(length)),
            }),
        }
    }

    /// An instrument that needs no field.
    pub(super) fn instrument_plain(&mut self) -> String {
        let names = self
            .locals
            .iter()
            .filter(|(_, of)| *of == Type::Instrument)
            .map(|(name, _)| name.clone());
        let mut all: Vec<String> = names.collect();
        all.extend(
            self.parameters
                .iter()
                .filter(|(_, is)| *is == Type::Instrument)
                .map(|(name, _)| format!("self.{name}")),
        );
        all.extend(self.of_event(Type::Instrument));
        self.pick(&all)
            .unwrap_or_else(|| "Instrument(0)".to_owned())
    }

    /// Members of what the handler is given.
    fn of_event(&mut self, of: Type) -> Vec<String> {
        let all: &[(&str, Type)] = match self.given {
            Given::Nothing => &[],
            Given::Book => &[
                ("book.instrument", Type::Instrument),
                ("book.changed", Type::Bool),
                ("book.tradable", Type::Bool),
                ("book.bid.exists", Type::Bool),
                ("book.bid.price", Type::Price),
                ("book.bid.quantity", Type::Quantity),
                ("book.bid.orders", Type::Int),
                ("book.ask.price", Type::Price),
                ("book.ask.quantity", Type::Quantity),
                ("book.ask.orders", Type::Int),
                ("book.level(Side.BUY, 3).price", Type::Price),
                ("book.level(Side.SELL, 15).quantity", Type::Quantity),
                ("book.level(Side.SELL, self.open_orders).exists", Type::Bool),
            ],
            Given::Trade => &[
                ("trade.instrument", Type::Instrument),
                ("trade.price", Type::Price),
                ("trade.quantity", Type::Quantity),
                ("trade.side", Type::Side),
            ],
            Given::Report => &[
                ("report.order", Type::OrderRef),
                ("report.instrument", Type::Instrument),
                ("report.side", Type::Side),
                ("report.price", Type::Price),
                ("report.quantity", Type::Quantity),
                ("report.remaining", Type::Quantity),
                ("report.reason", Type::Int),
            ],
        };
        let mut found: Vec<String> = all
            .iter()
            .filter(|(_, is)| *is == of)
            .map(|(text, _)| (*text).to_owned())
            .collect();
        for level in &self.levels {
            match of {
                Type::Price => found.push(format!("{level}.price")),
                Type::Quantity => found.push(format!("{level}.quantity")),
                Type::Bool => found.push(format!("{level}.exists")),
                _ => {}
            }
        }
        found
    }
}
