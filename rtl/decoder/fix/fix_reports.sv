// Reads what the exchange says about our orders (35=8, 35=9) out of the session's TCP stream, a byte a cycle, and gives it as typed reports.
//
//   in ─ fix_report_bytes ─ field: tag, value as a number, name, character ─ message ─ report
//   host ─ prefix ─────────────────────────────────────────────┘
//
// A report is given for a message that is complete and good (8, 9 and 35 first, BodyLength, CheckSum), whose ClOrdID is of our form: the prefix and nine
// digits. Of 35=8 it needs 150, 39 and 14, each once; 14 below 2^31, a fraction of zeros may follow. With DETAILS it reads of 35=8 also 31 and 103, of 35=9
// 102, where they are there: once, a price as fix_last_price has it, a whole number below 2^31. All of it is in committed bytes, however they were
// cut into segments. What is sent again gives a report
// again: it says how much of the order was traded in all, so that who takes it twice changes nothing (working_orders).
//
// The prefix is written a character at a time (operation 13, index 256 + place; bits 7:0 the character, bit 8 the end of the prefix, which is no
// character, with it bits 15:12 the decimals of the instruments' prices, bit 9 all reports off). After rst reports are off.
//
// Latency: the message's last byte out of fix_report_bytes to the report 4 cycles. Throughput: a byte a cycle, until a report waits, and while a price is
// brought to its scale. Parameters: W; WORDS; DETAILS: whether prices of fills and reasons are read.
// Overflow: that of fix_report_bytes; a message of ours that cannot be understood pulses `unreadable`. Both are counted, and a gap to risk.
module fix_reports
  import tickwire_pkg::*;
  import config_pkg::*;
  import fix_pkg::*;
