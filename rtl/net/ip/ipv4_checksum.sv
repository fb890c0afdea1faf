// Checks the checksum of the IPv4 header.
//
// Latency: `good` is valid from the cycle after the header's last beat until the next header. Throughput: a beat a cycle. Parameters: W.
module ipv4_checksum
  import header_pkg::*;
#(
    parameter int W = 64
) (
    input  logic clk,
    header_if.snk header,
    output logic good
);
  localparam int Position = position_width(W);
  localparam int IpBegin = beat_of(W, IpVersion);
  localparam int IpEnd = beat_of(W, UdpSource - 1);

  logic [W/8-1:0] in_ip;
  logic [W-1:0] ip_bytes;
  logic ip_begin_reg, ip_in_reg;  // the beat it begins in; any of its beats

  // At W = 8 the sum begins again if the byte before proves to be a tag's: `next`, which is late, is not needed.
  if (W == 8) begin : g_byte_at
    always_ff @(posedge clk) begin
      if (header.beat) begin
        ip_begin_reg <= header.position == Position'(IpBegin - 1);
        ip_in_reg    <= header.position == Position'(IpBegin - 1) || (ip_in_reg && header.position != Position'(IpEnd));
      end
    end
  end else begin : g_word_at
    always_ff @(posedge clk) begin
      ip_begin_reg <= header.next == Position'(IpBegin);
      ip_in_reg    <= header.next == Position'(IpBegin) || (ip_in_reg && header.next != Position'(IpEnd + 1) && header.next != '0);
    end
  end

  always_comb begin
    for (int i = 0; i < W / 8; i++) begin
      // The beat in which the header begins may also hold bytes from before it; the beat it ends in is full.
      in_ip[i] = !ip_begin_reg || i >= lane_of(W, IpVersion);
      ip_bytes[8*i+:8] = in_ip[i] ? header.data[8*i+:8] : 8'h0;
    end
  end

  if (W == 8) begin : g_byte
    internet_checksum #(
        .WORDS(1)
    ) checksum (
        .clk,
        .add(header.beat && ip_in_reg),
        .restart(ip_begin_reg),
        .begin_with('0),
        .words(header.position[0] ? {ip_bytes, 8'h0} : {8'h0, ip_bytes}),
        .good
    );
  end else begin : g_word
    internet_checksum #(
        .WORDS(W / 16)
    ) checksum (
        .clk,
        .add(header.beat && ip_in_reg),
        .restart(ip_begin_reg),
        .begin_with('0),
        .words(ip_bytes),
        .good
    );
  end

endmodule
