//! Sessions, and what an application does, in one file: one commit, and one flush, for all of it.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::path::Path;
use std::rc::Rc;

use super::file::Gate;
use super::log::{Durability, Log, LogError};
use super::record::{BEFORE_MESSAGE, Record};
use super::{MOST_SENT, Store, StoreError};

/// How large a file and its index may become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Messages of a session that can be resent: the last so many. Older ones are gap-filled.
    pub most_sent: usize,
    /// The file is rewritten with the state alone once so many bytes follow it, and twice as many as the state has.
    pub rewrite_after: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            most_sent: MOST_SENT,
            rewrite_after: 64 << 20,
        }
    }
}

/// Takes what an application wrote, while a file is read. Each method returns whether it understood.
pub trait Recover {
    /// A part of the state when the file began, as [`Journal::rewrite`] was given it.
    fn state(&mut self, bytes: &[u8]) -> bool;

    /// What was done then, as [`Journal::append`] was given it.
    fn entry(&mut self, bytes: &[u8]) -> bool;
}

/// An application that wrote nothing.
impl Recover for () {
    fn state(&mut self, _: &[u8]) -> bool {
        false
    }

    fn entry(&mut self, _: &[u8]) -> bool {
        false
    }
}

/// Where a message is.
#[derive(Clone, Copy, Debug)]
struct Place {
    sequence: u64,
    at: u64,
    length: u32,
}

#[derive(Debug)]
struct Numbers {
    name: Vec<u8>,
    outgoing: u64,
    incoming: u64,
    /// The messages that can be resent, by their numbers.
    sent: VecDeque<Place>,
    /// The numbers have changed since the last commit.
    changed: bool,
}

impl Numbers {
    fn new(name: &[u8]) -> Self {
        Numbers {
            name: name.to_vec(),
            outgoing: 1,
            incoming: 1,
            sent: VecDeque::new(),
            changed: false,
        }
    }

    fn add(&mut self, place: Place, most: usize) {
        let from = match self.sent.back() {
            Some(last) if last.sequence >= place.sequence => self
                .sent
                .partition_point(|other| other.sequence < place.sequence),
            _ => self.sent.len(),
        };
        match self.sent.get_mut(from) {
            Some(same) if same.sequence == place.sequence => *same = place,
            _ => self.sent.insert(from, place),
        }
        if self.sent.len() > most {
            self.sent.pop_front();
        }
    }

    fn reset(&mut self) {
        (self.outgoing, self.incoming) = (1, 1);
        self.sent.clear();
        self.changed = true;
    }
}

#[derive(Debug)]
struct Inner {
    log: Log,
    limits: Limits,
    sessions: Vec<Numbers>,
    /// The state at the beginning of the file ends here.
    state: u64,
    /// The file is not rewritten before it has so many bytes.
    not_before: u64,
}

/// A file of sessions and of what an application does. Clones are the same file.
#[derive(Clone, Debug)]
pub struct Journal(Rc<RefCell<Inner>>);

/// The numbers and messages of one session in a [`Journal`].
#[derive(Debug)]
pub struct JournalStore {
    journal: Journal,
    session: u32,
}

impl Journal {
    /// Opens a file, or makes it, and gives what it holds to the application. Returns how many bytes of an unfinished commit were cut off.
    ///
    /// # Errors
    /// The file cannot be opened, is in use, is something else, or is damaged.
    pub fn open(
        path: &Path,
        durability: Durability,
        limits: Limits,
        application: &mut dyn Recover,
    ) -> Result<(Self, u64), LogError> {
        let log = match Log::open(path, durability)? {
            Some(log) => log,
            None => {
                let mut new = Log::create(path, durability)?;
                new.append(|out| Record::Complete.put(out));
                new.commit()?;
                new.replace(path)?;
                // Its lock goes with it: another process may come between, which is then reported.
                drop(new);
                Log::open(path, durability)?.ok_or_else(|| LogError::InUse(path.to_owned()))?
            }
        };
        let mut inner = Inner {
            log,
            limits,
            sessions: vec![],
            state: 0,
            not_before: 0,
        };
        let dropped = inner.recover(application)?;
        Ok((Journal(Rc::new(RefCell::new(inner))), dropped))
    }

    /// The store of a session, by its name: what the file has of it, or a new one.
    pub fn store(&self, name: &[u8]) -> JournalStore {
        let mut inner = self.0.borrow_mut();
        let known = inner.sessions.iter().position(|known| known.name == name);
        let session = known.unwrap_or_else(|| {
            inner.sessions.push(Numbers::new(name));
            inner.log.append(|out| Record::Session(name).put(out));
            inner.sessions.len() - 1
        });
        JournalStore {
            journal: self.clone(),
            session: session as u32,
        }
    }

