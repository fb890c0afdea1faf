//! Recovery: the state machine against random feeds and hostile answers, and both sides over loopback with losses everywhere.

#[path = "recovery/consumer.rs"]
mod consumer;
#[path = "recovery/gaps.rs"]
mod gaps;
#[path = "recovery/history.rs"]
mod history;
#[path = "recovery/loopback.rs"]
mod loopback;
#[path = "recovery/tail.rs"]
mod tail;
