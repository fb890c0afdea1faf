//! The counters of the order path and of the control plane.

use crate::driver::{Driver, Error, Registers};
use crate::order_registers as map;

impl<R: Registers> Driver<R> {
    /// Every counter of the order path and the control plane, by name.
    pub fn order_counters(&mut self) -> Result<Vec<(&'static str, u32)>, Error<R::Error>> {
        let counters = [
            ("tcp_segment", map::tcp_segment::ADDRESS),
            ("tcp_checksum_error", map::tcp_checksum_error::ADDRESS),
            ("tcp_out_of_order", map::tcp_out_of_order::ADDRESS),
            ("tcp_refused_rst", map::tcp_refused_rst::ADDRESS),
            ("tcp_refused_syn", map::tcp_refused_syn::ADDRESS),
            ("tcp_refused_ack", map::tcp_refused_ack::ADDRESS),
            ("tcp_challenge", map::tcp_challenge::ADDRESS),
            ("tcp_reset_received", map::tcp_reset_received::ADDRESS),
            ("tcp_reset_sent", map::tcp_reset_sent::ADDRESS),
            ("tcp_retransmission", map::tcp_retransmission::ADDRESS),
            ("tcp_fast", map::tcp_fast::ADDRESS),
            ("tcp_given_up", map::tcp_given_up::ADDRESS),
            ("tcp_full", map::tcp_full::ADDRESS),
            ("tcp_host_refused", map::tcp_host_refused::ADDRESS),
            ("tcp_sent", map::tcp_sent::ADDRESS),
            ("control_overflow", map::control_overflow::ADDRESS),
            ("arp_answer", map::arp_answer::ADDRESS),
            ("arp_request", map::arp_request::ADDRESS),
            ("arp_refused", map::arp_refused::ADDRESS),
            ("arp_poison", map::arp_poison::ADDRESS),
            ("arp_conflict", map::arp_conflict::ADDRESS),
            ("icmp_answer", map::icmp_answer::ADDRESS),
            ("icmp_refused", map::icmp_refused::ADDRESS),
            ("igmp_query", map::igmp_query::ADDRESS),
            ("igmp_refused", map::igmp_refused::ADDRESS),
            ("igmp_report", map::igmp_report::ADDRESS),
            ("fix_prices", map::fix_prices::ADDRESS),
            ("fix_other", map::fix_other::ADDRESS),
            ("fix_bad_checksum", map::fix_bad_checksum::ADDRESS),
            ("fix_bad_length", map::fix_bad_length::ADDRESS),
            ("fix_malformed", map::fix_malformed::ADDRESS),
            ("fix_bad_number", map::fix_bad_number::ADDRESS),
            ("fix_overflow", map::fix_overflow::ADDRESS),
            ("fix_truncated", map::fix_truncated::ADDRESS),
            ("fix_skipped", map::fix_skipped::ADDRESS),
            (
                "fix_unknown_instrument",
                map::fix_unknown_instrument::ADDRESS,
            ),
            ("fix_repeated", map::fix_repeated::ADDRESS),
            ("trade_overflow", map::trade_overflow::ADDRESS),
            ("order_sent", map::order_sent::ADDRESS),
            ("order_dropped", map::order_dropped::ADDRESS),
            ("report_overflow", map::report_overflow::ADDRESS),
            ("operation_refused", map::operation_refused::ADDRESS),
            ("refused_killed", map::refused_killed::ADDRESS),
            ("refused_record", map::refused_record::ADDRESS),
            ("refused_instrument", map::refused_instrument::ADDRESS),
            ("refused_stale", map::refused_stale::ADDRESS),
            ("refused_quantity", map::refused_quantity::ADDRESS),
            ("refused_notional", map::refused_notional::ADDRESS),
            ("refused_no_price", map::refused_no_price::ADDRESS),
            ("refused_collar", map::refused_collar::ADDRESS),
            ("refused_rate", map::refused_rate::ADDRESS),
            ("refused_open_orders", map::refused_open_orders::ADDRESS),
            ("refused_position", map::refused_position::ADDRESS),
            ("execution_unknown", map::execution_unknown::ADDRESS),
            ("execution_unreadable", map::execution_unreadable::ADDRESS),
            ("execution_overflow", map::execution_overflow::ADDRESS),
            ("order_forgotten", map::order_forgotten::ADDRESS),
        ];
        counters
            .into_iter()
            .map(|(name, address)| Ok((name, self.read(address)?)))
            .collect()
    }
}
