//! The level of the file, and that of the class: imports, constants, one class with declarations and methods.

use ruff_python_ast::{
    Expr, ModModule, Stmt, StmtAnnAssign, StmtAssign, StmtClassDef, StmtFunctionDef, StmtImportFrom,
};
use ruff_text_size::Ranged;

use super::names::{HANDLERS, IMPORTS, INHERITED, list, nearest};
use super::{Checked, Checker, Member};
use crate::program::Program;

impl<'a> Checker<'a> {
    pub(super) fn module(&mut self, module: &'a ModModule) -> Checked<Program> {
        let mut class: Option<&'a StmtClassDef> = None;
        for statement in &module.body {
            match statement {
                Stmt::ImportFrom(import) => self.import(import),
                Stmt::ClassDef(found) if class.is_none() => class = Some(found),
                Stmt::ClassDef(found) => {
                    self.fail(
                        &found.name,
                        "a second class",
                        "write one class in a file: a desk has one strategy file",
                    );
                }
                Stmt::Assign(assign) => self.module_constant(assign),
                Stmt::Expr(text) if matches!(*text.value, Expr::StringLiteral(_)) => {}
                Stmt::FunctionDef(function) => {
                    self.fail(
                        &function.name,
                        "a function outside of the class",
                        "make it a method: def name(self, …)",
                    );
                }
                Stmt::Import(import) => {
                    self.fail(
                        import,
                        "only tickwire is imported",
                        "write from tickwire import Strategy, …",
                    );
                }
                other => {
                    self.fail(
                        other,
                        "this cannot stand at the level of the file",
                        "write imports, constants and one class",
                    );
                }
            }
        }
        let Some(class) = class else {
            return Err(self.fail(
                module,
                "there is no class",
                "write class MyStrategy(Strategy): with a handler such as on_book",
            ));
        };
        self.class(class)
    }

    fn import(&mut self, import: &'a StmtImportFrom) {
        let module = import.module.as_ref().map(|module| module.as_str());
        if module == Some("__future__") {
            return;
        }
        if module != Some("tickwire") || import.level != 0 {
            self.fail(
                import,
                "only tickwire is imported",
                "write from tickwire import Strategy, …",
            );
            return;
        }
        for alias in &import.names {
            let name = alias.name.as_str();
            if alias.asname.is_some() {
                self.fail(
                    alias,
                    format!("{name} under another name"),
                    format!("write import {name}"),
                );
            } else if name == "*" {
                self.fail(
                    alias,
                    "import of everything",
                    "name what is used: from tickwire import Strategy, …",
                );
            } else if IMPORTS.contains(&name) {
                self.imported.push(name);
            } else {
                let instead = nearest(name, IMPORTS).map_or_else(
                    || format!("it has {}", list(IMPORTS)),
                    |near| format!("write {near}"),
                );
                self.fail(alias, format!("tickwire has no {name}"), instead);
            }
        }
    }

    fn module_constant(&mut self, assign: &'a StmtAssign) {
        let [Expr::Name(name)] = assign.targets.as_slice() else {
            self.fail(
                assign,
                "not a constant",
                "write NAME = 8: one name and one number",
            );
            return;
        };
        if let Err(instead) = self.free_name(name.id.as_str()) {
            self.fail(
                name,
                format!("{} is a name of the language", name.id),
                instead,
            );
            return;
        }
        match self.constant(&assign.value) {
            Some(Ok(value)) => {
                if self.constants.insert(name.id.as_str(), value).is_some() {
                    self.fail(
                        name,
                        format!("{} has a value already", name.id),
                        "take another name: a constant has one value",
                    );
                }
            }
            Some(Err(_)) => {}
            None => {
                self.fail(
                    &*assign.value,
                    "not a constant",
                    "write a number here, and work it out in a method",
                );
            }
        }
    }

    /// Whether a name may be given to something of the strategy; if not, what to do.
    pub(super) fn free_name(&self, name: &str) -> Result<(), String> {
        let taken = IMPORTS.contains(&name)
            || super::names::BUILT_IN.contains(&name)
            || name == "self"
            || name.starts_with("__");
        if taken {
            Err("take another name".to_owned())
        } else {
            Ok(())
        }
    }

