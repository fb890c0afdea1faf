// Keeps what was sent and is not acknowledged, by sequence number, and reads it out again: once for its sum, once for the frame.
//
//   payload as it leaves ─ rotate ─ memory, a byte a lane ─ rotate ─┬─ read_data
//                                                                   └─ sum
//
// The byte with sequence number s lies at s mod BUFFER: in lane s mod W/8, each lane with its own row, so that any W/8 bytes in a row are
// written or read at once. Who writes answers for the room: the beat that holds a message's end is written whole, so W/8 bytes
// behind it must be free too.
//
// Latency: `read_valid` (with `sum`) of a request of n beats comes n + 7 cycles behind `read`, if it stays the same; a beat of
// `read_data` stands from then on until it is taken. `read` low for a cycle takes the request back.
// Throughput: a beat a cycle. Parameters: W; BUFFER, bytes, a power of two.
// Overflow: none here, see tcp_state.
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
    input  logic [              15:0] read_length,   // at least 1
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

  // ---- read: address, memory, rotated; all three stand still until the last is taken ----------------

  typedef enum logic [2:0] {
    IDLE,
    SUM,     // reads all of it, adds it up
    SETTLE,  // the sum
    FILL,    // reads the beginning again
    READY
  } state_e;

  state_e state_reg;
  logic [Row-1:0] read_row_reg;
  logic [2:0] count_reg;
  logic [16:0] left_reg;  // bytes that are still to be added up, read ahead included
  logic step, begin_read, add;
  logic [LaneBits-1:0] read_lane;
  logic [W-1:0] memory_data, turned, added;

  assign begin_read = state_reg == IDLE || state_reg == SETTLE;
  assign step = state_reg != READY || take;
  assign read_lane = Lane == 0 ? '0 : read_address[LaneBits-1:0];
  assign turned = rotate_up(memory_data, LaneBits'(-read_lane));
  assign add = state_reg == SUM && count_reg[1];
  assign read_valid = state_reg == READY;

  for (genvar i = 0; i < Bytes; i++) begin : g_lane
    (* no_rw_check *) logic [7:0] memory[1 << Row];  // what is written is not yet, or no longer, read
    logic [Row-1:0] write_row, read_row;
    logic [7:0] read_reg;
    // Lanes in front of the first belong to the next row.
    assign write_row = 4'(i) < 4'(lane_late_reg) ? row_reg + 1'b1 : row_reg;
    assign read_row  = 4'(i) < 4'(read_lane) ? read_row_reg + 1'b1 : read_row_reg;
    always_ff @(posedge clk) begin
      if (write_reg) memory[write_row] <= rotated_reg[8*i+:8];
      if (step) read_reg <= memory[read_row];
    end
    assign memory_data[8*i+:8] = read_reg;
  end

  always_comb for (int i = 0; i < Bytes; i++) added[8*i+:8] = left_reg > 17'(i) ? read_data[8*i+:8] : 8'h00;

  payload_sum #(
      .W(W)
  ) adder (
      .clk,
      .clear(state_reg == IDLE),
      .add,
      .data(added),
      .sum
  );

  always_ff @(posedge clk) begin
    if (step) begin
      read_data <= turned;
      read_row_reg <= begin_read ? read_address[Address-1:Lane] : read_row_reg + 1'b1;
    end
    unique case (state_reg)
      IDLE: begin
        left_reg  <= {1'b0, read_length};
        count_reg <= '0;
        if (read) state_reg <= SUM;
      end
      SUM: begin
        // The first beat stands at read_data in the third of these cycles.
        if (!count_reg[1]) count_reg <= count_reg + 1'b1;
        else begin
          left_reg <= left_reg - 17'(Bytes);
          if (left_reg <= 17'(Bytes)) state_reg <= SETTLE;
        end
      end
      SETTLE: begin
        count_reg <= '0;
        state_reg <= FILL;
      end
      FILL: begin
        count_reg <= count_reg + 1'b1;
        if (count_reg[0]) state_reg <= READY;
      end
      default: ;
    endcase
    if (rst || !read) state_reg <= IDLE;
  end

  assert property (@(posedge clk) disable iff (rst) !take || read_valid);
  assert property (@(posedge clk) disable iff (rst) !read || read_length != '0);

endmodule
