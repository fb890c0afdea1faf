// Takes the fields of Ethernet and IPv4 out of the aligned stream and checks the IPv4 header's checksum.
//
// Latency: that of header_capture, 0; `checksum_good` as in ipv4_checksum. Throughput: line rate. Parameters: W. Overflow: none, nothing is stored but
// the last frame's fields.
module ipv4_fields
  import header_pkg::*;
#(
    parameter int W = 64
) (
    input  logic         clk,
    header_if.snk header,
    output ipv4_fields_t fields,        // each complete in its cycle of `done`
    output ipv4_done_t   done,
    output logic         checksum_good
);
  header_capture #(
      .W(W),
      .OFFSET(EthernetDestination),
      .BYTES(6)
  ) capture_mac (
      .clk,
      .header,
      .value(fields.mac),
      .done (done.mac)
  );
  header_capture #(
      .W(W),
      .OFFSET(EthernetType),
      .BYTES(2)
  ) capture_ethertype (
      .clk,
      .header,
      .value(fields.ethertype),
      .done (done.ethertype)
  );
  header_capture #(
      .W(W),
      .OFFSET(IpVersion),
      .BYTES(1)
  ) capture_version (
      .clk,
      .header,
      .value(fields.version),
      .done (done.version)
  );
  header_capture #(
      .W(W),
      .OFFSET(IpLength),
      .BYTES(2)
  ) capture_length (
      .clk,
      .header,
      .value(fields.length),
      .done (done.length)
  );
  header_capture #(
      .W(W),
      .OFFSET(IpFragment),
      .BYTES(2)
  ) capture_fragment (
      .clk,
      .header,
      .value(fields.fragment),
      .done (done.fragment)
  );
  header_capture #(
      .W(W),
      .OFFSET(IpProtocol),
      .BYTES(1)
  ) capture_protocol (
      .clk,
      .header,
      .value(fields.protocol),
      .done (done.protocol)
  );
  header_capture #(
      .W(W),
      .OFFSET(IpDestination),
      .BYTES(4)
  ) capture_destination (
      .clk,
      .header,
      .value(fields.destination),
      .done (done.destination)
  );

  ipv4_checksum #(
      .W(W)
  ) checksum (
      .clk,
      .header,
      .good(checksum_good)
  );
endmodule
