// What is known of the entity that a token belongs to: its bytes so far, and what its first three are, which tells sign, preamble and overlong encodings.
//
// Combinational for an entity of one piece; of longer ones what the first piece showed is kept. Latency: 0 cycles. Nothing overflows: counts saturate.
module fast_entity
  import fast_pkg::*;
(
    input logic clk,
    input logic rst,

    input logic take,
    /* verilator lint_off UNUSEDSIGNAL */
    input token_t token,
    /* verilator lint_on UNUSEDSIGNAL */
    output entity_t entity,
    output logic [31:0] value,  // as an unsigned integer, of an entity of one piece
    output logic ends_in_zero  // the data bits of its last byte
);
  logic [3:0] earlier;  // bytes in earlier pieces; 15: as many or more
  logic [4:0] sum;
  logic [7:0] zeros, ones, signs;
  entity_t kept;

  always_comb begin
    for (int i = 0; i < 8; i++) begin
      zeros[i] = token.data[i][6:0] == '0;
      ones[i]  = token.data[i][6:0] == '1;
      signs[i] = token.data[i][6];
    end
    entity = kept;
    sum = earlier + 5'(token.count);
    entity.total = sum[4] ? 4'd15 : sum[3:0];
    if (token.first) begin
      entity = '{total: token.count, has_third: token.count > 4'd2, default: '0};
      for (int n = 1; n <= 8; n++) begin
        if (token.count == 4'(n)) begin
          entity.zero_first |= zeros[n-1];
          entity.ones_first |= ones[n-1];
          entity.sign_first |= signs[n-1];
          if (n > 1) entity.zero_second |= zeros[n>1?n-2 : 0];
          if (n > 1) entity.sign_second |= signs[n>1?n-2 : 0];
          if (n > 2) entity.zero_third |= zeros[n>2?n-3 : 0];
        end
      end
    end
    value = '0;
    for (int k = 0; k < 5; k++) if (token.count > 4'(k)) value |= 32'(token.data[k][6:0]) << (7 * k);
  end

  assign ends_in_zero = zeros[0];

  always_ff @(posedge clk) begin
    if (take) begin
      earlier <= token.last || token.finish ? 4'd0 : entity.total;
      kept   <= entity;
    end
    if (rst) earlier <= 4'd0;
  end
endmodule
