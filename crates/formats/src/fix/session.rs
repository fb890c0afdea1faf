//! The header and the session's messages (volume 2), BusinessMessageReject (volume 3) among them.

use super::Timestamp;
use super::define::{codes, component, message};

component! {
    /// The standard header after MsgType, except [`Routing`]. Its fields may come in any order, all of them before the body's.
    Header<'a> {
        /// SenderCompID.
        49 sender: &'a [u8],
        /// TargetCompID.
        56 target: &'a [u8],
        /// MsgSeqNum.
        34 sequence: u64,
        /// PossDupFlag.
        43 possible_duplicate: Option<bool>,
        /// PossResend.
        97 possible_resend: Option<bool>,
        /// SendingTime.
        52 sending_time: Timestamp,
        /// OrigSendingTime.
        122 original_sending_time: Option<Timestamp>,
    }
    skips { 50 | 57 | 90 | 91 | 115 | 116 | 128 | 129 | 142..=145 | 212 | 213 | 347 | 369 | 370 | 627..=630 }
    first {}
}

component! {
    /// The fields of the header that say on whose behalf, from and to which desk: few messages have any.
    Routing<'a> {
        /// SenderSubID.
        50 sender_sub: Option<&'a [u8]>,
        /// SenderLocationID.
        142 sender_location: Option<&'a [u8]>,
        /// TargetSubID.
        57 target_sub: Option<&'a [u8]>,
        /// TargetLocationID.
        143 target_location: Option<&'a [u8]>,
        /// OnBehalfOfCompID.
        115 on_behalf_of: Option<&'a [u8]>,
        /// OnBehalfOfSubID.
        116 on_behalf_of_sub: Option<&'a [u8]>,
        /// OnBehalfOfLocationID.
        144 on_behalf_of_location: Option<&'a [u8]>,
        /// DeliverToCompID.
        128 deliver_to: Option<&'a [u8]>,
        /// DeliverToSubID.
        129 deliver_to_sub: Option<&'a [u8]>,
        /// DeliverToLocationID.
        145 deliver_to_location: Option<&'a [u8]>,
    }
    skips { 34 | 43 | 49 | 52 | 56 | 90 | 91 | 97 | 122 | 212 | 213 | 347 | 369 | 370 | 627..=630 }
    first {}
}

message! {
    /// Logon.
    b"A" Logon<'a> {
        /// EncryptMethod: only 0, none, is supported here.
        98 encrypt_method: u32,
        /// HeartBtInt, in seconds.
        108 heartbeat_interval: u32,
        /// ResetSeqNumFlag.
        141 reset_sequence: Option<bool>,
        /// NextExpectedMsgSeqNum.
        789 next_expected_sequence: Option<u64>,
        /// Username.
        553 username: Option<&'a [u8]>,
        /// Password.
        554 password: Option<&'a [u8]>,
    }
}

message! {
    /// Logout.
    b"5" Logout<'a> {
        /// Text.
        58 text: Option<&'a [u8]>,
    }
}

message! {
    /// Heartbeat.
    b"0" Heartbeat<'a> {
        /// TestReqID: that of the TestRequest it answers.
        112 test_request_id: Option<&'a [u8]>,
    }
}

message! {
    /// TestRequest.
    b"1" TestRequest<'a> {
        /// TestReqID.
        112 test_request_id: &'a [u8],
    }
}

message! {
    /// ResendRequest.
    b"2" ResendRequest {
        /// BeginSeqNo.
        7 begin: u64,
        /// EndSeqNo; 0: all that were sent.
        16 end: u64,
    }
}

message! {
    /// SequenceReset.
    b"4" SequenceReset {
        /// GapFillFlag; absent is `N`: a reset.
        123 gap_fill: Option<bool>,
        /// NewSeqNo.
        36 new_sequence: u64,
    }
}

message! {
    /// Reject: what the session refuses.
    b"3" Reject<'a> {
        /// RefSeqNum.
        45 reference_sequence: u64,
        /// RefTagID.
        371 reference_tag: Option<u32>,
        /// RefMsgType.
        372 reference_msg_type: Option<&'a [u8]>,
        /// SessionRejectReason, as in [`Reason`](super::Reason) and beyond.
        373 reason: Option<u32>,
        /// Text.
        58 text: Option<&'a [u8]>,
    }
}

codes! {
    /// BusinessRejectReason (380).
    BusinessRejectReason {
        /// Anything else.
        b'0' Other,
        /// An id that is not known.
        b'1' UnknownId,
        /// An instrument that is not known.
        b'2' UnknownSecurity,
        /// A message type that is not supported.
        b'3' UnsupportedMessageType,
        /// The application is not there.
        b'4' ApplicationNotAvailable,
        /// A field that is required under a condition that holds.
        b'5' ConditionallyRequiredFieldMissing,
        /// Not authorized.
        b'6' NotAuthorized,
        /// The firm that it is to be delivered to is not available (4.4).
        b'7' DeliverToFirmNotAvailable,
    }
}

message! {
    /// BusinessMessageReject: what the application refuses and no other message can say.
    b"j" BusinessMessageReject<'a> {
        /// RefSeqNum.
        45 reference_sequence: Option<u64>,
        /// RefMsgType.
        372 reference_msg_type: &'a [u8],
        /// BusinessRejectRefID.
        379 reference_id: Option<&'a [u8]>,
        /// BusinessRejectReason.
        380 reason: BusinessRejectReason,
        /// Text.
        58 text: Option<&'a [u8]>,
    }
}
