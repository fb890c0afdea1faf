//! A handler's values, stage by stage.

use std::fmt::Write as _;

use language::event::INTENTS;
use language::program::{Binary, Unary};
use language::slot;

use crate::build::{Built, What, leaving, operands};
use crate::graph::{Id, Node, Unit, is_comparison};
use crate::schedule::{Schedule, is_free};

use super::HANDLERS;
use super::names::{Names, number};

/// A handler and what its parts are called.
pub struct Text<'a> {
    place: usize,
    built: &'a Built,
    schedule: Schedule,
    names: &'a Names,
    lines: &'a [&'a str],
    /// Values that a later stage needs, or what leaves.
    kept: Vec<bool>,
}

/// An intent at its place.
pub struct Site {
    pub when: String,
    pub intent: String,
}

/// A record at its place.
pub struct Record {
    pub when: String,
    pub tag: u8,
    pub values: Vec<String>,
}

impl<'a> Text<'a> {
    pub fn new(
        place: usize,
        built: &'a Built,
        schedule: Schedule,
        names: &'a Names,
        lines: &'a [&'a str],
    ) -> Self {
        Text {
            place,
            kept: kept(built, &schedule),
            built,
            schedule,
            names,
            lines,
        }
    }

    /// `processor_pkg`'s name.
    pub fn handler(&self) -> String {
        format!("HANDLER_{}", HANDLERS[self.place].to_uppercase())
    }

    fn name(&self) -> &'static str {
        HANDLERS[self.place]
    }

    /// Whether the event's values are in this stage.
    fn token(&self, stage: usize) -> String {
        format!("{}_stage[{stage}]", self.name())
    }

    /// When all is known that leaves.
    pub fn leaves(&self) -> String {
        format!("{}_go[{}]", self.name(), self.schedule.leave)
    }

    /// When the values leave the last stage.
    pub fn ends(&self) -> String {
        format!("{}_go[{}]", self.name(), self.schedule.stages - 1)
    }

    fn is_bool(&self, id: Id) -> bool {
        self.built.graph.is_bool(id)
    }

    /// A value as it is named in a stage, of its own width.
    fn named(&self, id: Id, stage: usize) -> String {
        let node = &self.built.graph.nodes[id];
        let name = self.name();
        match node {
            Node::Constant(value) if self.is_bool(id) => format!("1'b{value}"),
            Node::Constant(value) => number(*value),
            Node::Input(of) if self.is_bool(id) => format!("inputs[{}][0]", slot::place(*of)),
            Node::Input(of) => format!("inputs[{}]", slot::place(*of)),
            Node::Parameter(place) => self.names.parameters[*place].clone(),
            Node::Word(word) => self.names.word(*word).to_owned(),
            Node::Orders => "orders".into(),
            Node::Unit(unit, member) => match self.built.graph.units[*unit] {
                Unit::Multiply(..) => format!("{name}_product_{unit}"),
                Unit::Divide(..) => format!("{name}_quotient_{unit}"),
                Unit::Level(..) => format!("{name}_level_{unit}[{member}]"),
            },
            _ if self.schedule.stage[id] == Some(stage) => format!("{name}_{id}"),
            _ => format!("{name}_{id}_r"),
        }
    }

    /// A value as a number.
    fn value(&self, id: Id, stage: usize) -> String {
        match self.built.graph.nodes[id] {
            Node::Constant(value) => number(value),
            _ if self.is_bool(id) => format!("value_t'({{1'b0, {}}})", self.named(id, stage)),
            _ => self.named(id, stage),
        }
    }

    /// Whether a value is not 0.
    fn truth(&self, id: Id, stage: usize) -> String {
        if self.is_bool(id) {
            self.named(id, stage)
        } else {
            format!("({} != 0)", self.named(id, stage))
        }
    }

    /// Of an intent or a record, while it leaves.
    fn out(&self, id: Id) -> String {
        self.value(id, self.schedule.leave + 1)
    }

    /// Whether it leaves: in the stage before that.
    fn last(&self, id: Id) -> String {
        self.truth(id, self.schedule.leave)
    }

    /// After the last stage.
    fn after(&self, id: Id) -> String {
        self.value(id, self.schedule.stages)
    }

    /// How a value is worked out.
    fn expression(&self, id: Id, stage: usize) -> String {
        let value = |id| self.value(id, stage);
        match self.built.graph.nodes[id] {
            Node::Read {
                first,
                length,
                index,
            } => self.read(self.names.array(first), length, index, stage),
            Node::Position(index) => self.read("positions", 0, index, stage),
            Node::Unary(operator, a) => match operator {
                Unary::Negate => format!("-{}", value(a)),
                Unary::Absolute => format!("{0} < 0 ? -{0} : {0}", value(a)),
                Unary::Invert => format!("~{}", value(a)),
                Unary::Not => format!("!{}", self.truth(a, stage)),
            },
            Node::Binary(operator, a, b) => {
                let bools = self.is_bool(id) && !is_comparison(operator);
                let (a, b) = if bools {
                    (self.named(a, stage), self.named(b, stage))
                } else {
                    (value(a), value(b))
                };
                match operator {
                    Binary::Minimum => format!("{a} < {b} ? {a} : {b}"),
                    Binary::Maximum => format!("{a} > {b} ? {a} : {b}"),
                    _ => format!("{a} {} {b}", sign(operator)),
                }
            }
            Node::Select(condition, a, b) => {
                let condition = self.truth(condition, stage);
                let (a, b) = if self.is_bool(id) {
                    (self.named(a, stage), self.named(b, stage))
                } else {
                    (value(a), value(b))
                };
                format!("{condition} ? {a} : {b}")
            }
            _ => self.named(id, stage),
        }
    }

    /// A value of an array, whose index may be outside: then it does not matter which.
    fn read(&self, array: &str, length: usize, index: Id, stage: usize) -> String {
        let bits = match length {
            0 => 8,
            length => usize::BITS - (length - 1).leading_zeros(),
        };
        match bits {
            0 => format!("{array}[0]"),
            bits => format!("{array}[{bits}'({})]", self.value(index, stage)),
        }
    }

    /// Declares and works out all values.
    pub fn values(&self) -> String {
        let (name, stages) = (self.name(), self.schedule.stages);
        let mut text = format!(
            "  // ---- on_{name}\n\n  logic [{0}:0] {name}_stage, {name}_new, {name}_go;\n\n",
            stages - 1
        );
        self.units(&mut text);
        for stage in 0..stages {
            self.stage(&mut text, stage);
        }
        let _ = writeln!(
            text,
            "  always_ff @(posedge clk) begin\n    {name}_new <= {} & {{{stages}{{!rst}}}};",
            self.entered()
        );
        let _ = writeln!(
            text,
            "    {name}_stage <= ({} | ({name}_stage & ~{name}_go)) & {{{stages}{{!rst}}}};\n  end\n",
            self.entered()
        );
        text
    }

    /// The stages that the values enter.
    fn entered(&self) -> String {
        let name = self.name();
        let begins = format!("begins && event_handler == {}", self.handler());
        match self.schedule.stages {
            1 => format!("{{{begins}}}"),
            stages => format!("{{{name}_go[{}:0], {begins}}}", stages - 2),
        }
    }

    fn units(&self, text: &mut String) {
        let name = self.name();
        let graph = &self.built.graph;
        let mut waits = vec![Vec::new(); self.schedule.stages];
        for (place, unit) in graph.units.iter().enumerate() {
            let Some(stage) = self.schedule.units[place] else {
                continue;
            };
            let [a, b, when] = unit.operands();
            let start = format!("{name}_start_{place}");
            let (a, b) = (self.value(a, stage), self.value(b, stage));
            let when = self.truth(when, stage);
            let _ = writeln!(
                text,
                "  logic {start}, {name}_busy_{place}, {name}_done_{place};
  assign {start} = {name}_stage[{stage}] && {name}_new[{stage}] && {when};
  always_ff @(posedge clk) {name}_busy_{place} <= ({start} || ({name}_busy_{place} && !{name}_done_{place})) && !rst;"
            );
            waits[stage].push(format!(
                "!{start} && !({name}_busy_{place} && !{name}_done_{place})"
            ));
            match unit {
                Unit::Multiply(..) => {
                    let _ = writeln!(
                        text,
                        "  value_t {name}_product_{place};
  logic [3:0] {name}_steps_{place};
  processor_multiply {name}_multiply_{place} (
      .clk,
      .start({start}),
      .a({a}),
      .b({b}),
      .product({name}_product_{place})
  );
  always_ff @(posedge clk) {name}_steps_{place} <= {{{name}_steps_{place}[2:0], {start}}} & {{4{{!rst}}}};
  assign {name}_done_{place} = {name}_steps_{place}[3];\n"
                    );
                }
                Unit::Divide(operator, ..) => {
                    let operation = match operator {
                        Binary::FloorDivide => "PROCESSOR_DIVIDE",
                        Binary::Modulo => "PROCESSOR_MODULO",
                        Binary::ShiftLeft => "PROCESSOR_SHIFT_LEFT",
                        _ => "PROCESSOR_SHIFT_RIGHT",
                    };
                    let _ = writeln!(
                        text,
                        "  value_t {name}_quotient_{place};
  processor_divide {name}_divide_{place} (
      .clk,
      .rst,
      .start({start}),
      .operation({operation}),
      .a({a}),
      .b({b}),
      .done({name}_done_{place}),
      .quotient({name}_quotient_{place})
  );\n"
                    );
                }
                Unit::Level(..) => {
                    let _ = writeln!(
                        text,
                        "  value_t [2:0] {name}_level_{place};
  assign {name}_done_{place} = level_answered;
  always_ff @(posedge clk) if ({name}_busy_{place} && level_answered) {name}_level_{place} <= level;\n"
                    );
                }
            }
        }
        for (stage, waits) in waits.iter().enumerate() {
            let mut terms = vec![self.token(stage)];
            terms.extend(waits.iter().cloned());
            let _ = writeln!(
                text,
                "  assign {name}_go[{stage}] = {};",
                terms.join(" && ")
            );
        }
        if self.place == 0 {
            self.levels(text);
        }
        text.push('\n');
    }

    /// Which level is asked for.
    fn levels(&self, text: &mut String) {
        let name = self.name();
        let units = self.built.graph.units.iter().enumerate();
        let levels: Vec<_> = units
            .filter(|(_, unit)| matches!(unit, Unit::Level(..)))
            .collect();
        let mut valid = Vec::new();
        text.push_str("  always_comb begin\n    {level_sell, level_number} = '0;\n");
        for (place, unit) in levels {
            let Some(stage) = self.schedule.units[place] else {
                continue;
            };
            let [side, number, _] = unit.operands();
            valid.push(format!("{name}_busy_{place}"));
            let _ = writeln!(
                text,
                "    if ({name}_busy_{place}) {{level_sell, level_number}} = {{{}, 4'({})}};",
                self.truth(side, stage),
                self.value(number, stage)
            );
        }
        let _ = writeln!(
            text,
            "  end\n  assign level_valid = {};",
            super::either(&valid, " || ")
        );
    }

    /// The values of a stage, and the registers of those that later ones need.
    fn stage(&self, text: &mut String, stage: usize) {
        let (name, graph) = (self.name(), &self.built.graph);
        let here: Vec<_> = (0..graph.nodes.len())
            .filter(|id| self.schedule.stage[*id] == Some(stage) && !is_free(&graph.nodes[*id]))
            .collect();
        if here.is_empty() {
            return;
        }
        let _ = writeln!(text, "  // stage {stage}");
        for id in &here {
            let kind = if self.is_bool(*id) {
                "logic"
            } else {
                "value_t"
            };
            let register = if self.kept[*id] {
                format!(", {name}_{id}_r")
            } else {
                String::new()
            };
            let _ = writeln!(text, "  {kind} {name}_{id}{register};");
        }
        let mut line = 0;
        for id in &here {
            if graph.lines[*id] != line {
                line = graph.lines[*id];
                let source = self.lines.get(line as usize - 1).unwrap_or(&"").trim();
                // A backslash at the end would go on in the next line.
                let source = source.trim_end_matches('\\');
                let _ = writeln!(text, "  // {line}: {source}");
            }
            let _ = writeln!(
                text,
                "  assign {name}_{id} = {};",
                self.expression(*id, stage)
            );
        }
        let kept: Vec<_> = here.iter().filter(|id| self.kept[**id]).collect();
        if kept.is_empty() {
            return text.push('\n');
        }
        let _ = writeln!(
            text,
            "  always_ff @(posedge clk) begin\n    if ({}) begin",
            self.token(stage)
        );
        for id in kept {
            let _ = writeln!(text, "      {name}_{id}_r <= {name}_{id};");
        }
        text.push_str("    end\n  end\n\n");
    }

    /// The faults of a kind, each where it is 1, in the last stage.
    pub fn faults(&self, kind: usize) -> Vec<String> {
        let faults = self.built.faults[kind].iter();
        faults
            .map(|when| format!("({} && {})", self.leaves(), self.last(*when)))
            .collect()
    }

    /// What it asks for.
    pub fn intents(&self) -> Vec<Site> {
        let mut sites = Vec::new();
        for asked in &self.built.asked {
            let rank = self.value(asked.rank, self.schedule.leave);
            let when = format!(
                "{} && {} && {rank} < {INTENTS}",
                self.leaves(),
                self.last(asked.when)
            );
            let zero = "64'sd0".to_owned();
            let intent = match asked.what {
                What::New {
                    sell,
                    instrument,
                    price,
                    quantity,
                    time_in_force,
                    order,
                } => format!(
                    "narrowed(INTENT_NEW, {}, 3'd{}, 1'b{}, 1'b{}, {}, {}, {})",
                    self.out(order),
                    time_in_force as u8,
                    u8::from(price.is_some()),
                    u8::from(sell),
                    self.out(instrument),
                    price.map_or(zero, |price| self.out(price)),
                    self.out(quantity)
                ),
                What::Cancel { order } => format!(
                    "narrowed(INTENT_CANCEL, {}, 3'd0, 1'b0, 1'b0, {zero}, {zero}, {zero})",
                    self.out(order)
                ),
                What::Replace {
                    order,
                    price,
                    quantity,
                } => format!(
                    "narrowed(INTENT_REPLACE, {}, 3'd0, 1'b1, 1'b0, {zero}, {}, {})",
                    self.out(order),
                    self.out(price),
                    self.out(quantity)
                ),
            };
            sites.push(Site { when, intent });
        }
        sites
    }

    /// What it tells.
    pub fn records(&self) -> Vec<Record> {
        let told = self.built.told.iter();
        told.map(|told| Record {
            when: format!("{} && {}", self.leaves(), self.last(told.when)),
            tag: told.tag,
            values: told.values.iter().map(|value| self.out(*value)).collect(),
        })
        .collect()
    }

    /// The words that it changes, and what they become.
    pub fn commits(&self) -> Vec<(String, String)> {
        let words = self.built.words.iter().enumerate();
        let changed = words.filter(|(word, id)| self.built.graph.nodes[**id] != Node::Word(*word));
        let mut commits: Vec<_> = changed
            .map(|(word, id)| (self.names.word(word).to_owned(), self.after(*id)))
            .collect();
        if self.built.graph.nodes[self.built.orders] != Node::Orders {
            commits.push(("orders".into(), self.after(self.built.orders)));
        }
        commits
    }
}

