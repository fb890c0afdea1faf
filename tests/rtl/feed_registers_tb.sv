// Registers of the receive side and of two feeds behind the host's bus, with plain ports for what is counted.
module feed_registers_tb
  import tickwire_pkg::*;
  import arbiter_pkg::*;
(
    input logic clk,
    input logic rst,

    input logic [63:0] time_ns,
    input logic [ 1:0] frame_start,
    input logic [ 1:0] cause_valid,    // by line
    input logic [ 4:0] cause_a,
    input logic [ 4:0] cause_b,
    input logic [ 1:0] host_frame,
    input logic [ 1:0] host_overflow,
    output logic enable,
    output logic [$bits(net_config_t)-1:0] net_config,

    // By feed.
    input logic [1:0][$bits(arbiter_event_t)-1:0] arbiter_events,
    input logic [1:0] feed_overflow,
    input logic [1:0][1:0] gap,  // by output
    input logic [1:0][1:0][63:0] gap_from,
    input logic [1:0][1:0][63:0] gap_to,
    output logic [1:0][$bits(arbiter_config_t)-1:0] setting,
    input logic [1:0] packet_valid,
    input logic [1:0][2:0] packet,
    input logic [1:0] new_session,
    input logic [1:0] mold_gap,
    input logic [1:0] commit,
    input logic [1:0][15:0] messages,
    input logic [1:0][15:0] unknown_type,
    input logic [1:0][15:0] bad_length,
    input logic [1:0][63:0] lost,
    input logic [1:0] overflow,
    input logic [1:0] wire_rate,
    input logic [1:0] unread,
    input logic [1:0] error_valid,
    input logic [1:0][4:0] error,
    input logic [1:0] fault_valid,
    input logic [1:0][3:0] fault,
    input logic [1:0] lag_valid,
    input logic [1:0][LagBits-1:0] lag,
    output logic [1:0] itch50,

    input  logic        axil_awvalid,
    output logic        axil_awready,
    input  logic [10:0] axil_awaddr,
    input  logic        axil_wvalid,
    output logic        axil_wready,
    input  logic [31:0] axil_wdata,
    input  logic [ 3:0] axil_wstrb,
    output logic        axil_bvalid,
    input  logic        axil_bready,
    output logic [ 1:0] axil_bresp,
    input  logic        axil_arvalid,
    output logic        axil_arready,
    input  logic [10:0] axil_araddr,
    output logic        axil_rvalid,
    input  logic        axil_rready,
    output logic [31:0] axil_rdata,
    output logic [ 1:0] axil_rresp
);
  axil_if axil ();
  csr_if bus ();
  csr_if part[7] ();
  net_config_t config_struct;
  receive_status_t receive_status;

  assign {axil.awvalid, axil.awaddr, axil.wvalid, axil.wdata} = {axil_awvalid, axil_awaddr, axil_wvalid, axil_wdata};
  assign {axil.wstrb, axil.bready} = {axil_wstrb, axil_bready};
  assign {axil.arvalid, axil.araddr, axil.rready} = {axil_arvalid, axil_araddr, axil_rready};
  assign {axil_awready, axil_wready, axil_bvalid, axil_bresp} = {axil.awready, axil.wready, axil.bvalid, axil.bresp};
  assign {axil_arready, axil_rvalid, axil_rdata, axil_rresp} = {axil.arready, axil.rvalid, axil.rdata, axil.rresp};

  axil_csr axil_csr (
      .clk,
      .rst,
      .axil(axil.snk),
      .csr(bus.bus)
  );
  assign {bus.valid, bus.index, bus.operand} = '0;
  assign bus.operation = config_pkg::CONFIG_NONE;

  csr_split #(
      .N(7)
  ) csr_split (
      .in (bus.stage),
      .out(part)
  );

  assign net_config = config_struct;
  always_comb begin
    receive_status = '{
        frame_start: frame_start,
        cause_valid: cause_valid,
        cause: {net_cause_e'(cause_b), net_cause_e'(cause_a)},
        host_frame: host_frame,
        host_overflow: host_overflow
    };
  end

  net_registers #(
      .W(8)
  ) net_registers (
      .clk,
      .rst,
      .csr(part[6].stage),
      .time_ns,
      .status(receive_status),
      .enable,
      .net_config(config_struct)
  );

  for (genvar i = 0; i < 2; i++) begin : gen_feed
    feed_status_t status;
    arbiter_config_t setting_struct;
    logic shown;

    always_comb begin
      status = '0;
      status.packet_valid = packet_valid[i];
      status.packet = mold_cause_e'(packet[i]);
      {status.new_session, status.gap, status.commit, status.overflow} = {new_session[i], mold_gap[i], commit[i], overflow[i]};
      {status.messages, status.unknown_type, status.bad_length} = {messages[i], unknown_type[i], bad_length[i]};
      status.lost = lost[i];
      {status.fast.wire_rate, status.fast.unread} = {wire_rate[i], unread[i]};
      {status.fast.error_valid, status.fast.error} = {error_valid[i], error[i]};
      {status.fast.fault_valid, status.fast.fault} = {fault_valid[i], fault[i]};
      {status.fast.lag_valid, status.fast.lag} = {lag_valid[i], lag[i]};
    end
    assign setting[i] = setting_struct;

    arbiter_registers arbiter_registers (
        .clk,
        .rst,
        .csr(part[3*i].stage),
        .shown,
        .status('{
            events: arbiter_events[i],
            overflow: feed_overflow[i],
            gap: gap[i],
            gap_from: gap_from[i],
            gap_to: gap_to[i]
        }),
        .setting(setting_struct)
    );

    feed_registers #(
        .FEED (i),
        .FEEDS(2)
    ) feed_registers (
        .clk,
        .rst,
        .csr(part[3*i+1].stage),
        .status,
        .itch50(itch50[i]),
        .shown
    );

    fast_registers fast_registers (
        .clk,
        .rst,
        .csr(part[3*i+2].stage),
        .shown,
        .status(status.fast)
    );
  end
endmodule
