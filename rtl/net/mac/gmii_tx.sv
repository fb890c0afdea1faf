// Sends frames on GMII: preamble, SFD, the frame padded to 60 bytes, FCS, and a gap of 12 bytes.
//
//   in ──────────────┬─ CRC ─┐
//   preamble, SFD ─ data ─ FCS ─ register ─ mii
//
// Latency: first byte valid at `in` to first preamble byte on the MII: 1 cycle; a byte taken at `in` is on the MII the cycle after.
// Throughput: a byte a cycle from the SFD on; 24 bytes of preamble, FCS and gap a frame.
// Underrun: no byte when one is due ends the frame, a byte of any value later, with tx_er and a wrong FCS; the rest of it is taken and thrown away.
module gmii_tx
  import crc32_pkg::*;
(
    input  logic                  clk,
    input  logic                  rst,
    tx_stream_if.snk       in,
    output logic            [7:0] mii_data,
    output logic                  mii_control,  // tx_en
    output logic                  mii_error,    // tx_er
    output logic                  started,      // the first preamble byte is on the MII
    output logic                  underrun
);
  localparam logic [5:0] PreambleBytes = 6'd8;
  localparam logic [5:0] MinimumBytes = 6'd60;
  localparam logic [5:0] GapBytes = 6'd12;

  typedef enum logic [2:0] {
    IDLE,
    PREAMBLE,
    DATA,
    PAD,
    FCS,
    GAP,
    DRAIN
  } state_e;

  state_e state;
  logic [5:0] index;  // of the byte within its state; the frame's bytes (DATA and PAD) share one count, which wraps
  logic [1:0] fcs_index;  // of the FCS's byte: a count of its own, for `in.last` comes late, and begins it
  logic fcs_ends;
  logic long_enough;  // DATA, PAD: with this byte the frame has its 60
  logic [31:0] crc;
  logic ready_reg, starved, failed;
  logic [7:0] frame_byte;

  // A missing byte takes effect a cycle later, after another byte of any value: the FCS will be wrong, and `valid` comes from far away.
  assign in.ready   = ready_reg;  // a flip-flop, for its fan-out
  assign frame_byte = state == DATA ? in.data : 8'h00;
  assign fcs_ends = fcs_index == '1;

  always_ff @(posedge clk) begin
    started <= state == IDLE && in.valid;
    starved  <= state == DATA && !in.valid && !starved;
    underrun <= starved;

    mii_control <= state == IDLE ? in.valid : state != GAP && state != DRAIN;
    mii_error <= starved || (state == FCS && failed);
    unique case (state)
      PREAMBLE: mii_data <= index == PreambleBytes - 6'd1 ? 8'hD5 : 8'h55;
      DATA, PAD: mii_data <= frame_byte;
      FCS: mii_data <= failed ? crc[7:0] : ~crc[7:0];  // not complemented, so wrong in every bit
      default: mii_data <= 8'h55;
    endcase

    unique case (state)
      DATA, PAD: crc <= crc32_step8(crc, frame_byte);
      FCS: crc <= crc >> 8;
      default: crc <= '1;
    endcase

    unique case (state)
      PREAMBLE: ready_reg <= index == PreambleBytes - 6'd1;
      DATA: ready_reg <= in.valid && !in.last && !starved;
      FCS: ready_reg <= fcs_ends && failed;
      DRAIN: ready_reg <= !(in.valid && in.last);
      default: ready_reg <= 1'b0;
    endcase

    // `last` means nothing without `valid`: the FCS may have begun.
    if (starved) failed <= 1'b1;
    long_enough <= state inside {DATA, PAD} && (long_enough || index == MinimumBytes - 6'd2);
    index <= index + 6'd1;
    fcs_index <= state == FCS ? fcs_index + 2'd1 : '0;
    unique case (state)
      IDLE: begin
        index  <= 6'd1;
        failed <= 1'b0;
        if (in.valid) state <= PREAMBLE;
      end
      PREAMBLE:
      if (index == PreambleBytes - 6'd1) begin
        index <= '0;
        state <= DATA;
      end
      DATA, PAD: begin
        if (starved) state <= FCS;
        else if (state == PAD || in.last) state <= long_enough ? FCS : PAD;
      end
      FCS: begin
        index <= '0;
        if (fcs_ends) state <= failed ? DRAIN : GAP;
      end
      DRAIN: begin
        index <= '0;
        if (in.valid && in.last) begin
          state <= GAP;
        end
      end
      default: if (index == GapBytes - 6'd1) state <= IDLE;
    endcase

    if (rst) begin
      state       <= GAP;
      index       <= '0;
      ready_reg   <= 1'b0;
      started     <= 1'b0;
      starved     <= 1'b0;
      underrun    <= 1'b0;
      mii_control <= 1'b0;
      mii_error   <= 1'b0;
    end
  end

  assert property (@(posedge clk) disable iff (rst) ready_reg == ((state == DATA && !starved) || state == DRAIN));
endmodule
