//! The application of QuickFIX's acceptance server: orders and security definitions come back as they were, anything else is not
//! supported.

use formats::fix::{
    BusinessMessageReject, BusinessRejectReason, Encoder, Header, Message, Timestamp,
};
use session::{Application, Sessions, Store};
use std::collections::HashSet;

#[derive(Default)]
pub struct Echo {
    /// ClOrdIDs seen.
    orders: HashSet<Vec<u8>>,
}

impl<S: Store> Application<S> for Echo {
    fn message(
        &mut self,
        sessions: &mut Sessions<S>,
        session: usize,
        message: &Message<'_>,
        now: Timestamp,
    ) {
        let session = sessions.get_mut(session).unwrap();
        let header = message.header().unwrap();
        match message.msg_type() {
            msg_type @ (b"D" | b"d") => {
                let mut orders = message.fields().flatten().filter(|field| field.tag == 11);
                let new = orders
                    .next()
                    .is_none_or(|order| self.orders.insert(order.value.to_vec()));
                let possible_resend = header.possible_resend;
                if possible_resend == Some(true) && !new {
                    return;
                }
                let answer = Header {
                    possible_resend,
                    ..Header::default()
                };
                let body = |encoder: &mut Encoder<'_>| {
                    for field in message.fields().flatten() {
                        if !Header::has(field.tag) {
                            encoder.field(field.tag, &field.value);
                        }
                    }
                };
                session.send_fields(now, msg_type, &answer, body).unwrap();
            }
            msg_type => {
                let reject = BusinessMessageReject {
                    reference_sequence: Some(header.sequence),
                    reference_msg_type: msg_type,
                    reason: BusinessRejectReason::UnsupportedMessageType,
                    text: Some(b"Unsupported Message Type"),
                    ..BusinessMessageReject::default()
                };
                session.send(now, &reject).unwrap();
            }
        }
    }
}
