// Sends frames on XGMII, 64 bits a beat: start in lane 0, preamble, SFD, the frame padded to 60 bytes, FCS, terminate, gap.
//
//   in ─ pad ─┬─ beat ────────────────────┐
//             └─ CRC, by 8 and 4 bytes ───┴─ FCS merged after the last byte ─ register ─ mii
//
// Bytes of `in` outside `keep` must be 0.
//
// The FCS begins in the lane after the last byte, so it is needed in the cycle after the last beat was taken. The first stage advances
// the CRC by 8 bytes and, beside it, by 4; the second takes back the 0 to 3 zeros after the last byte, all four cases at once, each
// already rotated to its lanes, and picks one. That is less logic than to advance by the bytes left: the data takes no part in it.
//
// `valid`, which comes late, decides only the next state, and whether a beat is a frame's first: in IDLE everything is computed as if it
// were. Where FCS and terminate go is found in the second stage, beside the CRC.
//
// Latency: first beat valid at `in` to the start beat on the MII: 1 cycle; a beat taken at `in` is on the MII 2 cycles later.
// Throughput: a beat a cycle within a frame, then 3 cycles of not ready: a gap of 12 to 19 bytes, terminate included, the least that lane 0
// starts allow.
// Underrun: no beat when one is due ends the frame: a beat of any value, one of error codes in place of the FCS, then terminate; the rest of it
// is taken and thrown away.
module xgmii_tx
  import crc32_pkg::*;
