// What every stage tells the host, in a ring in host memory (docs/reference/ring.md).
//
//   sources, as far as `setting` wants them ─┐
//   feeds, faults ─ wanted? ─ incident_records ─┴─ record_ring ─ AXI4
//   csr ─ ring_config ─ setting
//
// Latency, throughput, overflow: those of its parts. Parameters: SOURCES of records; FEEDS, side by side; MEMORY, bits in a beat there.
module ring_stage
  import tickwire_pkg::*;
  import arbiter_pkg::*;
  import record_pkg::*;
#(
    parameter int SOURCES = 1,
    parameter int FEEDS = 1,
    parameter int MEMORY = 512
) (
    input  logic          clk,
    input  logic          rst,
    csr_if.stage          csr,
    output ring_setting_t setting,

    record_if.snk sources[SOURCES],

    // What goes wrong in the stages.
    feed_if.listener        feeds[FEEDS],
    /* verilator lint_off UNUSEDSIGNAL */  // the host counts the rest
    input  receive_status_t receive_status,
    input  trading_faults_t faults,
    /* verilator lint_on UNUSEDSIGNAL */
    input  logic [63:0]     time_ns,

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

  localparam int Records = SOURCES + 1;

  record_if records[Records] ();
  incidents_t incidents;
  /* verilator lint_off UNUSEDSIGNAL */
  feed_status_t [FEEDS-1:0] feed_status;
  arbiter_status_t [FEEDS-1:0] arbiter_status;
  /* verilator lint_on UNUSEDSIGNAL */

  for (genvar i = 0; i < FEEDS; i++) begin : gen_feed
    assign {feed_status[i], arbiter_status[i]} = {feeds[i].status, feeds[i].arbiter};
  end

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
    incidents.execution = faults.execution;
    incidents.book_fault = faults.book.fault;
    incidents.book_undone = faults.book.undone;
    incidents.book_overflow = faults.book.overflow;
    incidents.intent_overflow = faults.book.intent_overflow;
    incidents.program_fault = faults.book.program_fault;
    incidents.program_refused = faults.book.program_refused;
    incidents.trade_overflow = faults.trade_overflow;
    incidents.refused = faults.refused;
    incidents.not_sent = faults.not_sent;
  end

  ring_config ring_config (
      .clk,
      .rst,
      .host(host.snk),
      .setting
  );

  for (genvar i = 0; i < SOURCES; i++) begin : gen_source
    assign {records[i].valid, records[i].record} = {sources[i].valid, sources[i].record};
  end

  incident_records incident_records (
      .clk,
      .rst,
      .enable(setting.stages && setting.enable),
      .incidents,
      .time_ns,
      .out(records[SOURCES].src)
  );

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
