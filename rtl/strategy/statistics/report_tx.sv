// Sends the report: a header and a 64-byte record for each instrument, in datagrams (parts) of up to 16.
//
//   header ──┐
//   name ────┼─ word of 8 bytes ─ register ─ beats
//   values ──┘
//
// Both widths are built from 8-byte words; at W = 8 the word's register shifts. The values of a side are read three words before they are needed.
//
// Latency: start to request_valid 1 cycle, to the first beat 2 cycles. Throughput: a beat a cycle, without a pause once the second is
// known (SecondReady). Parameters: W; INSTRUMENTS. Overflow: start is only allowed while not busy (asserted).
module report_tx #(
    parameter int W = 64,
    parameter int INSTRUMENTS = 16
) (
    input logic clk,
    input logic rst,

    input logic       start,
    input logic       itch50,
    input logic       accumulate,
    input logic [8:0] symbol_count,  // 1 to INSTRUMENTS; a value outside counts as the nearest one inside
    output logic      busy,          // from the cycle after start until the last beat of the last part is taken
    output logic      sent,          // in that cycle

    // Steady from start (second: from SecondReady on) until not busy.
    input logic                      [31:0] second,
    input logic                      [63:0] sequence_number,
    /* verilator lint_off UNUSEDSIGNAL */  // new_session is not used here
    input tickwire_pkg::feed_info_t         boundary_feed,
    /* verilator lint_on UNUSEDSIGNAL */

    input logic                       name_write,
    input logic [               63:0] name_symbol,
    input logic [$clog2(INSTRUMENTS)-1:0] name_index,

    output logic [$clog2(INSTRUMENTS):0] read_entry,
    output logic                     read,
    input  logic                     read_valid,
    input  logic [            223:0] read_data,
    input  logic                     read_none,

    output logic            request_valid,
    input  logic            request_ready,
    output logic [15:0]     payload_length,
    tx_stream_if.src payload
);
  localparam int Index = $clog2(INSTRUMENTS);
  localparam int Beats = 64 / W;  // in a word
  // Cycles counted from the one after start: the divider of second_tracker, the pipeline of statistics. After the first wait
  // the second needs none: there are five words between them (asserted).
  localparam logic [3:0] SecondReady = W == 8 ? 4'd7 : 4'd4;
  localparam logic [3:0] StatisticsReady = 4'd5;

  if (W != 8 && W != 64) begin : g_width
    $fatal(1, "report_tx: W is 8 or 64");
  end

  function automatic logic [63:0] wire_order(input logic [63:0] word);
    for (int i = 0; i < 8; i++) wire_order[8*i+:8] = word[56-8*i+:8];
  endfunction

  // ---- what is reported ---------------------------------------------------------------------------

  logic [31:0] number;
  logic [1:0] flags;
  logic [8:0] allowed, symbols, remaining;  // remaining: symbols after this part; while idle: all
  logic [4:0] parts, part, symbols_in_part;
  logic last_part, part_done;
  logic [3:0] age;

  assign payload_length = {5'b0, symbols_in_part + 5'd1, 6'b0};

  always_ff @(posedge clk) begin
    allowed <= symbol_count == '0 ? 9'd1 : symbol_count > 9'(INSTRUMENTS) ? 9'(INSTRUMENTS) : symbol_count;
    if (age != '1) age <= age + 4'd1;
    if (start) begin
      age <= '0;
      number <= number + 32'd1;
      flags <= {itch50, accumulate};
      symbols <= remaining;
      parts <= 5'((remaining + 9'd15) >> 4);
      part <= '0;
    end else if (part_done) part <= part + 5'd1;
    if (start || part_done) begin
      last_part <= remaining <= 9'd16;
      symbols_in_part <= remaining <= 9'd16 ? 5'(remaining) : 5'd16;
      remaining <= remaining - 9'd16;
    end else if (!busy) remaining <= allowed;
    if (rst) begin
      age <= '1;
      number <= '0;
    end
  end

  // ---- names --------------------------------------------------------------------------------------

  (* no_rw_check *)
  logic [63:0] names[INSTRUMENTS];
  logic [63:0] name_read, name;

  initial for (int i = 0; i < INSTRUMENTS; i++) names[i] = '0;

  always_ff @(posedge clk) begin
    name_read <= names[read_entry[Index:1]];
    name <= name_read;
    if (name_write) names[name_index] <= name_symbol;
  end

  // ---- words ----------------------------------------------------------------------------------------

  logic running, in_header, advance, stall, word_done, last_record, word_last;
  logic [7:0] at;  // the word's number, one-hot and binary
  logic [2:0] position;
  logic [4:0] records;  // of this part, including the one being sent
  logic second_ready;
  logic [223:0] buy, sell;
  logic [7:0][63:0] header_words, record_words;
  logic [W/8-1:0] full;

  assign header_words = {
    {"TWST", 8'd1, 6'b0, flags, 3'b0, part, 3'b0, parts},
    {number, second},
    16'({part, 4'b0}), 16'(symbols_in_part), 16'(symbols), boundary_feed.session,
    sequence_number,
    boundary_feed.lost,
    boundary_feed.first_sequence,
    64'b0
  };
  assign record_words = {name, buy, sell};

  assign last_record = records == 5'd1;
  assign stall = in_header && at[1] && !second_ready;
  assign advance = running && !stall && (!payload.valid || word_done);

  // Buy is read after the seventh word before its record, sell after the second word of its record; each is there three words later.
  always_ff @(posedge clk) begin
    second_ready <= !start && age >= SecondReady - 4'd1;
    read  <= advance && (at[6] && (in_header || !last_record) || at[1] && !in_header);
    if (read) read_entry <= read_entry + 1'b1;
    // Cleared by the register's reset, not in the data: no logic stands between the RAM and the register.
    if (read_valid && read_entry[0] && read_none) buy <= '0;
    else if (read_valid && read_entry[0]) buy <= read_data;
    if (read_valid && !read_entry[0] && read_none) sell <= '0;
    else if (read_valid && !read_entry[0]) sell <= read_data;
    if (advance) begin
      position <= position + 3'd1;
      at <= {at[6:0], at[7]};
      if (at[7]) begin
        in_header <= 1'b0;
        records   <= in_header ? symbols_in_part : records - 5'd1;
        if (!in_header && last_record) running <= 1'b0;
      end
    end
    if (sent || !busy) read_entry <= '0;
    if (start || part_done && !last_part) begin
      running <= 1'b1;
      in_header <= 1'b1;
      position <= '0;
      at <= 8'd1;
    end
    if (rst) begin
      running <= 1'b0;
      read <= 1'b0;
    end
  end

  // ---- beats --------------------------------------------------------------------------------------

  logic [63:0] word;
  logic [2:0] beat;
  logic last_beat;

  assign last_beat = beat == 3'(Beats - 1);
  assign word_done = payload.valid && payload.ready && last_beat;
  assign part_done = word_done && word_last;
  assign sent = part_done && last_part;

  assign full = '1;
  assign payload.data = word[W-1:0];
  assign payload.keep = full;
  assign payload.last = word_last && last_beat;

  always_ff @(posedge clk) begin
    if (payload.valid && payload.ready) begin
      word <= word >> W;
      beat <= last_beat ? '0 : beat + 3'd1;
      if (last_beat) payload.valid <= 1'b0;
    end
    if (advance) begin
      payload.valid <= 1'b1;
      word <= wire_order(in_header ? header_words[~position] : record_words[~position]);
      word_last <= !in_header && at[7] && last_record;
    end
    if (start || part_done && !last_part) request_valid <= 1'b1;
    else if (request_ready) request_valid <= 1'b0;
    if (start) busy <= 1'b1;
    else if (sent) busy <= 1'b0;
    if (rst) begin
      payload.valid <= 1'b0;
      beat <= '0;
      request_valid <= 1'b0;
      busy <= 1'b0;
    end
  end

  assert property (@(posedge clk) disable iff (rst) !start || !busy);
  assert property (@(posedge clk) disable iff (rst) !read || age >= StatisticsReady);
endmodule
