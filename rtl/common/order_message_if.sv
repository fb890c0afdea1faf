// An order's message on its way to TCP. `valid` with `ready` begins it; then TCP asks for its payload beat by beat (see tcp_engine).
interface order_message_if #(
    parameter int W = 64
);
  logic         valid;
  logic         ready;
  logic [ 15:0] sum;            // ones' complement, of the payload's 16-bit words
  logic         payload_ready;
  logic [W-1:0] payload;

  modport src(output valid, sum, payload, input ready, payload_ready);
  modport snk(input valid, sum, payload, output ready, payload_ready);
endinterface
