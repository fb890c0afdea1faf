// counters with the slots that add amounts as host_status has them.
module counters_tb
  import counters_pkg::*;
#(
    localparam int Amounts = 6
) (
    input  logic                     clk,
    input  logic                     rst,
    input  logic [  Slots-1:0]       pulse,
    input  logic [Amounts-1:0][15:0] amount,
    input  logic                     request,
    input  logic [        5:0]       request_slot,
    output logic                     answer,
    output logic [       31:0]       answer_count
);
  counters #(
      .AMOUNTS(Amounts),
      .AMOUNT_SLOT({
        COUNT_ITCH_MESSAGES, COUNT_ITCH_UNKNOWN_TYPE, COUNT_ITCH_BAD_LENGTH, COUNT_FILTER_HIT, COUNT_FILTER_MISS, COUNT_TIME_BACKWARDS
      })
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
