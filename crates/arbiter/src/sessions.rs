//! Sessions by name, where the protocol has names (MoldUDP64): a guard before the arbiter, which knows numbers only.
//!
//! A new session usually starts its numbers at 1 again. If the old one was short, 1 is near and lower, and would be refused for
//! long; software knows the name, so it need not wait. As with numbers, one stray packet changes nothing: the second with a name does.

/// What to do with a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It belongs to the current session: push it.
    Current,
    /// It confirms a new session: restart the arbiter, then push it.
    New,
    /// It belongs to another session: drop it.
    Other,
}

/// Follows the session of a feed.
#[derive(Clone, Debug)]
pub struct Sessions {
    current: Option<[u8; 10]>,
    candidate: Option<[u8; 10]>,
    former: Option<([u8; 10], u64)>,
    hold: u64,
    other: u32,
}

impl Sessions {
    /// For `hold` nanoseconds after a change, packets of the session before are dropped and cannot call it back.
    pub const fn new(hold: u64) -> Self {
        Self {
            current: None,
            candidate: None,
            former: None,
            hold,
            other: 0,
        }
    }

    /// What to do with a packet of `session` that came at `now`, in nanoseconds.
    #[inline]
    pub fn admit(&mut self, session: &[u8; 10], now: u64) -> Admission {
        if self.current.as_ref() == Some(session) {
            return Admission::Current;
        }
        self.other_session(*session, now)
    }

    #[cold]
    fn other_session(&mut self, session: [u8; 10], now: u64) -> Admission {
        let Some(current) = self.current else {
            self.current = Some(session);
            return Admission::Current;
        };
        let held = |(former, until): (_, u64)| former == session && now < until;
        let is_former = self.former.is_some_and(held);
        if is_former || self.candidate != Some(session) {
            if !is_former {
                self.candidate = Some(session);
            }
            self.other = self.other.wrapping_add(1);
            return Admission::Other;
        }
        self.former = Some((current, now.saturating_add(self.hold)));
        self.current = Some(session);
        self.candidate = None;
        Admission::New
    }

    /// Packets dropped.
    pub const fn dropped(&self) -> u32 {
        self.other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_packet_of_another_session_begins_it_and_the_old_one_is_held_off() {
        let [old, new, stray] = [b"OLD       ", b"NEW       ", b"STRAY     "];
        let mut sessions = Sessions::new(100);
        let mut admit = |session, now| sessions.admit(session, now);
        assert_eq!(admit(old, 0), Admission::Current);
        assert_eq!(admit(stray, 1), Admission::Other);
        assert_eq!(admit(new, 2), Admission::Other);
        assert_eq!(admit(old, 3), Admission::Current);
        assert_eq!(admit(new, 4), Admission::New);
        assert_eq!(admit(new, 5), Admission::Current);
        assert_eq!([admit(old, 6), admit(old, 7)], [Admission::Other; 2]);
        assert_eq!(admit(old, 104), Admission::Other);
        assert_eq!(admit(old, 105), Admission::New);
        assert_eq!(sessions.dropped(), 5);
    }
}
