//! Recovery: the state machine against random feeds and hostile answers, and both sides over loopback with losses everywhere.

mod consumer;
mod gaps;
mod history;
mod loopback;
mod tail;
