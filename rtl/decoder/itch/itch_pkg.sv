// TotalView-ITCH 4.1 and 5.0: the length of every message and where its fields are (docs/reference/rules.md).
//
// Offsets are those of ITCH 5.0, whose head has 11 bytes: type, locate 2, tracking 2, time 6. The head of 4.1 has 5 bytes
// (type, nanoseconds 4), so a 4.1 message put at offset 6 has its nanoseconds and its body at the same places; its type is at 6.
package itch_pkg;
  import tickwire_pkg::*;

  localparam int Shift41 = 6;  // where a 4.1 message is put
  localparam int FirstByte = 1;  // the first byte whose value is stored (the type is decoded as it comes)
  localparam int LastByte = 35;  // the last byte any event needs

  // Where an event's fields are; if no bit of a group is set, the field is 0.
  typedef struct packed {
    logic        known;
    logic [5:0]  length;
    event_kind_e kind;
    logic [7:0]  message_type;
    logic        is_time;         // 4.1 T: seconds in place of nanoseconds
    logic        side19;
    logic        order_id11;
    logic        new_order_id19;
    logic        symbol11;
    logic        symbol15;
    logic        symbol19;
    logic        symbol24;
    logic        symbol28;
    logic        early11;         // that symbol, and a beat at least after it
    logic        early19;
    logic        early24;
    logic        quantity11;      // 64 bits, the other quantities 32
    logic        quantity19;
    logic        quantity20;
    logic        quantity27;
    logic        price27;
    logic        price31;
    logic        price32;
  } layout_t;

  // The length of a message of type `t` in ITCH 5.0 or 4.1; 0: the version has no such type.
  function automatic logic [5:0] length_of(input logic itch50, input logic [7:0] t);
    case (t)
      "T": length_of = itch50 ? 6'd0 : 6'd5;
      "S": length_of = itch50 ? 6'd12 : 6'd6;
      "R": length_of = itch50 ? 6'd39 : 6'd20;
      "H": length_of = itch50 ? 6'd25 : 6'd19;
      "Y": length_of = itch50 ? 6'd20 : 6'd14;
      "L": length_of = itch50 ? 6'd26 : 6'd20;
      "V": length_of = itch50 ? 6'd35 : 6'd0;
      "W": length_of = itch50 ? 6'd12 : 6'd0;
      "K": length_of = itch50 ? 6'd28 : 6'd0;
      "J": length_of = itch50 ? 6'd35 : 6'd0;
      "h": length_of = itch50 ? 6'd21 : 6'd0;
      "A": length_of = itch50 ? 6'd36 : 6'd30;
      "F": length_of = itch50 ? 6'd40 : 6'd34;
      "E": length_of = itch50 ? 6'd31 : 6'd25;
      "C": length_of = itch50 ? 6'd36 : 6'd30;
      "X": length_of = itch50 ? 6'd23 : 6'd17;
      "D": length_of = itch50 ? 6'd19 : 6'd13;
      "U": length_of = itch50 ? 6'd35 : 6'd29;
      "P": length_of = itch50 ? 6'd44 : 6'd38;
      "Q": length_of = itch50 ? 6'd40 : 6'd34;
      "B": length_of = itch50 ? 6'd19 : 6'd13;
      "I": length_of = itch50 ? 6'd50 : 6'd44;
      "N": length_of = itch50 ? 6'd20 : 6'd14;
      "O": length_of = itch50 ? 6'd48 : 6'd0;
      default: length_of = '0;
    endcase
  endfunction

  // The layout of a message of type `t`. For a type the version does not have it does not matter: such a message gives no event.
  function automatic layout_t layout_of(input logic itch50, input logic [7:0] t);
    layout_of = '0;
    layout_of.length = length_of(itch50, t);
    layout_of.known = |layout_of.length;
    layout_of.message_type = t;
    layout_of.is_time = t == "T" && !itch50;
    case (t)
      "T": layout_of.kind = KIND_TIME;
      "A", "F": layout_of.kind = KIND_ADD;
      "E", "C": layout_of.kind = KIND_EXECUTE;
      "X": layout_of.kind = KIND_REDUCE;
      "D": layout_of.kind = KIND_DELETE;
      "U": layout_of.kind = KIND_REPLACE;
      "P", "Q": layout_of.kind = KIND_TRADE;
      default: layout_of.kind = KIND_STATUS;
    endcase
    layout_of.side19 = t inside {"A", "F", "P"};
    layout_of.order_id11 = t inside {"A", "F", "P", "E", "C", "X", "D", "U", "B"};
    layout_of.new_order_id19 = t == "U";
    layout_of.symbol11 = t inside {"R", "H", "Y", "K", "J", "h", "N", "O"};
    layout_of.symbol15 = t == "L";
    layout_of.symbol19 = t == "Q";
    layout_of.symbol24 = t inside {"A", "F", "P"};
    layout_of.symbol28 = t == "I";
    layout_of.early11 = itch50 && t == "R";
    layout_of.early19 = t == "Q";
    layout_of.early24 = t inside {"F", "P"};
    layout_of.quantity11 = t == "Q";
    layout_of.quantity19 = t inside {"E", "C", "X"};
    layout_of.quantity20 = t inside {"A", "F", "P"};
    layout_of.quantity27 = t == "U";
    layout_of.price27 = t == "Q";
    layout_of.price31 = t == "U";
    layout_of.price32 = t inside {"A", "F", "P", "C"};
  endfunction

endpackage
