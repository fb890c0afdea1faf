// Stores the good frames of a line that no other module takes (other protocols, ports or groups), until the host takes them.
//
//   line ─ frame_store ─ out     the verdict commits a frame, or takes it back
//
// It only listens to the line, so no market frame ever waits for it. A frame is stored if its FCS and headers are good, it was not accepted, it is
// not claimed (control_rx), and it is addressed to us or to a group (broadcast with them); FCS included, as received.
//
// Latency: verdict to the frame's first beat on `out` 3 cycles. Throughput: line rate in; a beat a cycle out, as the host is ready.
// Parameters: W; WORDS of memory, beats, a power of two. Overflow: a frame that finds no room is dropped, with a pulse of `overflow`.
module host_frames
  import tickwire_pkg::*;
#(
    parameter int W = 64,
    parameter int WORDS = 2048
) (
    input logic       clk,
    input logic       rst,
    line_if.snk       line,
    input logic       cause_valid,  // net_rx: 2 cycles after the frame's last beat
    input net_cause_e cause,
    input logic       claimed,      // with cause_valid: another module has taken the frame
    tx_stream_if.src  out,
    output logic      kept,         // pulses
    output logic      overflow
);
  logic to_group_reg, wanted;
  logic beat_valid_unused, beat_last_unused;
  logic [W-1:0] beat_data_unused;

  if (W == 8) begin : gen_byte
    always_ff @(posedge clk) if (line.valid && line.first) to_group_reg <= line.data[0];
  end else begin : gen_word
    always_ff @(posedge clk) if (line.valid && line.first) to_group_reg <= line.data[line.offset?W/2 : 0];
  end

  always_comb begin
    unique case (cause)
      CAUSE_OTHER_ETHERTYPE, CAUSE_IP_OPTIONS, CAUSE_FRAGMENT, CAUSE_OTHER_IP, CAUSE_OTHER_PROTOCOL, CAUSE_OTHER_PORT: wanted = 1'b1;
      CAUSE_OTHER_MAC: wanted = to_group_reg;
      default: wanted = 1'b0;
    endcase
  end

  frame_store #(
      .W(W),
      .WORDS(WORDS)
  ) store (
      .clk,
      .rst,
      .line,
      .beat_valid(beat_valid_unused),
      .beat_last(beat_last_unused),
      .beat_data(beat_data_unused),
      .verdict(cause_valid),
      .wanted,
      .refused(claimed),
      .kept,
      .overflow,
      .out
  );
endmodule
