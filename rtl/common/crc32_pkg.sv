// CRC-32 of IEEE 802.3 (reflected, polynomial 0xEDB88320) over 1, 2, 3, 4 or 8 bytes at once, byte 0 in [7:0].
// The state starts as all ones; the FCS is its complement, byte [7:0] first on the wire. A frame with its FCS leaves Residue.
//
// A CRC is linear: next state = matrix * (state xor data). Each row below is the mask of the bits whose parity is
// one bit of the next state, row 0 last. Written as constants because a loop over the bits is 2.7 times slower once synthesised.
package crc32_pkg;

  localparam logic [31:0] Residue = 32'hDEBB20E3;

  localparam logic [31:0][7:0] Matrix8 = {
    8'h82,
    8'hc3,
    8'he3,
    8'h71,
    8'hba,
    8'hdf,
    8'h6f,
    8'hb5,
    8'hd8,
    8'h6c,
    8'hb4,
    8'hd8,
    8'hee,
    8'h77,
    8'h3b,
    8'h1d,
    8'h8c,
    8'h46,
    8'h23,
    8'h11,
    8'h08,
    8'h04,
    8'h80,
    8'hc2,
    8'h61,
    8'h30,
    8'h9a,
    8'h4d,
    8'h26,
    8'h13,
    8'h09,
    8'h04
  };

  localparam logic [31:0][15:0] Matrix16 = {
    16'h8268,
    16'hc35c,
    16'he3c6,
    16'h71e3,
    16'hba99,
    16'hdf24,
    16'h6f92,
    16'hb5a1,
    16'hd8b8,
    16'h6c5c,
    16'hb446,
    16'hd84b,
    16'hee4d,
    16'h7726,
    16'h3b93,
    16'h1dc9,
    16'h8c8c,
    16'h4646,
    16'h2323,
    16'h1191,
    16'h08c8,
    16'h0464,
    16'h805a,
    16'hc245,
    16'h6122,
    16'h3091,
    16'h9a20,
    16'h4d10,
    16'h2688,
    16'h1344,
    16'h09a2,
    16'h04d1
  };

  localparam logic [31:0][23:0] Matrix24 = {
    24'h826880,
    24'hc35cc0,
    24'he3c6e0,
    24'h71e370,
    24'hba9938,
    24'hdf241c,
    24'h6f920e,
    24'hb5a187,
    24'hd8b843,
    24'h6c5c21,
    24'hb44690,
    24'hd84bc8,
    24'hee4d64,
    24'h7726b2,
    24'h3b9359,
    24'h1dc9ac,
    24'h8c8c56,
    24'h46462b,
    24'h232315,
    24'h11918a,
    24'h08c8c5,
    24'h046462,
    24'h805ab1,
    24'hc245d8,
    24'h6122ec,
    24'h309176,
    24'h9a203b,
    24'h4d101d,
    24'h26880e,
    24'h134407,
    24'h09a203,
    24'h04d101
  };

  localparam logic [31:0][31:0] Matrix32 = {
    32'h826880ef,
    32'hc35cc098,
    32'he3c6e0a3,
    32'h71e37051,
    32'hba9938c7,
    32'hdf241c8c,
    32'h6f920e46,
    32'hb5a187cc,
    32'hd8b84309,
    32'h6c5c2184,
    32'hb446902d,
    32'hd84bc8f9,
    32'hee4d6493,
    32'h7726b249,
    32'h3b935924,
    32'h1dc9ac92,
    32'h8c8c56a6,
    32'h46462b53,
    32'h232315a9,
    32'h11918ad4,
    32'h08c8c56a,
    32'h046462b5,
    32'h805ab1b5,
    32'hc245d835,
    32'h6122ec1a,
    32'h3091760d,
    32'h9a203be9,
    32'h4d101df4,
    32'h26880efa,
    32'h1344077d,
    32'h09a203be,
    32'h04d101df
  };

  localparam logic [31:0][63:0] Matrix64 = {
    64'h826880efa40da72d,
    64'hc35cc098760b74bb,
    64'he3c6e0a39f081d70,
    64'h71e37051cf840eb8,
    64'hba9938c743cfa071,
    64'hdf241c8c05ea7715,
    64'h6f920e4602f53b8a,
    64'hb5a187cca5773ae8,
    64'hd8b84309f6b63a59,
    64'h6c5c2184fb5b1d2c,
    64'hb446902dd9a029bb,
    64'hd84bc8f948ddb3f0,
    64'hee4d649300637ed5,
    64'h7726b2498031bf6a,
    64'h3b935924c018dfb5,
    64'h1dc9ac92600c6fda,
    64'h8c8c56a6940b90c0,
    64'h46462b534a05c860,
    64'h232315a9a502e430,
    64'h11918ad4d2817218,
    64'h08c8c56a6940b90c,
    64'h046462b534a05c86,
    64'h805ab1b53e5d896e,
    64'hc245d8353b23639a,
    64'h6122ec1a9d91b1cd,
    64'h3091760d4ec8d8e6,
    64'h9a203be90369cb5e,
    64'h4d101df481b4e5af,
    64'h26880efa40da72d7,
    64'h1344077d206d396b,
    64'h09a203be90369cb5,
    64'h04d101df481b4e5a
  };

  function automatic logic [31:0] crc32_step8(input logic [31:0] state, input logic [7:0] data);
    logic [7:0] x;
    x = data ^ state[7:0];
    for (int i = 0; i < 32; i++) crc32_step8[i] = ^(x & Matrix8[i]);
    crc32_step8 ^= state >> 8;
  endfunction

  function automatic logic [31:0] crc32_step16(input logic [31:0] state, input logic [15:0] data);
    logic [15:0] x;
    x = data ^ state[15:0];
    for (int i = 0; i < 32; i++) crc32_step16[i] = ^(x & Matrix16[i]);
    crc32_step16 ^= state >> 16;
  endfunction

  function automatic logic [31:0] crc32_step24(input logic [31:0] state, input logic [23:0] data);
    logic [23:0] x;
    x = data ^ state[23:0];
    for (int i = 0; i < 32; i++) crc32_step24[i] = ^(x & Matrix24[i]);
    crc32_step24 ^= state >> 24;
  endfunction

  function automatic logic [31:0] crc32_step32(input logic [31:0] state, input logic [31:0] data);
    logic [31:0] x;
    x = data ^ state;
    for (int i = 0; i < 32; i++) crc32_step32[i] = ^(x & Matrix32[i]);
  endfunction

  function automatic logic [31:0] crc32_step64(input logic [31:0] state, input logic [63:0] data);
    logic [63:0] x;
    x = data ^ {32'b0, state};
    for (int i = 0; i < 32; i++) crc32_step64[i] = ^(x & Matrix64[i]);
  endfunction

endpackage
