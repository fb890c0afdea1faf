// W=8: checks CheckSum, BodyLength and NoMDEntries of a message, byte by byte; the length and the entries are counted down.
//
// Latency: none: the results come with the parser's beat. Throughput: a byte a cycle. No parameters.
// Overflow: a message below 2^17 bytes does not wrap the length (fix_byte_parser sees to it).
module fix_byte_checks
  import fix_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic save,
    input logic restore,

    // Of the parser's beat.
    /* verilator lint_off UNUSEDSIGNAL */
    input fix_byte_t in,
    input fix_beat_t beat,
    /* verilator lint_on UNUSEDSIGNAL */
    input logic                  in_begin,    // 8=FIX ends with this byte
    input logic                  value_good,  // the field that ends here is an integer
    input logic [LengthBits-1:0] value,
    // A cycle before it.
    input logic                  next_three,  // the field is three digits
    input logic [LengthBits-1:0] next_value,

    output logic sum_good,
    output logic length_good,
    output logic entries_good
);
  typedef logic [LengthBits-1:0] length_t;

  // The sum leaves out the "10" of CheckSum's tag, which has been added when its "=" comes.
  localparam logic [7:0] BeginSum = "8" + "=" + "F" + "I" + "X" - "1" - "0";
  // When the SOH of 10=ddd comes, these bytes have been counted as the body's too.
  localparam length_t Behind = -length_t'(6);

  typedef struct packed {
    logic [7:0] found_sum;  // from the last 8=FIX on
    logic [7:0] sum;        // of the message
    logic [7:0] sum_before; // before the last "="
    length_t body;          // bytes to come
    logic [EntryBits-1:0] entries;  // to come
    logic length_given;
    logic entries_given;
  } state_t;

  state_t state, next, saved;
  logic three, sum_right, body_right, entries_right;

  always_comb begin
    next = state;
    if (in.present) begin
      next.found_sum = in_begin ? BeginSum : state.found_sum + in.data;
      next.sum = state.sum + in.data;
      if (in.equals) next.sum_before = state.sum;
      next.body = state.body - 1'b1;
      if (beat.begins[0]) next.sum = state.found_sum + in.data;
      if (beat.length) {next.length_given, next.body} = {value_good, value};
      if (beat.entries) {next.entries_given, next.entries} = {value_good && value[LengthBits-1:EntryBits] == '0, value[EntryBits-1:0]};
      else if (beat.clear) next.entries = state.entries - 1'b1;
    end
  end

  always_ff @(posedge clk) begin
    state <= restore ? saved : next;
    if (save) saved <= state;
    if (rst) state <= '0;

    three <= next_three;
    sum_right <= next_value[LengthBits-1:8] == '0 && next_value[7:0] == state.sum_before;
    body_right <= in.present ? state.body == Behind + 1'b1 : state.body == Behind;
    entries_right <= state.entries == '0;
  end

  assign sum_good = three && sum_right;
  // If CheckSum is not three digits, the body's end is not where it was counted to; the message fails by its CheckSum anyway.
  assign length_good = !three || (state.length_given && body_right);
  assign entries_good = state.entries_given && entries_right;
endmodule
