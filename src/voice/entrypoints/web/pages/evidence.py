"""What one sentence of an answer rests on: the cited words in their sources, as those stand today.

Law: a row is read as the turn read it; where it is not any more what was cited, that is said and the words that were
kept with the turn are shown, unless the row was redacted (promise 6). Of a private turn nothing is told unless it is
asked for.

Source: DESIGN 6 "Receipts"; rulings C13, D1, H.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from voice.core.errors import UnknownId
from voice.core.grounding.values import Receipt, SourceCitation
from voice.core.records import Observation, Row, Thought
from voice.core.render.proof import LEGEND
from voice.core.session.values import DialogueExchange
from voice.entrypoints.library import Voice
from voice.entrypoints.web.pages.excerpts import Piece, Span, excerpt
from voice.entrypoints.web.pages.fields import is_set
from voice.entrypoints.web.pages.links import source_url, wording_url
from voice.entrypoints.web.pages.problems import PRIVATE, with_problems
from voice.entrypoints.web.pages.rendering import Templates
from voice.entrypoints.web.pages.turns import sentence_views
from voice.services.behind import fetch_with_thoughts
from voice.services.today import Eyes, RowsToday

State = Literal["as it was", "replaced", "changed", "redacted", "gone"]
_STANDS: frozenset[State] = frozenset({"as it was", "replaced"})
"""The row says what it said then, whether or not it still counts."""
_NUMBER = re.compile("[0-9]{1,9}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """One row that a sentence rests on."""

    source: SourceCitation
    state: State
    url: str
    change: str | None
    """Where the cited words are corrected or forgotten; None where they are not what the row says now."""
    pieces: tuple[Piece, ...]
    """The cited words with what stands around them; those words alone where the row is not what it was."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The page of one sentence, and the same as a part of another page."""

    memory: Voice
    templates: Templates

    @property
    def routes(self) -> list[Route]:
        """Where it is."""
        shown = with_problems(self.templates, self.show, PRIVATE)
        return [Route("/turns/{turn}/sentences/{number}", shown, methods=["GET"], name="sentence")]

    async def show(self, request: Request) -> Response:
        """Show what a sentence rests on.

        Raises:
            UnknownId: there is no such turn or sentence, or it is private and that was not asked for.
        """
        turn, said = str(request.path_params["turn"]), str(request.path_params["number"])
        exchange = await self._exchange(turn, include_private=is_set(request.query_params, "private"))
        views = sentence_views(exchange)
        number = int(said) if _NUMBER.fullmatch(said) else len(views)
        if number >= len(views):
            raise UnknownId(f"that answer has {len(views)} sentences")
        grounds = await self._grounds(exchange, number)
        locations = await self.memory.services.source_locations.cited(
            each.source for each in grounds if each.state in _STANDS
        )
        values = {
            "exchange": exchange,
            "sentence": views[number],
            "grounds": grounds,
            "legend": LEGEND,
            "locations": locations,
        }
        if "hx-request" in request.headers:
            return HTMLResponse(self.templates.part("evidence.html", **values))
        return self.templates.page(request, "sentence.html", **values)

    async def _exchange(self, turn: str, *, include_private: bool) -> DialogueExchange:
        found = await self.memory.services.sessions.exchanges(exchange_id=turn)
        if not found or found[0].deleted:
            raise UnknownId("there is no such turn; its session may have been deleted")
        if found[0].is_withheld and not include_private:
            raise UnknownId("that turn is private; open it from its session, with private turns shown")
        return found[0]

    async def _grounds(self, exchange: DialogueExchange, number: int) -> tuple[Ground, ...]:
        receipts = exchange.sentences[number].receipts
        ids = {receipt.row_id for receipt in receipts}
        today = await self.memory.services.audit.today(ids, Eyes.of(exchange))
        notes = await fetch_with_thoughts(self.memory.services.store, sorted(today.evidence))
        return tuple(grounds(exchange, receipts, today, notes))


def grounds(
    exchange: DialogueExchange, receipts: Sequence[Receipt], today: RowsToday, rows: Mapping[str, Row]
) -> Iterator[Ground]:
    """Yield what a sentence rests on, row by row.

    Args:
        exchange: the turn, for the words that were kept with it.
        receipts: what the sentence rests on.
        today: the rows as they stand.
        rows: the same with the thoughts behind them, by id.
    """
    cited = {source.source_id: source for source in reversed(exchange.sources)}
    for row_id, of_row in groupby(sorted(receipts, key=lambda each: each.row_id), key=lambda each: each.row_id):
        if row_id in cited:
            yield _ground(cited[row_id], list(of_row), today, rows)


def _ground(source: SourceCitation, receipts: list[Receipt], today: RowsToday, rows: Mapping[str, Row]) -> Ground:
    row = today.evidence.get(source.source_id)
    state = _state(source, receipts, today)
    spans = [(receipt.start, receipt.end) for receipt in receipts]
    if row is not None and state in _STANDS:
        pieces = excerpt(*_in_note(row.text, spans, rows.get(source.source_id), rows))
    else:
        pieces = (Piece(text=source.span, is_cited=True),) if state != "redacted" else ()
    first = min(spans) if state in _STANDS else (None, None)
    is_live = state == "as it was"
    return Ground(
        source=source,
        state=state,
        url=source_url(source.source_id, *first),
        change=wording_url(source.source_id, *min(spans), private=row.is_private) if row and is_live else None,
        pieces=pieces,
    )


def _in_note(text: str, spans: list[Span], row: Row | None, rows: Mapping[str, Row]) -> tuple[str, list[Span]]:
    """Return the note that a statement was taken from, word for word, with the spans in it; else the row's own text.

    What was redacted in a note is in no row that is read here; a private note is behind private rows alone.
    """
    for origin in row.provenance if isinstance(row, Observation) else ():
        note = rows.get(origin.thought_id)
        if isinstance(note, Thought) and note.content[origin.start : origin.end] == text:
            return note.content, [(origin.start + start, origin.start + end) for start, end in spans]
    return text, spans


def _state(source: SourceCitation, receipts: list[Receipt], today: RowsToday) -> State:
    if source.source_id in today.redacted:
        return "redacted"
    row = today.evidence.get(source.source_id)
    if row is None:
        return "gone"
    if any(receipt.content_hash != row.content_hash for receipt in receipts):
        return "changed"
    return "replaced" if row.superseded_by is not None else "as it was"
