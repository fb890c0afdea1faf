// Makes one feed out of its lines: the arbiter, and the choice of the decoder's input (a single line, or one of the arbiter's outputs).
//
//   line A ─┬─ arbiter ─┐
//           ├───────────┴─ feed_select ─ out
//   line B ─┘
//
// Latency: 1 cycle, through the arbiter 2 (low latency). Throughput: a beat a cycle. Parameters: W; LINES, 1: there is no line B and no arbiter;
// PROTOCOL; PACKETS: see arbiter, 0: no high-reliability output, whose packets never come; SETTLE: see feed_select. Overflow: as arbiter and feed_select: dropped and counted.
module arbiter_stage
  import arbiter_pkg::*;
#(
    parameter int W = 64,
    parameter int LINES = 2,
    parameter protocol_t PROTOCOL = MoldUdp64,
    parameter int PACKETS = 8,
    parameter int SETTLE = 0
) (
    input logic            clk,
    input logic            rst,
    input arbiter_config_t setting,

    stream_if.snk line_a,
    stream_if.snk line_b,
    stream_if.src out,

    output logic            arbitrated,  // with a packet on `out`: it came through the arbiter
    output arbiter_status_t status
);
  localparam int Sequence = PROTOCOL.sequence_bits;

  stream_if #(.W(W)) low_latency ();
  stream_if #(.W(W)) high_reliability ();
  logic [1:0][Sequence-1:0] gap_from, gap_to;

  if (LINES == 2 && PACKETS != 0) begin : gen_arbiter
    arbiter #(
        .W(W),
        .PROTOCOL(PROTOCOL),
        .PACKETS(PACKETS)
    ) arbiter (
        .clk,
        .rst,
        .a(line_a),
        .b(line_b),
        .mode(setting.window),
        .time_window(setting.time_window),
        .count_window(setting.count_window),
        .idle_limit(setting.idle_limit),
        .flush(setting.flush),
        .low_latency(low_latency.src),
        .high_reliability(high_reliability.src),
        .events(status.events),
        .gap(status.gap),
        .gap_from,
        .gap_to
    );
  end else if (LINES == 2) begin : gen_low_latency
    low_latency_arbiter #(
        .W(W),
        .PROTOCOL(PROTOCOL)
    ) arbiter (
        .clk,
        .rst,
        .a(line_a),
        .b(line_b),
        .idle_limit(setting.idle_limit),
        .out(low_latency.src),
        .events(status.events),
        .gap(status.gap[0]),
        .gap_from(gap_from[0]),
        .gap_to(gap_to[0])
    );
    assign {status.gap[1], gap_from[1], gap_to[1]} = '0;
    assign {high_reliability.valid, high_reliability.data, high_reliability.keep, high_reliability.last, high_reliability.err} = '0;
    logic unused;
    assign unused = &{1'b0, setting};
  end else begin : gen_no_arbiter
    assign {low_latency.valid, low_latency.data, low_latency.keep, low_latency.last, low_latency.err} = '0;
    assign {high_reliability.valid, high_reliability.data, high_reliability.keep, high_reliability.last, high_reliability.err} = '0;
    assign status.events = '0;
    assign {status.gap, gap_from, gap_to} = '0;
    logic unused;
    assign unused = &{1'b0, setting};
  end

  for (genvar i = 0; i < 2; i++) begin : gen_gap
    assign status.gap_from[i] = 64'(gap_from[i]);
    assign status.gap_to[i]   = 64'(gap_to[i]);
  end

  feed_select #(
      .W(W),
      .SETTLE(PROTOCOL.length_offset == 0 ? 0 : SETTLE),
      .LENGTH_OFFSET(PROTOCOL.length_offset)
  ) feed_select (
      .clk,
      .rst,
      .source(LINES == 2 ? setting.source : SOURCE_LINE_A),
      .a(line_a),
      .b(line_b),
      .low_latency(low_latency.snk),
      .high_reliability(high_reliability.snk),
      .arbitrated,
      .overflow(status.overflow),
      .out
  );
endmodule
