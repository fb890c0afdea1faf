//! What a session sends.

use super::{Cause, NotResent, Session, State, Step};
use crate::config::{Resend, Role};
use crate::dictionary::{Dictionary, is_session_message};
use crate::reject::Refusal;
use crate::store::{Store, StoreError};
use formats::fix::{
    self, Body, Encoder, Frame, Header, Heartbeat, Logon, Logout, Message, ResendRequest, Routing,
    SequenceReset, TestRequest, Timestamp, TooSmall,
};
use std::time::Duration;
use thiserror::Error;

/// TestReqID of our TestRequests. Any message that follows answers one.
const TEST_REQUEST_ID: &[u8] = b"TEST";

/// A message of the application cannot be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SendError {
    /// It is longer than the session's longest body.
    #[error("the message is longer than the longest body")]
    TooLong,
    /// The application may not send the session's own messages.
    #[error("a message type of the session")]
    SessionMessage,
}

/// Whether a message is there to be sent again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    Yes,
    No,
    /// There, and it does not leave before it is asked for.
    Withheld,
}

impl<S: Store> Session<S> {
    /// Sends a message of the application and returns its MsgSeqNum. While the session is not logged on it is numbered and stored: the
    /// peer sees the gap, and asks for it.
    ///
    /// # Errors
    /// It cannot be sent, and has no number then.
    pub fn send<'b, B: Body<'b>>(&mut self, now: Timestamp, body: &B) -> Result<u64, SendError> {
        self.send_fields(now, B::MSG_TYPE, &Header::default(), |encoder| {
            body.put(encoder);
        })
    }