/// Values that are needed after their stage.
fn kept(built: &Built, schedule: &Schedule) -> Vec<bool> {
    let graph = &built.graph;
    let mut kept = vec![false; graph.nodes.len()];
    let mut keep = |id: Id, needed: usize| {
        kept[id] |= schedule.stage[id].is_some_and(|stage| stage < needed);
    };
    for id in 0..graph.nodes.len() {
        let needed = match graph.nodes[id] {
            Node::Unit(unit, _) => schedule.units[unit],
            _ => schedule.stage[id],
        };
        let Some(needed) = needed else { continue };
        for operand in operands(graph, id) {
            keep(operand, needed);
        }
    }
    for id in leaving(built) {
        keep(id, schedule.leave + 1);
    }
    for id in built.words.iter().chain([&built.orders]) {
        keep(*id, schedule.stages);
    }
    kept
}

/// An operator that SystemVerilog has.
const fn sign(operator: Binary) -> &'static str {
    match operator {
        Binary::Add => "+",
        Binary::Subtract => "-",
        Binary::And => "&",
        Binary::Or => "|",
        Binary::Xor => "^",
        Binary::NotEqual => "!=",
        Binary::Less => "<",
        Binary::LessEqual => "<=",
        Binary::Greater => ">",
        Binary::GreaterEqual => ">=",
        Binary::ShiftLeft => "<<<",
        Binary::ShiftRight => ">>>",
        _ => "==",
    }
}
