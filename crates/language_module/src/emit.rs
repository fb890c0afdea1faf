//! The text of the module.

mod handler;
mod names;

use std::fmt::Write as _;

use language::Program;
use language::program::Shape;

use crate::build::{Built, words};
use crate::schedule::schedule;
use crate::{Handler, Module, Place};

use handler::Text;
use names::{Names, module_name};

/// Handlers, as their events are called.
pub const HANDLERS: [&str; 4] = ["book", "trade", "order", "timer"];

/// Writes the module.
pub fn module(program: &Program, source: &str, built: &[Option<Built>]) -> Module {
    let name = module_name(&program.name);
    let (fields, count) = words(program);
    let names = Names::new(program, &fields);
    let lines: Vec<&str> = source.lines().collect();
    let mut handlers = [None; 4];
    let mut texts = Vec::new();
    for (place, built) in built.iter().enumerate() {
        let Some(built) = built else { continue };
        let schedule = schedule(built);
        handlers[place] = Some(Handler {
            cycles: schedule.leave as u64 + 2,
            units: schedule.units.iter().flatten().count(),
        });
        texts.push(Text::new(place, built, schedule, &names, &lines));
    }
    let mut text = header(program, &name, &handlers);
    text.push_str(PORTS);
    declare(&mut text, program, &names);
    for handler in &texts {
        text.push_str(&handler.values());
    }
    if program.on_book.is_none() {
        text.push_str("  assign {level_valid, level_sell, level_number} = '0;\n\n");
    }
    outputs(&mut text, &texts);
    state(&mut text, program, &names, &texts, count);
    text.push_str("endmodule\n");
    let place = |words: &crate::build::Words| Place {
        at: words.first as u16,
        length: words.length as u16,
        ring: words.ring,
    };
    Module {
        name,
        text,
        handlers,
        fields: fields.iter().map(place).collect(),
    }
}

/// What the module is.
fn header(program: &Program, name: &str, handlers: &[Option<Handler>; 4]) -> String {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "// The strategy {}, written by crates/language_module: do not edit, change the strategy.",
        program.name
    );
    let _ = writeln!(
        text,
        "//\n//   event ─ inputs ─ stages, one after the other ─ intents, records ─ state\n//"
    );
    let taken = handlers
        .iter()
        .zip(HANDLERS)
        .filter_map(|(handler, name)| handler.map(|handler| (name, handler)));
    let latencies: Vec<_> = taken
        .map(|(name, handler)| {
            let units = match handler.units {
                0 => String::new(),
                units => format!(" and what {units} units take"),
            };
            format!("{name} {}{units}", handler.cycles)
        })
        .collect();
    let _ = writeln!(
        text,
        "// Latency, event to first intent, cycles: {}. Throughput: one event at a time. Parameter: LOOK, whether `looked` shows the\n// words of the state. Overflow: none, events wait.",
        latencies.join(", ")
    );
    let _ = writeln!(text, "module {name}");
    text
}

const PORTS: &str = "  import processor_pkg::*;
#(
    parameter bit LOOK = 1'b0
) (
    input logic clk,
    input logic rst,

    input  logic       event_valid,
    output logic       event_ready,
    input  handler_e   event_handler,
    input  value_t [EventInputs-1:0] event_inputs,
    output logic       done,

    output logic        intent_valid,
    input  logic        intent_ready,
    output processor_intent_t intent,

    output logic        level_valid,
    output logic        level_sell,
    output logic [3:0]  level_number,
    input  logic        level_answered,
    input  value_t [2:0] level,

    output logic        record_value_valid,
    output value_t      record_value,
    output logic        record_valid,
    output logic [7:0]  record_tag,

    output logic fault_division,
    output logic fault_index,
    output logic fault_intents,
    output logic stopped,

    input  logic      hold,
    output logic      held,
    input  logic      load,
    input  processor_load_e load_what,
    input  place_t    load_address,
    input  value_t    load_value,
    input  address_t  look,
    output value_t    looked
);
";

