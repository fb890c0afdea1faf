// What the host can write while the core runs (docs/reference/order-operations.md). A stage does the operations it knows.
package config_pkg;

  typedef enum logic [4:0] {
    CONFIG_NONE            = 5'd0,
    CONFIG_STOP_SET        = 5'd1,
    CONFIG_STOP_CHANGE     = 5'd2,
    CONFIG_STOP_CANCEL     = 5'd3,
    CONFIG_TEMPLATE_BEAT   = 5'd4,
    CONFIG_TEMPLATE_RECORD = 5'd5,
    CONFIG_TEMPLATE_CLEAR  = 5'd6,
    CONFIG_BOOK            = 5'd7,
    CONFIG_TIME            = 5'd8,
    CONFIG_DATE            = 5'd9,
    CONFIG_NUMBER          = 5'd10,
    CONFIG_LIMIT           = 5'd11,
    CONFIG_ADJUST          = 5'd12,
    CONFIG_INSTRUMENT      = 5'd13,
    CONFIG_STRATEGY        = 5'd14,
    CONFIG_ORDER           = 5'd15,
    CONFIG_FAST            = 5'd16,
    CONFIG_RING            = 5'd17,
    CONFIG_PROGRAM         = 5'd18
  } config_operation_e;

  // What a stage answers; all 0 if the operation was for another stage.
  typedef struct packed {
    logic       done;      // if not, nothing was changed
    logic [1:0] previous;  // stop_state_e: the slot's state before
    logic [1:0] text;      // text_answer_e: why the order's text was refused
  } config_answer_t;

endpackage
