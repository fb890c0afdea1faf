// fast_wire_choice with plain ports, a cycle later; of an event its order id alone, and of that the symbol.
module fast_wire_choice_tb
  import tickwire_pkg::*;
  import fast_wire_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic passed,

    input logic        wire_valid,
    input logic [63:0] wire_id,
    input logic        wire_verdict_valid,
    input logic        wire_verdict_good,
    input logic [ 3:0] wire_verdict_reason,
    input logic        lost,

    input logic        microcode_valid,
    input logic [63:0] microcode_id,
    input logic        microcode_verdict_valid,
    input logic        microcode_verdict_good,

    output logic        out_valid,
    output logic [63:0] out_id,
    output logic        out_verdict_valid,
    output logic        out_verdict_good,
    output logic        ends,
    output logic        decision_valid,
    output logic        decision_on,
    output logic        done,
    output logic        handed_over
);
  event_if #(.N(1)) microcode ();
  event_if #(.N(1)) out ();
  event_t wire_event;

  logic passed_now, wire_now, lost_now, listens;
  fast_wire_pkg::verdict_t verdict_now;

  always_ff @(posedge clk) begin
    passed_now <= passed;
    wire_now <= wire_valid;
    wire_event <= '0;
    wire_event.order_id <= wire_id;
    wire_event.symbol <= ~wire_id;
    verdict_now <= '{valid: wire_verdict_valid, good: wire_verdict_good, reason: reason_e'(wire_verdict_reason), resets: 1'b0};
    lost_now <= lost;
    microcode.data[0] <= '0;
    microcode.data[0].order_id <= microcode_id;
    microcode.data[0].symbol <= ~microcode_id;
    {microcode.valid[0], microcode.verdict_valid, microcode.verdict_good} <= {
      microcode_valid, microcode_verdict_valid, microcode_verdict_good
    };
  end
  assign {out_valid, out_verdict_valid, out_verdict_good} = {out.valid[0], out.verdict_valid, out.verdict_good};
  logic [63:0] symbol, order_id;
  assign out_id = order_id;
  logic unused;
  assign unused = listens;

  fast_wire_choice dut (
      .clk,
      .rst,
      .passed(passed_now),
      .wire_valid(wire_now),
      .wire_event,
      .wire_symbol(~wire_id),
      .wire_order_id(wire_id),
      .wire_verdict(verdict_now),
      .lost(lost_now),
      .microcode(microcode.snk),
      .microcode_symbol(~microcode_id),
      .microcode_order_id(microcode_id),
      .out(out.src),
      .symbol,
      .order_id,
      .ends,
      .decision_valid,
      .decision_on,
      .listens,
      .done,
      .handed_over
  );
endmodule