    /// Sends a message that is useless later, such as a price: it is not stored, and a ResendRequest for it is answered with a gap
    /// fill. While the session is not logged on it is dropped, and has no number.
    ///
    /// # Errors
    /// It cannot be sent, and has no number then.
    pub fn send_once(
        &mut self,
        now: Timestamp,
        msg_type: &[u8],
        body: impl FnOnce(&mut Encoder<'_>),
    ) -> Result<Option<u64>, SendError> {
        if is_session_message(msg_type) {
            return Err(SendError::SessionMessage);
        }
        if !self.is_logged_on() {
            return Ok(None);
        }
        let sent = self.transmit(now, msg_type, &Header::default(), Keep::No, body);
        sent.map(Some).map_err(|TooSmall| SendError::TooLong)
    }

    /// Stores a message of this session that was sent elsewhere, by the hardware, which owns the numbers while it sends: it is
    /// resent as one of ours, and the next message has a higher number.
    pub fn keep_sent(&mut self, now: Timestamp, sequence: u64, message: &[u8]) {
        self.store.keep_sent(sequence, message);
        if sequence >= self.store.next_outgoing() {
            self.store.set_next_outgoing(sequence.saturating_add(1));
        }
        self.counters.sent += 1;
        self.last_sent = now;
    }

    /// Refuses a message of the application that was delivered: it has a fault that only the application can see.
    pub fn reject(&mut self, now: Timestamp, message: &Message<'_>, refusal: Refusal) {
        let sequence = message.header().map_or(0, |header| header.sequence);
        self.send_reject(now, message, sequence, refusal, refusal.tag != 0);
    }

    /// As [`Session::send`], for a message that is no struct: `header` gives PossResend, `body` writes what follows:
    /// [`Routing`] first, if there is any.
    ///
    /// # Errors
    /// It cannot be sent, and has no number then.
    pub fn send_fields(
        &mut self,
        now: Timestamp,
        msg_type: &[u8],
        header: &Header<'_>,
        body: impl FnOnce(&mut Encoder<'_>),
    ) -> Result<u64, SendError> {
        if is_session_message(msg_type) {
            return Err(SendError::SessionMessage);
        }
        let header = Header {
            possible_duplicate: None,
            original_sending_time: None,
            ..*header
        };
        self.transmit(now, msg_type, &header, Keep::Yes, body)
            .map_err(|TooSmall| SendError::TooLong)
    }

    /// As [`Session::send_fields`], but the message does not leave: the peer sees the gap when the next one comes, and asks for it.
    /// A fault to test peers with.
    ///
    /// # Errors
    /// It cannot be sent, and has no number then.
    pub fn withhold(
        &mut self,
        now: Timestamp,
        msg_type: &[u8],
        body: impl FnOnce(&mut Encoder<'_>),
    ) -> Result<u64, SendError> {
        if is_session_message(msg_type) {
            return Err(SendError::SessionMessage);
        }
        self.transmit(now, msg_type, &Header::default(), Keep::Withheld, body)
            .map_err(|TooSmall| SendError::TooLong)
    }

    /// Sends a message again that was sent under a number, with PossDupFlag, without a request. A fault to test peers with. Returns
    /// whether it was there.
    ///
    /// # Errors
    /// The store failed.
    pub fn send_twice(&mut self, now: Timestamp, sequence: u64) -> Result<bool, StoreError> {
        let kept = self.store.sent(sequence, sequence)?;
        if let Some((sequence, message)) = &kept
            && self.is_logged_on()
        {
            self.send_again(now, *sequence, message);
        }
        Ok(kept.is_some())
    }

    fn transmit(
        &mut self,
        now: Timestamp,
        msg_type: &[u8],
        header: &Header<'_>,
        keep: Keep,
        body: impl FnOnce(&mut Encoder<'_>),
    ) -> Result<u64, TooSmall> {
        let sequence = self.store.next_outgoing();
        let begin_string = self.config.version.begin_string();
        let mut encoder = Encoder::new(&mut self.scratch, begin_string, msg_type);
        let header = Header {
            sender: &self.config.sender,
            target: &self.config.target,
            sequence,
            sending_time: now,
            ..*header
        };
        header.put(&mut encoder);
        body(&mut encoder);
        let length = encoder.finish()?;
        let message = self.scratch.get(..length).unwrap_or_default();
        let of_session = is_session_message(msg_type);
        if keep != Keep::No {
            self.store.keep_sent(sequence, message);
        }
        self.store.set_next_outgoing(sequence.saturating_add(1));
        let leaves = match self.state {
            State::LoggedOn => true,
            State::LogonAwaited | State::LogoutSent => of_session,
            State::Disconnected => false,
        };
        if leaves && keep != Keep::Withheld {
            self.output.extend_from_slice(message);
            self.counters.sent += 1;
            self.last_sent = now;
        }
        Ok(sequence)
    }

    /// Sends a message of the session. None is too long: its longest part is a piece of a message that was not.
    fn send_session<'b, B: Body<'b>>(&mut self, now: Timestamp, body: &B) {
        let sent = self.transmit(now, B::MSG_TYPE, &Header::default(), Keep::No, |encoder| {
            body.put(encoder);
        });
        debug_assert!(sent.is_ok(), "a session message is short");
    }

    pub(super) fn send_logon(&mut self, now: Timestamp, reset: bool) {
        let credentials = match self.config.role {
            Role::Initiator => self.config.credentials.clone(),
            Role::Acceptor => None,
        };
        let logon = Logon {
            encrypt_method: 0,
            heartbeat_interval: self.heartbeat_interval.as_secs() as u32,
            reset_sequence: reset.then_some(true),
            username: credentials.as_ref().map(|own| own.username.as_slice()),
            password: credentials.as_ref().map(|own| own.password.as_slice()),
            ..Logon::default()
        };
        self.send_session(now, &logon);
    }

    pub(super) fn send_logout(&mut self, now: Timestamp, text: Option<&[u8]>) {
        self.send_session(now, &Logout { text });
    }

    pub(super) fn send_heartbeat(&mut self, now: Timestamp, test_request_id: Option<&[u8]>) {
        self.send_session(now, &Heartbeat { test_request_id });
    }

    pub(super) fn send_test_request(&mut self, now: Timestamp) {
        let test_request_id = TEST_REQUEST_ID;
        self.send_session(now, &TestRequest { test_request_id });
    }

    /// Requests all from a number on.
    pub(super) fn send_resend_request(&mut self, now: Timestamp, begin: u64) {
        self.counters.gaps += 1;
        self.send_session(now, &ResendRequest { begin, end: 0 });
    }

    /// Refuses a message; `tag` is given if one field is at fault.
    pub(super) fn send_reject(
        &mut self,
        now: Timestamp,
        message: &Message<'_>,
        sequence: u64,
        refusal: Refusal,
        tell_tag: bool,
    ) {
        self.counters.rejected += 1;
        let text = refusal.reason.to_string();
        // FIX 4.2 has fewer of them: Text alone says why then.
        let reason = refusal.reason as u32;
        let dictionary = Dictionary::of(self.config.version);
        let has_reason = dictionary.takes(373, reason.to_string().as_bytes());
        let routing = route_back(message);
        let sent = self.transmit(now, b"3", &Header::default(), Keep::No, |encoder| {
            routing.put(encoder);
            encoder.field(45, &sequence);
            if tell_tag {
                encoder.field(371, &refusal.tag);
            }
            encoder.field(372, &message.msg_type());
            if has_reason {
                encoder.field(373, &reason);
            }
            encoder.field(58, &text.as_bytes());
        });
        debug_assert!(
            sent.is_ok(),
            "a Reject is little longer than what it refuses"
        );
    }

    /// Answers a part of a ResendRequest: one message of the application, or the gap before it.
    pub(super) fn resend_one(
        &mut self,
        now: Timestamp,
        next: u64,
        last: u64,
    ) -> Result<Step, Cause> {
        let kept = match self.config.resend {
            Resend::Again => self.store.sent(next, last),
            Resend::GapFill => Ok(None),
        };
        let kept = kept.map_err(|error| {
            self.store_error = Some(error);
            Cause::Store
        })?;
        let done = match kept {
            Some((sequence, message)) => {
                if sequence > next {
                    self.fill_gap(now, next, sequence);
                }
                match self.too_old(now, &message) {
                    None => self.send_again(now, sequence, &message),
                    Some(age) => {
                        self.not_resent.push(NotResent { sequence, age });
                        self.fill_gap(now, sequence, sequence.saturating_add(1));
                    }
                }
                sequence
            }
            None => {
                self.fill_gap(now, next, last.saturating_add(1));
                last
            }
        };
        self.resending = (done < last).then_some((done.saturating_add(1), last));
        Ok(Step::Again)
    }

    /// How old a message is that is not sent again for that. A cancel is: it takes off risk.
    fn too_old(&self, now: Timestamp, message: &[u8]) -> Option<Duration> {
        let within = self.config.resend_within?;
        let Frame::Message(message) = fix::frame(message, message.len()) else {
            return None;
        };
        if matches!(message.msg_type(), b"F" | b"q") {
            return None;
        }
        let mut fields = message.fields().flatten();
        let sent = fields.find(|field| field.tag == 52);
        // One without a time is as old as can be.
        let sent = sent.and_then(|field| Timestamp::parse(field.value));
        let age = Duration::from_nanos(now.0.saturating_sub(sent.unwrap_or_default().0));
        (age > within).then_some(age)
    }

    /// Says that from `sequence` on there is nothing to resend before `new_sequence`.
    fn fill_gap(&mut self, now: Timestamp, sequence: u64, new_sequence: u64) {
        let header = Header {
            sender: &self.config.sender,
            target: &self.config.target,
            sequence,
            sending_time: now,
            possible_duplicate: Some(true),
            original_sending_time: Some(now),
            ..Header::default()
        };
        let body = SequenceReset {
            gap_fill: Some(true),
            new_sequence,
        };
        let length = fix::encode(&mut self.scratch, self.config.version, &header, &body);
        self.put_output(now, length);
    }

    /// Sends a message as it was, with PossDupFlag, the present time, and the original time.
    fn send_again(&mut self, now: Timestamp, sequence: u64, message: &[u8]) {
        let Frame::Message(message) = fix::frame(message, message.len()) else {
            // Stored by another program, or damaged on disk: the peer must not wait for it.
            return self.fill_gap(now, sequence, sequence.saturating_add(1));
        };
        let begin_string = self.config.version.begin_string();
        let mut encoder = Encoder::new(&mut self.scratch, begin_string, message.msg_type());
        for field in message.fields().flatten() {
            match field.tag {
                43 | 122 => {}
                34 => {
                    encoder.field(34, &field.value);
                    encoder.field(43, &true);
                }
                52 => {
                    encoder.field(52, &now);
                    encoder.field(122, &field.value);
                }
                tag => encoder.field(tag, &field.value),
            }
        }
        let length = encoder.finish();
        self.put_output(now, length);
    }

    /// Sends what is in the scratch buffer, under a number it had before.
    fn put_output(&mut self, now: Timestamp, length: Result<usize, TooSmall>) {
        debug_assert!(
            length.is_ok(),
            "resent messages grow by less than the room left"
        );
        let message = length.ok().and_then(|length| self.scratch.get(..length));
        self.output.extend_from_slice(message.unwrap_or_default());
        self.counters.sent += 1;
        self.last_sent = now;
    }

    /// Ends the connection after a Logout that says why.
    pub(super) fn log_out_at_once(&mut self, now: Timestamp, text: &str, cause: Cause) -> Step {
        if self.state != State::LogoutSent {
            self.send_logout(now, Some(text.as_bytes()));
        }
        Step::Event(self.end(cause))
    }
}

/// The routing fields of an answer: those of the message, the other way round.
fn route_back<'a>(message: &Message<'a>) -> Routing<'a> {
    let mut routing = Routing::default();
    for field in message.fields().flatten().filter(|f| !f.value.is_empty()) {
        let value = Some(field.value);
        match field.tag {
            115 => routing.deliver_to = value,
            116 => routing.deliver_to_sub = value,
            144 => routing.deliver_to_location = value,
            128 => routing.on_behalf_of = value,
            129 => routing.on_behalf_of_sub = value,
            145 => routing.on_behalf_of_location = value,
            _ => {}
        }
    }
    routing
}
