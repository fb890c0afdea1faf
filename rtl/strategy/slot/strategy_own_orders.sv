// Follows the orders of a strategy in the language: what it calls them, what the exchange calls them, what is left of each, and its positions.
//
//   intent ─┬─ new ────────────────────────────┬─ asked of strategy_orders ─ sent: an entry; not sent: a report
//           └─ cancel, replacement ─ its entry ┘
//   working ─ queue ─ its entry ─ position ─ reports ─ queue ─ on_order
//
// The rule is docs/reference/strategy-language.md; twin: crates/pipeline, own_orders. One thing at a time: an intent until it has left or was refused, an answer
// of the exchange with what it means. While any of it is due, or a handler runs, the feed's events wait (`pass`), so that each handler sees what
// became of the intents before it. A request about an order whose last request has no answer waits in the order's entry.
// Without `follows` none of it happens: intents pass, and nothing is kept.
//
// Latency: a new order's intent none; a cancel or replacement 3 cycles and 2 for each entry before its own; an answer to its report 6, and as many. Throughput: one
// at a time. Parameters: ORDERS that may be open, a power of two; INSTRUMENTS; ANSWERS that may wait, REPORTS likewise. Overflow: an order that finds no place
// is refused, with a report, and `refused` pulses; an answer or a report that finds none is lost, and `overflow` pulses, a gap to risk.
module strategy_own_orders
  import tickwire_pkg::*;
  import order_pkg::*;
  import order_template_pkg::*;
  import risk_pkg::*;
  import processor_pkg::*;
  import slot_pkg::*;
