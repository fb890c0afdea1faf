// Hands what the host writes to the stages, one operation at a time, and collects their answers.
//
//   operation, operand ─ config_port ─┬─ order_entry
//                                     ├─ instrument
//                                     ├─ statistics
//                                     ├─ decoder
//                                     ├─ risk
//                                     ├─ order
//                                     ├─ book
//                                     └─ processor
//
// Latency: `start` to the stages 1 cycle; the last stage's answer to `busy` low 1 cycle. Throughput: one at a time. No parameters.
// Overflow: an operation that is started while another is busy is refused. One that no stage knows is ignored.
module config_port
  import config_pkg::*;
(
    input logic clk,
    input logic rst,

    input  logic                     start,
    input  config_operation_e        code,
    input  logic              [15:0] index,
    input  logic         [6:0][31:0] operand,  // steady while busy
    output logic                     busy,
    output config_answer_t           answer,   // of the last one
    output logic                     refused,  // pulse

    config_if.src entry,
    config_if.src instrument,
    config_if.src statistics,
    config_if.src decoder,
    config_if.src risk,
    config_if.src order,
    config_if.src book,
    config_if.src processor
);
  typedef enum logic [1:0] {
    IDLE,
    GIVEN,
    WAIT
  } state_e;

  state_e state;
  logic valid, stages_busy;
  config_operation_e operation;
  logic [15:0] index_reg;

  assign busy = state != IDLE;
  assign stages_busy = entry.busy || instrument.busy || statistics.busy || decoder.busy || risk.busy || order.busy || book.busy ||
      processor.busy;

  assign {entry.valid, instrument.valid, statistics.valid, decoder.valid} = {4{valid}};
  assign {risk.valid, order.valid, book.valid, processor.valid} = {4{valid}};
  assign {entry.operation, entry.index, entry.operand} = {operation, index_reg, operand};
  assign {instrument.operation, instrument.index, instrument.operand} = {operation, index_reg, operand};
  assign {statistics.operation, statistics.index, statistics.operand} = {operation, index_reg, operand};
  assign {decoder.operation, decoder.index, decoder.operand} = {operation, index_reg, operand};
  assign {risk.operation, risk.index, risk.operand} = {operation, index_reg, operand};
  assign {order.operation, order.index, order.operand} = {operation, index_reg, operand};
  assign {book.operation, book.index, book.operand} = {operation, index_reg, operand};
  assign {processor.operation, processor.index, processor.operand} = {operation, index_reg, operand};

  always_ff @(posedge clk) begin
    valid   <= 1'b0;
    refused <= start && busy;
    unique case (state)
      IDLE:
      if (start) begin
        operation <= code;
        index_reg <= index;
        valid <= 1'b1;
        state <= GIVEN;
      end
      GIVEN: state <= WAIT;
      default:
      if (!stages_busy) begin
        answer <= entry.answer | instrument.answer | statistics.answer | decoder.answer | risk.answer | order.answer |
            book.answer | processor.answer;
        state <= IDLE;
      end
    endcase
    if (rst) begin
      state <= IDLE;
      {valid, refused, answer} <= '0;
    end
  end
endmodule
