// What the host writes into order_log_decoder: the instrument's symbol as the log has it, and whether the tables that the core was built with are those it wants.
//
//   operation CONFIG_INSTRUMENT, index 0x8000: operand 0 [3:0] characters, [8] used; 1 to 3: seven bits a character, the last one lowest
//   operation CONFIG_FAST, operand 0: 8 hold, 10 a word of the tables, of which that of the members has their fingerprint in operand 5, 9 release: packets are
//   listened to again, from the number on that comes; a core of other tables listens to none
//
// Latency: 1 cycle. Throughput: as config_if. Parameter: FINGERPRINT of the tables. Nothing overflows.
module order_log_config
  import config_pkg::*;
  import fast_wire_pkg::*;
#(
    parameter logic [31:0] FINGERPRINT = '0
) (
    input logic clk,
    input logic rst,
    config_if.snk instrument,
    config_if.snk decoder,

    output logic [ValueBits-1:0] symbol,
    output logic [3:0] symbol_count,  // 0: none
    output logic fits,
    output logic restart
);
  localparam logic [3:0] Hold = 4'd8;
  localparam logic [3:0] Release = 4'd9;
  localparam logic [3:0] Word = 4'd10;
  localparam logic [15:0] Text = 16'h8000;

  logic is_text, is_ours;
  logic [3:0] what;

  assign is_text = instrument.valid && instrument.operation == CONFIG_INSTRUMENT && instrument.index == Text;
  assign is_ours = decoder.valid && decoder.operation == CONFIG_FAST && decoder.operand[0][5:4] == '0;
  assign what = decoder.operand[0][3:0];
  assign {instrument.busy, decoder.busy} = '0;

  always_ff @(posedge clk) begin
    restart <= 1'b0;
    if (instrument.valid) instrument.answer <= '0;
    if (decoder.valid) decoder.answer <= '0;
    if (is_text) begin
      symbol <= ValueBits'(instrument.operand[3:1]);
      symbol_count <= instrument.operand[0][8] ? instrument.operand[0][3:0] : '0;
      instrument.answer.done <= instrument.operand[0][3:0] <= 4'(Characters);
    end
    if (is_ours) begin
      case (what)
        Hold: decoder.answer.done <= 1'b1;
        Release: {restart, decoder.answer.done} <= 2'b11;
        Word: begin
          decoder.answer.done <= 1'b1;
          // The first template's words are loaded first.
          if (load_e'(decoder.index[6:4]) == WIRE_LOAD_TEMPLATE && decoder.index[9:7] == '0) fits <= 1'b0;
          if (load_e'(decoder.index[6:4]) == WIRE_LOAD_MEMBERS) begin
            fits <= fits || decoder.operand[5] == FINGERPRINT;
            decoder.answer.done <= decoder.operand[5] == FINGERPRINT;
          end
        end
        default: ;
      endcase
    end
    if (rst) begin
      {fits, restart, symbol_count} <= '0;
      {instrument.answer, decoder.answer} <= '0;
    end
  end

  logic unused;
  assign unused = &{1'b0, instrument.index, instrument.operand, decoder.index, decoder.operand};
endmodule
