// Sends an order as a FIX message: template, text and digits are joined while it leaves; its sums are ready before.
//
//   price ─ decimal_digits ─ price_sums ───────────┐
//   order ─ held ─ order_valid of TCP ─ taken ─┬─ byte sum ─ CheckSum ─ sum for TCP
//                                              └─ template RAM ─ text RAM, digits ─ join ─ payload
//
// The number and the time are those of the cycle in which TCP takes the order. No image of the message is made ahead: the next order
// can follow as soon as TCP takes it. `order_ready` is low while something is missing (a number, the time, a connection), while a message
// of the host is due (`hold`), and while TCP says it is busy; an order that lacks something after that is dropped, and reported. The price of a
// computed order comes two cycles before the order (`in.price_ahead`): its digits are there two cycles after, its sums three.
//
// Latency: order to TCP's order_valid 1 cycle; taken to `message_sum` 4, to the first payload beat 5, at W = 8 9. Throughput: an order in the
// second cycle after TCP is ready again. Parameters: W; INSTRUMENTS; COMPUTED, whether orders may be computed; MESSAGE, the most bytes of a message,
// a power of two. Overflow: none, orders wait.
module order_tx
  import order_pkg::*;
  import order_template_pkg::*;
#(
    parameter int W = 64,
    parameter int INSTRUMENTS = 16,
    parameter bit COMPUTED = 1'b0,
    parameter int MESSAGE = 256,
    localparam int Bytes = W / 8,
    localparam int Lane = $clog2(Bytes),
    localparam int TextWord = 6 - Lane,
    localparam int Template = (COMPUTED ? 3 : 2) + $clog2(INSTRUMENTS),
    localparam int Beat = $clog2(MESSAGE) - Lane
) (
    input logic clk,
    input logic rst,

    // Steady while connected.
    input logic [15:0] message_length,
    input logic                     template_write,
    input logic [Template+Beat-1:0] template_address,   // form, instrument, beat
    input logic [      9*Bytes-1:0] template_data,      // first byte in [8:0]
    input logic                     template_set,       // the template is complete
    input logic                     template_clear,
    input logic [     Template-1:0] template_index,
    input template_t                template_record,

    order_if.snk        in,
    order_text_if.reader text,

    input  logic        connected,
    input  logic        number_valid,
    input  number_t     number,
    input  digit_sums_t number_sums,
    output logic        number_take,
    input  logic        time_valid,
    input  time_t       utc,
    input  digit_sums_t time_sums,
    input  logic [63:0] time_ns,

    input  logic hold,
    output logic pending,  // an order has passed risk and has no number yet
    output logic            busy,       // an order is pending or leaves: its text is needed
    output logic [TextWidth-1:0] busy_text,

    // See tcp_engine.
    output logic         message_valid,
    input  logic         message_ready,
    output logic [ 15:0] message_sum,
    input  logic         payload_ready,
    output logic [W-1:0] payload,

    output logic        sent_valid,      // pulse, `sent` is valid with it only
    output order_sent_t sent,
    output logic        dropped_valid,   // pulse, order and reason are valid with it only
    output dropped_e    dropped_reason,
    output order_t      dropped_order
);
  localparam int Index = $clog2(INSTRUMENTS);
  localparam int Templates = 1 << Template;

  // ---- an order ------------------------------------------------------------------------------------

  // In the cycle in which TCP takes the order.
  typedef struct packed {
    number_t     number;
    time_t       utc;
    logic [63:0] time_ns;
  } stamp_t;

  logic idle, sending;  // a flip-flop each, and `pending` too: the start of a frame goes to the MII at once
  order_t held;
  stamp_t stamped;
  order_form_e form;
  logic [Template-1:0] wanted;
  logic [Templates-1:0] template_complete;
  logic has_template, has_template_next, open_next, accept, taken, drop, open, ready, ended;
  dropped_e reason;

  always_comb begin
    unique case (in.order.kind)
      ORDER_CANCEL: form = FORM_CANCEL;
      ORDER_REPLACE: form = COMPUTED && in.order.computed ? FORM_COMPUTED_REPLACE : FORM_REPLACE;
      default: form = in.order.order_type == TYPE_MARKET ? FORM_MARKET : COMPUTED && in.order.computed ? FORM_COMPUTED : FORM_LIMIT;
    endcase
  end
  assign wanted = Template'({form, in.order.instrument[Index-1:0]});
  assign text.sums_read = idle;
  assign text.sums_text = in.order.text;

  // TCP's readiness in the cycle before; if TCP is no longer ready, the order waits.
  assign in.ready = ready && !hold;
  assign accept = in.valid && in.ready;
  assign sent = '{order: held, number: stamped.number, utc: stamped.utc, time_ns: stamped.time_ns};
  assign dropped_order = held;
  assign busy = !idle;

  // TCP and the MII are far: one flip-flop says that there is a message. Its inputs, `open` too, are a cycle old, which is safe: the number
  // does not end at once (number_load is known early), nor does the time (it is invalid before it is wrong), and TCP takes no message without
  // a connection.
  assign open_next = connected && number_valid && time_valid;
  assign has_template_next = template_complete[wanted] && in.order.instrument[InstrumentWidth-1:Index] == '0;
  assign drop = pending && !message_valid;
  always_comb begin
    reason = DROPPED_SESSION;
    if (!has_template) reason = DROPPED_TEMPLATE;
    else if (!number_valid) reason = DROPPED_NUMBER;
    else if (!time_valid) reason = DROPPED_TIME;
  end
  assign taken = message_valid && message_ready;
  assign number_take = taken;

  // The places select, so they are needed sooner than block RAM gives them.
  (* no_rw_check, ram_style = "block" *)logic [23:0] template_sums[Templates];
  (* ram_style = "distributed" *)logic [4+PriceDigits:0] template_places[Templates];
  logic [15:0] template_sum;
  logic [7:0] template_byte_sum;
  logic [PriceDigits-1:0] price_odd;
  occurrence_e number_at, time_at;
  logic check_odd;
  logic [4:0] places;
  assign number_at = occurrence_e'(places[4:3]);
  assign time_at   = occurrence_e'(places[2:1]);
  assign check_odd = places[0];

  always_ff @(posedge clk) begin
    // The number is being incremented for a few cycles after each message: shorter than any message.
    open <= open_next;
    ready <= idle && !accept && open && message_ready && !rst;
    idle <= (idle && !accept) || drop || ended;
    pending <= accept || (pending && !taken && !drop);
    message_valid <= open_next &&
        (pending ? message_valid && !taken : accept && has_template_next);
    sending <= taken || (sending && !ended);
    if (idle) begin
      held <= in.order;
      has_template <= has_template_next;
      {template_sum, template_byte_sum} <= template_sums[wanted];
      {price_odd, places} <= template_places[wanted];
    end

    if (template_set) begin
      template_sums[template_index] <= {template_record.sum, template_record.byte_sum};
      template_places[template_index] <= {
        template_record.price_odd, template_record.number_at, template_record.time_at, template_record.check_odd
      };
      template_complete[template_index] <= 1'b1;
    end
    if (template_clear) template_complete[template_index] <= 1'b0;

    sent_valid <= taken;
    if (!sending) stamped <= '{number: number, utc: utc, time_ns: time_ns};
    dropped_valid <= drop;
    dropped_reason <= reason;
    if (rst) begin
      {idle, pending, sending} <= 3'b100;
      message_valid <= 1'b0;
      open <= 1'b0;
      template_complete <= '0;
      sent_valid <= 1'b0;
      dropped_valid <= 1'b0;
    end
  end

  // ---- sums ----------------------------------------------------------------------------------------

  // What both occurrences of a field add at even offsets (`first` is even) or at odd ones.
  function automatic logic [7:0] twice(input occurrence_e at, input logic [6:0] first, input logic [6:0] second, input logic [7:0] both);
    unique case (at)
      BOTH_EVEN: return {first, 1'b0};
      BOTH_ODD: return {second, 1'b0};
      default: return both;
    endcase
  endfunction

  // Digits of a checksum; first and last stand in bytes of the same kind, even or odd.
  typedef struct packed {
    logic [3:0] first;
    logic [3:0] second;
    logic [3:0] third;
    logic [3:0] first_third;
  } check_t;

  function automatic check_t check_of(input logic [7:0] value);
    logic [7:0] rest;
    check_t result;
    result.first = value >= 8'd200 ? 4'd2 : value >= 8'd100 ? 4'd1 : 4'd0;
    rest = value - (value >= 8'd200 ? 8'd200 : value >= 8'd100 ? 8'd100 : 8'd0);
    result.second = 4'd0;
    for (int i = 1; i < 10; i++) if (rest >= 8'(10 * i)) result.second = 4'(i);
    result.third = 4'(rest - 8'(result.second) * 8'd10);
    result.first_third = result.first + result.third;
    return result;
  endfunction

  (* rom_style = "logic" *) check_t check_table[256];  // block RAM would be too slow for the sum
  initial for (int i = 0; i < 256; i++) check_table[i] = check_of(8'(i));

  logic [7:0] even, odd, template_bytes, text_bytes, byte_sum;
  logic [15:0] template_words, text_words;
  logic [16:0] folded;
  logic [17:0] part;
  logic [15:0] words, words_carry;  // of `part` and the price, without carries
  logic [7:0] bytes;
  logic [6:0] bytes_carry;
  check_t check;
  logic [15:0] check_word;
  logic [16:0] total;
  logic [15:0] total_more;

  // The price's digits, if the order is computed: of all, and as a word of TCP's sum, those at even offsets in its high byte.
  logic [PriceDigits-1:0][3:0] price_digits;
  logic [1:0][5:0] price_all;
  logic [1:0][15:0] price_word;
  if (COMPUTED) begin : gen_price
    logic unpriced;
    logic sends;  // for two cycles: the digits are those of the order
    logic [1:0][5:0] all, even_sums, odd_sums;
    logic fits_unused;
    always_ff @(posedge clk) sends <= !idle && !rst;
    decimal_digits decimal_digits (
        .clk,
        .hold(sends),
        .value(34'(in.price_ahead)),
        .fits(fits_unused),
        .digits(price_digits)
    );
    price_sums price_sums (
        .clk,
        .none(unpriced),
        .digits(price_digits),
        .odd_offset(price_odd),
        .all,
        .even(even_sums),
        .odd(odd_sums)
    );
    always_ff @(posedge clk) unpriced <= !(held.computed && held.order_type == TYPE_LIMIT);
    assign price_all = all;
    for (genvar h = 0; h < 2; h++) begin : gen_half
      assign price_word[h] = {2'b0, even_sums[h], 2'b0, odd_sums[h]};
    end
  end else begin : gen_no_price
    logic unused;
    assign unused = &{1'b0, in.price_ahead, price_odd};
    assign {price_digits, price_all, price_word} = '0;
  end

  assign words = part[15:0] ^ price_word[0] ^ price_word[1];
  assign words_carry = (part[15:0] & price_word[0]) | (price_word[1] & (part[15:0] | price_word[0]));
  assign bytes = byte_sum ^ {2'b0, price_all[0]} ^ {2'b0, price_all[1]};
  assign bytes_carry = (byte_sum[6:0] & {1'b0, price_all[0]}) | ({1'b0, price_all[1]} & (byte_sum[6:0] | {1'b0, price_all[0]}));
  assign check_word = check_odd ? {4'h0, check.second, 4'h0, check.first_third} : {4'h0, check.first_third, 4'h0, check.second};
  assign total = {1'b0, folded[15:0]} + {1'b0, check_word} + {16'b0, folded[16]};
  assign total_more = folded[15:0] + check_word + 16'd1;

  always_ff @(posedge clk) begin
    if (!sending) begin
      even <= twice(number_at, number_sums.even, number_sums.odd, number_sums.both)
          + twice(time_at, time_sums.even, time_sums.odd, time_sums.both);
      odd <= twice(number_at, number_sums.odd, number_sums.even, number_sums.both)
          + twice(time_at, time_sums.odd, time_sums.even, time_sums.both);
      {template_words, template_bytes} <= {template_sum, template_byte_sum};
      {text_words, text_bytes} <= text.sums;
    end
    byte_sum <= template_bytes + text_bytes + even + odd;
    part <= {2'b0, template_words} + {2'b0, text_words} + {2'b0, even, odd};
    check <= check_table[8'(bytes+{bytes_carry, 1'b0})];
    // Two is the most that is folded: the place below the carries, and the adder's own carry. After it, bit 16 is set only if the other bits are small.
    folded <= {1'b0, words} + {words_carry, |part[17:16]} + {16'b0, part[17]};
    message_sum <= total[16] ? total_more : total[15:0];
  end

  // ---- the message ---------------------------------------------------------------------------------

  // One block RAM deep at W = 64; at W = 8 several, chosen by the template: each is registered before the multiplexer.
  localparam int Deep = 11;
  localparam bit Banked = W == 8 && Template + Beat > Deep;

  // At W = 8 two bytes are ready ahead of `payload`, and the stages before them step a cycle later: TCP's readiness comes from far, and a step
  // has many loads. The texts, which are in a block RAM too, are registered at its output.
  localparam bit Ahead = W == 8;
  localparam int Prime = 4 + (Banked ? 2 : 0) + (Ahead ? 3 : 0);

  logic [Prime-1:0] priming;
  logic step, primes, read;  // primes: any of priming
  logic [Template+Beat-1:0] read_address;
  logic [Template-1:0] busy_template;
  logic [Beat-1:0] beat;
  logic [Beat:0] beats_left;
  template_code_t [Bytes-1:0]
      code1, code2, code3, code4, code5;  // stages: out of RAM, text's word known, text read, text there, to be joined
  logic [TextWord-1:0] word, word_reg;
  // The first 32: of time, number and CheckSum; then those of a price.
  localparam int DigitIndex = COMPUTED ? 6 : 5;
  localparam int FirstPrice = COMPUTED ? 32 : 0;
  logic [(1<<DigitIndex)-1:0][3:0] digits;
  logic [Bytes-1:0][3:0] digit4, digit5;
  logic [W-1:0] text5, joined;
  logic [TimeDigits+NumberDigits-1:0][3:0] stamped_digits;

  function automatic logic is_digit(input logic [7:6] kind);
    return kind[6] || (COMPUTED && kind[7]);
  endfunction

  // Which of `digits`.
  function automatic logic [DigitIndex-1:0] digit_of(input logic of_price, input logic [4:0] at);
    return DigitIndex'({of_price, at});
  endfunction

  // The first beat is read while the order is still pending.
  assign read = step || pending;
  assign read_address = {busy_template, beat};
  if (Banked) begin : g_banks
    localparam int Banks = 1 << (Template + Beat - Deep);
    logic [Banks-1:0][9*Bytes-1:0] of_bank;
    for (genvar b = 0; b < Banks; b++) begin : g_bank
      (* no_rw_check, ram_style = "block" *) logic [9*Bytes-1:0] templates[1<<Deep];
      logic [9*Bytes-1:0] from_memory;
      always_ff @(posedge clk) begin
        if (template_write && int'(template_address[Template+Beat-1:Deep]) == b) templates[template_address[Deep-1:0]] <= template_data;
        if (read) from_memory <= templates[read_address[Deep-1:0]];
        if (step) of_bank[b] <= from_memory;
      end
    end
    always_ff @(posedge clk) if (step) code1 <= of_bank[read_address[Template+Beat-1:Deep]];
  end else begin : g_one
    (* no_rw_check, ram_style = "block" *) logic [9*Bytes-1:0] templates[1<<(Template+Beat)];
    always_ff @(posedge clk) begin
      if (template_write) templates[template_address] <= template_data;
      if (read) code1 <= templates[read_address];
    end
  end
  assign text.read = step;
  assign text.index = busy_text;
  assign text.word = word_reg;

  always_comb begin
    word = '0;
    for (int i = 0; i < Bytes; i++) if (code2[i].dynamic && !is_digit(code2[i].value[7:6])) word |= code2[i].value[5:Lane];
    stamped_digits = {stamped.utc, stamped.number};
    for (int i = 0; i < TimeDigits + NumberDigits; i++) digits[i] = stamped_digits[TimeDigits+NumberDigits-1-i];
    digits[FirstCheckDigit] = check.first;
    digits[FirstCheckDigit+1] = check.second;
    // Places that no template names have the digit of another one: that is less to choose from than with zeros.
    for (int i = FirstCheckDigit + 2; i < 32; i++) digits[i] = check.third;
    if (COMPUTED) for (int i = 0; i < 32; i++) digits[FirstPrice+i] = price_digits[i%16<8?i%8 : 8+i%2];
  end

  always_ff @(posedge clk) begin
    priming <= {priming[Prime-2:0], taken};
    primes <= taken || priming[Prime-2:0] != '0;
    ended <= payload_ready && beats_left == (Beat + 1)'(1);
    if (idle) begin
      busy_template <= wanted;
      busy_text <= in.order.text;
      beat <= '0;
      beats_left <= (Beat + 1)'((message_length + 16'(Bytes - 1)) >> Lane);
    end
    if (payload_ready) beats_left <= beats_left - 1'b1;
    if (step || taken) beat <= beat + 1'b1;
    if (step) begin
      code2 <= code1;
      code3 <= code2;
      word_reg <= word;
      code4 <= code3;
      for (int i = 0; i < Bytes; i++) begin
        digit4[i] <= digits[digit_of(code3[i].value[7], code3[i].value[4:0])];
      end
    end
    if (rst) {priming, primes, ended} <= '0;
  end

  always_comb begin
    for (int i = 0; i < Bytes; i++)
    joined[8*i+:8] = !code5[i].dynamic ? code5[i].value : is_digit(code5[i].value[7:6]) ? {4'h3, digit5[i]} : text5[8*i+:8];
  end

  if (Ahead) begin : g_ahead
    logic took_reg, step_reg;
    logic [W-1:0] joined_reg, next_reg;  // next_reg: from the cycle before, while took_reg
    assign step = step_reg;
    always_ff @(posedge clk) begin
      took_reg <= payload_ready;
      step_reg <= payload_ready || taken || priming[Prime-2:0] != '0;
      if (payload_ready || primes) payload <= took_reg ? joined_reg : next_reg;
      if (step) begin
        {code5, digit5, text5} <= {code4, digit4, text.data};
        {joined_reg, next_reg} <= {joined, joined_reg};
      end
      if (rst) {took_reg, step_reg} <= '0;
    end
  end else begin : g_at_once
    assign step = payload_ready || primes;
    assign {code5, digit5, text5} = {code4, digit4, text.data};
    always_ff @(posedge clk) if (step) payload <= joined;
  end

  if (MESSAGE != 1 << $clog2(MESSAGE) || INSTRUMENTS != 1 << Index) begin : gen_power
    $fatal(1, "order_tx: MESSAGE and INSTRUMENTS must be powers of two");
  end

  assert property (@(posedge clk) disable iff (rst) primes == (priming != '0));
  assert property (@(posedge clk) disable iff (rst) !payload_ready || (sending && priming == '0));
  assert property (@(posedge clk) disable iff (rst) !taken || message_length <= 16'(MESSAGE));
  assert property (@(posedge clk) disable iff (rst) !(drop && taken));
  assert property (@(posedge clk) disable iff (rst) message_valid == (pending && has_template && open));
  assert property (@(posedge clk) disable iff (rst) $onehot({idle, pending, sending}));
endmodule
