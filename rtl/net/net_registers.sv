// Registers of the receive side: who this host is and what it listens to, for all stages that need it; frames by what became of them; when the last one came.
//
//   csr ─┬─ settings ─ enable, net_config
//        └─ counters of lines A and B, times of the last frame
//
// Latency: net_config is a cycle later than the other settings, from a register, for its users are all over the part; pulses are counted two cycles later. Throughput:
// as csr_if; a frame of each line at a time. Parameter: W, for what a cycle is. Overflow: counters wrap at 2^32.
module net_registers
  import tickwire_pkg::*;
  import net_csr_pkg::*;
#(
    parameter int W = 64
) (
    input  logic            clk,
    input  logic            rst,
    csr_if.stage            csr,
    input  logic     [63:0] time_ns,
    input  receive_status_t status,
    output logic            enable,     // frames are received
    output net_config_t     net_config
);
  // net_rx: frame_start follows the first byte after the SFD by this many cycles, the cause its last byte.
  localparam int StartDelay = 1;
  localparam int VerdictDelay = 3;

  function automatic logic [63:0] nanoseconds(input int cycles);
    return W == 8 ? 64'(8 * cycles) : 64'((32 * cycles) / 5);
  endfunction

  if (Counters != NetCauses) begin : gen_check
    $fatal(1, "net_registers: %0d causes are counted, of %0d", Counters, NetCauses);
  end

  setting_t setting;
  status_t shown;
  logic [63:0] first_time, last_time;
  logic [1:0][NetCauses-1:0] ended;  // by line
  logic [lines_csr_pkg::Counters-1:0] line_pulse;
  logic [1:0] host_frame, host_overflow;
  csr_if part[4] ();

  csr_split #(
      .N(4)
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

  csr_status #(
      .T(status_t),
      .FIELDS(StatusFields),
      .MAP(StatusMap)
  ) csr_status (
      .clk,
      .csr(part[1].stage),
      .shown(1'b1),
      .value(shown)
  );

  csr_counters #(
      .AT(CountersAt),
      .SLOTS(Counters)
  ) line_a (
      .clk,
      .rst,
      .csr(part[2].stage),
      .shown(1'b1),
      .pulse(ended[0]),
      .amount('0)
  );

  csr_counters #(
      .AT(lines_csr_pkg::CountersAt),
      .SLOTS(lines_csr_pkg::Counters)
  ) lines (
      .clk,
      .rst,
      .csr(part[3].stage),
      .shown(1'b1),
      .pulse(line_pulse),
      .amount('0)
  );

  assign enable = setting.control.enable;
  always_ff @(posedge clk) begin
    net_config.local_mac <= {setting.local_mac_high, setting.local_mac_low};
    net_config.local_ip <= setting.local_ip;
    net_config.group <= setting.group;
    net_config.port <= setting.port;
    net_config.feed <= {
      setting.feeds.ports_3, setting.feeds.groups_3, setting.feeds.ports_2, setting.feeds.groups_2,
      setting.feeds.ports_1, setting.feeds.groups_1, setting.feeds.ports_0, setting.feeds.groups_0
    };
  end

  always_ff @(posedge clk) begin
    if (status.frame_start != '0) first_time <= time_ns - nanoseconds(StartDelay);
    if (status.cause_valid != '0) last_time <= time_ns - nanoseconds(VerdictDelay);
    for (int line = 0; line < 2; line++) begin
      for (int i = 0; i < NetCauses; i++) ended[line][i] <= status.cause_valid[line] && status.cause[line] == net_cause_e'(i) && !rst;
    end
    host_frame <= rst ? '0 : status.host_frame;
    host_overflow <= rst ? '0 : status.host_overflow;
    if (rst) begin
      first_time <= '0;
      last_time  <= '0;
    end
  end
  assign shown = '{
          frame_first_time_low: first_time[31:0],
          frame_first_time_high: first_time[63:32],
          frame_last_time_low: last_time[31:0],
          frame_last_time_high: last_time[63:32]
      };

  always_comb begin
    line_pulse = '0;
    line_pulse[lines_csr_pkg::COUNT_B_MII_ERROR+:NetCauses] = ended[1];
    {line_pulse[lines_csr_pkg::COUNT_B_HOST_FRAME], line_pulse[lines_csr_pkg::COUNT_A_HOST_FRAME]} = host_frame;
    {line_pulse[lines_csr_pkg::COUNT_B_HOST_OVERFLOW], line_pulse[lines_csr_pkg::COUNT_A_HOST_OVERFLOW]} = host_overflow;
  end
endmodule
