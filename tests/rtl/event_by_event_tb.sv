// event_by_event with plain ports: of an event its order's id and its number.
module event_by_event_tb
  import tickwire_pkg::*;
  import book_pkg::*;
#(
    parameter int DEPTH = 8
) (
    input logic clk,
    input logic rst,
    input logic enabled,
    input logic taken,

    input logic [ 1:0] in_valid,
    input logic [31:0] in_id,
    input logic [31:0] in_second_id,
    input logic [31:0] in_number,
    input logic        in_verdict,
    input logic        in_good,
    input logic [31:0] early_id,
    input logic        after_gap,
    input logic        begins_session,
    input logic        from_first,
    input logic        gap,
    input logic        new_session,
    input logic [31:0] first_sequence,

    output logic [ 1:0] out_valid,
    output logic [31:0] out_id,
    output logic [31:0] out_second_id,
    output logic        out_verdict,
    output logic        out_good,
    output logic [31:0] out_early_id,
    output logic        out_after_gap,
    output logic        out_begins_session,
    output logic        out_from_first,
    output logic        out_gap,
    output logic        out_new_session,
    output logic [31:0] out_first_sequence,
    output logic        overflow
);
  event_if #(.N(2)) events ();
  event_if #(.N(2)) out ();
  id_t early;
  logic [SequenceBits-1:0] sequence_out;

  always_comb begin
    events.data = '0;
    events.data[0].order_id = 64'(in_id);
    events.data[1].order_id = 64'(in_second_id);
    events.data[0].sequence_number = 64'(in_number);
  end
  assign {events.valid, events.verdict_valid, events.verdict_good} = {in_valid, in_verdict, in_good};

  event_by_event #(
      .N(2),
      .DEPTH(DEPTH)
  ) dut (
      .clk,
      .rst,
      .enabled,
      .taken,
      .events(events.snk),
      .early_id(id_t'(early_id)),
      .after_gap,
      .begins_session,
      .from_first,
      .gap,
      .new_session,
      .first_sequence(SequenceBits'(first_sequence)),
      .out(out.src),
      .out_early_id(early),
      .out_after_gap,
      .out_begins_session,
      .out_from_first,
      .out_gap,
      .out_new_session,
      .out_first_sequence(sequence_out),
      .overflow
  );

  assign {out_valid, out_verdict, out_good} = {out.valid, out.verdict_valid, out.verdict_good};
  assign {out_id, out_second_id} = {out.data[0].order_id[31:0], out.data[1].order_id[31:0]};
  assign out_early_id = early[31:0];
  assign out_first_sequence = sequence_out[31:0];
endmodule
