//! What a session does with a message.

use super::{Asked, Cause, Event, Session, State, Step};
use crate::config::Role;
use crate::dictionary::{is_session_message, validate};
use crate::reject::Refusal;
use crate::store::Store;
use formats::fix::Reason;
use formats::fix::{Message, Timestamp, Value};
use std::time::Duration;

/// So many bytes of a peer's CompID are repeated in a Logout.
const LONGEST_SHOWN: usize = 64;

/// What the session reads in every message, wherever it is.
#[derive(Default)]
struct Head<'a> {
    sequence: Option<u64>,
    sender: Option<&'a [u8]>,
    target: Option<&'a [u8]>,
    sending_time: Option<Timestamp>,
    possible_duplicate: bool,
    original: Option<&'a [u8]>,
}

impl<'a> Head<'a> {
    fn of(message: &Message<'a>) -> Self {
        let mut head = Head::default();
        for field in message.fields().flatten().filter(|f| !f.value.is_empty()) {
            let value = field.value;
            match field.tag {
                34 if head.sequence.is_none() => head.sequence = u64::read(value).ok(),
                49 if head.sender.is_none() => head.sender = Some(value),
                56 if head.target.is_none() => head.target = Some(value),
                52 if head.sending_time.is_none() => head.sending_time = Timestamp::parse(value),
                43 => head.possible_duplicate = value == b"Y",
                122 if head.original.is_none() => head.original = Some(value),
                _ => {}
            }
        }
        head
    }
}

/// A CompID in a text: of one that is too long to be a name, the beginning.
fn shown(name: &[u8]) -> String {
    let start = name.get(..LONGEST_SHOWN).unwrap_or(name);
    let more = if start.len() < name.len() { "..." } else { "" };
    format!("{}{more}", String::from_utf8_lossy(start))
}

/// A field of a message that was validated.
fn get<'a, V: Value<'a>>(message: &Message<'a>, tag: u32) -> Option<V> {
    let mut fields = message.fields().flatten();
    let field = fields.find(|field| field.tag == tag && !field.value.is_empty())?;
    V::read(field.value).ok()
}

impl<S: Store> Session<S> {
    pub(super) fn process(
        &mut self,
        now: Timestamp,
        message: &Message<'_>,
        delivered: &mut Vec<u8>,
    ) -> Result<Step, Cause> {
        let head = Head::of(message);
        if self.state == State::LogonAwaited {
            return self.first(now, message, &head);
        }
        if message.begin_string() != self.config.version.begin_string() {
            self.log_out(now, Some("Incorrect BeginString"));
            return Ok(Step::Again);
        }
        let Some(sequence) = head.sequence else {
            let (text, cause) = ("MsgSeqNum missing", Cause::SequenceMissing);
            return Ok(self.log_out_at_once(now, text, cause));
        };
        if let Err((refusal, text)) = self.check_origin(now, &head) {
            self.refuse(now, message, sequence, refusal);
            self.log_out(now, Some(&text));
            return Ok(Step::Again);
        }
        if !self.is_its_turn(message, sequence) {
            return Ok(self.out_of_turn(now, message, sequence, &head));
        }
        if let Err(refusal) = self.check(message, &head) {
            self.refuse(now, message, sequence, refusal);
            return Ok(Step::Again);
        }
        Ok(self.dispatch(now, message, sequence, delivered))
    }

    /// Names and times; those that are missing are the dictionary's matter. Which is wrong, and what a Logout says about it.
    fn check_origin(&self, now: Timestamp, head: &Head<'_>) -> Result<(), (Refusal, String)> {
        for (tag, name, found, ours) in [
            (49, "SenderCompID", head.sender, &self.config.target),
            (56, "TargetCompID", head.target, &self.config.sender),
        ] {
            if let Some(found) = found.filter(|found| found != ours) {
                let text = format!("{name} ({tag}) is {}, not {}", shown(found), shown(ours));
                return Err((Refusal::new(tag, Reason::CompId), text));
            }
        }
        let (Some(sent), Some(tolerance)) = (head.sending_time, self.config.sending_time_tolerance)
        else {
            return Ok(());
        };
        if Duration::from_nanos(now.0.abs_diff(sent.0)) > tolerance {
            let text = format!(
                "SendingTime (52) is {sent}, more than {} s from this clock, {now}",
                tolerance.as_secs_f64()
            );
            return Err((Refusal::new(52, Reason::SendingTime), text));
        }
        Ok(())
    }

    /// Messages that are handled whatever their number is: a Logout, a ResendRequest (or both sides might wait for each other), a
    /// SequenceReset that is no gap fill, and a Logon that resets the numbers.
    fn is_its_turn(&self, message: &Message<'_>, sequence: u64) -> bool {
        sequence == self.store.next_incoming()
            || match message.msg_type() {
                b"2" => get(message, 43) != Some(true),
                b"5" => true,
                b"4" => get(message, 123) != Some(true),
                b"A" => get(message, 141) == Some(true),
                _ => false,
            }
    }

