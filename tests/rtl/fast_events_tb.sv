// The FAST engine and fast_events with plain ports.
module fast_events_tb
  import tickwire_pkg::*;
  import fast_pkg::*;
  import fast_events_pkg::*;
#(
    parameter int W = 64,
    parameter int GROUPS = 256,
    parameter int BUFFER = 2048 / (W / 8)
) (
    input  logic           clk,
    input  logic           rst,
    input  logic           in_valid,
    input  logic [  W-1:0] in_data,
    input  logic [W/8-1:0] in_keep,
    input  logic           in_last,
    input  logic           in_err,
    input  logic           hold,
    output logic           held,
    input  logic           restart,
    input  logic           reset_each_packet,
    input  logic           load_valid,
    input  logic [    2:0] load_what,
    input  logic [   10:0] load_index,
    input  logic [  159:0] load_data,
    input  logic           table_valid,
    input  logic [    1:0] table_what,
    input  logic [   12:0] table_index,
    input  logic [   95:0] table_data,
    output logic           field_valid,
    output logic           verdict_valid,
    output logic           overflow,
    output logic [$clog2(BUFFER):0] waiting,
    output logic           event_valid,
    output logic [    3:0] event_kind,
    output logic [    7:0] event_message_type,
    output logic           event_side,
    output logic           event_has_symbol,
    output logic [   63:0] event_symbol,
    output logic [   63:0] event_price,
    output logic [   63:0] event_quantity,
    output logic [   63:0] event_order_id,
    output logic [   63:0] event_time,
    output logic [   63:0] event_sequence,
    output logic           event_last,
    output logic           events_verdict_valid,
    output logic           events_verdict_good,
    output logic           fault_valid,
    output logic [    3:0] fault,
    output logic           events_overflow
);
  stream_if #(.W(W)) in ();
  event_if #(.N(1)) events ();
  field_t field;
  fast_verdict_t verdict;
  event_t found;
  fault_e fault_code;

  assign {in.valid, in.data, in.keep, in.last, in.err} = {in_valid, in_data, in_keep, in_last, in_err};
  assign verdict_valid = verdict.valid;
  assign found = events.data[0];
  assign event_valid = events.valid[0];
  assign {event_kind, event_message_type, event_side} = {found.kind, found.message_type, found.side};
  assign {event_has_symbol, event_symbol, event_price, event_quantity} = {found.has_symbol, found.symbol, found.price, found.quantity};
  assign {event_order_id, event_sequence, event_last} = {found.order_id, found.sequence_number, found.last};
  assign event_time = 64'(found.nanoseconds);
  assign events_verdict_valid = events.verdict_valid;
  assign events_verdict_good = events.verdict_good;
  assign fault = fault_code;

  fast_engine #(
      .W(W),
      .GROUPS(GROUPS),
      .BUFFER(BUFFER)
  ) engine (
      .clk,
      .rst,
      .in(in.snk),
      .hold,
      .held,
      .restart,
      .reset_each_packet,
      .load('{valid: load_valid, what: load_e'(load_what), index: load_index, data: load_data}),
      .field_valid,
      .field,
      .verdict,
      .overflow,
      .waiting
  );

  fast_events dut (
      .clk,
      .rst,
      .load('{valid: table_valid, what: event_load_e'(table_what), index: table_index, data: table_data}),
      .instrument('0),
      .field_valid,
      .field,
      .verdict,
      .out(events.src),
      .fault_valid,
      .fault(fault_code),
      .overflow(events_overflow)
  );

  // An event's other members are constants.
  logic others;
  assign others = |{found.source, found.known, found.instrument, found.new_order_id, found.seconds, found.non_printable};
  assert property (@(posedge clk) disable iff (rst) !(event_valid && others));
endmodule
