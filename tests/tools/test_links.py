"""Every link of the tracked Markdown files leads somewhere: files, folders and headings. Offline: addresses of the web are not fetched."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"

FENCE = re.compile(r"^\s{0,3}(`{3,}|~{3,})")
HEADING = re.compile(r"^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
# [text](target "title"), and the same of a picture; the text may hold one level of brackets.
INLINE = re.compile(
    r"\[(?:[^\[\]]|\[[^\[\]]*\](?:\([^()]*\))?)*\]\(\s*<?([^\s()<>]*(?:\([^\s()]*\)[^\s()<>]*)*)>?(?:\s+(?:\"[^\"]*\"|'[^']*'))?\s*\)"
)
DEFINITION = re.compile(r"^ {0,3}\[[^\]]+\]:\s*<?(\S+?)>?(?:\s+[\"'(].*)?$")
ATTRIBUTE = re.compile(r"<[a-zA-Z][^>]*?\s(?:src|href)=[\"']([^\"']+)[\"']")
ANCHOR = re.compile(r"<[a-zA-Z][^>]*?\s(?:id|name)=[\"']([^\"']+)[\"']")
SCHEME = re.compile(r"^[a-zA-Z][a-zA-Z0-9+.-]*:|^//")


def tracked(pattern: str) -> list[Path]:
    """What is in the repository, and new files that are not ignored."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", pattern]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [path for name in sorted(filter(None, listed.split("\0"))) if (path := ROOT / name).exists()]


def prose(text: str) -> Iterator[tuple[int, str]]:
    """The lines outside of fenced blocks, by number."""
    fence = ""
    for number, line in enumerate(text.splitlines(), 1):
        found = FENCE.match(line)
        if fence:
            if found and found[1][0] == fence[0] and len(found[1]) >= len(fence) and not line.strip().strip(fence[0]):
                fence = ""
        elif found:
            fence = found[1]
        else:
            yield number, line


def without_code(line: str) -> str:
    return re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", line)


def slug(heading: str) -> str:
    """The anchor of a heading, as GitHub and mdBook make it."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    text = re.sub(r"<[^>]+>", "", text)
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def anchors(text: str) -> set[str]:
    found: set[str] = set()
    for _, line in prose(text):
        if heading := HEADING.match(line):
            name, again = slug(heading[2]), 0
            while (name if not again else f"{name}-{again}") in found:
                again += 1
            found.add(name if not again else f"{name}-{again}")
        found.update(ANCHOR.findall(line))
    return found


def links(text: str) -> Iterator[tuple[int, str]]:
    for number, line in prose(text):
        plain = without_code(line)
        targets = [*INLINE.findall(plain), *ATTRIBUTE.findall(plain)]
        if definition := DEFINITION.match(plain):
            targets.append(definition[1])
        # A picture that is a link: both are looked at.
        targets += [target for inner in re.findall(r"\[(!\[[^\]]*\]\([^)]*\))\]", plain) for target in INLINE.findall(inner)]
        for target in targets:
            if not SCHEME.match(target):
                yield number, target


def broken(path: Path, text: str) -> list[str]:
    """What is wrong with a page's links, a line each."""
    wrong = []
    for number, target in links(text):
        name, _, anchor = target.partition("#")
        to = (path.parent / unquote(name)).resolve() if name else path
        where = f"{path.relative_to(ROOT) if path.is_relative_to(ROOT) else path.name}:{number}: {target}"
        if target.startswith("/"):
            wrong.append(f"{where}: write it relative to the page")
        elif to != path and not to.exists():
            wrong.append(f"{where}: there is no such file")
        elif anchor:
            if to.suffix != ".md":
                wrong.append(f"{where}: an anchor in what is no page")
            elif unquote(anchor) not in anchors(text if to == path else to.read_text()):
                wrong.append(f"{where}: there is no such heading")
    return wrong


PAGES = tracked("*.md")


def test_every_link_leads_somewhere() -> None:
    wrong = [line for path in PAGES for line in broken(path, path.read_text())]
    assert not wrong, "\n".join(wrong)


def test_the_summary_lists_every_page_of_the_book_once() -> None:
    listed = [(DOCS / target).resolve() for _, target in links((DOCS / "SUMMARY.md").read_text())]
    pages = [path for path in PAGES if path.is_relative_to(DOCS) and path.name != "SUMMARY.md"]
    assert sorted(listed) == sorted(pages)


def test_every_crate_has_a_readme_that_its_manifest_names() -> None:
    for manifest in tracked("crates/*/Cargo.toml") + tracked("verify/*/Cargo.toml"):
        assert (manifest.parent / "README.md").is_file(), f"{manifest.parent.name}: no README.md"
        assert re.search(r'^readme = "README.md"$', manifest.read_text(), re.M), f'{manifest.parent.name}: readme = "README.md" is missing'


def test_the_map_has_every_crate_and_folder() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text() + (ROOT / "verify" / "README.md").read_text()
    words = set(re.findall(r"[\w.]+", " ".join(re.findall(r"`([^`]*)`", text))))
    files = [path.relative_to(ROOT).parts for path in tracked("*")]
    folders = {parts[0] for parts in files if len(parts) > 1}
    inside = {parts[1] for parts in files if len(parts) > 2 and parts[0] in ("crates", "rtl", "tests", "verify")}
    assert sorted((folders | inside) - words) == []


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("What works, and what does not yet", "what-works-and-what-does-not-yet"),
        ("Last byte in → first byte out: 12 cycles", "last-byte-in--first-byte-out-12-cycles"),
        ("`--json` of [a page](a.md)", "--json-of-a-page"),
        ("W = 8, snake_case", "w--8-snake_case"),
    ],
)
def test_an_anchor_is_made_as_github_makes_it(heading: str, anchor: str) -> None:
    assert slug(heading) == anchor


def test_headings_of_one_name_are_numbered_and_blocks_have_none() -> None:
    text = '# A\n## A\n```\n# B\n```\n~~~~\n```\n# C\n~~~~\n<a id="own"></a>\n# A-1 #\n'
    assert anchors(text) == {"a", "a-1", "own", "a-1-1"}


def test_what_is_broken_is_found(tmp_path: Path) -> None:
    (tmp_path / "there.md").write_text("# One heading\n")
    (tmp_path / "a(b).svg").write_text("")
    good = [
        '[x](there.md) [y](there.md#one-heading) ![z](<a(b).svg>) ![z](a(b).svg "title")',
        "[w](https://a.b/c#d) [m](mailto:a@b) `[c](no.md)` [h](#here)",
        "[r]: there.md",
        "```\n[f](no.md)\n```\n# Here",
    ]
    assert broken(tmp_path / "page.md", "\n".join(good)) == []
    for wrong, why in [
        ("[x](absent.md)", "no such file"),
        ("[x](there.md#other)", "no such heading"),
        ("[x](#absent)", "no such heading"),
        ("[![picture](absent.svg)](there.md)", "no such file"),
        ("[![picture](a(b).svg)](absent.md)", "no such file"),
        ("[r]: absent.md", "no such file"),
        ('<img alt="p" src="absent.png">', "no such file"),
        ("[x](/there.md)", "relative to the page"),
        ("[x](a(b).svg#part)", "no page"),
        ("[a [nested] text](absent.md)", "no such file"),
    ]:
        found = broken(tmp_path / "page.md", f"text\n{wrong}\n")
        assert len(found) == 1, wrong
        assert why in found[0], wrong
        assert found[0].startswith("page.md:2"), wrong
