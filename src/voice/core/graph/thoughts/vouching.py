"""The owner's decision on what programs noted.

Law: a program's thought counts only after its owner approves it, in whole or by sentence (ruling J2); only a human
decides (rulings C10, H). Approval can be widened; undoing it means correcting or forgetting. Sentences that name files
or commits not found in the working tree must be approved by number.
Source: rulings J2, A21, C10, H.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from voice.core.errors import InvalidParams
from voice.core.graph.thoughts.sentence_edits import Span, sentences_of
from voice.core.messages import memory as messages
from voice.core.messages.showing import A_PROGRAM
from voice.core.records import Observation, Origin, Row, RowStatus, Thought
from voice.core.text.artifacts import artifacts_in
from voice.core.text.normalise import norm_v1
from voice.core.vouch import Vouch


@dataclass(frozen=True, slots=True, kw_only=True)
class NotedFilter:
    """Filter for thoughts noted by programs; None does not filter."""

    vouched: Vouch | None = Vouch.WAITING
    noted_by: str | None = None
    """Part of the program's name, ignoring case."""
    since: datetime | None = None
    until: datetime | None = None
    """Half-open window of recording."""
    text: str | None = None
    include_private: bool = False


def vouch_of(origin: Origin) -> Vouch | None:
    """Return the initial approval state: waiting for programs, None otherwise."""
    return Vouch.WAITING if origin in (Origin.TOOL, Origin.MODEL) else None


def is_noted(row: Row | None, *, even_marked: bool = False) -> bool:
    """Return whether a row is a thought in use that needs approval, or one marked for removal if `even_marked`."""
    if not isinstance(row, Thought) or row.vouched is None or row.is_synthesis:
        return False
    return row.status is RowStatus.ACTIVE or (even_marked and row.status is RowStatus.REMOVAL)


def is_unvouched(row: Row) -> bool:
    """Return whether it is a program's note of which nothing counts: it waits, or the owner declined it."""
    return isinstance(row, Thought) and row.vouched in (Vouch.WAITING, Vouch.DECLINED)


def is_declined(row: Row) -> bool:
    """Return whether the owner declined a thought."""
    return isinstance(row, Thought) and row.vouched is Vouch.DECLINED


def is_wanted(thought: Thought, where: NotedFilter) -> bool:
    """Return whether a noted thought matches the filter."""
    named, words = norm_v1(where.noted_by or ""), norm_v1(where.text or "")
    return (
        is_noted(thought, even_marked=where.vouched is None)
        and where.vouched in (None, thought.vouched)
        and named in norm_v1(thought.noted_by or A_PROGRAM)  # as an unnamed one is shown
        and (where.since is None or thought.recorded_at >= where.since)
        and (where.until is None or thought.recorded_at < where.until)
        and words in norm_v1(thought.content)
        and (where.include_private or not thought.is_private)
    )


def approved(thought: Thought, *, at: datetime, sentences: Collection[int] = ()) -> Thought:
    """Return the thought approved, in whole or in part.

    Args:
        sentences: numbers from 1, added to those approved before; empty approves all except those with artifacts that
            were not found. If none remain, the thought keeps waiting.

    Raises:
        InvalidParams: it needs no approval, is marked for removal, or has no such sentence.
    """
    require_noted(thought)
    if thought.vouched is Vouch.APPROVED:
        return thought
    whole = replace(thought, vouched=Vouch.APPROVED, vouched_at=at, vouched_spans=(), revision=thought.revision + 1)
    every = sentences_of(thought.content)
    if not sentences and not thought.unfound:
        return whole
    sentences = sentences or [number for number, span in enumerate(every, start=1) if not unfound_in(thought, span)]
    if not sentences:
        return thought
    unknown = next((each for each in sorted(sentences) if not 1 <= each <= len(every)), None)
    if unknown is not None:
        raise InvalidParams(messages.no_such_sentence(thought.id, unknown, len(every)))
    spans = sorted({*_pairs(thought.vouched_spans), *(every[each - 1] for each in sentences)})  # earlier approvals stay
    # Earlier approvals may be of sentences that were cut otherwise, so their number tells nothing.
    if all(any(first <= start and end <= last for first, last in spans) for start, end in every):
        return whole
    return replace(whole, vouched=Vouch.PARTLY, vouched_spans=tuple(edge for span in spans for edge in span))


def unfound_in(thought: Thought, sentence: Span) -> tuple[str, ...]:
    """Return the files and commits named in a sentence that the working tree did not hold."""
    if not thought.unfound:
        return ()
    start, end = sentence
    return tuple(name for name in artifacts_in(thought.content[start:end]) if name in thought.unfound)


def declined(thought: Thought, *, at: datetime) -> Thought:
    """Return the thought declined, hence not found. Raises InvalidParams: it needs no approval, or has some."""
    require_noted(thought, even_marked=True)
    if thought.vouched is Vouch.DECLINED:
        return thought
    if thought.vouched is not Vouch.WAITING:
        raise InvalidParams(messages.counts_already(thought.id))
    return replace(thought, vouched=Vouch.DECLINED, vouched_at=at, revision=thought.revision + 1)


def outgrown(
    held: Iterable[Row], thought: Thought, made: Iterable[Observation], *, at: datetime
) -> tuple[Observation, ...]:
    """Return the statements of a thought that newly approved, longer ones cover, superseded."""
    new = [(span.start, span.end, row.id) for row in made for span in row.provenance]
    gone: list[Observation] = []
    for row in held:
        if not isinstance(row, Observation) or row.status is not RowStatus.ACTIVE or len(row.provenance) != 1:
            continue  # with several places it rests on more
        (span,) = row.provenance
        heir = next((each for start, end, each in new if start <= span.start and span.end <= end), None)
        if span.thought_id == thought.id and heir is not None and heir != row.id:
            ended = replace(row, status=RowStatus.SUPERSEDED, superseded_by=heir, superseded_at=at)
            gone.append(replace(ended, superseded_author=Origin.HUMAN, revision=row.revision + 1))
    return tuple(gone)


def counting_spans(thought: Thought, statements: Sequence[Span]) -> tuple[Span, ...]:
    """Return the statement spans that count: all, or the approved sentences, adjacent ones joined."""
    if thought.vouched is not Vouch.PARTLY:
        return tuple(statements)
    counts = _pairs(thought.vouched_spans)
    return tuple(run for statement in statements for run in _runs(statement, counts, thought.content))


def _runs(statement: Span, counts: Sequence[Span], text: str) -> Sequence[Span]:
    start, end = statement
    runs: list[Span] = []
    for first, last in ((max(first, start), min(last, end)) for first, last in counts if first < end and start < last):
        if runs and not text[runs[-1][1] : first].strip():
            runs[-1] = (runs[-1][0], last)
        else:
            runs.append((first, last))
    return runs


def _pairs(edges: Sequence[int]) -> list[Span]:
    return list(zip(edges[::2], edges[1::2], strict=True))


def require_noted(row: Row, *, even_marked: bool = False) -> None:
    """Check that a row is a program's note (`is_noted`). Raises InvalidParams: it is not."""
    if not is_noted(row, even_marked=even_marked):
        is_marked = is_noted(row, even_marked=True)
        raise InvalidParams(messages.unmark_first(row.id) if is_marked else messages.not_waiting(row.id))
