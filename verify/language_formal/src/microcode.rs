//! A program of the processor as one block of statements: what its instructions do, one after the other (`language_processor::Emulator` in SystemVerilog), to be compared
//! with the reference.
//!
//! A word of the data memory that no instruction writes is what the image says, or a parameter or a position. One that some write, and is no field of the state, may be
//! anything when a handler begins: whatever the handler before it left there.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use language::Program;
use language::program::Shape;
use language_processor::instruction::{INDEXED, INPUTS, Kind, NOWHERE, Taken};
use language_processor::{Image, Instruction, Operation};

use crate::layout::{layout, number};
use crate::proof::is_bit;
use crate::{Error, RECORDS, handlers};

/// What a word is when a handler begins.
#[derive(Clone, Debug)]
enum Begins {
    /// A constant.
    Constant(i64),
    /// A word of the state, a parameter, a position: its name in the module.
    Given(String),
    /// Anything: the number of a free word.
    Anything(usize),
}

/// A program, and what its words are.
struct Microcode<'a> {
    program: &'a Program,
    image: &'a Image,
    words: BTreeMap<u16, Begins>,
    /// Addresses that `index` may find.
    indexed: BTreeSet<u16>,
    text: String,
}

/// The words of the data memory that an instruction reads as operands.
fn operands(instruction: &Instruction) -> (bool, bool) {
    use Operation::{
        Cancel, Half, Index, Move, Multiply, New, Replace, Select, Terms, Test, Value,
    };
    match instruction.operation {
        Move | Half | Test | Index | New | Cancel | Replace | Value => (true, false),
        Select | Terms | Multiply => (true, true),
        operation => (operation.writes(), operation.writes()),
    }
}

impl<'a> Microcode<'a> {
    fn new(program: &'a Program, image: &'a Image) -> Result<Self, Error> {
        let mut read = BTreeSet::new();
        let mut written = BTreeSet::new();
        let mut indexed = BTreeSet::new();
        for (at, instruction) in image.instructions.iter().enumerate() {
            supported(image, at, instruction)?;
            let (a, b) = operands(instruction);
            if a && instruction.a < INPUTS {
                read.insert(instruction.a);
            }
            if b && instruction.b != INDEXED {
                read.insert(instruction.b);
            }
            if instruction.operation == Operation::Index {
                indexed.extend(instruction.to..instruction.to + instruction.b);
            }
            if instruction.operation.writes() && instruction.to < NOWHERE {
                written.insert(instruction.to);
            }
        }
        let writes = |one: &Instruction| one.operation.writes() && one.to == INDEXED;
        if image.instructions.iter().any(writes) {
            written.extend(&indexed);
        }
        let mut words = BTreeMap::new();
        let (fields, _) = layout(program);
        for (placed, words_of) in image.fields.iter().zip(&fields) {
            for at in 0..placed.values.length {
                let name = format!("state_before[{}]", words_of.first + usize::from(at));
                words.insert(placed.values.at + at, Begins::Given(name));
            }
        }
        let regions = [
            (image.parameters, "parameters"),
            (image.positions, "positions"),
        ];
        for (region, name) in regions {
            for at in 0..region.length {
                words.insert(region.at + at, Begins::Given(format!("{name}[{at}]")));
            }
        }
        let mut free = 0;
        for address in read.union(&written).chain(&indexed).copied() {
            words.entry(address).or_insert_with(|| {
                if written.contains(&address) {
                    free += 1;
                    Begins::Anything(free - 1)
                } else {
                    Begins::Constant(image.data[usize::from(address)])
                }
            });
        }
        Ok(Microcode {
            program,
            image,
            words,
            indexed,
            text: String::new(),
        })
    }

    /// How many words may be anything; at least 1.
    fn free(&self) -> usize {
        let free = |begins: &&Begins| matches!(begins, Begins::Anything(_));
        self.words.values().filter(free).count().max(1)
    }

    fn say(&mut self, line: &str) {
        let _ = writeln!(self.text, "    {line}");
    }

    fn a(&self, instruction: &Instruction) -> String {
        let Some(input) = instruction.a.checked_sub(INPUTS) else {
            return word(instruction.a);
        };
        match input {
            _ if input == Taken::Product as u16 => "product".into(),
            _ if input == Taken::Order as u16 => "order".into(),
            _ => format!("inputs[{input}]"),
        }
    }