    /// Adds something that the application did: lasting from the next commit on.
    pub fn append(&self, entry: &[u8]) {
        let log = &mut self.0.borrow_mut().log;
        log.append(|out| Record::Entry(entry).put(out));
    }

    /// Makes everything lasting that was changed since the last time: of all sessions, and of the application. All of it, or nothing.
    ///
    /// # Errors
    /// The disk is full or broken. What was to be written waits.
    pub fn commit(&self) -> Result<(), LogError> {
        self.0.borrow_mut().commit()
    }

    /// Makes sure that so many bytes can be written beyond those that wait for a commit, whatever else fills the disk. File systems that
    /// cannot reserve room make no such promise; then this returns no error.
    ///
    /// # Errors
    /// The disk is full.
    pub fn reserve(&self, bytes: u64) -> Result<(), LogError> {
        self.0.borrow_mut().log.reserve(bytes)
    }

    /// Whether so much was written since the file began that it should be rewritten.
    pub fn is_due(&self) -> bool {
        let inner = self.0.borrow();
        inner.is_due()
    }

    /// Puts a file in the place of this one that holds the state alone: of the sessions, and of the application, which gives its own in
    /// parts. If that fails, everything is as before, and is tried again when the file is as large again.
    ///
    /// # Errors
    /// The disk is full or broken.
    pub fn rewrite(&self, application: impl FnOnce(&mut dyn FnMut(&[u8]))) -> Result<(), LogError> {
        self.0.borrow_mut().rewrite(application)
    }

    /// How long the file is, in bytes.
    pub fn length(&self) -> u64 {
        self.0.borrow().log.end()
    }

    /// The file.
    pub fn path(&self) -> std::path::PathBuf {
        self.0.borrow().log.path().to_owned()
    }

    /// Puts a gate in front of every call of the system from now on: a disk that is full or broken, for tests.
    pub fn set_gate(&self, gate: Option<Gate>) {
        self.0.borrow_mut().log.set_gate(gate);
    }
}

impl Inner {
    /// Reads the file.
    fn recover(&mut self, application: &mut dyn Recover) -> Result<u64, LogError> {
        let (mut complete, most) = (None, self.limits.most_sent);
        let sessions = &mut self.sessions;
        let mut apply = |place: u64, payload: &[u8]| -> Option<()> {
            let mut rest = payload;
            while !rest.is_empty() {
                let at = place + (payload.len() - rest.len()) as u64;
                match Record::take(&mut rest)? {
                    Record::Session(name) => sessions.push(Numbers::new(name)),
                    Record::Numbers {
                        session,
                        outgoing,
                        incoming,
                    } => {
                        let numbers = sessions.get_mut(session as usize)?;
                        (numbers.outgoing, numbers.incoming) = (outgoing, incoming);
                    }
                    Record::Sent {
                        session,
                        sequence,
                        message,
                    } => sessions.get_mut(session as usize)?.add(
                        Place {
                            sequence,
                            at: at + BEFORE_MESSAGE,
                            length: message.len() as u32,
                        },
                        most,
                    ),
                    Record::Reset { session } => sessions.get_mut(session as usize)?.reset(),
                    Record::Entry(bytes) => application.entry(bytes).then_some(())?,
                    Record::State(bytes) => application.state(bytes).then_some(())?,
                    Record::Complete if complete.is_none() => {
                        complete = Some(place + payload.len() as u64);
                    }
                    Record::Complete => return None,
                }
            }
            Some(())
        };
        let read = self
            .log
            .read(|place, payload| apply(place, payload).is_some());
        let read = match (read, complete) {
            // The file takes its place once the state is complete: an incomplete one is not the result of a sudden end.
            (Ok(rest), None) => Err(self.log.damaged(self.log.end() + rest)),
            (read, _) => read,
        };
        let rest = read.map_err(|error| match (error, complete) {
            (
                LogError::Damaged {
                    path, at, length, ..
                },
                complete,
            ) => LogError::Damaged {
                path,
                at,
                length,
                cuttable: complete.is_some(),
            },
            (error, _) => error,
        })?;
        if rest > 0 {
            self.log.cut()?;
        }
        self.state = complete.unwrap_or_default();
        for numbers in &mut self.sessions {
            numbers.changed = false;
        }
        Ok(rest)
    }

    fn commit(&mut self) -> Result<(), LogError> {
        for (session, numbers) in (0..).zip(&mut self.sessions) {
            if std::mem::take(&mut numbers.changed) {
                let (outgoing, incoming) = (numbers.outgoing, numbers.incoming);
                self.log.append(|out| {
                    Record::Numbers {
                        session,
                        outgoing,
                        incoming,
                    }
                    .put(out);
                });
            }
        }
        self.log.commit()
    }

    fn is_due(&self) -> bool {
        let (end, state) = (self.log.end(), self.state);
        end >= self.not_before
            && end.saturating_sub(state) > self.limits.rewrite_after.max(state.saturating_mul(2))
    }

