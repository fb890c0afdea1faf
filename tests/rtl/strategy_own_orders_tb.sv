// strategy_own_orders with plain ports.
module strategy_own_orders_tb
  import tickwire_pkg::*;
  import risk_pkg::*;
  import processor_pkg::*;
  import slot_pkg::*;
#(
    parameter int ORDERS = 4,
    parameter int ANSWERS = 4,
    parameter int REPORTS = 4
) (
    input logic clk,
    input logic rst,
    input logic restart,
    input logic follows,
    input logic reads_positions,

    input  logic        in_valid,
    output logic        in_ready,
    input  logic [ 1:0] in_kind,
    input  logic        in_fits,
    input  logic [31:0] in_order,
    input  logic        in_sell,
    input  logic [ 2:0] in_time_in_force,
    input  logic [ 7:0] in_instrument,
    input  logic [47:0] in_price,
    input  logic [31:0] in_quantity,

    output logic        out_valid,
    input  logic        out_ready,
    output logic [ 1:0] out_kind,
    output logic        out_sell,
    output logic [ 2:0] out_time_in_force,
    output logic [ 7:0] out_instrument,
    output logic [47:0] out_price,
    output logic [31:0] out_quantity,
    output logic [35:0] original,

    input logic        impossible,
    input logic        not_sent,
    input logic [15:0] not_sent_reason,
    input logic        cancel_sent,
    input logic [35:0] cancel_number,
    input logic        working_valid,
    input logic [ 2:0] working_what,
    input logic [ 8:0] working_place,
    input logic [35:0] working_number,
    input logic        working_rejected,
    input logic [31:0] working_traded,
    input logic        working_priced,
    input logic        working_price_negative,
    input logic [31:0] working_price,
    input logic [15:0] working_reason,

    input  logic        begins,
    input  logic        over,
    output logic        pass,
    output logic        report_valid,
    output logic [ 2:0] report_kind,
    output logic [31:0] report_order,
    output logic [ 7:0] report_instrument,
    output logic        report_sell,
    output logic [47:0] report_price,
    output logic [31:0] report_quantity,
    output logic [31:0] report_remaining,
    output logic [15:0] report_reason,
    output logic [15:0] open,

    input  logic        host_holds,
    output logic        hold,
    input  logic        held,
    output logic        load,
    output logic [ 9:0] load_address,
    output logic [63:0] load_value,
    output logic        refused,
    output logic        overflow
);
  processor_intent_t in, out;
  working_change_t working;
  own_report_t report;
  logic answer_taken;

  always_comb begin
    in = '0;
    in.kind = processor_intent_e'(in_kind);
    in.fits = in_fits;
    in.order = in_order;
    in.limit = 1'b1;
    in.sell = in_sell;
    in.time_in_force = in_time_in_force;
    in.instrument = in_instrument;
    in.price = in_price;
    in.quantity = in_quantity;
  end
  assign {out_kind, out_sell, out_instrument} = {out.kind, out.sell, out.instrument};
  assign {out_price, out_quantity, out_time_in_force} = {out.price, out.quantity, out.time_in_force};
  assign working = '{
          valid: working_valid,
          strategy: 1'b1,
          what: working_e'(working_what),
          place: working_place,
          number: working_number,
          rejected: working_rejected,
          traded: working_traded,
          price: '{known: working_priced, negative: working_price_negative, magnitude: working_price},
          reason: working_reason
      };
  assign {report_kind, report_order, report_instrument, report_sell} = {report.kind, report.order, report.instrument, report.side};
  assign {report_price, report_quantity, report_remaining, report_reason} = {
    report.price, report.quantity, report.remaining, report.reason
  };

  strategy_own_orders #(
      .ORDERS(ORDERS),
      .ANSWERS(ANSWERS),
      .REPORTS(REPORTS)
  ) dut (
      .clk,
      .rst,
      .restart,
      .follows,
      .reads_positions,
      .positions_at(10'd100),
      .in_valid,
      .in_ready,
      .in,
      .out_valid,
      .out_ready,
      .out,
      .original,
      .impossible,
      .not_sent,
      .not_sent_reason,
      .cancel_sent,
      .cancel_number,
      .working,
      .begins,
      .over,
      .pass,
      .report_valid,
      .report,
      .answer_taken,
      .open,
      .host_holds,
      .hold,
      .held,
      .load,
      .load_address,
      .load_value,
      .refused,
      .overflow
  );
endmodule
