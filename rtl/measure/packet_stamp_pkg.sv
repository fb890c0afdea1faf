// What packet_stamp and packet_timer must agree on.
package packet_stamp_pkg;

  localparam int StampBytes = 4;  // a cycle count, little-endian

  // Cycles a beat spends in field_writer: the field's last beat must be seen before its first one leaves.
  function automatic int writer_cycles(input int w, input int offset, input int bytes);
    return (offset + bytes - 1) / (w / 8) - offset / (w / 8) + 1;
  endfunction

  // Cycles through packet_stamp, and through packet_timer.
  function automatic int stamp_cycles(input int w, input int offset);
    return writer_cycles(w, offset, StampBytes);
  endfunction

endpackage
