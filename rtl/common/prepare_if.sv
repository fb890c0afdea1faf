// Writes an order into risk's store: it is rendered, answered, and with `commit` replaces the one before it under its handle (see order_store).
interface prepare_if;
  import order_pkg::*;
  import order_template_pkg::*;

  logic                           busy;          // from `valid` until nothing of this order will be committed any more
  logic                           valid;
  logic                           ready;
  logic         [HandleWidth-1:0] handle;
  order_t                         order;
  number_t                        original;      // of the order to cancel or to replace
  time_in_force_t                 time_in_force; // not of a cancel
  logic                           collar;        // its price must be within the collar
  logic                           answer_valid;  // pulse
  text_answer_e                   answer;
  logic                           commit;

  modport src(output busy, valid, handle, order, original, time_in_force, collar, commit, input ready, answer_valid, answer);
  modport snk(input busy, valid, handle, order, original, time_in_force, collar, commit, output ready, answer_valid, answer);
endinterface
