// fast_wire_events with plain ports.
module fast_wire_events_tb
  import tickwire_pkg::*;
  import fast_events_pkg::*;
  import fast_wire_pkg::*;
(
    input logic clk,
    input logic rst,

    input logic         load_valid,
    input logic [159:0] load_data,   // the members
    input logic         table_valid,
    input logic [  1:0] table_what,
    input logic [ 12:0] table_index,
    input logic [ 95:0] table_data,

    input logic                   entry_valid,
    input logic                   entry_last,
    input logic [EventFields-1:0][95:0] entry,  // value_t of each field, from bit 0 on
    input logic [127:0]           header,
    input logic [  1:0]           header_absent,
    input logic                   spoilt,
    input logic                   verdict_valid,
    input logic                   verdict_good,
    input logic                   second_known,
    input logic [ 63:0]           second_digits,
    input logic [ 47:0]           second_nanoseconds,
    input logic [  5:0]           second_of_minute,
    input logic [  5:0]           minute_of_hour,

    output logic         event_valid,
    output logic [  3:0] event_kind,
    output logic [  7:0] event_message_type,
    output logic         event_side,
    output logic         event_has_symbol,
    output logic [ 63:0] event_symbol,
    output logic [ 63:0] event_price,
    output logic [ 63:0] event_quantity,
    output logic [ 63:0] event_order_id,
    output logic [ 47:0] event_nanoseconds,
    output logic [ 63:0] event_sequence,
    output logic         event_last,
    output logic         out_verdict_valid,
    output logic         out_verdict_good
);
  // What is a cycle ahead of the entry goes straight in, all else through a register.
  value_t [EventFields-1:0] values, given;
  logic valid, last, spoilt_now;
  logic [1:0] absent;
  fast_wire_pkg::verdict_t verdict;
  event_t found;
  fast_wire_pkg::verdict_t out_verdict;

  always_comb for (int i = 0; i < EventFields; i++) given[i] = value_t'(entry[i]);
  always_ff @(posedge clk) begin
    values <= given;
    {valid, last, absent, spoilt_now} <= {entry_valid, entry_last, header_absent, spoilt};
    verdict <= '{valid: verdict_valid, good: verdict_good, reason: WIRE_GOOD, resets: 1'b0};
  end
  assign {event_kind, event_message_type, event_side} = {found.kind, found.message_type, found.side};
  assign {event_has_symbol, event_symbol, event_price, event_quantity} = {found.has_symbol, found.symbol, found.price, found.quantity};
  assign {event_order_id, event_nanoseconds} = {found.order_id, found.nanoseconds};
  assign {event_sequence, event_last} = {found.sequence_number, found.last};
  assign {out_verdict_valid, out_verdict_good} = {out_verdict.valid, out_verdict.good};

  fast_wire_events dut (
      .clk,
      .rst,
      .load('{valid: load_valid, what: WIRE_LOAD_MEMBERS, template_at: '0, index: '0, data: load_data}),
      .event_load('{valid: table_valid, what: event_load_e'(table_what), index: table_index, data: table_data}),
      .listens(1'b1),
      .second('{
          known: second_known,
          learnt: 1'b0,
          second: second_of_minute,
          minute: minute_of_hour,
          groups: 2'd2,
          digits: second_digits,
          nanoseconds: second_nanoseconds
      }),
      .template_ahead2('0),
      .entry_valid(valid),
      .entry_last(last),
      .entry(values),
      .texts_ahead(given[OrderIdAt+:2]),
      .header,
      .header_absent(absent),
      .spoilt1(spoilt_now),
      .verdict,
      .valid3(event_valid),
      .event3(found),
      .symbol2,
      .order_id2,
      .verdict3(out_verdict)
  );

  logic [63:0] symbol2, order_id2;
  logic others;
  assign others = |{found.source, found.known, found.instrument, found.new_order_id, found.seconds, found.non_printable};
  assert property (@(posedge clk) disable iff (rst) !(event_valid && others));
endmodule
