// What the host can write while the core runs (docs/reference/order-operations.md). A stage does the operations it knows.
package config_pkg;

  typedef enum logic [3:0] {
    CONFIG_NONE            = 4'd0,
    CONFIG_STOP_SET        = 4'd1,
    CONFIG_STOP_CHANGE     = 4'd2,
    CONFIG_STOP_CANCEL     = 4'd3,
    CONFIG_TEMPLATE_BEAT   = 4'd4,
    CONFIG_TEMPLATE_RECORD = 4'd5,
    CONFIG_TEMPLATE_CLEAR  = 4'd6,
    CONFIG_BOOK            = 4'd7,
    CONFIG_TIME            = 4'd8,
    CONFIG_DATE            = 4'd9,
    CONFIG_NUMBER          = 4'd10,
    CONFIG_LIMIT           = 4'd11,
    CONFIG_ADJUST          = 4'd12,
    CONFIG_INSTRUMENT      = 4'd13,
    CONFIG_STRATEGY        = 4'd14,
    CONFIG_ORDER           = 4'd15
  } config_operation_e;

  // What a stage answers; all 0 if the operation was for another stage.
  typedef struct packed {
    logic       done;      // if not, nothing was changed
    logic [1:0] previous;  // stop_state_e: the slot's state before
    logic [1:0] text;      // text_answer_e: why the order's text was refused
  } config_answer_t;

endpackage
