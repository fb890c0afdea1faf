// The one timer of a session (it waits for one thing at a time), and the retransmission time (RFC 6298).
//
// Times are in ticks of 256 us, the clock granularity G of the RFC. SRTT is held in eighths and RTTVAR in quarters of a tick, which
// suits the RFC's factors 1/8, 1/4 and 4. `back_off` doubles the time; this is undone by
//   - `restore`: an answer to a probe, where no data is on its way;
//   - `advance`: an acknowledgment of new data. Linux, with a time stamp in every segment, measures at each of these. Without time stamps, what
//     was sent again cannot be measured (Karn), and at 10 % loss the time would double from loss to loss. Between two measurements this
//     happens three times at most: otherwise a round trip that became longer than the time would never be measured;
//   - a measurement, of what was not sent again.
// Each recomputes the time, a step a cycle: first from the old measurements, then with the new one.
// Latency: `expired` in the cycle in which the time is over; `rto` is doubled 4 cycles after `back_off`, no longer doubled 5 after `restore`,
// `advance` and `measure_end`, and includes the measurement 11 after `measure_end`. Throughput: a measurement every 11 cycles; one that comes
// sooner is left out, as RFC 6298 allows.
// Parameters: none. Overflow: a round trip stops at 2^18 - 1 ticks, 67 s.
module tcp_timer
  import tcp_pkg::*;
(
    input logic        clk,
    input logic        rst,
    input logic        tick,        // once in 256 us
    /* verilator lint_off UNUSEDSIGNAL */  // not all of it is used here
    input tcp_config_t tcp_config,
    /* verilator lint_on UNUSEDSIGNAL */
    input logic        connect,     // everything is reset

    input  logic            load,
    input  logic [Time-1:0] time_left,
    input  logic            stop,
    output logic            running,
    output logic            expired,

    input  logic            measure_begin,
    input  logic            measure_end,    // what is being measured is acknowledged
    input  logic            back_off,
    input  logic            restore,
    input  logic            advance,
    output logic [Time-1:0] rto             // never a value that is still being computed
);
  // ---- the timer ---------------------------------------------------------------------------------

  logic [Time-1:0] left_reg;

  assign expired = running && tick && left_reg[Time-1:1] == '0;

  always_ff @(posedge clk) begin
    if (load) left_reg <= time_left;
    else if (tick) left_reg <= left_reg - 1'b1;
    running <= load || (running && !expired && !stop);
    if (rst) running <= 1'b0;
  end

  // ---- round-trip time ---------------------------------------------------------------------------

  typedef enum logic [3:0] {
    IDLE,
    SMOOTH,
    FADE,     // RTTVAR by a quarter
    VARY,     // and by a quarter of the difference
    SUM,
    INITIAL,
    COMPARE,  // with the bounds
    LIMIT
  } state_e;

  state_e state_reg;
  logic first_reg;  // no measurement yet
  logic measured_reg;  // a measurement waits for SMOOTH
  logic [1:0] advances_reg;  // how many undid a back-off since the last measurement
  logic backed_off_reg, recompute;
  logic [Time-1:0] elapsed_reg;
  logic [Time+2:0] srtt_reg;
  logic [Time+1:0] variation_reg, rto_reg, variation_operand, variation_next;
  logic variation_unused;
  logic [Time:0] difference_reg;  // in two's complement
  logic below_reg, above_reg;  // below the minimum, above the maximum

  assign recompute = measure_end || restore || (advance && backed_off_reg && advances_reg != 2'd3);
  // variation - variation / 4, then + |difference|
  assign variation_operand = state_reg == FADE ? ~{2'b0, variation_reg[Time+1:2]}
      : {difference_reg[Time], difference_reg} ^ {(Time + 2) {difference_reg[Time]}};

  assign {variation_next, variation_unused} = {variation_reg, 1'b1} + {variation_operand, state_reg == FADE || difference_reg[Time]};

  always_ff @(posedge clk) begin
    if (measure_begin) elapsed_reg <= '0;
    else if (tick && !(&elapsed_reg)) elapsed_reg <= elapsed_reg + 1'b1;

    if (state_reg == IDLE || state_reg == SMOOTH) rto <= rto_reg[Time-1:0];
    below_reg <= rto_reg < {2'b0, tcp_config.rto_minimum};
    above_reg <= rto_reg > {2'b0, tcp_config.rto_maximum};
    unique case (state_reg)
      IDLE: begin
        difference_reg <= {1'b0, elapsed_reg} - {1'b0, srtt_reg[Time+2:3]};
        measured_reg   <= measure_end && !first_reg;
        if (recompute) begin
          state_reg <= first_reg && !measure_end ? INITIAL : SUM;
          backed_off_reg <= 1'b0;
          if (measure_end) advances_reg <= '0;
          else if (!restore) advances_reg <= advances_reg + 1'b1;
          if (measure_end && first_reg) begin  // SRTT = R, RTTVAR = R / 2
            srtt_reg <= {elapsed_reg, 3'b0};
            variation_reg <= {1'b0, elapsed_reg, 1'b0};
            first_reg <= 1'b0;
          end
        end else if (back_off) begin
          backed_off_reg <= 1'b1;
          rto_reg   <= {1'b0, rto_reg[Time-1:0], 1'b0};
          state_reg <= COMPARE;
        end
      end
      SMOOTH: begin
        srtt_reg  <= srtt_reg + {{2{difference_reg[Time]}}, difference_reg};
        measured_reg <= 1'b0;
        state_reg <= FADE;
      end
      FADE, VARY: begin
        variation_reg <= variation_next;
        state_reg <= state_reg == FADE ? VARY : SUM;
      end
      SUM: begin
        rto_reg   <= {2'b0, srtt_reg[Time+2:3]} + variation_reg;
        state_reg <= COMPARE;
      end
      COMPARE: state_reg <= LIMIT;
      default: begin
        if (state_reg == INITIAL) rto_reg <= {2'b0, tcp_config.rto_initial};
        else if (above_reg) rto_reg <= {2'b0, tcp_config.rto_maximum};
        else if (below_reg) rto_reg <= {2'b0, tcp_config.rto_minimum};
        state_reg <= state_reg == LIMIT && measured_reg ? SMOOTH : IDLE;
      end
    endcase
    if (rst || connect) begin
      state_reg <= INITIAL;
      first_reg <= 1'b1;
      measured_reg <= 1'b0;
      backed_off_reg <= 1'b0;
      advances_reg <= '0;
    end
  end

endmodule
