//! A store in a file: an embedded database, one for each session.

use super::{Memory, Store, StoreError};
use redb::{
    Database, ReadableDatabase, StorageBackend, TableDefinition, TableError, WriteTransaction,
    backends::FileBackend,
};
use std::fs::OpenOptions;
use std::io;
use std::path::Path;

const NUMBERS: TableDefinition<&str, u64> = TableDefinition::new("numbers");
const OUTGOING: &str = "next_outgoing";
const INCOMING: &str = "next_incoming";

/// Messages by their sequence number.
type Messages = TableDefinition<'static, u64, &'static [u8]>;
const SENT: Messages = TableDefinition::new("sent");
const RECEIVED: Messages = TableDefinition::new("received");

/// What a commit survives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Safety {
    /// The end of the process, however sudden: the kernel has the data. Costs some system calls a commit.
    #[default]
    Process,
    /// The end of the machine, too: each commit waits for the disk.
    Machine,
}

/// The file, which waits for the disk only where that was asked for.
#[derive(Debug)]
struct Backend {
    file: FileBackend,
    safety: Safety,
}

impl StorageBackend for Backend {
    fn len(&self) -> io::Result<u64> {
        self.file.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.file.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.file.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        match self.safety {
            Safety::Process => Ok(()),
            Safety::Machine => self.file.sync_data(),
        }
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.file.write(offset, data)
    }

    fn close(&self) -> io::Result<()> {
        self.file.close()
    }
}

/// Keeps all in a database file. A file belongs to one store at a time.
#[derive(Debug)]
pub struct Durable {
    database: Database,
    /// The numbers as they are now, and what was not committed yet.
    pending: Memory,
    /// What the file holds is to be forgotten with the next commit.
    forget: bool,
    /// There is something to commit.
    changed: bool,
}

/// Any error of the database.
fn failed(error: impl Into<redb::Error>) -> StoreError {
    StoreError(Box::new(error.into()))
}

impl Durable {
    /// Opens a file, or makes it.
    ///
    /// # Errors
    /// The file cannot be opened, is no such database, or another store has it.
    pub fn open(path: &Path, safety: Safety) -> Result<Self, StoreError> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(|error| StoreError(Box::new(error)))?;
        let file = FileBackend::new(file).map_err(failed)?;
        let database = Database::builder()
            .create_with_backend(Backend { file, safety })
            .map_err(failed)?;
        let mut pending = Memory::default();
        match database.begin_read().map_err(failed)?.open_table(NUMBERS) {
            Ok(numbers) => {
                let number = |name| -> Result<u64, StoreError> {
                    let value = numbers.get(name).map_err(failed)?;
                    Ok(value.map_or(1, |value| value.value()))
                };
                pending.set_next_outgoing(number(OUTGOING)?);
                pending.set_next_incoming(number(INCOMING)?);
            }
            Err(TableError::TableDoesNotExist(_)) => {}
            Err(error) => return Err(failed(error)),
        }
        Ok(Durable {
            database,
            pending,
            forget: false,
            changed: false,
        })
    }

    /// The first of a range of the file.
    fn first(
        &self,
        table: Messages,
        from: u64,
        to: u64,
    ) -> Result<Option<(u64, Vec<u8>)>, StoreError> {
        if self.forget || from > to {
            return Ok(None);
        }
        let table = match self
            .database
            .begin_read()
            .map_err(failed)?
            .open_table(table)
        {
            Ok(table) => table,
            Err(TableError::TableDoesNotExist(_)) => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        let mut range = table.range(from..=to).map_err(failed)?;
        let first = range.next().transpose().map_err(failed)?;
        Ok(first.map(|(sequence, message)| (sequence.value(), message.value().to_vec())))
    }

    /// Writes what is pending.
    fn write(&self, transaction: &WriteTransaction) -> Result<(), StoreError> {
        if self.forget {
            transaction.delete_table(SENT).map_err(failed)?;
            transaction.delete_table(RECEIVED).map_err(failed)?;
        }
        for (table, messages) in [
            (SENT, self.pending.all_sent()),
            (RECEIVED, self.pending.all_received()),
        ] {
            if messages.is_empty() {
                continue;
            }
            let mut table = transaction.open_table(table).map_err(failed)?;
            for (sequence, message) in messages {
                table.insert(sequence, message.as_slice()).map_err(failed)?;
            }
        }
        let mut numbers = transaction.open_table(NUMBERS).map_err(failed)?;
        for (name, number) in [
            (OUTGOING, self.pending.next_outgoing()),
            (INCOMING, self.pending.next_incoming()),
        ] {
            numbers.insert(name, number).map_err(failed)?;
        }
        Ok(())
    }
}

/// The one with the lower number; of the same, the one in memory, which is newer.
fn earlier(memory: Option<(u64, Vec<u8>)>, file: Option<(u64, Vec<u8>)>) -> Option<(u64, Vec<u8>)> {
    match (memory, file) {
        (Some(memory), Some(file)) => Some(if file.0 < memory.0 { file } else { memory }),
        (memory, file) => memory.or(file),
    }
}

impl Store for Durable {
    fn next_outgoing(&self) -> u64 {
        self.pending.next_outgoing()
    }

    fn next_incoming(&self) -> u64 {
        self.pending.next_incoming()
    }

    fn set_next_outgoing(&mut self, sequence: u64) {
        self.pending.set_next_outgoing(sequence);
        self.changed = true;
    }

    fn set_next_incoming(&mut self, sequence: u64) {
        self.pending.set_next_incoming(sequence);
        self.changed = true;
    }

    fn keep_sent(&mut self, sequence: u64, message: &[u8]) {
        self.pending.keep_sent(sequence, message);
        self.changed = true;
    }

    fn keep_received(&mut self, sequence: u64, message: &[u8]) {
        self.pending.keep_received(sequence, message);
        self.changed = true;
    }

    fn sent(&self, from: u64, to: u64) -> Result<Option<(u64, Vec<u8>)>, StoreError> {
        let memory = self.pending.sent(from, to)?;
        Ok(earlier(memory, self.first(SENT, from, to)?))
    }

    fn received(&self, from: u64, to: u64) -> Result<Option<(u64, Vec<u8>)>, StoreError> {
        let memory = self.pending.received(from, to)?;
        Ok(earlier(memory, self.first(RECEIVED, from, to)?))
    }

    fn reset(&mut self) {
        self.pending.reset();
        self.forget = true;
        self.changed = true;
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        if !self.changed {
            return Ok(());
        }
        let transaction = self.database.begin_write().map_err(failed)?;
        self.write(&transaction)?;
        transaction.commit().map_err(failed)?;
        self.pending.forget_messages();
        (self.forget, self.changed) = (false, false);
        Ok(())
    }
}
