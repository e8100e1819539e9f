"""Find the evidence of a turn, its pins, the words that no note mentions, and the notes that wait for approval.

Law: what a question quotes and the time it asks about filter (ruling E). Only when nothing is left is one of them
eased, one step at a time, and every step is said. An explicit `when` is eased by its own `±` alone: what lies outside
is never seen. A question that names its time ("in April") may be answered by what was said at another time, if that
names the time, too; one with a loose time ("on Saturday") by all there is, if nothing is from that time. What takes too
long ends with what was ranked so far, flagged (spec nlq 9).

A row behind a pin passes every filter that the turn's evidence passes (scope, time, privacy, tags, quoted phrases) and
skips only the ranking. A prompt shows no thought (ruling A2), so a pinned thought is shown through the statements that
say it again; what was redacted is shown through nothing. A pinned summary is context and no source.

Source: spec nlq 7, 9; spec retrieval-contract, Tier 1; rulings A2, A13, A17, D5, E, H, J2; promise 6.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from voice.core.answering.refusal_remarks import (
    WANT_OF_GROUND,
    can_list_unmentioned,
    notes_about,
    with_unmentioned_words,
    with_waiting_notes,
    with_words_of_others,
    words_to_look_up,
)
from voice.core.context.prompt_evidence import PinnedRows
from voice.core.graph.thoughts.vouching import is_noted
from voice.core.grounding.values import GroundedResponse, Stance
from voice.core.messages import asking as messages
from voice.core.nlq.parsed_query import NlqSettings, ParsedQuery, clamp_limit
from voice.core.recall.capsules import owner_of_summary
from voice.core.recall.disclosure import is_content_visible
from voice.core.recall.pins import eligible_pins
from voice.core.recall.values import Pin, RecallParams
from voice.core.records import Entity, EntityName, Observation, Origin, Row, Table, Thought
from voice.core.retrieval.candidates import admits
from voice.core.retrieval.passages import EvidenceRequest, as_evidence
from voice.core.retrieval.selection import cut_short
from voice.core.retrieval.values import LOCAL_FTS, Candidate, RowFilter, Selection, Window
from voice.core.settings.values import Settings
from voice.core.vouch import Vouch
from voice.ports.recall_stores import PinStore
from voice.ports.retrieval_provider import ProviderAnswer, ProviderQuery
from voice.ports.review_stores import NotedRows
from voice.ports.stores import MemoryStore
from voice.ports.system import Clock
from voice.services.retrieval.row_lookups import fetch_thoughts, fetch_with_source_thoughts
from voice.services.retrieval.search import Retrieve
from voice.services.runtime.turn import AskRequest

_NO_FLOOR = -1.0  # where a time was asked about, what was written then is evidence however it is worded


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundEvidence:
    """The evidence that was found, and the last request that found it."""

    selection: Selection
    wanted: EvidenceRequest


def wanted_evidence(
    request: AskRequest, search: str, parsed: ParsedQuery, settings: Settings, nlq: NlqSettings, *, now: datetime
) -> EvidenceRequest:
    """Return what is looked for to answer a question, with `search` as the words to search with."""
    warnings: list[str] = []
    limit = clamp_limit(request.limit, nlq, warnings.append)
    return EvidenceRequest(
        query=search,
        limit=limit,
        warnings=tuple(warnings),
        floor=settings.retrieve.floor if parsed.window is None else _NO_FLOOR,
        min_floor=settings.retrieve.min_floor if parsed.window is None else _NO_FLOOR,
        window=parsed.window or Window(),
        superseded=request.stance is Stance.CHALLENGE,  # what was corrected may speak against a claim
        scope=request.scope,
        include_private=request.include_private,
        include_tags=request.include_tags,
        exclude_tags=request.exclude_tags,
        speaker=parsed.persons[0] if len(parsed.persons) == 1 else None,  # of two, neither is meant
        phrases=parsed.phrases if settings.nlq.enable_keyword_filter else (),
        now=now,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FindEvidence:
    """Looks for the evidence of one question."""

    retrieve: Retrieve
    clock: Clock
    timeout_ms: float

    async def __call__(
        self, wanted: EvidenceRequest, parsed: ParsedQuery, anytime: EvidenceRequest | None = None
    ) -> FoundEvidence:
        """Return the evidence, with what was eased in its warnings; of `anytime` if none is from the time asked for."""
        until = self.clock.monotonic_ms() + self.timeout_ms
        warnings: list[str] = []
        found: Selection | None = None
        last = wanted
        for note, step in _steps(wanted, parsed, anytime):
            if found is not None and self.clock.monotonic_ms() >= until:  # the first step is made, however late
                found = found if found.diagnostics.partial else cut_short(found)  # late: what was ranked so far
                break
            warnings += [note] if note else []
            found, last = await self.retrieve.fetch_evidence(step, until_ms=until), step  # one deadline for all steps
            warnings += map(messages.no_passage_contains, found.unheld)
            if found.chosen:
                break
        assert found is not None, "there is a first step"
        return _with_warnings(found, warnings, last)

    async def of_other_times(self, wanted: EvidenceRequest, parsed: ParsedQuery) -> FoundEvidence:
        """Return rows of any time that call the question's time by its name ("in April"). The request has no window,
        but its text still names the time (`names_its_time`)."""
        assert parsed.time is not None  # see `names_its_time`
        named = replace(wanted, phrases=parsed.time.names)  # as phrases they filter: every row names the time
        until = self.clock.monotonic_ms() + self.timeout_ms
        found = await self.retrieve.fetch_evidence(named, until_ms=until)
        warning = f"{parsed.time.note} — no notes from that time answer it; searched for notes that name it"
        return _with_warnings(found, [warning], named)


def names_its_time(parsed: ParsedQuery) -> bool:
    """Return whether rows of other times may be looked for: the question itself calls its time by a name. "Yesterday"
    is called so every day, and an explicit `when` admits nothing from outside (ruling E)."""
    return parsed.time is not None and bool(parsed.time.names) and not (parsed.time_from_when or parsed.phrases)


def _steps(
    wanted: EvidenceRequest, parsed: ParsedQuery, anytime: EvidenceRequest | None
) -> Iterator[tuple[str | None, EvidenceRequest]]:
    """Yield what to look for in turn, each with a warning that says how it was eased."""
    yield None, wanted
    if wanted.phrases:
        wanted = replace(wanted, phrases=())
        yield "searched without the quoted words", wanted
    if parsed.time is not None:
        for window in parsed.time.widenings:
            yield parsed.time.eased(window), replace(wanted, window=window)
        if anytime is not None:
            yield messages.searched_any_time(parsed.time.note), anytime


def _with_warnings(found: Selection, warnings: Sequence[str], wanted: EvidenceRequest) -> FoundEvidence:
    diagnostics = replace(found.diagnostics, warnings=(*found.diagnostics.warnings, *dict.fromkeys(warnings)))
    return FoundEvidence(selection=replace(found, diagnostics=diagnostics), wanted=wanted)


@dataclass(frozen=True, slots=True, kw_only=True)
class PinnedEvidence:
    """Reads what is pinned for one turn after the other."""

    held: PinStore
    retrieve: Retrieve

    async def __call__(
        self, wanted: EvidenceRequest, entities: Iterable[Entity | EntityName]
    ) -> tuple[PinnedRows, ...]:
        """Return the pins that have something to show, the newest first, each with its rows."""
        now, scope, include_private = wanted.now or self.retrieve.clock.now(), wanted.scope, wanted.include_private
        params = RecallParams(query="", scope=scope, now=now, include_private=include_private)
        pins = [
            pin
            for pin in eligible_pins(await self.held.pins(active_at=params.now), params)
            if owner_of_summary(pin.target_id) is None  # a summary is context, no evidence
        ]
        if not pins:
            return ()
        row_ids = await self._row_ids(pins, wanted)
        candidates = await self.retrieve.fetch_named([row_id for ids in row_ids.values() for row_id in ids], wanted)
        by_id = {candidate.row.id: candidate for candidate in candidates}
        names = tuple(entities)
        shown = ((pin, [by_id[each] for each in row_ids[pin.id] if each in by_id]) for pin in pins)
        return tuple(_pinned_rows(pin, found, names) for pin, found in shown if found)

    async def _row_ids(self, pins: Iterable[Pin], wanted: EvidenceRequest) -> dict[str, list[str]]:
        """Return for each pin the ids of the rows of the graph that stand for its target and may be told."""
        targets = {pin.id: pin.target_id for pin in pins}
        store = self.retrieve.store
        rows = await fetch_with_source_thoughts(store, targets.values())
        visible = RowFilter(
            tables=frozenset(Table),
            scope=wanted.scope,
            include_private=wanted.include_private,
            include_superseded=wanted.superseded,
        )
        tellable = {row_id: row for row_id, row in rows.items() if is_content_visible(row, rows, visible)}
        thoughts = sorted({each for each in targets.values() if isinstance(tellable.get(each), Thought)})
        derived = await self.retrieve.graph.derived_from(thoughts) if thoughts else []
        around = await fetch_with_source_thoughts(store, [row.id for row in derived])
        statements = [
            row for row in derived if isinstance(row, Observation) and is_content_visible(row, around, visible)
        ]
        return {pin_id: _rows_standing_for(tellable.get(target), statements) for pin_id, target in targets.items()}


def _rows_standing_for(target: Row | None, statements: Iterable[Observation]) -> list[str]:
    """Return the rows that stand for a target: itself, or the statements of a thought in the order it makes them."""
    if target is None:
        return []
    if not isinstance(target, Thought):
        return [target.id]
    starts: Mapping[str, int] = {
        row.id: min(place.start for place in row.provenance if place.thought_id == target.id)
        for row in statements
        if any(place.thought_id == target.id for place in row.provenance)
    }
    return sorted(starts, key=lambda row_id: (starts[row_id], row_id))  # as the thought says them


def _pinned_rows(pin: Pin, found: Iterable[Candidate], names: tuple[Entity | EntityName, ...]) -> PinnedRows:
    """Return the pin's rows; one that was private when it was pinned taints what it shows (ruling H)."""
    rows = (replace(row, is_private=row.is_private or pin.is_private) for row in as_evidence(found, names))
    return tuple(rows)


