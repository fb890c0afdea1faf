// Sets, changes or cancels a stop (see stop_table).
interface stop_write_if;
  import stop_pkg::*;

  logic                  valid;
  logic                  ready;
  stop_operation_e       operation;
  logic            [7:0] slot;
  stop_watch_t           watch;
  logic                  answer_valid;  // pulse, in the cycle after that in which it takes effect
  stop_answer_t          answer;

  modport src(output valid, operation, slot, watch, input ready, answer_valid, answer);
  modport snk(input valid, operation, slot, watch, output ready, answer_valid, answer);
endinterface