fn declare(text: &mut String, program: &Program, names: &Names) {
    let _ = writeln!(text, "  // ---- parameters, state, positions\n");
    for name in &names.parameters {
        let _ = writeln!(text, "  value_t {name};");
    }
    for (field, name) in program.fields.iter().zip(&names.fields) {
        match field.shape {
            Shape::Scalar => {
                let _ = writeln!(text, "  value_t {name};");
            }
            _ => {
                let length = names.lengths[name.as_str()];
                let _ = writeln!(text, "  value_t {name}[{length}];");
                if matches!(field.shape, Shape::Ring(_)) {
                    let _ = writeln!(text, "  value_t {name}_newest, {name}_count, {name}_sum;");
                }
            }
        }
    }
    let _ = writeln!(
        text,
        "  value_t positions[{}];\n  value_t orders;\n",
        program.instruments
    );
    text.push_str(
        "  // ---- the event

  logic running, stops, begins, finish, any_fault;
  handler_e handler;
  value_t [EventInputs-1:0] inputs;

  assign event_ready = !running && !hold && !done;
  assign held = hold && !running;

",
    );
}

/// Intents, records and faults, one by one.
fn outputs(text: &mut String, texts: &[Text<'_>]) {
    text.push_str("  // ---- what leaves\n\n");
    let last: Vec<_> = texts.iter().map(Text::leaves).collect();
    let ends: Vec<_> = texts.iter().map(Text::ends).collect();
    let _ = writeln!(
        text,
        "  logic leaves, ends;  // all is known that leaves; the state too
  assign leaves = {};\n  assign ends = {};\n",
        either(&last, " || "),
        either(&ends, " || ")
    );
    let mut faults = Vec::new();
    for (kind, name) in ["division", "index", "intents"].into_iter().enumerate() {
        let sites: Vec<_> = texts.iter().flat_map(|text| text.faults(kind)).collect();
        faults.extend(sites.iter().cloned());
        one_by_one(text, &format!("{name}_faults"), &sites, "1'b1", "leaves");
        let _ = writeln!(text, "  assign fault_{name} = {name}_faults_any;\n");
    }
    let _ = writeln!(text, "  assign any_fault = {};\n", either(&faults, " || "));

    let sites: Vec<_> = texts.iter().flat_map(Text::intents).collect();
    let masks: Vec<_> = sites
        .iter()
        .map(|site| format!("{} && !(stops && any_fault)", site.when))
        .collect();
    one_by_one(text, "intents", &masks, "intent_ready", "leaves");
    text.push_str("  assign intent_valid = intents_any;\n  always_comb begin\n    intent = '0;\n");
    for (place, site) in sites.iter().enumerate() {
        let _ = writeln!(
            text,
            "    if (intents_first[{place}]) intent = {};",
            site.intent
        );
    }
    text.push_str("  end\n\n");

    let records: Vec<_> = texts.iter().flat_map(Text::records).collect();
    let masks: Vec<_> = records.iter().map(|record| record.when.clone()).collect();
    text.push_str("  logic [2:0] record_at, record_length;\n  logic record_ends;\n");
    one_by_one(text, "records", &masks, "record_ends", "leaves");
    text.push_str(
        "  assign record_ends = records_any && record_at == record_length;
  assign record_valid = record_ends;
  assign record_value_valid = records_any && !record_ends;
  always_ff @(posedge clk) record_at <= rst || record_ends || !records_any ? '0 : record_at + 1'b1;
  always_comb begin
    record_length = '0;
    record_tag = '0;
    record_value = '0;
",
    );
    for (place, record) in records.iter().enumerate() {
        let _ = writeln!(
            text,
            "    if (records_first[{place}]) begin\n      record_length = 3'd{};\n      record_tag = 8'd{};",
            record.values.len(),
            record.tag
        );
        for (at, value) in record.values.iter().enumerate() {
            let _ = writeln!(
                text,
                "      if (record_at == 3'd{at}) record_value = {value};"
            );
        }
        text.push_str("    end\n");
    }
    text.push_str("  end\n\n");
}

/// A queue of those sites that hold; `name`_first is the one whose turn it is.
fn one_by_one(text: &mut String, name: &str, sites: &[String], take: &str, load: &str) {
    let count = sites.len().max(1);
    let mask = match sites {
        [] => "1'b0".to_owned(),
        sites => {
            let sites: Vec<_> = sites.iter().rev().cloned().collect();
            format!("{{{}}}", sites.join(", "))
        }
    };
    let _ = writeln!(
        text,
        "  logic [{}:0] {name}_first;
  logic {name}_any;
  one_by_one #(
      .N({count})
  ) {name} (
      .clk,
      .rst,
      .load({load}),
      .mask({mask}),
      .take({take}),
      .first({name}_first),
      .any({name}_any)
  );",
        count - 1
    );
}