(
    input  logic                   clk,
    input  logic                   rst,
    tx_stream_if.snk        in,
    output logic            [63:0] mii_data,
    output logic            [ 7:0] mii_control,
    output logic                   started,      // the start beat is on the MII
    output logic                   underrun
);
  localparam logic [7:0] Idle = 8'h07;
  localparam logic [7:0] Terminate = 8'hFD;
  localparam logic [7:0] Error = 8'hFE;
  localparam logic [63:0] StartBeat = 64'hD555_5555_5555_55FB;
  localparam logic [2:0] BeforeMinimum = 3'd6;  // the next beat is the one that holds byte 60, the least a frame has without FCS

  typedef enum logic [2:0] {
    IDLE,
    FRAME,
    PAD,
    GAP,
    DRAIN
  } state_e;

  typedef enum logic [1:0] {
    LANE_DATA,
    LANE_FCS,
    LANE_TERMINATE,
    LANE_IDLE
  } lane_e;

  // ---- first stage: take a beat, pad it, advance the CRC -----------------------------------------

  state_e state, state_next;
  logic [2:0] index;  // of the beat in its frame, modulo 8
  logic at_minimum, enough;  // this beat holds byte 60; it holds byte 60 or lies after it
  logic [1:0] gap;
  logic begins, start, starved, pad, ends;
  logic [63:0] padded;
  logic [ 7:0] keep;  // with padding: not full only where the frame ends
  logic [31:0] base;

  // What the second stage works on.
  logic [63:0] data;
  logic [31:0] crc;  // up to the end of the beat
  logic [31:0] crc_half;  // up to its middle
  logic half;  // the frame ends in the beat's first half
  logic [7:0] keep_reg;
  logic beat_reg;  // of a frame
  logic final_reg;  // the last of it
  logic failing_reg, error_reg;  // a beat was missing: any value, error codes; then comes terminate

  assign begins = state == IDLE;
  assign start = begins && in.valid;
  assign starved = state == FRAME && !in.valid;
  assign pad = state == PAD;
  assign ends = (state == FRAME && in.valid && in.last && enough) || (pad && at_minimum);
  assign padded = pad ? '0 : in.data;
  assign keep = {in.keep[7:4] & {4{!pad}}, in.keep[3:0] | {4{at_minimum}}} | {8{!enough || starved}};
  assign base = begins ? '1 : crc;

  always_comb begin
    state_next = state;
    unique case (state)
      IDLE: if (in.valid) state_next = in.last ? PAD : FRAME;
      FRAME: begin
        if (!in.valid) state_next = DRAIN;
        else if (in.last) state_next = enough ? GAP : PAD;
      end
      PAD: if (at_minimum) state_next = GAP;
      DRAIN: if (in.valid && in.last) state_next = GAP;
      default: if (gap == 2'd2) state_next = IDLE;
    endcase
  end

  always_ff @(posedge clk) begin
    underrun <= starved;
    data <= failing_reg ? {8{Error}} : padded;
    beat_reg <= start || state == FRAME || pad;
    final_reg <= ends;
    failing_reg <= starved;
    error_reg <= failing_reg;
    keep_reg <= keep;

    // The CRC and what belongs to it stand still after the last beat, because the tail sends the rest of the FCS.
    if (begins || state == FRAME || pad) begin
      crc <= crc32_step64(base, padded);
      crc_half <= crc32_step32(base, padded[31:0]);
      half <= !keep[4];

      index <= begins ? 3'd1 : index + 3'd1;
      at_minimum <= index == BeforeMinimum && !enough && !begins;
      enough <= (index == BeforeMinimum || enough) && !begins;
    end

    state <= state_next;
    in.ready <= state_next inside {IDLE, FRAME, DRAIN};  // from a flip-flop: the sources are far
    if (state == GAP) begin
      gap <= gap == 2'd2 ? '0 : gap + 2'd1;
      if (gap == 2'd2) {at_minimum, enough} <= '0;
    end

    if (rst) begin
      state <= GAP;
      in.ready <= 1'b0;
      gap <= '0;
      {beat_reg, final_reg} <= '0;
      {failing_reg, error_reg} <= '0;
      underrun <= 1'b0;
    end
  end

  // ---- where FCS and terminate code go -------------------------------------------------------------
  // If `n` bytes are in the last beat: from lane n on, the remainder in the beat after it, the tail.

  // What stands where after a frame's last beat is worked out a cycle ahead.

  lane_e [7:0] lane, lane_after_reg;
  logic [3:0][7:0] pick;  // lanes that hold the FCS if 0, 1, 2, 3 zeros are to be taken back
  logic [3:0][3:0] pick_after_reg;

  always_comb begin
    for (int i = 0; i < 8; i++) begin
      lane[i] = lane_after_reg[i];
      if (beat_reg) begin
        if (keep_reg[i]) lane[i] = LANE_DATA;
        else if (i < 4 || keep_reg[(i+4)%8]) lane[i] = LANE_FCS;
        else if (i > 4 && keep_reg[(i+3)%8]) lane[i] = LANE_TERMINATE;
        else lane[i] = LANE_IDLE;
      end
    end
  end

  always_ff @(posedge clk) begin
    for (int i = 0; i < 8; i++) begin
      lane_after_reg[i] <= LANE_IDLE;
      if (failing_reg) lane_after_reg[i] <= LANE_DATA;
      else if (final_reg && i < 4 && keep_reg[(i+4)%8]) lane_after_reg[i] <= LANE_FCS;
      else if (final_reg && i <= 4 && keep_reg[(i+3)%8]) lane_after_reg[i] <= LANE_TERMINATE;
      else if (error_reg && i == 0) lane_after_reg[i] <= LANE_TERMINATE;  // the four error codes more in place of an FCS fill the beat
    end
    for (int n = 0; n < 4; n++) begin
      for (int i = 0; i < 4; i++) pick_after_reg[n][i] <= final_reg && ends_at(keep_reg, i + 8 - (i + n) % 4);
    end
    if (rst) begin
      lane_after_reg <= {8{LANE_IDLE}};
      pick_after_reg <= '0;
    end
  end

  // A lane that holds FCS with `n` zeros to be taken back belongs to one length of the last beat only.
  function automatic logic ends_at(input logic [7:0] bytes, input int length);
    if (length < 1 || length > 8) return 1'b0;
    return length == 8 ? bytes[7] : bytes[length-1] && !bytes[length];
  endfunction

  always_comb begin
    for (int n = 0; n < 4; n++) begin
      for (int i = 0; i < 8; i++) begin
        pick[n][i] = beat_reg && ends_at(keep_reg, i - (i + n) % 4) && !keep_reg[i];
        if (i < 4) pick[n][i] |= pick_after_reg[n][i];
      end
    end
  end

  // ---- second stage: finish the CRC, merge it after the data -------------------------------------
  // Which of the four FCS goes to a lane is known in parallel (`pick`), so that only an OR comes after the CRC.

  logic [31:0] crc_end, less_1, less_2, less_3;
  logic [3:0][31:0] turned;  // the FCS for each, its first byte in the lane, modulo 4, it goes to
  logic [63:0] merged;

  assign crc_end  = half ? crc_half : crc;
  assign less_1 = ~crc32_unstep8(crc_end);
  assign less_2 = ~crc32_unstep16(crc_end);
  assign less_3 = ~crc32_unstep24(crc_end);
  assign turned = {{less_3[23:0], less_3[31:24]}, {less_2[15:0], less_2[31:16]}, {less_1[7:0], less_1[31:8]}, ~crc_end};

  always_comb begin
    for (int i = 0; i < 8; i++) begin
      unique case (lane[i])
        LANE_DATA: merged[8*i+:8] = data[8*i+:8];
        LANE_FCS: merged[8*i+:8] = 8'h00;
        LANE_TERMINATE: merged[8*i+:8] = Terminate;
        default: merged[8*i+:8] = Idle;
      endcase
      for (int n = 0; n < 4; n++) merged[8*i+:8] |= turned[n][8*(i%4)+:8] & {8{pick[n][i]}};
    end
  end

  // Nothing of a frame is left when IDLE comes.
  always_ff @(posedge clk) begin
    started  <= start;
    mii_data <= !begins ? merged : in.valid ? StartBeat : {8{Idle}};
    for (int i = 0; i < 8; i++) begin
      mii_control[i] <= begins ? i == 0 || !in.valid : lane[i] == LANE_TERMINATE || lane[i] == LANE_IDLE || error_reg;
    end
    if (rst) started <= 1'b0;
  end

  assert property (@(posedge clk) disable iff (rst) !begins || !(beat_reg || error_reg || lane_after_reg != {8{LANE_IDLE}}));
endmodule
