// The second in which packets of the wire-rate engine are, and the one after it: so that the first packet of a second needs no other engine.
//
//   of fast_time ─ the second ─ s1 the next one
//                     └── advance ───┘
//
// The first is what fast_time worked out last, of packets that are the microcode engine's to do: of those that it does besides, for the records or its dictionaries,
// it may be far behind. A packet in the next second makes that the second. In digits the next second is 1 more, at a minute's end
// 41 (59 to 100); at an hour's end it is not known, nor after a leap second: fast_time works it out.
//
// Latency: a cycle to the second, one more to the next one. No parameters. Nothing overflows.
module fast_wire_second
  import fast_events_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic forget,  // pulse
    input second_t worked_out,
    input logic listens,  // the microcode engine has packets that are its own to do
    input logic advance,  // pulse, while it is steady: the next one is the second now

    output second_t now,
    output logic next_known,
    output logic [63:0] next_digits,
    output logic [47:0] next_nanoseconds,
    output logic steady  // it is what it was four cycles before
);
  localparam logic [47:0] Second = 48'd1_000_000_000;
  localparam logic [5:0] Last = 6'd59;

  logic [35:0] step;
  logic [3:0] changed;
  logic of_worked_out;  // the second is the last one that was worked out, or comes after it
  logic learnt_before, missed;  // another one was worked out that did not count

  always_comb begin
    case (now.groups)
      2'd0: step = now.second == Last ? 36'd41 : 36'd1;
      2'd1: step = now.second == Last ? 36'd41_000 : 36'd1_000;
      2'd2: step = now.second == Last ? 36'd41_000_000 : 36'd1_000_000;
      default: step = now.second == Last ? 36'd41_000_000_000 : 36'd1_000_000_000;
    endcase
  end
  assign steady = changed == '0;
  assign of_worked_out = now.known && now.learnt == worked_out.learnt;

  always_ff @(posedge clk) begin
    next_digits <= now.digits + 64'(step);
    next_nanoseconds <= now.nanoseconds + Second;
    next_known <= now.known && now.second <= Last && !(now.second == Last && now.minute == Last);
    changed <= changed << 1;
    learnt_before <= worked_out.learnt;
    missed <= !listens && (missed || worked_out.learnt != learnt_before);
    if (listens && (!worked_out.known || !of_worked_out || missed)) begin
      now <= worked_out;
      next_known <= 1'b0;
      changed[0] <= 1'b1;
    end else if (advance) begin
      now.digits <= next_digits;
      now.nanoseconds <= next_nanoseconds;
      now.second <= now.second == Last ? '0 : now.second + 6'd1;
      if (now.second == Last) now.minute <= now.minute + 6'd1;
      next_known <= 1'b0;
      changed[0] <= 1'b1;
    end
    if (forget || rst) {now.known, next_known} <= '0;
    if (rst) {learnt_before, missed} <= '0;
    if (rst) changed <= '1;
  end

  assert property (@(posedge clk) disable iff (rst) !advance || (steady && next_known));
endmodule
