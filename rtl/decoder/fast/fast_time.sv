// A time of day in digits to nanoseconds since midnight: HHMMSS and 0, 3, 6 or 9 decimals, a date before them left out.
//
// Most times are of the second of the one before: what is above the second is subtracted, and the rest multiplied by ten until it is in
// nanoseconds. In one of the next seconds of the same minute a second is subtracted at a time. For others the digits are worked out bit by bit: multiples of
// powers of ten are compared with what is left, the largest first, and subtracted.
//
// Latency: 14 cycles or less from `start` to `busy` low; 17, and one more a second, in the next eight seconds; else 91 or less. No parameters. Nothing overflows. A start while it is
// busy begins anew.
module fast_time (
    input  logic        clk,
    input  logic        rst,
    input  logic        start,
    input  logic [63:0] value,
    input  logic [ 1:0] decimals,    // groups of three
    input  logic        forget,      // the next time has nothing to do with the one before
    output logic        busy,
    output logic [47:0] nanoseconds, // when it is not busy
    output logic        bad          // it is no time of day
);
  typedef enum logic [3:0] {
    IDLE,
    COMPARE,
    LOOK,
    CHECK,
    ADVANCE,
    DATE,
    HOURS,
    MINUTES,
    SECONDS,
    LEARN,
    FRACTION
  } state_e;

  // 10^(6 + 3d), 10^(4 + 3d), ... shifted so far that the quotient's first bit is found first: of the date all that 64 bits can have, of
  // others 7 bits.
  function automatic logic [63:0] divisor(input state_e what, input logic [1:0] groups);
    case (what)
      DATE: begin
        case (groups)
          2'd0: divisor = 64'd1_000_000 << 44;
          2'd1: divisor = 64'd1_000_000_000 << 34;
          2'd2: divisor = 64'd1_000_000_000_000 << 24;
          default: divisor = 64'd1_000_000_000_000_000 << 14;
        endcase
      end
      HOURS: begin
        case (groups)
          2'd0: divisor = 64'd10_000 << 6;
          2'd1: divisor = 64'd10_000_000 << 6;
          2'd2: divisor = 64'd10_000_000_000 << 6;
          default: divisor = 64'd10_000_000_000_000 << 6;
        endcase
      end
      MINUTES: begin
        case (groups)
          2'd0: divisor = 64'd100 << 6;
          2'd1: divisor = 64'd100_000 << 6;
          2'd2: divisor = 64'd100_000_000 << 6;
          default: divisor = 64'd100_000_000_000 << 6;
        endcase
      end
      default: begin
        case (groups)
          2'd0: divisor = 64'd1 << 6;
          2'd1: divisor = 64'd1_000 << 6;
          2'd2: divisor = 64'd1_000_000 << 6;
          default: divisor = 64'd1_000_000_000 << 6;
        endcase
      end
    endcase
  endfunction

  state_e state, after;
  logic [63:0] left, step, base, whole, difference, gap;
  logic [47:0] sum, weight, base_sum;
  logic [5:0] quotient;
  logic [5:0] count;
  logic [1:0] groups, base_groups;
  logic [3:0] multiply;  // by ten, so often
  localparam logic [5:0] Ahead = 6'd8;  // seconds that are subtracted one at a time
  logic [5:0] second;  // of `base`, of the minute
  logic known, above, below, takes, at_end;
  logic in_second, follows;  // the base: in its second, in it or later
  logic [29:0] rest;  // of the second

  always_comb begin
    case (state)
      DATE: after = HOURS;
      HOURS: after = MINUTES;
      MINUTES: after = SECONDS;
      default: after = LEARN;
    endcase
    {below, difference} = {1'b0, left} - {1'b0, state == COMPARE ? base : step};
    takes = !below;
    at_end = count == '0;
  end
  assign busy = state != IDLE;
  assign nanoseconds = sum;

  // The number of the last bit of the date's quotient.
  function automatic logic [5:0] date_bits(input logic [1:0] of);
    case (of)
      2'd0: date_bits = 6'd44;
      2'd1: date_bits = 6'd34;
      2'd2: date_bits = 6'd24;
      default: date_bits = 6'd14;
    endcase
  endfunction

  always_ff @(posedge clk) begin
    case (state)
      COMPARE: begin
        gap   <= difference;
        above <= takes;
        state <= LOOK;
      end
      LOOK: begin
        follows <= above && known && groups == base_groups;
        case (groups)
          2'd0: in_second <= gap == '0;
          2'd1: in_second <= gap < 64'd1_000;
          2'd2: in_second <= gap < 64'd1_000_000;
          default: in_second <= gap < 64'd1_000_000_000;
        endcase
        state <= CHECK;
      end
      CHECK: begin
        if (follows && in_second) begin
          rest  <= gap[29:0];
          sum   <= base_sum;
          state <= FRACTION;
        end else if (follows) begin
          left <= gap;
          step <= divisor(SECONDS, groups) >> 6;
          count <= Ahead;
          sum <= base_sum;
          weight <= 48'd1_000_000_000;
          state <= ADVANCE;
        end else begin
          known <= 1'b0;
          step  <= divisor(DATE, groups);
          count <= date_bits(groups);
          sum   <= '0;
          state <= DATE;
        end
        multiply <= 4'd9 - 4'(groups) * 4'd3;
      end
      ADVANCE: begin
        left <= difference;
        sum <= sum + weight;
        second <= second + 6'd1;
        count <= count - 6'd1;
        if (!takes) begin
          left <= left;
          sum <= sum;
          second <= second;
          state <= LEARN;
        end else if (at_end || second >= 6'd59) begin
          known <= 1'b0;
          left  <= whole;
          step  <= divisor(DATE, groups);
          count <= date_bits(groups);
          sum   <= '0;
          state <= DATE;
        end
      end
      DATE, HOURS, MINUTES, SECONDS: begin
        if (takes) begin
          left <= difference;
          if (state != DATE) sum <= sum + weight;
        end
        quotient <= {quotient[4:0], takes};
        step <= step >> 1;
        weight <= weight >> 1;
        count <= count - 6'd1;
        if (at_end) begin
          state <= after;
          step <= divisor(after, groups);
          count <= 6'd6;
          case (after)
            HOURS: weight <= 48'd3_600_000_000_000 << 6;
            MINUTES: weight <= 48'd60_000_000_000 << 6;
            default: weight <= 48'd1_000_000_000 << 6;
          endcase
          case (state)
            HOURS: bad <= {quotient, takes} > 7'd23;
            MINUTES: bad <= bad || {quotient, takes} > 7'd59;
            SECONDS: begin
              bad <= bad || {quotient, takes} > 7'd60;
              second <= {quotient[4:0], takes};
            end
            default: bad <= 1'b0;
          endcase
        end
      end
      LEARN: begin
        rest <= left[29:0];
        base <= whole - 64'(left[29:0]);
        base_sum <= sum;
        base_groups <= groups;
        known <= !bad;
        state <= FRACTION;
      end
      FRACTION: begin
        if (multiply == '0) begin
          sum   <= sum + 48'(rest);
          state <= IDLE;
        end else begin
          rest <= (rest << 3) + (rest << 1);
          multiply <= multiply - 4'd1;
        end
      end
      default: ;
    endcase
    if (start) begin
      state <= COMPARE;
      left <= value;
      whole <= value;
      groups <= decimals;
      bad <= 1'b0;
    end
    // Broken off there, `second` is not that of `base`.
    if (rst || forget || (start && state == ADVANCE)) known <= 1'b0;
    if (rst) state <= IDLE;
  end
endmodule
