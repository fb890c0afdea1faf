// Finds out which template of a set each packet is of, before its first beat reaches the engine.
//
//   in ─ held until the next beat ─ s1 its first six bytes ─ s2 compared with every template ─ s3 number ─ out
//
// It looks for a presence map of one byte and an identifier, after a Reset if there is one. It only chooses: the engine compares presence map and identifier again.
//
// Latency: 4 cycles. Throughput: a beat a cycle. Parameter: TEMPLATES, 2 to 8. Nothing overflows.
module fast_wire_scout
  import fast_wire_pkg::*;
#(
    parameter int TEMPLATES = 8
) (
    input logic clk,
    input logic rst,
    input logic flush,  // the beats here are none
    stream_if.snk in,
    /* verilator lint_off UNUSEDSIGNAL */
    input load_t load,
    /* verilator lint_on UNUSEDSIGNAL */

    stream_if.src out,
    output choice_t ahead,  // the packet's template, from a cycle before its first beat to a cycle before the next packet's
    output logic busy
);
  localparam int IdBytes = 3;
  localparam int Window = 3 + IdBytes;  // Reset, presence map, identifier

  typedef struct packed {
    logic valid;
    logic last;
    logic err;
    logic [Lanes-1:0] keep;
    logic [8*Lanes-1:0] data;
  } whole_t;

  // ---- what to look for: identifiers as they are on the wire, the first byte lowest

  typedef struct packed {
    logic [IdBytes-1:0][7:0] bytes;
    logic [IdBytes-1:0] mask;
  } pattern_t;
  pattern_t [TEMPLATES-1:0] patterns;
  logic [TEMPLATES-1:0] used;
  logic [7:0] reset_id;  // all have the same
  /* verilator lint_off UNUSEDSIGNAL */
  template_t loaded;
  /* verilator lint_on UNUSEDSIGNAL */
  pattern_t pattern;

  assign loaded = load.data[$bits(template_t)-1:0];
  always_comb begin
    unique case (loaded.id_bytes)
      2'd1: pattern = '{bytes: {16'd0, 1'b1, loaded.id[6:0]}, mask: 3'b001};
      2'd2: pattern = '{bytes: {8'd0, 1'b1, loaded.id[6:0], 1'b0, loaded.id[13:7]}, mask: 3'b011};
      default: pattern = '{bytes: {1'b1, loaded.id[6:0], 1'b0, loaded.id[13:7], 1'b0, loaded.id[20:14]}, mask: 3'b111};
    endcase
  end

  always_ff @(posedge clk) begin
    if (load.valid && load.what == WIRE_LOAD_TEMPLATE) begin
      if (loaded.used) reset_id <= loaded.reset_id;
      for (int t = 0; t < TEMPLATES; t++) begin
        if (load.template_at == template_at_t'(t)) begin
          patterns[t] <= pattern;
          used[t] <= loaded.used;
        end
      end
    end
    if (rst) used <= '0;
  end

  // ---- a beat waits for the next one, unless it is the packet's last

  whole_t taken, waiting, beat1, beat2, beat3;
  logic leaves, first, first1, first2;
  logic [2*Lanes-1:0][7:0] both;
  logic [Window-1:0][7:0] bytes, bytes1;

  assign taken  = '{valid: in.valid, last: in.last, err: in.err, keep: in.keep, data: in.data};
  assign leaves = waiting.valid && (waiting.last || in.valid);
  assign both   = {in.data, waiting.data};

  // From the first lane that is kept on.
  always_comb begin
    bytes = '0;
    for (int j = Lanes - 1; j >= 0; j--) if (waiting.keep[j]) for (int i = 0; i < Window; i++) bytes[i] = both[j+i];
  end

  // ---- s1 to s3

  logic [TEMPLATES-1:0] plain, reset, matches2;
  logic resets;
  choice_t choice2;

  assign resets = bytes1[0] == 8'hc0 && bytes1[1] == reset_id && reset_id[7];
  always_comb begin
    for (int t = 0; t < TEMPLATES; t++) begin
      plain[t] = used[t];
      reset[t] = used[t];
      for (int i = 0; i < IdBytes; i++) begin
        if (patterns[t].mask[i] && patterns[t].bytes[i] != bytes1[1+i]) plain[t] = 1'b0;
        if (patterns[t].mask[i] && patterns[t].bytes[i] != bytes1[3+i]) reset[t] = 1'b0;
      end
    end
    choice2 = '{known: matches2 != '0, at: '0};
    for (int t = 0; t < TEMPLATES; t++) if (matches2[t]) choice2.at |= template_at_t'(t);
  end

  choice_t choice;
  assign ahead = beat2.valid && first2 ? choice2 : choice;

  always_ff @(posedge clk) begin
    if (in.valid) waiting <= taken;
    else if (leaves) waiting.valid <= 1'b0;
    if (leaves) first <= waiting.last;

    beat1 <= waiting;
    beat1.valid <= leaves;
    beat1.last <= leaves && waiting.last;
    first1 <= first;
    bytes1 <= bytes;

    beat2 <= beat1;
    first2 <= first1;
    matches2 <= resets ? reset : plain;

    beat3  <= beat2;
    choice <= ahead;
    if (rst || flush) begin
      {waiting.valid, beat1.valid, beat2.valid, beat3.valid} <= '0;
      first <= 1'b1;
    end
  end

  assign {out.valid, out.last, out.err, out.keep, out.data} = beat3;
  assign busy = waiting.valid || beat1.valid || beat2.valid || beat3.valid;

  assert property (@(posedge clk) disable iff (rst) !(beat1.valid && first1) || $onehot0(resets ? reset : plain));
endmodule