    fn b(&self, instruction: &Instruction) -> String {
        if instruction.b != INDEXED {
            return word(instruction.b);
        }
        let mut read = number(0);
        for address in &self.indexed {
            read = format!("found == 10'd{address} ? {} : {read}", word(*address));
        }
        format!("(is_found ? ({read}) : 64'sd0)")
    }

    fn write(&mut self, instruction: &Instruction, result: &str) {
        match instruction.to {
            NOWHERE => {}
            INDEXED => {
                for address in self.indexed.clone() {
                    let name = word(address);
                    self.say(&format!(
                        "  if (is_found && found == 10'd{address}) {name} = {result};"
                    ));
                }
            }
            to => self.say(&format!("  {} = {result};", word(to))),
        }
    }

    fn instruction(&mut self, at: usize, instruction: &Instruction) {
        use Operation::{
            Add, And, Cancel, Emit, End, Equal, Greater, GreaterEqual, Half, Index, Jump, JumpIf,
            JumpUnless, Less, LessEqual, Move, Multiply, New, NotEqual, Or, Replace, Select,
            Subtract, Terms, Test, Value, Xor,
        };
        let (to, next) = (instruction.to, at + 1);
        let (a, b) = (self.a(instruction), self.b(instruction));
        let line = self.image.lines.get(at).copied().unwrap_or_default();
        self.say(&format!(
            "if (at == 10'd{at}) begin  // {:?}, line {line}",
            instruction.operation
        ));
        self.say(&format!("  at = 10'd{next};"));
        let compares = match instruction.operation {
            Test => Some(format!("{a} != 64'sd0")),
            Equal => Some(format!("{a} == {b}")),
            NotEqual => Some(format!("{a} != {b}")),
            Less => Some(format!("{a} < {b}")),
            GreaterEqual => Some(format!("{a} >= {b}")),
            Greater => Some(format!("{a} > {b}")),
            LessEqual => Some(format!("{a} <= {b}")),
            _ => None,
        };
        if let Some(compares) = compares {
            self.say(&format!("  flag = {compares};"));
            if instruction.operation != Test {
                self.write(instruction, "truth(flag)");
            }
        }
        match instruction.operation {
            Move => self.write(instruction, &a),
            Add => self.write(instruction, &format!("{a} + {b}")),
            Subtract => self.write(instruction, &format!("{a} - {b}")),
            And => self.write(instruction, &format!("{a} & {b}")),
            Or => self.write(instruction, &format!("{a} | {b}")),
            Xor => self.write(instruction, &format!("{a} ^ {b}")),
            Half => self.write(instruction, &format!("{a} >>> 1")),
            Select => self.write(instruction, &format!("flag ? {a} : {b}")),
            Jump => self.say(&format!("  at = 10'd{to};")),
            JumpIf => self.say(&format!("  if (flag) at = 10'd{to};")),
            JumpUnless => self.say(&format!("  if (!flag) at = 10'd{to};")),
            Index => {
                let length = instruction.b;
                self.say(&format!("  is_found = is_index({a}, 64'sd{length});"));
                self.say(&format!("  found = 10'd{to} + 10'({a});"));
                self.say("  if (!is_found) outcome.index_faults += 8'd1;");
            }
            Multiply => self.say(&format!("  product = {a} * {b};")),
            Terms => self.say(&format!("  {{price, quantity}} = {{{a}, {b}}};")),
            New => {
                let kind = Kind::of(instruction.b);
                let terms = format!(
                    "3'd{}, 1'b{}, 1'b{}, {a}, price, quantity",
                    kind.time_in_force,
                    u8::from(kind.limit),
                    kind.side as u8
                );
                self.send(&format!("new_order(orders + 64'sd1, {terms})"));
                self.say("  order = sent ? orders + 64'sd1 : 64'sd0;");
                self.say("  if (sent) orders = order;");
            }
            Cancel => self.send(&format!("cancel({a})")),
            Replace => self.send(&format!("replacement({a}, price, quantity)")),
            Value => {
                self.say(&format!(
                    "  outcome.records[outcome.record_count[0]].values[values] = {a};"
                ));
                self.say("  values = values + 3'd1;");
            }
            Emit => {
                self.say(&format!(
                    "  outcome.records[outcome.record_count[0]].tag = 8'd{to};"
                ));
                self.say("  outcome.records[outcome.record_count[0]].count = values;");
                self.say("  outcome.record_count += 3'd1;");
                self.say("  values = '0;");
            }
            End => self.say("  {at, ended} = {10'd1023, 1'b1};"),
            _ => {}
        }
        self.say("end");
    }

