// Stores what was sent and is not acknowledged, by sequence number, and gives it out again.
//
//   payload as it leaves ─ rotate ─ memory, a byte a lane ─ one byte ─ tcp_copy ─ read_data, sum
//
// The byte with sequence number s lies at s mod BUFFER: in lane s mod W/8, each lane with its own row, so that any W/8 bytes in a row are
// written at once. The writer makes sure that there is room: the beat that holds a message's end is written in full, so
// W/8 bytes after it must be free too. What is sent again is not urgent: it is read byte by byte, and copied.
//
// Latency: `read_valid` (with `sum`) of a request of n bytes comes at most n + 16 cycles after `read`, if the request stays the same; a beat of
// `read_data` stands from then on until it is taken. `read` low for a cycle takes the request back.
// Throughput: a beat a cycle in and, when it is copied, out. Parameters: W; BUFFER, bytes, a power of two.
// Overflow: none here, see tcp_room; a request is at most 2,048 bytes (asserted).
module tcp_buffer #(
    parameter int W = 64,
    parameter int BUFFER = 16384
) (
    input logic clk,
    input logic rst,

    input logic                      write,
    input logic                      write_first,   // the beat is the first of a payload: it goes to `write_address`
    input logic [$clog2(BUFFER)-1:0] write_address,
    input logic [             W-1:0] write_data,

    input  logic                      read,          // request: steady with the two below until it is low again
    input  logic [$clog2(BUFFER)-1:0] read_address,
    input  logic [              15:0] read_length,   // 1 to 2,048
    output logic                      read_valid,
    output logic [              15:0] sum,
    input  logic                      take,          // a beat; allowed while read_valid
    output logic [             W-1:0] read_data
);
  localparam int Bytes = W / 8;
  localparam int Lane = $clog2(Bytes);
  localparam int Address = $clog2(BUFFER);
  localparam int Row = Address - Lane;
  localparam int LaneBits = Lane == 0 ? 1 : Lane;

  if (BUFFER != 1 << Address || BUFFER > 65536) begin : g_size
    $fatal(1, "tcp_buffer: BUFFER must be a power of two up to 65536");
  end

  // ---- write -------------------------------------------------------------------------------------

  logic write_reg;
  logic [Row-1:0] next_row_reg, row, row_reg;
  logic [LaneBits-1:0] lane_reg, lane, lane_late_reg;
  logic [W-1:0] rotated_reg;

  // Byte i of the result is byte i - by, around the end.
  function automatic logic [W-1:0] rotate_up(input logic [W-1:0] data, input logic [LaneBits-1:0] by);
    logic [W-1:0] turned;
    turned = data;
    for (int step = 0; step < Lane; step++) begin
      if (by[step]) turned = (turned << (8 << step)) | (turned >> (W - (8 << step)));
    end
    return turned;
  endfunction

  assign row = write_first ? write_address[Address-1:Lane] : next_row_reg;
  assign lane = Lane == 0 ? '0 : write_first ? write_address[LaneBits-1:0] : lane_reg;

  always_ff @(posedge clk) begin
    write_reg <= write && !rst;
    row_reg <= row;
    if (write) begin
      next_row_reg <= row + 1'b1;
      lane_reg <= lane;
    end
    lane_late_reg <= lane;
    rotated_reg <= rotate_up(write_data, lane);
  end

  // ---- read ----------------------------------------------------------------------------------------

  typedef enum logic [1:0] {
    IDLE,
    COPY,
    SETTLE,
    READY
  } state_e;

  state_e state_reg;
  logic [Address-1:0] address_reg;
  logic [11:0] left_reg;  // bytes
  logic [LaneBits-1:0] read_lane_reg, position_reg;
  logic [2:0] settle_reg;
  logic fetch, fetched_reg, put_reg, fetched_counts_reg, counts_reg, word_ends;
  logic [Bytes-1:0][7:0] fetched;
  logic [7:0] byte_reg;

  assign fetch = state_reg == COPY;
  assign word_ends = Lane == 0 || position_reg == '1;
  assign read_valid = state_reg == READY;

  for (genvar i = 0; i < Bytes; i++) begin : g_lane
    (* no_rw_check *) logic [7:0] memory[1 << Row];  // what is being written is not read yet, or no longer
    logic [Row-1:0] write_row;
    logic [7:0] read_reg;
    // Lanes in front of the first belong to the next row.
    assign write_row = 4'(i) < 4'(lane_late_reg) ? row_reg + 1'b1 : row_reg;
    always_ff @(posedge clk) begin
      if (write_reg) memory[write_row] <= rotated_reg[8*i+:8];
      read_reg <= memory[address_reg[Address-1:Lane]];
    end
    assign fetched[i] = read_reg;
  end

  tcp_copy #(
      .W(W)
  ) copy (
      .clk,
      .clear(state_reg == IDLE),
      .put(put_reg),
      .put_data(byte_reg),
      .counts(counts_reg),
      .fill(state_reg == SETTLE && settle_reg[2:1] == 2'b11),
      .take,
      .data(read_data),
      .sum
  );

  always_ff @(posedge clk) begin
    fetched_reg <= fetch;
    fetched_counts_reg <= left_reg != '0;
    read_lane_reg <= Lane == 0 ? '0 : address_reg[LaneBits-1:0];
    put_reg <= fetched_reg && state_reg != IDLE;
    counts_reg <= fetched_counts_reg;
    byte_reg <= fetched[Lane==0?0 : read_lane_reg];
    settle_reg <= state_reg == SETTLE ? settle_reg + 1'b1 : '0;
    unique case (state_reg)
      IDLE: begin
        address_reg <= read_address;
        left_reg <= read_length[11:0];
        position_reg <= '0;
        if (read) state_reg <= COPY;
      end
      COPY: begin
        address_reg  <= address_reg + 1'b1;
        position_reg <= position_reg + 1'b1;
        if (left_reg != '0) left_reg <= left_reg - 1'b1;
        if (word_ends && left_reg[11:1] == '0) state_reg <= SETTLE;
      end
      SETTLE:  if (&settle_reg) state_reg <= READY;
      default: ;
    endcase
    if (rst || !read) state_reg <= IDLE;
  end

  assert property (@(posedge clk) disable iff (rst) !take || read_valid);
  assert property (@(posedge clk) disable iff (rst) !read || (read_length != '0 && read_length <= 16'd2048));

endmodule
