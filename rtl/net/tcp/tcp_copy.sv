// Gathers a message byte by byte, adds it up, and gives it out again in beats.
//
//   bytes ─┬─ W/8 of them ─ memory ─ two registers ─ data
//          └─ sum
//
// What waits to be sent is gathered slowly, so that one byte's adder does; it leaves at the line's rate. The last beat is filled up with bytes that
// do not count.
//
// Latency: 2 cycles from the last byte to `sum`, and to the first `fill`; two cycles of `fill` later the first beat stands at `data`, the next one
// a cycle after each `take`. Throughput: a byte a cycle in, a beat a cycle out. Parameters: W.
// Overflow: 2,048 bytes; more would overwrite the first: the user counts them.
module tcp_copy #(
    parameter int W = 64
) (
    input  logic         clk,
    input  logic         clear,     // a new message
    input  logic         put,
    input  logic [  7:0] put_data,
    input  logic         counts,    // the byte belongs to the message
    input  logic         fill,
    input  logic         take,
    output logic [W-1:0] data,
    output logic [ 15:0] sum
);
  localparam int Bytes = W / 8;
  localparam int Words = 2048 / Bytes;
  localparam int Index = $clog2(Words);

  (* no_rw_check *) logic [W-1:0] memory[Words];  // what is read has been written before
  logic [W-1:0] gathered_reg, memory_reg;
  logic [Index-1:0] write_index_reg, read_index_reg;
  logic written_reg, last_lane;

  if (W == 8) begin : g_byte
    assign last_lane = 1'b1;
    always_ff @(posedge clk) if (put) gathered_reg <= put_data;
  end else begin : g_word
    logic [$clog2(Bytes)-1:0] lane_reg;
    assign last_lane = lane_reg == '1;
    always_ff @(posedge clk) begin
      if (put) begin
        gathered_reg <= {put_data, gathered_reg[W-1:8]};
        lane_reg <= lane_reg + 1'b1;
      end
      if (clear) lane_reg <= '0;
    end
  end

  payload_sum #(
      .W(8)
  ) adder (
      .clk,
      .clear,
      .add (put && counts),
      .data(put_data),
      .sum
  );

  always_ff @(posedge clk) begin
    if (written_reg) memory[write_index_reg] <= gathered_reg;
    if (fill || take) begin
      memory_reg <= memory[read_index_reg];
      data <= memory_reg;
    end
  end

  always_ff @(posedge clk) begin
    written_reg <= put && last_lane;
    if (written_reg) write_index_reg <= write_index_reg + 1'b1;
    if (fill || take) read_index_reg <= read_index_reg + 1'b1;
    if (clear) begin
      written_reg <= 1'b0;
      write_index_reg <= '0;
      read_index_reg <= '0;
    end
  end

endmodule