async def add_unmentioned_words(
    response: GroundedResponse, question: str, request: AskRequest, retrieve: Retrieve
) -> GroundedResponse:
    """Return a response, and where it is a refusal for want of sources, with what no note it searched mentions. Nothing
    is looked up for a question that was answered; `question` is without its time."""
    words = words_to_look_up(question) if can_list_unmentioned(response) else ()
    visible = replace(_visible_rows(request), include_superseded=True)  # "no note" must hold of the past, too
    found = [await _found_by_words(word, visible, retrieve, limit=1) for word in words]
    unmentioned = [word for word, answer in zip(words, found, strict=True) if not any(answer.matched.values())]
    return with_unmentioned_words(response, unmentioned)


async def _found_by_words(text: str, visible: RowFilter, retrieve: Retrieve, *, limit: int) -> ProviderAnswer:
    query = ProviderQuery(text=text, filter=visible, limit=limit, now=retrieve.clock.now())
    return await retrieve.providers.named(LOCAL_FTS).search(query)


_MOST_WORDS = 50  # of what somebody said, the best that are looked at
_MOST_NOTES = 500  # of the notes that wait, the newest that are looked at


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingNotes:
    """Looks for notes about a question among those that wait."""

    noted: NotedRows
    store: MemoryStore

    async def add_to(
        self, response: GroundedResponse, question: str, request: AskRequest, window: Window
    ) -> GroundedResponse:
        """Return a response, and where it is a refusal for want of ground, with what waits about its question, which is
        without its time: `window` holds that."""
        if not _lacks_ground(response, request):
            return response
        ids = await self.noted.noted((Vouch.WAITING,))
        rows = await fetch_thoughts(self.store, ids[-_MOST_NOTES:])
        visible = replace(_visible_rows(request), tables=frozenset({Table.THOUGHTS}), window=window)
        waiting = [row for row in rows.values() if is_noted(row) and admits(visible, row)]
        return with_waiting_notes(response, notes_about(question, waiting))


