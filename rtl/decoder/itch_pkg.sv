// TotalView-ITCH 4.1 and 5.0: the length of every message and where its fields are (docs/reference/rules.md).
//
// Offsets are those of ITCH 5.0, whose head has 11 bytes: type, locate 2, tracking 2, time 6. The head of 4.1 has 5 bytes
// (type, nanoseconds 4), so a 4.1 message put at offset 6 has its nanoseconds and its body at the same places; its type is at 6.
package itch_pkg;
  import tickwire_pkg::*;

  localparam int Shift41 = 6;     // where a 4.1 message is put
  localparam int FirstByte = 5;   // the first byte whose value is kept (the type is decoded as it comes)
  localparam int LastByte = 35;   // the last byte any event needs

  // Where an event's fields are; with no bit of a group set, the field is 0.
  typedef struct packed {
    logic        known;
    logic [5:0]  length;
    event_kind_e kind;
    logic [7:0]  message_type;
    logic        is_time;      // 4.1 T: seconds in place of nanoseconds
    logic        side19;
    logic        order_id11;
    logic        new_order_id19;
    logic        symbol11, symbol15, symbol19, symbol24, symbol28;
    logic        quantity19, quantity20, quantity27, quantity11;  // 11: 64 bits, the others 32
    logic        price27, price31, price32;
  } layout_t;

  // The layout of a message of type `t`, in ITCH 5.0 or 4.1.
  function automatic layout_t layout(input logic itch50, input logic [7:0] t);
    logic       only50;
    logic [5:0] length50;
    layout = '0;
    layout.known = 1'b1;
    layout.kind = KIND_STATUS;
    layout.message_type = t;
    only50 = 1'b0;
    length50 = '0;
    unique case (t)
      "S": length50 = 6'd12;
      "R": begin length50 = itch50 ? 6'd39 : 6'd26; layout.symbol11 = 1'b1; end
      "H": begin length50 = 6'd25; layout.symbol11 = 1'b1; end
      "Y": begin length50 = 6'd20; layout.symbol11 = 1'b1; end
      "L": begin length50 = 6'd26; layout.symbol15 = 1'b1; end
      "V": begin length50 = 6'd35; only50 = 1'b1; end
      "W": begin length50 = 6'd12; only50 = 1'b1; end
      "K": begin length50 = 6'd28; only50 = 1'b1; layout.symbol11 = 1'b1; end
      "J": begin length50 = 6'd35; only50 = 1'b1; layout.symbol11 = 1'b1; end
      "h": begin length50 = 6'd21; only50 = 1'b1; layout.symbol11 = 1'b1; end
      "O": begin length50 = 6'd48; only50 = 1'b1; layout.symbol11 = 1'b1; end
      "N": begin length50 = 6'd20; layout.symbol11 = 1'b1; end
      "I": begin length50 = 6'd50; layout.symbol28 = 1'b1; end
      "A", "F", "P": begin
        length50 = t == "A" ? 6'd36 : t == "F" ? 6'd40 : 6'd44;
        layout.kind = t == "P" ? KIND_TRADE : KIND_ADD;
        layout.order_id11 = 1'b1;
        layout.side19 = 1'b1;
        layout.quantity20 = 1'b1;
        layout.symbol24 = 1'b1;
        layout.price32 = 1'b1;
      end
      "E", "C": begin
        length50 = t == "E" ? 6'd31 : 6'd36;
        layout.kind = KIND_EXECUTE;
        layout.order_id11 = 1'b1;
        layout.quantity19 = 1'b1;
        layout.price32 = t == "C";
      end
      "X": begin length50 = 6'd23; layout.kind = KIND_REDUCE; layout.order_id11 = 1'b1; layout.quantity19 = 1'b1; end
      "D": begin length50 = 6'd19; layout.kind = KIND_DELETE; layout.order_id11 = 1'b1; end
      "U": begin
        length50 = 6'd35;
        layout.kind = KIND_REPLACE;
        layout.order_id11 = 1'b1;
        layout.new_order_id19 = 1'b1;
        layout.quantity27 = 1'b1;
        layout.price31 = 1'b1;
      end
      "Q": begin
        length50 = 6'd40;
        layout.kind = KIND_TRADE;
        layout.quantity11 = 1'b1;
        layout.symbol19 = 1'b1;
        layout.price27 = 1'b1;
      end
      "B": begin length50 = 6'd19; layout.order_id11 = 1'b1; end
      "T": begin length50 = 6'd11; layout.kind = KIND_TIME; layout.is_time = 1'b1; layout.known = !itch50; end
      default: layout.known = 1'b0;
    endcase
    if (only50 && !itch50) layout.known = 1'b0;
    layout.length = itch50 ? length50 : length50 - 6'(Shift41);
  endfunction

endpackage
