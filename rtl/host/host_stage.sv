// The host's side of the core: its bus to the registers of all stages, operations on entries of their memories, time, and what the core says that it is.
//
//   AXI4-Lite ─ axil_csr ────┬─ csr_if of every stage: its registers, and what is written entry by entry
//       operation ─ config_port ─┘
//                            └─ own registers: identity, operation, time, latency
//
// Latency: as the parts; nothing here is on the path. Throughput: an access at a time. Parameters: W; ORDERS: as axil_csr;
// INSTRUMENTS, SLOTS for stops, BOOK, RING, FEEDS, ORDER_LOG, LOW_LATENCY: what the core says that it is; STAGES. Overflow: none, accesses wait.
module host_stage
  import tickwire_pkg::*;
  import config_pkg::*;
  import host_csr_pkg::*;
#(
    parameter int W = 64,
    parameter bit ORDERS = 1'b0,
    parameter int INSTRUMENTS = 16,
    parameter int SLOTS = 0,
    parameter bit BOOK = 1'b0,
    parameter bit RING = 1'b0,
    parameter int FEEDS = 1,
    parameter bit ORDER_LOG = 1'b0,
    parameter bit LOW_LATENCY = 1'b0,
    parameter int STAGES = 1
) (
    input logic clk,
    input logic rst,

    axil_if.snk axil,
    csr_if.host csr[STAGES],

    time_set_if.snk     time_from_outside,
    output logic [63:0] time_ns,
    input latency_t     latency,           // of the statistics' reports
    output logic        operation_refused  // pulse
);
  // ---- the bus, the stages ---------------------------------------------------------------------------

  setting_t setting;
  status_t status;
  csr_if bus ();
  csr_if side[2] ();
  csr_if part[2] ();

  axil_csr #(
      .ORDERS(ORDERS)
  ) axil_csr (
      .clk,
      .rst,
      .axil,
      .csr(bus.bus)
  );

  csr_split #(
      .N(2)
  ) csr_sides (
      .in (bus.stage),
      .out(side)
  );

  csr_split #(
      .N(STAGES)
  ) csr_stages (
      .in (side[0].stage),
      .out(csr)
  );

  csr_split #(
      .N(2)
  ) csr_parts (
      .in (side[1].stage),
      .out(part)
  );

  csr_settings #(
      .T(setting_t),
      .FIELDS(SettingFields),
      .MAP(SettingMap)
  ) csr_settings (
      .clk,
      .rst,
      .csr(part[0].stage),
      .value(setting)
  );

  csr_status #(
      .T(status_t),
      .FIELDS(StatusFields),
      .MAP(StatusMap)
  ) csr_status (
      .clk,
      .csr(part[1].stage),
      .shown(1'b1),
      .value(status)
  );

  // ---- operations ------------------------------------------------------------------------------------

  config_answer_t answer;
  logic busy;
  operation_state_fields_t operation_state;  // a cycle late: the host reads it as it is when its read begins

  always_ff @(posedge clk) operation_state <= '{busy: busy, done: answer.done, previous: answer.previous, text: answer.text};

  config_port config_port (
      .clk,
      .rst,
      .start(setting.operation.start),
      .code(config_operation_e'(setting.operation.code)),
      .index(setting.operation.index),
      .operand(setting.operand),
      .busy,
      .answer,
      .refused(operation_refused),
      .csr(bus.operator)
  );

  // ---- time, what it is ------------------------------------------------------------------------------

  clock_ns #(
      .W(W)
  ) clock_ns (
      .clk,
      .rst,
      .load(time_from_outside.set || setting.time_command.load),
      .load_value(time_from_outside.set ? time_from_outside.value : {setting.time_set_high, setting.time_set_low}),
      .now(time_ns)
  );

  assign status = '{
          identity: Identity,
          build: '{
              width: 8'(W),
              stops: 8'(SLOTS),
              instruments: 9'(INSTRUMENTS),
              book: BOOK,
              ring: RING,
              more_feeds: 2'(FEEDS - 1),
              order_log: ORDER_LOG,
              low_latency: LOW_LATENCY
          },
          operation_state: operation_state,
          time_low: time_ns[31:0],
          time_high: time_ns[63:32],
          latency_last: latency.last,
          latency_minimum: latency.minimum,
          latency_maximum: latency.maximum
      };
endmodule
