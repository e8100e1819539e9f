"""The page that previews and confirms forgetting or redacting a source.

Law: what would go is shown first, and goes only where that is confirmed, on what was shown and on nothing that came
since (rulings G, H). It takes one service; looking reads the whole memory, so it is done only where somebody asks. A
person must know what goes: what was meant, what rests on it and why it goes along, which answers lose their words, and
what still says it afterwards. Of a private row or turn nothing is told unless that is asked for; it is counted.
Source: docs/forgetting.md; promises 6, 9; rulings G, H.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import wraps
from http import HTTPStatus
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from voice.core.errors import InvalidParams, VoiceError
from voice.core.graph.consequences import dependent_rows
from voice.core.graph.removal.forget_cascade import Act, ForgetRequest
from voice.core.records import Row
from voice.core.session.values import DialogueExchange
from voice.entrypoints.library import Voice
from voice.entrypoints.shared.removals import WHY_ALONG, affected_counts, row_kind, words_still_said
from voice.entrypoints.web.pages.addresses import digest_of, fields_of, is_set, one_of, source_url, url_with_private
from voice.entrypoints.web.pages.rendering import Handler, PageGroup
from voice.services.removal.forget import ForgetReach
from voice.services.retrieval.text_cache import row_texts

SHOWN: Final = 20
"""Rows and turns of one kind that are shown one by one; the others are counted."""
_IT: Final = "it"  # the row that was meant
_ALONG: Final = "something that goes with it"


@dataclass(frozen=True, slots=True, kw_only=True)
class AffectedRow:
    """A row that goes, or that stays and says it."""

    text: str
    kind: str
    url: str
    why: str = ""
    is_private: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovalView:
    """What a page shows before something goes, and after."""

    act: Act
    meant: tuple[AffectedRow, ...]
    along: tuple[AffectedRow, ...]
    more_along: int
    turns: tuple[DialogueExchange, ...]
    more_turns: int
    hidden_turns: int
    still: tuple[AffectedRow, ...]
    more_still: int
    beside: tuple[str, ...]
    files: tuple[str, ...]
    unread: tuple[str, ...]
    is_empty: bool
    digest: str
    """Which rows go: what is confirmed is this and nothing else."""


def removal_view(found: ForgetReach, texts: Mapping[str, str], *, include_private: bool) -> RemovalView:
    """Return what a page shows; `texts` are what the rows say, by their ids."""
    hidden_ids = frozenset[str]() if include_private else found.private  # counted, but not told
    dependents = dependent_rows(found.rows, found.before)[:SHOWN]
    meant_ids = {row.id for row in found.rows.meant}
    turns = [each for each in found.exchanges if each.status == "answered" and not each.answer]
    visible_turns = [each for each in turns if include_private or not each.is_withheld]
    still = found.rows.still_said
    revisions = (f"{row.id} {row.revision} {row.status}" for row in found.rows.going)  # changed since: another row
    return RemovalView(
        act=found.act,
        meant=tuple(_affected_row(row, texts, hidden_ids) for row in found.rows.meant[:SHOWN]),
        along=tuple(
            _affected_row(
                each.row, texts, hidden_ids, why=WHY_ALONG[each.tie].format(_IT if each.to in meant_ids else _ALONG)
            )
            for each in dependents
        ),
        more_along=max(0, len(found.rows.derived) - len(dependents)),
        turns=tuple(visible_turns[:SHOWN]),
        more_turns=max(0, len(visible_turns) - SHOWN),
        hidden_turns=len(turns) - len(visible_turns),
        still=tuple(
            AffectedRow(
                text=words_still_said(each, is_private=each.row.id in hidden_ids),
                kind=row_kind(each.row),
                url=source_url(each.row.id),
            )
            for each in still[:SHOWN]
        ),
        more_still=max(0, len(still) - SHOWN),
        beside=tuple(affected_counts(found)),
        files=found.files,
        unread=found.unread,
        is_empty=found.is_empty,
        digest=digest_of([*revisions, *(each.id for each in found.exchanges)]),  # rows as they are, and turns
    )


def _affected_row(row: Row, texts: Mapping[str, str], hidden_ids: Collection[str], *, why: str = "") -> AffectedRow:
    is_private = row.id in hidden_ids
    return AffectedRow(
        text="" if is_private else texts.get(row.id, ""),
        kind=row_kind(row),
        url=source_url(row.id),
        why=why,
        is_private=is_private,
    )


_ACTS: Final[tuple[Act, ...]] = ("forget", "redact")
_DEEDS: Final = ("look", "do")
UNSURE: Final = "tick the box first: this cannot be undone"
_OTHERS: Final = "the memory has changed since you looked, so nothing was deleted; check the list and confirm again"


async def removal_shown(memory: Voice, found: ForgetReach, *, include_private: bool) -> RemovalView:
    """Return what a page shows of what forgetting reaches."""
    rows = found.rows
    shown = (*rows.meant[:SHOWN], *rows.derived[:SHOWN], *(each.row for each in rows.still_said[:SHOWN]))
    texts = await row_texts(memory.services.store, shown, include_private=include_private)
    return removal_view(found, texts, include_private=include_private)


class SourceGroup(PageGroup):
    """Pages under one source, each the same page where that is private and was not asked for."""

    def of_source(self, method: str, path: str, handler: Handler, takes: Collection[str] = ()) -> Route:
        """Return a route of the source that `row_id` in its path names; a private one is told of before it is asked."""

        @wraps(handler)
        async def shown(request: Request) -> Response:
            row_id, is_get = str(request.path_params["row_id"]), request.method == "GET"
            private = is_set(request.query_params if is_get else await fields_of(request), "private")
            if not await self.memory.services.dossiers.is_private(row_id) or private:
                return await handler(request)
            anyway = url_with_private(request) if is_get else f"{source_url(row_id)}?private=1"  # a POST has no page
            return self.templates.page(request, "source_private.html", HTTPStatus.FORBIDDEN, anyway=anyway)

        return self.route(method, path, shown, takes)


class RemovalPages(SourceGroup):
    """The page on which one source of a memory is forgotten or redacted."""

    @property
    def routes(self) -> list[BaseRoute]:
        """Where it is; before the source itself, whose id may hold a slash."""
        return [self.of_source("POST", "/sources/{row_id:path}/remove", self.remove)]

    async def remove(self, request: Request) -> Response:
        """Show what would go and, once that is confirmed, take it away."""
        row_id, form = str(request.path_params["row_id"]), await fields_of(request)
        act: Act = one_of(form, "act", _ACTS, "forget")
        deed = one_of(form, "deed", _DEEDS, "look")
        is_private = is_set(form, "private")
        forget_request = ForgetRequest(ids=frozenset({row_id}))
        found = await self.memory.services.forget.preview(forget_request, act)  # read anew for each deed
        view = await removal_shown(self.memory, found, include_private=is_private)
        error: VoiceError | None = None
        if deed == "do":
            try:
                _require_confirmed(view, form)
                return await self._remove(request, forget_request, act, found, form)  # on what was just shown
            except InvalidParams as refused:
                error = refused
        return self.templates.form_page(
            request, "removal.html", error, view=view, url=source_url(row_id), private=is_private
        )

    async def _remove(
        self, request: Request, forget_request: ForgetRequest, act: Act, found: ForgetReach, form: Mapping[str, str]
    ) -> Response:
        shown = frozenset(row.id for row in found.rows.going)  # what is confirmed goes, and nothing else
        with_files = is_set(form, "files")
        removed = await self.memory.services.forget(forget_request, act, shown=shown, with_files=with_files)
        view = await removal_shown(self.memory, removed, include_private=is_set(form, "private"))
        (row_id,) = forget_request.ids
        return self.templates.page(
            request, "removed.html", view=view, url=source_url(row_id), with_files=with_files, sentence=False
        )


def _require_confirmed(view: RemovalView, form: Mapping[str, str]) -> None:
    """Refuse what nobody confirmed: the box is not ticked, or other rows would go than those that were shown."""
    if not is_set(form, "sure"):  # first what the person did, then what the memory did
        raise InvalidParams(UNSURE)
    if form.get("shown") != view.digest:
        raise InvalidParams(_OTHERS)
