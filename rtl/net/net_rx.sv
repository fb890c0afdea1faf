// Receives UDP from the MII: finds frames, checks everything about them, passes on the payload of those that are for us.
//
//   MII ─ gmii_rx | xgmii_rx ─┬─ udp_rx ─ payload, cause
//                             ├─ fcs_check
//                             └─ line
//
// Latency, n being the cycle in which the frame's last byte is on the MII: verdict (last beat of `out`, and `cause`) at n+3, for every
// frame; payload's first byte on the MII to first beat 2 cycles at W = 8, 3 at W = 64 (a payload that is complete in one beat waits for the
// verdict); frame's first byte to `frame_start` 1 cycle.
// Throughput: line rate, any length, any gap down to 5 bytes (XGMII) or 1 byte and an SFD (GMII). Parameters: W, 8 (GMII: mii_control[0]
// is rx_dv, mii_error rx_er) or 64 (XGMII: mii_control marks control characters, mii_error is not used); FEEDS, AT_ONCE: as udp_rx.
// Overflow: none, nothing is stored. Which frame ends in which cause: docs/reference/rules.md.
module net_rx
  import tickwire_pkg::*;
#(
    parameter int W = 64,
    parameter int FEEDS = 1,
    parameter bit AT_ONCE = 1'b0
) (
    input  logic           clk,
    input  logic           rst,
    input  logic [  W-1:0] mii_data,
    input  logic [W/8-1:0] mii_control,
    input  logic           mii_error,
    input  logic           enable,       // low: no frame begins or continues
    input  net_config_t    net_config,
    line_if.src            line,         // the frames themselves, for the other receivers
    output logic           fcs_good,     // for the frame whose last beat was on `line` in the cycle before
    stream_if.src          out,
    output logic [FEEDS-1:0] feed,       // whose it is, a bit each: from its first beat to its last
    output logic           cause_valid,  // once a frame, in the cycle of the verdict
    output net_cause_e     cause,
    output logic           frame_start
);
  line_if #(.W(W)) received ();

  if (W == 8) begin : g_gmii
    gmii_rx mac (
        .clk,
        .rst,
        .data(mii_data),
        .valid(mii_control[0] && enable),
        .error(mii_error),
        .line(received.src)
    );
    always_ff @(posedge clk) line.data <= mii_data;  // as received.data
  end else if (W == 64) begin : g_xgmii
    logic unused;
    assign unused = mii_error;
    xgmii_rx mac (
        .clk,
        .rst,
        .data(mii_data),
        .control(mii_control),
        .enable,
        .line(received.src),
        .data_copy(line.data)
    );
  end else begin : g_width
    $fatal(1, "net_rx: W must be 8 (GMII) or 64 (XGMII)");
  end

  fcs_check #(
      .W(W)
  ) fcs (
      .clk,
      .line(received.snk),
      .good(fcs_good)
  );

  udp_rx #(
      .W(W),
      .FEEDS(FEEDS),
      .AT_ONCE(AT_ONCE)
  ) udp (
      .clk,
      .rst,
      .line(received.snk),
      .fcs_good,
      .net_config,
      .out,
      .feed,
      .cause_valid,
      .cause
  );

  assign frame_start = received.valid && received.first;

  assign line.valid = received.valid;
  assign line.first = received.first;
  assign line.offset = received.offset;
  assign line.stop = received.stop;
  assign line.last = received.last;
  assign line.error = received.error;
  assign line.tag = received.tag;

endmodule
