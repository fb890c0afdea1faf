// Takes the host's messages, whole, adds them up, and offers them to be sent.
//
// A message is a packet on `in` (bytes outside `keep` are 0), at most 2,048 bytes and `longest`; a longer one is thrown away (`refused`), as is one that comes while there is no session. It is offered when it is
// there as a whole, so it never holds up an order while it is still being written. One message at a time: `in` is not ready from a
// message's last beat until it was sent.
//
// Latency: last beat to `waiting` 6 cycles. Throughput: a beat a cycle. Parameters: W.
module tcp_host_writer #(
    parameter int W = 64
) (
    input  logic         clk,
    input  logic         rst,
    tx_stream_if.snk     in,
    input  logic [ 15:0] longest,
    output logic         refused,
    output logic         waiting,  // a message is there, with length and sum
    output logic [ 15:0] length,
    output logic [ 15:0] sum,
    input  logic         take,     // a beat of it leaves
    output logic [W-1:0] data,
    input  logic         done,     // it has left
    input  logic         drop      // no session: what is there goes nowhere (`refused`)
);
  localparam int Bytes = W / 8;
  localparam int Words = 2048 / Bytes;
  localparam int Index = $clog2(Words);

  typedef enum logic [1:0] {
    TAKE,
    SETTLE,
    WAITING
  } state_e;

  (* no_rw_check *) logic [W-1:0] memory[Words];
  state_e state_reg;
  logic settle_reg;
  logic [Index-1:0] index_reg;
  logic [W-1:0] memory_reg;
  logic written, step, too_long_reg;

  assign in.ready = state_reg == TAKE;
  assign written = in.valid && in.ready;
  assign waiting = state_reg == WAITING && !too_long_reg;
  assign step = take || state_reg == SETTLE;


  payload_sum #(
      .W(W)
  ) adder (
      .clk,
      .clear(done || refused || rst),
      .add(written),
      .data(in.data),
      .sum
  );

  always_ff @(posedge clk) begin
    if (written) memory[index_reg] <= in.data;
    if (step) begin
      memory_reg <= memory[index_reg];
      data <= memory_reg;
    end
  end

  always_ff @(posedge clk) begin
    refused <= 1'b0;
    unique case (state_reg)
      TAKE: begin
        settle_reg <= '0;
        if (written) begin
          index_reg <= index_reg + 1'b1;
          length <= length + 16'($countones(in.keep));
          if (length >= 16'd2048) too_long_reg <= 1'b1;
          if (in.last) begin
            state_reg <= SETTLE;
            index_reg <= '0;
          end
        end
      end
      SETTLE: begin
        // The first two beats come out of the memory meanwhile, and stand still.
        settle_reg <= 1'b1;
        index_reg <= index_reg + 1'b1;
        too_long_reg <= too_long_reg || length > longest;
        if (settle_reg) state_reg <= WAITING;
      end
      default: begin
        if (take) index_reg <= index_reg + 1'b1;
        if (done || refused) state_reg <= TAKE;
        refused <= (too_long_reg || drop) && !refused;
      end
    endcase
    if (rst || done || refused) begin
      index_reg <= '0;
      length <= '0;
      too_long_reg <= 1'b0;
    end
    if (rst) state_reg <= TAKE;
  end

endmodule
