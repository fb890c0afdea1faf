// Takes one header field out of the aligned stream, at any width.
//
// `value` (first byte on the left) is complete in the cycle in which `done` is high, that of the field's last byte: bytes of that beat come
// straight from the stream, those of earlier beats from registers; at W = 8 these are the last bytes whatever they are, the same for all fields.
// Latency: 0. Parameters: W; OFFSET of the field (header_pkg); BYTES in it.
module header_capture
  import header_pkg::*;
#(
    parameter int W = 64,
    parameter int OFFSET = 0,
    parameter int BYTES = 2
) (
    /* verilator lint_off UNUSEDSIGNAL */  // unused at W = 8 for a single byte
    input  logic               clk,
    /* verilator lint_on UNUSEDSIGNAL */
    header_if.snk              header,
    output logic [8*BYTES-1:0] value,
    output logic               done
);
  localparam int Position = position_width(W);
  localparam int Last = beat_of(W, OFFSET + BYTES - 1);

  // At W = 64 the next position is known early; at W = 8, counted, late.
  if (W == 8) begin : g_done
    assign done = header.beat && header.position == Position'(Last);
  end else begin : g_done_ahead
    logic at_last_reg;  // the position is Last
    always_ff @(posedge clk) at_last_reg <= header.next == Position'(Last);
    assign done = header.beat && at_last_reg;
    assert property (@(posedge clk) !(header.beat && $past(header.beat)) || at_last_reg == (header.position == Position'(Last)));
  end

  if (W == 8 && BYTES > 1) begin : g_byte
    logic [BYTES-2:0][7:0] before_reg;
    always_ff @(posedge clk) if (header.beat) before_reg <= (8 * (BYTES - 1))'({before_reg, header.data});
    assign value = {before_reg, header.data};
  end else begin : g_word
    for (genvar i = 0; i < BYTES; i++) begin : g_value
      localparam int Beat = beat_of(W, OFFSET + i);
      localparam int Lane = lane_of(W, OFFSET + i);
      if (Beat == Last) begin : g_now
        assign value[8*(BYTES-1-i)+:8] = header.data[8*Lane+:8];
      end else begin : g_before
        logic [7:0] byte_reg;
        always_ff @(posedge clk) if (header.beat && header.position == Position'(Beat)) byte_reg <= header.data[8*Lane+:8];
        assign value[8*(BYTES-1-i)+:8] = byte_reg;
      end
    end
  end

endmodule
