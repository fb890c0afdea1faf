// How the registers of a stage are described to csr_settings and csr_status: by fields, in the order of the members of their type. tools/registers.py writes both.
package csr_pkg;

  typedef struct packed {
    logic [8:0]  address;   // of the word it is in
    logic [4:0]  low;       // its lowest bit there
    logic [5:0]  width;
    logic        readable;  // the stage answers with it
    logic        pulse;     // what is written is there for one cycle
    logic [31:0] reset;
  } csr_field_t;

endpackage
