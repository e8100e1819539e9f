"""Pages that add a note, and correct or forget one sentence of it.

Law: what is written here is the person's own (origin `human`, ruling H), stored as `voice remember` stores it and
whatever becomes of its vector (ruling C17). The form bears a key, so that sending it again stores nothing twice; what
was typed comes back with whatever went wrong, and stands in no address. A sentence, which an answer's proof leads to,
is shown and corrected in its note, and the rest of the note stays. What changes a note that has changed since it was
shown changes nothing, and says so. Of a private note nothing is shown unless that is asked.
Source: DESIGN 8 Web; rulings A21, C17, H, I9; promises 6, 9.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute

from voice.adapters.files.detection import command_for
from voice.core.errors import InvalidParams, VoiceError
from voice.core.graph.review.candidates import CandidateStatus
from voice.core.graph.thoughts.sentence_edits import SentenceMatch, text_of
from voice.core.interchange.origin import Entrance, ceiling_of, require_tags
from voice.core.records import Observation
from voice.core.text.display import counted
from voice.entrypoints.library import Voice
from voice.entrypoints.shared.moments import parse_moment
from voice.entrypoints.shared.notes import (
    LIKE_INSTRUCTIONS,
    citable_in_words,
    distilled_sentences,
    quarantined_sentences,
    reads_like_instructions,
)
from voice.entrypoints.web.pages.addresses import (
    between_commas,
    fields_of,
    is_set,
    once_key,
    one_of,
    require_owner,
    source_url,
)
from voice.entrypoints.web.pages.excerpts import excerpt
from voice.entrypoints.web.pages.rendering import PageGroup
from voice.entrypoints.web.pages.sources.detail_view import span_of
from voice.entrypoints.web.pages.sources.removal import UNSURE, RemovalView, SourceGroup, removal_shown
from voice.ports.review_stores import CandidateFilter
from voice.services.graph.correct import Corrected
from voice.services.graph.row_dossier import Dossier
from voice.services.memory.ingest_values import NewThought
from voice.services.memory.remember import Remembered, remember_once
from voice.services.removal.sentence_edits import SentenceEdits

PATH: Final = "/add"
ADDED: Final = ("added", "added-words-only", "added-unread")
"""What the address of a note's page can say of how it came in."""
_FORGOTTEN: Final = "you forgot this before, so it stays forgotten; to keep it after all, say it in other words"


class _IsExport(InvalidParams):
    """What was pasted is a file that another page brings in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteForm:
    """What a person filled in, word for word."""

    text: str = field(default="", repr=False)
    tags: str = ""
    at: str = ""
    thread: str = ""
    private: bool = False
    as_text: bool = False
    key: str = ""

    @classmethod
    def of(cls, fields: Mapping[str, str]) -> "NoteForm":
        """Return what a form says."""
        said = {name: fields[name] for name in ("text", "tags", "at", "thread", "key") if name in fields}
        return cls(**said, private=is_set(fields, "private"), as_text=is_set(fields, "as_text"))

    @property
    def once(self) -> str | None:
        """The form's key with what was filled in: another note in the same form is another note."""
        return once_key(self.key, self.text, self.tags, self.at, self.thread, str(self.private))


class AddNotePages(PageGroup):
    """The page on which a note is added."""

    @property
    def routes(self) -> list[BaseRoute]:
        """Where it is."""
        return [self.route("GET", PATH, self.show), self.route("POST", PATH, self.add)]

    async def show(self, request: Request) -> Response:
        """Show the empty form."""
        return self._page(request, NoteForm())

    async def add(self, request: Request) -> Response:
        """Store the note and lead to its page; where that cannot be, give back what was typed."""
        require_owner(request)  # a program's notes wait for review: it has a door of its own
        written = NoteForm.of(await fields_of(request))
        try:
            remembered = await self._store(written)
            if remembered.report.forgotten or not remembered.report.stored:  # nothing was stored: say why
                raise InvalidParams(_FORGOTTEN if remembered.report.forgotten else "your memory already has this note")
            arrived = await self.memory.services.extracting.arrived_once(remembered)
        except VoiceError as error:
            return self._page(request, written, error)
        (row_id,) = remembered.report.stored  # one note, one row
        is_read = arrived.fault is None
        how = "added-words-only" if remembered.report.unembedded else "added" if is_read else "added-unread"
        private = "&private=1" if written.private else ""
        return RedirectResponse(f"{source_url(row_id)}?done={how}{private}", HTTPStatus.SEE_OTHER)

    async def _store(self, written: NoteForm) -> Remembered:
        """Store what is written, once; what cannot be stored as it is is refused (InvalidParams)."""
        if not written.as_text and command_for(written.text.encode("utf-8", "replace")) is not None:
            raise _IsExport("this is an export of a memory or a session; import the file, or keep it as one text")
        services, settings = self.memory.services, self.memory.settings
        at = parse_moment(written.at, "the date", settings, services.clock.now()) if written.at.strip() else None
        thought = NewThought(
            content=written.text,
            origin=ceiling_of(Entrance.PAGE),  # what a person types is theirs
            created_at=at,
            tags=require_tags(between_commas(written.tags)),
            is_private=written.private,
            thread=written.thread.strip() or None,
        )
        return await remember_once(services.ingest, thought, written.once)

    def _page(self, request: Request, written: NoteForm, error: VoiceError | None = None) -> Response:
        return self.templates.form_page(
            request,
            "add.html",
            error,
            written=written,
            is_export=isinstance(error, _IsExport) or written.as_text,
            key=written.key or self.memory.services.ids.new_id("k"),  # the same key: what is sent again is the same
        )


