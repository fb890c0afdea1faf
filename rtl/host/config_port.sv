// Hands what the host writes to the stages, one operation at a time, and collects their answers.
//
//   operation, operand ─ config_port ─ csr ─ stages
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

    csr_if.operator csr
);
  typedef enum logic [1:0] {
    IDLE,
    GIVEN,
    WAIT
  } state_e;

  state_e state;
  assign busy = state != IDLE;
  assign csr.operand = operand;

  always_ff @(posedge clk) begin
    csr.valid <= 1'b0;
    refused <= start && busy;
    unique case (state)
      IDLE:
      if (start) begin
        csr.operation <= code;
        csr.index <= index;
        csr.valid <= 1'b1;
        state <= GIVEN;
      end
      GIVEN: state <= WAIT;
      default:
      if (!csr.busy) begin
        answer <= csr.result;
        state <= IDLE;
      end
    endcase
    if (rst) begin
      state <= IDLE;
      {csr.valid, refused, answer} <= '0;
    end
  end
endmodule
