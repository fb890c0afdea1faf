// intent_merge with plain ports.
module intent_merge_tb (
    input  logic       clk,
    input  logic       rst,
    input  logic       first_valid,
    output logic       first_ready,
    input  logic       first_soon,
    input  logic [8:0] first_handle,
    input  logic       second_valid,
    output logic       second_ready,
    input  logic       second_soon,
    input  logic [8:0] second_handle,
    input  logic [31:0] second_price,
    input  logic       third_valid,
    output logic       third_ready,
    input  logic [8:0] third_handle,
    output logic       out_valid,
    input  logic       out_ready,
    output logic       out_soon,
    output logic [8:0] out_handle,
    output logic [7:0] out_instrument,
    output logic       out_computed,
    output logic [31:0] out_price,
    output logic        ahead
);
  intent_if first ();
  intent_if second ();
  intent_if third ();
  intent_if out ();

  assign first.valid = first_valid;
  assign first.soon = first_soon;
  assign first.handle = first_valid ? first_handle : '0;
  assign first.instrument = ~first_handle[7:0];
  assign {first.computed, first.price, first.price_soon} = '0;
  assign first_ready = first.ready;
  assign second.valid = second_valid;
  assign second.soon = second_soon;
  assign second.handle = second_handle;
  assign second.instrument = ~second_handle[7:0];
  assign second.computed = 1'b1;
  assign second.price = second_price;
  assign second.price_soon = ~second_price;
  assign second_ready = second.ready;
  assign third.valid = third_valid;
  assign third.soon = third_valid;
  assign third.handle = third_handle;
  assign third.instrument = ~third_handle[7:0];
  assign {third.computed, third.price, third.price_soon} = '0;
  assign third_ready = third.ready;
  assign out_valid = out.valid;
  assign out.ready = out_ready;
  assign out_soon = out.soon;
  assign out_handle = out.handle;
  assign out_instrument = out.instrument;
  assign out_computed = out.computed;
  assign out_price = out.price;

  intent_merge dut (
      .clk,
      .rst,
      .first(first.snk),
      .second(second.snk),
      .third(third.snk),
      .out(out.src),
      .ahead
  );
endmodule
