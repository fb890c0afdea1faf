// fast_events with plain ports, given fields: which entries that cannot be read make their packet bad.
module fast_foreign_tb
  import tickwire_pkg::*;
  import fast_pkg::*;
  import fast_events_pkg::*;
(
    input logic clk,
    input logic rst,

    input logic        table_valid,
    input logic [ 1:0] table_what,
    input logic [12:0] table_index,
    input logic [95:0] table_data,

    input logic        instrument_write,
    input logic [ 7:0] instrument_index,
    input logic        instrument_used,
    input logic [63:0] instrument_symbol,

    input logic        field_valid,
    input logic [ 2:0] field_kind,
    input logic [ 3:0] field_member,
    input logic [63:0] field_value,
    input logic [ 6:0] field_exponent,
    input logic [ 3:0] field_count,
    input logic        field_entry_end,
    input logic        verdict,
    input logic        verdict_good,

    output logic        event_valid,
    output logic [63:0] event_symbol,
    output logic [63:0] event_order_id,
    output logic        event_last,
    output logic        out_verdict,
    output logic        out_good,
    output logic        fault_valid,
    output logic [ 3:0] fault,
    output logic        overflow
);
  event_if #(.N(1)) events ();
  event_t found;
  fault_e fault_code;

  assign found = events.data[0];
  assign event_valid = events.valid[0];
  assign {event_symbol, event_order_id, event_last} = {found.symbol, found.order_id, found.last};
  assign {out_verdict, out_good} = {events.verdict_valid, events.verdict_good};
  assign fault = fault_code;

  fast_events dut (
      .clk,
      .rst,
      .load('{valid: table_valid, what: event_load_e'(table_what), index: table_index, data: table_data}),
      .instrument('{valid: instrument_write, index: instrument_index, used: instrument_used, symbol: instrument_symbol}),
      .field_valid,
      .field('{
              kind: field_e'(field_kind),
              tag: {field_member, 28'd1},
              value: field_value,
              exponent: field_exponent,
              count: field_count,
              first: 1'b1,
              last: 1'b1,
              entry_end: field_entry_end,
              message_end: 1'b0
          }),
      .verdict('{valid: verdict, good: verdict_good, frame_good: 1'b1, code: FAST_GOOD, offset: '0}),
      .out(events.src),
      .fault_valid,
      .fault(fault_code),
      .overflow
  );

  logic unused;
  assign unused = &{1'b0, found};
endmodule
