// Collects a session message of the host, gives it the next number, completes its CheckSum, and hands it to TCP in one piece.
//
//   in ─ RAM, sums ─ complete ─ hold orders ─ number ─ digits put in ─ tx_spare ─ out ─ sent
//
// The host writes a FIX message with nine zeros for MsgSeqNum's digits, the first at `number_at`, and "10=000" and SOH at the end: both are
// checked. With `numbered` low the message goes as it is: one that is sent again, or that sets the number, has its own. Orders are held
// from when a message is complete until TCP's writer has sent it (its `ready` is back), so that numbers leave in their order.
//
// Latency: last byte to number 2 cycles or more, then a byte a cycle to `out`. Throughput: a byte a cycle in; a message at a time.
// Parameters: W. Overflow: a message of more than 2,048 bytes is thrown away, and reported.
module host_message
  import order_template_pkg::*;
#(
    parameter int W = 64
) (
    input logic clk,
    input logic rst,

    input  logic        in_valid,
    output logic        in_ready,
    input  logic [ 7:0] in_data,
    input  logic        in_last,
    input  logic        numbered,   // both steady from the message's first byte to its answer
    input  logic [10:0] number_at,

    input  logic        connected,
    output logic        hold,        // no order may take a number
    input  logic        pending,     // an order has passed risk and has no number yet
    input  logic        number_valid,
    input  number_t     number,
    /* verilator lint_off UNUSEDSIGNAL */  // not all of it is used here
    input  digit_sums_t number_sums,
    /* verilator lint_on UNUSEDSIGNAL */
    output logic        number_take,

    tx_stream_if.src out,

    output logic         answer_valid,   // pulse
    output host_answer_e answer,
    output number_t      answer_number   // the number it got, if it is numbered and sent
);
  localparam int Bytes = W / 8;
  localparam int Longest = 2048;
  localparam int Address = $clog2(Longest);
  localparam int EndBytes = 7;
  localparam logic [EndBytes-1:0][7:0] End = {8'h01, "000=01"};  // first character in [7:0]
  // Characters of End do not count in CheckSum, but are in the sum of what came.
  localparam logic [7:0] EndSum = 8'h31 + 8'h30 + 8'h3d + 8'h30 + 8'h30 + 8'h30 + 8'h01;

  typedef logic [Address:0] count_t;

  typedef enum logic [2:0] {
    COLLECT,
    JUDGE,
    HOLD,
    SEND,
    DRAIN,
    ANSWER
  } state_e;

  (* no_rw_check, ram_style = "block" *)logic [7:0] memory[Longest];
  state_e state;
  logic written, advance, judged;
  count_t length, position;  // bytes collected; to be read next
  logic [7:0] from_memory, read_byte;  // block RAM is slow: its output is registered before any multiplexer

  tx_stream_if #(.W(W)) beats ();

  // TCP is far: its readiness is looked at a cycle later.
  tx_spare #(
      .W(W)
  ) spare (
      .clk,
      .rst,
      .in(beats.snk),
      .out
  );

  assign in_ready = state == COLLECT;
  assign written = in_valid && in_ready;
  assign hold = state inside {HOLD, SEND, DRAIN};
  assign number_take = state == HOLD && connected && numbered && number_valid && !pending;
  assign advance = state == SEND && (!beats.valid || beats.ready);

  always_ff @(posedge clk) begin
    if (written) memory[length[Address-1:0]] <= in_data;
    if (advance) begin
      from_memory <= memory[position[Address-1:0]];
      read_byte   <= from_memory;
    end
  end

  // ---- what came -----------------------------------------------------------------------------------

  logic too_long, zeros, fits;
  logic [7:0] byte_sum;
  logic [EndBytes-1:0] matched;   // the last bytes match End up to this character, a bit for each

  function automatic logic in_number(input count_t byte_place);  // the byte is one of the number's
    count_t from_number;
    from_number = byte_place - count_t'(number_at);
    return from_number < count_t'(NumberDigits);
  endfunction

  always_ff @(posedge clk) begin
    if (written) begin
      byte_sum <= byte_sum + in_data;
      // End's first character occurs only once in it.
      for (int i = 0; i < EndBytes; i++) matched[i] <= in_data == End[i] && (i == 0 || matched[(i+EndBytes-1)%EndBytes]);
      if (in_number(length) && in_data != "0") zeros <= 1'b0;
      if (length == count_t'(Longest)) too_long <= 1'b1;
      else length <= length + 1'b1;
    end
    fits <= {1'b0, length} >= {2'b0, number_at} + (Address + 2)'(NumberDigits + EndBytes);
    if (number_take) byte_sum <= byte_sum - EndSum + number_sums.both;
    // Its hundreds and tens are subtracted one by one while the message leaves.
    if (state == SEND && byte_sum >= 8'd10) byte_sum <= byte_sum - (byte_sum >= 8'd100 ? 8'd100 : 8'd10);
    if (rst || state == ANSWER) begin
      byte_sum <= '0;
      matched <= '0;
      zeros <= 1'b1;
      too_long <= 1'b0;
      length <= '0;
    end
  end

  // ---- what leaves: a byte a cycle, W/8 of them a beat ---------------------------------------------

  typedef struct packed {
    logic       valid;
    logic       number;  // one of the number's digits
    logic       check;   // of CheckSum and what ends it
    logic       last;
    logic [2:0] lane;
  } place_t;

  place_t place, read;  // of from_memory, of read_byte
  logic [7:0] byte_out;
  number_t digits;
  logic [1:0] hundreds;
  logic [3:0] tens;
  logic [1:0] check_index;
  logic [3:0] check_digit;

  assign check_digit = check_index == 2'd0 ? {2'b0, hundreds} : check_index == 2'd1 ? tens : byte_sum[3:0];
  assign byte_out = read.number ? {4'h3, digits[NumberDigits-1]} : read.check ? {4'h3, check_digit} : read_byte;

  always_ff @(posedge clk) begin
    if (beats.ready) beats.valid <= 1'b0;
    if (state == HOLD) begin
      position <= '0;
      place.valid <= 1'b0;
      read.valid <= 1'b0;
      hundreds <= '0;
      tens <= '0;
      check_index <= '0;
      if (number_take) digits <= number;
    end
    if (state == SEND && byte_sum >= 8'd100) hundreds <= hundreds + 1'b1;
    else if (state == SEND && byte_sum >= 8'd10) tens <= tens + 1'b1;
    if (advance) begin
      place <= '{
          valid: position != length,
          number: numbered && in_number(position),
          check: numbered && position + count_t'(4) >= length,
          last: position + 1'b1 == length,
          lane: 3'(int'(position) % Bytes)
      };
      read <= place;
      if (position != length) position <= position + 1'b1;
      if (read.valid) begin
        if (read.lane == '0) beats.data <= '0;  // what is outside `keep` stays so
        for (int i = 0; i < Bytes; i++) begin
          if (read.lane == 3'(i)) beats.data[8*i+:8] <= read.check && read.last ? read_byte : byte_out;
          beats.keep[i] <= read.lane >= 3'(i);
        end
        beats.last  <= read.last;
        beats.valid <= read.last || read.lane == 3'(Bytes - 1);
        if (read.number) digits <= digits << 4;
        if (read.check) check_index <= check_index + 1'b1;
      end
    end
    if (rst) beats.valid <= 1'b0;
  end

  // ---- one after the other -------------------------------------------------------------------------

  always_ff @(posedge clk) begin
    answer_valid <= 1'b0;
    unique case (state)
      COLLECT: if (in_valid && in_last) state <= JUDGE;
      JUDGE: begin
        answer_number <= '0;
        answer <= too_long ? HOST_MESSAGE_TOO_LONG : !connected ? HOST_MESSAGE_NO_SESSION : HOST_MESSAGE_MALFORMED;
        judged <= 1'b1;
        // `fits` lags the length by a cycle.
        if (judged) state <= too_long || !connected || (numbered && !(fits && zeros && matched[EndBytes-1])) ? ANSWER : HOLD;
      end
      HOLD: begin
        if (number_take) answer_number <= number;
        if (number_take || (!numbered && connected && !pending)) state <= SEND;
        if (!connected) begin
          answer <= HOST_MESSAGE_NO_SESSION;
          state  <= ANSWER;
        end
      end
      SEND: if (out.valid && out.ready && out.last) state <= DRAIN;
      // The writer is not ready from the message's last beat until it is sent, or thrown away.
      DRAIN:
      if (out.ready) begin
        answer <= HOST_MESSAGE_SENT;
        state  <= ANSWER;
      end
      default: begin
        answer_valid <= 1'b1;
        judged <= 1'b0;
        state <= COLLECT;
      end
    endcase
    if (rst) begin
      state <= COLLECT;
      judged <= 1'b0;
      answer_valid <= 1'b0;
    end
  end

  assert property (@(posedge clk) disable iff (rst) !number_take || hold);
endmodule
