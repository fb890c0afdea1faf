// Proves for the complete arbiter, for any packets on both lines, any pauses between them, bad frames, windows and modes changing at any time,
// flushes, up to
// a depth in cycles: on both outputs each packet has something new, so none is delivered twice; every packet delivered was sent, and was good; what is
// kept leaves once its time has come; the parts' own assertions.
//
// It is a small one: the number is S bits in a packet's first byte, the count in the second; packets of 1 to LONGEST beats; near is less than
// 2^NearBits ahead.
module arbiter_formal
  import arbiter_pkg::*;
#(
    parameter int W = 8,
    parameter int S = 6,
    parameter int LONGEST = 4
) (
    input logic            clk,
    input logic [1:0]      valid,
    input logic [1:0][W-1:0] data,
    input logic [1:0]      last,
    input logic [1:0]      err,
    input logic [1:0]      mode,
    input logic [2:0]      time_window,
    input logic [2:0]      count_window,
    input logic            flush,
    input logic [1:0][7:0] watch         // any number and count of a packet
);
  localparam int N = W / 8;
  localparam int CountBeat = W == 8 ? 1 : 0;
  localparam int Gap = 4;  // cycles between two packets of a line, at least: Ethernet keeps more
  localparam protocol_t Small = '{
      sequence_offset: 0,
      sequence_bytes: 1,
      sequence_bits: S,
      count_offset: 1,
      count_bytes: 1,
      count_end: 0,
      little_endian: 0,
      maximum_bytes: LONGEST * N,
      length_offset: 0
  };

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  stream_if #(.W(W)) a ();
  stream_if #(.W(W)) b ();
  stream_if #(.W(W)) low ();
  stream_if #(.W(W)) high ();

  assign {a.valid, a.data, a.keep, a.last, a.err} = {valid[0], data[0], {N{1'b1}}, last[0], err[0]};
  assign {b.valid, b.data, b.keep, b.last, b.err} = {valid[1], data[1], {N{1'b1}}, last[1], err[1]};

  arbiter_event_t events;

  arbiter #(
      .W(W),
      .PROTOCOL(Small),
      .PACKETS(4),
      .HOLD(8)
  ) dut (
      .clk,
      .rst,
      .a(a.snk),
      .b(b.snk),
      .mode(mode == 2'd3 ? WINDOW_TIME : window_e'(mode)),
      .time_window(32'(time_window)),
      .count_window(CountBits'(count_window)),
      .idle_limit('0),
      .flush,
      .low_latency(low.src),
      .high_reliability(high.src),
      .events
  );

  // ---- what comes: without pauses in a packet, and a gap after each -------------------------------------------

  logic [1:0] in_packet;
  logic [1:0][2:0] beats;  // of the packet so far
  logic [1:0][2:0] since;  // cycles since the last packet's end
  logic [1:0] first;
  assign first = valid & ~in_packet;

  logic [1:0] here;  // this beat has the count
  logic [1:0][7:0] sent_number, sent_count, number_before;
  always_comb begin
    for (int i = 0; i < 2; i++) begin
      here[i] = valid[i] && beats[i] == 3'(CountBeat);
      sent_number[i] = beats[i] == '0 ? data[i][7:0] : number_before[i];
      sent_count[i] = data[i][W-1-:8];
    end
  end

  always_ff @(posedge clk) begin
    for (int i = 0; i < 2; i++) begin
      in_packet[i] <= !rst && (valid[i] ? !last[i] : in_packet[i]);
      beats[i] <= !valid[i] || last[i] || rst ? '0 : beats[i] + 1'b1;
      since[i] <= rst ? 3'(Gap) : valid[i] ? '0 : since[i] == 3'(Gap) ? since[i] : since[i] + 1'b1;
      assume (!rst || !valid[i]);
      assume (rst || !in_packet[i] || valid[i]);
      assume (rst || !first[i] || since[i] == 3'(Gap));
      assume (!(valid[i] && beats[i] == 3'(LONGEST - 1)) || last[i]);
      assume (!here[i] || sent_count[i] <= 8'd2);  // messages
      assume (!here[i] || sent_number[i] < 8'(1 << S));
    end
    assume (!rst || !flush);
  end

  // ---- what is on the outputs ------------------------------------------------------------------------------------

  logic [1:0] out_valid, out_last, out_err, out_begun, out_numbered, follows, restarted;
  logic [1:0][W-1:0] out_data;
  logic [1:0][7:0] number, count, number_now, count_now;
  logic [1:0][S-1:0] upto, missing, known;  // from the next number to the packet's, and back

  assign out_valid = {high.valid, low.valid};
  assign out_last  = {high.last, low.last};
  assign out_err   = {high.err, low.err};
  assign out_data  = {high.data, low.data};
  assign restarted = {dut.high.restarts, events.session_reset};

  always_comb begin
    for (int i = 0; i < 2; i++) begin
      number_now[i] = out_begun[i] ? number[i] : out_data[i][7:0];
      missing[i] = number_now[i][S-1:0] - upto[i];
      known[i] = upto[i] - number_now[i][S-1:0];
      count_now[i]  = out_numbered[i] ? count[i] : out_data[i][W-1-:8];
    end
  end

  // The watched packet was on a line, and its frame was good.
  logic [1:0][7:0] watched;
  logic [1:0] alike, alike_now;  // the packet on the line, up to here
  logic sent;

  always_comb begin
    for (int i = 0; i < 2; i++) alike_now[i] = here[i] ? {sent_count[i], sent_number[i]} == watched : beats[i] > 3'(CountBeat) && alike[i];
  end

  always_ff @(posedge clk) begin
    if (rst) watched <= watch;
    for (int i = 0; i < 2; i++) begin
      if (valid[i]) begin
        number_before[i] <= sent_number[i];
        alike[i] <= alike_now[i];
        if (last[i] && !err[i] && alike_now[i]) sent <= 1'b1;
      end
      if (out_valid[i]) begin
        out_begun[i] <= !out_last[i];
        out_numbered[i] <= !out_last[i] && (CountBeat == 0 || out_begun[i]);
        number[i] <= number_now[i];
        count[i] <= count_now[i];
        if (out_last[i] && !out_err[i]) begin
          assert (rst || CountBeat == 0 || out_begun[i]);
          follows[i] <= 1'b1;
          upto[i] <= number_now[i][S-1:0] + count_now[i][S-1:0];
          assert (rst || !follows[i] || missing[i] < S'(1 << NearBits) || 8'(known[i]) < count_now[i]);
          assert (rst || {count_now[i], number_now[i]} != watched || sent);
        end
      end
      if (restarted[i]) follows[i] <= 1'b0;
    end
    if (rst) begin
      out_begun <= '0;
      out_numbered <= '0;
      follows <= '0;
      sent <= 1'b0;
    end
  end

  // ---- a packet whose time has come leaves ----------------------------------------------------------------------

  logic [5:0] overdue;  // cycles in which one has expired and none left
  always_ff @(posedge clk) begin
    if (rst || (dut.high.packet_order.expired & dut.high.packet_order.listed) == '0 || mode == 2'd1 || dut.high.pop) overdue <= '0;
    else overdue <= overdue + 1'b1;
    assert (rst || overdue < 6'd20);
    cover (!rst && dut.high.release_now && dut.high.first_number != dut.high.expected);
    cover (!rst && dut.high.restarts);
  end
endmodule