    /// The dictionary, and what PossDupFlag demands.
    fn check(&self, message: &Message<'_>, head: &Head<'_>) -> Result<(), Refusal> {
        validate(self.config.version, message)?;
        if head.possible_duplicate && message.msg_type() != b"4" && head.original.is_none() {
            return Err(Refusal::new(122, Reason::Missing));
        }
        Ok(())
    }

    /// Sends a Reject. The message had its turn, if it was its turn.
    fn refuse(&mut self, now: Timestamp, message: &Message<'_>, sequence: u64, refusal: Refusal) {
        self.send_reject(now, message, sequence, refusal, true);
        self.advance(sequence);
    }

    /// Expects the next message, if this is the one expected.
    fn advance(&mut self, sequence: u64) {
        if sequence == self.store.next_incoming() {
            self.store.set_next_incoming(sequence.saturating_add(1));
        }
    }

    fn out_of_turn(
        &mut self,
        now: Timestamp,
        message: &Message<'_>,
        sequence: u64,
        head: &Head<'_>,
    ) -> Step {
        let expected = self.store.next_incoming();
        if sequence > expected {
            self.keep_ahead(sequence, message.bytes());
            self.ask(now, sequence);
            return Step::Again;
        }
        if !head.possible_duplicate {
            return self.too_low(now, sequence);
        }
        self.counters.duplicates += 1;
        if message.msg_type() == b"4" {
            return Step::Again;
        }
        let refuse = |reason| Some(Refusal::new(122, reason));
        let original = head.original.map(Timestamp::parse);
        let refusal = match original {
            None => refuse(Reason::Missing),
            Some(None) => refuse(Reason::Format),
            Some(original) if original > head.sending_time => refuse(Reason::SendingTime),
            Some(_) => None,
        };
        if let Some(refusal) = refusal {
            self.refuse(now, message, sequence, refusal);
            if refusal.reason == Reason::SendingTime
                && let (Some(Some(original)), Some(sent)) = (original, head.sending_time)
            {
                let text =
                    format!("OrigSendingTime (122) is {original}, after SendingTime (52), {sent}");
                self.log_out(now, Some(&text));
            }
        }
        Step::Again
    }

    fn too_low(&mut self, now: Timestamp, sequence: u64) -> Step {
        let expected = self.store.next_incoming();
        let text = format!("MsgSeqNum too low, expecting {expected} but received {sequence}");
        self.log_out_at_once(now, &text, Cause::SequenceTooLow)
    }

    /// Stores a message until its turn comes; without room it will be requested again.
    fn keep_ahead(&mut self, sequence: u64, message: &[u8]) {
        if self.ahead.len() < self.config.longest_queue {
            self.ahead.insert(sequence, message.to_vec());
        } else {
            self.counters.dropped += 1;
        }
    }

    /// Requests what is missing before a message, unless that was requested a short while ago.
    fn ask(&mut self, now: Timestamp, sequence: u64) {
        let expected = self.store.next_incoming();
        let patience = self.patience().max(Duration::from_secs(1));
        let asked = self
            .asked
            .is_some_and(|asked| expected <= asked.up_to && now < super::after(asked.at, patience));
        if !asked {
            self.send_resend_request(now, expected);
            self.asked = Some(Asked {
                up_to: sequence.saturating_sub(1),
                at: now,
            });
        }
    }

    /// Handles a message whose turn it is.
    fn dispatch(
        &mut self,
        now: Timestamp,
        message: &Message<'_>,
        sequence: u64,
        delivered: &mut Vec<u8>,
    ) -> Step {
        match message.msg_type() {
            b"1" => {
                self.advance(sequence);
                self.send_heartbeat(now, get(message, 112));
            }
            b"2" => self.resend_request(now, message, sequence),
            b"4" => self.sequence_reset(now, message, sequence),
            b"5" => return self.logout(now, message, sequence),
            b"A" => return self.second_logon(now, message, sequence),
            msg_type => {
                self.advance(sequence);
                // A Heartbeat needs nothing more, a Reject was counted by its sender.
                if !is_session_message(msg_type) {
                    delivered.clear();
                    delivered.extend_from_slice(message.bytes());
                    return Step::Event(Event::Message { sequence });
                }
            }
        }
        Step::Again
    }

    fn resend_request(&mut self, now: Timestamp, message: &Message<'_>, sequence: u64) {
        let last = self.store.next_outgoing().saturating_sub(1);
        let begin = get(message, 7).unwrap_or(0);
        let end = match get(message, 16) {
            None | Some(0) => last,
            Some(end) => u64::min(end, last),
        };
        if begin == 0 || begin > end {
            let refusal = Refusal::new(7, Reason::Range);
            return self.refuse(now, message, sequence, refusal);
        }
        self.resending = Some((begin, end));
        if sequence > self.store.next_incoming() {
            self.keep_ahead(sequence, &[]);
            self.ask(now, sequence);
        }
        self.advance(sequence);
    }

