// Registers of a feed: what it is, what became of its packets, how much it lost.
//
//   csr ─┬─ settings ─ itch50, shown
//        └─ status ─── counters, messages lost
//
// Of feeds side by side the host reads the one that it has asked for (register feed_shown); each has its own copy of the settings.
//
// Latency: pulses are counted two cycles later. Throughput: a packet a cycle. Parameters: FEED, its number, of FEEDS. Overflow: counters wrap at 2^32.
module feed_registers
  import tickwire_pkg::*;
  import feed_csr_pkg::*;
#(
    parameter int FEED  = 0,
    parameter int FEEDS = 1
) (
    input logic clk,
    input logic rst,
    csr_if.stage csr,
    /* verilator lint_off UNUSEDSIGNAL */  // not all of it is counted here
    input feed_status_t status,
    /* verilator lint_on UNUSEDSIGNAL */
    output logic itch50,  // ITCH 5.0, not 4.1
    output logic shown    // it is the feed that the host reads
);
  setting_t setting;
  logic [Counters-1:0] pulse, pulse_reg;
  logic [2:0][15:0] amount;
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
      .value(setting)
  );
  assign itch50 = setting.control.itch50;
  // One that there is not: the first.
  assign shown = int'(setting.feed_shown.feed) == FEED || (FEED == 0 && int'(setting.feed_shown.feed) >= FEEDS);

  csr_status #(
      .T(status_t),
      .FIELDS(StatusFields),
      .MAP(StatusMap)
  ) csr_status (
      .clk,
      .csr(part[1].stage),
      .shown,
      .value('{mold_lost_low: status.lost[31:0], mold_lost_high: status.lost[63:32]})
  );

  csr_counters #(
      .AT(CountersAt),
      .SLOTS(Counters),
      .AMOUNTS(3),
      .AMOUNT_BITS(16),
      .AMOUNT_SLOT({6'(COUNT_ITCH_MESSAGES), 6'(COUNT_ITCH_UNKNOWN_TYPE), 6'(COUNT_ITCH_BAD_LENGTH)})
  ) csr_counters (
      .clk,
      .rst,
      .csr(part[2].stage),
      .shown,
      .pulse(pulse_reg),
      .amount
  );

  always_comb begin
    pulse = '0;
    for (int i = 0; i < MoldCauses; i++) pulse[COUNT_MOLD_MALFORMED+4'(i)] = status.packet_valid && status.packet == mold_cause_e'(i);
    pulse[COUNT_MOLD_NEW_SESSION] = status.new_session;
    pulse[COUNT_MOLD_GAP] = status.gap;
    {pulse[COUNT_ITCH_MESSAGES], pulse[COUNT_ITCH_UNKNOWN_TYPE], pulse[COUNT_ITCH_BAD_LENGTH]} = {3{status.commit}};
    pulse[COUNT_FAST_OVERFLOW] = status.overflow;
    pulse[COUNT_FAST_WIRE_RATE] = status.fast.wire_rate;
    pulse[COUNT_FAST_UNREAD] = status.fast.unread;
  end

  always_ff @(posedge clk) begin
    pulse_reg <= rst ? '0 : pulse;
    amount <= {status.messages, status.unknown_type, status.bad_length};
  end
endmodule
