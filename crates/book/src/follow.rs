//! A book that listens to a decoder.

use formats::{Event, FeedInfo, Listener};

use crate::book::Book;
use crate::change::Change;

/// Gives the events of a feed to a book, and its changes to a function. Their instruments must be known already (`instrument::Table::resolve`).
///
/// A decoder in software gives good frames only: each is kept when the next begins, or at [`Follow::end`].
pub struct Follow<'a, F> {
    book: &'a mut Book,
    each: F,
}

impl<'a, F: FnMut(&Book, &Change)> Follow<'a, F> {
    /// Follows a feed with a book; `each` gets every change, and the book after it.
    pub const fn new(book: &'a mut Book, each: F) -> Self {
        Follow { book, each }
    }

    /// The last frame was good, too.
    pub fn end(self) {
        self.book.verdict(true);
    }
}

impl<F: FnMut(&Book, &Change)> Listener for Follow<'_, F> {
    fn frame(&mut self, info: &FeedInfo) {
        self.book.frame(info);
    }

    #[inline(always)]
    fn event(&mut self, event: &Event) {
        if let Some(change) = self.book.apply(event) {
            (self.each)(self.book, &change);
        }
    }
}

impl Book {
    /// A good frame of the feed begins: the one before it is kept, and a gap or a session that begins with it counts.
    pub fn frame(&mut self, info: &FeedInfo) {
        self.verdict(true);
        if info.new_session {
            self.session(info.first_sequence);
        } else if info.lost != self.lost {
            self.gap(info.first_sequence);
        }
        self.lost = info.lost;
    }
}
