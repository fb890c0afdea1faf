// Chooses the decoder's input: one of the lines alone, or one of the arbiter's outputs. The choice changes only between packets, on both the old
// stream and the new one, so that no packet is lost when the two bring it at different times. Streams at full rate may never be between
// packets at the same time: when a choice has waited for PATIENCE cycles, the new stream's current packet does not pass.
//
//   line A, line B, low latency, high reliability ─┬──────── register ─ out
//                                                  └─ fifo ──┘
//
// After the arbiter packets may come closer together than the decoder's user can settle: the beat in which a packet's first message ends
// waits until SETTLE cycles after the end of the packet before, unless that ended in err within its header.
//
// Latency: 1 cycle, more for what waits in the fifo. Throughput: a beat a cycle. Parameters: W; SETTLE, 0 or, at W = 64, up to 9; LENGTH_OFFSET, with
// SETTLE: where a packet says how long its first message is (see protocol_t); PATIENCE, more cycles than the longest packet takes.
// Overflow: a packet that finds Limit beats waiting is dropped and counted.
module feed_select
  import arbiter_pkg::*;
#(
    parameter int W = 64,
    parameter int SETTLE = 0,
    parameter int LENGTH_OFFSET = 20,
    parameter int PATIENCE = (1 << 17) / W
) (
    input logic    clk,
    input logic    rst,
    input source_e source,
    stream_if.snk  a,
    stream_if.snk  b,
    stream_if.snk  low_latency,
    stream_if.snk  high_reliability,
    output logic   arbitrated,        // with a packet on `out`: it came through the arbiter
    output logic   overflow,
    stream_if.src  out
);
  typedef struct packed {
    logic           valid;
    logic           arbitrated;
    logic           last;
    logic           err;
    logic [W/8-1:0] keep;
    logic [W-1:0]   data;
  } beat_t;

  beat_t [3:0] streams;
  beat_t beat;
  source_e chosen;
  logic [3:0] open_reg, open;  // of each stream: within a packet, before and after this beat
  logic muted;  // the chosen stream is within a packet that was on its way when it was taken
  logic changes, impatient;
  logic changed_reg;  // the choice changed in the cycle before: `waited` still belongs to the old choice, as the change is known late
  logic [$clog2(PATIENCE+1)-1:0] waited;

  assign streams[SOURCE_LINE_A] = {a.valid, 1'b0, a.last, a.err, a.keep, a.data};
  assign streams[SOURCE_LINE_B] = {b.valid, 1'b0, b.last, b.err, b.keep, b.data};
  assign streams[SOURCE_LOW_LATENCY] = {
    low_latency.valid, 1'b1, low_latency.last, low_latency.err, low_latency.keep, low_latency.data
  };
  assign streams[SOURCE_HIGH_RELIABILITY] = {
    high_reliability.valid, 1'b1, high_reliability.last, high_reliability.err, high_reliability.keep, high_reliability.data
  };

  always_comb for (int i = 0; i < 4; i++) open[i] = streams[i].valid ? !streams[i].last : open_reg[i];
  assign beat = streams[chosen];
  assign impatient = !changed_reg && waited == ($clog2(PATIENCE + 1))'(PATIENCE);
  assign changes = (!open[chosen] || muted) && (!open[source] || impatient);

  always_ff @(posedge clk) begin
    open_reg <= open;
    if (changes) begin
      chosen <= source;
      muted  <= open[source];
    end else if (!open[chosen]) muted <= 1'b0;
    changed_reg <= changes;
    if (source == chosen) waited <= '0;
    else if (changed_reg) waited <= ($clog2(PATIENCE + 1))'(1);
    else if (!impatient) waited <= waited + 1'b1;
    if (rst) begin
      open_reg <= '0;
      chosen <= SOURCE_LINE_A;
      changed_reg <= 1'b0;
      muted <= 1'b0;
      waited <= '0;
    end
  end

  logic passes;
  assign passes = beat.valid && !muted;

  if (SETTLE == 0) begin : gen_register
    assign overflow = 1'b0;
    always_ff @(posedge clk) begin
      out.valid <= passes && !rst;
      {arbitrated, out.last, out.err, out.keep, out.data} <= {beat.arbitrated, beat.last, beat.err, beat.keep, beat.data};
    end
  end else begin : gen_settle
    localparam int Depth = 512;
    localparam int Limit = 128;  // the waiting beats hold so few packets that their gaps do not fill the rest
    localparam int Length = LENGTH_OFFSET;
    localparam int Header = (Length + 1) / (W / 8);  // the beat that holds the length
    localparam int Late = SETTLE - 1;  // a message that ends in this beat comes late enough
    localparam int GoesOn = (W / 8) * (Header + 2) - Length - 1;  // a message of this length does not end in the beat after the header
    if (GoesOn > 15) begin : g_check
      $fatal(1, "feed_select: SETTLE is for W = 64");
    end

    logic above_reg, just_above_reg, at_limit_reg, grew_reg, shrank_reg;  // `count` against Limit, all as in the cycle before
    logic dropping_reg, drops, enters, empty, full, too_full, direct, from_fifo, may_go;
    logic [3:0] unsettled;  // cycles
    logic goes;
    logic [3:0] next_index;  // unless that beat is the packet's last
    logic [3:0] index, first_end;  // of the beat that goes next, of the beat in which the first message ends; both up to Late
    logic [15:0] length;  // of the first message; `first_end` comes a cycle later, too late for the beat after the header
    logic goes_on;
    logic [$clog2(Depth):0] count;
    beat_t waiting;
    /* verilator lint_off UNUSEDSIGNAL */  // the end's index is there, it is known
    beat_t next;
    /* verilator lint_on UNUSEDSIGNAL */

    // A packet is dropped completely.
    assign drops  = open_reg[chosen] ? dropping_reg : (above_reg && !(just_above_reg && shrank_reg)) || (at_limit_reg && grew_reg);
    assign enters = passes && !drops;
    assign goes_on = length[15:4] != '0 || length[3:0] >= 4'(GoesOn);
    assign may_go = unsettled == '0 || index <= 4'(Header) || (index == 4'(Header + 1) ? goes_on : index < first_end);
    assign from_fifo = !empty && may_go;
    assign direct = enters && empty && may_go;
    assign goes = direct || from_fifo;
    assign next = empty ? beat : waiting;
    assign next_index = rst ? '0 : goes && index != 4'(Late) ? index + 4'd1 : index;

    fifo #(
        .WIDTH($bits(beat_t)),
        .DEPTH(Depth)
    ) fifo (
        .clk,
        .rst,
        .write(enters && !direct),
        .write_data(beat),
        .full,
        .overflow(too_full),
        .read(from_fifo),
        .read_data(waiting),
        .empty,
        .count
    );

    always_ff @(posedge clk) begin
      dropping_reg <= passes ? drops : dropping_reg;
      above_reg <= count > ($clog2(Depth) + 1)'(Limit);
      just_above_reg <= count == ($clog2(Depth) + 1)'(Limit + 1);
      at_limit_reg <= count == ($clog2(Depth) + 1)'(Limit);
      grew_reg <= enters && !direct && !from_fifo && !rst;
      shrank_reg <= from_fifo && !(enters && !direct) && !rst;
      overflow <= passes && drops && beat.last && !rst;
      first_end <= length >= 16'((W / 8) * Late - Length - 1) ? 4'(Late) : 4'((length + 16'(Length + 1)) >> $clog2(W / 8));
      // Where the packet ends comes late, out of the memory.
      index <= next_index & {4{!(goes && next.last)}};
      if (unsettled != '0) unsettled <= unsettled - 1'b1;
      if (goes) begin
        if (index == 4'(Header)) length <= {next.data[8*(Length%(W/8))+:8], next.data[8*(Length%(W/8)+1)+:8]};
        if (next.last && !(next.err && index <= 4'(Header))) unsettled <= 4'(SETTLE - 1);
      end
      out.valid <= goes && !rst;
      {arbitrated, out.last, out.err, out.keep, out.data} <= {next.arbitrated, next.last, next.err, next.keep, next.data};
      if (rst) begin
        dropping_reg <= 1'b0;
        overflow <= 1'b0;
        unsettled <= '0;
        {above_reg, at_limit_reg} <= '0;
      end
    end

    assert property (@(posedge clk) disable iff (rst) !too_full && !full);
    assert property (@(posedge clk) disable iff (rst) open_reg[chosen] || drops == (count > ($clog2(Depth) + 1)'(Limit)));
  end
endmodule
