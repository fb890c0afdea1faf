// Keeps the good frames of a line that are nobody's here (ARP, other protocols, ports or groups), whole, until the host takes them.
//
//   line ─ align ─ delay ─ memory ─ out     the verdict commits a frame, or takes it back
//
// It only listens to the line, so no market frame ever waits for it. A frame is kept if its FCS and headers are good, it was not accepted, and it is
// addressed to us or to a group (broadcast with them); FCS included, as received.
//
// Latency: verdict to the frame's first beat on `out` 3 cycles. Throughput: line rate in; a beat a cycle out, as the host is ready.
// Parameters: W; WORDS of memory, beats, a power of two. Overflow: a frame that finds no room is dropped whole and `overflow` tells.
module host_frames
  import tickwire_pkg::*;
#(
    parameter int W = 64,
    parameter int WORDS = 2048
) (
    input logic       clk,
    input logic       rst,
    /* verilator lint_off UNUSEDSIGNAL */  // the verdict tells of errors
    line_if.snk       line,
    /* verilator lint_on UNUSEDSIGNAL */
    input logic       cause_valid,  // net_rx: 2 cycles behind the frame's last beat
    input net_cause_e cause,
    tx_stream_if.src  out,
    output logic      kept,         // pulses
    output logic      overflow
);
  localparam int N = W / 8;
  localparam int StopBits = $clog2(N) + 1;
  localparam int Address = $clog2(WORDS);

  if (WORDS != 1 << Address) begin : gen_check
    $fatal(1, "host_frames: WORDS is %0d; it must be a power of two", WORDS);
  end

  typedef struct packed {
    logic                last;
    logic [StopBits-1:0] stop;  // bytes of the frame in this word
    logic [W-1:0]        data;
  } word_t;

  // ---- the frame from lane 0 on ------------------------------------------------------------------------------

  logic valid, first;
  word_t word;

  if (W == 8) begin : gen_byte
    assign valid = line.valid;
    assign first = line.first;
    assign word  = '{last: line.last, stop: line.stop, data: line.data};
  end else begin : gen_align
    localparam int Half = N / 2;
    logic [W/2-1:0] high_reg;  // the upper lanes of the beat before
    logic [StopBits-1:0] stop_reg;
    logic rest_reg;  // they end the frame
    logic first_reg;
    always_ff @(posedge clk) begin
      high_reg <= line.data[W-1:W/2];
      stop_reg <= line.stop;
      first_reg <= line.first;
      rest_reg <= line.valid && line.offset && line.last && line.stop > StopBits'(Half) && !rst;
    end
    always_comb begin
      valid = line.valid;
      first = line.first;
      word  = '{last: line.last, stop: line.stop, data: line.data};
      if (rest_reg) begin
        valid = 1'b1;
        word  = '{last: 1'b1, stop: stop_reg - StopBits'(Half), data: {(W / 2)'(0), high_reg}};
      end else if (line.offset) begin
        valid = line.valid && !line.first;
        first = first_reg;
        word.last = line.last && line.stop <= StopBits'(Half);
        word.stop = word.last ? line.stop + StopBits'(Half) : StopBits'(N);
        word.data = {line.data[W/2-1:0], high_reg};
      end
    end
  end

  // ---- so late that the verdict comes with the last word, or behind it ----------------------------------------

  logic valid_before, valid_reg, verdict_reg, wanted_reg, to_group_reg;
  word_t word_before, word_reg;

  always_ff @(posedge clk) begin
    if (valid && first) to_group_reg <= word.data[0];
    {valid_before, word_before} <= {valid && !rst, word};
    {valid_reg, word_reg} <= {valid_before && !rst, word_before};
    verdict_reg <= cause_valid && !rst;
    unique case (cause)
      CAUSE_OTHER_ETHERTYPE, CAUSE_IP_OPTIONS, CAUSE_FRAGMENT, CAUSE_OTHER_IP, CAUSE_OTHER_PROTOCOL, CAUSE_OTHER_PORT: wanted_reg <= 1'b1;
      CAUSE_OTHER_MAC: wanted_reg <= to_group_reg;
      default: wanted_reg <= 1'b0;
    endcase
  end

  // ---- memory ---------------------------------------------------------------------------------------------------

  (* no_rw_check, ram_style = "block" *)
  word_t memory[WORDS];
  logic [Address:0] write_pointer, write_next, committed, read_pointer, read_following;
  logic full, lost_reg;  // lost: a word of this frame found no room; what follows of it is not written, however the pointer runs
  logic taken;
  word_t read_word;

  assign full = write_pointer == {!read_pointer[Address], read_pointer[Address-1:0]};
  assign write_next = write_pointer + (Address + 1)'(valid_reg);

  always_ff @(posedge clk) begin
    if (valid_reg && !full && !lost_reg) memory[write_pointer[Address-1:0]] <= word_reg;
    write_pointer <= write_next;
    if (valid_reg && full) lost_reg <= 1'b1;
    kept <= 1'b0;
    overflow <= 1'b0;
    if (verdict_reg) begin
      lost_reg <= 1'b0;
      if (wanted_reg && !lost_reg && !(valid_reg && full)) begin
        committed <= write_next;
        kept <= 1'b1;
      end else begin
        write_pointer <= committed;
        overflow <= wanted_reg;
      end
    end
    if (rst) begin
      write_pointer <= '0;
      committed <= '0;
      lost_reg <= 1'b0;
      kept <= 1'b0;
      overflow <= 1'b0;
    end
  end

  // The word behind read_pointer is there in the cycle in which `valid` tells of it: `committed` is a cycle behind the write.
  assign taken = out.valid && out.ready;
  always_ff @(posedge clk) begin
    read_word <= memory[taken?read_following[Address-1:0] : read_pointer[Address-1:0]];
    out.valid <= (taken ? read_following : read_pointer) != committed;
    if (taken) begin
      read_pointer   <= read_following;
      read_following <= read_following + 1'b1;
    end
    if (rst) begin
      out.valid <= 1'b0;
      read_pointer <= '0;
      read_following <= (Address + 1)'(1);
    end
  end

  assign out.data = read_word.data;
  assign out.last = read_word.last;
  always_comb for (int i = 0; i < N; i++) out.keep[i] = read_word.stop > StopBits'(i);

  assert property (@(posedge clk) disable iff (rst) (Address + 1)'(committed - read_pointer) <= (Address + 1)'(WORDS));
  assert property (@(posedge clk) disable iff (rst) !(valid_reg && word_reg.last) || verdict_reg || valid_before == 1'b0);
endmodule
