// The host's write port: an operation on an entry of a stage's memory. Every stage gets every operation, and does those it knows.
//
// `valid` is a pulse. The rest is steady from then on until the host begins the next operation, which it does when no stage is `busy`. A stage
// that works on it is `busy` from the next cycle on; when it no longer is, `answer` is there, steady until the next `valid`.
interface config_if;
  import config_pkg::*;

  logic                     valid;
  config_operation_e        operation;
  /* verilator lint_off UNUSEDSIGNAL */  // no stage needs all of it
  logic              [15:0] index;
  logic         [6:0][31:0] operand;
  /* verilator lint_on UNUSEDSIGNAL */
  logic                     busy;
  config_answer_t           answer;

  modport src(output valid, operation, index, operand, input busy, answer);
  modport snk(input valid, operation, index, operand, output busy, answer);
endinterface
