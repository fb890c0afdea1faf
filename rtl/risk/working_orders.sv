// Remembers the orders that left until the exchange says that they ended, and works out from its reports what risk must take back.
//
//   sent ────┐
//   reports ─┴─ place in the memory ─ entry ─ what is new in the report ─ adjust
//                                       └ written: sent, traded, ended
//
// An entry is an order in the market, or a replacement that the exchange has not answered. A report says how much was traded in all: the entry says how much
// of that was known. So a report that comes twice, or late, changes nothing. The rule: docs/reference/rules.md; twin: crates/risk.
//
// Latency: sent or report to its entry or to `adjust` 20 cycles at most, unless the adjustment before waits. Throughput: an order in 24 cycles; reports as
// risk takes their adjustments. Not ready in the first PLACES cycles after rst. Parameters: PLACES, a power of two, 512 at most.
// Overflow: an order's place is its number modulo 1000, modulo PLACES. If an order is still open when another one with its place leaves, it is
// forgotten, and `overflow`
// pulses: its exposure stays until the host takes it back.
module working_orders
  import tickwire_pkg::*;
  import order_pkg::*;
  import order_template_pkg::*;
  import risk_pkg::*;
#(
    parameter int PLACES = 512
) (
    input logic clk,
    input logic rst,

    input logic        sent_valid,  // pulse; the next one 24 cycles later at the earliest
    /* verilator lint_off UNUSEDSIGNAL */  // not all of it is needed
    input order_sent_t sent,
    /* verilator lint_on UNUSEDSIGNAL */

    execution_report_if.snk reports,

    output logic            adjust_valid,
    input  logic            adjust_ready,
    output risk_adjust_t    adjust,
    output working_change_t change,     // for strategies, after the report
    output logic            unknown,    // pulse: a report about an order that is not here
    output logic            overflow    // pulse
);
  localparam int Index = $clog2(PLACES);
  localparam int RestBits = 10 - Index;  // of the number modulo 1000: what the place does not say
  typedef logic [OrderQuantityWidth-1:0] quantity_t;
  typedef logic [Index-1:0] index_t;

  if (PLACES != 1 << Index || PLACES > 512) begin : gen_places
    $fatal(1, "working_orders: PLACES is %0d; it must be a power of two, 512 at most", PLACES);
  end

  typedef enum logic [1:0] {
    NONE,
    WORKING,
    REPLACING  // a replacement that is not answered
  } kept_e;

  typedef struct packed {
    kept_e                      kept;
    logic [5:0][3:0]            head;        // of the number: all but its last three digits
    logic [RestBits-1:0]        rest;
    logic [InstrumentWidth-1:0] instrument;
    side_e                      side;
    logic                       strategy;
    quantity_t                  quantity;
    quantity_t                  traded;
  } entry_t;

  typedef enum logic [3:0] {
    CLEAR,
    IDLE,
    COUNT,    // the last three digits to a place
    FETCH,
    MATCH,
    JUDGE,
    FOUND,
    LIMIT,    // what was traded, the order's quantity at most
    SUBTRACT,
    LEFT,
    STORE
  } state_e;

  // Whose entry is looked for.
  typedef enum logic [1:0] {
    OF_SENT,
    OF_NAMED,    // the report's number
    OF_ORIGINAL
  } look_e;

  state_e state;
  look_e look;

  // ---- the memory ------------------------------------------------------------------------------------

  (* no_rw_check, ram_style = "block" *) logic [$bits(entry_t)-1:0] entries[PLACES];
  entry_t entry, written;
  logic write;
  index_t place, write_place;

  always_ff @(posedge clk) begin
    if (write) entries[write_place] <= written;
    entry <= entries[place];
  end

  // ---- an order that left ------------------------------------------------------------------------------

  logic sent_waits;
  entry_t sent_entry;  // without its rest
  logic [2:0][3:0] sent_tail;

  // ---- the entry of a number ----------------------------------------------------------------------------

  logic [5:0][3:0] head;  // of the number, as in its entry
  logic [2:0][3:0] tail;  // digits that are not counted yet
  logic count;
  logic [9:0] modulo;  // of the number and 1000, so far
  logic [3:0] same;
  kept_e kept;
  logic is_order, is_request;

  assign place = modulo[Index-1:0];

  // ---- a report ------------------------------------------------------------------------------------------

  execution_report_t report;
  working_change_t of_nothing;  // what is said then: a request that was refused may be the cancel of an order that has ended
  entry_t subject;  // the order that the report is about; of a replacement that was accepted the replacement, with what was traded before
  index_t subject_place;
  logic had_original;
  quantity_t original_quantity, limited, told_traded, give_back;
  logic [OrderQuantityWidth:0] difference;
  logic beyond, no_news, stays, ends, changes;
  logic [OrderQuantityWidth:0] own, other;  // negative, or 0
  logic of_change;  // the report ends a replacement, not the order
  logic closed;
  side_e side;
  logic [InstrumentWidth-1:0] instrument;

  assign told_traded = quantity_t'(report.traded);
  assign of_nothing = '{
          valid: report.what inside {EXECUTION_REJECTED, EXECUTION_CHANGE_REFUSED},
          strategy: 1'b1,
          what: WORKING_UNKNOWN,
          place: '0,
          number: report.number,
          rejected: 1'b1,
          traded: '0,
          price: '0,
          reason: report.reason
      };
  assign of_change = subject.kept == REPLACING && report.what != EXECUTION_REPLACED;
  assign adjust = '{
          instrument: instrument,
          buy: ExposureWidth'($signed(side == SIDE_BUY ? own : other)),
          sell: ExposureWidth'($signed(side == SIDE_BUY ? other : own)),
          closed: 16'(closed)
      };
  assign reports.ready = state == IDLE && !sent_waits && !adjust_valid && reports.valid;

  always_ff @(posedge clk) begin
    {write, unknown, overflow, change.valid} <= '0;
    if (sent_valid && sent.order.kind != ORDER_CANCEL) begin
      sent_waits <= 1'b1;
      sent_entry <= '{
          kept: sent.order.kind == ORDER_REPLACE ? REPLACING : WORKING,
          head: sent.number[8:3],
          rest: '0,
          instrument: sent.order.instrument,
          side: sent.order.side,
          strategy: sent.order.strategy,
          quantity: sent.order.quantity,
          traded: '0
      };
      sent_tail <= sent.number[2:0];
    end
    if (adjust_ready) adjust_valid <= 1'b0;

    if (!adjust_valid) begin
      instrument <= subject.instrument;
      side <= subject.side;
      closed <= ends && !of_change;
      own <= stays ? '0 : -{1'b0, give_back};
      other <= -difference;
    end

    unique case (state)
      CLEAR: begin
        write <= 1'b1;
        write_place <= write_place + 1'b1;
        written.kept <= NONE;
        if (write && write_place == '1) state <= IDLE;
      end
      IDLE: begin
        count <= '0;
        {had_original, original_quantity} <= '0;
        if (sent_waits) begin
          look <= OF_SENT;
          head <= sent_entry.head;
          {modulo, tail} <= {10'(sent_tail[2]), sent_tail[1:0], 4'd0};
          state <= COUNT;
        end else if (reports.ready) begin
          look <= OF_NAMED;
          report <= reports.data;
          head <= reports.data.number[8:3];
          {modulo, tail} <= {10'(reports.data.number[2]), reports.data.number[1:0], 4'd0};
          state <= COUNT;
        end
      end
      COUNT: begin
        // 10 m + digit; below 1,000.
        modulo <= {modulo[6:0], 3'd0} + {modulo[8:0], 1'd0} + 10'(tail[2]);
        tail <= {tail[1:0], 4'd0};
        count <= 1'b1;
        if (count) state <= FETCH;
      end
      FETCH: state <= MATCH;
      MATCH: begin
        // In parts: the memory is slow.
        same <= {entry.rest == modulo[9:Index], entry.head[5:4] == head[5:4], entry.head[3:2] == head[3:2], entry.head[1:0] == head[1:0]};
        kept <= entry.kept;
        state <= JUDGE;
      end
      JUDGE: begin
        is_order <= kept == WORKING && same == '1;
        is_request <= kept == REPLACING && same == '1;
        state <= FOUND;
      end
      FOUND: begin
        write_place <= place;
        written <= sent_entry;
        written.rest <= modulo[9:Index];
        state <= IDLE;
        count <= '0;
        unique case (look)
          OF_SENT: begin
            sent_waits <= 1'b0;
            change <= '{
                valid: 1'b1,
                strategy: sent_entry.strategy,
                what: WORKING_SENT,
                place: WorkingPlaceBits'(place),
                number: {sent_entry.head, sent_tail},
                default: '0
            };
            write <= 1'b1;
            overflow <= kept != NONE;
          end
          OF_NAMED: begin
            subject <= entry;
            subject_place <= place;
            if ((is_request && report.what inside {EXECUTION_REJECTED, EXECUTION_CHANGE_REFUSED}) ||
                (is_order && report.what inside {EXECUTION_OPEN, EXECUTION_CLOSED, EXECUTION_REJECTED})) begin
              state <= LIMIT;
            end else if (report.has_original && report.what != EXECUTION_REJECTED &&
                         (report.what != EXECUTION_REPLACED || is_request)) begin
              look <= OF_ORIGINAL;
              head <= report.original[8:3];
              {modulo, tail} <= {10'(report.original[2]), report.original[1:0], 4'd0};
              state <= COUNT;
            end else {unknown, change} <= {1'b1, of_nothing};
          end
          default: begin
            if (is_order) begin
              // A cancel that was refused: the order is as it was.
              if (report.what != EXECUTION_CHANGE_REFUSED) state <= LIMIT;
              else begin
                change <= '{
                    valid: 1'b1,
                    strategy: entry.strategy,
                    what: WORKING_CHANGE_REFUSED,
                    place: WorkingPlaceBits'(place),
                    number: report.number,
                    rejected: 1'b0,
                    traded: '0,
                    price: '0,
                    reason: report.reason
                };
              end
            end else if (report.what == EXECUTION_REPLACED) state <= LIMIT;
            else {unknown, change} <= {1'b1, of_nothing};
            if (report.what == EXECUTION_REPLACED) begin
              had_original <= is_order;
              original_quantity <= entry.quantity;
              subject.traded <= entry.traded;
              written.kept <= NONE;
              write <= is_order;
            end else begin
              subject <= entry;
              subject_place <= place;
            end
          end
        endcase
      end
      LIMIT: begin
        beyond <= told_traded > subject.quantity;
        stays <= report.what == EXECUTION_OPEN;
        no_news <= of_change || (report.what == EXECUTION_REPLACED && !had_original);
        state  <= SUBTRACT;
      end
      SUBTRACT: begin
        limited <= beyond ? subject.quantity : told_traded;
        difference <= {1'b0, beyond ? subject.quantity : told_traded} - {1'b0, subject.traded};
        state <= LEFT;
      end
      LEFT: begin
        ends <= of_change || report.what inside {EXECUTION_CLOSED, EXECUTION_REJECTED} ||
            (report.what == EXECUTION_REPLACED && limited == subject.quantity);
        changes <= report.what != EXECUTION_OPEN || (!difference[OrderQuantityWidth] && difference != '0);
        // A report that is older than what is known has no news.
        if (no_news || difference[OrderQuantityWidth]) difference <= '0;
        if (!difference[OrderQuantityWidth] || report.what == EXECUTION_REPLACED) subject.traded <= limited;
        if (of_change) give_back <= subject.quantity;
        else if (report.what == EXECUTION_REPLACED) give_back <= had_original ? original_quantity : limited;
        else give_back <= subject.quantity - (difference[OrderQuantityWidth] ? subject.traded : limited);
        state <= STORE;
      end
      STORE: begin
        write <= 1'b1;
        write_place <= subject_place;
        written <= subject;
        written.kept <= ends ? NONE : WORKING;
        adjust_valid <= changes;
        change <= '{
            valid: 1'b1,
            strategy: subject.strategy,
            what: of_change ? WORKING_CHANGE_REFUSED : ends ? WORKING_CLOSED : stays ? WORKING_OPEN : WORKING_REPLACED,
            place: WorkingPlaceBits'(subject_place),
            number: report.number,
            rejected: report.what == EXECUTION_REJECTED,
            traded: difference[OrderQuantityWidth-1:0],
            price: report.price,
            reason: report.reason
        };
        state <= IDLE;
      end
      default: state <= IDLE;
    endcase
    if (rst) begin
      state <= CLEAR;
      write_place <= '1;
      {sent_waits, adjust_valid, write, unknown, overflow, change.valid} <= '0;
    end
  end

  assert property (@(posedge clk) disable iff (rst) !(sent_valid && sent_waits && sent.order.kind != ORDER_CANCEL));
endmodule
