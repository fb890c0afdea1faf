// The aligned stream of a frame: what frame_align makes of the line. Fields lie where header_pkg says.
interface header_if #(
    parameter int W = 64
);
  localparam int Position = header_pkg::position_width(W);

  logic                beat;      // data holds the next aligned beat
  logic [       W-1:0] data;
  logic [Position-1:0] position;  // number of the aligned beat; stays at that of the first payload beat
  logic [Position-1:0] next;      // what position will be in the next cycle, to decode it ahead
  logic                shift;     // W = 64: the aligned beat begins in lane 6 of the line, not 2

  modport src(output beat, data, position, next, shift);
  modport snk(input beat, data, position, next, shift);
endinterface
