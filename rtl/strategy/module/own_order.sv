// Follows the one order that a strategy keeps in the market, so that its next intent changes it instead of sending another.
//
//   fires ─ asked ─ sent ─ accepted ─ replacement and cancel prepared ─ working ─┬─ fires ─ asked ─ sent ─┬─ replaced ─ replacement and cancel prepared ...
//             └ refused: none          └ closed: none            └ closed: none  │                        └─ refused: working
//                                                                                └─ cancels ─ asked ─ sent ─┬─ closed: none
//                                                                                                           └─ refused: working
//
// Only with `single`; without it, it says that every intent is a new order, at any time. What the exchange says comes from risk (working_orders), which has
// checked that it is about an order of ours.
//
// Latency: 1 cycle. Throughput: an order at a time. No parameters. Overflow: none. If the exchange never answers a request, nothing more is asked for until the
// parameters are set again.
module own_order
  import order_template_pkg::*;
  import risk_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic clear,   // new parameters: the order, if there is one, is no longer followed
    input logic single,

    input logic            fires,        // the strategy has an intent of an order
    input logic            cancels,      // or of the cancel of its order, while `in_market`
    input logic            not_sent,     // pulse: risk refused its order or its cancel, or the order stage dropped it
    input logic            cancel_sent,  // pulse: its cancel left
    input working_change_t working,

    output logic blocked,    // no intent now
    output logic in_market,  // there is an order, and nothing is due about it
    output logic replaces,   // the next intent is a replacement
    output logic cancelling,  // it is a cancel
    output logic moved,     // pulse: the next intent is another order than the last
    output logic settled,   // risk and the order stage have no order of it

    output logic    replace_valid,  // its replacement and its cancel are to be prepared, until `replace_done`
    output number_t replace_original,
    input  logic    replace_done
);
  typedef enum logic [3:0] {
    NONE,
    ASKED,         // risk is given a new order
    SENT,          // the exchange has not answered yet
    PREPARE,       // it has; the replacement and the cancel are being prepared
    WORKING,
    CHANGE_ASKED,  // risk is given the replacement
    CHANGE_SENT,
    CANCEL_ASKED,  // risk is given the cancel
    CANCEL_SENT
  } state_e;

  state_e state;
  logic gone;  // it was closed while a replacement or a cancel was on its way
  logic [WorkingPlaceBits-1:0] place, request;
  logic of_order, of_request, left, closes;

  assign left = working.valid && working.strategy && working.what == WORKING_SENT;
  assign of_order = working.valid && working.strategy && working.place == place;
  assign of_request = working.valid && working.strategy && working.place == request;
  assign closes = of_order && working.what == WORKING_CLOSED;
  assign replace_valid = state == PREPARE;
  assign in_market = state == WORKING;

  always_ff @(posedge clk) begin
    moved   <= 1'b0;
    settled <= !(state inside {ASKED, CHANGE_ASKED, CANCEL_ASKED}) && !fires && !cancels;
    unique case (state)
      NONE: begin
        gone <= 1'b0;
      end
      ASKED:
      if (not_sent) begin
        {blocked, moved, state} <= {2'b01, NONE};
      end else if (left) begin
        {place, replace_original} <= {working.place, working.number};
        state <= SENT;
      end
      SENT:
      if (closes) {blocked, moved, state} <= {2'b01, NONE};
      else if (of_order && working.what == WORKING_OPEN) state <= PREPARE;
      PREPARE: begin
        if (closes) gone <= 1'b1;
        if (replace_done) begin
          {blocked, moved} <= 2'b01;
          replaces <= !gone && !closes;
          state <= gone || closes ? NONE : WORKING;
        end
      end
      WORKING: begin
        if (closes) {gone, moved, replaces, state} <= {3'b110, NONE};
      end
      CHANGE_ASKED: begin
        if (closes) gone <= 1'b1;
        if (not_sent) begin
          {blocked, moved} <= 2'b01;
          replaces <= !gone && !closes;
          state <= gone || closes ? NONE : WORKING;
        end else if (left) begin
          {request, replace_original} <= {working.place, working.number};
          state <= CHANGE_SENT;
        end
      end
      CHANGE_SENT: begin
        if (closes) gone <= 1'b1;
        if (of_request && working.what == WORKING_REPLACED) begin
          place <= request;
          {gone, state} <= {1'b0, PREPARE};
        end else if (of_request && working.what inside {WORKING_CLOSED, WORKING_CHANGE_REFUSED}) begin
          {blocked, moved} <= 2'b01;
          replaces <= !gone && working.what != WORKING_CLOSED;
          state <= gone || working.what == WORKING_CLOSED ? NONE : WORKING;
        end
      end
      CANCEL_ASKED: begin
        if (closes) gone <= 1'b1;
        if (not_sent || (cancel_sent && (gone || closes))) begin
          {blocked, cancelling, moved} <= 3'b001;
          replaces <= !gone && !closes;
          state <= gone || closes ? NONE : WORKING;
        end else if (cancel_sent) state <= CANCEL_SENT;
      end
      default: begin  // CANCEL_SENT
        if (closes || (of_order && working.what == WORKING_CHANGE_REFUSED)) begin
          {blocked, cancelling, moved} <= 3'b001;
          replaces <= !closes;
          state <= closes ? NONE : WORKING;
        end
      end
    endcase
    // What is asked for comes late, so it is looked at last. It comes in NONE or WORKING alone.
    if (fires && single) begin
      {blocked, moved} <= 2'b10;
      replaces <= replaces;
      state <= in_market ? CHANGE_ASKED : ASKED;
    end
    if (cancels) {blocked, replaces, cancelling, moved, state} <= {4'b1010, CANCEL_ASKED};
    if (rst || clear) {state, blocked, replaces, cancelling, gone, moved} <= {NONE, 5'd0};
    if (rst) settled <= 1'b1;
  end

  logic unused;
  assign unused = &{1'b0, working.rejected, working.traded, working.price, working.reason};

  assert property (@(posedge clk) disable iff (rst) !(fires && blocked));
  assert property (@(posedge clk) disable iff (rst) !(fires && single) || state inside {NONE, WORKING});
  assert property (@(posedge clk) disable iff (rst) !(clear && state inside {ASKED, CHANGE_ASKED, CANCEL_ASKED}));
  assert property (@(posedge clk) disable iff (rst) !cancels || (in_market && !fires));
endmodule
