// Which template a message has, where its identifier is not in the stream: that of the message before. A bad packet takes it back.
//
//   identifier of the stream ─┬─ last ─ identifier, row of the jump table
//                             └─ last of the last good packet ─ back, if a packet is bad
//
// Latency: 1 cycle. Throughput: a message a cycle. No parameters. Nothing overflows.
module fast_template
  import fast_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic restart,  // pulse: none is known
    input logic reset_each_packet,

    input logic taken,  // an identifier comes from the stream,
    input logic [31:0] taken_id,
    input logic [RowBits-1:0] taken_row,  // the row that is being read: that of the cycle before is the identifier's
    input logic resets,  // the template resets the dictionaries, and with them this
    input logic copies,  // a message has the one before
    input logic finished,  // pulse: the packet is over
    input logic finished_good,

    output logic first_message,  // of the packet
    output logic knows,  // there is one before
    output logic [31:0] id,
    output logic [RowBits-1:0] row
);
  logic has, good_has;
  logic [31:0] good_id;
  logic [RowBits-1:0] row_before, good_row;

  assign knows = has && !(reset_each_packet && first_message);

  always_ff @(posedge clk) begin
    row_before <= taken_row;
    if (taken || copies) first_message <= 1'b0;
    if (taken) begin
      row <= row_before;
      id  <= taken_id;
      has <= !resets;
    end
    if (copies) has <= knows;
    if (finished) begin
      first_message <= 1'b1;
      if (finished_good) {good_has, good_id, good_row} <= {has, id, row};
      else {has, id, row} <= {good_has, good_id, good_row};
    end
    if (rst || restart) begin
      {has, good_has} <= '0;
      first_message <= 1'b1;
    end
  end

  assert property (@(posedge clk) disable iff (rst) !(taken && copies));
endmodule
