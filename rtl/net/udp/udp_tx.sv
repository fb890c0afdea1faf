// Puts Ethernet, IPv4 and UDP headers before a payload: one datagram a request.
//
//   request ─ headers, IPv4 checksum ─┐
//   payload ─ shift by 42 mod W/8 ────┴─ register ─ out
//
// Ethernet II without VLAN; IPv4 with IHL 5, DSCP 0, id 0, DF, TTL 64; UDP without checksum (RFC 768: none). The lengths come from
// `payload_length`, the frame's end from `payload.last`: they must agree. With `payload_length` 0 no payload beat is taken.
//
// A request is accepted in the cycle its first header beat is taken at `out`. Addresses and ports come from registers: they must be there
// 4 cycles before the request, so that the first beat and the checksum are ready, and stay until the last header beat was taken. `payload_length`
// is looked at in the cycle in which the request is accepted.
//
// Latency: request valid to first header beat valid at `out`: 0 cycles. Payload is taken from the cycle on
// in which the last complete header beat is taken: at W = 64 4 cycles after the request is accepted, at W = 8 41 cycles.
// A payload beat leaves the cycle after it is taken.
// Throughput: a beat a cycle; the first beat of the next frame may be offered the cycle after the last was taken.
// Underrun: if payload is not valid when it could be taken, `out` is not valid the cycle after.
module udp_tx #(
    parameter int W = 64
) (
    input logic clk,
    input logic rst,

    input  logic        request_valid,
    output logic        request_ready,
    input  logic [15:0] payload_length,   // bytes, at most 65,507
    input  logic [47:0] source_mac,
    input  logic [47:0] destination_mac,
    input  logic [31:0] source_ip,
    input  logic [31:0] destination_ip,
    input  logic [15:0] source_port,
    input  logic [15:0] destination_port,

    tx_stream_if.snk payload,
    tx_stream_if.src out
);
  localparam int Bytes = W / 8;
  localparam int HeaderBytes = 42;
  localparam int HeaderBeats = HeaderBytes / Bytes;  // complete ones
  localparam int Shift = HeaderBytes % Bytes;  // header bytes that share a beat with the payload

  typedef enum logic [1:0] {
    IDLE,     // the first header beat stands in the register, valid as soon as there is a request
    HEADER,
    PAYLOAD,
    TAIL      // payload bytes that the shift left over; 0: the last beat waits to be taken
  } state_e;

  // ---- lengths and checksum ----------------------------------------------------------------------
  // The addresses' share of the IPv4 checksum is there before the request; then the length is added in the cycle in which it is accepted,
  // and the carries in the next: ready to be loaded into the third beat after the first.

  localparam logic [18:0] ConstantSum = 19'h4500 + 19'h4000 + 19'h4011 + 19'd28;  // version to protocol; headers in the length

  state_e state;
  logic [15:0] total_length, udp_length;
  logic empty;
  logic [16:0] source_sum, destination_sum;
  logic [18:0] address_sum;
  logic [16:0] base, sum;
  logic [15:0] checksum;

  always_ff @(posedge clk) begin
    source_sum <= {1'b0, source_ip[31:16]} + {1'b0, source_ip[15:0]};
    destination_sum <= {1'b0, destination_ip[31:16]} + {1'b0, destination_ip[15:0]};
    address_sum <= {2'b0, source_sum} + {2'b0, destination_sum} + ConstantSum;
    base <= {1'b0, address_sum[15:0]} + {14'b0, address_sum[18:16]};
    if (state == IDLE) begin
      total_length <= payload_length + 16'd28;
      udp_length <= payload_length + 16'd8;
      empty <= payload_length == '0;
      sum <= base + {1'b0, payload_length};
    end
    checksum <= ~(sum[15:0] +{15'b0, sum[16]});
  end

  // `base` is at most 2^16 + 3 and a datagram has at most 65,507 bytes, so neither `sum` nor its end-around carry overflows.

  // ---- headers -----------------------------------------------------------------------------------

  logic [HeaderBytes-1:0][  7:0] octet;  // in the order of the wire, first octet highest
  logic [HeaderBeats-1:0][W-1:0] header;

  assign octet = {
    destination_mac,
    source_mac,
    16'h0800,
    16'h4500,
    total_length,
    16'h0000,
    16'h4000,
    8'd64,
    8'd17,
    checksum,
    source_ip,
    destination_ip,
    source_port,
    destination_port,
    udp_length,
    16'h0000
  };

  always_comb begin
    for (int beat = 0; beat < HeaderBeats; beat++) for (int i = 0; i < Bytes; i++) header[beat][8*i+:8] = octet[HeaderBytes-1-Bytes*beat-i];
  end

  // ---- payload, shifted after the header's last bytes --------------------------------------------

  logic take;  // a payload beat
  logic [W-1:0] joined_data, left_data;
  logic [Bytes-1:0] joined_keep, left_keep;
  logic left;  // the payload's last beat does not fit after what was left of the one before

  logic [W-1:0] payload_data;  // zeros outside keep, as mac_tx requires

  assign take = payload.valid && payload.ready;

  always_comb begin
    for (int i = 0; i < Bytes; i++) payload_data[8*i+:8] = payload.keep[i] && !empty ? payload.data[8*i+:8] : 8'h00;
  end

  if (Shift == 0) begin : gen_aligned
    assign joined_data = payload_data;
    assign joined_keep = payload.keep;
    assign left_data = '0;
    assign left_keep = '0;
    assign left = 1'b0;
  end else begin : gen_shifted
    logic [Shift-1:0][7:0] residue;
    logic [Shift-1:0] residue_keep;

    always_ff @(posedge clk) begin
      if (state == IDLE) residue <= '0;  // the header ends in the UDP checksum, which is 0
      else if (take) begin
        residue <= payload_data[W-1-:8*Shift];
        residue_keep <= payload.keep[Bytes-1-:Shift];
      end
    end

    assign joined_data = {payload_data[W-8*Shift-1:0], residue};
    assign joined_keep = empty ? Bytes'((1 << Shift) - 1) : {payload.keep[Bytes-Shift-1:0], {Shift{1'b1}}};
    assign left_data = W'(residue);
    assign left_keep = Bytes'(residue_keep);
    assign left = payload.keep[Bytes-Shift] && !empty;
  end

  // ---- output ------------------------------------------------------------------------------------

  localparam int IndexWidth = $clog2(HeaderBeats);

  logic [IndexWidth-1:0] index;  // of the header beat to load next
  logic idle;  // state is IDLE; a separate register, because mac_tx has much logic after `out.valid`
  logic valid, last, load;  // valid is low in IDLE
  logic [W-1:0] data;
  logic [Bytes-1:0] keep;

  assign request_ready = idle && out.ready;
  assign out.valid = valid || (idle && request_valid);
  assign out.data = data;
  assign out.keep = keep;
  assign out.last = last;

  // The register takes the next beat when it is empty or its beat leaves. It holds the last beat until that is taken.
  assign load = out.ready || (!idle && !valid);
  assign payload.ready = state == PAYLOAD && !empty && load;

  logic [W-1:0] next_data;

  always_comb begin
    unique case (state)
      IDLE: next_data = request_valid && out.ready ? header[1] : header[0];
      HEADER: next_data = header[index];
      PAYLOAD: next_data = joined_data;
      default: next_data = last ? header[0] : left_data;
    endcase
  end

  always_ff @(posedge clk) begin
    if (load || idle) data <= next_data;
    if (load) begin
      valid <= !idle || request_valid;
      unique case (state)
        IDLE: begin
          index <= IndexWidth'(2);
          if (request_valid) begin
            idle  <= 1'b0;
            state <= HEADER;
          end
        end
        HEADER: begin
          index <= index + 1'b1;
          if (index == IndexWidth'(HeaderBeats - 1)) begin
            state <= PAYLOAD;
            if (Shift == 0 && empty) begin
              last  <= 1'b1;
              state <= TAIL;
            end
          end
        end
        PAYLOAD: begin
          if (payload.valid || empty) begin
            keep <= joined_keep;
            if (payload.last || empty) begin
              last  <= !left;
              state <= TAIL;
            end
          end else valid <= 1'b0;
        end
        default: begin
          keep <= left_keep;
          last <= 1'b1;
          if (last) begin
            keep  <= '1;
            last  <= 1'b0;
            valid <= 1'b0;
            idle  <= 1'b1;
            state <= IDLE;
          end
        end
      endcase
    end
    if (rst) begin
      state <= IDLE;
      idle  <= 1'b1;
      valid <= 1'b0;
      last  <= 1'b0;
      keep  <= '1;
    end
  end

  // ---- what the requester must do ------------------------------------------------------------------

  logic waiting;  // a request was made and not accepted
  logic [15:0] counted;  // payload bytes taken

  always_ff @(posedge clk) begin
    waiting <= !rst && request_valid && !request_ready;
    if (state == IDLE) counted <= '0;
    else if (take) counted <= counted + 16'($countones(payload.keep));
  end

  assert property (@(posedge clk) disable iff (rst) !waiting || request_valid);
  assert property (@(posedge clk) disable iff (rst) !take || (payload.keep[0] && (payload.last || &payload.keep)));
  assert property (@(posedge clk) disable iff (rst) !take || !payload.last || counted + 16'($countones(
      payload.keep
  )) + 16'd8 == udp_length);
endmodule
