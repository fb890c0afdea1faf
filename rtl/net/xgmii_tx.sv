// Sends frames on XGMII, 64 bits a beat: start in lane 0, preamble, SFD, the frame padded to 60 bytes, FCS, terminate, gap.
//
//   in ─ mask, pad ─┬─ beat ─────────────────┐
//                   └─ CRC by 8 or 4 bytes ──┴─ by 1 to 3 bytes, FCS merged ─ register ─ mii
//
// The FCS begins in the lane behind the last byte, so it is needed in the beat after the last one was taken. The first stage advances
// the CRC by the beat's first 0, 4 or 8 bytes; the second computes the CRC for each of 0 to 3 more bytes, already turned to
// the lanes it would go to, and picks one.
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
  localparam logic [3:0] MinimumIndex = 4'd7;  // of the beat that holds byte 60, the least a frame may have without FCS

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
  logic [3:0] index;  // of the beat in its frame, stops at 8
  logic [1:0] gap;
  logic start, take, starved, pad, emit, final_beat;
  logic [7:0] keep;  // of the last beat, with padding
  logic [63:0] masked;

  // What the second stage works on.
  logic [63:0] data;
  logic [31:0] crc;
  logic [23:0] rest;  // the bytes that `crc` does not cover yet
  logic [1:0] extra;  // how many those are
  logic [7:0] last_keep;
  logic failed;
  logic ended;  // that was the last beat of a frame
  lane_e [7:0] lane, last_lane, tail_lane;

  assign in.ready   = state == IDLE || state == FRAME || state == DRAIN;
  assign start      = state == IDLE && in.valid;
  assign take       = in.valid && (state == IDLE || state == FRAME);
  assign starved    = state == FRAME && !in.valid;
  assign pad        = state == PAD;
  assign emit       = take || pad;
  assign final_beat = (take && in.last && index >= MinimumIndex) || (pad && index == MinimumIndex);
  assign keep       = {pad ? 4'h0 : in.keep[7:4], index == MinimumIndex ? 4'hF : in.keep[3:0]};

  always_comb begin
    for (int i = 0; i < 8; i++) masked[8*i+:8] = in.keep[i] && !pad ? in.data[8*i+:8] : 8'h00;
  end

  // Where the FCS and the terminate code go: from lane `n` on in the last beat of `n` bytes, the remainder in the beat after.
  always_comb begin
    for (int i = 0; i < 8; i++) begin
      if (keep[i]) last_lane[i] = LANE_DATA;
      else if (i < 4 || keep[(i+4)%8]) last_lane[i] = LANE_FCS;
      else if (i > 4 && keep[(i+3)%8]) last_lane[i] = LANE_TERMINATE;
      else last_lane[i] = LANE_IDLE;
    end
    for (int i = 0; i < 8; i++) begin
      if (i < 4 && last_keep[(i+4)%8]) tail_lane[i] = LANE_FCS;
      else if (i <= 4 && last_keep[(i+3)%8]) tail_lane[i] = LANE_TERMINATE;
      else tail_lane[i] = LANE_IDLE;
    end
  end

  always_ff @(posedge clk) begin
    underrun <= starved;
    failed   <= starved;
    ended    <= final_beat || starved;
    data     <= starved ? {8{Error}} : masked;

    if (final_beat) begin
      lane <= last_lane;
      last_keep <= keep;
    end else if (starved) begin
      lane <= {8{LANE_DATA}};
      last_keep <= 8'h0F;  // four bytes and their FCS fill the beat: terminate comes in lane 0 of the next
    end else if (emit) lane <= {8{LANE_DATA}};
    else if (ended) lane <= tail_lane;
    else lane <= {8{LANE_IDLE}};

    // The CRC and what belongs to it stand still behind the last beat, because the tail sends the rest of the FCS.
    if (emit) begin
      if (!final_beat || keep[7]) crc <= crc32_step64(crc, masked);
      else if (keep[3]) crc <= crc32_step32(crc, masked[31:0]);
      rest <= keep[3] ? in.data[55:32] : in.data[23:0];
      for (int n = 0; n < 4; n++) if (keep[n] && !keep[3] || keep[n+4] && !keep[7]) extra <= 2'(n + 1);
      if (keep[7] || (keep[3] && !keep[4])) extra <= '0;
    end

    if (emit && !index[3]) index <= index + 4'd1;
    unique case (state)
      IDLE, FRAME: begin
        if (starved) state <= DRAIN;
        else if (take) begin
          if (!in.last) state <= FRAME;
          else if (index < MinimumIndex) state <= PAD;
          else state <= GAP;
        end
      end
      PAD:   if (index == MinimumIndex) state <= GAP;
      DRAIN: if (in.valid && in.last) state <= GAP;
      default: begin
        gap <= gap + 2'd1;
        if (gap == 2'd2) begin
          gap   <= '0;
          index <= '0;
          crc   <= '1;
          state <= IDLE;
        end
      end
    endcase

    if (rst) begin
      state    <= GAP;
      gap      <= '0;
      lane     <= {8{LANE_IDLE}};
      ended    <= 1'b0;
      failed   <= 1'b0;
      underrun <= 1'b0;
    end
  end

  // ---- second stage: finish the CRC, merge it behind the data -------------------------------------

  logic [3:0][31:0] finished;  // the FCS if 0, 1, 2 or 3 bytes are left, its first byte in the lane (modulo 4) it goes to
  logic [31:0] fcs, one_more, two_more, three_more;

  assign one_more = ~crc32_step8(crc, rest[7:0]);
  assign two_more = ~crc32_step16(crc, rest[15:0]);
  assign three_more = ~crc32_step24(crc, rest);
  assign finished[0] = ~crc;
  assign finished[1] = {one_more[23:0], one_more[31:24]};
  assign finished[2] = {two_more[15:0], two_more[31:16]};
  assign finished[3] = {three_more[7:0], three_more[31:8]};
  assign fcs = finished[extra];

  always_ff @(posedge clk) begin
    started <= start;
    for (int i = 0; i < 8; i++) begin
      unique case (lane[i])
        LANE_DATA: mii_data[8*i+:8] <= data[8*i+:8];
        LANE_FCS: mii_data[8*i+:8] <= fcs[8*(i%4)+:8];
        LANE_TERMINATE: mii_data[8*i+:8] <= Terminate;
        default: mii_data[8*i+:8] <= Idle;
      endcase
      mii_control[i] <= lane[i] == LANE_TERMINATE || lane[i] == LANE_IDLE || failed;
    end
    if (start) begin
      mii_data <= StartBeat;
      mii_control <= 8'h01;
    end
    if (rst) started <= 1'b0;
  end
endmodule