    fn rewrite(&mut self, application: impl FnOnce(&mut dyn FnMut(&[u8]))) -> Result<(), LogError> {
        self.not_before = self.log.end() + self.limits.rewrite_after;
        self.commit()?;
        let mut new = self.log.successor()?;
        let path = self.log.path().to_owned();
        match self
            .write_state(&mut new, application)
            .and_then(|indexes| new.replace(&path).map(|()| indexes))
        {
            Ok(indexes) => {
                for (numbers, sent) in self.sessions.iter_mut().zip(indexes) {
                    numbers.sent = sent;
                }
                self.state = new.end();
                self.log = new;
                self.not_before = 0;
                Ok(())
            }
            Err(error) => {
                self.log.give_up(new);
                Err(error)
            }
        }
    }

    /// Writes the state to a new file; where the messages are in it.
    fn write_state(
        &self,
        new: &mut Log,
        application: impl FnOnce(&mut dyn FnMut(&[u8])),
    ) -> Result<Vec<VecDeque<Place>>, LogError> {
        /// As much as one frame has.
        const FRAME: usize = 1 << 18;
        let mut indexes = vec![];
        for (session, numbers) in (0..).zip(&self.sessions) {
            new.append(|out| {
                Record::Session(&numbers.name).put(out);
                Record::Numbers {
                    session,
                    outgoing: numbers.outgoing,
                    incoming: numbers.incoming,
                }
                .put(out);
            });
            let mut sent = VecDeque::with_capacity(numbers.sent.len());
            for place in &numbers.sent {
                let message = self.log.bytes(place.at, place.length)?;
                let record = Record::Sent {
                    session,
                    sequence: place.sequence,
                    message: &message,
                };
                let at = new.append(|out| record.put(out)) + BEFORE_MESSAGE;
                sent.push_back(Place { at, ..*place });
                if new.pending() >= FRAME {
                    new.write()?;
                }
            }
            indexes.push(sent);
        }
        let mut written = Ok(());
        application(&mut |bytes| {
            new.append(|out| Record::State(bytes).put(out));
            if new.pending() >= FRAME && written.is_ok() {
                written = new.write();
            }
        });
        written?;
        new.append(|out| Record::Complete.put(out));
        new.write()?;
        Ok(indexes)
    }
}

impl JournalStore {
    fn read<T>(&self, look: impl FnOnce(&Numbers) -> T) -> Option<T> {
        let inner = self.journal.0.borrow();
        inner.sessions.get(self.session as usize).map(look)
    }

    fn change(&self, change: impl FnOnce(&mut Numbers)) {
        let mut inner = self.journal.0.borrow_mut();
        if let Some(numbers) = inner.sessions.get_mut(self.session as usize) {
            change(numbers);
            numbers.changed = true;
        }
    }
}

fn failed(error: LogError) -> StoreError {
    StoreError(Box::new(error))
}

impl Store for JournalStore {
    fn next_outgoing(&self) -> u64 {
        self.read(|numbers| numbers.outgoing).unwrap_or(1)
    }

    fn next_incoming(&self) -> u64 {
        self.read(|numbers| numbers.incoming).unwrap_or(1)
    }

    fn set_next_outgoing(&mut self, sequence: u64) {
        self.change(|numbers| numbers.outgoing = sequence);
    }

    fn set_next_incoming(&mut self, sequence: u64) {
        self.change(|numbers| numbers.incoming = sequence);
    }

    fn keep_sent(&mut self, sequence: u64, message: &[u8]) {
        let mut inner = self.journal.0.borrow_mut();
        let (session, most) = (self.session, inner.limits.most_sent);
        let record = Record::Sent {
            session,
            sequence,
            message,
        };
        let at = inner.log.append(|out| record.put(out)) + BEFORE_MESSAGE;
        if let Some(numbers) = inner.sessions.get_mut(session as usize) {
            let length = message.len() as u32;
            let place = Place {
                sequence,
                at,
                length,
            };
            numbers.add(place, most);
        }
    }

    fn sent(&self, from: u64, to: u64) -> Result<Option<(u64, Vec<u8>)>, StoreError> {
        let place = self.read(|numbers| {
            let at = numbers.sent.partition_point(|place| place.sequence < from);
            numbers
                .sent
                .get(at)
                .copied()
                .filter(|place| place.sequence <= to)
        });
        let Some(place) = place.flatten() else {
            return Ok(None);
        };
        let inner = self.journal.0.borrow();
        let bytes = inner.log.bytes(place.at, place.length).map_err(failed)?;
        Ok(Some((place.sequence, bytes)))
    }

    fn reset(&mut self) {
        let session = self.session;
        self.change(Numbers::reset);
        let log = &mut self.journal.0.borrow_mut().log;
        log.append(|out| Record::Reset { session }.put(out));
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        self.journal.commit().map_err(failed)
    }
}
