// What order_log_price needs to find ticks: for each power of ten how many ticks it is, worked out from the window; and the tick of the host's price.
//
//   window ─ inverse, shifted ─ times ten, a power after the other ─ factor (to the decoder)
//                   └───────────────────────────── price_tick ─────── low (to the decoder), tick
//
// Latency: 19 cycles from `set` to the last of them, price to tick 4. Throughput: as it is used. No parameters. Nothing overflows.
module price_ticks
  import book_pkg::*;
  import price_tick_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic set,  // pulse: the window is another one
    input window_t window,
    input price_t price,  // of the host
    output tick_t tick,

    output logic factor_valid,
    output logic [$clog2(Powers)-1:0] factor_at,
    output part_t factor,
    output part_t low
);
  localparam int Twos = PartBits - WindowBits;

  typedef enum logic [1:0] {
    IDLE,
    SHIFT,
    POWERS,
    LOW
  } state_e;
  state_e state;
  logic [2:0] count;
  part_t one, mantissa, tick1;  // one: what 1 is in ticks
  logic is_low, is_low1, is_low2;
  price_t price1;  // it comes from afar

  assign factor_valid = state == POWERS;
  assign factor_at = count;

  price_tick host_tick (
      .clk,
      .mantissa,
      .factor(one),
      .low(is_low2 ? '0 : low),
      .tick1
  );
  assign is_low = state == LOW;

  always_ff @(posedge clk) begin
    {is_low1, is_low2} <= {is_low, is_low1};
    price1 <= price;
    mantissa <= part_t'(is_low ? window.low_price : price1);
    tick <= tick1[PartBits-1:Twos];
    if (is_low2) low <= tick1;
    case (state)
      IDLE: begin
        count <= window.shift;
        if (set) begin
          one <= part_t'(window.inverse);
          state <= SHIFT;
        end
      end
      SHIFT: begin
        count <= count + 1'b1;
        if (count == 3'(Twos)) begin
          count <= '0;
          factor <= one;
          state <= POWERS;
        end else one <= one << 1;
      end
      POWERS: begin
        count  <= count + 1'b1;
        factor <= (factor << 3) + (factor << 1);
        if (count == 3'(Powers - 1)) state <= LOW;
      end
      default: state <= IDLE;
    endcase
    if (rst) begin
      state <= IDLE;
      {is_low1, is_low2} <= '0;
    end
  end

  logic unused;
  assign unused = &{1'b0, window};
endmodule
