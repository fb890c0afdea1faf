// Stores the bytes of a receive stream, packed, until the host takes them; a frame that proves bad (err) leaves nothing here.
//
//   in ─ rotate ─ memory, a byte a lane ─ row ─ out
//
// `room` is the free space after all good bytes: TCP's window. A frame that has begun and has no verdict yet does not reduce it.
//
// Latency: a frame's last beat to its first byte on `out` 4 cycles. Throughput: a beat a cycle in; out, a row of W/8 bytes every other cycle: `keep`
// marks its valid lanes, which need not begin with lane 0.
// Parameters: W; BYTES of memory, a power of two up to 32,768. Overflow: a frame longer than `room` must end in err (tcp_rx); what is
// stored is never overwritten. `clear` empties the queue.
module byte_queue #(
    parameter int W = 64,
    parameter int BYTES = 8192
) (
    input logic clk,
    input logic rst,
    input logic clear,
    stream_if.snk in,
    output logic [15:0] room,
    tx_stream_if.src out  // last stays low
);
  localparam int Lanes = W / 8;
  localparam int Lane = $clog2(Lanes);
  localparam int LaneBits = Lane == 0 ? 1 : Lane;
  localparam int Address = $clog2(BYTES);
  localparam int Row = Address - Lane;
  localparam int Count = Lane + 1;

  if (BYTES != 1 << Address || BYTES > 32768) begin : g_size
    $fatal(1, "byte_queue: BYTES must be a power of two up to 32768");
  end

  // Byte i of the result is byte i - by, around the end.
  function automatic logic [W-1:0] rotate_up(input logic [W-1:0] data, input logic [LaneBits-1:0] by);
    logic [W-1:0] turned;
    turned = data;
    for (int step = 0; step < Lane; step++) begin
      if (by[step]) turned = (turned << (8 << step)) | (turned >> (W - (8 << step)));
    end
    return turned;
  endfunction

  function automatic logic [Lanes-1:0] lanes_up(input logic [Lanes-1:0] lanes, input logic [LaneBits-1:0] by);
    logic [Lanes-1:0] turned;
    turned = lanes;
    for (int step = 0; step < Lane; step++) begin
      if (by[step]) turned = (turned << (1 << step)) | (turned >> (Lanes - (1 << step)));
    end
    return turned;
  endfunction

  // One bit more than an address: the pointers of a full queue are BYTES apart.
  logic [Address:0] write_pointer, write_next, committed, readable, read_pointer, read_end, end_reg;
  logic [Count-1:0] bytes;
  logic [LaneBits-1:0] write_lane;
  logic fits, fits_reg;
  logic lost, lost_reg;  // a byte of this frame found no room; the rest of it is not written, though the pointer goes on

  always_comb begin
    // The last lane with a byte gives their number, without a sum.
    bytes = '0;
    for (int i = 0; i < Lanes; i++) if (in.keep[i] && (i == Lanes - 1 || !in.keep[(i+1)%Lanes])) bytes |= Count'(i + 1);
    write_next = in.valid ? write_pointer + (Address + 1)'(bytes) : write_pointer;
  end
  assign write_lane = Lane == 0 ? '0 : write_pointer[LaneBits-1:0];
  // The result is a cycle late, so the limit is a beat lower.
  assign fits = (Address + 1)'(write_pointer - read_pointer) <= (Address + 1)'(BYTES - 2 * Lanes);

  assign lost = lost_reg || (!fits_reg && in.keep != '0);

  // ---- write -------------------------------------------------------------------------------------

  logic [Lanes-1:0] write_reg;
  logic [W-1:0] data_reg;
  logic [16:0] room_next;  // bit 16: below zero
  assign room_next = 17'(BYTES - 4 * Lanes) - 17'((Address + 1)'(committed - read_pointer));
  logic [LaneBits-1:0] lane_reg;
  logic [Row-1:0] row_reg;

  always_ff @(posedge clk) begin
    fits_reg <= fits;
    write_pointer <= in.valid && in.last && in.err ? committed : write_next;
    if (in.valid && in.last && !in.err) committed <= write_next;
    readable <= committed;
    lost_reg <= in.valid ? lost && !in.last : lost_reg;
    write_reg <= in.valid && !lost ? lanes_up(in.keep, write_lane) : '0;
    data_reg <= rotate_up(in.data, write_lane);
    lane_reg <= write_lane;
    row_reg <= write_pointer[Address-1:Lane];
    room <= room_next[16] ? '0 : room_next[15:0];
    if (rst || clear) begin
      fits_reg <= 1'b1;
      lost_reg <= 1'b0;
      write_pointer <= '0;
      committed <= '0;
      readable <= '0;
      write_reg <= '0;
    end
  end

  // ---- memory, and read: address, row, out -----------------------------------------------------------

  logic fetched_reg;
  logic [Lanes-1:0] lanes;
  logic [W-1:0] row_data;

  for (genvar i = 0; i < Lanes; i++) begin : g_lane
    (* no_rw_check, ram_style = "block" *) logic [7:0] memory[1 << Row];  // what is being written is not readable yet
    logic [Row-1:0] write_row;
    logic [7:0] read_reg;
    // Lanes in front of the first belong to the next row.
    assign write_row = 4'(i) < 4'(lane_reg) ? row_reg + 1'b1 : row_reg;
    always_ff @(posedge clk) begin
      if (write_reg[i]) memory[write_row] <= data_reg[8*i+:8];
      read_reg <= memory[read_pointer[Address-1:Lane]];
    end
    assign row_data[8*i+:8] = read_reg;
  end

  always_comb begin
    // To the end of the row, or of the readable bytes.
    read_end = ((read_pointer >> Lane) + 1'b1) << Lane;
    if (readable[Address:Lane] == read_pointer[Address:Lane]) read_end = readable;
  end

  // The lanes from read_pointer to end_reg.
  if (Lanes == 1) begin : g_lane_of_one
    assign lanes = 1'b1;
  end else begin : g_lanes
    always_comb begin
      lanes = '1 << read_pointer[LaneBits-1:0];
      if (end_reg[LaneBits-1:0] != '0) lanes &= ~('1 << end_reg[LaneBits-1:0]);
    end
  end

  assign out.last = 1'b0;

  always_ff @(posedge clk) begin
    end_reg <= read_end;  // for the row as it was read: more may have come since
    fetched_reg <= !fetched_reg && !out.valid && readable != read_pointer;
    if (fetched_reg) begin
      out.valid <= 1'b1;
      out.data <= row_data;
      out.keep <= lanes;
      read_pointer <= end_reg;
    end
    if (out.valid && out.ready) out.valid <= 1'b0;
    if (rst || clear) begin
      fetched_reg <= 1'b0;
      out.valid <= 1'b0;
      read_pointer <= '0;
    end
  end

  assert property (@(posedge clk) disable iff (rst || clear) (Address + 1)'(committed - read_pointer) <= (Address + 1)'(BYTES));
  assert property (@(posedge clk) disable iff (rst || clear) !in.valid || (in.keep & (in.keep + 1'b1)) == '0);
  // TCP never takes what there was no room for.
  assert property (@(posedge clk) disable iff (rst || clear) !(in.valid && in.last && !in.err) || !lost);
endmodule
