//! The configuration of a session.

use formats::fix::{LONGEST_BODY, Version};
use std::time::Duration;

/// Who begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Waits for a Logon.
    Acceptor,
    /// Sends the first Logon.
    Initiator,
}

/// How a ResendRequest is answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Resend {
    /// Messages of the application are sent again with PossDupFlag, those of the session are gap-filled.
    #[default]
    Again,
    /// All are gap-filled: a late order is worse than a lost one.
    GapFill,
}

/// Username (553) and Password (554).
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    /// Username.
    pub username: Vec<u8>,
    /// Password.
    pub password: Vec<u8>,
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // A password does not belong into a log.
        formatter
            .debug_struct("Credentials")
            .field("username", &String::from_utf8_lossy(&self.username))
            .finish_non_exhaustive()
    }
}

/// A session's configuration. A session is known by its version and both CompIDs.
#[derive(Clone, Debug)]
pub struct Config {
    /// Version: BeginString.
    pub version: Version,
    /// SenderCompID of what is sent: our name.
    pub sender: Vec<u8>,
    /// TargetCompID of what is sent: the peer's name.
    pub target: Vec<u8>,
    /// Who begins.
    pub role: Role,
    /// What an acceptor demands in a Logon, and an initiator puts there.
    pub credentials: Option<Credentials>,
    /// HeartBtInt of the Logon an initiator sends, in seconds; the longest that an acceptor takes. 0: no heartbeats.
    pub heartbeat_interval: u32,
    /// An initiator asks for both sequence numbers to be 1 with every Logon.
    pub reset_on_logon: bool,
    /// Both sequence numbers are 1 again whenever a connection ends, and what was sent is forgotten.
    pub reset_on_disconnect: bool,
    /// How a ResendRequest is answered.
    pub resend: Resend,
    /// An order or a replacement (of it: any message of the application but 35=F and 35=q) that was sent longer ago is not sent again, but gap-filled:
    /// [`crate::Session::not_resent`]. `None`: no limit.
    pub resend_within: Option<Duration>,
    /// How far SendingTime may be from our clock; `None`: no limit.
    pub sending_time_tolerance: Option<Duration>,
    /// How long to wait for a Logon.
    pub logon_timeout: Duration,
    /// How long to wait for the answer to a Logout.
    pub logout_timeout: Duration,
    /// The longest BodyLength taken, in bytes.
    pub longest_body: usize,
    /// Messages ahead of their turn that are stored while those before them are sent again.
    pub longest_queue: usize,
}

impl Config {
    /// A session between two names, with the values most sessions use.
    pub fn new(role: Role, version: Version, sender: &[u8], target: &[u8]) -> Self {
        Config {
            version,
            sender: sender.to_vec(),
            target: target.to_vec(),
            role,
            credentials: None,
            heartbeat_interval: match role {
                Role::Initiator => 30,
                Role::Acceptor => 3_600,
            },
            reset_on_logon: false,
            reset_on_disconnect: false,
            resend: Resend::default(),
            resend_within: None,
            sending_time_tolerance: Some(Duration::from_secs(120)),
            logon_timeout: Duration::from_secs(10),
            logout_timeout: Duration::from_secs(2),
            longest_body: LONGEST_BODY,
            longest_queue: 1_024,
        }
    }
}
