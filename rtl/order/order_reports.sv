// Tells the host what became of each order: sent, dropped by the order stage, or refused by risk.
//
//   sent, dropped ─ register ─┐
//   refused ─ register ───────┴─ FIFO ─ report
//
// What the order was, the host knows by its client_id.
//
// Latency: 3 cycles. Throughput: a report a cycle, one of each kind every other. Parameters: DEPTH, reports kept, a power of two.
// Overflow: a report that finds no room is lost, and `overflow` pulses; the counters know of the order all the same.
module order_reports
  import order_pkg::*;
  import order_template_pkg::*;
  import risk_pkg::*;
  import report_pkg::*;
#(
    parameter int DEPTH = 64
) (
    input logic clk,
    input logic rst,
    input logic [63:0] time_ns,

    /* verilator lint_off UNUSEDSIGNAL */  // not all of it is told
    input logic        sent_valid,
    input order_sent_t sent,
    input logic        dropped_valid,
    input dropped_e    dropped_reason,
    input order_t      dropped_order,
    input logic        refused_valid,
    input refusal_e    refused_reason,
    input order_t      refused_order,
    /* verilator lint_on UNUSEDSIGNAL */

    output logic          report_valid,
    input  logic          report_ready,
    output order_report_t report,
    output logic          overflow
);
  logic refused_reg, stage_reg, write, empty;
  order_report_t refusal, of_stage, written;
  logic full_unused;
  logic [$clog2(DEPTH):0] count_unused;

  always_ff @(posedge clk) begin
    refused_reg <= refused_valid;
    if (refused_valid) begin
      refusal <= '{what: REPORT_REFUSED, reason: 4'(refused_reason), client_id: refused_order.client_id, number: '0, time_ns: time_ns};
    end
    stage_reg <= sent_valid || dropped_valid || (stage_reg && refused_reg);
    if (sent_valid) begin
      of_stage <= '{what: REPORT_SENT, reason: '0, client_id: sent.order.client_id, number: sent.number, time_ns: sent.time_ns};
    end else if (dropped_valid) begin
      of_stage <= '{
          what: REPORT_DROPPED,
          reason: 4'(dropped_reason),
          client_id: dropped_order.client_id,
          number: '0,
          time_ns: time_ns
      };
    end
    if (rst) {refused_reg, stage_reg} <= '0;
  end

  assign write = refused_reg || stage_reg;
  assign written = refused_reg ? refusal : of_stage;
  assign report_valid = !empty;

  fifo #(
      .WIDTH($bits(order_report_t)),
      .DEPTH(DEPTH)
  ) reports (
      .clk,
      .rst,
      .write,
      .write_data(written),
      .full(full_unused),
      .overflow,
      .read(report_ready),
      .read_data(report),
      .empty,
      .count(count_unused)
  );

  assert property (@(posedge clk) disable iff (rst) !(sent_valid && dropped_valid));
  // The register is free when the next comes: refusals are two cycles apart.
  assert property (@(posedge clk) disable iff (rst) !(stage_reg && refused_reg) || !(sent_valid || dropped_valid));
endmodule
