"""A note added in the page: stored once, and what was distilled of it told on its own page.

Law: what is written here is the person's own (origin `human`, ruling H), stored as `voice remember` stores it and
whatever becomes of its vector (ruling C17). The form bears a key, so that sending it again stores nothing twice; what
was typed comes back with whatever went wrong, and stands in no address.

Source: DESIGN 8 Web; rulings A21, C17, H.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from http import HTTPStatus
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from voice.adapters.files.detection import command_for
from voice.core.errors import InvalidParams, VoiceError
from voice.core.graph.review.candidates import CandidateStatus
from voice.core.interchange.origin import Entrance, ceiling_of
from voice.core.records import Observation
from voice.core.tags import require_tags
from voice.core.text.display import counted
from voice.entrypoints.forms.kept import LIKE_INSTRUCTIONS, citable, held_back, reads_like_instructions
from voice.entrypoints.forms.moments import moment_of
from voice.entrypoints.library import Voice
from voice.entrypoints.web.pages.fields import fields_of, is_set
from voice.entrypoints.web.pages.links import source_url
from voice.entrypoints.web.pages.owner import require_owner
from voice.entrypoints.web.pages.problems import with_problems
from voice.entrypoints.web.pages.rendering import Templates
from voice.entrypoints.web.problems import problem_of
from voice.ports.candidate_store import CandidateFilter
from voice.services.graph.row_dossier import Dossier
from voice.services.memory.ingest_values import NewThought
from voice.services.memory.remember import Remembered, remember_once

PATH: Final = "/add"
ADDED: Final = ("added", "added-words-only", "added-unread")
"""What the address of a note's page can say of how it came in."""
_FORGOTTEN: Final = "you forgot this before, so it stays forgotten; to keep it after all, say it in other words"


class _IsExport(InvalidParams):
    """What was pasted is a file that another page brings in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What a person filled in, word for word."""

    text: str = field(default="", repr=False)
    tags: str = ""
    at: str = ""
    thread: str = ""
    private: bool = False
    as_text: bool = False
    """Whether what looks like an export is kept as a text."""
    key: str = ""

    @classmethod
    def of(cls, fields: Mapping[str, str]) -> "Written":
        """Return what a form says."""
        return cls(
            text=fields.get("text", ""),
            tags=fields.get("tags", ""),
            at=fields.get("at", ""),
            thread=fields.get("thread", ""),
            private=is_set(fields, "private"),
            as_text=is_set(fields, "as_text"),
            key=fields.get("key", ""),
        )

    @property
    def named_tags(self) -> tuple[str, ...]:
        """The tags, which stand between commas."""
        return tuple(dict.fromkeys(tag for each in self.tags.split(",") if (tag := each.strip())))

    @property
    def once(self) -> str | None:
        """The form's key with what was filled in: another note in the same form is another note."""
        said = "\x00".join((self.key, self.text, self.tags, self.at, self.thread, str(self.private)))
        return sha256(said.encode("utf-8", "surrogatepass")).hexdigest() if self.key else None


@dataclass(frozen=True, slots=True)
class Adding:
    """The page on which a note is added."""

    memory: Voice
    templates: Templates

    @property
    def routes(self) -> list[BaseRoute]:
        """Where it is."""
        return [
            Route(PATH, with_problems(self.templates, self.show), methods=["GET"]),
            Route(PATH, with_problems(self.templates, self.add), methods=["POST"]),
        ]

    async def show(self, request: Request) -> Response:
        """Show the empty form."""
        return self._page(request, Written())

    async def add(self, request: Request) -> Response:
        """Store the note and lead to its page; where that cannot be, give back what was typed."""
        require_owner(request)
        written = Written.of(await fields_of(request))
        try:
            kept = await self._kept(written)
            if kept.report.forgotten or not kept.report.stored:
                raise InvalidParams(_FORGOTTEN if kept.report.forgotten else "your memory has this note already")
            arrived = await self._read(kept)
        except VoiceError as error:
            return self._page(request, written, error)
        (row_id,) = kept.report.stored
        how = "added-words-only" if kept.report.unembedded else "added" if arrived else "added-unread"
        private = "&private=1" if written.private else ""
        return RedirectResponse(f"{source_url(row_id)}?done={how}{private}", HTTPStatus.SEE_OTHER)

    async def _kept(self, written: Written) -> Remembered:
        """Store what is written, once.

        Raises:
            InvalidParams: it cannot be stored as it is.
        """
        if not written.as_text and command_for(written.text.encode("utf-8", "replace")) is not None:
            raise _IsExport("this is an export of a memory or a session; import the file, or keep it as one text")
        services, settings = self.memory.services, self.memory.settings
        at = moment_of(written.at, "the date", settings, services.clock.now()) if written.at.strip() else None
        thought = NewThought(
            content=written.text,
            origin=ceiling_of(Entrance.PAGE),
            created_at=at,
            tags=require_tags(written.named_tags),
            is_private=written.private,
            thread=written.thread.strip() or None,
        )
        return await remember_once(services.ingest, thought, written.once)

    async def _read(self, kept: Remembered) -> bool:
        """Look for names in what came in; return whether that could be done."""
        extracting, stored = self.memory.services.extracting, kept.report.stored
        arrived = await (extracting.arrived_before(*stored) if kept.is_replayed else extracting.arrived(stored))
        return arrived.fault is None

    def _page(self, request: Request, written: Written, error: VoiceError | None = None) -> Response:
        return self.templates.page(
            request,
            "add.html",
            HTTPStatus.OK if error is None else problem_of(error).status,
            written=written,
            failed=None if error is None else problem_of(error),
            is_export=isinstance(error, _IsExport) or written.as_text,
            key=written.key or self.memory.services.ids.new_id("k"),
        )


async def added_in_words(memory: Voice, dossier: Dossier, how: str) -> tuple[str, ...]:
    """Return what became of a note that was just added, for its page.

    Args:
        memory: the open memory.
        dossier: what there is of the note.
        how: how it came in, one of `ADDED`.
    """
    held = held_back(dossier.text) if memory.settings.llm.quarantine_instructions else 0
    made = sum(isinstance(each, Observation) for each in dossier.derived)
    told = citable(made, held)
    waiting = await memory.services.review.moderation.candidates.count(
        CandidateFilter(thought_id=dossier.row.id, status=CandidateStatus.PENDING)
    )
    lines = [f"{told[0].upper()}{told[1:]}."]
    if waiting:
        lines.append(f"{counted(waiting, 'candidate')} of it {'waits' if waiting == 1 else 'wait'} for review.")
    if memory.settings.llm.quarantine_instructions and (held or reads_like_instructions(dossier.text)):
        lines.append(f"{LIKE_INSTRUCTIONS[0].upper()}{LIKE_INSTRUCTIONS[1:]}.")
    if how == "added-words-only":
        lines.append(
            "It has no vector yet, so only its words are searched; `voice maintain embed-pending` tries again."
        )
    if how == "added-unread":
        lines.append("It could not be read for names; to try again, run `voice kg stage`.")
    return tuple(lines)
