// Takes from a line the frames that the control plane answers, and gives them out byte by byte.
//
//   line ─ frame_store ─ bytes ─ register ─ out      claimed: the frame is taken, the host does not need it
//            └ control_filter
//
// `claimed` is about the frame with the verdict. A frame is claimed if `up`, its FCS is good, control_filter takes it, and its cause is one that such
// a frame has; a claimed frame that finds no room is dropped.
//
// Latency: verdict to the first byte 6 cycles (W = 8) or 7. Throughput: line rate in; a byte a cycle out, as the reader is ready: at W = 64
// an eighth of the line, which limits the work that the control plane can be given.
// Parameters: W; WORDS of memory, beats, a power of two: at least one frame. Overflow: reported by `overflow`.
module control_rx
  import tickwire_pkg::*;
#(
    parameter int W = 64,
    parameter int WORDS = W == 8 ? 2048 : 512
) (
    input  logic              clk,
    input  logic              rst,
    input  logic              up,
    line_if.snk               line,
    input  logic              cause_valid,  // net_rx: 2 cycles after the frame's last beat
    input  net_cause_e        cause,
    input  logic       [47:0] local_mac,
    input  logic       [31:0] local_ip,
    output logic              claimed,
    output logic              overflow,
    tx_stream_if.src          out           // 8 bits: complete frames, FCS included
);
  logic beat_valid, beat_last, arp, icmp, igmp;
  logic [W-1:0] beat_data;
  logic commit_unused;
  tx_stream_if #(.W(W)) stored ();
  tx_stream_if #(.W(W)) words ();
  tx_stream_if #(.W(8)) bytes ();

  control_filter #(
      .W(W)
  ) filter (
      .clk,
      .rst,
      .beat_valid,
      .beat_last,
      .beat_data,
      .local_mac,
      .local_ip,
      .arp,
      .icmp,
      .igmp
  );

  always_comb begin
    unique case (cause)
      CAUSE_OTHER_MAC: claimed = up && (arp || igmp);
      CAUSE_OTHER_ETHERTYPE: claimed = up && arp;
      CAUSE_IP_OPTIONS: claimed = up && igmp;
      CAUSE_OTHER_PROTOCOL: claimed = up && icmp;
      default: claimed = 1'b0;
    endcase
  end

  frame_store #(
      .W(W),
      .WORDS(WORDS)
  ) store (
      .clk,
      .rst,
      .line,
      .beat_valid,
      .beat_last,
      .beat_data,
      .verdict(cause_valid),
      .wanted(claimed),
      .refused(1'b0),
      .kept(commit_unused),
      .overflow,
      .out(stored.src)
  );

  // The memory is slow.
  tx_register #(
      .W(W),
      .FROM_MEMORY(1'b1)
  ) word_register (
      .clk,
      .rst,
      .in (stored.snk),
      .out(words.src)
  );

  if (W == 8) begin : gen_byte
    assign bytes.valid = words.valid;
    assign bytes.data = words.data;
    assign bytes.last = words.last;
    assign words.ready = bytes.ready;
  end else begin : gen_word
    // A word is shifted out; `keep` says whether another byte follows.
    logic [W-1:0] data_reg;
    logic [W/8-1:0] keep_reg;
    logic last_reg;
    assign bytes.valid = keep_reg[0];
    assign bytes.data  = data_reg[7:0];
    assign bytes.last  = last_reg && !keep_reg[1];
    assign words.ready = !keep_reg[0] || (bytes.ready && !keep_reg[1]);
    always_ff @(posedge clk) begin
      if (words.ready) begin
        data_reg <= words.data;
        keep_reg <= words.valid ? words.keep : '0;
        last_reg <= words.last;
      end else if (bytes.ready) begin
        data_reg <= data_reg >> 8;
        keep_reg <= keep_reg >> 1;
      end
      if (rst) keep_reg <= '0;
    end
  end
  assign bytes.keep = '1;

  tx_register #(
      .W(8)
  ) byte_register (
      .clk,
      .rst,
      .in (bytes.snk),
      .out(out)
  );
endmodule
