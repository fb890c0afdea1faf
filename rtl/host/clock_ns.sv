// The core's clock: nanoseconds in a 64-bit counter, exact over any span at 125 MHz (8 ns) and 156.25 MHz (6.4 ns).
//
// Latency: `now` is a register. `load` replaces it in the next cycle (simulation moves it to skip idle time).
// Parameters: W, bits in a beat: 8 ns a cycle at W = 8, 32/5 ns otherwise. Overflow: wraps after 584 years.
module clock_ns #(
    parameter int W = 64
) (
    input  logic        clk,
    input  logic        rst,
    input  logic        load,
    input  logic [63:0] load_value,
    output logic [63:0] now
);
  // 6.4 ns = 6 ns and two fifths: the fifths are counted separately.
  logic [2:0] fifths;
  logic [3:0] step;

  // In two parts: one carry chain of 64 bits takes a whole cycle at 125 MHz. What comes after the high part is worked out ahead: the low one wraps
  // once in a million cycles.
  localparam int Low = 24;
  logic [Low:0] low_next;
  logic [63:Low] high_plus, high_next;
  logic loaded;  // in the cycle before: high_next is not of what is in `now`

  assign step = W == 8 ? 4'd8 : fifths >= 3'd3 ? 4'd7 : 4'd6;
  assign high_plus = now[63:Low] + 1'b1;
  assign low_next = {1'b0, now[Low-1:0]} + (Low + 1)'(step);

  always_ff @(posedge clk) begin
    high_next <= high_plus;
    loaded <= load || rst;
    if (rst) begin
      now <= '0;
      fifths <= '0;
    end else if (load) begin
      now <= load_value;
      fifths <= '0;
    end else begin
      now[Low-1:0] <= low_next[Low-1:0];
      if (low_next[Low]) now[63:Low] <= loaded ? high_plus : high_next;
      fifths <= fifths >= 3'd3 ? fifths - 3'd3 : fifths + 3'd2;
    end
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk) disable iff (rst) fifths < 3'd5);
`endif
endmodule
