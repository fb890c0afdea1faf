// Stores the orders that may be sent: what risk compares and the bytes that leave, one handle an order, written complete or not at all.
//
//   prepare ─ a text that no order uses ─ notional, or highest price ─ order_text ─ answer ─ commit ─ record, in one cycle
//   read ─ record RAM ─ register ─ request (to risk_check)                          └ its old text is free again
//                                                              order_text ─ text (to the order stage)
//
// A computed order has no price here: it comes with `read`, of a market order with `market_price`, and is compared with the highest one that max_notional allows. When max_notional changes,
// all computed orders are incomplete until they are prepared again.
//
// What was prepared takes effect with `commit`; without it the next one is prepared in its place. There are at least four more
// texts than handles: one is written while every order has its own. A free text may still be leaving, or be in risk: then another is taken.
//
// Latency: prepare to answer about 1,100 cycles; commit to record 2; read to request 2; not ready in the first TEXTS cycles after rst.
// Throughput: an order at a time in, a read a cycle. Parameters: W; HANDLES; COMPUTED, how many of the handles may have computed orders, those before
// the last: their number and the first a multiple of it, or 0; TEXTS, a power of two, HANDLES + 4 or more; INSTRUMENTS. Overflow: none. An order whose numbers do not fit the message is refused (`answer`) and cannot be committed.
module order_store
  import order_pkg::*;
  import order_template_pkg::*;