async def added_in_words(memory: Voice, dossier: Dossier, how: str) -> tuple[str, ...]:
    """Return what became of a note that was just added, for its page; `how` it came in is one of `ADDED`."""
    quarantined = quarantined_sentences(dossier.text) if memory.settings.llm.quarantine_instructions else 0
    distilled = sum(isinstance(each, Observation) for each in dossier.derived)  # what became of its sentences
    status = citable_in_words(distilled_sentences(dossier.text, distilled), quarantined)
    waiting = await memory.services.review.moderation.candidates.count(
        CandidateFilter(thought_id=dossier.row.id, status=CandidateStatus.PENDING)
    )
    lines = [f"{status[0].upper()}{status[1:]}."]
    if waiting:
        lines.append(f"{counted(waiting, 'candidate')} from it {'waits' if waiting == 1 else 'wait'} for review.")
    if memory.settings.llm.quarantine_instructions and (quarantined or reads_like_instructions(dossier.text)):
        lines.append(f"{LIKE_INSTRUCTIONS[0].upper()}{LIKE_INSTRUCTIONS[1:]}.")
    if how == "added-words-only":
        lines.append("Searches find it only by its words; to make its vector, run `voice maintain rebuild vectors`.")
    if how == "added-unread":
        lines.append("voice did not search it for entities. To try again, run `voice kg stage`.")
    return tuple(lines)


_DEEDS = ("correct", "look", "foresee", "forget")  # look and foresee change nothing


class WordingPages(SourceGroup):
    """The page of one sentence of one memory's notes."""

    @property
    def routes(self) -> list[BaseRoute]:
        """Where it is; before the source itself, whose id may hold a slash."""
        path = "/sources/{row_id:path}/sentence"
        return [
            self.of_source("GET", path, self.show, ("from", "to", "private")),
            self.of_source("POST", path, self.change),
        ]

    @property
    def _edits(self) -> SentenceEdits:
        return self.memory.services.sentence_edits

    async def show(self, request: Request) -> Response:
        """Show a sentence in its note, with what may be done to it."""
        match = await self._match(request, request.query_params)
        return self._page(request, match, request.query_params)

    async def change(self, request: Request) -> Response:
        """Correct or forget the sentence, or show what either would do."""
        form = await fields_of(request)
        deed = one_of(form, "deed", _DEEDS, "correct")
        match = await self._match(request, form)
        try:
            _require_as_shown(match, form)  # before either deed
            if deed == "forget":
                return await self._forget(request, match, form)
            if deed == "foresee":
                reached = await self._edits.ahead(match)
                going = await removal_shown(self.memory, reached, include_private=is_set(form, "private"))
                return self._page(request, match, form, going=going)
            done = await self._correct(match, form, is_look=deed == "look")
        except InvalidParams as error:
            return self._page(request, match, form, error)
        if deed == "look":
            return self._page(request, match, form, foreseen=done)
        return source_redirect(done.row_id, "corrected", form)

    async def _match(self, request: Request, said: Mapping[str, str]) -> SentenceMatch:
        span = span_of(said)
        if span is None:
            raise InvalidParams("open this page from an answer's proof; `from` and `to` name the sentence")
        return await self._edits.at(str(request.path_params["row_id"]), *span)

    async def _correct(self, match: SentenceMatch, form: Mapping[str, str], *, is_look: bool) -> Corrected:
        words = form.get("text", "")
        if not words.strip():
            raise InvalidParams("enter the new words, or forget the sentence")
        return await self._edits.correct(match, words, reason=form.get("reason") or None, dry_run=is_look)

    async def _forget(self, request: Request, match: SentenceMatch, form: Mapping[str, str]) -> Response:
        if not is_set(form, "sure"):
            raise InvalidParams(UNSURE)
        taken = await self._edits.take(match)
        if taken.note_id is not None:  # the rest of the note stays
            return source_redirect(taken.note_id, "shortened", form)
        view = await removal_shown(self.memory, taken.reached, include_private=is_set(form, "private"))
        return self.templates.page(request, "removed.html", view=view, url="", with_files=False, sentence=True)

    def _page(
        self,
        request: Request,
        match: SentenceMatch,
        said: Mapping[str, str],
        error: InvalidParams | None = None,
        *,
        foreseen: Corrected | None = None,
        going: RemovalView | None = None,
    ) -> Response:
        return self.templates.form_page(
            request,
            "wording.html",
            error,
            address=request.url.path,
            row=match.row,
            pieces=excerpt(text_of(match.row), match.sentences),
            sentence=match.sentence,
            keeps_rest=bool(match.without()),
            typed=said,
            foreseen=foreseen,
            going=going,
        )


def _require_as_shown(match: SentenceMatch, form: Mapping[str, str]) -> None:
    """Refuse to change what a person has not seen: another note, or one that changed since."""
    if (form.get("row"), form.get("revision")) != (match.row.id, str(match.row.revision)):
        raise InvalidParams("the note has changed since you saw it, so nothing was done; check it and try again")


def source_redirect(row_id: str, done: str, form: Mapping[str, str]) -> Response:
    """Return what leads back to the page of a source, which says what was done."""
    private = "&private=1" if is_set(form, "private") else ""
    return RedirectResponse(f"{source_url(row_id)}?done={done}{private}", HTTPStatus.SEE_OTHER)
