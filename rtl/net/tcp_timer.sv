// The one timer of a session, and the retransmission time (RFC 6298): a session waits for one thing at a time.
//
// Times are in ticks of 256 us, the clock granularity G of the RFC. SRTT is kept in eighths and RTTVAR in quarters of a tick, as the RFC's
// factors 1/8, 1/4 and 4 want it. A measurement is worked through in seven cycles, a step each; `rto` holds the old time until then.
// Karn: who measures leaves out what was sent again, and `back_off` doubles the time until the next measurement; `restore` takes that
// back where no data is on its way (probes).
// Latency: `expired` in the cycle in which the time is over. Throughput: a measurement every 8 cycles; one that comes sooner is left out, as
// RFC 6298 allows. Parameters: none. Overflow: a round trip stops at 2^18 - 1 ticks, 67 s.
module tcp_timer
  import tcp_pkg::*;
(
    input logic        clk,
    input logic        rst,
    input logic        tick,        // once in 256 us
    /* verilator lint_off UNUSEDSIGNAL */  // not all of it is of use here
    input tcp_config_t tcp_config,
    /* verilator lint_on UNUSEDSIGNAL */
    input logic        connect,     // all is forgotten

    input  logic            load,
    input  logic [Time-1:0] time_left,
    input  logic            stop,
    output logic            running,
    output logic            expired,

    input  logic            measure_begin,
    input  logic            measure_end,    // what was begun is acknowledged
    input  logic            back_off,
    input  logic            restore,
    output logic [Time-1:0] rto
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
    MINIMUM,
    MAXIMUM
  } state_e;

  state_e state_reg;
  logic first_reg;  // no measurement yet
  logic [Time-1:0] elapsed_reg, bound;
  logic [Time+2:0] srtt_reg;
  logic [Time+1:0] variation_reg, rto_reg, variation_operand;
  logic [Time:0] difference_reg;  // in two's complement
  logic outside, up;

  assign rto = rto_reg[Time-1:0];
  assign bound = state_reg == INITIAL ? tcp_config.rto_initial : state_reg == MINIMUM ? tcp_config.rto_minimum : tcp_config.rto_maximum;
  assign outside = state_reg == INITIAL || (state_reg == MINIMUM && !up) || (state_reg == MAXIMUM && up);
  assign up = rto_reg > {2'b0, bound};
  // variation - variation / 4, then + |difference|
  assign variation_operand = state_reg == FADE ? ~{2'b0, variation_reg[Time+1:2]}
      : {difference_reg[Time], difference_reg} ^ {(Time + 2) {difference_reg[Time]}};

  always_ff @(posedge clk) begin
    if (measure_begin) elapsed_reg <= '0;
    else if (tick && !(&elapsed_reg)) elapsed_reg <= elapsed_reg + 1'b1;

    unique case (state_reg)
      IDLE: begin
        difference_reg <= {1'b0, elapsed_reg} - {1'b0, srtt_reg[Time+2:3]};
        if (measure_end) begin
          state_reg <= first_reg ? SUM : SMOOTH;
          if (first_reg) begin  // SRTT = R, RTTVAR = R / 2
            srtt_reg <= {elapsed_reg, 3'b0};
            variation_reg <= {1'b0, elapsed_reg, 1'b0};
            first_reg <= 1'b0;
          end
        end else if (restore) state_reg <= first_reg ? INITIAL : SUM;
        else if (back_off) begin
          rto_reg   <= {1'b0, rto_reg[Time-1:0], 1'b0};
          state_reg <= MAXIMUM;
        end
      end
      SMOOTH: begin
        srtt_reg  <= srtt_reg + {{2{difference_reg[Time]}}, difference_reg};
        state_reg <= FADE;
      end
      FADE, VARY: begin
        variation_reg <= variation_reg + variation_operand + (Time + 2)'(state_reg == FADE || difference_reg[Time]);
        state_reg <= state_reg == FADE ? VARY : SUM;
      end
      SUM: begin
        rto_reg   <= {2'b0, srtt_reg[Time+2:3]} + variation_reg;
        state_reg <= MINIMUM;
      end
      default: begin
        if (outside) rto_reg <= {2'b0, bound};
        state_reg <= state_reg == MINIMUM ? MAXIMUM : IDLE;
      end
    endcase
    if (rst || connect) begin
      state_reg <= INITIAL;
      first_reg <= 1'b1;
    end
  end

endmodule