    fn sequence_reset(&mut self, now: Timestamp, message: &Message<'_>, sequence: u64) {
        let expected = self.store.next_incoming();
        let gap_fill = get(message, 123) == Some(true);
        let new_sequence = get(message, 36).unwrap_or(0);
        if new_sequence < expected || gap_fill && new_sequence == expected {
            let refusal = Refusal::new(36, Reason::Range);
            return self.refuse(now, message, sequence, refusal);
        }
        self.store.set_next_incoming(new_sequence);
    }

    fn logout(&mut self, now: Timestamp, message: &Message<'_>, sequence: u64) -> Step {
        self.advance(sequence);
        self.note_logout_text(message);
        let cause = match self.state {
            State::LogoutSent => Cause::LogoutAnswered,
            _ => {
                self.send_logout(now, None);
                Cause::PeerLogout
            }
        };
        Step::Event(self.end(cause))
    }

    fn note_logout_text(&mut self, message: &Message<'_>) {
        let text: Option<&[u8]> = get(message, 58);
        self.logout_text = text.map(|text| String::from_utf8_lossy(text).into_owned());
    }

    /// The first message of a connection: a Logon, or the end.
    ///
    /// A Logon that is refused is answered with a Logout that says why (volume 2, "Logon"). A peer that does not send the Logon of this session
    /// gets no answer: there is no sequence number to use for it.
    fn first(
        &mut self,
        now: Timestamp,
        message: &Message<'_>,
        head: &Head<'_>,
    ) -> Result<Step, Cause> {
        let own = message.begin_string() == self.config.version.begin_string();
        match message.msg_type() {
            _ if !own => return Err(Cause::OtherSession),
            b"A" => {}
            b"5" if self.config.role == Role::Initiator => {}
            _ => return Err(Cause::NotLogon),
        }
        match self.check_origin(now, head) {
            Err((refusal, _)) if refusal.reason == Reason::SendingTime => {
                return Err(Cause::SendingTime);
            }
            Err(_) => return Err(Cause::OtherSession),
            Ok(()) => {}
        }
        if message.msg_type() == b"5" {
            // The peer refused our Logon.
            head.sequence
                .into_iter()
                .for_each(|sequence| self.advance(sequence));
            self.note_logout_text(message);
            return Err(Cause::PeerLogout);
        }
        let sequence = match self.check_logon(message, head) {
            Ok(sequence) => sequence,
            Err(cause) => {
                return Ok(self.log_out_at_once(now, &cause.to_string(), cause));
            }
        };
        let reset = get(message, 141) == Some(true);
        if reset && self.config.role == Role::Acceptor {
            self.store.reset();
        } else if reset && !self.config.reset_on_logon {
            // The acceptor reset its numbers: our Logon was the first message.
            self.store.reset();
            self.store.set_next_outgoing(2);
        }
        if self.config.role == Role::Acceptor {
            self.heartbeat_interval = Duration::from_secs(get(message, 108).unwrap_or(0));
        }
        if sequence < self.store.next_incoming() {
            return Ok(self.too_low(now, sequence));
        }
        if self.config.role == Role::Acceptor {
            self.send_logon(now, reset);
        }
        self.enter(State::LoggedOn, now);
        if sequence > self.store.next_incoming() {
            self.keep_ahead(sequence, &[]);
            self.ask(now, sequence);
        }
        self.advance(sequence);
        Ok(Step::Event(Event::LoggedOn))
    }

    /// Checks what a Logon of this session holds, and returns its MsgSeqNum.
    fn check_logon(&self, message: &Message<'_>, head: &Head<'_>) -> Result<u64, Cause> {
        validate(self.config.version, message).map_err(Cause::WrongLogon)?;
        let sequence = head.sequence.ok_or(Cause::SequenceMissing)?;
        if self.config.role == Role::Initiator {
            return Ok(sequence);
        }
        if let Some(ours) = &self.config.credentials {
            let given = (get(message, 553), get(message, 554));
            let wanted = (
                Some(ours.username.as_slice()),
                Some(ours.password.as_slice()),
            );
            if given != wanted {
                return Err(Cause::NotAuthorized);
            }
        }
        let interval: i64 = get(message, 108).unwrap_or(-1);
        let longest = i64::from(self.config.heartbeat_interval);
        if get(message, 98) != Some(0_u64) || !(0..=longest).contains(&interval) {
            return Err(Cause::Unsupported);
        }
        Ok(sequence)
    }

    /// A Logon while logged on: resets both numbers.
    fn second_logon(&mut self, now: Timestamp, message: &Message<'_>, sequence: u64) -> Step {
        if get(message, 141) != Some(true) || sequence != 1 {
            return self.log_out_at_once(now, "already logged on", Cause::SecondLogon);
        }
        self.store.reset();
        self.store.set_next_incoming(2);
        self.ahead.clear();
        (self.asked, self.resending) = (None, None);
        self.send_logon(now, true);
        Step::Event(Event::LoggedOn)
    }
}
