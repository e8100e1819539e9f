"""One sentence of a note, corrected or forgotten on a page of its own, which an answer's proof leads to.

Law: the sentence is shown in its note; it is corrected there, and the rest of the note stays. What changes a note that
has changed since it was shown changes nothing, and says so. Of a private note nothing is shown unless that is asked.

Source: ruling I9; promises 6, 9.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from voice.core.errors import InvalidParams
from voice.core.graph.thoughts.sentence_edits import SentenceMatch, text_of
from voice.entrypoints.library import Voice
from voice.entrypoints.web.pages.excerpts import excerpt
from voice.entrypoints.web.pages.fields import fields_of, is_set, one_of
from voice.entrypoints.web.pages.links import source_url
from voice.entrypoints.web.pages.problems import with_problems
from voice.entrypoints.web.pages.removal import UNSURE, removal_shown
from voice.entrypoints.web.pages.removal_view import RemovalView
from voice.entrypoints.web.pages.rendering import Templates
from voice.entrypoints.web.pages.source_view import span_of
from voice.entrypoints.web.problems import problem_of
from voice.services.graph.correct import Corrected
from voice.services.removal.sentence_edits import SentenceEdits
from voice.wiring.rewording import rewording_of

_DEEDS = ("correct", "look", "foresee", "forget")


@dataclass(frozen=True, slots=True)
class WordingPages:
    """The page of one sentence of one memory's notes."""

    memory: Voice
    templates: Templates

    @property
    def routes(self) -> list[BaseRoute]:
        """Where it is; before the source itself, whose id may hold a slash."""
        path = "/sources/{row_id:path}/sentence"
        show = with_problems(self.templates, self.show, ("from", "to", "private"))
        return [
            Route(path, show, methods=["GET"]),
            Route(path, with_problems(self.templates, self.change), methods=["POST"]),
        ]

    @property
    def _rewording(self) -> SentenceEdits:
        return rewording_of(self.memory.services)

    async def show(self, request: Request) -> Response:
        """Show a sentence in its note, with what may be done to it."""
        told = await self._told(request, request.query_params)
        return self._page(request, told, request.query_params)

    async def change(self, request: Request) -> Response:
        """Correct or forget the sentence, or show what either would do."""
        form = await fields_of(request)
        deed = one_of(form, "deed", _DEEDS, "correct")
        told = await self._told(request, form)
        try:
            _require_as_shown(told, form)
            if deed == "forget":
                return await self._forgotten(request, told, form)
            if deed == "foresee":
                return self._page(request, told, form, going=await self._ahead(told, form))
            done = await self._corrected(told, form, is_look=deed == "look")
        except InvalidParams as error:
            return self._page(request, told, form, error)
        if deed == "look":
            return self._page(request, told, form, foreseen=done)
        return _to(done.row_id, "corrected", form)

    async def _told(self, request: Request, said: Mapping[str, str]) -> SentenceMatch:
        span = span_of(said)
        if span is None:
            raise InvalidParams("open this page from an answer's proof; `from` and `to` name the sentence")
        return await self._rewording.at(str(request.path_params["row_id"]), *span)

    async def _corrected(self, told: SentenceMatch, form: Mapping[str, str], *, is_look: bool) -> Corrected:
        words = form.get("text", "")
        if not words.strip():
            raise InvalidParams("enter the new words, or forget the sentence")
        return await self._rewording.correct(told, words, reason=form.get("reason") or None, dry_run=is_look)

    async def _ahead(self, told: SentenceMatch, form: Mapping[str, str]) -> RemovalView:
        reached = (await self._rewording.ahead(told)).reached
        return await removal_shown(self.memory, reached, include_private=is_set(form, "private"))

    async def _forgotten(self, request: Request, told: SentenceMatch, form: Mapping[str, str]) -> Response:
        if not is_set(form, "sure"):
            raise InvalidParams(UNSURE)
        taken = await self._rewording.take(told)
        if taken.note_id is not None:
            return _to(taken.note_id, "shortened", form)
        view = await removal_shown(self.memory, taken.reached, include_private=is_set(form, "private"))
        return self.templates.page(request, "removed.html", view=view, url="", with_files=False, sentence=True)

    def _page(
        self,
        request: Request,
        told: SentenceMatch,
        said: Mapping[str, str],
        error: InvalidParams | None = None,
        *,
        foreseen: Corrected | None = None,
        going: RemovalView | None = None,
    ) -> Response:
        if told.row.is_private and not is_set(said, "private"):
            address = request.url.include_query_params(private="1")
            anyway = f"{address.path}?{address.query}"
            return self.templates.page(request, "source_private.html", HTTPStatus.FORBIDDEN, anyway=anyway)
        return self.templates.page(
            request,
            "wording.html",
            HTTPStatus.OK if error is None else problem_of(error).status,
            address=request.url.path,
            row=told.row,
            pieces=excerpt(text_of(told.row), told.sentences),
            sentence=told.sentence,
            keeps_rest=bool(told.without()),
            typed=said,
            error=error,
            foreseen=foreseen,
            going=going,
        )


def _require_as_shown(told: SentenceMatch, form: Mapping[str, str]) -> None:
    """Refuse to change what a person has not seen.

    Raises:
        InvalidParams: the note is another one by now, says something else, or became private.
    """
    has_become_private = told.row.is_private and not is_set(form, "private")
    if has_become_private or (form.get("row"), form.get("revision")) != (told.row.id, str(told.row.revision)):
        raise InvalidParams("the note has changed since you saw it, so nothing was done; check it and try again")


def _to(row_id: str, done: str, form: Mapping[str, str]) -> Response:
    private = "&private=1" if is_set(form, "private") else ""
    return RedirectResponse(f"{source_url(row_id)}?done={done}{private}", HTTPStatus.SEE_OTHER)
