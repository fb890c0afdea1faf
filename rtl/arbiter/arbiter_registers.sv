// Registers of a feed's arbiter: how its lines are arbitrated, what became of their packets, the last gap.
//
//   csr ─┬─ settings ─ setting
//        └─ status ─── counters by line, last gap on the high-reliability output
//
// Latency: pulses are registered twice here, as they come from far away. Throughput: one pulse of each kind a cycle. Parameters: none. Overflow: counters wrap at 2^32.
module arbiter_registers
  import arbiter_pkg::*;
  import arbiter_csr_pkg::*;
(
    input  logic            clk,
    input  logic            rst,
    csr_if.stage            csr,
    input  logic            shown,    // the host reads this feed
    input  arbiter_status_t status,
    output arbiter_config_t setting
);
  localparam int LostBits = NearBits;  // a gap is shorter than this
  localparam int Kinds = 12;

  setting_t written;
  status_t last_gap;
  logic [1:0][Kinds-1:0] line_pulse, line_pulse_reg;  // in the order of the register map
  logic [1:0] gap_reg, gap_late;
  logic [1:0][LostBits-1:0] from_reg, to_reg, lost;
  logic released_reg, session_reset_reg, overflow_reg;
  logic [Counters-1:0] pulse;
  csr_if part[3] ();

  csr_split #(
      .N(3)
  ) csr_split (
      .in (csr),
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
      .value(written)
  );

  csr_status #(
      .T(status_t),
      .FIELDS(StatusFields),
      .MAP(StatusMap)
  ) csr_status (
      .clk,
      .csr(part[1].stage),
      .shown,
      .value(last_gap)
  );

  csr_counters #(
      .AT(CountersAt),
      .SLOTS(Counters),
      .AMOUNTS(2),
      .AMOUNT_BITS(LostBits),
      .AMOUNT_SLOT({6'(COUNT_HIGH_LOST), 6'(COUNT_LOW_LOST)})
  ) csr_counters (
      .clk,
      .rst,
      .csr(part[2].stage),
      .shown,
      .pulse,
      .amount(lost)
  );

  assign setting = '{
          source: source_e'(written.arbitration.source),
          window: window_e'(written.arbitration.window),
          time_window: written.time_window,
          count_window: written.count_window,
          idle_limit: written.idle_limit,
          flush: written.arbitration.flush
      };

  always_ff @(posedge clk) begin
    for (int i = 0; i < 2; i++) begin
      line_pulse[i] <= {
        status.events.line_silent[i],
        status.events.overflow[i],
        status.events.too_long[i],
        status.events.kept[i],
        status.events.cut_through[i],
        status.events.stale[i],
        status.events.distant[i],
        status.events.malformed[i],
        status.events.bad[i],
        status.events.missed[i],
        status.events.refused[i],
        status.events.passed[i]
      };
      from_reg[i] <= status.gap_from[i][LostBits-1:0];
      to_reg[i]   <= status.gap_to[i][LostBits-1:0];
      lost[i]     <= to_reg[i] - from_reg[i];
    end
    line_pulse_reg <= line_pulse;
    released_reg <= status.events.released;
    session_reset_reg <= status.events.session_reset;
    overflow_reg <= status.overflow;
    gap_reg <= status.gap;
    gap_late <= gap_reg;
    if (status.gap[1]) begin
      {last_gap.gap_from_high, last_gap.gap_from_low} <= status.gap_from[1];
      {last_gap.gap_to_high, last_gap.gap_to_low} <= status.gap_to[1];
    end
    if (rst) begin
      line_pulse <= '0;
      line_pulse_reg <= '0;
      {gap_reg, gap_late} <= '0;
      {released_reg, session_reset_reg, overflow_reg} <= '0;
      last_gap <= '0;
    end
  end

  always_comb begin
    pulse = '0;
    pulse[COUNT_A_PASSED+:Kinds] = line_pulse_reg[0];
    pulse[COUNT_B_PASSED+:Kinds] = line_pulse_reg[1];
    pulse[COUNT_RELEASED] = released_reg;
    pulse[COUNT_SESSION_RESET] = session_reset_reg;
    pulse[COUNT_FEED_OVERFLOW] = overflow_reg;
    {pulse[COUNT_HIGH_GAP], pulse[COUNT_LOW_GAP]} = gap_late;
    {pulse[COUNT_HIGH_LOST], pulse[COUNT_LOW_LOST]} = gap_late;
  end

endmodule
