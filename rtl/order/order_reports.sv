// Reports to the host what became of each order: sent, dropped by the order stage, or refused by risk.
//
//   sent, dropped ───────┐
//   refused ─ waits ─────┴─ RAM ─ register ─ report
//
// The host knows the order by its client_id. A refusal waits while a sent or dropped order is written: its order and reason stay at risk's
// output until the next refusal.
//
// Latency: 2 cycles, of a refusal 3 at most. Throughput: one of each kind every other cycle. Parameters: DEPTH, reports stored, a power of two.
// Overflow: a report that finds no room is lost, and `overflow` pulses; the counters still count the order.
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

    /* verilator lint_off UNUSEDSIGNAL */  // not all of it is reported
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
  localparam int Address = $clog2(DEPTH);

  (* no_rw_check, ram_style = "block" *) logic [$bits(order_report_t)-1:0] reports[DEPTH];
  logic [Address-1:0] put, got;
  logic [Address:0] stored;  // the one shown, too
  logic [63:0] time_reg;  // of the cycle TCP took the order in
  logic refused_waits, of_stage, write, full, shown, taken;
  order_report_t written;

  assign of_stage = sent_valid || dropped_valid;
  assign write = of_stage || refused_valid || refused_waits;
  assign full = stored[Address];
  assign taken = shown && report_ready;
  always_comb begin
    written = '{what: REPORT_SENT, reason: '0, client_id: sent.order.client_id, number: sent.number, time_ns: time_reg};
    if (dropped_valid) begin
      written.what = REPORT_DROPPED;
      written.reason = 4'(dropped_reason);
      written.client_id = dropped_order.client_id;
    end
    if (!of_stage) begin
      written.what = REPORT_REFUSED;
      written.reason = 4'(refused_reason);
      written.client_id = refused_order.client_id;
    end

    if (written.what != REPORT_SENT) written.number = '0;
  end

  assign report_valid = shown;

  always_ff @(posedge clk) begin
    time_reg <= time_ns;
    refused_waits <= of_stage && (refused_valid || refused_waits);
    overflow <= write && full;
    if (write && !full) begin
      reports[put] <= written;
      put <= put + 1'b1;
    end
    stored <= stored + (Address + 1)'(write && !full) - (Address + 1)'(taken);
    if (taken) begin
      shown <= 1'b0;
      got   <= got + 1'b1;
    end else if (!shown && stored != '0) shown <= 1'b1;
    if (!shown) report <= reports[got];
    if (rst) begin
      {put, got, stored, refused_waits, shown, overflow} <= '0;
    end
  end

  assert property (@(posedge clk) disable iff (rst) !(sent_valid && dropped_valid));
  // A waiting refusal is written before the next one: refusals are two cycles apart, and so are the stage's outcomes.
  assert property (@(posedge clk) disable iff (rst) !(refused_waits && (refused_valid || of_stage)));
endmodule
