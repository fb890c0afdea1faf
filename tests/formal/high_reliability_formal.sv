// Proves for the release of high_reliability, with packet_order and line_select, up to a depth in cycles:
// - what leaves has something new: what is cut through contains the expected number, what is released does or is near past it, until a session reset;
// - what is released was kept, and is not kept afterwards: each packet that comes from the store is refused, or leaves once;
// - while one has waited for the time window, in LIMIT cycles one leaves, or what was missing before it is cut through, or one more is kept: so all
//   leave, as the missing are fewer than 2^NearBits and the kept at most 4;
// for any packets on both lines and whatever mode, windows, flushes and session resets do in any cycle.
//
// So that this many packets fit into few cycles, what comes out of session_tracker is free (the cut points in the .sby file), and so is what the
// stores say of
// their slots: a packet is kept in any cycle, without its beats. A beat is two bytes, the number S bits in the first, the count the second; packets of 1
// or 2 beats.
module high_reliability_formal
  import arbiter_pkg::*;
#(
    parameter int LIMIT = 10
) (
    input logic             clk,
    input logic [1:0]       valid,
    input logic [1:0][15:0] data,
    input logic [1:0]       last,
    input logic [1:0]       err,
    input logic [1:0]       mode,
    input logic [1:0]       time_window,
    input logic [1:0]       count_window,
    input logic             flush
);
  localparam int W = 16;
  localparam int S = 5;
  localparam int Messages = 2;
  localparam int Gap = 4;  // cycles between two packets of a line
  localparam protocol_t Small = '{
      sequence_offset: 0,
      sequence_bytes: 1,
      sequence_bits: S,
      count_offset: 1,
      count_bytes: 1,
      count_end: 0,
      little_endian: 0,
      maximum_bytes: 4,
      length_offset: 0
  };

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  stream_if #(.W(W)) a ();
  stream_if #(.W(W)) b ();
  stream_if #(.W(W)) out ();
  arbiter_line_if #(
      .W(W),
      .S(S)
  ) line_a ();
  arbiter_line_if #(
      .W(W),
      .S(S)
  ) line_b ();

  assign {a.valid, a.data, a.keep, a.last, a.err} = {valid[0], data[0], 2'b11, last[0], err[0]};
  assign {b.valid, b.data, b.keep, b.last, b.err} = {valid[1], data[1], 2'b11, last[1], err[1]};

  packet_number #(
      .W(W),
      .PROTOCOL(Small)
  ) number_a (
      .clk,
      .rst,
      .line(a.snk),
      .out(line_a.src)
  );
  packet_number #(
      .W(W),
      .PROTOCOL(Small)
  ) number_b (
      .clk,
      .rst,
      .line(b.snk),
      .out(line_b.src)
  );

  logic gap;
  logic [S-1:0] gap_from, gap_to;

  high_reliability #(
      .W(W),
      .PROTOCOL(Small),
      .PACKETS(4),
      .HOLD(2)
  ) dut (
      .clk,
      .rst,
      .a(line_a.snk),
      .b(line_b.snk),
      .mode(mode == 2'd3 ? WINDOW_TIME : window_e'(mode)),
      .time_window(32'(time_window)),
      .count_window(CountBits'(count_window)),
      .flush(flush && !rst),
      .session_known(1'b0),
      .session_expected('0),
      .out(out.src),
      .gap,
      .gap_from,
      .gap_to
  );

  // ---- what comes ---------------------------------------------------------------------------------------------

  logic [1:0] in_packet;
  logic [1:0][2:0] since;
  logic came, restarted;
  logic [3:0] held;  // came from the store, and neither refused nor gone
  logic [1:0] slot;
  assign slot = {dut.seen_line, dut.seen.slot};

  always_ff @(posedge clk) begin
    for (int i = 0; i < 2; i++) begin
      in_packet[i] <= !rst && (valid[i] ? !last[i] : in_packet[i]);
      since[i] <= rst ? 3'(Gap) : valid[i] ? '0 : since[i] == 3'(Gap) ? since[i] : since[i] + 1'b1;
      assume (!rst || !valid[i]);
      assume (rst || !in_packet[i] || valid[i]);
      assume (rst || !valid[i] || in_packet[i] || since[i] == 3'(Gap));
      assume (!in_packet[i] || !valid[i] || last[i]);
      assume (in_packet[i] || data[i][15:8] <= 8'(Messages));
    end
    came <= dut.seen_valid;
    restarted <= dut.restart;
    assume (!dut.seen_valid || (!rst && !came && dut.seen.keepable && dut.seen.stored && !held[slot]));
    assume (dut.seen.count <= CountBits'(Messages));
    // As session_tracker has it: the packet that brings a session reset comes after it, and the one before is two cycles ahead.
    assume (!dut.restart || (!rst && !restarted && !dut.seen_valid));
    assume ((dut.free[0] & ~dut.store_a.used) == '0 && (dut.free[1] & ~dut.store_b.used) == '0);
    if (dut.seen_valid) held[slot] <= 1'b1;
    if (dut.left[0]) held[dut.popped_slot] <= 1'b0;
    if (dut.refused) held[dut.settled_slot] <= 1'b0;
    if (rst) held <= '0;
  end

  // ---- what holds ---------------------------------------------------------------------------------------------

  logic follows;
  logic [S-1:0] upto;
  logic passed_contains, first_contains;
  assign passed_contains = dut.passed_number == upto || S'(upto - dut.passed_number) < S'(dut.passed_next - dut.passed_number);
  assign first_contains = dut.first_number == upto || S'(upto - dut.first_number) < S'(dut.first_next - dut.first_number);
  logic [4:0] overdue;  // cycles in which one has expired and nothing moved

  always_ff @(posedge clk) begin
    if (dut.passes) begin
      assert (rst || !follows || passed_contains);
      cover (!rst && follows && dut.passed_number != upto);
      upto <= dut.passed_next;
      follows <= 1'b1;
    end else if (dut.release_now) begin
      assert (rst || !follows || S'(dut.first_number - upto) < S'(1 << NearBits) || first_contains);
      cover (!rst && follows && dut.first_number != upto && first_contains);
      upto <= dut.first_number + S'(dut.packet_order.counts[dut.first_slot]);
      follows <= 1'b1;
    end else if (dut.restarts) upto <= dut.accepted;
    if (dut.pop) assert (rst || (held[dut.first_slot] && dut.packet_order.listed[dut.first_slot]));
    if (rst || (dut.packet_order.expired & dut.packet_order.listed) == '0 || mode == WINDOW_COUNT || dut.pop || dut.passes || dut.inserted)
      overdue <= '0;
    else overdue <= overdue + 1'b1;
    assert (rst || overdue < 5'(LIMIT));
    if (rst) follows <= 1'b0;
  end
endmodule
