// Sends frames on XGMII, 64 bits a beat: start in lane 0, preamble, SFD, the frame padded to 60 bytes, FCS, terminate, gap.
//
//   in ─ pad ─┬─ beat ────────────────────┐
//             └─ CRC, by 8 and 4 bytes ───┴─ FCS merged behind the last byte ─ register ─ mii
//
// Bytes of `in` outside `keep` must be 0.
//
// The FCS begins in the lane behind the last byte, so it is needed in the cycle after the last beat was taken. The first stage advances
// the CRC by 8 bytes and, beside it, by 4; the second takes back the zeros behind the last byte, 0 to 3, in all four ways at once, each
// already turned to the lanes it would go to, and picks one. That is less than to advance by what is left: the data takes no part in it.
//
// Latency: first beat valid at `in` to the start beat on the MII: 1 cycle; a beat taken at `in` is on the MII 2 cycles later.
// Throughput: a beat a cycle within a frame, then 3 cycles of not ready: a gap of 12 to 19 bytes, terminate included, the least that lane 0
// starts allow.
// Underrun: no beat when one is due ends the frame with a beat of error codes in place of the FCS, then terminate; the rest of it is taken
// and thrown away.
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

  state_e state;
  logic [2:0] index;  // of the beat in its frame, modulo 8
  logic at_minimum, enough;  // this beat holds byte 60; it does or lies behind it
  logic [1:0] gap;
  logic start, take, starved, pad, emit, final_beat;
  logic [63:0] padded;
  logic [ 7:0] keep;  // with padding: not full only where the frame ends
  lane_e [7:0] last_lane, tail_lane, tail_lane_next;
  logic [3:0][7:0] last_pick;
  logic [3:0][3:0] tail_pick, tail_pick_next;

  // What the second stage works on.
  logic [63:0] data;
  logic [31:0] crc;  // up to the end of the beat
  logic [31:0] crc_half;  // up to its middle
  logic half;  // the frame ends in the beat's first half
  lane_e [7:0] lane;
  logic [3:0][7:0] pick;  // lanes that hold the FCS if 0, 1, 2, 3 zeros are to be taken back
  logic failed;

  assign in.ready = state == IDLE || state == FRAME || state == DRAIN;
  assign start = state == IDLE && in.valid;
  assign take = in.valid && (state == IDLE || state == FRAME);
  assign starved = state == FRAME && !in.valid;
  assign pad = state == PAD;
  assign emit = take || pad;
  assign final_beat = (take && in.last && enough) || (pad && at_minimum);
  assign padded = pad ? '0 : in.data;
  assign keep = {in.keep[7:4] & {4{!pad}}, in.keep[3:0] | {4{at_minimum}}} | {8{!enough}};

  // Where FCS and terminate code go if `n` bytes are in the last beat: from lane n on, the remainder in the beat behind it, the tail.
  always_comb begin
    for (int i = 0; i < 8; i++) begin
      if (keep[i]) last_lane[i] = LANE_DATA;
      else if (i < 4 || keep[(i+4)%8]) last_lane[i] = LANE_FCS;
      else if (i > 4 && keep[(i+3)%8]) last_lane[i] = LANE_TERMINATE;
      else last_lane[i] = LANE_IDLE;

      if (i < 4 && keep[(i+4)%8]) tail_lane_next[i] = LANE_FCS;
      else if (i <= 4 && keep[(i+3)%8]) tail_lane_next[i] = LANE_TERMINATE;
      else tail_lane_next[i] = LANE_IDLE;
    end
    if (starved) begin  // four error codes more in place of an FCS fill the beat: terminate is first in the tail
      tail_lane_next = {8{LANE_IDLE}};
      tail_lane_next[0] = LANE_TERMINATE;
    end
  end

  // A lane that holds FCS with `n` zeros to be taken back belongs to one length of the last beat only.
  function automatic logic ends_at(input logic [7:0] bytes, input int length);
    if (length < 1 || length > 8) return 1'b0;
    return length == 8 ? bytes[7] : bytes[length-1] && !bytes[length];
  endfunction

  always_comb begin
    for (int n = 0; n < 4; n++) begin
      for (int i = 0; i < 8; i++) last_pick[n][i] = ends_at(keep, i - (i + n) % 4) && !keep[i];
      for (int i = 0; i < 4; i++) tail_pick_next[n][i] = ends_at(keep, i + 8 - (i + n) % 4) && !starved;
    end
  end

  always_ff @(posedge clk) begin
    underrun <= starved;
    failed <= starved;
    data <= starved ? {8{Error}} : padded;
    lane <= emit ? last_lane : starved ? {8{LANE_DATA}} : tail_lane;
    for (int n = 0; n < 4; n++) pick[n] <= emit ? last_pick[n] : {4'h0, tail_pick[n]};
    tail_lane <= final_beat || starved ? tail_lane_next : {8{LANE_IDLE}};
    tail_pick <= final_beat ? tail_pick_next : '0;

    // The CRC and what belongs to it stand still behind the last beat, because the tail sends the rest of the FCS.
    if (emit) begin
      crc <= crc32_step64(crc, padded);
      crc_half <= crc32_step32(crc, padded[31:0]);
      half <= !keep[4];

      index <= index + 3'd1;
      at_minimum <= index == BeforeMinimum && !enough;
      enough <= index == BeforeMinimum || enough;
    end

    unique case (state)
      IDLE, FRAME: begin
        if (starved) state <= DRAIN;
        else if (take) begin
          if (!in.last) state <= FRAME;
          else if (!enough) state <= PAD;
          else state <= GAP;
        end
      end
      PAD:   if (at_minimum) state <= GAP;
      DRAIN: if (in.valid && in.last) state <= GAP;
      default: begin
        gap <= gap + 2'd1;
        if (gap == 2'd2) begin
          gap <= '0;
          index <= '0;
          at_minimum <= 1'b0;
          enough <= 1'b0;
          crc <= '1;
          state <= IDLE;
        end
      end
    endcase

    if (rst) begin
      state <= GAP;
      gap <= '0;
      lane <= {8{LANE_IDLE}};
      tail_lane <= {8{LANE_IDLE}};
      pick <= '0;
      tail_pick <= '0;
      failed <= 1'b0;
      underrun <= 1'b0;
    end
  end

  // ---- second stage: finish the CRC, merge it behind the data -------------------------------------
  // Which of the four FCS goes to a lane was found in the first stage (`pick`), so that nothing but an OR is behind the CRC.

  logic [31:0] base, less_1, less_2, less_3;
  logic [3:0][31:0] turned;  // the FCS for each, its first byte in the lane, modulo 4, it goes to
  logic [63:0] merged;

  assign base   = half ? crc_half : crc;
  assign less_1 = ~crc32_unstep8(base);
  assign less_2 = ~crc32_unstep16(base);
  assign less_3 = ~crc32_unstep24(base);
  assign turned = {{less_3[23:0], less_3[31:24]}, {less_2[15:0], less_2[31:16]}, {less_1[7:0], less_1[31:8]}, ~base};

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

  always_ff @(posedge clk) begin
    started  <= start;
    mii_data <= merged;
    for (int i = 0; i < 8; i++) mii_control[i] <= lane[i] == LANE_TERMINATE || lane[i] == LANE_IDLE || failed;
    if (start) begin
      mii_data <= StartBeat;
      mii_control <= 8'h01;
    end
    if (rst) started <= 1'b0;
  end
endmodule