    fn send(&mut self, intent: &str) {
        self.say("  sent = outcome.count < MostIntents;");
        self.say(&format!(
            "  if (sent) outcome.intents[outcome.count[1:0]] = {intent};"
        ));
        self.say("  if (sent) outcome.count += 3'd1;");
        self.say("  else outcome.intent_faults += 8'd1;");
    }
}

fn word(address: u16) -> String {
    format!("word_{address}")
}

fn supported(image: &Image, at: usize, instruction: &Instruction) -> Result<(), Error> {
    let fail = |what| {
        let line = image.lines.get(at).copied().unwrap_or_default();
        Err(Error::Unsupported { line, what })
    };
    match instruction.operation {
        Operation::Divide | Operation::Modulo | Operation::ShiftLeft | Operation::ShiftRight => {
            fail("such operator")
        }
        Operation::Level => fail("levels of the book"),
        operation if operation.jumps() && usize::from(instruction.to) <= at => fail("loops"),
        _ => Ok(()),
    }
}

/// The program of a strategy, as the module `NAME_microcode`: its ports are those of the reference, and `leftover`, what temporary words may hold; `ended`, whether the
/// handler ends; `kept`, whether parameters and positions are what they were.
///
/// # Errors
/// It has rings, loops, quotients, shifts, levels of the book, or more records than a reference.
pub fn microcode(program: &Program, image: &Image, name: &str) -> Result<String, Error> {
    if let Some(handler) = handlers(program)
        .into_iter()
        .filter_map(|(_, handler)| handler)
        .find(|handler| handler.records > RECORDS)
    {
        let line = handler.at.line;
        let what = "room for so many records";
        return Err(Error::Unsupported { line, what });
    }
    if program
        .fields
        .iter()
        .any(|field| matches!(field.shape, Shape::Ring(_)))
    {
        let what = "rings of a program";
        return Err(Error::Unsupported { line: 1, what });
    }
    let mut written = Microcode::new(program, image)?;
    for (at, instruction) in image.instructions.iter().enumerate() {
        written.instruction(at, instruction);
    }
    Ok(module(&written, name))
}

fn module(written: &Microcode<'_>, name: &str) -> String {
    let Microcode { program, image, .. } = written;
    let (fields, words) = layout(program);
    let parameters = program.parameters.len().max(1);
    let mut text = format!(
        "// What the program of the strategy {} does with an event, instruction by instruction, written by verify/language_formal: do not edit, change the strategy.
module {name}_microcode
  import processor_pkg::*;
  import reference_pkg::*;
(
    input  handler_e handler,
    input  value_t [EventInputs-1:0] inputs,
    input  value_t [{}:0] parameters,
    input  value_t [{}:0] positions,
    input  value_t [{}:0] state_before,
    input  value_t orders_before,
    input  value_t [{}:0] leftover,
    output value_t [{}:0] state_after,
    output value_t orders_after,
    output outcome_t outcome,
    output logic ended,
    output logic kept
);
",
        program.name,
        parameters - 1,
        program.instruments - 1,
        words - 1,
        written.free() - 1,
        words - 1,
    );
    let mut begin = String::new();
    for (address, begins) in &written.words {
        let name = image.names.iter().find(|(at, _)| at == address);
        let name = name.map_or("", |(_, name)| name);
        let _ = writeln!(text, "  value_t {};  // {name}", word(*address));
        let value = match begins {
            Begins::Constant(value) => number(*value),
            Begins::Given(name) => name.clone(),
            Begins::Anything(at) => format!("leftover[{at}]"),
        };
        let _ = writeln!(begin, "    {} = {value};", word(*address));
    }
    let mut entries = String::new();
    for ((handler, _), entry) in handlers(program).into_iter().zip(&image.entries) {
        if let Some(entry) = entry {
            let _ = writeln!(
                entries,
                "      {handler}: {{at, ended}} = {{10'd{}, 1'b0}};",
                entry.at
            );
        }
    }
    let mut after = String::new();
    for (placed, words) in image.fields.iter().zip(&fields) {
        for at in 0..placed.values.length {
            let _ = writeln!(
                after,
                "    state_after[{}] = {};",
                words.first + usize::from(at),
                word(placed.values.at + at)
            );
        }
    }
    let mut kept = vec!["1'b1".to_owned()];
    for (region, name) in [
        (image.parameters, "parameters"),
        (image.positions, "positions"),
    ] {
        kept.extend((0..region.length).map(|at| {
            let held = word(region.at + at);
            format!("{held} == {name}[{at}]")
        }));
    }
    let _ = writeln!(
        text,
        "  value_t orders, order, product, price, quantity;
  logic [9:0] at, found;
  logic flag, is_found, sent;
  logic [2:0] values;

  always_comb begin
{begin}    orders = orders_before;
    outcome = '0;
    {{order, product, price, quantity}} = '0;
    {{flag, is_found, found, sent, values}} = '0;
    {{at, ended}} = {{10'd1023, 1'b1}};
    case (handler)
{entries}      default: ;
    endcase
{}    state_after = state_before;
{after}    orders_after = orders;
    kept = {};
  end
endmodule",
        written.text,
        kept.join(" && ")
    );
    text
}