#(
    parameter int W = 64,
    parameter int HANDLES = 65,
    parameter int COMPUTED = 0,
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
    input time_in_force_t prepare_time_in_force,
    input logic prepare_collar,
    output logic answer_valid,  // pulse
    output text_answer_e answer,
    input logic commit,  // what was prepared last, after its answer

    input logic read,  // `request` follows the handle; without it, it stays
    input logic [HandleWidth-1:0] read_handle,
    input  logic [InstrumentWidth-1:0]   read_instrument,   // that the order must be for; steady for two cycles after `read`
    input logic read_computed,  // steady likewise
    input logic [ComputedPriceWidth-1:0] read_price,  // in the cycle after `read`; it is in `request` in the next
    input logic [LastPriceWidth-1:0] market_price,  // in the same cycle: that of a computed market order
    input logic [NotionalWidth-1:0] max_notional,
    output order_request_t request,

    input logic reading,  // a record is on its way to the check, which has not taken it yet
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
  time_in_force_t time_in_force;
  logic collar;
  logic [NotionalWidth-1:0] product, highest;
  logic multiply, multiplying, multiplied, render_ready, rendered, chosen, in_use, dividing, divided;
  text_answer_e rendered_answer;

  // ---- texts ---------------------------------------------------------------------------------------

  // The spare texts are in a ring: the text that a record gives up replaces the one it gets.
  (* ram_style = "distributed" *) logic [Text-1:0] spares[Spares];
  (* ram_style = "distributed" *) logic [Text-1:0] text_of[1<<Handle];
  logic [Spare-1:0] next_spare;
  logic [Text-1:0] spare, old_text;
  logic clearing, commits;  // commits: a cycle after `commit`, which comes from far; handle and order change at its end at the earliest

  assign clearing = state == CLEAR;
  always_ff @(posedge clk) commits <= commit && !rst;

  always_ff @(posedge clk) begin
    spare <= spares[next_spare];
    old_text <= text_of[handle];
    in_use <= reading || (waiting && waiting_text == TextWidth'(spare)) || (sending && sending_text == TextWidth'(spare));
    // One write port each.
    if (clearing || commits) begin
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

  if (COMPUTED != 0) begin : gen_highest
    highest_price highest_price (
        .clk,
        .rst,
        .start(multiply),
        .max_notional,
        .quantity(order.quantity),
        .busy(dividing),
        .done(divided),
        .price(highest)
    );
  end else begin : gen_no_highest
    assign {dividing, divided, highest} = '0;
  end

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
          computed: order.computed,
          side: order.side,
          time_in_force: time_in_force,
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
        time_in_force <= prepare_time_in_force;
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
      MULTIPLY: if (order.computed && COMPUTED != 0 ? divided : multiplied) state <= RENDER;
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
    logic [NotionalWidth-1:0] notional;  // of a computed order the highest price
    logic                     collar;
  } record_t;

  (* no_rw_check, ram_style = "block" *) logic [$bits(record_t)-1:0] records[1<<Handle];
  (* ram_style = "distributed" *) logic complete[1<<Handle];
  (* ram_style = "distributed" *) logic market[1<<Handle];  // the record's order_type once more: what leaves the block RAM is late
  record_t from_memory;
  logic [LastPriceWidth-1:0] price_now;
  (* keep, outside_memory *) record_t record;  // a flip-flop is faster than the register in the block RAM: risk has no time to spare
  logic [HandleWidth-1:0] handle_reg;
  logic [NotionalWidth-1:0] limit;
  logic there, is_market, complete_reg, stale;  // there: the handle exists; stale: its highest price is of another max_notional

  assign there = int'(handle_reg) < HANDLES;
  assign is_market = market[handle_reg[Handle-1:0]];
  assign price_now = is_market ? market_price : LastPriceWidth'(read_price);

  // Read and passed on whether there is a request or not: that comes late and from afar. A record is not written while it is on its way to
  // the check (asserted): an order is not changed while it can be requested.
  always_ff @(posedge clk) begin
    if (commits) records[handle] <= {order, COMPUTED != 0 && order.computed ? highest : product, collar};
    if (commits) market[handle] <= order.order_type == TYPE_MARKET;
    if (read) from_memory <= records[read_handle[Handle-1:0]];
    if (clearing || commits) complete[clearing?place[Handle-1:0] : handle] <= !clearing;
    if (read) handle_reg <= read_handle;  // compared a cycle later: it comes late
    record <= from_memory;
    limit  <= max_notional;
    if (COMPUTED != 0 && read_computed) begin
      record.order.price <= OrderPriceWidth'(price_now);
      record.notional <= NotionalWidth'(price_now);
      limit <= from_memory.notional;
    end
    complete_reg <= there && complete[handle_reg[Handle-1:0]] && !stale;
  end

  assign request = '{
          order: record.order,
          notional: record.notional,
          limit: limit,
          collar: record.collar,
          complete: complete_reg && record.order.instrument == read_instrument && record.order.computed == read_computed
      };

  // ---- computed orders -----------------------------------------------------------------------------

  function automatic logic may_be_computed(input logic [HandleWidth-1:0] of);
    return int'(of) >= HANDLES - 1 - COMPUTED && int'(of) < HANDLES - 1;
  endfunction

  if (COMPUTED != 0) begin : gen_computed
    localparam int Place = $clog2(COMPUTED);
    if (COMPUTED != 1 << Place || (HANDLES - 1) % COMPUTED != 0 || COMPUTED >= HANDLES) begin : gen_check
      $fatal(1, "order_store: COMPUTED is %0d; it must be a power of two that divides HANDLES - 1, %0d", COMPUTED, HANDLES - 1);
    end
    logic [COMPUTED-1:0] current;  // the highest price is that of max_notional as it is
    logic [NotionalWidth-1:0] max_notional_before;
    logic changed, prepared_before;  // it changed; and since the division began
    always_ff @(posedge clk) begin
      max_notional_before <= max_notional;
      changed <= max_notional != max_notional_before;
      prepared_before <= !multiply && (prepared_before || changed);
      if (commits && may_be_computed(HandleWidth'(handle))) current[handle[Place-1:0]] <= order.computed && !prepared_before;
      if (changed || rst) current <= '0;
    end
    assign stale = read_computed && !(may_be_computed(handle_reg) && current[handle_reg[Place-1:0]]);
  end else begin : gen_none
    assign stale = read_computed;
    logic unused;
    assign unused = &{1'b0, dividing, divided, highest};
  end

  assert property (@(posedge clk) disable iff (rst) !commit || (prepared && state == IDLE && !prepare_valid));
  // A computed order's record is read a cycle earlier.
  assert property (@(posedge clk) disable iff (rst) !((commits || $past(
      commits
  ) || (read_computed && $past(
      commits, 2
  ))) && reading && handle_reg == HandleWidth'(handle)));
  assert property (@(posedge clk) disable iff (rst) !(reading && read_computed && complete_reg) ||
      is_market == (from_memory.order.order_type == TYPE_MARKET));
  assert property (@(posedge clk) disable iff (rst) !prepare_valid || int'(prepare_handle) < HANDLES);
  assert property (@(posedge clk) disable iff (rst) !(multiply && (multiplying || dividing)));
  // No text is written while an order that uses it can still leave.
  assert property (@(posedge clk) disable iff (rst) !(state inside {RENDER, RENDERED} && waiting && waiting_text == order.text));
  assert property (@(posedge clk) disable iff (rst) !(state inside {RENDER, RENDERED} && sending && sending_text == order.text));
endmodule
