// Takes the host's messages, adds them up, and offers them to be sent.
//
// A message is a packet on `in` (bytes outside `keep` are 0), at most 2,048 bytes and `longest`. It is offered when it is complete, so it
// never holds up an order while it is still being written.
//
// Latency: last byte to `waiting` 5 cycles. Throughput: a byte a cycle in, a beat a cycle out, one message at a time: `in` is not ready from a
// message's last beat until it was sent. Parameters: W.
// Overflow: a longer message, and one that comes while there is no session, is thrown away, and `refused` says so once.
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
    input  logic         drop      // no session: the message is thrown away (`refused`)
);
  localparam int Bytes = W / 8;
  localparam int LaneBits = Bytes == 1 ? 1 : $clog2(Bytes);

  typedef enum logic [1:0] {
    TAKE,
    SETTLE,
    WAITING
  } state_e;

  state_e state_reg;
  logic [1:0] settle_reg;
  logic [LaneBits-1:0] lane_reg;
  logic put, counts, again, too_long_reg;
  logic last_lane;  // the beat's last byte is next

  assign again = done || refused || rst;
  assign put = state_reg == TAKE && in.valid;
  assign counts = in.keep[lane_reg];
  // High while no beat is offered: the message before was sent.
  assign in.ready = state_reg == TAKE && (last_lane || !in.valid);
  assign waiting = state_reg == WAITING && !too_long_reg;

  tcp_copy #(
      .W(W)
  ) copy (
      .clk,
      .clear(again),
      .put,
      .put_data(in.data[8*(Bytes==1?0 : 32'(lane_reg))+:8]),
      .counts,
      .fill(state_reg == SETTLE && settle_reg[1]),
      .take,
      .data,
      .sum
  );

  if (Bytes == 1) begin : g_byte
    assign last_lane = 1'b1;
  end else begin : g_word
    always_ff @(posedge clk) begin  // computed with lane_reg: `in.ready` goes far
      if (put) last_lane <= lane_reg == LaneBits'(Bytes - 2);
      if (again) last_lane <= 1'b0;
    end
    assert property (@(posedge clk) disable iff (rst) last_lane == (lane_reg == '1));
  end

  always_ff @(posedge clk) begin
    refused <= 1'b0;
    unique case (state_reg)
      TAKE: begin
        settle_reg <= '0;
        if (put) begin
          lane_reg <= last_lane ? '0 : lane_reg + 1'b1;
          length   <= length + 16'(counts);
          if (length[11] && counts) too_long_reg <= 1'b1;
          if (in.last && last_lane) state_reg <= SETTLE;
        end
      end
      SETTLE: begin
        // Meanwhile the first two beats come out of the copy, and wait.
        settle_reg   <= settle_reg + 1'b1;
        too_long_reg <= too_long_reg || length > longest;
        if (&settle_reg) state_reg <= WAITING;
      end
      default: begin
        if (done || refused) state_reg <= TAKE;
        refused <= (too_long_reg || drop) && !refused;
      end
    endcase
    if (again) begin
      lane_reg <= '0;
      length <= '0;
      too_long_reg <= 1'b0;
    end
    if (rst) state_reg <= TAKE;
  end

endmodule
