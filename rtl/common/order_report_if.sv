// What became of orders, for the host: see order_reports.
interface order_report_if;
  import report_pkg::order_report_t;

  logic          valid;
  logic          ready;
  order_report_t data;

  modport src(output valid, data, input ready);
  modport snk(input valid, data, output ready);
endinterface
