// Sends frames, from the destination MAC on and without FCS, on GMII (W = 8) or XGMII (W = 64): see gmii_tx and xgmii_tx.
//
// Frames of any length; shorter ones are padded to 60 bytes. `keep` is full on all but the last beat and contiguous there; bytes outside it are 0.
//
// Latency: first beat valid at `in` to first preamble byte on the MII: 1 cycle at both widths.
// Throughput: a beat a cycle within a frame; at W = 64 not ready for 3 cycles between frames, at W = 8 for the 24 of preamble, FCS, gap.
// Underrun: a frame whose next beat is not valid when it is due is ended with an error and a wrong FCS, `underrun` pulses, the rest of
// the frame is taken and thrown away; the next one is sent normally.
module mac_tx #(
    parameter int W = 64
) (
    input  logic                      clk,
    input  logic                      rst,
    tx_stream_if.snk           in,
    output logic            [  W-1:0] mii_data,
    output logic            [W/8-1:0] mii_control,  // GMII: tx_en. XGMII: a control bit a byte
    output logic                      mii_error,    // GMII: tx_er. XGMII: 0
    output logic                      started,      // the first preamble byte is on the MII
    output logic                      underrun
);
  if (W == 8) begin : gen_gmii
    gmii_tx gmii_tx (
        .clk,
        .rst,
        .in,
        .mii_data,
        .mii_control,
        .mii_error,
        .started,
        .underrun
    );
  end else if (W == 64) begin : gen_xgmii
    xgmii_tx xgmii_tx (
        .clk,
        .rst,
        .in,
        .mii_data,
        .mii_control,
        .started,
        .underrun
    );
    assign mii_error = 1'b0;
  end else begin : gen_unknown
    $fatal(1, "mac_tx: W is %0d; GMII has 8 bits a beat, XGMII 64", W);
  end

  // ---- what the source owes -----------------------------------------------------------------------

  logic waiting;  // a beat was offered and not taken
  always_ff @(posedge clk) waiting <= !rst && in.valid && !in.ready;

  assert property (@(posedge clk) disable iff (rst) !waiting || in.valid);
  assert property (@(posedge clk) disable iff (rst) !in.valid || in.keep[0]);
  assert property (@(posedge clk) disable iff (rst) !in.valid || in.last || &in.keep);
  assert property (@(posedge clk) disable iff (rst) !in.valid || ((in.keep + 1'b1) & in.keep) == '0);
  for (genvar i = 0; i < W / 8; i++) begin : gen_outside
    assert property (@(posedge clk) disable iff (rst) !in.valid || in.keep[i] || in.data[8*i+:8] == 8'h00);
  end
endmodule
