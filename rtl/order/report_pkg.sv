// What is reported to the host for each order.
package report_pkg;
  import order_template_pkg::*;

  typedef enum logic [1:0] {
    REPORT_SENT,
    REPORT_DROPPED,  // by the order stage: dropped_e
    REPORT_REFUSED   // by risk: refusal_e
  } report_e;

  typedef struct packed {
    report_e     what;
    logic [3:0]  reason;     // 0 if sent
    logic [31:0] client_id;
    number_t     number;     // its MsgSeqNum; 0 if it was not sent
    logic [63:0] time_ns;    // when TCP took it, or it was refused
  } order_report_t;

endpackage
