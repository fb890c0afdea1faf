// The tables of each template: its word, a word and an initial value a wanted field, the wanted fields of the header, and the exponents that are watched.
//
//   number of the packet's template ─ brought from stage to stage ─ in each the words that it needs
//
// A digit at the end of a name says in which stage the word's packet is. They are loaded between packets; what is loaded counts from the next packet on. With CONSTANT
// they are CONSTANTS, of one template, and nothing is loaded: synthesis then leaves out what the template does not need.
//
// Latency: 1 cycle. Throughput: a word a cycle. Parameters: TEMPLATES; FIELDS, the last two of them texts; HEADERS, WATCHES; CONSTANT, CONSTANTS, for the sizes
// that an event's members need. Overflow: an index that has no place is passed over.
module fast_wire_tables
  import fast_wire_pkg::*;
#(
    parameter int TEMPLATES = 1,
    parameter int FIELDS  = 10,
    parameter int TEXTS   = 2,
    parameter int HEADERS = 2,
    parameter int WATCHES = 2,
    parameter bit CONSTANT = 1'b0,
    parameter constants_t CONSTANTS = '0
) (
    input logic clk,
    input logic rst,
    /* verilator lint_off UNUSEDSIGNAL */
    input load_t load,
    input choice_t ahead,  // a cycle before stage 0
    /* verilator lint_on UNUSEDSIGNAL */
    output template_t [WordStages-1:0] words,
    output logic known13,  // there is a template
    output template_at_t at10,
    output template_at_t at11,
    output field_t [FIELDS-1:0] fields7,
    output initial_t [FIELDS-1:0] initials,  // in stage 11, texts in stage 10
    output header_t [HEADERS-1:0] headers9,
    output place_t [WATCHES-1:0] watches7
);
  if (CONSTANT) begin : gen_constants
    assign words = {WordStages{CONSTANTS.template_word}};
    assign known13 = CONSTANTS.template_word.used;
    assign {at10, at11} = '0;
    assign fields7 = CONSTANTS.fields[FIELDS-1:0];
    assign initials = CONSTANTS.initials[FIELDS-1:0];
    assign headers9 = CONSTANTS.headers[HEADERS-1:0];
    assign watches7 = CONSTANTS.watches[WATCHES-1:0];
    logic unused;
    assign unused = &{1'b0, clk, rst};
  end else begin : gen_loaded
    /* verilator lint_off UNUSEDSIGNAL */
    choice_t [14:0] at;  // a stage before its number
    /* verilator lint_on UNUSEDSIGNAL */
    assign at[0] = ahead;
    always_ff @(posedge clk) at[14:1] <= at[13:0];

    assign at10 = at[11].at;
    assign at11 = at[12].at;
    assign known13 = TEMPLATES == 1 ? words[WordStages-1].used : at[14].known;

    for (genvar s = 0; s < WordStages; s++) begin : g_words
      fast_wire_table #(
          .WIDTH($bits(template_t)),
          .TEMPLATES(TEMPLATES)
      ) table_of (
          .clk,
          .rst,
          .write(load.valid && load.what == WIRE_LOAD_TEMPLATE),
          .write_at(load.template_at),
          .data(load.data[$bits(template_t)-1:0]),
          .at(at[s].at),
          .word(words[s])
      );
    end
    for (genvar f = 0; f < FIELDS; f++) begin : g_fields
      fast_wire_table #(
          .WIDTH($bits(field_t)),
          .TEMPLATES(TEMPLATES)
      ) table_of (
          .clk,
          .rst,
          .write(load.valid && load.what == WIRE_LOAD_FIELD && load.index == 4'(f)),
          .write_at(load.template_at),
          .data(load.data[$bits(field_t)-1:0]),
          .at(at[7].at),
          .word(fields7[f])
      );
      fast_wire_table #(
          .WIDTH($bits(initial_t)),
          .TEMPLATES(TEMPLATES)
      ) initial_of (
          .clk,
          .rst,
          .write(load.valid && load.what == WIRE_LOAD_INITIAL && load.index == 4'(f)),
          .write_at(load.template_at),
          .data(load.data[$bits(initial_t)-1:0]),
          .at(at[f < FIELDS-TEXTS?11 : 10].at),
          .word(initials[f])
      );
    end
    for (genvar h = 0; h < HEADERS; h++) begin : g_headers
      fast_wire_table #(
          .WIDTH($bits(header_t)),
          .TEMPLATES(TEMPLATES)
      ) table_of (
          .clk,
          .rst,
          .write(load.valid && load.what == WIRE_LOAD_HEADER && load.index == 4'(h)),
          .write_at(load.template_at),
          .data(load.data[$bits(header_t)-1:0]),
          .at(at[9].at),
          .word(headers9[h])
      );
    end
    for (genvar w = 0; w < WATCHES; w++) begin : g_watches
      fast_wire_table #(
          .WIDTH($bits(place_t)),
          .TEMPLATES(TEMPLATES)
      ) table_of (
          .clk,
          .rst,
          .write(load.valid && load.what == WIRE_LOAD_WATCH && load.index == 4'(w)),
          .write_at(load.template_at),
          .data(load.data[$bits(place_t)-1:0]),
          .at(at[7].at),
          .word(watches7[w])
      );
    end
  end
endmodule
