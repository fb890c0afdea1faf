//! The names of a handler and of the helper methods inside it, and which of them have a value for certain.

use std::collections::{BTreeMap, BTreeSet};

use ruff_text_size::TextRange;

use super::Checker;
use crate::program::{Label, Local};
use crate::types::Type;

/// What a handler is given, and `self`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Object {
    Strategy,
    Book,
    Trade,
    Report,
}

/// What a name holds.
#[derive(Clone, Copy, Debug)]
pub(super) enum Binding {
    Scalar(Local, Type, TextRange),
    /// Price, quantity, orders.
    Level([Local; 3]),
    Object(Object),
    /// Its value is wrong, and a message says so.
    Wrong,
}

/// What a helper method gives back.
#[derive(Clone, Copy, Debug)]
pub(super) enum Gives {
    /// No `return` with a value so far.
    Nothing,
    Value(Local, Type),
    Wrong,
}

/// A handler's or a helper's own names.
#[derive(Debug)]
pub(super) struct Frame<'a> {
    pub(super) name: &'a str,
    pub(super) names: BTreeMap<&'a str, Binding>,
    /// Names that have a value wherever the walk is now; `None` where nothing comes to.
    pub(super) assigned: Option<BTreeSet<&'a str>>,
    /// Where `return` goes.
    pub(super) end: Label,
    pub(super) gives: Gives,
    /// The type after `->`.
    pub(super) returns: Option<Type>,
    /// A `return` without a value.
    pub(super) bare: bool,
    /// Where `break` and `continue` of the loops around go.
    pub(super) loops: Vec<(Label, Label)>,
    /// Whether it is a handler, not a helper.
    pub(super) is_handler: bool,
}

/// A handler while it is read.
#[derive(Debug, Default)]
pub(super) struct Body<'a> {
    pub(super) locals: Vec<Type>,
    pub(super) labels: usize,
    /// The handler, and the helpers that are being put into it.
    pub(super) frames: Vec<Frame<'a>>,
    /// How many statements it has by now.
    pub(super) statements: usize,
    /// Helpers that were called.
    pub(super) called: BTreeSet<&'a str>,
    /// How deep the statement or expression is.
    pub(super) depth: usize,
}

impl<'a> Checker<'a> {
    pub(super) fn local(&mut self, of: Type) -> Local {
        self.body.locals.push(of);
        self.body.locals.len() - 1
    }

    pub(super) fn label(&mut self) -> Label {
        self.body.labels += 1;
        self.body.labels - 1
    }

    /// The frame of the method that is being read.
    ///
    /// # Panics
    /// Outside of every method, where nothing asks.
    pub(super) fn frame(&mut self) -> &mut Frame<'a> {
        self.body
            .frames
            .last_mut()
            .expect("statements and expressions are inside a method")
    }

    pub(super) fn bind(&mut self, name: &'a str, binding: Binding) {
        let frame = self.frame();
        frame.names.insert(name, binding);
        if let Some(assigned) = &mut frame.assigned {
            assigned.insert(name);
        }
    }

    /// Nothing comes here: after `return`, `break` and `continue`.
    pub(super) fn nothing_follows(&mut self) {
        self.frame().assigned = None;
    }
}

/// The names that have a value after either of two ways.
pub(super) fn either<'a>(
    a: Option<BTreeSet<&'a str>>,
    b: Option<BTreeSet<&'a str>>,
) -> Option<BTreeSet<&'a str>> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.intersection(&b).copied().collect()),
        (one, other) => one.or(other),
    }
}
