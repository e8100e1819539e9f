"""Forgetting and redacting a source, from its own page.

Law: what would go is shown first, and goes only where that is confirmed, on what was shown and on nothing that came
since (rulings G, H). It takes one service; looking reads the whole memory, so it is done only where somebody asks.

Source: docs/forgetting.md; promises 6, 9; rulings G, H.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from voice.core.errors import InvalidParams, VoiceError
from voice.core.graph.removal.forget_cascade import Act, ForgetRequest
from voice.entrypoints.library import Voice
from voice.entrypoints.web.pages.fields import fields_of, is_set, one_of
from voice.entrypoints.web.pages.links import source_url
from voice.entrypoints.web.pages.problems import with_problems
from voice.entrypoints.web.pages.removal_view import RemovalView, going_ids, removal_view, shown_rows
from voice.entrypoints.web.pages.rendering import Templates
from voice.entrypoints.web.problems import problem_of
from voice.services.removal.forget import Reached
from voice.services.retrieval.text_cache import row_texts

_ACTS: Final[tuple[Act, ...]] = ("forget", "redact")
_DEEDS: Final = ("look", "do")
UNSURE: Final = "tick the box first: this cannot be undone"
_OTHERS: Final = "the memory has changed since you looked, so nothing was done; check the list and confirm again"


async def removal_shown(memory: Voice, found: Reached, *, include_private: bool) -> RemovalView:
    """Return what a page shows of what forgetting reaches.

    Args:
        memory: where the rows are.
        found: what is reached.
        include_private: whether private rows and turns are told.
    """
    texts = await row_texts(memory.services.store, shown_rows(found), include_private=include_private)
    return removal_view(found, texts, include_private=include_private)


@dataclass(frozen=True, slots=True)
class RemovalPages:
    """The page on which one source of a memory is forgotten or redacted."""

    memory: Voice
    templates: Templates

    @property
    def routes(self) -> list[BaseRoute]:
        """Where it is; before the source itself, whose id may hold a slash."""
        path = "/sources/{row_id:path}/remove"
        return [Route(path, with_problems(self.templates, self.remove), methods=["POST"])]

    async def remove(self, request: Request) -> Response:
        """Show what would go and, once that is confirmed, take it away."""
        row_id, form = str(request.path_params["row_id"]), await fields_of(request)
        act: Act = one_of(form, "act", _ACTS, "forget")
        deed = one_of(form, "deed", _DEEDS, "look")
        is_private = is_set(form, "private")
        dossier = await self.memory.services.dossiers(row_id, include_private=is_private)
        if dossier.is_private and not is_private:
            anyway = f"{source_url(row_id)}?private=1"
            return self.templates.page(request, "source_private.html", HTTPStatus.FORBIDDEN, anyway=anyway)
        wanted = ForgetRequest(ids=frozenset({row_id}))
        found = await self.memory.services.forget.preview(wanted, act)
        view = await removal_shown(self.memory, found, include_private=is_private)
        error: VoiceError | None = None
        if deed == "do":
            try:
                _require_confirmed(view, form)
                return await self._removed(request, wanted, act, found, form)
            except InvalidParams as refused:
                error = refused
        return self.templates.page(
            request,
            "removal.html",
            problem_of(error).status if error else HTTPStatus.OK,
            view=view,
            url=source_url(row_id),
            private=is_private,
            error=error,
        )

    async def _removed(
        self, request: Request, wanted: ForgetRequest, act: Act, found: Reached, form: Mapping[str, str]
    ) -> Response:
        shown, with_files = going_ids(found), is_set(form, "files")
        done = await self.memory.services.forget(wanted, act, shown=shown, with_files=with_files)
        view = await removal_shown(self.memory, done, include_private=is_set(form, "private"))
        (row_id,) = wanted.ids
        return self.templates.page(
            request, "removed.html", view=view, url=source_url(row_id), with_files=with_files, sentence=False
        )


def _require_confirmed(view: RemovalView, form: Mapping[str, str]) -> None:
    """Refuse to take away what nobody confirmed.

    Raises:
        InvalidParams: the box is not ticked, or other rows would go than those that were shown.
    """
    if not is_set(form, "sure"):
        raise InvalidParams(UNSURE)
    if form.get("shown") != view.digest:
        raise InvalidParams(_OTHERS)
