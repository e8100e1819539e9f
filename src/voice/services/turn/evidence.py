"""Find the evidence of a turn where the question says, then a little wider.

Law: what a question quotes and the time it asks about filter (ruling E). Only when nothing is left is one of them
eased, one step at a time, and every step is said. An explicit `when` is eased by its own `±` alone: what lies outside
is never seen. A question that names its time ("in April") may be answered by what was said at another time, if that
names the time, too. What takes too long ends with what was ranked so far, flagged (spec nlq 9).

Source: spec nlq 7, 9; ruling E.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from voice.core.grounding.values import Stance
from voice.core.nlq.parsed_query import ParsedQuery, clamp_limit
from voice.core.retrieval.evidence import EvidenceRequest
from voice.core.retrieval.selection import cut_short
from voice.core.retrieval.values import Selection, Window
from voice.ports.system import Clock
from voice.services.retrieval.search import Retrieve
from voice.services.runtime.turn import AskRequest, AskSettings

_NO_FLOOR = -1.0
"""Where a time was asked about, what was written then is evidence however it is worded."""
_Step = tuple[str | None, EvidenceRequest]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundEvidence:
    """What was found, and by which request: the last of those that were eased."""

    selection: Selection
    wanted: EvidenceRequest

    @property
    def searched(self) -> Window:
        """The window that was searched last."""
        return self.wanted.window


def wanted_evidence(
    request: AskRequest, search: str, parsed: ParsedQuery, settings: AskSettings, *, now: datetime
) -> EvidenceRequest:
    """Return what is looked for to answer a question.

    Args:
        request: what was asked, and of which part of the memory.
        search: the words to search with.
        parsed: the question, understood.
        settings: the turn's.
        now: the turn's instant.
    """
    warnings: list[str] = []
    limit = clamp_limit(request.limit, settings.nlq, warnings.append)
    return EvidenceRequest(
        query=search,
        limit=limit,
        warnings=tuple(warnings),
        floor=settings.floor if parsed.window is None else _NO_FLOOR,
        min_floor=settings.min_floor if parsed.window is None else _NO_FLOOR,
        window=parsed.window or Window(),
        superseded=request.stance is Stance.CHALLENGE,
        scope=request.scope,
        include_private=request.include_private,
        include_tags=request.include_tags,
        exclude_tags=request.exclude_tags,
        speaker=parsed.persons[0] if len(parsed.persons) == 1 else None,
        phrases=parsed.phrases if settings.phrase_filter else (),
        now=now,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FindEvidence:
    """Looks for the evidence of one question."""

    retrieve: Retrieve
    clock: Clock
    timeout_ms: float

    async def __call__(self, wanted: EvidenceRequest, parsed: ParsedQuery) -> FoundEvidence:
        """Return the evidence, with what was eased in its warnings.

        Raises:
            EmbedderUnavailable, ScopeRequired, StoreError: as `Retrieve` raises them.
        """
        until = self.clock.monotonic_ms() + self.timeout_ms
        said: list[str] = []
        found: Selection | None = None
        last = wanted
        for note, step in _steps(wanted, parsed):
            if found is not None and self.clock.monotonic_ms() >= until:
                found = found if found.diagnostics.partial else cut_short(found)
                break
            said += [note] if note else []
            found, last = await self.retrieve.fetch_evidence(step, until_ms=until), step
            said += [f"nothing that was found holds “{phrase}”" for phrase in found.unheld]
            if found.chosen:
                break
        assert found is not None, "there is a first step"
        return _with(found, said, last)

    async def of_other_times(self, wanted: EvidenceRequest, parsed: ParsedQuery) -> FoundEvidence:
        """Return rows of any time that call the question's time by its name ("in April").

        Args:
            wanted: the request without a window; its text still names the time.
            parsed: the question (`names_its_time`).

        Raises:
            EmbedderUnavailable, ScopeRequired, StoreError: as `Retrieve` raises them.
        """
        assert parsed.time is not None
        named = replace(wanted, phrases=parsed.time.names)
        until = self.clock.monotonic_ms() + self.timeout_ms
        found = await self.retrieve.fetch_evidence(named, until_ms=until)
        said = f"{parsed.time.note} — nothing said then answers it; looked for what names that time"
        return _with(found, [said], named)


def names_its_time(parsed: ParsedQuery) -> bool:
    """Return whether rows of other times may be looked for: the question itself calls its time by a name.

    "Yesterday" is called so every day, and an explicit `when` admits nothing from outside (ruling E).
    """
    return parsed.time is not None and bool(parsed.time.names) and not (parsed.time_from_when or parsed.phrases)


def _steps(wanted: EvidenceRequest, parsed: ParsedQuery) -> Iterator[_Step]:
    """Yield what to look for in turn, each with what is said of it."""
    yield None, wanted
    if wanted.phrases:
        wanted = replace(wanted, phrases=())
        yield "looked without what the question quotes", wanted
    if parsed.time is not None:
        for window in parsed.time.widenings:
            yield f"{parsed.time.note} — nothing was said then; looked a little wider", replace(wanted, window=window)


def _with(found: Selection, said: Sequence[str], wanted: EvidenceRequest) -> FoundEvidence:
    warnings = (*found.diagnostics.warnings, *said)
    return FoundEvidence(
        selection=replace(found, diagnostics=replace(found.diagnostics, warnings=warnings)), wanted=wanted
    )
