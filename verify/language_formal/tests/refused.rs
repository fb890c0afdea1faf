//! What the references do not have.

#[test]
fn what_the_references_do_not_have_is_refused_with_its_line() {
    let source = "from tickwire import Book, Strategy, state


class Divides(Strategy):
    n: int = state(0)

    def on_book(self, book: Book) -> None:
        self.n = self.n // book.bid.orders
";
    let error = language_formal::files(source).expect_err("it divides");
    assert_eq!(
        error.to_string(),
        "line 8: the references have no such operator"
    );
}
