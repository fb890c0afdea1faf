// Carries out what the host writes entry by entry: stops, orders, templates, limits, time, numbers, instruments.
//
//   operand, operation ─ held ─┬─ a pulse to its memory or register
//                              └─ wait for ready, answer (stops, adjustments, instruments of FIX)
//
// The operands of each operation, by words of 32 bits: docs/reference/order-operations.md.
//
// Latency: start to its pulse 3 cycles; a stop or an order is answered as order_entry says. Throughput: one at a time.
// Parameters: W, SLOTS, INSTRUMENTS, MESSAGE, as of the modules written to. Overflow: one that is started while another is busy is refused;
// one that is unknown, or of a slot, an instrument or a kind that is not there, is not done; a trigger, a price or a collar that does not fit
// OrderPriceWidth is answered with TEXT_PRICE_TOO_WIDE.
module order_operations
  import tickwire_pkg::*;
  import order_pkg::*;
  import order_template_pkg::*;
  import stop_pkg::*;
  import risk_pkg::*;
  import order_entry_pkg::*;
  import fix_pkg::*;
#(
    parameter int W = 64,
    parameter int SLOTS = 64,
    parameter int INSTRUMENTS = 16,
    parameter int MESSAGE = 256,
    localparam int Bytes = W / 8,
    localparam int Slot = $clog2(SLOTS),
    localparam int Template = 2 + $clog2(INSTRUMENTS),
    localparam int Beat = $clog2(MESSAGE / Bytes)
) (
    input logic clk,
    input logic rst,

    input  logic                  start,
    input  logic [ 3:0]           code,
    input  logic [15:0]           index,
    input  logic [ 6:0][    31:0] operand,
    output logic                  busy,
    output logic                  done,      // the last one was
    output stop_state_e           previous,
    output text_answer_e          text,
    output logic                  refused,   // pulse

    output logic                                   entry_valid,  // see order_entry
    input  logic                                   entry_ready,
    output entry_e                                 entry_code,
    output logic            [            Slot-1:0] entry_slot,
    output entry_t                                 entry,
    input  logic                                   entry_answer_valid,
    input  stop_answer_t                           entry_answer,
    input  text_answer_e                           entry_text,

    output logic                                   template_write,
    output logic            [   Template+Beat-1:0] template_address,
    output logic            [         9*Bytes-1:0] template_data,
    output logic                                   template_set,
    output logic                                   template_clear,
    output logic            [        Template-1:0] template_index,
    output template_t                              template_record,
    output logic                                   decimals_write,
    output logic            [                 3:0] decimals,
    output logic                                   time_load,
    output time_t                                  load_time,
    output logic            [                63:0] load_boundary,
    output logic                                   date_load,
    output logic            [            7:0][3:0] load_date,
    output logic                                   number_load,
    output number_t                                load_number,

    output logic            [ InstrumentWidth-1:0] instrument,  // of decimals, limit
    output logic                                   limit_write,
    output risk_limit_t                            limit,
    output logic                                   adjust_valid,
    input  logic                                   adjust_ready,
    output risk_adjust_t                           adjust,

    output logic                                   fix_write,
    input  logic                                   fix_busy,
    output fix_instrument_t                        fix_instrument,
    output logic                                   feed_write,
    output logic                                   feed_used,
    output logic            [                63:0] feed_symbol
);
  typedef enum logic [3:0] {
    NONE,
    SET,
    CHANGE,
    CANCEL,
    TEMPLATE_BEAT,
    TEMPLATE_RECORD,
    TEMPLATE_CLEAR,
    DECIMALS,
    TIME,
    DATE,
    NUMBER,
    LIMIT,
    ADJUST,
    FIX_INSTRUMENT,
    FEED_INSTRUMENT,
    ORDER             // of the host, at once
  } operation_e;

  typedef enum logic [1:0] {
    IDLE,
    LOOK,   // whether it is allowed
    BEGIN,
    ANSWER  // is waited for
  } state_e;

  state_e state;
  logic known, to_slot, allowed, allowed_reg, too_wide_reg, fix_waiting, adjust_waiting;
  /* verilator lint_off UNUSEDSIGNAL */  // as far as the widest needs it
  logic [95:0] operands;
  /* verilator lint_on UNUSEDSIGNAL */

  assign operands = operand[2:0];
  assign busy = state != IDLE;
  assign known = code != 4'(NONE);

  // ---- what the operands mean ----------------------------------------------------------------------

  // Trigger, limit price; those that do not fit are refused, like a text that would not.
  logic [1:0][OrderPriceWidth-1:0] operand_price;
  logic [1:0] price_fits;
  logic collar_fits;
  localparam int Above = 64 - OrderPriceWidth;
  always_comb begin
    for (int i = 0; i < 2; i++) begin
      operand_price[i] = {operand[2*i+2][31-Above:0], operand[2*i+1]};
      price_fits[i] = operand[2*i+2][31:31-Above] == '0 || &operand[2*i+2][31:31-Above];
    end
    collar_fits = operand[2][31:31-Above] == '0;
  end

  assign to_slot = code inside {SET, CHANGE, CANCEL, ORDER};
  assign entry_code = code == ORDER ? ENTRY_ORDER : code == CHANGE ? ENTRY_CHANGE : code == CANCEL ? ENTRY_CANCEL : ENTRY_SET;
  assign entry_slot = index[Slot-1:0];
  assign entry = '{
          kind: code == ORDER ? order_kind_e'(operand[0][3:2]) : ORDER_NEW,
          side: side_e'(operand[0][0]),
          order_type: order_type_e'(operand[0][1]),
          instrument: operand[0][15:8],
          trigger: operand_price[0],
          price: operand_price[1],
          quantity: operand[5],
          client_id: operand[6]
      };
  assign template_address = index[Template+Beat-1:0];
  assign template_data = operands[9*Bytes-1:0];
  assign template_index = index[Template-1:0];
  assign template_record = '{
          sum: operand[0][15:0],
          byte_sum: operand[0][23:16],
          number_at: occurrence_e'(operand[0][25:24]),
          time_at: occurrence_e'(operand[0][27:26]),
          check_odd: operand[0][28]
      };
  assign instrument = index[InstrumentWidth-1:0];
  assign decimals = operand[0][3:0];
  assign load_time = operands[67:0];
  assign load_boundary = {operand[4], operand[3]};
  assign load_date = operand[0];
  assign load_number = operands[35:0];
  assign limit = '{
          enable: operand[0][0],
          sources: '{feed: operand[0][1], session: operand[0][2]},
          collar: operand_price[0][CollarWidth-1:0],
          position_limit: {operand[4][14:0], operand[3]}
      };
  assign adjust = '{
          instrument: instrument,
          buy: {operand[1][15:0], operand[0]},
          sell: {operand[3][15:0], operand[2]},
          closed: operand[4][15:0]
      };
  assign fix_instrument = '{
          used: operand[0][0],
          symbol: {operand[2], operand[1]},
          symbol_length: operand[0][7:4],
          price_scale: operand[0][11:8],
          quantity_scale: operand[0][15:12]
      };

  assign feed_used = operand[0][0];
  assign feed_symbol = {operand[2], operand[1]};

  // ---- one at a time -------------------------------------------------------------------------------

  /* verilator lint_off UNUSEDSIGNAL */  // some are answered instead
  logic [15:0] pulse;  // of the operation with that code
  /* verilator lint_on UNUSEDSIGNAL */
  logic of_instrument, of_order, too_wide;

  assign of_instrument = code inside {DECIMALS, LIMIT, ADJUST, FIX_INSTRUMENT, FEED_INSTRUMENT};
  assign of_order = index == '0 && operand[0][3:2] != 2'b11;
  assign allowed = code == ORDER ? of_order : to_slot ? index < 16'(SLOTS) : of_instrument ? index < 16'(INSTRUMENTS) : known;
  assign too_wide = (code inside {SET, CHANGE} && price_fits != '1) || (code == ORDER && !price_fits[1]) || (code == LIMIT && !collar_fits);

  assign template_write = pulse[TEMPLATE_BEAT];
  assign template_set = pulse[TEMPLATE_RECORD];
  assign template_clear = pulse[TEMPLATE_CLEAR];
  assign decimals_write = pulse[DECIMALS];
  assign time_load = pulse[TIME];
  assign date_load = pulse[DATE];
  assign number_load = pulse[NUMBER];
  assign limit_write = pulse[LIMIT];
  assign fix_write = pulse[FIX_INSTRUMENT];
  assign feed_write = pulse[FEED_INSTRUMENT];

  always_ff @(posedge clk) begin
    pulse   <= '0;
    refused <= start && busy;
    unique case (state)
      IDLE: if (start) state <= LOOK;
      LOOK: begin
        state <= BEGIN;
        allowed_reg <= allowed;
        too_wide_reg <= too_wide;
      end
      BEGIN: begin
        state <= IDLE;
        done  <= allowed_reg && !too_wide_reg;
        text  <= allowed_reg && too_wide_reg ? TEXT_PRICE_TOO_WIDE : TEXT_WHOLE;
        if (allowed_reg && !too_wide_reg) begin
          pulse[code] <= 1'b1;
          if (to_slot) begin
            done <= 1'b0;
            entry_valid <= 1'b1;
            state <= ANSWER;
          end
          if (code == ADJUST) begin
            adjust_valid <= 1'b1;
            adjust_waiting <= 1'b1;
            state <= ANSWER;
          end
          if (code == FIX_INSTRUMENT) begin
            fix_waiting <= 1'b1;
            state <= ANSWER;
          end
        end
      end
      default: begin
        if (entry_ready) entry_valid <= 1'b0;
        if (entry_answer_valid) begin
          done <= entry_answer.done;
          previous <= entry_answer.previous;
          text <= entry_text;
          state <= IDLE;
        end
        if (fix_waiting && !fix_busy) begin
          fix_waiting <= 1'b0;
          state <= IDLE;
        end
        if (adjust_ready) adjust_valid <= 1'b0;
        if (adjust_waiting && !adjust_valid) begin
          adjust_waiting <= 1'b0;
          state <= IDLE;
        end
      end
    endcase
    if (rst) begin
      state <= IDLE;
      pulse <= '0;
      {entry_valid, adjust_valid, adjust_waiting, fix_waiting, done, refused} <= '0;
    end
  end
endmodule
