//! The files that the proofs read are those that the crates write today.

#[test]
fn the_files_of_the_proofs_are_current() {
    let folder = language_formal::generated();
    let wanted = language_formal::all().expect("the strategies are valid");
    let written = "run: cargo run -p language_formal --example write";
    for file in &wanted {
        let text = std::fs::read_to_string(folder.join(&file.name)).unwrap_or_default();
        assert!(text == file.text, "{} is not current: {written}", file.name);
    }
    let mut files = std::fs::read_dir(&folder).expect("a folder");
    let left = files.find_map(|entry| {
        let name = entry.ok()?.file_name().into_string().ok()?;
        (!wanted.iter().any(|file| file.name == name)).then_some(name)
    });
    assert_eq!(left, None, "of no strategy: remove it");
}

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
