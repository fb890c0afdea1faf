//! Handlers, and the helper methods that are put in place of their calls.

use std::collections::{BTreeMap, BTreeSet};

use ruff_python_ast::{Expr, ExprCall, StmtClassDef, StmtFunctionDef};
use ruff_text_size::Ranged;

use super::cost::measure;
use super::expression::Value;
use super::names::{HANDLERS, list};
use super::scope::{Binding, Body, Frame, Gives, Object};
use super::{Checked, Checker};
use crate::program::{Handler, Label, Program, Statement, StatementKind};
use crate::types::Type;

/// How many helper methods may be inside each other.
const HELPERS: usize = 16;
/// The most statements of a handler with its helpers put in.
const STATEMENTS: usize = 20_000;

impl<'a> Checker<'a> {
    pub(super) fn handlers(
        &mut self,
        class: &'a StmtClassDef,
        functions: &[&'a StmtFunctionDef],
    ) -> Checked<Program> {
        let mut program = Program {
            name: class.name.to_string(),
            instruments: self.options.instruments,
            price_decimals: self.options.price_decimals,
            parameters: self.parameters.clone(),
            fields: self.fields.clone(),
            on_book: None,
            each_change: false,
            on_trade: None,
            on_order: None,
            on_timer: None,
            every: None,
        };
        let mut called = BTreeSet::new();
        for function in functions
            .iter()
            .copied()
            .filter(|function| HANDLERS.contains(&function.name.as_str()))
        {
            let (slot, object) = match function.name.as_str() {
                "on_book" => (&mut program.on_book, Some(Object::Book)),
                "on_trade" => (&mut program.on_trade, Some(Object::Trade)),
                "on_order" => (&mut program.on_order, Some(Object::Report)),
                _ => (&mut program.on_timer, None),
            };
            match function.name.as_str() {
                "on_book" => program.each_change = self.each_change(function),
                "on_timer" => program.every = self.every(function).ok(),
                _ => self.no_decorators(function),
            }
            if let Ok(handler) = self.handler(function, object, &mut called) {
                *slot = Some(handler);
            }
        }
        if program.handlers().next().is_none() && self.messages.is_empty() {
            let instead = format!("write one of {}", list(HANDLERS));
            return Err(self.fail(&class.name, "the strategy has no handler", instead));
        }
        for function in functions
            .iter()
            .copied()
            .filter(|function| !HANDLERS.contains(&function.name.as_str()))
        {
            self.no_decorators(function);
            if !called.contains(function.name.as_str()) && self.messages.is_empty() {
                self.fail(
                    &function.name,
                    format!("{} is never called", function.name),
                    "call it, or leave it out",
                );
            }
        }
        Ok(program)
    }

    fn each_change(&mut self, function: &'a StmtFunctionDef) -> bool {
        let mut found = false;
        for decorator in &function.decorator_list {
            if matches!(&decorator.expression, Expr::Name(name) if name.id.as_str() == "each_change")
            {
                self.needs_import(decorator, "each_change");
                found = true;
            } else {
                self.fail(
                    decorator,
                    "on_book has no such decorator",
                    "write @each_change, or none",
                );
            }
        }
        found
    }

    /// The `every` of `@timer(every=…)`.
    fn every(&mut self, function: &'a StmtFunctionDef) -> Checked<i64> {
        let instead = "write @timer(every=SECOND) above it";
        let [decorator] = function.decorator_list.as_slice() else {
            return Err(self.fail(&function.name, "on_timer without its interval", instead));
        };
        let value = match &decorator.expression {
            Expr::Call(call)
                if matches!(&*call.func, Expr::Name(name) if name.id.as_str() == "timer")
                    && call.arguments.args.is_empty() =>
            {
                match call.arguments.keywords.as_slice() {
                    [keyword]
                        if keyword
                            .arg
                            .as_ref()
                            .is_some_and(|name| name.as_str() == "every") =>
                    {
                        Some(&keyword.value)
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        let Some(value) = value else {
            return Err(self.fail(decorator, "on_timer without its interval", instead));
        };
        self.needs_import(decorator, "timer");
        self.body = Body::default();
        match self.constant_expression(value)? {
            (Type::Time, every) if every > 0 => Ok(every),
            _ => Err(self.fail(
                value,
                "not an interval",
                "write a time above 0, such as 5 * SECOND",
            )),
        }
    }

    fn no_decorators(&mut self, function: &'a StmtFunctionDef) {
        if let Some(decorator) = function.decorator_list.first() {
            self.fail(
                decorator,
                format!("{} has no decorators", function.name),
                "leave it out",
            );
        }
    }

    fn handler(
        &mut self,
        function: &'a StmtFunctionDef,
        object: Option<Object>,
        called: &mut BTreeSet<&'a str>,
    ) -> Checked<Handler> {
        let parameters = self.parameter_names(function)?;
        let (name, of) = match object {
            Some(Object::Book) => ("book", "Book"),
            Some(Object::Trade) => ("trade", "Trade"),
            _ => ("report", "Report"),
        };
        let expected = usize::from(object.is_some());
        if parameters.len() != expected {
            let arguments = if expected == 0 {
                "self".to_owned()
            } else {
                format!("self, {name}")
            };
            let instead = format!("write def {}({arguments}):", function.name);
            return Err(self.fail(
                &function.name,
                format!("{} has other parameters", function.name),
                instead,
            ));
        }
        self.body = Body::default();
        let end = self.label();
        let mut frame = self.new_frame(function, end, true);
        if let (Some(object), Some((parameter, annotation))) = (object, parameters.first()) {
            if let Some(annotation) = annotation {
                if self.text(*annotation) == of {
                    self.needs_import(*annotation, of);
                } else {
                    self.fail(
                        *annotation,
                        format!("{parameter} is no {}", self.text(*annotation)),
                        format!("write {parameter}: {of}"),
                    );
                }
            }
            frame.names.insert(parameter, Binding::Object(object));
            frame.assigned.get_or_insert_default().insert(parameter);
        }
        if let Some(returns) = function
            .returns
            .as_deref()
            .filter(|returns| !returns.is_none_literal_expr())
        {
            self.fail(
                returns,
                "a handler gives nothing back",
                "write -> None, or nothing",
            );
        }
        self.body.frames.push(frame);
        let body = self.statements(&function.body);
        self.body.frames.pop();
        called.append(&mut self.body.called);
        let mut handler = Handler {
            at: self.at(&function.name),
            locals: std::mem::take(&mut self.body.locals),
            labels: self.body.labels,
            operations: 0,
            records: 0,
            body: vec![Statement {
                at: self.at(function),
                kind: StatementKind::Block(end, body),
            }],
        };
        if measure(&mut handler, &self.fields) {
            return Err(self.fail(
                &function.name,
                "more than 65,536 records",
                "emit less in the loop",
            ));
        }
        if handler.operations > self.options.operations {
            let reason = format!(
                "{} runs up to {} operations, and {} are allowed",
                function.name, handler.operations, self.options.operations
            );
            return Err(self.fail(&function.name, reason, "shorten its loops"));
        }
        Ok(handler)
    }

    fn new_frame(
        &mut self,
        function: &'a StmtFunctionDef,
        end: Label,
        is_handler: bool,
    ) -> Frame<'a> {
        Frame {
            name: function.name.as_str(),
            names: BTreeMap::from([("self", Binding::Object(Object::Strategy))]),
            assigned: Some(BTreeSet::from(["self"])),
            end,
            gives: Gives::Nothing,
            returns: None,
            bare: false,
            loops: Vec::new(),
            is_handler,
        }
    }

    /// The parameters after `self`, with their annotations.
    fn parameter_names(
        &mut self,
        function: &'a StmtFunctionDef,
    ) -> Checked<Vec<(&'a str, Option<&'a Expr>)>> {
        if function.is_async {
            return Err(self.fail(&function.name, "an async method", "write def without async"));
        }
        if function.type_params.is_some() {
            return Err(self.fail(
                &function.name,
                "type parameters of a method",
                "leave them out",
            ));
        }
        let parameters = &*function.parameters;
        let plain = parameters.vararg.is_none()
            && parameters.kwarg.is_none()
            && parameters.kwonlyargs.is_empty()
            && parameters.posonlyargs.is_empty();
        if !plain
            || parameters
                .args
                .iter()
                .any(|parameter| parameter.default.is_some())
        {
            return Err(self.fail(
                parameters,
                "parameters with *, ** or a default value",
                "write plain parameters",
            ));
        }
        let mut names = parameters.args.iter().map(|parameter| {
            (
                parameter.parameter.name.as_str(),
                parameter.parameter.annotation.as_deref(),
            )
        });
        if names.next().is_none_or(|(name, _)| name != "self") {
            return Err(self.fail(
                &function.name,
                "a method without self",
                format!("write def {}(self, …):", function.name),
            ));
        }
        let names: Vec<_> = names.collect();
        for (name, _) in &names {
            if let Err(instead) = self.free_name(name) {
                return Err(self.fail(
                    parameters,
                    format!("{name} is a name of the language"),
                    instead,
                ));
            }
        }
        Ok(names)
    }

    /// A frame for an expression outside of every method.
    pub(super) fn with_frame<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        self.body.frames.push(Frame {
            name: "",
            names: BTreeMap::new(),
            assigned: Some(BTreeSet::new()),
            end: 0,
            gives: Gives::Nothing,
            returns: None,
            bare: false,
            loops: Vec::new(),
            is_handler: true,
        });
        let result = read(self);
        self.body.frames.pop();
        result
    }

    /// A helper method in place of its call.
    pub(super) fn inline(
        &mut self,
        call: &'a ExprCall,
        function: &'a StmtFunctionDef,
    ) -> Checked<Value> {
        let name = function.name.as_str();
        self.body.called.insert(name);
        if HANDLERS.contains(&name) {
            return Err(self.fail(
                call,
                "a handler is called by the market alone",
                "move what both need into a helper method",
            ));
        }
        if self.body.frames.iter().any(|frame| frame.name == name) {
            return Err(self.fail(
                call,
                format!("{name} calls itself"),
                "write a loop: for i in range(…)",
            ));
        }
        if self.body.frames.len() > HELPERS {
            return Err(self.fail(
                call,
                format!("more than {HELPERS} helper methods in each other"),
                "write fewer",
            ));
        }
        let parameters = self.parameter_names(function)?;
        if let Some(keyword) = call.arguments.keywords.first() {
            return Err(self.fail(
                keyword,
                "an argument with a name",
                "write its value alone, in the order of the parameters",
            ));
        }
        if call.arguments.args.len() != parameters.len() {
            let reason = format!(
                "{name} takes {} values, and {} are given",
                parameters.len(),
                call.arguments.args.len()
            );
            return Err(self.fail(
                call,
                reason,
                format!(
                    "write {name}({})",
                    list(parameters.iter().map(|(name, _)| *name))
                ),
            ));
        }
        let end = self.label();
        let mut frame = self.new_frame(function, end, false);
        let mut statements = Vec::new();
        for (argument, (parameter, annotation)) in call.arguments.args.iter().zip(parameters) {
            let want = annotation
                .map(|annotation| self.helper_annotation(annotation))
                .transpose()?
                .flatten();
            let binding = self.argument_binding(argument, want, &mut statements)?;
            frame.names.insert(parameter, binding);
            frame.assigned.get_or_insert_default().insert(parameter);
        }
        frame.returns = match function.returns.as_deref() {
            None => None,
            Some(returns) if returns.is_none_literal_expr() => None,
            Some(returns) => Some(self.annotation(returns)?),
        };
        self.body.frames.push(frame);
        let body = self.statements(&function.body);
        let frame = self.body.frames.pop();
        let at = self.at(call);
        statements.push(Statement {
            at,
            kind: StatementKind::Block(end, body),
        });
        let Some(frame) = frame else {
            return Ok(Value::Effect(statements));
        };
        match frame.gives {
            Gives::Wrong => Err(super::Reported),
            Gives::Nothing if frame.returns.is_some() => Err(self.fail(
                &function.name,
                format!("{name} gives no value, and its -> says that it does"),
                "write return with a value",
            )),
            Gives::Nothing => Ok(Value::Effect(statements)),
            Gives::Value(..) if frame.assigned.is_some() || frame.bare => Err(self.fail(
                &function.name,
                format!("{name} gives a value only sometimes"),
                "end each way through it with return and a value",
            )),
            Gives::Value(local, of) => Ok(Value::Scalar(
                of,
                crate::program::Expression::Block(statements, local),
            )),
        }
    }

    /// The type of a helper's parameter; none for what is no single value.
    fn helper_annotation(&mut self, annotation: &'a Expr) -> Checked<Option<Type>> {
        if matches!(self.text(annotation), "Book" | "Trade" | "Report" | "Level") {
            let name = self.text(annotation);
            self.needs_import(annotation, name);
            return Ok(None);
        }
        self.annotation(annotation).map(Some)
    }

    /// A value for a helper's parameter, in a local of its own.
    fn argument_binding(
        &mut self,
        argument: &'a Expr,
        want: Option<Type>,
        statements: &mut Vec<Statement>,
    ) -> Checked<Binding> {
        let at = self.at(argument);
        let value = self.value(argument)?;
        match value {
            Value::Object(object) if want.is_none() && object != Object::Strategy => {
                Ok(Binding::Object(object))
            }
            Value::Level(level) if want.is_none() => {
                Ok(Binding::Level(self.keep_level(level, at, statements)))
            }
            value => {
                let (of, value) = self.as_scalar(argument, value, want)?;
                let local = self.local(of);
                statements.push(Statement {
                    at,
                    kind: StatementKind::Assign(local, value),
                });
                Ok(Binding::Scalar(local, of, argument.range()))
            }
        }
    }

    /// A message, if the handler has grown too long.
    pub(super) fn count_statement(&mut self, node: &impl Ranged) -> Checked<()> {
        self.body.statements += 1;
        if self.body.statements == STATEMENTS {
            let reason = format!(
                "the handler has more than {STATEMENTS} statements with its helper methods in place"
            );
            self.fail(node, reason, "call helpers less often, or in a loop");
        }
        if self.body.statements >= STATEMENTS {
            Err(super::Reported)
        } else {
            Ok(())
        }
    }
}
