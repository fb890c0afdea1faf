//! The second of the feed: where it ends, and whether time runs backwards.

const SECOND: u64 = 1_000_000_000;

/// What a message did to the time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Its time is below that of the message before.
    pub backwards: bool,
    /// It begins this second.
    pub begins: Option<u32>,
}

/// Follows the time of a feed, message by message (docs/reference/rules.md, "The second, and the heartbeat").
#[derive(Clone, Debug)]
pub struct Tracker {
    /// End of the current second in 5.0 nanoseconds, or first second of 4.1 that is above it; 0: there is no current second.
    boundary: u64,
    /// Whether this frame has begun a second already.
    begun_in_frame: bool,
    /// Second of the last `T` (4.1).
    seconds: u32,
    /// Time of the message before; 0 where there is none, since nothing is below it.
    previous: u64,
    /// Of 4.1, its second: `previous` is then the nanoseconds.
    previous_seconds: u32,
}

impl Tracker {
    /// No second yet.
    pub const fn new() -> Self {
        Tracker {
            boundary: 0,
            begun_in_frame: false,
            seconds: 0,
            previous: 0,
            previous_seconds: 0,
        }
    }

    /// A new session: the second and the time before are forgotten.
    pub const fn new_session(&mut self) {
        *self = Tracker::new();
    }

    /// A new frame: it may begin a second.
    #[inline(always)]
    pub const fn new_frame(&mut self) {
        self.begun_in_frame = false;
    }

    /// A message of 5.0, in nanoseconds since midnight.
    #[inline(always)]
    pub fn message_v50(&mut self, nanoseconds: u64) -> Step {
        let backwards = nanoseconds < self.previous;
        self.previous = nanoseconds;
        let begins = if nanoseconds >= self.boundary && !self.begun_in_frame {
            Some(self.begin_v50(nanoseconds))
        } else {
            None
        };
        Step { backwards, begins }
    }

    #[cold]
    fn begin_v50(&mut self, nanoseconds: u64) -> u32 {
        let second = nanoseconds / SECOND;
        self.boundary = (second + 1) * SECOND;
        self.begun_in_frame = true;
        second as u32
    }

    /// A message of 4.1 other than `T`, in nanoseconds since the last one; it begins no second.
    #[inline(always)]
    pub fn message_v41(&mut self, nanoseconds: u64) -> Step {
        let backwards = (self.seconds, nanoseconds) < (self.previous_seconds, self.previous);
        (self.previous_seconds, self.previous) = (self.seconds, nanoseconds);
        Step {
            backwards,
            begins: None,
        }
    }

    /// `T` of 4.1.
    #[inline(always)]
    pub fn seconds_v41(&mut self, seconds: u32) -> Step {
        let backwards = (seconds, 0) < (self.previous_seconds, self.previous);
        self.seconds = seconds;
        (self.previous_seconds, self.previous) = (seconds, 0);
        let begins = u64::from(seconds) >= self.boundary && !self.begun_in_frame;
        if begins {
            self.boundary = u64::from(seconds) + 1;
            self.begun_in_frame = true;
        }
        Step {
            backwards,
            begins: begins.then_some(seconds),
        }
    }
}

impl Default for Tracker {
    fn default() -> Self {
        Tracker::new()
    }
}
