// Plays files of MII words into net_rx and writes down what comes out: much faster than setting signals from Python.
//
// For each `go`: a line of stimulus.hex (in the folder +folder=) is one cycle, {error, control, data}; a line of result.txt is one cycle
// in which anything came out: cycle, frame_start, cause_valid, cause, valid, last, err, keep, data. A line of frames.txt is a frame on
// `line`: cycle and offset of its first beat, its beats, stop and error of its last. `done` at the end.
module net_rx_tb
  import tickwire_pkg::*;
#(
    parameter int W = 64,
    parameter bit AT_ONCE = 1'b0
) (
    input  logic go,
    output logic done
);
  logic clk = 1'b0;
  logic rst = 1'b1;
  logic [W-1:0] mii_data = W == 8 ? '0 : {W / 8{8'h07}};
  logic [W/8-1:0] mii_control = W == 8 ? '0 : '1;
  logic mii_error = 1'b0;
  net_config_t net_config;
  stream_if #(.W(W)) out ();
  line_if #(.W(W)) line ();
  logic cause_valid, frame_start, fcs_good_unused, feed_unused;
  net_cause_e cause;

  // 02:00:00:00:00:01, 10.0.0.1; 239.1.2.3, 224.0.129.5 (same MAC as 225.128.129.5), 0, 232.255.255.254; 26400, 0, 1, 65535
  assign net_config.feed = '0;
  assign net_config.local_mac = 48'h020000000001;
  assign net_config.local_ip = 32'h0a000001;
  assign net_config.group = {32'he8fffffe, 32'h0, 32'he0008105, 32'hef010203};
  assign net_config.port = {16'd65535, 16'd1, 16'd0, 16'd26400};

  net_rx #(
      .W(W),
      .AT_ONCE(AT_ONCE)
  ) dut (
      .clk,
      .rst,
      .mii_data,
      .mii_control,
      .mii_error,
      .enable(1'b1),
      .net_config,
      .line(line.src),
      .fcs_good(fcs_good_unused),
      .out(out.src),
      .feed(feed_unused),
      .cause_valid,
      .cause,
      .frame_start
  );

  always #1 clk = !clk;

  string folder;
  int stimulus, result, frames, resets;
  longint cycle;
  logic [W+W/8+3:0] word;
  logic playing = 1'b0;

  initial begin
    resets = 8;
    done   = 1'b0;
    if (!$value$plusargs("folder=%s", folder)) $fatal(1, "+folder= is missing");
  end

  always @(posedge clk) begin
    if (resets != 0) begin
      resets = resets - 1;
    end else if (playing) begin
      if (frame_start || cause_valid || out.valid) begin
        $fwrite(result, "%0d %0d %0d %0d %0d %0d %0d %0h %0h\n", cycle, frame_start, cause_valid, cause, out.valid, out.last, out.err,
                out.keep, out.data);
      end
      if (line.valid) begin
        if (line.first) $fwrite(frames, "%0d %0d ", cycle, line.offset);
        $fwrite(frames, "%h", line.data);
        if (line.last) $fwrite(frames, " %0d %0d\n", line.stop, line.error);
      end
      cycle = cycle + 1;
      if ($fscanf(stimulus, "%h", word) == 1) begin
        {mii_error, mii_control, mii_data} <= word[W+W/8:0];
      end else begin
        $fclose(stimulus);
        $fclose(result);
        $fclose(frames);
        playing = 1'b0;
        done <= 1'b1;
      end
    end else if (!go) begin
      done <= 1'b0;
    end else if (!done) begin
      stimulus = $fopen({folder, "/stimulus.hex"}, "r");
      result   = $fopen({folder, "/result.txt"}, "w");
      frames   = $fopen({folder, "/frames.txt"}, "w");
      cycle    = -1;
      playing  = 1'b1;
    end
    rst <= resets != 0;
  end

endmodule
