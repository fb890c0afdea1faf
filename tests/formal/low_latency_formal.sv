// Proves for low_latency, with line_select, number_wanted and packet_number, for any beats on both lines, bad frames and session resets at any time:
// - every packet on the output is, beat for beat, one that a line brought, at most Delay cycles late, or the beginning of one, with err at its end;
// - each good packet has something new: its number is near at or past the next number of the one before, or of the session reset, or it contains that;
// - the gap reported is exactly what is missing between two of them; there is none before one that contains what comes next.
//
// It is a small one: a beat is a byte, the number S bits in the first, the count in byte COUNT_OFFSET (0: every packet holds one message), which
// decides how early the number is known; near is less than 2^NearBits ahead.
module low_latency_formal
  import arbiter_pkg::*;
#(
    parameter int COUNT_OFFSET = 0,
    parameter int GAP = 1
) (
    input logic            clk,
    input logic [1:0]      valid,
    input logic [1:0][7:0] data,
    input logic [1:0]      last,
    input logic [1:0]      err,
    input logic            restart,
    input logic [4:0]      restart_number
);
  localparam int W = 8;
  localparam int S = 5;
  localparam int Delay = 4;
  localparam protocol_t Small = '{
      sequence_offset: 0,
      sequence_bytes: 1,
      sequence_bits: S,
      count_offset: COUNT_OFFSET,
      count_bytes: COUNT_OFFSET == 0 ? 0 : 1,
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

  assign {a.valid, a.data, a.keep, a.last, a.err} = {valid[0], data[0], 1'b1, last[0], err[0]};
  assign {b.valid, b.data, b.keep, b.last, b.err} = {valid[1], data[1], 1'b1, last[1], err[1]};

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

  logic known, gap;
  logic [S-1:0] expected, gap_from, gap_to;
  logic [1:0] passed, refused, bad, missed;

  low_latency #(
      .W(W),
      .PROTOCOL(Small)
  ) dut (
      .clk,
      .rst,
      .a(line_a.snk),
      .b(line_b.snk),
      .restart(restart && !rst),
      .restart_number,
      .out(out.src),
      .known,
      .expected,
      .passed,
      .refused,
      .bad,
      .missed,
      .gap,
      .gap_from,
      .gap_to
  );

  // Between two packets of a line: Ethernet keeps more.
  logic [1:0] in_packet;
  logic [1:0][2:0] since;
  always_ff @(posedge clk) begin
    for (int i = 0; i < 2; i++) begin
      since[i] <= rst ? 3'(GAP) : valid[i] ? '0 : since[i] == 3'(GAP) ? since[i] : since[i] + 1'b1;
      assume (!rst || !valid[i]);
      assume (rst || !valid[i] || in_packet[i] || since[i] == 3'(GAP));
    end
  end

  // ---- each packet on the output is one of a line's ---------------------------------------------------------

  typedef struct packed {
    logic       valid;
    logic       first;
    logic       last;
    logic       err;
    logic [7:0] data;
  } beat_t;

  beat_t [1:0][Delay:0] past;  // the lines' beats of this cycle and those before
  logic out_in_packet;
  logic [1:0][Delay:1] alike, alike_now;  // the output's packet so far is the line's of so many cycles ago

  always_comb begin
    for (int i = 0; i < 2; i++) begin
      past[i][0] = '{valid: valid[i] && !rst, first: !in_packet[i], last: last[i], err: err[i], data: data[i]};
      for (int j = 1; j <= Delay; j++) begin
        alike_now[i][j] = out_in_packet ? alike[i][j] && past[i][j].valid == out.valid && (!out.valid || !past[i][j].first)
                                        : past[i][j].valid && past[i][j].first;
        if (out.valid && past[i][j].data != out.data) alike_now[i][j] = 1'b0;
        // It ends where the line's does, and is good only if that is; or it is cut.
        if (out.valid && !(out.last && out.err) && {past[i][j].last, past[i][j].last && past[i][j].err} != {out.last, 1'b0})
          alike_now[i][j] = 1'b0;
      end
    end
  end

  always_ff @(posedge clk) begin
    for (int i = 0; i < 2; i++) begin
      in_packet[i] <= !rst && (valid[i] ? !last[i] : in_packet[i]);
      for (int j = 1; j <= Delay; j++) past[i][j] <= rst ? '0 : past[i][j-1];
    end
    out_in_packet <= !rst && (out.valid ? !out.last : out_in_packet);
    alike <= alike_now;
    if (!rst && out.valid) assert (alike_now != '0);
    if (!rst) assert (!out.err || !out.valid || out.last);
  end

  // ---- each has something new -------------------------------------------------------------------------------

  logic [2:0] beats;  // of the output's packet, up to 7
  logic follows, gap_now;
  logic [S-1:0] upto, number, number_now, distance;
  logic [7:0] count, count_now;
  logic ahead, contains;

  assign number_now = beats == '0 ? out.data[S-1:0] : number;
  assign count_now = COUNT_OFFSET == 0 ? 8'd1 : beats == 3'(COUNT_OFFSET) ? out.data : count;
  assign ahead = number_now != upto && S'(number_now - upto) < S'(1 << NearBits);
  assign distance = upto - number_now;
  assign contains = distance == '0 || (distance < S'(1 << NearBits) && 8'(distance) < count_now);

  logic gap_reg, gap_late;
  logic [S-1:0] gap_from_reg, gap_to_reg, gap_from_late, gap_to_late;

  always_ff @(posedge clk) begin
    gap_reg <= 1'b0;
    {gap_late, gap_from_late, gap_to_late} <= {gap_reg, gap_from_reg, gap_to_reg};
    gap_from_reg <= upto;
    gap_to_reg <= number_now;
    if (out.valid) begin
      beats <= out.last ? '0 : beats == '1 ? beats : beats + 1'b1;
      number <= number_now;
      count <= count_now;
    end
    if (out.valid && out.last && !out.err) begin
      follows <= 1'b1;
      upto <= number_now + S'(count_now);
      gap_reg <= follows && ahead;
      assert (rst || beats >= 3'(COUNT_OFFSET));
      assert (rst || !follows || ahead || contains);
      if (COUNT_OFFSET != 0) cover (!rst && follows && contains && number_now != upto);
    end
    if (restart) upto <= restart_number;
    if (rst) begin
      beats <= '0;
      follows <= 1'b0;
      {gap_reg, gap_late} <= '0;
    end
    assert (rst || gap == gap_late);
    assert (rst || !gap || (gap_from == gap_from_late && gap_to == gap_to_late));
  end
endmodule
