// What every stage tells the host, in a ring in host memory (docs/reference/ring.md).
//
//   fields, frames of each feed ────────────┐
//   events ──── wanted? ─ event_records ────┤
//   statuses ── wanted? ─ incident_records ─┼─ record_ring ─ AXI4
//   strategy ── wanted? ────────────────────┘
//   csr ─ ring_config ─ setting
//
// Latency, throughput, overflow: those of its parts. Parameters: FEEDS, side by side; EVENTS, 0: no records of them, for event_records takes one a beat;
// MEMORY, bits in a beat there.
module ring_stage
  import tickwire_pkg::*;
  import arbiter_pkg::*;
  import record_pkg::*;
#(
    parameter int FEEDS = 1,
    parameter bit EVENTS = 1'b1,
    parameter int MEMORY = 512
) (
    input  logic          clk,
    input  logic          rst,
    csr_if.stage          csr,
    output ring_setting_t setting,

    record_if.snk            feeds[2*FEEDS],  // fields, frames, of the first; of the second ...
    event_if.snk             events,          // of the first
    input found_instrument_t found,           // of its event 0 of the cycle before
    record_if.snk            strategy,

    // What goes wrong in the stages.
    /* verilator lint_off UNUSEDSIGNAL */  // the host counts the rest
    input receive_status_t               receive_status,
    input arbiter_status_t [FEEDS-1:0]   arbiter_status,
    input feed_status_t    [FEEDS-1:0]   feed_status,
    input book_status_t                  book_status,
    /* verilator lint_on UNUSEDSIGNAL */
    input execution_fault_t              execution_fault,
    input logic                          trade_overflow,
    input logic                          refused,
    input logic                          not_sent,
    input logic            [       63:0] time_ns,

    axi_write_if.src memory
);
  ring_status_t status;
  config_if host ();
  csr_if part[2] ();

  csr_split #(
      .N(2)
  ) csr_split (
      .in (csr),
      .out(part)
  );

  csr_operations csr_operations (
      .csr(part[0].stage),
      .out(host.src)
  );

  csr_status #(
      .T(ring_csr_pkg::status_t),
      .FIELDS(ring_csr_pkg::StatusFields),
      .MAP(ring_csr_pkg::StatusMap)
  ) csr_status (
      .clk,
      .csr(part[1].stage),
      .shown(1'b1),
      .value('{ring_written: status.written, ring_lost: status.lost, ring_errors: status.errors})
  );

  localparam int Records = 2 * FEEDS + 3;

  record_if records[Records] ();
  incidents_t incidents;

  function automatic logic is_bad(input net_cause_e cause);
    return cause inside {CAUSE_MII_ERROR, CAUSE_FCS_ERROR, CAUSE_RUNT, CAUSE_OVERSIZE, CAUSE_IP_HEADER_ERROR, CAUSE_IP_CHECKSUM_ERROR,
                         CAUSE_IP_LENGTH_ERROR, CAUSE_UDP_LENGTH_ERROR, CAUSE_UDP_CHECKSUM_ERROR};
  endfunction

  always_comb begin
    incidents = '0;
    for (int i = 0; i < 2; i++) begin
      incidents.line[i].bad_frame = receive_status.cause_valid[i] && is_bad(receive_status.cause[i]);
      incidents.line[i].host_overflow = receive_status.host_overflow[i];
    end
    for (int i = 0; i < FEEDS; i++) begin
      incidents.feed[i].gap = feed_status[i].gap;
      incidents.feed[i].malformed = feed_status[i].packet_valid && feed_status[i].packet == MOLD_MALFORMED;
      incidents.feed[i].arbiter_overflow = arbiter_status[i].overflow || arbiter_status[i].events.overflow != '0;
      incidents.feed[i].decoder_overflow = feed_status[i].overflow;
    end
    incidents.execution = execution_fault;
    incidents.book_fault = book_status.fault;
    incidents.book_undone = book_status.undone;
    incidents.book_overflow = book_status.overflow;
    incidents.intent_overflow = book_status.intent_overflow;
    incidents.program_fault = book_status.program_fault;
    incidents.program_refused = book_status.program_refused;
    incidents.trade_overflow = trade_overflow;
    incidents.refused = refused;
    incidents.not_sent = not_sent;
  end

  ring_config ring_config (
      .clk,
      .rst,
      .host(host.snk),
      .setting
  );

  for (genvar i = 0; i < 2 * FEEDS; i++) begin : gen_feed
    assign {records[i].valid, records[i].record} = {feeds[i].valid, feeds[i].record};
  end

  if (EVENTS) begin : gen_events
    event_records event_records (
        .clk,
        .rst,
        .enable(setting.events),
        .events,
        .found,
        .out(records[2*FEEDS].src)
    );
  end else begin : gen_no_events
    assign {records[2*FEEDS].valid, records[2*FEEDS].record} = '0;
    logic unused;
    assign unused = &{1'b0, events.valid, events.data, events.verdict_valid, events.verdict_good, found};
  end

  incident_records incident_records (
      .clk,
      .rst,
      .enable(setting.stages && setting.enable),
      .incidents,
      .time_ns,
      .out(records[2*FEEDS+1].src)
  );

  assign records[2*FEEDS+2].valid  = strategy.valid && setting.stages;
  assign records[2*FEEDS+2].record = strategy.record;

  record_ring #(
      .N(Records),
      .DATA(MEMORY)
  ) record_ring (
      .clk,
      .rst,
      .setting,
      .records,
      .memory,
      .status
  );
endmodule