    fn class(&mut self, class: &'a StmtClassDef) -> Checked<Program> {
        let bases = class.arguments.as_deref();
        let is_strategy = bases.is_some_and(|bases| {
            bases.keywords.is_empty()
                && matches!(&*bases.args, [Expr::Name(base)] if base.id.as_str() == "Strategy")
        });
        if !is_strategy {
            let instead = format!("write class {}(Strategy):", class.name);
            self.fail(&class.name, "the class is no Strategy", instead);
        }
        self.needs_import(&class.name, "Strategy");
        if let Some(decorator) = class.decorator_list.first() {
            self.fail(decorator, "a decorator of the class", "leave it out");
        }
        if class.type_params.is_some() {
            self.fail(
                &class.name,
                "type parameters of the class",
                "leave them out",
            );
        }
        let (mut declarations, mut functions) = (Vec::new(), Vec::new());
        for statement in &class.body {
            match statement {
                Stmt::AnnAssign(declaration) => declarations.push(declaration),
                Stmt::FunctionDef(function) => functions.push(function),
                Stmt::Pass(_) => {}
                Stmt::Expr(text)
                    if matches!(
                        *text.value,
                        Expr::StringLiteral(_) | Expr::EllipsisLiteral(_)
                    ) => {}
                Stmt::Assign(assign) => {
                    let name = self.text(&assign.targets[0]);
                    let instead =
                        format!("write {name}: int = state(…), or param(…) for what the host sets");
                    self.fail(assign, "a field without a type", instead);
                }
                other => {
                    self.fail(
                        other,
                        "this cannot stand at the level of the class",
                        "write fields, parameters and methods",
                    );
                }
            }
        }
        for declaration in declarations {
            self.member(declaration);
        }
        for function in functions.iter().copied() {
            self.method(function);
        }
        self.handlers(class, &functions)
    }

    /// A field or a parameter; its name is known afterwards, even if it is wrong.
    fn member(&mut self, declaration: &'a StmtAnnAssign) {
        let Expr::Name(name) = &*declaration.target else {
            self.fail(
                &*declaration.target,
                "not the name of a field",
                "write name: int = state(0)",
            );
            return;
        };
        let id = name.id.as_str();
        let taken = self.free_name(id).err().or_else(|| {
            INHERITED
                .contains(&id)
                .then(|| "take another name".to_owned())
        });
        if let Some(instead) = taken {
            self.fail(name, format!("{id} is a name of the language"), instead);
        }
        if self.members.contains_key(id) {
            self.fail(name, format!("{id} is declared twice"), "take another name");
        }
        let member = self.declaration(declaration, id).unwrap_or(Member::Wrong);
        self.members.insert(id, member);
    }

    fn method(&mut self, function: &'a StmtFunctionDef) {
        let name = function.name.as_str();
        if name.starts_with("__") {
            self.fail(
                &function.name,
                format!("{name} is not in the language"),
                "give fields their values with state(…)",
            );
        } else if INHERITED.contains(&name) {
            self.fail(
                &function.name,
                format!("{name} is a name of the language"),
                "take another name",
            );
        } else if self.members.contains_key(name) || self.methods.contains_key(name) {
            self.fail(
                &function.name,
                format!("{name} is declared twice"),
                "take another name",
            );
        } else if let Some(near) = HANDLERS.into_iter().find(|near| {
            name.starts_with("on_") && nearest(name, [*near]).is_some() && *near != name
        }) {
            self.fail(
                &function.name,
                format!("there is no handler {name}"),
                format!("write {near}"),
            );
        }
        self.methods.insert(name, function);
    }

    /// A message, unless the file imports the name.
    pub(super) fn needs_import(&mut self, node: &impl Ranged, name: &'a str) {
        if !self.imported.contains(&name) {
            self.fail(
                node,
                format!("{name} is not imported"),
                format!("write from tickwire import {name}"),
            );
        }
    }
}
