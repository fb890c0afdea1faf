// counters with six slots that add amounts.
module counters_tb #(
    parameter int SLOTS = 64,
    localparam int Amounts = 6
) (
    input  logic                     clk,
    input  logic                     rst,
    input  logic [        SLOTS-1:0] pulse,
    input  logic [Amounts-1:0][15:0] amount,
    input  logic                     request,
    input  logic [$clog2(SLOTS)-1:0] request_slot,
    output logic                     answer,
    output logic [             31:0] answer_count
);
  counters #(
      .SLOTS(SLOTS),
      .AMOUNTS(Amounts),
      .AMOUNT_SLOT(SLOTS == 64 ? {6'd42, 6'd43, 6'd44, 6'd48, 6'd49, 6'd50} : {6'd1, 6'd2, 6'd3, 6'd4, 6'd5, 6'd6})
  ) dut (
      .clk,
      .rst,
      .pulse,
      .amount,
      .request,
      .request_slot,
      .answer,
      .answer_count
  );
endmodule
