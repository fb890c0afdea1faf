// The MII of a line, in one direction. W = 8: GMII, control[0] is dv or en. W = 64: XGMII, control is a bit a byte.
interface mii_if #(
    parameter int W = 64
);
  logic [  W-1:0] data;
  logic [W/8-1:0] control;
  logic           error;

  modport rx(input data, control, error);
  modport tx(output data, control, error);
endinterface
