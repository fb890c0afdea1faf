// Proves of the whole arbiter, for any packets on both lines, any pauses, bad frames, windows and modes changing at any time, up to a depth in
// cycles: on both outputs numbers strictly increase, so nothing is delivered twice; every packet delivered was sent, and was good; a packet
// whose time has come leaves.
//
// The protocol is a small one: 24-bit number and count in the first beat, packets of at most 3 beats.
module arbiter_formal
  import arbiter_pkg::*;
(
    input logic             clk,
    input logic [1:0]       valid,
    input logic [1:0][63:0] data,
    input logic [1:0]       last,
    input logic [1:0]       err,
    input logic [1:0]       mode,
    input logic [2:0]       time_window,
    input logic [3:0]       count_window,
    input logic             flush,
    input logic [63:0]      watch          // a first beat, any
);
  localparam int W = 64;
  localparam int S = 24;
  localparam int Gap = 4;  // cycles between two packets of a line, at least: Ethernet keeps more
  localparam protocol_t Small = '{
      sequence_offset: 0,
      sequence_bytes: 3,
      sequence_bits: S,
      count_offset: 3,
      count_bytes: 1,
      count_end: 0,
      little_endian: 0,
      maximum_bytes: 24
  };

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  stream_if #(.W(W)) a ();
  stream_if #(.W(W)) b ();
  stream_if #(.W(W)) low ();
  stream_if #(.W(W)) high ();

  assign {a.valid, a.data, a.keep, a.last, a.err} = {valid[0], data[0], 8'hFF, last[0], err[0]};
  assign {b.valid, b.data, b.keep, b.last, b.err} = {valid[1], data[1], 8'hFF, last[1], err[1]};

  logic session_reset;
  logic [1:0] line_silent;

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
      .session_reset,
      .line_silent
  );

  // ---- what comes: packets of 1 to 3 beats, without pauses in them, and a gap behind each ---------------------

  logic [1:0] in_packet;
  logic [1:0][1:0] beats;
  logic [1:0][2:0] since;  // cycles since the last packet's end
  logic [1:0] first;
  assign first = valid & ~in_packet;

  always_ff @(posedge clk) begin
    for (int i = 0; i < 2; i++) begin
      in_packet[i] <= !rst && (valid[i] ? !last[i] : in_packet[i]);
      beats[i] <= !valid[i] || last[i] ? '0 : beats[i] + 1'b1;
      since[i] <= rst ? 3'(Gap) : valid[i] ? '0 : since[i] == 3'(Gap) ? since[i] : since[i] + 1'b1;
      assume (!rst || !valid[i]);
      assume (rst || !in_packet[i] || valid[i]);
      assume (rst || !first[i] || since[i] == 3'(Gap));
      assume (!(valid[i] && beats[i] == 2'd2) || last[i]);
    end
    assume (!rst || !flush);
  end

  // ---- numbers on the outputs -----------------------------------------------------------------------------------

  logic [1:0] out_valid, out_last, out_err, out_open, follows, restarted;
  logic [1:0][63:0] out_data, first_beat, first_now;
  logic [1:0][S-1:0] upto, number;
  logic [1:0][7:0] count;

  assign out_valid = {high.valid, low.valid};
  assign out_last  = {high.last, low.last};
  assign out_err   = {high.err, low.err};
  assign out_data  = {high.data, low.data};
  assign restarted = {dut.high.restarts, session_reset};

  always_comb begin
    for (int i = 0; i < 2; i++) begin
      first_now[i] = out_open[i] ? first_beat[i] : out_data[i];
      number[i] = {first_now[i][7:0], first_now[i][15:8], first_now[i][23:16]};
      count[i] = first_now[i][31:24];
    end
  end

  // The watched packet was on a line, and its frame was good.
  logic [63:0] watched;
  logic [1:0] watching;
  logic sent;

  always_ff @(posedge clk) begin
    if (rst) watched <= watch;
    for (int i = 0; i < 2; i++) begin
      if (first[i]) watching[i] <= data[i] == watched;
      if (valid[i] && last[i] && !err[i] && (first[i] ? data[i] == watched : watching[i])) sent <= 1'b1;
      if (out_valid[i]) begin
        out_open[i] <= !out_last[i];
        if (!out_open[i]) first_beat[i] <= out_data[i];
        if (out_last[i] && !out_err[i]) begin
          if (count[i] != '0) begin
            follows[i] <= 1'b1;
            upto[i] <= number[i] + S'(count[i]);
            assert (rst || !follows[i] || S'(number[i] - upto[i]) < S'(1 << NearBits));
          end
          assert (rst || first_now[i] != watched || sent);
        end
      end
      if (restarted[i]) follows[i] <= 1'b0;
    end
    if (rst) begin
      out_open <= '0;
      follows <= '0;
      sent <= 1'b0;
      watching <= '0;
    end
  end

  // ---- a packet whose time has come leaves ----------------------------------------------------------------------

  logic [4:0] overdue;  // cycles in which one has expired and the output could have been free: a packet takes at most 3 beats
  always_ff @(posedge clk) begin
    if (rst || (dut.high.kept_list.expired & dut.high.kept_list.listed) == '0 || mode == 2'd1 || dut.high.release_now) overdue <= '0;
    else overdue <= overdue + 1'b1;
    assert (rst || overdue < 5'd14);
  end
endmodule
