"""The commands of a how-to page, and what the page's comments say about them.

In a page, each block ```` ```sh ```` is run, in order, in one shell. A comment before a block, or near the top, changes that:

| comment | says |
|---|---|
| `<!-- test: none: REASON -->` | nothing of the page is run |
| `<!-- test: root -->` | the page needs root and network namespaces |
| `<!-- test: slow -->` | the page takes more than a minute: it is run only where slow tests are |
| `<!-- test: skip: REASON -->` | the next block is not run |
| `<!-- test: file NAME -->` | the next block is the content of a file |
| `<!-- test: prints -->` | each line of the next block begins a line that the page's commands print |
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

COMMENT = re.compile(r"<!-- test: (\w+)(?::? (.*?))? -->")
FENCE = re.compile(r"^```(\w*)\s*$")


@dataclass
class Page:
    """The runnable parts of a page."""

    path: Path
    script: list[str] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    prints: list[str] = field(default_factory=list)
    none: str | None = None
    root: bool = False
    slow: bool = False


def parse(path: Path, text: str) -> Page:
    """Reads a page; an unknown comment or a fence that does not end is an error."""
    page = Page(path)
    lines = iter(enumerate(text.splitlines(), 1))
    about: tuple[str, str] | None = None
    for number, line in lines:
        if found := COMMENT.fullmatch(line.strip()):
            kind, value = found[1], found[2] or ""
            if kind == "none":
                page.none = value
            elif kind in ("root", "slow"):
                setattr(page, kind, True)
            elif kind in ("skip", "file", "prints"):
                about = (kind, value)
            else:
                raise ValueError(f"{path}:{number}: unknown comment: {line.strip()}")
        elif fence := FENCE.match(line):
            block = []
            for _, inner in lines:
                if inner.startswith("```"):
                    break
                block.append(inner)
            else:
                raise ValueError(f"{path}:{number}: a block that does not end")
            kind, value = about or (fence[1], "")
            about = None
            if kind == "file":
                page.files[value] = "\n".join(block) + "\n"
            elif kind == "prints":
                page.prints += block
            elif kind == "sh":
                page.script += block
    return page
