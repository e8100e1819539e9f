"""The command palette and the page of the keyboard shortcuts.

Law: both, and the dialog of the keys, are made of one table and of the sessions as they are listed; a topic that is
withheld is not told (promise 6). An act is offered where its page is served, and nowhere else. No script is needed for
the page, and nothing is changed here.
Source: DESIGN 8 Web.
"""

from collections.abc import Collection
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from voice.core.session.lifecycle import PRIVATE_TOPIC
from voice.entrypoints.web.access import UPLOAD_PATH
from voice.entrypoints.web.pages.addresses import chat_url
from voice.entrypoints.web.pages.rendering import SECTIONS, PageGroup

_ADD: Final = "/add"  # where a note is added


@dataclass(frozen=True, slots=True)
class Act:
    """Something the palette leads to."""

    name: str
    url: str
    group: str


@dataclass(frozen=True, slots=True)
class Key:
    """What a key does."""

    keys: tuple[str, ...]
    does: str
    where: str = "On every page"


_ACTS: Final = (
    Act("New session", "/", "Action"),
    Act("Add a note", _ADD, "Action"),
    Act("Import files or a folder", UPLOAD_PATH, "Action"),
    Act("Export everything", "/export", "Action"),
    Act("Search your sources", "/sources#words", "Action"),
    Act("Search questions and answers", "/sources?kind=turns#words", "Action"),
    Act("Show the keys", "/keys", "Action"),
)
KEYS: Final = (
    Key(("Ctrl K", "⌘ K"), "go to a page, a session or an action; in a field only while it is empty"),
    Key(("/",), "search this page, or your sources if it has no search field"),
    Key(("?",), "show these keys"),
    Key(("Esc",), "close the dialog or the evidence, and return to where you were"),
    Key(("Enter",), "ask; Shift+Enter starts a new line", "In the question field"),
    Key(("Enter",), "move to the sources of the sentence", "On a sentence"),
    Key(("j", "↓"), "next candidate, or the first from elsewhere on the page", "In review"),
    Key(("k", "↑"), "previous candidate", "In review"),
    Key(("a",), "approve", "In review"),
    Key(("r",), "reject", "In review"),
    Key(("e",), "edit it first", "In review"),
    Key(("u",), "undo", "In review"),
)


def acts_of(served: Collection[str]) -> tuple[Act, ...]:
    """Return the acts and pages that are offered: those whose paths are served."""
    pages = (Act(section.name, section.path, "Page") for section in SECTIONS if section.path not in (_ADD, UPLOAD_PATH))
    return tuple(each for each in (*pages, *_ACTS) if each.url.partition("?")[0].partition("#")[0] in served)


def keys_by_place() -> dict[str, list[Key]]:
    """Return the keys by where they count, in their order."""
    return {where: [*keys] for where, keys in groupby(KEYS, key=lambda each: each.where)}


_SESSIONS = 200  # sessions that the palette knows, the most recent ones; the page of the sessions finds all


class PalettePages(PageGroup):
    """The page of the keys, and the palette as a piece of a page."""

    @property
    def routes(self) -> list[Route]:
        """Where they are."""
        return [self.route("GET", "/keys", self.page), self.route("GET", "/keys/palette", self.palette)]

    async def page(self, request: Request) -> Response:
        """Show where one can go, and the keys."""
        return self.templates.page(request, "keys.html", acts=_acts(request), keys=keys_by_place())

    async def palette(self, request: Request) -> Response:
        """Return the palette, to be put into a page."""
        listed = await self.memory.services.life.listed(limit=_SESSIONS)
        sessions = [
            Act(each.thread_topic, chat_url(each.id), "Session")
            for each in listed
            if each.thread_topic != PRIVATE_TOPIC  # its topic is withheld
        ]
        part = self.templates.part("palette.html", acts=(*_acts(request), *sessions), keys=keys_by_place())
        return Response(part, media_type="text/html")


def _acts(request: Request) -> tuple[Act, ...]:
    return acts_of({str(getattr(route, "path", "")) for route in request.app.routes})  # mounts have a path, too
