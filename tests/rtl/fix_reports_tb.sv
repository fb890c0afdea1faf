// fix_reports with plain ports.
module fix_reports_tb
  import tickwire_pkg::*;
#(
    parameter int W = 64,
    parameter int WORDS = 1024,
    parameter bit DETAILS = 1'b1
) (
    input logic clk,
    input logic rst,

    input logic           in_valid,
    input logic [  W-1:0] in_data,
    input logic [W/8-1:0] in_keep,
    input logic           in_last,
    input logic           in_err,

    input  logic        host_valid,
    input  logic [15:0] host_index,
    input  logic [31:0] host_operand,
    output logic        host_done,

    output logic        report_valid,
    input  logic        report_ready,
    output logic [ 2:0] report_what,
    output logic [35:0] report_number,
    output logic        report_has_original,
    output logic [35:0] report_original,
    output logic [31:0] report_traded,
    output logic        report_priced,
    output logic        report_price_negative,
    output logic [31:0] report_price,
    output logic [15:0] report_reason,
    output logic        overflow,
    output logic        unreadable
);
  stream_if #(.W(W)) in ();
  assign in.valid = in_valid;
  assign in.data  = in_data;
  assign in.keep  = in_keep & {W / 8{in_valid}};
  assign in.last  = in_last;
  assign in.err   = in_err;

  config_if host ();
  assign host.valid = host_valid;
  assign host.operation = config_pkg::CONFIG_INSTRUMENT;
  assign host.index = host_index;
  assign host.operand = {192'd0, host_operand};
  assign host_done = host.answer.done;

  execution_report_if reports ();
  assign report_valid = reports.valid;
  assign reports.ready = report_ready;
  assign {report_what, report_number, report_has_original, report_original, report_traded} = {
    reports.data.what, reports.data.number, reports.data.has_original, reports.data.original, reports.data.traded
  };

  assign {report_priced, report_price_negative, report_price, report_reason} = {reports.data.price, reports.data.reason};

  assign {overflow, unreadable} = {reports.overflow, reports.unreadable};

  fix_reports #(
      .W(W),
      .WORDS(WORDS),
      .DETAILS(DETAILS)
  ) dut (
      .clk,
      .rst,
      .in(in.snk),
      .host(host.snk),
      .reports(reports.src)
  );
endmodule