/// The comparison of a program with its reference, for any event, state, parameters and positions.
pub fn proof(program: &Program, image: &Image, name: &str) -> Result<String, Error> {
    let written = Microcode::new(program, image)?;
    let (fields, words) = layout(program);
    let parameters = program.parameters.len().max(1);
    let bits = |vector: &str, at: usize| format!("    assume ({vector}[{at}][63:1] == '0);\n");
    let mut fits = String::new();
    for (at, parameter) in program.parameters.iter().enumerate() {
        if is_bit(parameter.of) {
            fits.push_str(&bits("parameters", at));
        }
    }
    for (words, field) in fields.iter().zip(&program.fields) {
        if is_bit(field.of) {
            for at in words.first..words.first + words.length {
                fits.push_str(&bits("state_before", at));
            }
        }
    }
    let bounds = crate::bounds::bounds(program);
    let mut covers = format!("    cover (due.count == 3'd{});\n", bounds.intents.min(4));
    if program.records() != 0 {
        let _ = writeln!(
            covers,
            "    cover (due.record_count == 3'd{});",
            program.records()
        );
    }
    if bounds.changes {
        covers.push_str("    cover (state_due != state_before);\n");
    }
    if bounds.faults {
        covers.push_str(
            "    cover (due.division_faults != '0 || due.index_faults != '0 || due.intent_faults != '0);\n",
        );
    }
    Ok(format!(
        "// Proves that the program of the strategy {} does with any event what its reference does, from any state, and whatever the handler before it left in
// temporary words. Written by verify/language_formal: do not edit, change the strategy.
module {name}_microcode_formal
  import processor_pkg::*;
  import reference_pkg::*;
(
    input handler_e handler,
    input value_t [EventInputs-1:0] inputs,
    input value_t [{}:0] parameters,
    input value_t [{}:0] positions,
    input value_t [{}:0] state_before,
    input value_t orders_before,
    input value_t [{}:0] leftover
);
  value_t [{}:0] state_due, state_found;
  value_t orders_due, orders_found;
  outcome_t due, outcome;
  logic ended, kept;

  {name}_reference reference (
      .handler,
      .inputs,
      .parameters,
      .positions,
      .state_before,
      .orders_before,
      .state_after(state_due),
      .orders_after(orders_due),
      .outcome(due)
  );

  {name}_microcode microcode (
      .handler,
      .inputs,
      .parameters,
      .positions,
      .state_before,
      .orders_before,
      .leftover,
      .state_after(state_found),
      .orders_after(orders_found),
      .outcome,
      .ended,
      .kept
  );

  always_comb begin
    assume (orders_before >= 0 && orders_before < 64'sh7fff_ffff);
    // `tradable`, `changed` and a side are 0 or 1.
    assume (inputs[4][63:1] == '0);
    assume (handler != HANDLER_BOOK || inputs[3][63:1] == '0);
{fits}    assert (ended);
    assert (kept);
    assert (state_found == state_due);
    assert (orders_found == orders_due);
    assert (outcome == due);
{covers}  end
endmodule
",
        program.name,
        parameters - 1,
        program.instruments - 1,
        words - 1,
        written.free() - 1,
        words - 1,
    ))
}
