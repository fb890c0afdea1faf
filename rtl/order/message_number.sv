// The number of the next message (MsgSeqNum, 34), in decimal, with the sums of its digits.
//
// The digits rotate, last first, one a cycle: each is incremented if a message took the number, and added to the sums.
//
// Latency: `load` or `take` to the new number 11 cycles, in which `valid` is low. Parameters: DIGITS.
// Overflow: after 99...9 there is no number until the host loads one: `exhausted`.
module message_number
  import order_template_pkg::*;
#(
    parameter int DIGITS = NumberDigits
) (
    input  logic                    clk,
    input  logic                    rst,
    input  logic                    load,
    input  logic [DIGITS-1:0][3:0]  load_number,  // decimal digits only
    input  logic                    take,         // a message got the number; only while valid
    output logic                    valid,
    output logic [DIGITS-1:0][3:0]  number,       // the first digit highest
    output digit_sums_t             sums,
    output logic                    exhausted
);
  localparam int Step = $clog2(DIGITS + 1);

  logic running, carry, wraps;
  logic [Step-1:0] step;  // digits done
  logic [3:0] digit;

  assign wraps = carry && number[0] == 4'd9;
  assign digit = wraps ? 4'd0 : number[0] + {3'b0, carry};

  always_ff @(posedge clk) begin
    if (running) begin
      if (step == Step'(DIGITS)) begin
        running <= 1'b0;
        valid <= !carry;
        exhausted <= carry;
      end else begin
        step <= step + 1'b1;
        number <= {digit, number[DIGITS-1:1]};
        carry <= wraps;
        sums.both <= sums.both + {4'b0, digit};
        // The last digit's offset is even if their count is odd.
        if (step[0] == (DIGITS % 2 == 0)) sums.even <= sums.even + {3'b0, digit};
        else sums.odd <= sums.odd + {3'b0, digit};
      end
    end
    if (load || take) begin
      valid <= 1'b0;
      running <= 1'b1;
      carry <= !load;
      step <= '0;
      sums <= '0;
    end
    if (load) begin
      number <= load_number;
      exhausted <= 1'b0;
    end
    if (rst) begin
      running <= 1'b0;
      valid <= 1'b0;
      exhausted <= 1'b0;
    end
  end

  assert property (@(posedge clk) disable iff (rst) !take || valid);
  assert property (@(posedge clk) disable iff (rst) !(valid && (running || exhausted)));
endmodule
