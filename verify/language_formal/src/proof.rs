//! The modules that compare a target with the reference: they tell `tests/formal/language_check.sv` where the target has what.

use std::fmt::Write as _;

use language::program::{Program, Shape};
use language::types::Type;
use language_module::Module;

use crate::bounds::bounds;
use crate::layout::{layout, number};

/// A target, and where it has the words.
struct Target<'a> {
    program: &'a Program,
    /// The name of the module without its end.
    name: &'a str,
    end: &'static str,
    /// The instance `dut` up to its ports.
    instance: String,
    parameters: Vec<String>,
    positions: Vec<String>,
    fields: Vec<Field>,
    orders: &'static str,
    /// What holds while nothing runs.
    idle: Vec<String>,
    /// Cycles that an event may take, without those in which an intent is not taken.
    latest: u64,
}

/// The words of a field in a target.
struct Field {
    values: Vec<String>,
    /// Of a ring: the place of the newest value, how many there are, their sum.
    ring: Option<[String; 3]>,
}

/// The comparison of a module that `language_module` wrote.
pub fn of_wire(program: &Program, module: &Module) -> String {
    let fields = program.fields.iter().enumerate().map(|(index, field)| {
        let word = format!("dut.state_{}", field.name);
        let length = program.length(index);
        Field {
            values: match field.shape {
                Shape::Scalar => vec![word.clone()],
                _ => (0..length).map(|at| format!("{word}[{at}]")).collect(),
            },
            ring: matches!(field.shape, Shape::Ring(_))
                .then(|| ["newest", "count", "sum"].map(|part| format!("{word}_{part}"))),
        }
    });
    let mut idle: Vec<_> = ["running", "left", "ended", "done"]
        .map(|name| format!("!dut.{name}"))
        .into();
    let queues = [
        "division_faults",
        "index_faults",
        "intents_faults",
        "intents",
        "records",
    ];
    idle.extend(queues.map(|queue| format!("dut.{queue}.left == '0")));
    idle.push("dut.record_at == '0".into());
    let taken = module
        .handlers
        .iter()
        .zip(["book", "trade", "order", "timer"]);
    for (_, name) in taken.filter(|(handler, _)| handler.is_some()) {
        idle.push(format!("dut.{name}_stage == '0 && dut.{name}_new == '0"));
    }
    let stages = module
        .handlers
        .iter()
        .flatten()
        .map(|handler| handler.cycles);
    let records = program.records() as u64;
    Target {
        program,
        name: &module.name,
        end: "wire",
        instance: format!("{} dut", module.name),
        parameters: program
            .parameters
            .iter()
            .map(|parameter| format!("dut.parameter_{}", parameter.name))
            .collect(),
        positions: (0..program.instruments)
            .map(|at| format!("dut.positions[{at}]"))
            .collect(),
        fields: fields.collect(),
        orders: "dut.orders",
        idle,
        latest: stages.max().unwrap_or(0) + 6 + 4 * records,
    }
    .text()
}

const FREE: &str = "    input logic clk,
    input logic any_valid,
    input handler_e any_handler,
    input value_t [EventInputs-1:0] any_inputs,
    input logic any_ready,
    input logic any_hold,
    input logic any_load,
    input logic any_control,
    input place_t any_address,
    input value_t any_value
";

const SIGNALS: &str = "  logic event_valid, event_ready, done, intent_valid, hold, load, control, held, fits, idle, consistent;
  logic level_valid, level_sell, record_value_valid, record_valid, fault_division, fault_index, fault_intents, stopped;
  logic [3:0] level_number;
  logic [7:0] record_tag;
  processor_intent_t intent;
  handler_e handler;
  value_t [EventInputs-1:0] inputs;
  place_t load_address;
  value_t record_value, looked, orders, orders_before, orders_after;
  outcome_t outcome;
";