#(
    parameter int ORDERS = 32,
    parameter int INSTRUMENTS = 16,
    parameter int ANSWERS = 32,
    parameter int REPORTS = 16
) (
    input logic clk,
    input logic rst,
    input logic restart,          // pulse: a strategy was loaded
    input logic follows,          // it is one that needs this
    input logic reads_positions,
    input place_t positions_at,   // where its words of positions begin

    // From the strategy, and to strategy_orders: a change with the instrument and the side of its order, and with all of its quantity.
    input  logic        in_valid,
    output logic        in_ready,
    input  processor_intent_t in,
    output logic        out_valid,
    input  logic        out_ready,
    output processor_intent_t out,
    output number_t     original,

    // What became of it: pulses.
    input logic            impossible,        // it could not be an order
    input logic            not_sent,          // risk refused it, or the order stage dropped it
    input logic [15:0]     not_sent_reason,
    input logic            cancel_sent,
    input number_t         cancel_number,
    input working_change_t working,

    // Handlers.
    input  logic        begins,        // one
    input  logic        over,          // none runs, from the cycle after that on
    output logic        pass,          // the feed's events may be given
    output logic        report_valid,  // until a handler begins
    output own_report_t report,
    output logic        answer_taken,  // pulse: what the exchange said is looked at now
    output logic [15:0] open,

    // A word of a position.
    input  logic   host_holds,
    output logic   hold,
    input  logic   held,
    output logic   load,
    output place_t load_address,
    output value_t load_value,

    output logic refused,   // pulse: one of its intents, without risk
    output logic overflow
);
  localparam int Place = $clog2(ORDERS);
  localparam int Instrument = $clog2(INSTRUMENTS);
  localparam int Rest = 6;  // cycles after a handler in which an intent of it may still come

  typedef logic [Place-1:0] place_of_t;
  typedef logic [ComputedPriceWidth-1:0] price_t;
  typedef logic [OrderQuantityWidth-1:0] quantity_t;

  typedef enum logic [3:0] {
    IDLE,
    READ,
    MATCH,
    CHECK,     // the intent, against its order
    ASK,
    OUTCOME,
    APPLY,     // an answer of the exchange: the order as it is now
    FILL,
    LAST,      // the last report of it
    POSITION,
    HOLD,
    LOAD,
    WRITE
  } state_e;

  typedef enum logic [2:0] {
    BY_ORDER,
    BY_PLACE,
    BY_NUMBER,
    ANY_NONE,  // a place without an order,
    ANY_GONE   // or else of one that is only waited for
  } look_e;

  typedef enum logic [1:0] {
    NOTHING,
    CANCELLING,
    REPLACING
  } pending_e;

  typedef struct packed {
    logic [31:0]                 order;
    logic [InstrumentWidth-1:0]  instrument;
    side_e                       side;
    time_in_force_t              time_in_force;
    price_t                      price;
    quantity_t                   quantity;       // all of it
    quantity_t                   traded;
    number_t                     number;
    logic [WorkingPlaceBits-1:0] place;          // at risk
    logic                        accepted;
    pending_e                    pending;
    number_t                     request;        // what is pending,
    logic [WorkingPlaceBits-1:0] request_place;
    price_t                      new_price;      // and what it asked for
    quantity_t                   new_quantity;
    logic                        waits;          // another request, for the answer
    processor_intent_t                 waiting;
  } entry_t;

  state_e state;
  look_e look;
  place_of_t at;

  // ---- the orders --------------------------------------------------------------------------------------

  (* no_rw_check, ram_style = "distributed" *) entry_t orders[ORDERS];
  own_kept_e [ORDERS-1:0] kept;
  entry_t entry;
  own_kept_e entry_kept;

  always_ff @(posedge clk) if (state == WRITE) orders[at] <= entry;

  processor_intent_t intent;  // the one that is under way
  working_change_t answer;
  logic of_request, of_answer, hit;
  quantity_t left;
  logic filled, ends;
  logic signed [32:0] fill_price;

  assign left = entry.quantity - entry.traded;
  assign fill_price = answer.price.negative ? -33'(answer.price.magnitude) : 33'(answer.price.magnitude);

  always_comb begin
    unique case (look)
      BY_ORDER: hit = entry_kept == OWN_OPEN && entry.order == intent.order && (intent.fits || intent.kind == INTENT_REPLACE);
      BY_PLACE: hit = (entry_kept == OWN_OPEN && entry.place == answer.place) || of_request;
      BY_NUMBER: hit = entry_kept != OWN_NONE && of_answer;
      ANY_NONE: hit = entry_kept == OWN_NONE;
      default: hit = entry_kept != OWN_OPEN;
    endcase
  end
  assign of_request = entry_kept != OWN_NONE && entry.pending == REPLACING && entry.request_place == answer.place;
  assign of_answer = entry.pending != NOTHING && entry.request == answer.number;

  // ---- queues ------------------------------------------------------------------------------------------

  working_change_t next_answer;
  own_report_t told;
  logic answers_empty, answers_overflow, takes_answer, tells, reports_empty, reports_overflow, clears;
  logic answers_full, reports_full;
  logic [$clog2(ANSWERS):0] answers_count;
  logic [$clog2(REPORTS):0] reports_count;
  assign clears = rst || restart;

  fifo #(
      .WIDTH($bits(working_change_t)),
      .DEPTH(ANSWERS)
  ) answers (
      .clk,
      .rst(clears),
      .write(working.valid && working.strategy && working.what != WORKING_SENT && follows),
      .write_data(working),
      .full(answers_full),
      .overflow(answers_overflow),
      .read(takes_answer),
      .read_data(next_answer),
      .empty(answers_empty),
      .count(answers_count)
  );

  fifo #(
      .WIDTH($bits(own_report_t)),
      .DEPTH(REPORTS)
  ) reports (
      .clk,
      .rst(clears),
      .write(tells),
      .write_data(told),
      .full(reports_full),
      .overflow(reports_overflow),
      .read(report_valid && begins),
      .read_data(report),
      .empty(reports_empty),
      .count(reports_count)
  );

  // ---- handlers ----------------------------------------------------------------------------------------

  logic running, quiet;
  logic [$clog2(Rest+1)-1:0] rest;
  assign quiet = !running && rest == '0 && state == IDLE && !in_valid && !tells;
  assign report_valid = quiet && !reports_empty;
  assign takes_answer = quiet && reports_empty && !answers_empty;
  assign answer_taken = takes_answer;
  assign pass = !follows || (quiet && reports_empty && answers_empty);

  always_ff @(posedge clk) begin
    overflow <= (answers_overflow || reports_overflow) && !clears;
    if (rest != '0) rest <= rest - 1'b1;
    if (running && over) {running, rest} <= {1'b0, $bits(rest)'(Rest)};
    if (begins) running <= follows;
    if (clears) {running, rest} <= '0;
  end

  // ---- what is asked for -------------------------------------------------------------------------------

  logic room, direct;
  assign direct = in.kind == INTENT_NEW && room;
  assign in_ready = out_ready && (!follows || state == IDLE);
  assign out_valid = follows ? (state == IDLE ? in_valid && direct : state == ASK) : in_valid;
  assign original = entry.number;

  logic [OrderQuantityWidth:0] total;
  assign total = {1'b0, intent.quantity} + {1'b0, entry.traded};
  always_comb begin
    out = state == ASK ? intent : in;
    if (state == ASK) begin
      out.fits = 1'b1;
      out.instrument = entry.instrument;
      out.sell = entry.side == SIDE_SELL;
      out.time_in_force = entry.time_in_force;
      // Risk is to see, and to refuse, that nothing is to be left of it.
      out.quantity = intent.kind == INTENT_CANCEL ? entry.quantity : intent.quantity == '0 ? '0 : total[OrderQuantityWidth-1:0];
    end
  end

  // ---- positions ---------------------------------------------------------------------------------------

  (* no_rw_check, ram_style = "distributed" *) value_t positions[INSTRUMENTS];
  logic [INSTRUMENTS-1:0] has_position;
  logic [Instrument-1:0] instrument;
  value_t position, new_position;
  assign instrument = entry.instrument[Instrument-1:0];
  assign position = has_position[instrument] ? positions[instrument] : '0;
  assign load_address = positions_at + place_t'(instrument);
  assign load_value = new_position;
  assign load = state == LOAD && held;

  always_ff @(posedge clk) begin
    if (state == HOLD) positions[instrument] <= new_position;
    if (state == HOLD) has_position[instrument] <= 1'b1;
    if (clears) has_position <= '0;
  end

  // ---- one after the other -----------------------------------------------------------------------------

  function automatic own_report_t of_own(input report_kind_e kind, input logic [15:0] reason, input quantity_t remaining);
    return
    '{
        kind: kind,
        order: entry.order,
        instrument: entry.instrument,
        side: entry.side,
        price: OrderPriceWidth'(entry.price),
        quantity: left,
        remaining: remaining,
        reason: reason
    }
    ;
  endfunction

  // Of a message that stands for itself.
  function automatic own_report_t of_intent(input report_kind_e kind, input logic [15:0] reason);
    return
    '{
        kind: kind,
        order: intent.order,
        instrument: intent.instrument,
        side: intent.sell ? SIDE_SELL : SIDE_BUY,
        price: intent.price,
        quantity: intent.quantity,
        remaining: '0,
        reason: reason
    }
    ;
  endfunction

  logic failed, sent;
  logic [15:0] reason;  // why it failed
  assign failed = impossible || not_sent;
  assign reason = not_sent ? not_sent_reason : intent.fits ? ReasonText : ReasonQuantity;
  assign sent = intent.kind == INTENT_CANCEL ? cancel_sent : working.valid && working.strategy && working.what == WORKING_SENT;
  assign room = open != 16'(ORDERS);

  always_ff @(posedge clk) begin
    {tells, refused} <= '0;
    unique case (state)
      IDLE: begin
        at <= '0;
        filled <= 1'b0;
        if (in_valid && in_ready && follows) begin
          intent <= in;
          look   <= BY_ORDER;
          state  <= in.kind != INTENT_NEW ? READ : room ? OUTCOME : CHECK;
        end else if (takes_answer) begin
          answer <= next_answer;
          look   <= next_answer.what == WORKING_UNKNOWN ? BY_NUMBER : BY_PLACE;
          state  <= READ;
        end
      end
      READ: begin
        entry <= orders[at];
        entry_kept <= kept[at];
        state <= MATCH;
      end
      MATCH: begin
        at <= at + 1'b1;
        state <= READ;
        if (hit) begin
          at <= at;
          unique case (look)
            BY_ORDER: state <= CHECK;
            BY_PLACE, BY_NUMBER: state <= APPLY;
            default: begin
              entry <= '{
                  order: intent.order,
                  instrument: intent.instrument,
                  side: intent.sell ? SIDE_SELL : SIDE_BUY,
                  time_in_force: intent.time_in_force,
                  price: intent.price[ComputedPriceWidth-1:0],
                  quantity: intent.quantity,
                  number: answer.number,
                  place: answer.place,
                  pending: NOTHING,
                  waiting: '0,
                  default: '0
              };
              entry_kept <= OWN_OPEN;
              open <= open + 1'b1;
              state <= WRITE;
            end
          endcase
        end else if (at == '1) begin
          state <= look == ANY_NONE ? READ : IDLE;
          look  <= ANY_GONE;
          if (look == BY_ORDER) begin
            tells <= 1'b1;
            told  <= '{kind: REPORT_REJECTED, order: intent.order, side: SIDE_BUY, reason: ReasonUnknownOrder, default: '0};
          end
        end
      end
      CHECK: begin
        if (intent.kind == INTENT_NEW) begin
          {tells, refused} <= '1;
          told  <= of_intent(REPORT_REFUSED, ReasonOpenOrders);
          state <= IDLE;
        end else if (entry.pending != NOTHING) begin
          {entry.waits, entry.waiting} <= {1'b1, intent};
          state <= WRITE;
        end else if (intent.kind == INTENT_REPLACE && (!intent.fits || total[OrderQuantityWidth])) begin
          {tells, refused} <= '1;
          told  <= of_own(REPORT_REFUSED, ReasonQuantity, left);
          state <= WRITE;
        end else state <= ASK;
      end
      ASK: if (out_ready) state <= OUTCOME;
      OUTCOME:
      if (failed) begin
        tells <= 1'b1;
        told  <= intent.kind == INTENT_NEW ? of_intent(REPORT_REFUSED, reason) : of_own(REPORT_REFUSED, reason, left);
        // What waited in an entry does so no longer.
        state <= intent.kind == INTENT_NEW ? IDLE : WRITE;
      end else if (sent) begin
        answer <= working;
        look   <= ANY_NONE;
        state  <= intent.kind == INTENT_NEW ? READ : WRITE;
        if (intent.kind != INTENT_NEW) begin
          entry.pending <= intent.kind == INTENT_CANCEL ? CANCELLING : REPLACING;
          entry.request <= intent.kind == INTENT_CANCEL ? cancel_number : working.number;
          entry.request_place <= working.place;
          entry.new_price <= intent.kind == INTENT_CANCEL ? '0 : intent.price[ComputedPriceWidth-1:0];
          entry.new_quantity <= intent.kind == INTENT_CANCEL ? entry.quantity : total[OrderQuantityWidth-1:0];
        end
      end
      APPLY: begin
        ends  <= answer.what == WORKING_CLOSED;
        state <= FILL;
        if (entry_kept == OWN_GONE && answer.what inside {WORKING_OPEN, WORKING_REPLACED, WORKING_CLOSED}) begin
          // The request was not refused after all: the strategy has had the end of its order.
          entry_kept <= OWN_NONE;
          state <= WRITE;
        end else unique case (answer.what)
          WORKING_OPEN: begin
            entry.accepted <= 1'b1;
            tells <= !entry.accepted;
            told  <= of_own(REPORT_ACCEPTED, '0, left);
          end
          WORKING_REPLACED, WORKING_CLOSED:
          if (of_request) begin
            entry.pending <= NOTHING;
            {entry.place, entry.number} <= {entry.request_place, entry.request};
            {entry.price, entry.quantity} <= {entry.new_price, entry.new_quantity};
          end
          default: begin
            state <= WRITE;
            if (of_answer) begin
              tells <= 1'b1;
              told  <= of_own(REPORT_REJECTED, answer.reason, left);
              if (entry_kept == OWN_GONE) begin
                told.price <= OrderPriceWidth'(entry.new_price);
                told.quantity <= entry.new_quantity;
                told.remaining <= '0;
                entry_kept <= OWN_NONE;
              end
              entry.pending <= NOTHING;
            end
          end
        endcase
      end
      FILL: begin
        state <= LAST;
        if (answer.traded != '0) begin
          filled <= 1'b1;
          entry.traded <= entry.traded + answer.traded;
          tells <= 1'b1;
          told  <= of_own(REPORT_FILLED, '0, left - answer.traded);
          told.quantity <= answer.traded;
          if (answer.price.known) told.price <= OrderPriceWidth'(fill_price);
        end
      end
      LAST: begin
        state <= filled ? POSITION : WRITE;
        if (ends && (left != '0 || !filled)) begin
          tells <= 1'b1;
          told  <= of_own(answer.rejected ? REPORT_REJECTED : REPORT_CANCELLED, answer.reason, '0);
        end else if (answer.what == WORKING_REPLACED && left != '0) begin
          tells <= 1'b1;
          told  <= of_own(REPORT_REPLACED, '0, left);
        end
        if (ends) begin
          entry_kept <= entry.pending == NOTHING || of_answer ? OWN_NONE : OWN_GONE;
          open <= open - 1'b1;
        end
      end
      POSITION: begin
        new_position <= entry.side == SIDE_BUY ? position + value_t'({1'b0, answer.traded}) : position - value_t'({1'b0, answer.traded});
        state <= HOLD;
      end
      HOLD: if (!host_holds) state <= reads_positions ? LOAD : WRITE;
      LOAD: if (held) state <= WRITE;
      default: begin  // WRITE
        kept[at] <= entry_kept;
        state <= IDLE;
        // The answer that a request waited for.
        if (entry_kept == OWN_OPEN && entry.pending == NOTHING && entry.waits) begin
          intent <= entry.waiting;
          entry.waits <= 1'b0;
          state <= CHECK;
        end
      end
    endcase
    if (clears) begin
      {tells, refused, kept, open} <= '0;
      state <= IDLE;
    end
  end
  assign hold = state == LOAD;

  logic unused;
  assign unused = &{1'b0, answer.valid, answer.strategy, entry.waiting.order, next_answer, answers_full, reports_full,
                     answers_count, reports_count};

  assert property (@(posedge clk) disable iff (rst) !begins || !follows || quiet);
  assert property (@(posedge clk) disable iff (rst) !load || held);
  assert property (@(posedge clk) disable iff (rst || restart) int'(open) <= ORDERS);
endmodule
