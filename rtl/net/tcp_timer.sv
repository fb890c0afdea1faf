// The one timer of a session, and the retransmission time (RFC 6298): a session waits for one thing at a time.
//
// SRTT is kept in eighths and RTTVAR in quarters of a microsecond, as the RFC's factors 1/8, 1/4 and 4 want it. A measurement is worked
// through in six cycles by one step each; `rto` holds the old time until then.
// Karn: who measures leaves out what was sent again, and `back_off` doubles the time until the next measurement; `restore` takes that back
// where no data is on its way (probes).
// Latency: `expired` in the cycle in which the time is over. Parameters: none. Overflow: times stop at 2^26 - 1 microseconds.
module tcp_timer
  import tcp_pkg::*;
(
    input logic        clk,
    input logic        rst,
    input logic        tick,        // once a microsecond
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

  assign expired = running && tick && left_reg <= Time'(1);

  always_ff @(posedge clk) begin
    if (tick) left_reg <= left_reg - 1'b1;
    if (expired || stop) running <= 1'b0;
    if (load) begin
      left_reg <= time_left;
      running  <= 1'b1;
    end
    if (rst) running <= 1'b0;
  end

  // ---- round-trip time ---------------------------------------------------------------------------

  typedef enum logic [2:0] {
    IDLE,
    SMOOTH,      // SRTT and |difference|
    VARIATION,
    SUM,
    MINIMUM,
    MAXIMUM
  } state_e;

  state_e state_reg;
  logic first_reg;  // no measurement yet
  logic [Time-1:0] elapsed_reg;
  logic [Time+2:0] srtt_reg;
  logic [Time+1:0] variation_reg;
  logic signed [Time:0] difference_reg;
  logic [Time-1:0] distance_reg;
  logic [Time+1:0] rto_reg;

  assign rto = rto_reg[Time-1:0];

  always_ff @(posedge clk) begin
    if (measure_begin) elapsed_reg <= '0;
    else if (tick && !(&elapsed_reg)) elapsed_reg <= elapsed_reg + 1'b1;

    unique case (state_reg)
      IDLE: begin
        if (measure_end) begin
          difference_reg <= $signed({1'b0, elapsed_reg}) - $signed({1'b0, srtt_reg[Time+2:3]});
          state_reg <= SMOOTH;
          if (first_reg) begin  // SRTT = R, RTTVAR = R / 2
            srtt_reg <= {elapsed_reg, 3'b0};
            variation_reg <= {1'b0, elapsed_reg, 1'b0};
            state_reg <= SUM;
            first_reg <= 1'b0;
          end
        end else if (restore) begin
          state_reg <= first_reg ? IDLE : SUM;
          if (first_reg) rto_reg <= {2'b0, tcp_config.rto_initial};
        end else if (back_off) begin
          rto_reg   <= {1'b0, rto_reg[Time-1:0], 1'b0};
          state_reg <= MAXIMUM;
        end
      end
      SMOOTH: begin
        srtt_reg <= srtt_reg + {{2{difference_reg[Time]}}, difference_reg};
        distance_reg <= difference_reg[Time] ? Time'(-difference_reg) : difference_reg[Time-1:0];
        state_reg <= VARIATION;
      end
      VARIATION: begin
        variation_reg <= variation_reg - {2'b0, variation_reg[Time+1:2]} + {2'b0, distance_reg};
        state_reg <= SUM;
      end
      SUM: begin
        rto_reg   <= {2'b0, srtt_reg[Time+2:3]} + variation_reg;
        state_reg <= MINIMUM;
      end
      MINIMUM: begin
        if (rto_reg < {2'b0, tcp_config.rto_minimum}) rto_reg <= {2'b0, tcp_config.rto_minimum};
        state_reg <= MAXIMUM;
      end
      default: begin
        if (rto_reg > {2'b0, tcp_config.rto_maximum}) rto_reg <= {2'b0, tcp_config.rto_maximum};
        state_reg <= IDLE;
      end
    endcase
    if (rst || connect) begin
      state_reg <= IDLE;
      first_reg <= 1'b1;
      rto_reg   <= {2'b0, tcp_config.rto_initial};
    end
  end

endmodule
