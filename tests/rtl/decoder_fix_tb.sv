// decoder_fix with plain ports.
module decoder_fix_tb
  import tickwire_pkg::*;
  import fix_pkg::*;
#(
    parameter int W = 64,
    parameter int INSTRUMENTS = 16,
    parameter int EVENTS = 64,
    parameter bit TRADES_ONLY = 1'b0
) (
    input logic clk,
    input logic rst,
    input logic restart,

    input logic           in_valid,
    input logic [  W-1:0] in_data,
    input logic [W/8-1:0] in_keep,
    input logic           in_last,
    input logic           in_err,

    input logic                           instrument_write,
    input logic [$clog2(INSTRUMENTS)-1:0] instrument_index,
    input logic                           instrument_used,
    input logic [                   63:0] instrument_symbol,
    input logic [                    3:0] instrument_symbol_length,
    input logic [                    3:0] instrument_price_scale,
    input logic [                    3:0] instrument_quantity_scale,

    output logic                    event_valid,
    input  logic                    event_ready,
    output logic [             3:0] event_kind,
    output logic                    event_sell,
    output logic [             7:0] event_message_type,
    output logic [            63:0] event_price,
    output logic                    event_wide,
    output logic [            63:0] event_quantity,
    output logic                    event_last,
    output logic [             7:0] event_instrument,
    output logic [            63:0] event_sequence,
    output logic                    instrument_busy,
    output logic [   FixCauses-1:0] cause
);
  stream_if #(.W(W)) in ();
  assign in.valid = in_valid;
  assign in.data  = in_data;
  assign in.keep  = in_keep & {W / 8{in_valid}};
  assign in.last  = in_last;
  assign in.err   = in_err;

  config_if host ();
  execution_report_if reports ();
  logic reports_unused;
  assign reports.ready = 1'b1;
  assign reports_unused = &{1'b0, reports.valid, reports.data, reports.overflow, reports.unreadable, host.answer};
  assign host.valid = instrument_write;
  assign host.operation = config_pkg::CONFIG_INSTRUMENT;
  assign host.index = 16'(instrument_index);
  always_comb begin
    host.operand = '0;
    host.operand[0][1] = instrument_used;
    host.operand[0][15:4] = {instrument_quantity_scale, instrument_price_scale, instrument_symbol_length};
    {host.operand[4], host.operand[3]} = instrument_symbol;
  end
  assign instrument_busy = host.busy;

  committed_event_if events ();
  /* verilator lint_off UNUSEDSIGNAL */
  event_t event_data;
  /* verilator lint_on UNUSEDSIGNAL */
  assign event_valid = events.valid;
  assign events.ready = event_ready;
  assign event_data = events.data;
  assign event_instrument = event_data.instrument;
  assign event_kind = event_data.kind;
  assign event_sell = event_data.side;
  assign event_message_type = event_data.message_type;
  assign event_price = event_data.price;
  assign event_quantity = event_data.quantity;
  assign event_last = event_data.last;
  assign event_sequence = event_data.sequence_number;

  decoder_fix #(
      .W(W),
      .INSTRUMENTS(INSTRUMENTS),
      .EVENTS(EVENTS),
      .TRADES_ONLY(TRADES_ONLY)
  ) dut (
      .clk,
      .rst,
      .restart,
      .in,
      .host(host.snk),
      .events(events.src),
      .event_wide,
      .cause,
      .reports(reports.src)
  );
endmodule
