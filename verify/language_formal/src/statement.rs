//! Statements of the reference: each is its arm in `language::interpreter`.

use language::event::VALUES;
use language::program::{Statement, StatementKind};

use crate::Error;
use crate::layout::number;
use crate::reference::Writer;

/// Whether a statement may go to the end of a block that is around it.
fn may_leave(statement: &Statement) -> bool {
    let any = |body: &[Statement]| body.iter().any(may_leave);
    match &statement.kind {
        StatementKind::Leave(_) => true,
        StatementKind::If {
            then, otherwise, ..
        } => any(then) || any(otherwise),
        StatementKind::Loop { body, .. } | StatementKind::Block(_, body) => any(body),
        _ => false,
    }
}

impl Writer<'_> {
    /// One after the other; after one that may leave, the others only if it did not.
    pub fn statements(&mut self, statements: &[Statement]) -> Result<(), Error> {
        let mut open = 0;
        for (at, statement) in statements.iter().enumerate() {
            self.statement(statement)?;
            if may_leave(statement) && at + 1 < statements.len() {
                self.begin("if (leaves == 0) begin");
                open += 1;
            }
        }
        for _ in 0..open {
            self.end();
        }
        Ok(())
    }

    fn begin(&mut self, line: &str) {
        self.say(line);
        self.depth += 1;
    }

    fn end(&mut self) {
        self.depth -= 1;
        self.say("end");
    }

    fn statement(&mut self, statement: &Statement) -> Result<(), Error> {
        if self.line != statement.at.line {
            self.line = statement.at.line;
            let source = self.source.get(self.line as usize - 1).unwrap_or(&"");
            let source = source.trim().trim_end_matches('\\');
            self.say(&format!("// {}: {source}", self.line));
        }
        match &statement.kind {
            StatementKind::Assign(local, value) => {
                let value = self.value(value)?;
                self.say(&format!("locals[{local}] = {value};"));
            }
            StatementKind::Write(field, value) => {
                let value = self.value(value)?;
                let field = self.field(*field);
                self.say(&format!("{field} = {value};"));
            }
            StatementKind::WriteElement {
                field,
                index,
                value,
            } => {
                let value = self.kept(value)?;
                let index = self.kept(index)?;
                let has = self.has(*field, &index);
                let field = self.field(*field);
                self.say(&format!("if ({has}) {field}[{index}] = {value};"));
                self.say("else outcome.index_faults += 8'd1;");
            }
            StatementKind::Push(field, value) => {
                let value = self.kept(value)?;
                let (length, field) = (self.program.length(*field), self.field(*field));
                self.say(&format!(
                    "for (int i = {length} - 1; i > 0; i--) {field}[i] = {field}[i-1];"
                ));
                self.say(&format!("{field}[0] = {value};"));
                self.say(&format!(
                    "if ({field}_count < {length}) {field}_count = {field}_count + 64'sd1;"
                ));
            }
            StatementKind::ReadLevel { .. } => return Err(self.unsupported("level of the book")),
            StatementKind::If {
                condition,
                then,
                otherwise,
            } => {
                let condition = self.value(condition)?;
                self.begin(&format!("if ({condition} != 0) begin"));
                self.statements(then)?;
                self.end();
                if !otherwise.is_empty() {
                    self.begin("else begin");
                    self.statements(otherwise)?;
                    self.end();
                }
            }
            StatementKind::Loop {
                local,
                from,
                step,
                count,
                body,
            } => {
                let turn = format!("turn_{}", self.depth);
                self.begin(&format!(
                    "for (int {turn} = 0; {turn} < {count}; {turn}++) if (leaves == 0) begin"
                ));
                self.say(&format!(
                    "locals[{local}] = {} + {turn} * {};",
                    number(*from),
                    number(*step)
                ));
                self.statements(body)?;
                self.end();
            }
            StatementKind::Block(label, body) => {
                self.statements(body)?;
                self.say(&format!("if (leaves == {}) leaves = 0;", label + 1));
            }
            StatementKind::Leave(label) => self.say(&format!("leaves = {};", label + 1)),
            StatementKind::New {
                side,
                instrument,
                price,
                quantity,
                time_in_force,
                order,
            } => {
                let instrument = self.kept(instrument)?;
                let limit = u8::from(price.is_some());
                let price = match price {
                    Some(price) => self.kept(price)?,
                    None => number(0),
                };
                let quantity = self.kept(quantity)?;
                let (time, sell) = (*time_in_force as u8, *side as u8);
                self.begin("if (outcome.count < MostIntents) begin");
                self.say("orders = orders + 64'sd1;");
                self.say(&format!("outcome.intents[outcome.count[1:0]] = new_order(orders, 3'd{time}, 1'b{limit}, 1'b{sell}, {instrument}, {price}, {quantity});"));
                self.say("outcome.count += 3'd1;");
                self.say(&format!("locals[{order}] = orders;"));
                self.end();
                self.begin("else begin");
                self.say("outcome.intent_faults += 8'd1;");
                self.say(&format!("locals[{order}] = '0;"));
                self.end();
            }
            StatementKind::Cancel(order) => {
                let order = self.kept(order)?;
                self.send(&format!("cancel({order})"));
            }
            StatementKind::Replace {
                order,
                price,
                quantity,
            } => {
                let order = self.kept(order)?;
                let price = self.kept(price)?;
                let quantity = self.kept(quantity)?;
                self.send(&format!("replacement({order}, {price}, {quantity})"));
            }
            StatementKind::Emit(tag, values) => {
                let mut kept = Vec::new();
                for value in values.iter() {
                    kept.push(self.kept(value)?);
                }
                kept.truncate(VALUES);
                let record = "outcome.records[outcome.record_count[0]]";
                self.say(&format!("{record}.tag = 8'd{tag};"));
                self.say(&format!("{record}.count = 3'd{};", kept.len()));
                for (at, value) in kept.iter().enumerate() {
                    self.say(&format!("{record}.values[{at}] = {value};"));
                }
                self.say("outcome.record_count += 3'd1;");
            }
        }
        Ok(())
    }

    /// Cancel or replacement.
    fn send(&mut self, intent: &str) {
        self.begin("if (outcome.count < MostIntents) begin");
        self.say(&format!("outcome.intents[outcome.count[1:0]] = {intent};"));
        self.say("outcome.count += 3'd1;");
        self.end();
        self.say("else outcome.intent_faults += 8'd1;");
    }
}
