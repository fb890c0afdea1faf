// A line as the arbiter's parts see it: the beats, and what packet_number found in them.
interface arbiter_line_if #(
    parameter int W = 64,
    parameter int S = 64  // bits of a sequence number
);
  logic           valid;
  logic [  W-1:0] data;
  logic [W/8-1:0] keep;
  logic           last;
  logic           err;
  logic           first;  // this beat begins a packet
  logic           here;   // this beat completes number and count
  logic           due;    // this beat, if there is one, has the number: known before the beat is
  logic           short_end;  // if the packet ends with this beat, it is too short to hold them
  // With `here` they are `now`; from the cycle after on `held`, until the next packet's.
  logic [S-1:0] sequence_now, sequence_held;
  logic [15:0] count_now, count_held;  // 0 for an end of session too
  logic end_held;  // it is an end of session
  /* verilator lint_off UNUSEDSIGNAL */  // without a count each packet has one message
  logic [15:0] count_field;  // as it is in the packet
  logic end_now;
  /* verilator lint_on UNUSEDSIGNAL */

  modport src(
      output valid, data, keep, last, err, first, here, due, short_end, sequence_now, sequence_held, count_field, count_now, count_held,
      output end_now, end_held
  );
  modport snk(
      input valid, data, keep, last, err, first, here, due, short_end, sequence_now, sequence_held, count_field, count_now, count_held,
      input end_now, end_held
  );
endinterface