#(
    parameter int W = 64,
    parameter int WORDS = 1024,
    parameter bit DETAILS = 1'b1
) (
    input logic   clk,
    input logic   rst,
    stream_if.snk in,
    config_if.snk host,

    execution_report_if.src reports
);
  localparam int PrefixBytes = 15;
  localparam int NameDigits = 9;

  // ---- what our names begin with ---------------------------------------------------------------------

  typedef struct packed {
    logic       ended;
    logic [7:0] character;
  } prefix_t;

  (* ram_style = "distributed" *) prefix_t prefix[PrefixBytes+1];
  logic enabled, prefix_write;
  logic [3:0] decimals;
  assign prefix_write = host.valid && host.operation == CONFIG_INSTRUMENT && host.index[15:4] == 12'h010;
  assign host.busy = 1'b0;

  always_ff @(posedge clk) begin
    if (prefix_write) prefix[host.index[3:0]] <= host.operand[0][8:0];
    if (prefix_write) enabled <= !host.operand[0][9];
    if (prefix_write && host.operand[0][8]) decimals <= host.operand[0][15:12];
    if (host.valid) host.answer <= '{done: prefix_write, default: '0};
    if (rst) {enabled, host.answer} <= '0;
  end

  // ---- bytes -----------------------------------------------------------------------------------------

  logic byte_valid, take, present, soh, equals, digit, point, price_busy;
  logic [7:0] from_queue, data;

  fix_report_bytes #(
      .W(W),
      .WORDS(WORDS)
  ) bytes (
      .clk,
      .rst,
      .in,
      .out_valid(byte_valid),
      .out_ready(take),
      .out_data(from_queue),
      .overflow(reports.overflow)
  );

  // A report may wait while the next message is read, not at its end.
  assign take = !reports.valid && !price_busy;

  always_ff @(posedge clk) begin
    present <= byte_valid && take && !rst;
    data <= from_queue;
    soh <= from_queue == Soh;
    equals <= from_queue == "=";
    digit <= from_queue >= "0" && from_queue <= "9";
    point <= from_queue == ".";
  end

  // ---- a field ---------------------------------------------------------------------------------------

  localparam logic [11:0] NoTag = 12'hFFF;

  typedef enum logic [3:0] {
    OTHER,
    BEGIN_STRING,
    BODY_LENGTH,
    CHECKSUM,
    MESSAGE_TYPE,
    NAME,        // ClOrdID
    ORIGINAL,    // OrigClOrdID
    EXECUTION,   // ExecType
    STATUS,      // OrdStatus
    TRADED,      // CumQty
    LAST_PRICE,  // LastPx
    REASON,      // OrdRejReason
    CHANGE_REASON  // CxlRejReason
  } field_e;

  function automatic field_e field_of(input logic [11:0] digits);
    unique case (digits)
      12'hFF8: return BEGIN_STRING;
      12'hFF9: return BODY_LENGTH;
      12'hF10: return CHECKSUM;
      12'hF35: return MESSAGE_TYPE;
      12'hF11: return NAME;
      12'hF41: return ORIGINAL;
      12'h150: return EXECUTION;
      12'hF39: return STATUS;
      12'hF14: return TRADED;
      12'hF31: return LAST_PRICE;
      12'h103: return REASON;
      12'h102: return CHANGE_REASON;
      default: return OTHER;
    endcase
  endfunction

  logic in_value, tag_wrong;
  logic [11:0] tag;  // its digits
  field_e tag_field, field;
  logic [3:0] length;  // of the value, up to 15
  logic [7:0] character;  // the last
  logic whole, after_point;  // whole: a number without a fraction that fits 32 bits, so far as it is known
  logic [31:0] number, times_ten;
  logic [30:0] four_times;
  sequence_t digits;  // the last nine
  logic in_prefix, foreign;
  logic [3:0] name_digits;  // after the prefix
  prefix_t expected;

  // 10 v + d: 5 v + d / 2 in one sum, where 4 v leaves room for the digit.
  assign four_times = {number[28:0], data[3] ? 2'b11 : data[2:1]};
  assign times_ten  = {four_times + number[30:0] + 31'(data[3]), data[0]};
  assign expected   = prefix[length];
  assign tag_field  = tag_wrong ? OTHER : field_of(tag);

  always_ff @(posedge clk) begin
    if (present) begin
      character <= data;
      if (length != '1) length <= length + 1'b1;
      if (digit) digits <= {digits[NameDigits-2:0], data[3:0]};
      if (digit && !after_point) begin
        number <= times_ten;
        if (number[31:28] != '0) whole <= 1'b0;
      end
      if (point && !after_point && length != '0) after_point <= 1'b1;
      else if (!digit || (after_point && data[3:0] != '0)) whole <= 1'b0;
      if (in_prefix && !expected.ended) begin
        if (data != expected.character) foreign <= 1'b1;
      end else begin
        in_prefix <= 1'b0;
        if (!digit || name_digits == 4'(NameDigits)) foreign <= 1'b1;
        name_digits <= name_digits + 1'b1;
      end
      if (!in_value) begin
        if (!digit || tag[11:8] != 4'hF) tag_wrong <= 1'b1;
        tag <= {tag[7:0], data[3:0]};
      end
      if (soh || (equals && !in_value)) begin
        in_value <= equals;
        {length, number, name_digits, foreign, after_point} <= '0;
        {whole, in_prefix} <= '1;
        tag_wrong <= 1'b0;
        tag <= NoTag;
        field <= tag_field;
      end
    end
    if (rst) begin
      {in_value, tag_wrong} <= '0;
      tag <= NoTag;
    end
  end

  // ---- the price of a fill -----------------------------------------------------------------------------

  logic price_good;
  fill_price_t price;

  if (DETAILS) begin : gen_price
    logic in_price;
    assign in_price = present && in_value && field == LAST_PRICE;

    fix_last_price fix_last_price (
        .clk,
        .rst,
        .decimals,
        .begins(present && equals && !in_value && tag_field == LAST_PRICE),
        .present(in_price && !soh),
        .ends(in_price && soh),
        .is_digit(digit),
        .is_point(point),
        .is_minus(data == "-"),
        .digit(data[3:0]),
        .number(price_good),
        .busy(price_busy),
        .known(price.known),
        .negative(price.negative),
        .magnitude(price.magnitude)
    );
  end else begin : gen_no_price
    assign {price_good, price_busy, price} = '0;
    logic unused;
    assign unused = &{1'b0, decimals};
  end

  // ---- a message -------------------------------------------------------------------------------------

  typedef enum logic [2:0] {
    OUTSIDE,
    BEGUN,    // 8
    MEASURED, // 9
    REPORT,   // 35=8
    REFUSAL   // 35=9
  } state_e;

  // Which of the fields that are needed came.
  typedef struct packed {
    logic name;       // 11
    logic execution;  // 150
    logic status;     // 39
    logic traded;     // 14
  } fields_t;

  // A field that has ended, a cycle later.
  typedef struct packed {
    field_e      field;
    logic        named;        // a name of ours
    logic        single;       // one character
    logic        number_good;
    logic        reason_good;
    logic        price_good;
    logic        closes;       // the message: its sum and its length are right
    logic [7:0]  character;
    sequence_t   digits;
    logic [31:0] number;
  } ended_t;

  ended_t ended;
  logic ended_valid, ended_none;  // ended_none: what ended was no field
  state_e state;
  fields_t seen;
  logic has_price, has_reason, unclear;  // unclear: one of them is none, or came twice
  logic good;
  logic wrong, ends, named, number_good, sum_good, complete;
  logic [7:0] sum, sum_before;
  logic [16:0] left;  // bytes that BodyLength still counts; negative: more than it says
  logic none_left;
  logic is_replaced, is_rejected, is_closed;
  execution_report_t report;

  assign ends = present && soh && in_value;
  assign named = !foreign && !in_prefix && name_digits == 4'(NameDigits);
  assign number_good = whole && length != '0 && !number[31];
  assign good = !unclear && (state == REFUSAL || (seen == '1 && !wrong));
  assign sum_good = whole && length == 4'd3 && number[9:8] == '0 && number[7:0] == sum_before;
  assign complete = ended_valid && ended.field == CHECKSUM && ended.closes && (state == REPORT || state == REFUSAL) && seen.name && enabled;

  always_ff @(posedge clk) begin
    if (present) begin
      sum  <= sum + data;
      left <= left[16] ? left : left - 1'b1;
      if (soh) begin
        sum_before <= sum + data;
        none_left  <= left == 17'd1;
      end
    end
    if (ends && field == BODY_LENGTH) left <= {1'b0, number[15:0]};
    ended_valid <= ends && !rst;
    ended_none <= present && soh && !in_value && !rst;
    ended <= '{
        field: field,
        named: named,
        single: length == 4'd1,
        number_good: number_good,
        reason_good: number_good && !after_point,
        price_good: price_good,
        closes: sum_good && none_left,
        character: character,
        digits: digits,
        number: number
    };
    if (ended_valid) begin
      unique case (ended.field)
        BODY_LENGTH: begin
          state <= state == BEGUN && ended.number_good && ended.number[31:16] == '0 ? MEASURED : OUTSIDE;
        end
        MESSAGE_TYPE: begin
          state <= OUTSIDE;
          if (state == MEASURED && ended.single && ended.character == "8") state <= REPORT;
          if (state == MEASURED && ended.single && ended.character == "9") state <= REFUSAL;
        end
        NAME: begin
          seen.name <= 1'b1;
          report.number <= ended.digits;
          if (!ended.named || seen.name) state <= OUTSIDE;
        end
        ORIGINAL: begin
          report.has_original <= ended.named;
          report.original <= ended.digits;
        end
        EXECUTION: begin
          seen.execution <= 1'b1;
          is_replaced <= ended.single && ended.character == "5";
          if (seen.execution) wrong <= 1'b1;
        end
        STATUS: begin
          seen.status <= 1'b1;
          is_rejected <= ended.single && ended.character == "8";
          is_closed <= ended.single && (ended.character inside {"2", "3", "4", "C"});
          if (seen.status) wrong <= 1'b1;
        end
        TRADED: begin
          seen.traded <= 1'b1;
          report.traded <= ended.number;
          if (seen.traded || !ended.number_good) wrong <= 1'b1;
        end
        LAST_PRICE:
        if (DETAILS && state == REPORT) begin
          has_price <= 1'b1;
          if (has_price || !ended.price_good) unclear <= 1'b1;
        end
        REASON, CHANGE_REASON:
        if (DETAILS && state == (ended.field == REASON ? REPORT : REFUSAL)) begin
          has_reason <= 1'b1;
          report.reason <= ended.number[30:16] != '0 ? '1 : ended.number[15:0];
          if (has_reason || !ended.reason_good) unclear <= 1'b1;
        end
        CHECKSUM: state <= OUTSIDE;
        default: ;
      endcase
      // The three that come first.
      if (!(ended.field inside {BODY_LENGTH, MESSAGE_TYPE}) && (state == BEGUN || state == MEASURED)) state <= OUTSIDE;
      if (ended.field == BEGIN_STRING) begin
        state <= BEGUN;
        {seen, wrong, has_price, has_reason, unclear, report.has_original, report.reason} <= '0;
      end
    end else if (ended_none) state <= OUTSIDE;
    // The sum begins with "8=", wherever it stands at the beginning of a field.
    if (present && equals && !in_value && tag_field == BEGIN_STRING) sum <= "8" + "=";

    reports.unreadable <= complete && !good && !rst;
    if (reports.ready) reports.valid <= 1'b0;
    if (complete && good) begin
      reports.valid <= 1'b1;
      report.price <= has_price && price.known ? price : '0;
      report.what <= state == REFUSAL ? EXECUTION_CHANGE_REFUSED : is_replaced ? EXECUTION_REPLACED : is_rejected ? EXECUTION_REJECTED :
          is_closed ? EXECUTION_CLOSED : EXECUTION_OPEN;
    end
    if (rst) begin
      state <= OUTSIDE;
      reports.valid <= 1'b0;
    end
  end

  assign reports.data = report;

  assert property (@(posedge clk) disable iff (rst) !complete || !reports.valid);
  assert property (@(posedge clk) disable iff (rst) !(reports.valid && !reports.ready) || $stable(report) || $past(complete));
endmodule
