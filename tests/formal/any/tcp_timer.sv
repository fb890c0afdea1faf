// Replaces tcp_timer in the proof of tcp_formal: any time may be over at any moment, whatever was measured.
module tcp_timer
  import tcp_pkg::*;
(
    input  logic            clk,
    input  logic            rst,
    input  logic            tick,
    input  tcp_config_t     tcp_config,
    input  logic            connect,
    input  logic            load,
    input  logic [Time-1:0] time_left,
    input  logic            stop,
    output logic            running,
    output logic            expired,
    input  logic            measure_begin,
    input  logic            measure_end,
    input  logic            back_off,
    input  logic            restore,
    input  logic            advance,
    output logic [Time-1:0] rto
);
  always_ff @(posedge clk) begin
    running <= load || (running && !expired && !stop);
    if (rst) running <= 1'b0;
  end
  assign expired = running && tick;
  assign rto = '0;
endmodule
