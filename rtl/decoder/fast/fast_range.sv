// Whether a sum is in the range of an integer type, or of a decimal's exponent. Combinational.
module fast_range (
    input  logic [71:0] sum,
    input  logic        is_signed,
    input  logic [1:0]  width,     // 8, 16, 32, 64 bits
    output logic        fits,
    output logic        fits_exponent  // -63 to 63
);
  logic zero64, zero32, zero16, zero8, zero7, ones64, ones32, ones16, ones8, ones7, zero, ones, sign;

  assign zero64 = sum[71:64] == '0;
  assign zero32 = sum[63:32] == '0;
  assign zero16 = sum[31:16] == '0;
  assign zero8  = sum[15:8] == '0;
  assign zero7  = sum[7] == 1'b0;
  assign ones64 = sum[71:64] == '1;
  assign ones32 = sum[63:32] == '1;
  assign ones16 = sum[31:16] == '1;
  assign ones8  = sum[15:8] == '1;
  assign ones7  = sum[7];

  always_comb begin
    case (width)
      2'd0: {zero, ones, sign} = {zero64 && zero32 && zero16 && zero8, ones64 && ones32 && ones16 && ones8, sum[7]};
      2'd1: {zero, ones, sign} = {zero64 && zero32 && zero16, ones64 && ones32 && ones16, sum[15]};
      2'd2: {zero, ones, sign} = {zero64 && zero32, ones64 && ones32, sum[31]};
      default: {zero, ones, sign} = {zero64, ones64, sum[63]};
    endcase
  end

  assign fits = is_signed ? (sign ? ones : zero) : zero;
  assign fits_exponent = sum[6] ? ones64 && ones32 && ones16 && ones8 && ones7 && sum[5:0] != '0 :
      zero64 && zero32 && zero16 && zero8 && zero7;
endmodule
