"""Pages of one turn: the evidence of a sentence, and the answer as a Markdown file.

Law: a row is read as the turn read it; where it is not any more what was cited, that is said and the words that were
kept with the turn are shown, unless the row was redacted (promise 6). What is shown is the person's own note, with its
lines, and in it the words that were cited or, of an entry of the graph, the sentences that it was found in; what the
graph makes of them stands beside it. The file holds what the page shows, and says where each source stands; a script
copies it, and without one the link is the file. Of a private turn nothing is told unless it is asked for.
Source: DESIGN 6 "Receipts"; rulings C13, D1, H, I1, I4; DESIGN 8 Web.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby, islice
from typing import Literal

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from voice.core.errors import UnknownId
from voice.core.graph.thoughts.sentence_edits import sentence_at
from voice.core.grounding.values import Receipt, SourceCitation
from voice.core.messages.showing import LEGEND
from voice.core.records import Entity, Relation, Row, RowStatus, Thought
from voice.core.render.conversation import answer_markdown
from voice.core.session.values import DialogueExchange
from voice.core.text.display import printable_block
from voice.core.text.markup import readable, without_markup
from voice.core.text.note_context import title_of
from voice.entrypoints.library import Voice
from voice.entrypoints.web.pages.addresses import is_set, source_url, wording_url
from voice.entrypoints.web.pages.excerpts import Piece, Span, excerpt, lines_above
from voice.entrypoints.web.pages.rendering import PRIVATE, PageGroup
from voice.entrypoints.web.pages.turn_view import locations_of, sentence_views
from voice.services.turn.audit import RowsAtPresent, TurnVisibility

State = Literal["as it was", "replaced", "changed", "redacted", "gone"]
_UNCHANGED: frozenset[State] = frozenset({"as it was", "replaced"})  # what the row says is what was cited
_NUMBER = re.compile("[0-9]{1,9}")  # what int() takes is more: "٣", "1_0"
_MOST_PASSAGES = 3  # notes of which a passage is shown for one entry of the graph
_MOST_NOTES = 500  # read at once for one sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A passage of a person's own note."""

    pieces: tuple[Piece, ...]
    title: str = ""
    noted_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """One row that a sentence rests on."""

    source: SourceCitation
    state: State
    url: str
    change: str | None
    """Where the cited words are corrected or forgotten; None where they are not what the row says now."""
    passages: tuple[Passage, ...]
    """Where the cited words stand in the person's own notes, with what stands around them; where the row is not what it
    was, those words alone."""
    more: int = 0
    held_as: str = ""
    """What the memory makes of them, where that says it in other words and is what was cited."""


class EvidencePages(PageGroup):
    """The page of one sentence, and the same as a part of another page."""

    @property
    def routes(self) -> list[Route]:
        """Where it is."""
        return [self.route("GET", "/turns/{turn}/sentences/{number}", self.show, PRIVATE)]

    async def show(self, request: Request) -> Response:
        """Show what a sentence rests on; UnknownId: it is not there, or is private and was not asked for."""
        turn, said = str(request.path_params["turn"]), str(request.path_params["number"])
        exchange = await _visible_turn(self.memory, turn, include_private=is_set(request.query_params, "private"))
        replaced = await self.memory.services.audit.today.replacements([exchange], include_private=exchange.is_withheld)
        views = sentence_views(exchange, replaced)
        number = int(said) if _NUMBER.fullmatch(said) else len(views)  # no number: past the end
        if number >= len(views):
            raise UnknownId("the answer does not have that sentence")
        grounds = await self._grounds(exchange, number)
        locations = await self.memory.services.source_locations.cited(
            each.source for each in grounds if each.state in _UNCHANGED
        )
        values = {
            "exchange": exchange,
            "sentence": views[number],
            "grounds": grounds,
            "legend": LEGEND,
            "locations": locations,
            "replaced": replaced,
        }
        if "hx-request" in request.headers:  # the script fetches the part alone
            return HTMLResponse(self.templates.part("evidence.html", **values))
        return self.templates.page(request, "sentence.html", **values)

    async def _grounds(self, exchange: DialogueExchange, number: int) -> tuple[Ground, ...]:
        receipts = exchange.sentences[number].receipts
        ids = {receipt.row_id for receipt in receipts}
        today = await self.memory.services.audit.today(ids, TurnVisibility.of(exchange))
        return tuple(grounds(exchange, receipts, today, await self._with_notes(today)))

    async def _with_notes(self, today: RowsAtPresent) -> Mapping[str, Row]:
        store = self.memory.services.store
        rows = await store.fetch(sorted(today.evidence))
        found_in = (
            origin.thought_id for row in rows.values() if not isinstance(row, Thought) for origin in row.provenance
        )
        notes = sorted(set(islice(dict.fromkeys(found_in), _MOST_NOTES)) - rows.keys())  # without those that are there
        return {**rows, **(await store.fetch(notes) if notes else {})}


async def _visible_turn(memory: Voice, turn: str, *, include_private: bool) -> DialogueExchange:
    found = await memory.services.sessions.exchanges(exchange_id=turn)
    if not found or found[0].deleted:
        raise UnknownId("this turn does not exist; its session may have been deleted")
    if found[0].is_withheld and not include_private:
        raise UnknownId("this turn is private; show the private turns of its session, and open it from there")
    return found[0]


