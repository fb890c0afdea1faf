// Universal time to the millisecond, in decimal digits, with their sums, from the core's count of nanoseconds.
//
//   time_ns ─ >= boundary ─ digits rotate, last first, one a cycle: incremented, added up ─ published together
//
// The host loads the time and, with it, the value of `time_ns` at which the next millisecond begins; and, at any time of the day, the date
// of the next one. At midnight without it there is no valid time until the host loads one (`date_missing`).
// While milliseconds are still to be caught up with (`time_ns` was moved), the time is not valid.
//
// Latency: boundary to the new digits 20 cycles, 21 from `load`. Parameters: none. Overflow: none.
module wall_clock
  import order_template_pkg::*;
(
    input  logic             clk,
    input  logic             rst,
    input  logic      [63:0] time_ns,
    input  logic             load,
    input  time_t            load_time,
    input  logic      [63:0] load_boundary,
    input  logic             date_load,
    input  logic [7:0][3:0]  load_date,     // of the next day; steady for 20 cycles from date_load
    output logic             valid,
    output time_t            utc,           // the first digit highest
    output digit_sums_t      sums,          // over YYYYMMDD-HH:MM:SS.mmm, separators left out
    output logic             date_known,    // of the next day
    output logic             date_missing
);
  localparam logic [63:0] Millisecond = 64'd1_000_000;
  localparam int Steps = TimeDigits;
  localparam int Date = 9;  // step of the date's last digit
  // For each digit, the last in bit 0: its offset in YYYYMMDD-HH:MM:SS.mmm is even.
  localparam logic [Steps:0] EvenBefore = {17'b1_0101_0100_1100_1101, 1'b0};  // a bit higher: for the digit of the step before

  logic loaded, running, due, carry, wraps, midnight, no_date, date_wanted;
  logic [4:0] step;
  logic [63:0] boundary;
  time_t work;
  logic [7:0][3:0] next_date;
  digit_sums_t adding, added;  // added: with the digit of the step before
  logic [3:0] digit, most;  // most: the largest value of this step's digit
  logic to_date, of_hours;  // this step's digit belongs to the date, is the hours' last

  always_comb begin
    // 23 hours: this digit and, in the next step, the one before it.
    midnight = carry && of_hours && work[0] == 4'd3 && work[1] == 4'd2;
    wraps = carry && (work[0] == most || midnight);
    digit = wraps ? 4'd0 : work[0] + {3'b0, carry};
    if (to_date) begin
      wraps = carry;
      digit = carry ? next_date[0] : work[0];
    end

    added = adding;
    if (step != '0) begin
      added.both = adding.both + {4'b0, work[Steps-1]};
      if (EvenBefore[step]) added.even = adding.even + {3'b0, work[Steps-1]};
      else added.odd = adding.odd + {3'b0, work[Steps-1]};
    end
  end

  always_ff @(posedge clk) begin
    due <= time_ns >= boundary;
    if (running) begin
      step <= step + 1'b1;
      to_date <= step >= 5'(Date - 1);
      of_hours <= step == 5'd6;
      most <= step == 5'd3 || step == 5'd5 ? 4'd5 : step == 5'd7 ? 4'd2 : 4'd9;
      if (no_date) valid <= 1'b0;  // before `utc` is wrong
      if (step == 5'(Steps)) begin
        running <= 1'b0;
        utc <= work;
        sums <= added;
        valid <= !no_date && !due;
        date_missing <= no_date;
        loaded <= !no_date;
        if (carry) date_known <= 1'b0;
      end else begin
        work <= {digit, work[Steps-1:1]};
        carry <= wraps;
        adding <= added;
        if (to_date && carry) next_date <= {4'd0, next_date[7:1]};
        if (step == 5'(Date) && carry && !date_known) no_date <= 1'b1;
      end
    end else if (loaded && due) begin
      running  <= 1'b1;
      carry    <= 1'b1;
      boundary <= boundary + Millisecond;
      due      <= 1'b0;
    end
    if (!running) begin
      step   <= '0;
      {to_date, of_hours} <= '0;
      most <= 4'd9;
      adding <= '0;
    end
    // Never while it is being used.
    if (date_load) date_wanted <= 1'b1;
    if (date_wanted && !running) begin
      date_wanted <= 1'b0;
      next_date <= load_date;
      date_known <= 1'b1;
    end
    if (load) begin
      work <= load_time;
      boundary <= load_boundary;
      loaded <= 1'b1;
      running <= 1'b1;
      carry <= 1'b0;
      step <= '0;
      {to_date, of_hours} <= '0;
      most <= 4'd9;
      adding <= '0;
      no_date <= 1'b0;
      date_missing <= 1'b0;
      valid <= 1'b0;
    end
    if (rst) begin
      loaded <= 1'b0;
      running <= 1'b0;
      valid <= 1'b0;
      date_known <= 1'b0;
      date_missing <= 1'b0;
      no_date <= 1'b0;
      date_wanted <= 1'b0;
    end
  end
endmodule
