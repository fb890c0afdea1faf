// A strategy in the language as a program: the events of the order book, the processor, its orders.
//
//   market.book ─ strategy_events ─ alu ─ strategy_orders ─ intent
//   host ─ program, data, parameters ┘           └─ prepare
//
// Operation CONFIG_PROGRAM (docs/reference/order-operations.md): while it is held no handler runs, events wait, and the program may be loaded; a change of
// parameters is a hold, some words of data, and a release. The program is that of crates/language_alu; of its handlers the core runs on_book.
//
// Latency: the verdict on a frame to the first instruction 8 cycles, see alu, then strategy_orders. Throughput: a handler at a time. Parameters:
// HANDLE, ORDERS: see strategy_orders; INSTRUMENTS. Overflow: events that find no room are lost (`overflow`), a gap to risk.
module alu_slot
  import tickwire_pkg::*;
  import order_pkg::*;
  import config_pkg::*;
  import alu_pkg::*;
#(
    parameter int HANDLE = 16,
    parameter int ORDERS = 16,
    parameter int INSTRUMENTS = 16
) (
    input logic clk,
    input logic rst,
    input logic [NotionalWidth-1:0] max_notional,

    config_if.snk  host,
    market_if.book market,
    prepare_if.src prepare,
    intent_if.src  intent,
    output logic   overflow,
    output logic   fault,     // pulse: a division by zero, an index beyond an array, a fifth intent
    output logic   refused    // pulse: an intent that cannot be an order
);
  localparam logic [3:0] Hold = 4'd8;
  localparam logic [3:0] Release = 4'd9;
  localparam logic [3:0] Status = 4'd10;

  // ---- what the host writes ----------------------------------------------------------------------------

  logic hold, held, holding, load, restart, begins, stopped;
  logic [3:0] what;
  alu_load_e load_what;
  place_t load_address;
  value_t load_value;
  logic [31:0] client_id;

  assign what = host.operand[0][3:0];
  assign begins = host.valid && host.operation == CONFIG_PROGRAM;
  assign host.busy = holding;

  always_ff @(posedge clk) begin
    {load, restart} <= '0;
    load_what <= alu_load_e'(what[1:0]);
    load_address <= host.index[PlaceWidth-1:0];
    load_value <= host.operand[2:1];
    if (host.valid) host.answer <= '0;
    if (begins) begin
      case (what)
        Hold: {hold, holding} <= '1;
        Release: begin
          {hold, restart} <= {1'b0, host.operand[1][0]};
          client_id <= host.operand[2];
          host.answer.done <= 1'b1;
        end
        Status: begin
          host.answer.done <= 1'b1;
          host.answer.previous <= {1'b0, stopped};
        end
        default: begin
          load <= held && what < 4'd4;
          host.answer.done <= held && what < 4'd4;
        end
      endcase
    end
    if (holding && held) begin
      holding <= 1'b0;
      host.answer.done <= 1'b1;
    end
    if (rst) {hold, holding, load, restart, host.answer} <= '0;
  end

  // ---- events, handlers, orders ------------------------------------------------------------------------

  logic event_valid, event_ready, asked_valid, asked_ready, level_valid, level_sell;
  handler_e event_handler;
  value_t [EventInputs-1:0] event_inputs;
  alu_intent_t asked;
  logic done, record_value_valid, record_valid, fault_division, fault_index, fault_intents;
  logic [3:0] level_number;
  value_t record_value, looked;
  logic [7:0] record_tag;

  strategy_events #(
      .INSTRUMENTS(INSTRUMENTS)
  ) strategy_events (
      .clk,
      .rst,
      .market,
      .event_valid,
      .event_ready,
      .event_handler,
      .event_inputs,
      .overflow
  );

  alu alu (
      .clk,
      .rst,
      .event_valid,
      .event_ready,
      .event_handler,
      .event_inputs,
      .done,
      .intent_valid(asked_valid),
      .intent_ready(asked_ready),
      .intent(asked),
      .level_valid,
      .level_sell,
      .level_number,
      .level_answered(1'b1),
      .level('0),
      .record_value_valid,
      .record_value,
      .record_valid,
      .record_tag,
      .fault_division,
      .fault_index,
      .fault_intents,
      .stopped,
      .hold,
      .held,
      .load,
      .load_what,
      .load_address,
      .load_value,
      .look('0),
      .looked
  );

  strategy_orders #(
      .HANDLE(HANDLE),
      .ORDERS(ORDERS)
  ) strategy_orders (
      .clk,
      .rst,
      .restart,
      .client_id,
      .max_notional,
      .asked_valid,
      .asked_ready,
      .asked,
      .prepare,
      .intent,
      .refused
  );

  always_ff @(posedge clk) fault <= (fault_division || fault_index || fault_intents) && !rst;

  logic unused;
  assign unused = &{
    1'b0, done, level_valid, level_sell, level_number, record_value_valid, record_value, record_valid, record_tag, looked, host.index,
    host.operand
  };
endmodule
