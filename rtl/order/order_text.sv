// Makes the text of orders that may be sent: binary fields to characters, ahead of time, stored at their places in the message.
//
//   write ─ one digit after the other, the last first ─ characters ─ text RAM ─┬─ text (to order_tx)
//                                                     └ sums ──────── sum RAM ─┘
//
// A text has 64 bytes; of these: Side, TimeInForce (if the layout has it; not in a cancel), OrderQty, Price (not in a market order, a computed one, or a cancel), the nine digits of OrigClOrdID (only in a
// cancel or a replacement). Numbers have leading zeros. Price: sign ("-" or "0"), digits, point, as many digits after it as the
// instrument has decimals; no point if it has none. The text of an order that can still leave must not be written: order_store sees to that.
//
// Latency: 35 cycles a digit of the quantity, 51 of the price: about 1,000 a text. Reads 1 cycle. Throughput: a text at a time. Parameters: W;
// TEXTS; INSTRUMENTS.
// Overflow: a number that does not fit its field is refused (`answer`): the text cannot be used then.
module order_text
  import tickwire_pkg::*;
  import order_pkg::*;
  import order_template_pkg::*;
#(
    parameter int W = 64,
    parameter int TEXTS = 128,
    parameter int INSTRUMENTS = 16,
    localparam int Text = $clog2(TEXTS),
    localparam int Words = TextBytes * 8 / W,
    localparam int Word = $clog2(Words)
) (
    input logic clk,
    input logic rst,

    input text_layout_t                       layout,
    input logic                               decimals_write,
    input logic         [InstrumentWidth-1:0] decimals_instrument,
    input logic         [                3:0] decimals,

    input  logic                    write_valid,
    output logic                    write_ready,
    input  logic         [Text-1:0] write_text,
    input  text_fields_t            write_fields,
    output logic                    answer_valid,  // pulse
    output text_answer_e            answer,

    order_text_if.store text
);
  localparam int Bytes = W / 8;
  localparam int Lane = $clog2(Bytes);
  localparam int Index = $clog2(INSTRUMENTS);

  typedef enum logic [3:0] {
    IDLE,
    SIDE,
    TIME_IN_FORCE,
    QUANTITY,
    PRICE,
    ORIGINAL,
    FOLD,
    FOLD_AGAIN,
    DONE
  } state_e;

  state_e state;
  text_fields_t fields;    // price and quantity rotate: see below
  logic negative;
  logic [Text-1:0] writing;  // the text
  logic has_time_in_force, has_price, has_original;
  logic [3:0] places;      // decimals of this price
  (* ram_style = "distributed" *)logic [3:0] all_decimals[INSTRUMENTS];

  assign has_price = !fields.computed && (fields.kind == ORDER_REPLACE || (fields.kind == ORDER_NEW && fields.order_type == TYPE_LIMIT));
  assign has_time_in_force = layout.has_time_in_force && fields.kind != ORDER_CANCEL;
  assign has_original = fields.kind != ORDER_NEW;
  assign write_ready = state == IDLE;

  // ---- a digit: price or quantity rotates once, divided by ten -----------------------------------

  // For a negative price its complement is divided, which is one less than the magnitude: one is added to the digits.
  logic [3:0] rest;
  logic [4:0] next_rest;
  logic [5:0] count;       // bits done
  logic fits, more, add_one, wraps;
  logic [3:0] digit;

  assign next_rest = {rest, state == QUANTITY ? fields.quantity[OrderQuantityWidth-1] : fields.price[OrderPriceWidth-1]};
  assign fits = next_rest >= 5'd10;
  assign wraps = add_one && rest == 4'd9;
  assign digit = wraps ? 4'd0 : rest + {3'b0, add_one};

  // ---- characters ----------------------------------------------------------------------------------

  logic due, put, put_reg, last_bit, digit_known, point_due, field_ends, too_wide, integer_digit;
  logic [7:0] character, character_reg;
  logic [5:0] at, at_reg;  // of the character
  logic [5:0] field_at, field_at_reg;
  logic [4:0] left;        // characters of the field, this one included
  logic [4:0] done;        // characters of the field before this one
  logic [20:0] addend, sum;
  logic folds;
  logic [7:0] byte_sum;

  // About the next character, from registers: not valid right after a character was put.
  assign last_bit = count == (state == QUANTITY ? 6'(OrderQuantityWidth - 1) : 6'(OrderPriceWidth - 1));
  always_ff @(posedge clk) begin
    put <= due && !put && !put_reg && !rst;
    put_reg <= put;
    point_due <= state == PRICE && places != '0 && done == {1'b0, places};
    field_ends <= left == 5'd1;
  end
  assign folds = state inside {FOLD, FOLD_AGAIN} && !put_reg;
  assign at = field_at_reg + 6'(left) - 6'd1;
  // Whether anything is left of the number when its last digit, or its sign, is written.
  assign too_wide = more || (state == QUANTITY ? 1'b0 : add_one);

  always_comb begin
    due = 1'b0;
    character = {4'h3, digit};
    field_at = layout.quantity_at;
    unique case (state)
      SIDE: begin
        due = 1'b1;
        character = fields.side == SIDE_BUY ? "1" : "2";
        field_at = layout.side_at;
      end
      TIME_IN_FORCE: begin
        due = 1'b1;
        character = {5'b00110, fields.time_in_force};
        field_at = layout.time_in_force_at;
      end
      QUANTITY: due = digit_known;
      PRICE: begin
        due = digit_known || point_due || field_ends;
        if (point_due) character = ".";
        if (field_ends) character = negative ? "-" : "0";
        field_at = layout.price_at;
      end
      ORIGINAL: begin
        due = 1'b1;
        character = {4'h3, fields.original[0]};
        field_at = layout.original_at;
      end
      default: ;
    endcase
    // Two folds: the second adds the carry of the first.
    addend = at_reg[0] ? {13'h0, character_reg} : {5'h0, character_reg, 8'h0};
    if (folds) addend = {16'h0, sum[20:16]};
  end

  always_ff @(posedge clk) begin
    if (decimals_write && int'(decimals_instrument) < INSTRUMENTS) all_decimals[Index'(decimals_instrument)] <= decimals;
    places <= all_decimals[Index'(fields.instrument)];
    answer_valid <= 1'b0;

    // Not after the price's last digit: what is left is checked with the sign.
    if ((state == QUANTITY || (state == PRICE && !field_ends)) && !digit_known && !put_reg) begin
      if (state == QUANTITY) fields.quantity <= {fields.quantity[OrderQuantityWidth-2:0], fits};
      else fields.price <= {fields.price[OrderPriceWidth-2:0], fits};
      rest  <= fits ? 4'(next_rest - 5'd10) : next_rest[3:0];
      more  <= fits || (more && count != '0);
      count <= count + 1'b1;
      digit_known <= last_bit;
    end
    field_at_reg <= field_at;  // the state changes two cycles before it puts a character, or earlier
    {character_reg, at_reg} <= {character, at};
    if (put_reg) byte_sum <= byte_sum + character_reg;
    if (put) begin
      left <= left - 1'b1;
      done <= done + 1'b1;
      // The point comes between two digits.
      if (!point_due) begin
        rest <= '0;
        count <= '0;
        digit_known <= 1'b0;
        integer_digit <= integer_digit || done >= {1'b0, places};
        add_one <= add_one && wraps;
      end
    end
    if (put_reg || folds) sum <= {folds ? 5'h0 : sum[20:16], sum[15:0]} + addend;

    unique case (state)
      IDLE: begin
        fields <= write_fields;
        negative <= write_fields.price[OrderPriceWidth-1];
        if (write_fields.price[OrderPriceWidth-1]) fields.price <= ~write_fields.price;
        writing <= write_text;
        sum <= '0;
        byte_sum <= '0;
        left <= 5'd1;
        answer <= int'(write_fields.instrument) < INSTRUMENTS ? TEXT_WHOLE : TEXT_INSTRUMENT;
        if (write_valid) state <= SIDE;
      end
      SIDE, TIME_IN_FORCE:
      if (put && state == SIDE && has_time_in_force) begin
        left  <= 5'd1;
        state <= TIME_IN_FORCE;
      end else if (put) begin
        count <= '0;
        digit_known <= 1'b0;
        rest <= '0;
        done <= '0;
        add_one <= 1'b0;
        left <= layout.quantity_width;
        state <= QUANTITY;
      end
      QUANTITY:
      if (put && field_ends) begin
        if (too_wide && answer == TEXT_WHOLE) answer <= TEXT_QUANTITY_TOO_WIDE;
        done <= '0;
        integer_digit <= 1'b0;
        add_one <= negative;
        left <= has_price ? layout.price_width : 5'(NumberDigits);
        state <= has_price ? PRICE : has_original ? ORIGINAL : FOLD;
      end
      PRICE:
      if (put && field_ends) begin
        if ((too_wide || !integer_digit) && answer == TEXT_WHOLE) answer <= TEXT_PRICE_TOO_WIDE;
        left  <= 5'(NumberDigits);
        state <= has_original ? ORIGINAL : FOLD;
      end
      ORIGINAL: begin
        if (put) fields.original <= fields.original >> 4;
        if (put && field_ends) state <= FOLD;
      end
      FOLD: if (folds) state <= FOLD_AGAIN;
      FOLD_AGAIN: state <= DONE;
      default: begin
        answer_valid <= 1'b1;
        state <= IDLE;
      end
    endcase
    if (rst) begin
      state <= IDLE;
      answer_valid <= 1'b0;
    end
  end

  // ---- memories ------------------------------------------------------------------------------------

  localparam int Depth = TEXTS * Words;
  logic [Text+Word-1:0] put_address;
  assign put_address = {writing, at_reg[5:Lane]};

  // A memory for each lane: bytes are written, words are read. A text that is being written is not read: order_store sees to that.
  for (genvar i = 0; i < Bytes; i++) begin : gen_lane
    (* no_rw_check, ram_style = "block" *) logic [7:0] bytes[Depth];
    always_ff @(posedge clk) begin
      if (put_reg && int'(at_reg) % Bytes == i) bytes[put_address] <= character_reg;
      if (text.read) text.data[8*i+:8] <= bytes[{text.index[Text-1:0], text.word}];
    end
  end

  (* no_rw_check, ram_style = "block" *) logic [$bits(text_record_t)-1:0] all_sums[TEXTS];
  logic [$bits(text_record_t)-1:0] sums;
  assign text.sums = sums;
  always_ff @(posedge clk) begin
    if (state == DONE) all_sums[writing] <= {sum[15:0], byte_sum};
    if (text.sums_read) sums <= all_sums[text.sums_text[Text-1:0]];
  end

  logic unused;
  assign unused = &{1'b0, text.index, text.sums_text};

  if (W != 8 && W != 64) begin : gen_width
    $fatal(1, "order_text: W must be 8 or 64");
  end
endmodule
