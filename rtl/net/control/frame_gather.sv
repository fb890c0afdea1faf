// Gathers frames that are made byte by byte, and sends each when it is complete.
//
//   in ─ register ─ word ─ frame_memory ─ register ─ out
//
// Latency: last byte in to first beat out 7 cycles. Throughput: a byte a cycle in; a beat a cycle out, no pause within a frame.
// Parameters: W; WORDS of memory, beats, a power of two: a frame must fit, with 8 to spare. Overflow: `in` waits.
module frame_gather #(
    parameter int W = 64,
    parameter int WORDS = W == 8 ? 2048 : 512
) (
    input logic      clk,
    input logic      rst,
    tx_stream_if.snk in,    // 8 bits
    input logic      drop,  // with `last`: the frame is not sent
    tx_stream_if.src out
);
  localparam int N = W / 8;
  localparam int StopBits = $clog2(N) + 1;

  logic taken, byte_last, byte_drop;
  logic [7:0] byte_data;
  logic [W-1:0] word_reg;
  logic [StopBits-1:0] stop_reg;  // bytes in it
  logic complete_reg, last_reg, drop_reg, tight;
  logic full_unused, commit_unused, overflow_unused;
  tx_stream_if #(.W(W)) stored ();

  // What is taken in always has a place: `tight` comes in time for the few words on their way.
  assign in.ready = !tight;

  always_ff @(posedge clk) begin
    taken <= in.valid && in.ready && !rst;
    {byte_data, byte_last, byte_drop} <= {in.data, in.last, drop};
    if (complete_reg) begin
      complete_reg <= 1'b0;
      stop_reg  <= '0;
    end
    if (taken) begin
      // The first byte of a word clears the others.
      if (complete_reg || stop_reg == '0) begin
        word_reg <= W'(byte_data);
        stop_reg <= StopBits'(1);
      end else begin
        for (int i = 1; i < N; i++) if (stop_reg == StopBits'(i)) word_reg[8*i+:8] <= byte_data;
        stop_reg <= stop_reg + 1'b1;
      end
      complete_reg <= byte_last || (complete_reg ? N == 1 : stop_reg == StopBits'(N - 1));
      last_reg  <= byte_last;
      drop_reg  <= byte_drop;
    end
    if (rst) begin
      complete_reg <= 1'b0;
      stop_reg  <= '0;
    end
  end

  frame_memory #(
      .W(W),
      .WORDS(WORDS)
  ) frame_memory (
      .clk,
      .rst,
      .write(complete_reg),
      .write_data(word_reg),
      .write_stop(stop_reg),
      .write_last(last_reg),
      .commit(complete_reg && last_reg && !drop_reg),
      .discard(complete_reg && last_reg && drop_reg),
      .full(full_unused),
      .tight,
      .kept(commit_unused),
      .overflow(overflow_unused),
      .out(stored.src)
  );

  tx_register #(
      .W(W),
      .FROM_MEMORY(1'b1)
  ) out_register (
      .clk,
      .rst,
      .in (stored.snk),
      .out(out)
  );

  assert property (@(posedge clk) disable iff (rst) !(complete_reg && full_unused));
endmodule