/// What happens to the state, and to what the host writes.
fn state(text: &mut String, program: &Program, names: &Names, texts: &[Text<'_>], count: usize) {
    text.push_str("  // ---- the state\n\n");
    let used: Vec<_> = texts
        .iter()
        .map(|text| format!("event_handler == {}", text.handler()))
        .collect();
    let _ = writeln!(
        text,
        "  assign begins = event_valid && event_ready && !stopped && ({});",
        either(&used, " || ")
    );
    text.push_str(
        "  logic left, ended;
  assign finish = left && ended && !intents_any && !records_any && !division_faults_any && !index_faults_any && !intents_faults_any;

  always_ff @(posedge clk) begin
    if (begins) {running, handler, inputs} <= {1'b1, event_handler, event_inputs};
    left <= (leaves || (left && !finish)) && !rst;
    ended <= (ends || (ended && !finish)) && !rst;
    done <= (finish || (event_valid && event_ready && !begins)) && !rst;
    if (finish) running <= 1'b0;
    if (leaves && stops && any_fault) stopped <= 1'b1;
",
    );
    for handler in texts {
        let commits = handler.commits();
        if commits.is_empty() {
            continue;
        }
        let _ = writeln!(
            text,
            "    if (finish && handler == {}) begin",
            handler.handler()
        );
        for (name, value) in commits {
            let _ = writeln!(text, "      {name} <= {value};");
        }
        text.push_str("    end\n");
    }
    text.push_str("    if (load && load_what == LOAD_DATA) begin\n");
    for (place, name) in names.parameters.iter().enumerate() {
        let _ = writeln!(
            text,
            "      if (load_address == {place}) {name} <= load_value;"
        );
    }
    let first = names.parameters.len();
    let _ = writeln!(
        text,
        "      for (int i = 0; i < {}; i++) if (load_address == PlaceWidth'({first} + i)) positions[i] <= load_value;\n    end",
        program.instruments
    );
    text.push_str(
        "    if (load && load_what == LOAD_CONTROL) {stopped, stops} <= {1'b0, load_value[0]};
    if (rst || (load && load_what == LOAD_CONTROL && load_value[1])) begin
      orders <= '0;
",
    );
    for (field, name) in program.fields.iter().zip(&names.fields) {
        let initial = names::number(field.initial);
        match field.shape {
            Shape::Scalar => {
                let _ = writeln!(text, "      {name} <= {initial};");
            }
            Shape::Ring(length) => {
                let _ = writeln!(
                    text,
                    "      for (int i = 0; i < {length}; i++) {name}[i] <= '0;\n      {{{name}_newest, {name}_count, {name}_sum}} <= '0;"
                );
            }
            _ => {
                let length = names.lengths[name.as_str()];
                let _ = writeln!(
                    text,
                    "      for (int i = 0; i < {length}; i++) {name}[i] <= {initial};"
                );
            }
        }
    }
    text.push_str("    end\n    if (rst) {running, stops, stopped} <= '0;\n  end\n\n");
    if count == 0 {
        text.push_str("  assign looked = '0;\n");
    } else {
        text.push_str("  if (LOOK) begin : gen_look\n    always_ff @(posedge clk) begin\n      unique case (look)\n");
        for word in 0..count {
            let _ = writeln!(text, "        {word}: looked <= {};", names.word(word));
        }
        text.push_str("        default: looked <= '0;\n      endcase\n    end\n  end else begin : gen_no_look\n    assign looked = '0;\n  end\n");
    }
    text.push_str("\n  logic unused;\n  assign unused = &{1'b0, look, level, level_answered, load_address, inputs, positions[0], stops, any_fault};\n");
}

/// All of these, or nothing.
fn either(terms: &[String], with: &str) -> String {
    match terms {
        [] => "1'b0".into(),
        terms => terms.join(with),
    }
}