async def add_words_of_others(
    response: GroundedResponse, question: str, request: AskRequest, window: Window, retrieve: Retrieve
) -> GroundedResponse:
    """Return a response, and where it is a refusal for want of ground, with who else said something about it. Nobody
    vouches for their words. The question is without its time, which `window` holds."""
    if not _lacks_ground(response, request):
        return response
    visible = replace(_visible_rows(request), tables=frozenset({Table.THOUGHTS}), window=window)
    answer = await _found_by_words(question, visible, retrieve, limit=_MOST_WORDS)
    rows = await fetch_thoughts(retrieve.store, [each.hit.row_id for each in answer.found])
    others = (row for row in rows.values() if row.origin is Origin.TOOL and row.vouched is None)
    return with_words_of_others(response, notes_about(question, [row for row in others if admits(visible, row)]))


def _lacks_ground(response: GroundedResponse, request: AskRequest) -> bool:
    """Return whether it is a refusal for want of ground; what is said today does not answer a question of the past."""
    return response.refused and response.reason in WANT_OF_GROUND and request.as_of is None


def _visible_rows(request: AskRequest) -> RowFilter:
    return RowFilter(
        tables=frozenset(Table),
        scope=request.scope,
        include_private=request.include_private,
        include_tags=request.include_tags,
        exclude_tags=request.exclude_tags,
    )
