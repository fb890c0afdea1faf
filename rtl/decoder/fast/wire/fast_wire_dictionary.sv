// Says when the dictionary entries of the wanted fields begin anew, stay, or are changed for those of another template: a bank a template.
//
//   packet's first beat, a Reset ─ which template's are in the fields? ─┬─ begin_anew: initial values
//                                                                       ├─ store, take: one bank away, another one from it
//                                                                       └─ neither: they stay
//
// Entries of templates whose dictionaries do not outlive a packet begin anew with each. A Reset empties the dictionaries of all templates, and so does `restart`.
// What it says holds at the edge at which the beat enters the caller's stage.
//
// Latency: none. Throughput: a beat a cycle. Parameter: TEMPLATES, 1 to 8. Nothing overflows.
module fast_wire_dictionary
  import fast_wire_pkg::*;
#(
    parameter int TEMPLATES = 1
) (
    input logic clk,
    input logic rst,
    input logic flush,  // the beats here are none
    input logic restart,  // pulse, between packets
    /* verilator lint_off UNUSEDSIGNAL */
    input beat_t coming,  // in the stage before the caller's
    input beat_t here,    // in the caller's
    input template_at_t at,  // of the packet that comes
    /* verilator lint_on UNUSEDSIGNAL */
    input logic outlives,  // its dictionary outlives a packet
    input logic resets,    // a Reset ends in the beat that comes

    output logic begin_anew,
    output logic store,  // what is in the fields after this beat is put into the bank `held`
    output logic take,   // the bank `at` comes into the fields
    output template_at_t held
);
  logic open, first, fresh, empties;

  assign first = here.valid ? here.last : !open;  // of a packet, if a beat comes
  assign empties = coming.valid && resets;

  always_ff @(posedge clk) begin
    if (here.valid) open <= !here.last;
    if (restart) fresh <= 1'b1;
    else if (coming.valid && first) fresh <= 1'b0;
    if (flush) open <= 1'b0;
    if (rst) {open, fresh} <= 2'b01;
  end

  if (TEMPLATES == 1) begin : gen_one
    assign begin_anew = empties || (first && (fresh || !outlives));
    assign {store, take} = '0;
    assign held = '0;
  end else begin : gen_set
    logic [TEMPLATES-1:0] stored;
    logic holds, begins, other;

    assign begins = coming.valid && first;
    assign other = !holds || held != at;
    assign store = begins && holds && other && !empties && !fresh;
    assign take = begins && outlives && other && !empties && !fresh && stored[at];
    assign begin_anew = empties || (begins && (!outlives || fresh || (other && !stored[at])));

    always_ff @(posedge clk) begin
      if (begins) begin
        held  <= at;
        holds <= outlives;
      end
      if (store) stored[held] <= 1'b1;
      if (empties || fresh) stored <= '0;
      if (rst) {stored, holds} <= '0;
    end
  end
endmodule
