"""Which pages of the site are made when it is built, and where the rest of the repository is in it."""

import posixpath
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from reference.events import events_markdown
from reference.http import http_markdown
from reference.library import library_markdown
from reference.mcp import mcp_markdown
from reference.requirements import requirements_markdown
from reference.schemas import FOLDER, schema_pages
from reference.shelf import SUFFIX

AWAITED = frozenset(
    f"{name}.md"
    for name in ("mcp", "http", "web", "desk", "holder", "server", "scaling", "streaming", "adr/0005-holder")
) | frozenset({"project/security.md", "reference/events.md", "reference/mcp.md", "reference/http.md"})
"""Pages of doors that may not be there yet; what is there must stand in a section all the same."""
_TOP = {
    "CONTRIBUTING.md": "project/contributing.md",
    "SECURITY.md": "project/security.md",
    "CHANGELOG.md": "project/changelog.md",
}
SCHEMAS = f"{FOLDER}/"
"""What stands in mkdocs.yml for the pages of all schemas."""
_SCHEMAS = "src/voice/schemas/"
_ROW = re.compile(r"\| \[[^\]]+\]\(([^)#]+)\) \|")
_WORDS = re.compile(r"\[([^\]]+)\]\(([^)#\s]+)(?:#[^)]*)?\)")
_LINK = re.compile(r"\]\((?!https?://|#)([^)]+)\)")


@cache
def made_pages(root: Path) -> dict[str, str]:
    """Return the pages that are made of the code and of the texts at the top, by their places in the site."""
    pages = schema_pages(root / _SCHEMAS)
    pages["reference/library.md"] = library_markdown()
    pages["reference/requirements.md"] = requirements_markdown(root)
    doors = {"events": events_markdown(), "mcp": mcp_markdown(root), "http": http_markdown(root)}
    pages.update({f"reference/{name}.md": text for name, text in doors.items() if text is not None})
    for name, place in _TOP.items():
        if (root / name).exists():
            pages[place] = _from_top((root / name).read_text(encoding="utf-8"))
    return {place: without_absent(text, place, absent(root, pages)) for place, text in pages.items()}


def absent(root: Path, made: Mapping[str, str]) -> frozenset[str]:
    """Return the pages of doors that are not there: neither written nor made."""
    return frozenset(path for path in AWAITED if path not in made and not (root / "docs" / path).exists())


def without_absent(text: str, place: str, gone: frozenset[str]) -> str:
    """Return a page without what leads to pages that are not there: a row of a table goes, a link becomes its words."""

    def is_gone(target: str) -> bool:
        return posixpath.normpath(posixpath.join(posixpath.dirname(place), target)) in gone

    kept = [line for line in text.splitlines(keepends=True) if not ((row := _ROW.match(line)) and is_gone(row[1]))]
    return _WORDS.sub(lambda found: found[1] if is_gone(found[2]) else found[0], "".join(kept))


def schema_sections(made: Mapping[str, str]) -> list[object]:
    """Return the section of the schemas: what can be read and asked first, then what the commands print."""
    pages = [place for place in made if place.startswith(SCHEMAS) and place != f"{SCHEMAS}index.md"]
    cli = [place for place in pages if place.startswith(f"{SCHEMAS}cli/")]
    return [f"{SCHEMAS}index.md", *(place for place in pages if place not in cli), {"Of the commands": cli}]


def _from_top(text: str) -> str:
    """Return a text of the top with its links as they lead from the site's folder `project`."""
    return _LINK.sub(
        lambda found: f"](../{found[1].removeprefix('docs/')})" if found[1].startswith("docs/") else found[0], text
    )


def outside(text: str, where: str, place: str, page: str) -> str | None:
    """Return a link of a page whose target is not in docs/; None where it is.

    Args:
        text: what is clicked on.
        where: the target, from docs/.
        place: the anchor in it, with its sign.
        page: the page, from docs/.
    """
    target = posixpath.normpath(f"docs/{where}")
    if target.startswith("docs/"):
        return None
    if target in _TOP:
        led = _TOP[target]
    elif target.startswith(_SCHEMAS) and target.endswith(SUFFIX):
        led = f"{FOLDER}/{target.removeprefix(_SCHEMAS).removesuffix(SUFFIX)}.md"
    else:
        return f"{text} (`{target}`)"
    return f"[{text}]({posixpath.relpath(led, posixpath.dirname(page) or '.')}{place})"
