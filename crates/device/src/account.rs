//! What of a session's orders is open, and what is held, over restarts: risk's ledger, in the file of the session's store.

use std::path::Path;

use order::{Number, Order};
use risk::{ExecutionReport, Ledger, Reported};
use session::{Durability, Durable, Journal, Limits, Recover, Store, StoreError};

/// A [`Ledger`], and where its notes are kept. A note is lasting from the session's next commit on.
#[derive(Debug, Default)]
pub struct Account {
    ledger: Ledger,
    /// `None`: it ends with the program.
    journal: Option<Journal>,
    note: Vec<u8>,
}

struct Reader<'a>(&'a mut Ledger);

impl Recover for Reader<'_> {
    fn state(&mut self, bytes: &[u8]) -> bool {
        self.0.read(bytes)
    }

    fn entry(&mut self, bytes: &[u8]) -> bool {
        self.0.read(bytes)
    }
}

impl Account {
    /// One that begins with nothing, and ends with the program. `symbols`: the instruments by index; an empty name is none.
    pub fn in_memory(symbols: Vec<String>) -> Self {
        Account {
            ledger: Ledger::new(symbols),
            ..Account::default()
        }
    }

    /// Opens a session's store, or makes it, and reads what is open and held. `anew`: the session's numbers begin anew with its Logon.
    ///
    /// # Errors
    /// The file cannot be opened, is no such file, is damaged, or another store has it.
    pub fn open(
        path: &Path,
        durability: Durability,
        anew: bool,
        symbols: Vec<String>,
    ) -> Result<(Durable, Self), StoreError> {
        Self::with_limits(path, durability, Limits::default(), anew, symbols)
    }

    /// As [`Account::open`], with other limits.
    ///
    /// # Errors
    /// As there.
    pub fn with_limits(
        path: &Path,
        durability: Durability,
        limits: Limits,
        anew: bool,
        symbols: Vec<String>,
    ) -> Result<(Durable, Self), StoreError> {
        let mut ledger = Ledger::new(symbols);
        let store = Durable::share(path, durability, limits, &mut Reader(&mut ledger))?;
        let mut account = Account {
            ledger,
            journal: Some(store.journal().clone()),
            note: Vec::new(),
        };
        let sent = store.next_outgoing() > 1;
        account.note(|ledger, note| ledger.begin(sent, anew, note));
        Ok((store, account))
    }

    /// What is open and held.
    pub const fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// See [`Ledger::confirm`].
    pub fn confirm(&mut self, positions: &[(u8, i64)]) {
        self.note(|ledger, note| ledger.confirm(positions, note));
    }

    /// An order leaves, or has left.
    pub fn sent(&mut self, number: Number, order: &Order) {
        self.note(|ledger, note| ledger.sent(number, order, note));
    }

    /// The exchange reports: before the session's number of the report is lasting.
    pub fn report(&mut self, report: &ExecutionReport) -> Reported {
        self.note(|ledger, note| ledger.report(report, note))
    }

    /// The hardware may send from now on, or no more: see [`Ledger::set_running`].
    pub fn set_running(&mut self, running: bool) {
        self.note(|ledger, note| ledger.set_running(running, note));
    }

    /// Begins a new file, if this one has become long. What was committed is safe if that fails, and it is tried again later.
    pub fn tidy(&mut self) {
        let Some(journal) = self.journal.as_ref().filter(|journal| journal.is_due()) else {
            return;
        };
        self.note.clear();
        self.ledger.state(&mut self.note);
        // See above.
        let _ = journal.rewrite(|state| state(&self.note));
    }

    fn note<T>(&mut self, note: impl FnOnce(&mut Ledger, &mut Vec<u8>) -> T) -> T {
        self.note.clear();
        let done = note(&mut self.ledger, &mut self.note);
        if let Some(journal) = self.journal.as_ref().filter(|_| !self.note.is_empty()) {
            journal.append(&self.note);
        }
        done
    }
}
