// Holds the bytes of a TCP stream until their segment has proved good, then gives them out one a cycle.
//
//   in ─ (W=8: two bytes) ─ event_commit ─ register ─ a byte a cycle
//
// For readers that may be late and cannot undo. `in` as decoder_fix has it; the beat with the verdict may have bytes at W=64, at W=8 it has none or one.
//
// Latency: verdict to the first byte 4 cycles. Throughput: a beat a cycle in; a byte a cycle out, so that at W=8 only what waits for its verdict or for the
// reader is held; at W=64 a beat takes eight cycles, whatever is in it.
// Parameters: W, 8 or 64; WORDS held, of two bytes (W=8) or eight (W=64), a power of two.
// Overflow: a word that finds no room is lost. If its segment proves good, `overflow` pulses, two cycles after the verdict: what is said about orders is no
// longer complete. Frames of others, which all prove bad, may be longer than there is room.
module fix_report_bytes #(
    parameter int W = 64,
    parameter int WORDS = 1024
) (
    input logic   clk,
    input logic   rst,
    stream_if.snk in,

    output logic       out_valid,
    input  logic       out_ready,
    output logic [7:0] out_data,
    output logic       overflow
);
  localparam int Bytes = W == 8 ? 2 : W / 8;

  typedef struct packed {
    logic [Bytes-1:0]      keep;  // contiguous
    logic [Bytes-1:0][7:0] data;
  } word_t;

  word_t word_next, word, head;
  logic write_next, write, ends, good, head_valid, head_ready;
  logic lost, spoilt, ends1, good1;  // a word; one of this segment

  // ---- words ---------------------------------------------------------------------------------------

  if (W == 8) begin : gen_pairs
    logic waits;
    logic [7:0] first;
    logic has;
    assign has = in.valid && in.keep[0];
    assign word_next = waits ? '{keep: {has, 1'b1}, data: {in.data, first}} : '{keep: 2'b01, data: {8'd0, in.data}};
    // A byte waits for a second one, or for the end of its segment.
    assign write_next = waits ? has || (in.valid && in.last) : has && in.last;
    always_ff @(posedge clk) begin
      if (in.valid) begin
        waits <= !in.last && (has != waits);
        if (has) first <= in.data;
      end
      if (rst) waits <= 1'b0;
    end
  end else begin : gen_beats
    assign word_next  = '{keep: in.keep, data: in.data};
    assign write_next = in.valid && in.keep != '0;
  end

  // A cycle that no order waits for: the stream comes from afar.
  always_ff @(posedge clk) begin
    word <= word_next;
    write <= write_next;
    ends <= in.valid && in.last;
    good <= !in.err;
    if (rst) {write, ends} <= '0;
  end

  event_commit #(
      .WIDTH($bits(word_t)),
      .DEPTH(WORDS)
  ) event_commit (
      .clk,
      .rst,
      .write,
      .write_data(word),
      .verdict_valid(ends),
      .verdict_good(good),
      .out_valid(head_valid),
      .out_ready(head_ready),
      .out_data(head),
      .overflow(lost)
  );

  always_ff @(posedge clk) begin
    {ends1, good1} <= {ends, good};
    spoilt   <= (spoilt || lost) && !ends1;
    overflow <= ends1 && good1 && (spoilt || lost);
    if (rst) {ends1, spoilt, overflow} <= '0;
  end

  // ---- bytes ---------------------------------------------------------------------------------------

  word_t now;
  logic empties;  // what is in `now` is not needed after this cycle

  assign out_valid = now.keep[0];
  assign out_data = now.data[0];
  assign empties = now.keep[Bytes-1:1] == '0 && (!now.keep[0] || out_ready);
  assign head_ready = empties;

  always_ff @(posedge clk) begin
    // Lanes before the first byte of a segment are passed over, a cycle each.
    if (!now.keep[0] || out_ready) now <= '{keep: {1'b0, now.keep[Bytes-1:1]}, data: {8'd0, now.data[Bytes-1:1]}};
    if (empties && head_valid) now <= head;
    if (rst) now.keep <= '0;
  end
endmodule
