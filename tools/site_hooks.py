"""What mkdocs does not do by itself when it builds the site.

Law: the pages that follow from the code are made here and are never kept, so none can be out of date; a page that has
no place among the sections fails the build and says so; notes to the tests, which are comments, are not published; what
the theme leaves without a name or a way for the keyboard gets one.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tools")]

from reference.pages import SCHEMAS, absent, made_pages, outside, schema_sections, without_absent  # noqa: E402 - the path must be there first

_NOTE = re.compile(
    r"^<!-- (?:world|file|schema|exit|input|prints|each|not run)\b.*?-->\n", flags=re.MULTILINE | re.DOTALL
)
_TABLE = re.compile(r"<table>.*?</table>", flags=re.DOTALL)
_SEARCH = '<div class="md-search" data-md-component="search" role="dialog"'
_LINK = re.compile(r"\[([^\]]+)\]\(((?:\.\./)+(?!\.)[^)#\s]+)(#[^)\s]*)?\)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the schemas into their section, and take out the pages of doors that are not there."""
    made = made_pages(ROOT)
    config.nav = _standing(config.nav or [], absent(ROOT, made), schema_sections(made))
    return config


def _standing(sections: list[Any], gone: frozenset[str], schemas: list[Any]) -> list[Any]:
    found: list[Any] = []
    for each in sections:
        title, inside = next(iter(each.items())) if isinstance(each, dict) else (None, each)
        if inside == SCHEMAS:
            inside = schemas
        elif isinstance(inside, list):
            inside = _standing(inside, gone, schemas)
        elif inside in gone:
            continue
        found.append({title: inside} if title else inside)
    return found


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made of the code, and the texts that stand at the top of the repository."""
    for place, text in made_pages(ROOT).items():
        files.append(File.generated(config, place, content=text))
    placed = set(_placed(config.nav or []))
    strays = sorted(file.src_uri for file in files.documentation_pages() if file.src_uri not in placed)
    if strays:
        raise PluginError(
            f"no section has {', '.join(strays)}: name it under `nav` in mkdocs.yml, where a reader looks"
        )
    return files


def _placed(sections: list[Any]) -> Iterator[str]:
    for each in sections:
        inside = next(iter(each.values())) if isinstance(each, dict) else each
        yield from _placed(inside) if isinstance(inside, list) else (inside,)


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Leave out the notes to the tests, and lead what points out of docs/ to its place in the site."""
    text = without_absent(_NOTE.sub("", markdown), page.file.src_uri, absent(ROOT, made_pages(ROOT)))
    return _LINK.sub(lambda found: _led(found, page.file.src_uri), text)


def on_page_content(html: str, **_: object) -> str:
    """Put each table into what scrolls where it is wider than the page, and can be reached by keyboard."""
    return _TABLE.sub(r'<div class="scrolls" role="group" aria-label="Table" tabindex="0">\g<0></div>', html)


def on_post_page(output: str, **_: object) -> str:
    """Give the search of the theme the name that it lacks for who cannot see it."""
    return output.replace(_SEARCH, f'{_SEARCH} aria-label="Search"')


def _led(found: re.Match[str], page: str) -> str:
    text, target, place = found.groups()
    where = (Path(page).parent / target).as_posix()
    return outside(text, where, place or "", page) or found[0]
