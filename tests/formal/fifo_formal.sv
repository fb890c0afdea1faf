// Proves for fifo: what is accepted is read out once, in order and unchanged; there are never more than DEPTH words in it; a write is
// refused exactly when it is full, and says so.
//
// One accepted write, any, is watched. `write_number` and `read_number` count accepted writes and reads modulo 2 * DEPTH, independently;
// the watched word must come when its number is read, and be what was written.
module fifo_formal #(
    parameter int WIDTH = 4,
    parameter int DEPTH = 4
) (
    input logic             clk,
    input logic             write,
    input logic [WIDTH-1:0] write_data,
    input logic             read,
    input logic             watch
);
  localparam int Bits = $clog2(DEPTH) + 1;

  logic full, overflow, empty;
  logic [WIDTH-1:0] read_data;
  logic [Bits-1:0] count;

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  fifo #(
      .WIDTH(WIDTH),
      .DEPTH(DEPTH)
  ) dut (
      .clk,
      .rst,
      .write,
      .write_data,
      .full,
      .overflow,
      .read,
      .read_data,
      .empty,
      .count
  );

  logic [Bits-1:0] write_number, read_number, watched_number;
  logic watching;
  logic [WIDTH-1:0] watched;
  logic written, taken;

  assign written = write && !full;
  assign taken   = read && !empty;

  always_ff @(posedge clk) begin
    if (rst) begin
      write_number <= '0;
      read_number <= '0;
      watching <= 1'b0;
    end else begin
      write_number <= write_number + Bits'(written);
      read_number  <= read_number + Bits'(taken);
      if (written && watch && !watching) begin
        watching <= 1'b1;
        watched <= write_data;
        watched_number <= write_number;
      end else if (taken && read_number == watched_number) watching <= 1'b0;
    end
  end

  logic [Bits-1:0] held, before_watched;
  assign held = write_number - read_number;
  assign before_watched = watched_number - read_number;

  always_comb begin
    if (!rst) begin
      // What a user sees.
      assert (count == held);
      assert (held <= Bits'(DEPTH));
      assert (empty == (held == '0));
      assert (full == (held == Bits'(DEPTH)));
      assert (overflow == (write && full));
      if (watching) assert (before_watched < held);  // it is still to come: nothing is lost
      if (watching && before_watched == '0) assert (read_data == watched);  // unchanged, and in its turn

      // What makes it inductive.
      assert (dut.write_pointer == write_number);
      assert (dut.read_pointer == read_number);
      if (watching) assert (dut.memory[watched_number[Bits-2:0]] == watched);
      if (!empty && !dut.bypassed) assert (dut.from_memory == dut.memory[read_number[Bits-2:0]]);
      if (!empty && dut.bypassed) assert (dut.bypass == dut.memory[read_number[Bits-2:0]]);
    end
  end

  // The interesting states are reached.
  always_comb begin
    if (!rst) begin
      cover (full && overflow);
      cover (full && taken);
      cover (watching && read_number == Bits'(DEPTH + 1));
      cover (watching && dut.bypassed && taken);
    end
  end
endmodule
