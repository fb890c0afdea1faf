// Stores the orders that may be sent: what risk compares and the bytes that leave, one handle an order, written complete or not at all.
//
//   prepare ─ a text that no order uses ─ notional ─ order_text ─ answer ─ commit ─ record, in one cycle
//   read ─ record RAM ─ register ─ request (to risk_check)                          └ its old text is free again
//                                                              order_text ─ text (to the order stage)
//
// What was prepared takes effect with `commit`; without it the next one is prepared in its place. There are at least four more
// texts than handles: one is written while every order has its own. A free text may still be leaving, or be in risk: then another is taken.
//
// Latency: prepare to answer about 1,100 cycles; commit to record 1; read to request 2, where it stays while `shown`; not ready in the first TEXTS cycles after rst.
// Throughput: an order at a time in, a read a cycle. Parameters: W; HANDLES; TEXTS, a power of two, HANDLES + 4 or more;
// INSTRUMENTS. Overflow: none. An order whose numbers do not fit the message is refused (`answer`) and cannot be committed.
module order_store
  import order_pkg::*;
  import order_template_pkg::*;
#(
    parameter int W = 64,
    parameter int HANDLES = 65,
    parameter int TEXTS = 128,
    parameter int INSTRUMENTS = 16
) (
    input logic clk,
    input logic rst,

    input text_layout_t                       layout,               // of the texts: see order_text
    input logic                               decimals_write,
    input logic         [InstrumentWidth-1:0] decimals_instrument,
    input logic         [                3:0] decimals,

    input logic prepare_valid,
    output logic prepare_ready,
    input logic [HandleWidth-1:0] prepare_handle,
    input order_t prepare_order,  // its text is ignored
    input number_t prepare_original,  // of the order to cancel or to replace
    input logic prepare_collar,
    output logic answer_valid,  // pulse
    output text_answer_e answer,
    input logic commit,  // what was prepared last, after its answer

    input logic read,  // the record follows the handle; the last one counts
    input logic [HandleWidth-1:0] read_handle,
    input  logic [InstrumentWidth-1:0]   read_instrument,   // that the order must be for; steady for two cycles after `read`
    output order_request_t request,

    input logic reading,  // a record is on its way to the check, which has not taken it yet
    input logic shown,    // and is in `request`: it stays there
    input logic waiting,  // an order waits in the check for the order stage
    input logic [TextWidth-1:0] waiting_text,
    input logic sending,  // the order stage has one
    input logic [TextWidth-1:0] sending_text,

    order_text_if.store text
);
  localparam int Handle = $clog2(HANDLES);
  localparam int Text = $clog2(TEXTS);
  localparam int Spares = 4;  // at most three texts are in use on the way: read, in risk, in the order stage
  localparam int Spare = $clog2(Spares);

  if (TEXTS != 1 << Text || Text > TextWidth || TEXTS < HANDLES + Spares || Handle > HandleWidth) begin : gen_sizes
    $fatal(1, "order_store: TEXTS is %0d; it must be a power of two up to %0d, and at least HANDLES + %0d", TEXTS, 1 << TextWidth, Spares);
  end

  typedef enum logic [2:0] {
    CLEAR,     // after rst: no record is complete, each has its text
    IDLE,
    CHOOSE,    // a spare text
    MULTIPLY,
    RENDER,
    RENDERED
  } state_e;

  state_e state;
  logic [Text-1:0] place;  // counts in CLEAR
  logic [Handle-1:0] handle;
  order_t order;
  number_t original;
  logic collar;
  logic [NotionalWidth-1:0] product;
  logic multiply, multiplying, multiplied, render_ready, rendered, chosen, in_use;
  text_answer_e rendered_answer;

  // ---- texts ---------------------------------------------------------------------------------------

  // The spare texts are in a ring: the text that a record gives up replaces the one it gets.
  (* ram_style = "distributed" *) logic [Text-1:0] spares[Spares];
  (* ram_style = "distributed" *) logic [Text-1:0] text_of[1<<Handle];
  logic [Spare-1:0] next_spare;
  logic [Text-1:0] spare, old_text;
  logic clearing;

  assign clearing = state == CLEAR;

  always_ff @(posedge clk) begin
    spare <= spares[next_spare];
    old_text <= text_of[handle];
    in_use <= reading || (waiting && waiting_text == TextWidth'(spare)) || (sending && sending_text == TextWidth'(spare));
    // One write port each.
    if (clearing || commit) begin
      spares[clearing ? place[Spare-1:0] : next_spare] <= clearing ? Text'(HANDLES) + Text'(place[Spare-1:0]) : old_text;
      text_of[clearing ? place[Handle-1:0] : handle] <= clearing ? Text'(place[Handle-1:0]) : order.text[Text-1:0];
    end
  end

  notional notional (
      .clk,
      .rst,
      .start(multiply),
      .price(order.price),
      .quantity(order.quantity),
      .busy(multiplying),
      .done(multiplied),
      .product
  );

  order_text #(
      .W(W),
      .TEXTS(TEXTS),
      .INSTRUMENTS(INSTRUMENTS)
  ) order_text (
      .clk,
      .rst,
      .layout,
      .decimals_write,
      .decimals_instrument,
      .decimals,
      .write_valid(state == RENDER),
      .write_ready(render_ready),
      .write_text(order.text[Text-1:0]),
      .write_fields(
      '{
          kind: order.kind,
          order_type: order.order_type,
          side: order.side,
          instrument: order.instrument,
          price: order.price,
          quantity: order.quantity,
          original: original
      }
      ),
      .answer_valid(rendered),
      .answer(rendered_answer),
      .text
  );

  // ---- an order is prepared ------------------------------------------------------------------------

  logic [1:0] looked;  // `spare` and `in_use` are about next_spare
  logic prepared;  // and not committed yet

  assign prepare_ready = state == IDLE;
  assign chosen = looked == '1 && !in_use;

  always_ff @(posedge clk) begin
    answer_valid <= 1'b0;
    multiply <= 1'b0;
    looked <= state == CHOOSE ? {looked[0], 1'b1} : '0;
    unique case (state)
      CLEAR: begin
        place <= place + 1'b1;
        if (place == '1) state <= IDLE;
      end
      IDLE:
      if (prepare_valid) begin
        handle <= prepare_handle[Handle-1:0];
        order <= prepare_order;
        original <= prepare_original;
        collar <= prepare_collar;
        prepared <= 1'b0;
        state <= CHOOSE;
      end
      CHOOSE:
      if (looked == '1) begin
        if (chosen) begin
          order.text <= TextWidth'(spare);
          multiply <= 1'b1;
          state <= MULTIPLY;
        end else begin
          next_spare <= next_spare + 1'b1;
          looked <= '0;
        end
      end
      MULTIPLY: if (multiplied) state <= RENDER;
      RENDER:   if (render_ready) state <= RENDERED;
      default:
      if (rendered) begin
        answer <= rendered_answer;
        answer_valid <= 1'b1;
        prepared <= rendered_answer == TEXT_WHOLE;
        state <= IDLE;
      end
    endcase
    if (commit) prepared <= 1'b0;
    if (rst) begin
      state <= CLEAR;
      place <= '0;
      next_spare <= '0;
      {answer_valid, multiply, prepared} <= '0;
    end
  end

  // ---- records -------------------------------------------------------------------------------------

  typedef struct packed {
    order_t                   order;
    logic [NotionalWidth-1:0] notional;
    logic                     collar;
  } record_t;

  (* no_rw_check, ram_style = "block" *) logic [$bits(record_t)-1:0] records[1<<Handle];
  (* ram_style = "distributed" *) logic complete[1<<Handle];
  record_t from_memory;
  (* keep, outside_memory *) record_t record;  // a flip-flop is faster than the register in the block RAM: risk has no time to spare
  logic [HandleWidth-1:0] handle_reg;
  logic there, complete_reg;  // there: the handle exists

  assign there = int'(handle_reg) < HANDLES;

  // Read and passed on whether there is a request or not: that comes late and from afar. What is read while it is written is not requested
  // (asserted): an order is not changed while it can be.
  always_ff @(posedge clk) begin
    if (commit) records[handle] <= {order, product, collar};
    if (read) from_memory <= records[read_handle[Handle-1:0]];
    if (clearing || commit) complete[clearing?place[Handle-1:0] : handle] <= !clearing;
    if (read) handle_reg <= read_handle;  // compared a cycle later: it comes late
    if (!shown) begin
      record <= from_memory;
      complete_reg <= there && complete[handle_reg[Handle-1:0]];
    end
  end

  assign request = '{
          order: record.order,
          notional: record.notional,
          collar: record.collar,
          complete: complete_reg && record.order.instrument == read_instrument
      };

  assert property (@(posedge clk) disable iff (rst) !commit || (prepared && state == IDLE && !prepare_valid));
  assert property (@(posedge clk) disable iff (rst) !($past(commit) && reading && !shown && handle_reg == HandleWidth'($past(handle))));
  assert property (@(posedge clk) disable iff (rst) !prepare_valid || int'(prepare_handle) < HANDLES);
  assert property (@(posedge clk) disable iff (rst) !(multiply && multiplying));
  // No text is written while an order that uses it can still leave.
  assert property (@(posedge clk) disable iff (rst) !(state inside {RENDER, RENDERED} && waiting && waiting_text == order.text));
  assert property (@(posedge clk) disable iff (rst) !(state inside {RENDER, RENDERED} && sending && sending_text == order.text));
endmodule
