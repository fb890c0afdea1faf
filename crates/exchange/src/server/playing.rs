//! A recorded day on the server's thread, between the clients.

use feed::source::SourceError;
use formats::fix::Timestamp;
use session::Sessions;

use super::AnyStore;
use super::floor::Floor;
use crate::exchange::Exchange;
use crate::replay::Replay;
use crate::replay::player::Player;

/// Recorded messages that are played before clients get their turn again.
const BATCH: usize = 256;
/// Bytes that may wait for a client before a replay that is not paced waits for it.
const MOST_UNSENT: usize = 1 << 18;
/// How long it waits then, in nanoseconds.
const PAUSE: u64 = 1_000_000;

/// Gets the progress of a replay: its state, and whether that was its end.
pub type Watch = Box<dyn FnMut(&Player, &Replay, &Exchange, bool)>;

/// How a recorded day begins and ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlayOptions {
    /// It begins once every client has logged on.
    pub awaits_clients: bool,
    /// The server ends with it.
    pub closes: bool,
}

/// A recorded day that is being played.
pub(super) struct Playing {
    player: Player,
    replay: Replay,
    watch: Watch,
    closes: bool,
    ended: bool,
    /// A client has to read first.
    held: bool,
    /// Clients that have not logged on yet, if it waits for them.
    awaited: Vec<u32>,
}

impl Playing {
    pub(super) fn new(
        player: Player,
        options: PlayOptions,
        clients: Vec<u32>,
        watch: Watch,
    ) -> Self {
        Playing {
            player,
            replay: Replay::default(),
            watch,
            closes: options.closes,
            ended: false,
            held: false,
            awaited: if options.awaits_clients {
                clients
            } else {
                vec![]
            },
        }
    }

    /// A client has logged on.
    pub(super) fn logged_on(&mut self, client: u32) {
        self.awaited.retain(|awaited| *awaited != client);
    }

    /// Whether the server ends with it, and it has ended.
    pub(super) const fn is_over(&self) -> bool {
        self.ended && self.closes
    }

    const fn is_waiting(&self) -> bool {
        self.ended || !self.awaited.is_empty()
    }

    /// When its next message is due.
    pub(super) fn deadline(&mut self, now: Timestamp) -> Option<Timestamp> {
        if self.is_waiting() {
            return None;
        }
        if self.held {
            return Some(Timestamp(now.0 + PAUSE));
        }
        // The error comes again, and is reported, when it is played.
        self.player.due(now).unwrap_or(Some(now))
    }
}

impl Floor {
    /// Plays what is due of a recorded day, in portions, so that clients get their turn in between.
    pub(super) fn play(&mut self, sessions: &mut Sessions<AnyStore>, now: Timestamp) {
        let Some(mut playing) = self.playing.take() else {
            return;
        };
        if !playing.is_waiting()
            && let Err(error) = self.play_batch(&mut playing, sessions, now)
        {
            self.failed = Some(error.into());
            playing.ended = true;
        }
        self.playing = Some(playing);
    }

    fn play_batch(
        &mut self,
        playing: &mut Playing,
        sessions: &mut Sessions<AnyStore>,
        now: Timestamp,
    ) -> Result<(), SourceError> {
        playing.held = playing.player.is_unpaced() && is_behind(sessions);
        if playing.held {
            return Ok(());
        }
        for _ in 0..BATCH {
            match playing.player.due(now)? {
                Some(due) if due > now => break,
                Some(_) => {}
                None => {
                    playing.ended = true;
                    break;
                }
            }
            if let Some((version, message)) = playing.player.take() {
                let replay = &mut playing.replay;
                self.with(sessions, now, |exchange, outbox| {
                    replay.message(exchange, version, &message, now, outbox);
                });
            }
        }
        let (player, replay) = (&playing.player, &playing.replay);
        (playing.watch)(player, replay, &self.exchange, playing.ended);
        Ok(())
    }
}

/// Whether a client has much to read yet.
fn is_behind(sessions: &mut Sessions<AnyStore>) -> bool {
    (0..sessions.len()).any(|at| {
        let unsent = sessions.get_mut(at).and_then(|session| {
            let output = session.output().ok()?;
            Some(output.len())
        });
        unsent.is_some_and(|unsent| unsent > MOST_UNSENT)
    })
}
