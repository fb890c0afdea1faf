//! Every counter of the core and of its software twin, under the names of `docs/reference/rules.md` and the register map.

use serde::{Deserialize, Serialize};

use crate::frame;

macro_rules! counters {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(default)]
        pub struct $name {
            $($(#[$field_doc])* pub $field: $type,)*
        }

        impl $name {
            /// The names, in order.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($field)),*];

            /// Names and values, in order.
            pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> + use<> {
                [$((stringify!($field), u64::from(self.$field))),*].into_iter()
            }
        }
    };
}

counters! {
    /// Frames by cause: each frame is in exactly one. 32 bits, wrapping.
    NetCounters {
        /// Frames in which the PHY flagged an error.
        mii_error: u32,
        /// Frames with a wrong FCS.
        fcs_error: u32,
        /// Frames shorter than 64 bytes.
        runt: u32,
        /// Frames longer than 9,022 bytes.
        oversize: u32,
        /// Frames for another MAC.
        other_mac: u32,
        /// Frames that are not IPv4.
        other_ethertype: u32,
        /// Frames with an IP version other than 4, or IHL below 5.
        ip_header_error: u32,
        /// Frames with IPv4 options.
        ip_options: u32,
        /// Frames with a wrong IPv4 checksum.
        ip_checksum_error: u32,
        /// Frames with a wrong IPv4 total length.
        ip_length_error: u32,
        /// Fragments.
        fragment: u32,
        /// Frames for another IP address.
        other_ip: u32,
        /// Frames that are not UDP.
        other_protocol: u32,
        /// Frames with a wrong UDP length.
        udp_length_error: u32,
        /// Frames for another UDP port.
        other_port: u32,
        /// Frames with a wrong UDP checksum.
        udp_checksum_error: u32,
        /// Frames whose payload is good.
        accepted: u32,
    }
}

impl NetCounters {
    /// Counts a frame.
    pub fn count(&mut self, cause: frame::Cause) {
        let counter = match cause {
            frame::Cause::MiiError => &mut self.mii_error,
            frame::Cause::FcsError => &mut self.fcs_error,
            frame::Cause::Runt => &mut self.runt,
            frame::Cause::Oversize => &mut self.oversize,
            frame::Cause::OtherMac => &mut self.other_mac,
            frame::Cause::OtherEthertype => &mut self.other_ethertype,
            frame::Cause::IpHeaderError => &mut self.ip_header_error,
            frame::Cause::IpOptions => &mut self.ip_options,
            frame::Cause::IpChecksumError => &mut self.ip_checksum_error,
            frame::Cause::IpLengthError => &mut self.ip_length_error,
            frame::Cause::Fragment => &mut self.fragment,
            frame::Cause::OtherIp => &mut self.other_ip,
            frame::Cause::OtherProtocol => &mut self.other_protocol,
            frame::Cause::UdpLengthError => &mut self.udp_length_error,
            frame::Cause::OtherPort => &mut self.other_port,
            frame::Cause::UdpChecksumError => &mut self.udp_checksum_error,
            frame::Cause::Accepted => &mut self.accepted,
        };
        *counter = counter.wrapping_add(1);
    }
}

counters! {
    /// What became of the datagrams and messages. 32 bits, wrapping; `mold_lost` 64.
    FeedCounters {
        /// Datagrams that are no MoldUDP64 packet.
        mold_malformed: u32,
        /// Datagrams whose messages have all come before.
        mold_old: u32,
        /// Heartbeats.
        mold_heartbeat: u32,
        /// Ends of session.
        mold_end_of_session: u32,
        /// Packets with messages.
        mold_packet: u32,
        /// Sessions begun, the first included.
        mold_new_session: u32,
        /// Gaps in the sequence.
        mold_gap: u32,
        /// Messages lost in gaps.
        mold_lost: u64,
        /// Messages of committed packets.
        itch_messages: u32,
        /// Of these, those whose type the version does not have.
        itch_unknown_type: u32,
        /// Of these, those of a known type and a wrong length.
        itch_bad_length: u32,
        /// A and F messages of a symbol in the table.
        filter_hit: u32,
        /// A and F messages of any other.
        filter_miss: u32,
        /// Messages whose time is below that of the message before.
        time_backwards: u32,
        /// Seconds begun.
        heartbeat: u32,
        /// Reports sent.
        report_sent: u32,
        /// Heartbeats without a report, since one was still being read out.
        report_missed: u32,
    }
}

counters! {
    /// What the core's arbiter and host port did with the packets of a line. 32 bits, wrapping.
    LineCounters {
        /// Packets that left complete and good on the low-latency output.
        passed: u32,
        /// Packets that were cut off there, as the other line was first.
        refused: u32,
        /// Packets that waited in vain for that output.
        missed: u32,
        /// Packets that ended there with an error.
        bad: u32,
        /// Packets too short to hold a sequence number.
        malformed: u32,
        /// Packets whose number is far from what is expected.
        far: u32,
        /// Packets of the old session.
        stale: u32,
        /// Packets that left at once on the high-reliability output.
        cut_through: u32,
        /// Packets that were kept for it.
        kept: u32,
        /// Packets too long to be kept.
        too_long: u32,
        /// Packets that found no room.
        overflow: u32,
        /// How often the line fell silent.
        silent: u32,
        /// Frames that no module takes, stored for the host.
        host_frame: u32,
        /// Such frames that found no room.
        host_overflow: u32,
    }
}

counters! {
    /// What the core's arbiter did with both lines together. 32 bits, wrapping.
    ArbiterCounters {
        /// Kept packets that left.
        released: u32,
        /// Session resets.
        session_reset: u32,
        /// Gaps on the low-latency output.
        low_gap: u32,
        /// Gaps on the high-reliability output.
        high_gap: u32,
        /// Messages lost in gaps of the low-latency output.
        low_lost: u32,
        /// Messages lost in gaps of the high-reliability output.
        high_lost: u32,
        /// Packets that the decoder had no time for.
        feed_overflow: u32,
    }
}

/// All counters of the core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Frames by cause.
    #[serde(flatten)]
    pub net: NetCounters,
    /// What became of the datagrams and messages of the accepted ones.
    #[serde(flatten)]
    pub feed: FeedCounters,
}

impl Counters {
    /// Names and values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> + use<> {
        self.net.iter().chain(self.feed.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cause_counts_under_its_own_name_and_in_its_own_order() {
        for (index, cause) in frame::Cause::ALL.into_iter().enumerate() {
            assert_eq!(cause as usize, index);
            let mut counters = NetCounters::default();
            counters.count(cause);
            let counted: Vec<_> = counters
                .iter()
                .enumerate()
                .filter(|(_, (_, value))| *value == 1)
                .map(|(i, _)| i)
                .collect();
            assert_eq!(counted, [index], "{cause:?}");
        }
    }
}