def grounds(
    exchange: DialogueExchange, receipts: Sequence[Receipt], today: RowsAtPresent, rows: Mapping[str, Row]
) -> Iterator[Ground]:
    """Yield what a sentence rests on, row by row; `rows` are those of `today` and the thoughts behind them, by id."""
    cited = {source.source_id: source for source in reversed(exchange.sources)}  # the first citation of a row stays
    for row_id, of_row in groupby(sorted(receipts, key=lambda each: each.row_id), key=lambda each: each.row_id):
        if row_id in cited:
            yield _ground(cited[row_id], list(of_row), today, rows)


def _ground(source: SourceCitation, receipts: list[Receipt], today: RowsAtPresent, rows: Mapping[str, Row]) -> Ground:
    row = today.evidence.get(source.source_id)
    state = _state(source, receipts, today)
    spans = [(receipt.start, receipt.end) for receipt in receipts]
    stored = rows.get(source.source_id)
    passages: tuple[Passage, ...] = ()
    more, held_as = 0, ""
    if row is not None and state in _UNCHANGED:
        found = _notes_of(row.text, spans, stored, rows)
        passages = tuple(_passage(note.content, at, note) for note, at in found[:_MOST_PASSAGES])
        passages = passages or (_passage(row.text, spans, None),)  # a row without a note shows its own words
        more = max(0, len(found) - _MOST_PASSAGES)
        is_in_note = any(row.text in note.content for note, _ in found)  # in the note's words there is nothing to add
        held_as = without_markup(row.text) if found and not is_in_note else ""
    elif state != "redacted":  # the words that were kept with the turn
        passages = (Passage(pieces=(Piece(text=without_markup(source.span), is_cited=True),)),)
    first = min(spans) if state in _UNCHANGED else (None, None)  # what changed has other words at that place
    is_live = state == "as it was"
    return Ground(
        source=source,
        state=state,
        url=source_url(source.source_id, *first),
        change=_change_url(source.source_id, stored, min(spans), private=row.is_private) if row and is_live else None,
        passages=passages,
        more=more,
        held_as=held_as,
    )


def _change_url(row_id: str, row: Row | None, span: Span, *, private: bool) -> str:
    """Return where a sentence is corrected or forgotten; an entry of the graph is, as a whole, on its own page."""
    if isinstance(row, Entity | Relation):
        return f"{source_url(row_id)}{'?private=1' if private else ''}#change"
    return wording_url(row_id, *span, private=private)


def _notes_of(
    text: str, spans: list[Span], row: Row | None, rows: Mapping[str, Row]
) -> list[tuple[Thought, list[Span]]]:
    """Return the notes that a row was taken from, each with the places in it; none where none may be shown.

    The place is that of the cited words where the note says them, else the sentences that the row was found in.
    """
    if row is None or isinstance(row, Thought):
        return [] if row is None else [(row, spans)]
    places: dict[str, tuple[Thought, list[Span]]] = {}
    for origin in row.provenance:
        note = rows.get(origin.thought_id)
        # A private note under a public row stays unseen.
        if not isinstance(note, Thought) or note.is_private > row.is_private or note.status is RowStatus.REDACTED:
            continue
        if note.content[origin.start : origin.end] == text:  # the note says the very words: exact spans
            return [(note, [(origin.start + start, origin.start + end) for start, end in spans])]
        match = sentence_at(note, origin.start, origin.end)
        places.setdefault(note.id, (note, []))[1].append(match.sentences[0] if match else (origin.start, origin.end))
    return list(places.values())


def _passage(text: str, spans: list[Span], note: Thought | None) -> Passage:
    above = lines_above(text, *min(spans))
    text, moved = readable(text, (*spans, *above))  # readable() moves offsets: headings and citations go along
    pieces = excerpt(text, moved[: len(spans)], above=moved[len(spans) :])  # first the citations, then the lines above
    if note is None:
        return Passage(pieces=pieces)
    return Passage(pieces=pieces, title=title_of(note.source_ref) or "", noted_at=note.created_at)


def _state(source: SourceCitation, receipts: list[Receipt], today: RowsAtPresent) -> State:
    if source.source_id in today.redacted:
        return "redacted"
    row = today.evidence.get(source.source_id)
    if row is None:
        return "gone"
    if any(receipt.content_hash != row.content_hash for receipt in receipts):  # any receipt of another text
        return "changed"
    return "replaced" if row.superseded_by is not None else "as it was"


class AnswerFile(PageGroup):
    """Hands out answers of one memory."""

    @property
    def routes(self) -> list[Route]:
        """Where they are."""
        return [self.route("GET", "/turns/{turn}/answer.md", self.get, PRIVATE)]

    async def get(self, request: Request) -> Response:
        """Hand out one answer; UnknownId: there is no such turn, or it is private and that was not asked for."""
        services = self.memory.services
        include_private = is_set(request.query_params, "private")
        turns = [await _visible_turn(self.memory, str(request.path_params["turn"]), include_private=include_private)]
        locations = await locations_of(turns, services.source_locations, include_private=include_private)
        places = {row_id: at.label_beside_date for row_id, at in locations.items()}
        replaced = await services.audit.today.replacements(turns, include_private=include_private)
        text = answer_markdown(turns[0], places, timezone=services.timezone, replaced=replaced)
        headers = {"content-disposition": 'attachment; filename="answer.md"'}
        return Response(printable_block(text), media_type="text/markdown; charset=utf-8", headers=headers)
