// working_orders with plain ports.
module working_orders_tb
  import tickwire_pkg::*;
  import order_pkg::*;
  import order_template_pkg::*;
  import risk_pkg::*;
#(
    parameter int PLACES = 512
) (
    input logic clk,
    input logic rst,

    input logic        sent_valid,
    input logic [ 1:0] sent_kind,
    input logic        sent_sell,
    input logic        sent_strategy,
    input logic [ 7:0] sent_instrument,
    input logic [31:0] sent_quantity,
    input logic [35:0] sent_number,

    input  logic        report_valid,
    output logic        report_ready,
    input  logic [ 2:0] report_what,
    input  logic [35:0] report_number,
    input  logic        report_has_original,
    input  logic [35:0] report_original,
    input  logic [31:0] report_traded,
    input  logic [33:0] report_price,
    input  logic [15:0] report_reason,

    output logic        adjust_valid,
    input  logic        adjust_ready,
    output logic [ 7:0] adjust_instrument,
    output logic [47:0] adjust_buy,
    output logic [47:0] adjust_sell,
    output logic [15:0] adjust_closed,
    output logic        change_valid,
    output logic        change_strategy,
    output logic [ 2:0] change_what,
    output logic [ 8:0] change_place,
    output logic [35:0] change_number,
    output logic        change_rejected,
    output logic [31:0] change_traded,
    output logic [33:0] change_price,
    output logic [15:0] change_reason,
    output logic        unknown,
    output logic        overflow
);
  execution_report_if reports ();
  order_sent_t sent;
  risk_adjust_t adjust;
  working_change_t change;

  always_comb begin
    sent = '0;
    sent.order.kind = order_kind_e'(sent_kind);
    sent.order.side = side_e'(sent_sell);
    sent.order.strategy = sent_strategy;
    sent.order.instrument = sent_instrument;
    sent.order.quantity = sent_quantity;
    sent.number = sent_number;
  end
  assign reports.valid = report_valid;
  assign reports.data = '{
          what: execution_e'(report_what),
          number: report_number,
          has_original: report_has_original,
          original: report_original,
          traded: report_traded,
          price: report_price,
          reason: report_reason
      };
  assign {reports.overflow, reports.unreadable} = '0;
  assign report_ready = reports.ready;
  assign {adjust_instrument, adjust_buy, adjust_sell, adjust_closed} = adjust;
  assign {change_valid, change_strategy, change_what, change_place, change_number, change_rejected, change_traded,
          change_price, change_reason} = change;

  working_orders #(
      .PLACES(PLACES)
  ) dut (
      .clk,
      .rst,
      .sent_valid,
      .sent,
      .reports(reports.snk),
      .adjust_valid,
      .adjust_ready,
      .adjust,
      .change,
      .unknown,
      .overflow
  );
endmodule
