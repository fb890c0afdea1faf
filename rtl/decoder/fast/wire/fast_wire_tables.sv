// The tables: one template's word, a word and an initial value a wanted field, the wanted fields of the header, and the exponents that are watched.
//
// They are loaded between packets. What is loaded counts from the next packet on. With CONSTANT they are CONSTANTS, and nothing is loaded: synthesis
// then leaves out what the template does not need.
//
// Latency: 1 cycle. Throughput: a word a cycle. Parameters: FIELDS, HEADERS, WATCHES; CONSTANT, CONSTANTS, for the sizes that fast_wire_events has. Overflow: an
// index that has no place is passed over.
module fast_wire_tables
  import fast_wire_pkg::*;
#(
    parameter int FIELDS  = 10,
    parameter int HEADERS = 2,
    parameter int WATCHES = 2,
    parameter bit CONSTANT = 1'b0,
    parameter constants_t CONSTANTS = '0
) (
    input logic clk,
    input logic rst,
    /* verilator lint_off UNUSEDSIGNAL */
    input load_t load,
    /* verilator lint_on UNUSEDSIGNAL */
    output template_t template_word,
    output field_t [FIELDS-1:0] fields,
    output initial_t [FIELDS-1:0] initials,
    output header_t [HEADERS-1:0] headers,
    output place_t [WATCHES-1:0] watches
);
  if (CONSTANT) begin : gen_constants
    assign template_word = CONSTANTS.template_word;
    assign fields = CONSTANTS.fields[FIELDS-1:0];
    assign initials = CONSTANTS.initials[FIELDS-1:0];
    assign headers = CONSTANTS.headers[HEADERS-1:0];
    assign watches = CONSTANTS.watches[WATCHES-1:0];
    logic unused;
    assign unused = &{1'b0, clk, rst};
  end else begin : gen_loaded
    always_ff @(posedge clk) begin
      if (load.valid) begin
        if (load.what == WIRE_LOAD_TEMPLATE) template_word <= load.data[$bits(template_t)-1:0];
        for (int f = 0; f < FIELDS; f++) begin
          if (load.index == 4'(f)) begin
            if (load.what == WIRE_LOAD_FIELD) fields[f] <= load.data[$bits(field_t)-1:0];
            if (load.what == WIRE_LOAD_INITIAL) initials[f] <= load.data[$bits(initial_t)-1:0];
          end
        end
        for (int h = 0; h < HEADERS; h++)
        if (load.index == 4'(h) && load.what == WIRE_LOAD_HEADER) headers[h] <= load.data[$bits(header_t)-1:0];
        for (int w = 0; w < WATCHES; w++)
        if (load.index == 4'(w) && load.what == WIRE_LOAD_WATCH) watches[w] <= load.data[$bits(place_t)-1:0];
      end
      if (rst) begin
        template_word <= '0;
        fields <= '0;
        initials <= '0;
        headers <= '0;
        watches <= '0;
      end
    end
  end
endmodule
