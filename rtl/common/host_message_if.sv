// The host's own messages on the session, a byte a beat, and what becomes of each: see host_message.
interface host_message_if;
  import order_template_pkg::message_answer_t;

  logic            valid;
  logic            ready;
  logic [7:0]      data;
  logic            last;
  logic            numbered;
  logic [10:0]     number_at;
  message_answer_t answer;

  modport src(output valid, data, last, numbered, number_at, input ready, answer);
  modport snk(input valid, data, last, numbered, number_at, output ready, answer);
endinterface
