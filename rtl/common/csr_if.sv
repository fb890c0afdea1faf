// What the host has with a stage: its registers, and the operations on entries of its memories.
//
// Registers, one access at a time: `write` or `read` is a pulse; `address` (of a 32-bit word) and `data` are steady from it until the access is answered. A stage
// shows in `answer`, from two cycles after `read` on, what it has at that address, and 0 where it has nothing: the host takes all stages' answers, ORed. So a register
// may be of several stages, each with some of its fields, and an address that nobody has reads 0. A stage that needs longer has `waits` from the next cycle on
// until its answer is there. A write takes effect two cycles after `write`.
//
// Operations: `valid` is a pulse; the rest is steady from then on until the host begins the next, which it does when no stage is `busy`. A stage that works on one is
// `busy` from the next cycle on; when it no longer is, `result` is there, steady until the next `valid`, and 0 if the operation was for another stage.
// The modports `bus` and `operator` are the halves of `host`.
interface csr_if;
  import config_pkg::*;

  logic                    write;
  logic                    read;
  /* verilator lint_off UNUSEDSIGNAL */  // no stage needs all of it
  logic             [ 8:0] address;
  logic             [31:0] data;
  /* verilator lint_on UNUSEDSIGNAL */
  logic                    waits;
  logic             [31:0] answer;

  logic                    valid;
  config_operation_e       operation;
  /* verilator lint_off UNUSEDSIGNAL */  // no stage needs all of it
  logic             [15:0] index;
  logic        [6:0][31:0] operand;
  /* verilator lint_on UNUSEDSIGNAL */
  logic                    busy;
  config_answer_t          result;

  modport bus(output write, read, address, data, input waits, answer);
  modport operator(output valid, operation, index, operand, input busy, result);
  modport host(output write, read, address, data, valid, operation, index, operand, input waits, answer, busy, result);
  modport stage(input write, read, address, data, valid, operation, index, operand, output waits, answer, busy, result);
endinterface