const PORTS: &str = "      .clk,
      .rst(1'b0),
      .event_valid,
      .event_ready,
      .event_handler(any_handler),
      .event_inputs(any_inputs),
      .done,
      .intent_valid,
      .intent_ready(any_ready),
      .intent,
      .level_valid,
      .level_sell,
      .level_number,
      .level_answered(1'b0),
      .level('0),
      .record_value_valid,
      .record_value,
      .record_valid,
      .record_tag,
      .fault_division,
      .fault_index,
      .fault_intents,
      .stopped,
      .hold,
      .held,
      .load,
      .load_what(control ? LOAD_CONTROL : LOAD_DATA),
      .load_address,
      .load_value(any_value),
      .look('0),
      .looked
";

const CHECK: &str = "      .clk,
      .any_valid,
      .any_handler,
      .any_inputs,
      .any_ready,
      .any_hold,
      .any_load,
      .any_control,
      .any_address,
      .any_value,
      .event_valid,
      .event_ready,
      .done,
      .intent_valid,
      .intent,
      .level_valid,
      .record_value_valid,
      .record_value,
      .record_valid,
      .record_tag,
      .fault_division,
      .fault_index,
      .fault_intents,
      .stopped,
      .stops(dut.stops),
      .held,
      .hold,
      .load,
      .control,
      .load_address,
      .idle,
      .consistent,
      .fits,
      .words,
      .orders,
      .parameters_held,
      .positions_held,
      .handler,
      .inputs,
      .parameters,
      .positions,
      .parameters_now,
      .state_before,
      .orders_before,
      .state_after,
      .orders_after,
      .outcome
";

const REFERENCE: &str = "      .handler,
      .inputs,
      .parameters,
      .positions,
      .state_before,
      .orders_before,
      .state_after,
      .orders_after,
      .outcome
";

impl Target<'_> {
    fn text(&self) -> String {
        let Target {
            program, name, end, ..
        } = self;
        let (fields, words) = layout(program);
        let bounds = bounds(program);
        let parameters = program.parameters.len().max(1);
        let mut text = format!(
            "// Proves that the {end} target of the strategy {} does what its reference does (language_check), written by\n// verify/language_formal: do not edit, change the strategy.\nmodule {name}_{end}_formal\n  import processor_pkg::*;\n  import reference_pkg::*;\n(\n{FREE});\n{SIGNALS}",
            program.name
        );
        let _ = writeln!(
            text,
            "  value_t [{}:0] words, state_before, state_after;\n  value_t [{}:0] parameters_held, parameters, parameters_now;\n  value_t [{}:0] positions_held, positions;\n",
            words - 1,
            parameters - 1,
            program.instruments - 1
        );
        let _ = writeln!(text, "  {} (\n{PORTS}  );\n", self.instance);
        let _ = writeln!(text, "  {name}_reference reference (\n{REFERENCE}  );\n");
        let _ = writeln!(
            text,
            "  language_check #(\n      .PARAMETERS({parameters}),\n      .LOADED({}),\n      .INSTRUMENTS({}),\n      .WORDS({words}),\n      .LATEST({}),\n      .MOST({}),\n      .RECORDS({}),\n      .FAULTS(1'b{}),\n      .CHANGES(1'b{})\n  ) check (\n{CHECK}  );\n",
            program.parameters.len(),
            program.instruments,
            self.latest,
            bounds.intents,
            program.records(),
            u8::from(bounds.faults),
            u8::from(bounds.changes),
        );
        self.words(&mut text, &fields);
        text.push_str("endmodule\n");
        text
    }

    /// Where the target has parameters and state.
    fn words(&self, text: &mut String, fields: &[crate::layout::Words]) {
        let mut consistent = Vec::new();
        let mut fits = Vec::new();
        let _ = writeln!(text, "  assign orders = {};", self.orders);
        if self.parameters.is_empty() {
            text.push_str("  assign parameters_held = '0;\n");
        }
        if fields.is_empty() {
            text.push_str("  assign words = '0;\n");
        }
        for (at, word) in self.parameters.iter().enumerate() {
            let _ = writeln!(text, "  assign parameters_held[{at}] = {word};");
            if is_bit(self.program.parameters[at].of) {
                fits.push(format!("parameters_now[{at}][63:1] == '0"));
            }
        }
        for (at, word) in self.positions.iter().enumerate() {
            let _ = writeln!(text, "  assign positions_held[{at}] = {word};");
        }
        for ((field, words), of) in self.fields.iter().zip(fields).zip(&self.program.fields) {
            let first = words.first;
            for (at, value) in field.values.iter().enumerate() {
                let word = first + at;
                match &field.ring {
                    None => {
                        let _ = writeln!(text, "  assign words[{word}] = {value};");
                    }
                    Some([newest, count, _]) => {
                        // Each place is looked at in turn.
                        let length = field.values.len();
                        let mut chosen = number(0);
                        for (place, value) in field.values.iter().enumerate() {
                            let begin = (place + length - at) % length;
                            chosen = format!("{newest} == {begin} ? {value} : {chosen}");
                        }
                        let _ = writeln!(
                            text,
                            "  assign words[{word}] = {count} > {at} ? ({chosen}) : 64'sd0;"
                        );
                    }
                }
                if is_bit(of.of) {
                    consistent.push(format!("words[{word}][63:1] == '0"));
                }
            }
            if let Some([newest, count, sum]) = &field.ring {
                let length = words.length;
                let _ = writeln!(text, "  assign words[{}] = {count};", first + length);
                let values: Vec<_> = (first..first + length)
                    .map(|word| format!("words[{word}]"))
                    .collect();
                consistent.extend([
                    format!("{newest} >= 0 && {newest} < {length}"),
                    format!("{count} >= 0 && {count} <= {length}"),
                    format!("{sum} == {}", values.join(" + ")),
                ]);
                // The first value goes to the last place, and so on.
                consistent.extend((0..length).map(|filled| {
                    let begin = (length - filled) % length;
                    format!("({count} != {filled} || {newest} == {begin})")
                }));
            }
        }
        for (name, terms) in [
            ("fits", &fits),
            ("consistent", &consistent),
            ("idle", &self.idle),
        ] {
            let terms = if terms.is_empty() {
                "1'b1".into()
            } else {
                terms.join(" &&\n      ")
            };
            let _ = writeln!(text, "  assign {name} = {terms};");
        }
    }
}

/// Whether a value is 0 or 1.
pub const fn is_bit(of: Type) -> bool {
    matches!(of, Type::Bool | Type::Side)
}
