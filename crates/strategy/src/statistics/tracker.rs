//! The second of the feed: where it ends, and whether time runs backwards; the twin of `second_tracker`.

use formats::itch::Version;

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
    version: Version,
    /// Where a message begins a second: the end of the current one in 5.0 nanoseconds, 0 if there is none. In 4.1 only `T` begins one: none reaches it.
    end: u64,
    /// 4.1: the first second that is above the current one.
    next_second: u64,
    /// Whether this frame has begun a second already.
    begun_in_frame: bool,
    /// Seconds and nanoseconds of the message before; 0 if there is none, since no time is below it.
    previous: (u32, u64),
}

impl Tracker {
    /// No second yet.
    pub const fn new(version: Version) -> Self {
        Tracker {
            version,
            end: match version {
                Version::V41 => u64::MAX,
                Version::V50 => 0,
            },
            next_second: 0,
            begun_in_frame: false,
            previous: (0, 0),
        }
    }

    /// A new session: the second and the time before are forgotten.
    pub const fn new_session(&mut self) {
        *self = Tracker::new(self.version);
    }

    /// A new frame: it may begin a second.
    #[inline(always)]
    pub const fn new_frame(&mut self) {
        self.begun_in_frame = false;
    }

    /// A message of this time.
    #[inline(always)]
    pub fn message(&mut self, seconds: u32, nanoseconds: u64) -> Step {
        let time = (seconds, nanoseconds);
        let backwards = time < self.previous;
        self.previous = time;
        let begins = if nanoseconds >= self.end && !self.begun_in_frame {
            Some(self.begin(nanoseconds))
        } else {
            None
        };
        Step { backwards, begins }
    }

    #[cold]
    fn begin(&mut self, nanoseconds: u64) -> u32 {
        let second = nanoseconds / SECOND;
        self.end = (second + 1) * SECOND;
        self.begun_in_frame = true;
        second as u32
    }

    /// A message that says which second it is now, `T` of 4.1; [`Tracker::message`] has had its time. The second, if it begins one.
    #[inline(always)]
    pub fn second(&mut self, seconds: u32) -> Option<u32> {
        let begins = u64::from(seconds) >= self.next_second && !self.begun_in_frame;
        if begins {
            self.next_second = u64::from(seconds) + 1;
            self.begun_in_frame = true;
        }
        begins.then_some(seconds)
    }
}
