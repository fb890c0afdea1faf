// The bytes of received frames, after the SFD and up to the last byte of the FCS, in the lanes they arrived in.
//
// A frame comes without pause: valid from its first beat to its last. Bytes that are not the frame's are zero: the lanes in front
// of a frame that begins in lane 4 (offset), and those after its end. At least one beat without valid separates two frames.
interface line_if #(
    parameter int W = 64
);
  logic                 valid;
  logic [        W-1:0] data;
  logic                 first;
  logic                 offset;  // the frame began in lane 4; stable from the cycle before its first beat to its last
  logic [$clog2(W/8):0] stop;    // number of lanes up to the frame's last byte of this beat: W/8 except at the end
  logic                 last;
  logic                 error;   // with last: the PHY flagged an error in this frame
  logic                 tag;     // a VLAN tag's type is in the lanes where a frame's type can be; W = 8: it is this byte and the one before

  modport src(output valid, data, first, offset, stop, last, error, tag);
  modport snk(input valid, data, first, offset, stop, last, error, tag);
endinterface
