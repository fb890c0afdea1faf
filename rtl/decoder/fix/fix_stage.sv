// The decoder of the FIX session with its counters and the operations that set its instruments.
//
// Latency, throughput, overflow: as decoder_fix. Parameters: W; INSTRUMENTS; PRICES, REPORTS, DETAILS: see there.
module fix_stage
  import fix_pkg::*;
  import fix_csr_pkg::*;
#(
    parameter int W = 64,
    parameter int INSTRUMENTS = 16,
    parameter bit PRICES = 1'b1,
    parameter bit REPORTS = 1'b0,
    parameter bit DETAILS = 1'b0
) (
    input logic             clk,
    input logic             rst,
    csr_if.stage            csr,
    input logic             restart,  // the stream begins again: an open message is forgotten
    stream_if.snk           in,
    committed_event_if.src  events,
    output logic            event_wide,
    output logic            alive,     // pulses: a good message of the session;
    output logic            overflow,  // prices found no room
    execution_report_if.src reports
);
  logic [FixCauses-1:0] cause, pulse;
  config_if host ();
  csr_if part[2] ();

  if (FixCauses != Counters) begin : gen_check
    $fatal(1, "fix_stage: %0d causes are counted, of %0d", Counters, FixCauses);
  end

  csr_split #(
      .N(2)
  ) csr_split (
      .in (csr),
      .out(part)
  );

  csr_operations csr_operations (
      .csr(part[0].stage),
      .out(host.src)
  );

  csr_counters #(
      .AT(CountersAt),
      .SLOTS(Counters)
  ) csr_counters (
      .clk,
      .rst,
      .csr(part[1].stage),
      .shown(1'b1),
      .pulse,
      .amount('0)
  );

  always_ff @(posedge clk) pulse <= rst ? '0 : cause;
  assign alive = cause[FIX_PRICES] || cause[FIX_OTHER];
  assign overflow = cause[FIX_OVERFLOW];

  decoder_fix #(
      .W(W),
      .INSTRUMENTS(INSTRUMENTS),
      .TRADES_ONLY(1'b1),
      .PRICES(PRICES),
      .REPORTS(REPORTS),
      .DETAILS(DETAILS)
  ) decoder_fix (
      .clk,
      .rst,
      .restart,
      .in,
      .host(host.snk),
      .events,
      .event_wide,
      .cause,
      .reports
  );
endmodule
