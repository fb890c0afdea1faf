// Reports what became of messages when the segment they ended in has proved good: a queue of causes; a bad segment's are removed.
//
//   found ─ queue ─ proven up to here ─ pulses
//
// Latency: 6 cycles from `good` to the first pulse. Throughput: a beat a cycle in and out. Parameter: DEPTH, beats with causes stored, a power of two.
// Overflow: none (asserted): no two causes are found in less than six bytes, so a segment of 1,460 has at most 244 such beats, and
// what was stored before it leaves as it comes.
module fix_causes
  import fix_pkg::*;
#(
    parameter int DEPTH = 1024
) (
    input logic clk,
    input logic rst,

    input logic                 valid,
    input logic [FixCauses-1:0] found,
    input logic                 good,   // the segment is good, with this beat or without one
    input logic                 bad,

    output logic [FixCauses-1:0] pulse
);
  localparam int Address = $clog2(DEPTH);
  typedef logic [Address-1:0] pointer_t;

  (* no_rw_check *) logic [FixCauses-1:0] queue[DEPTH];
  logic [FixCauses-1:0] found_reg, from_queue, cause;  // cause: a register of the block RAM
  pointer_t write, proven, read;
  logic valid_reg, put, from_valid, cause_valid;
  logic [2:1] good_reg, bad_reg;

  assign put = valid_reg && found_reg != '0;

  always_ff @(posedge clk) begin
    {valid_reg, found_reg} <= {valid, found};
    if (put) queue[write] <= found_reg;
    if (put) write <= write + 1'b1;
    good_reg <= {good_reg[1], good};
    bad_reg  <= {bad_reg[1], bad};
    if (bad_reg[2]) write <= proven;
    if (good_reg[2]) proven <= write;

    from_queue <= queue[read];
    from_valid <= read != proven;
    if (read != proven) read <= read + 1'b1;
    {cause_valid, cause} <= {from_valid, from_queue};
    pulse <= cause_valid ? cause : '0;
    if (rst) begin
      {write, proven, read} <= '0;
      {valid_reg, good_reg, bad_reg, from_valid, cause_valid} <= '0;
      pulse <= '0;
    end
  end

  assert property (@(posedge clk) disable iff (rst) !put || write + 1'b1 != read);
  assert property (@(posedge clk) disable iff (rst) !(put && (good_reg[2] || bad_reg[2])));
endmodule
