// Takes sequence number and message count out of the packets of a line, as they pass, and gives them with the beats.
//
// Latency: 0; in the beat that completes them (`here`) they are `now`, from the cycle after on also `held`, until the next packet's.
// Throughput: a beat a cycle. Parameters: W; PROTOCOL says where they are. Overflow: none.
module packet_number
  import arbiter_pkg::*;
#(
    parameter int W = 64,
    parameter protocol_t PROTOCOL = MoldUdp64
) (
    input logic          clk,
    input logic          rst,
    stream_if.snk        line,
    arbiter_line_if.src  out
);
  localparam int N = W / 8;
  localparam int Beat = number_beat(W, PROTOCOL);
  localparam int LastLane = (header_bytes(PROTOCOL) - 1) % N;
  localparam int BeatBits = $clog2(Beat + 2);

  logic first, here, short_end, end_now;
  logic [PROTOCOL.sequence_bits-1:0] sequence_now;
  logic [CountBits-1:0] count_field, count_now;
  logic [BeatBits-1:0] beat;  // of the packet, stops after the number's
  logic in_packet_reg, numbered_reg;
  logic at_number_reg;  // this beat holds the number

  always_comb begin
    {out.valid, out.data, out.keep, out.last, out.err} = {line.valid, line.data, line.keep, line.last, line.err};
    {out.first, out.here, out.due, out.short_end} = {first, here, at_number_reg, short_end};
    {out.sequence_now, out.count_field, out.count_now, out.end_now} = {sequence_now, count_field, count_now, end_now};
  end

  assign first = line.valid && !in_packet_reg;
  assign here = line.valid && at_number_reg && line.keep[LastLane];
  assign short_end = !(at_number_reg && line.keep[LastLane]) && !numbered_reg;

  always_ff @(posedge clk) begin
    if (line.valid && beat <= BeatBits'(Beat)) beat <= beat + 1'b1;
    if (line.valid) at_number_reg <= Beat != 0 && beat == BeatBits'(Beat - 1);
    in_packet_reg <= in_packet_reg || line.valid;
    numbered_reg <= numbered_reg || here;
    if (rst || (line.valid && line.last)) begin
      beat <= '0;
      at_number_reg <= Beat == 0;
      in_packet_reg <= 1'b0;
      numbered_reg <= 1'b0;
    end
  end

  // The packet's first bytes that have come so far; those of earlier beats from registers.
  /* verilator lint_off UNUSEDSIGNAL */  // not all belong to number or count
  logic [header_bytes(PROTOCOL)-1:0][7:0] header;
  /* verilator lint_on UNUSEDSIGNAL */
  for (genvar i = 0; i < header_bytes(PROTOCOL); i++) begin : gen_byte
    if (i / N == Beat) begin : gen_now
      assign header[i] = line.data[8*(i%N)+:8];
    end else begin : gen_before
      logic [7:0] byte_reg;
      always_ff @(posedge clk) if (line.valid && beat == BeatBits'(i / N)) byte_reg <= line.data[8*(i%N)+:8];
      assign header[i] = byte_reg;
    end
  end

  // Byte i of a field of `bytes`, 0 the least significant, is at this offset.
  function automatic int place(input int i, input int bytes);
    return PROTOCOL.little_endian != 0 ? i : bytes - 1 - i;
  endfunction

  /* verilator lint_off UNUSEDSIGNAL */  // OPRA: 31 of 32 bits
  logic [8*PROTOCOL.sequence_bytes-1:0] sequence_field;
  /* verilator lint_on UNUSEDSIGNAL */
  for (genvar i = 0; i < PROTOCOL.sequence_bytes; i++) begin : gen_sequence
    assign sequence_field[8*i+:8] = header[PROTOCOL.sequence_offset+place(i, PROTOCOL.sequence_bytes)];
  end
  for (genvar i = 0; i < CountBits / 8; i++) begin : gen_count
    if (PROTOCOL.count_bytes == 0) begin : gen_one
      assign count_field[8*i+:8] = i == 0 ? 8'd1 : 8'd0;
    end else if (i < PROTOCOL.count_bytes) begin : gen_field
      assign count_field[8*i+:8] = header[PROTOCOL.count_offset+place(i, PROTOCOL.count_bytes)];
    end else begin : gen_none
      assign count_field[8*i+:8] = '0;
    end
  end

  assign end_now = PROTOCOL.count_end != 0 && count_field == CountBits'(PROTOCOL.count_end);
  assign count_now = end_now ? '0 : count_field;
  assign sequence_now = sequence_field[PROTOCOL.sequence_bits-1:0];

  always_ff @(posedge clk) begin
    if (here) begin
      out.sequence_held <= sequence_now;
      out.count_held <= count_now;
      out.end_held <= end_now;
    end
  end
endmodule
