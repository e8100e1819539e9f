"""The owner's decision that what a program noted counts.

Law: what a program notes waits for one decision of the owner on the thought itself: the whole of it, some of its
sentences, or none (ruling J2). Only what a human says is a decision (rulings C10, H). What was approved is distilled as
any thought is, word for word; a sentence that was not approved is in no observation. A decision can be widened, and a
declined thought approved after all; what counts already is taken back by correcting or forgetting it. A sentence that
names a file or a commit which its working tree did not hold counts by its own number alone: who says so has seen that.

Source: rulings J2, A21, C10, H.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from voice.core.errors import InvalidParams
from voice.core.graph.thoughts.sentence_edits import Span, sentences_of
from voice.core.messages import memory as messages
from voice.core.records import Observation, Origin, Row, RowStatus, Thought
from voice.core.text.artifacts import artifacts_in
from voice.core.text.normalise import norm_v1
from voice.core.vouch import Vouch


@dataclass(frozen=True, slots=True, kw_only=True)
class NotedFilter:
    """Which of the thoughts that programs noted are meant; what is None does not narrow them."""

    vouched: Vouch | None = Vouch.WAITING
    noted_by: str | None = None
    """A part of the program's name, in any letter case."""
    since: datetime | None = None
    until: datetime | None = None
    """Noted from then on, and before."""
    text: str | None = None
    """Words that stand in it."""
    include_private: bool = False


def vouch_of(origin: Origin) -> Vouch | None:
    """Return whether somebody has to vouch for what comes in from there: for what a program notes."""
    return Vouch.WAITING if origin in (Origin.TOOL, Origin.MODEL) else None


def is_noted(row: Row | None) -> bool:
    """Return whether a row is a thought that somebody has to vouch for, and is in use."""
    return (
        isinstance(row, Thought) and row.vouched is not None and row.status is RowStatus.ACTIVE and not row.is_synthesis
    )


def is_declined(row: Row) -> bool:
    """Return whether the owner said that a thought counts for nothing."""
    return isinstance(row, Thought) and row.vouched is Vouch.DECLINED


def is_wanted(thought: Thought, where: NotedFilter) -> bool:
    """Return whether a thought that was noted is meant."""
    named, words = norm_v1(where.noted_by or ""), norm_v1(where.text or "")
    return (
        is_noted(thought)
        and where.vouched in (None, thought.vouched)
        and named in norm_v1(thought.noted_by or "")
        and (where.since is None or thought.recorded_at >= where.since)
        and (where.until is None or thought.recorded_at < where.until)
        and words in norm_v1(thought.content)
        and (where.include_private or not thought.is_private)
    )


def approved(thought: Thought, *, at: datetime, sentences: Collection[int] = ()) -> Thought:
    """Return a thought that counts from now on.

    Args:
        sentences: only these, by their numbers from 1, with what counts already; none means all of it, but for those
            that name what was not found. Where nothing else is left, the thought goes on waiting.

    Raises:
        InvalidParams: nobody has to vouch for it, or it has no such sentence.
    """
    _require_noted(thought)
    if thought.vouched is Vouch.APPROVED:
        return thought
    said = replace(thought, vouched=Vouch.APPROVED, vouched_at=at, vouched_spans=(), revision=thought.revision + 1)
    held = sentences_of(thought.content)
    if not sentences and not thought.unfound:
        return said
    sentences = sentences or [number for number, span in enumerate(held, start=1) if not unfound_in(thought, span)]
    if not sentences:
        return thought
    unknown = next((each for each in sorted(sentences) if not 1 <= each <= len(held)), None)
    if unknown is not None:
        raise InvalidParams(messages.no_such_sentence(thought.id, unknown, len(held)))
    spans = sorted({*_pairs(thought.vouched_spans), *(held[each - 1] for each in sentences)})
    if len(spans) == len(held):
        return said
    return replace(said, vouched=Vouch.PARTLY, vouched_spans=tuple(edge for span in spans for edge in span))


def unfound_in(thought: Thought, sentence: Span) -> tuple[str, ...]:
    """Return the files and commits that a sentence of a thought names and that its working tree did not hold."""
    if not thought.unfound:
        return ()
    start, end = sentence
    return tuple(name for name in artifacts_in(thought.content[start:end]) if name in thought.unfound)


def declined(thought: Thought, *, at: datetime) -> Thought:
    """Return a thought that counts for nothing and is found no more.

    Raises:
        InvalidParams: nobody has to vouch for it, or some of it counts already.
    """
    _require_noted(thought)
    if thought.vouched is Vouch.DECLINED:
        return thought
    if thought.vouched is not Vouch.WAITING:
        raise InvalidParams(messages.counts_already(thought.id))
    return replace(thought, vouched=Vouch.DECLINED, vouched_at=at, revision=thought.revision + 1)


def outgrown(
    held: Iterable[Row], thought: Thought, made: Iterable[Observation], *, at: datetime
) -> tuple[Observation, ...]:
    """Return the statements of a thought that a longer one takes the place of, as they stand from then on.

    Args:
        held: what rests on the thought.
        thought: which counts for more than before.
        made: what counts of it now and did not before.
    """
    whole = [(span.start, span.end, row.id) for row in made for span in row.provenance]
    gone: list[Observation] = []
    for row in held:
        if not isinstance(row, Observation) or row.status is not RowStatus.ACTIVE or len(row.provenance) != 1:
            continue
        (span,) = row.provenance
        heir = next((each for start, end, each in whole if start <= span.start and span.end <= end), None)
        if span.thought_id == thought.id and heir is not None and heir != row.id:
            ended = replace(row, status=RowStatus.SUPERSEDED, superseded_by=heir, superseded_at=at)
            gone.append(replace(ended, superseded_author=Origin.HUMAN, revision=row.revision + 1))
    return tuple(gone)


def counting_spans(thought: Thought, statements: Sequence[Span]) -> tuple[Span, ...]:
    """Return what of the statements of a thought counts: all, or of one vouched for in part those sentences alone.

    Sentences of one statement that follow on one another stay together, so that what the second means by "it" stays.
    """
    if thought.vouched is not Vouch.PARTLY:
        return tuple(statements)
    counts = _pairs(thought.vouched_spans)
    return tuple(run for statement in statements for run in _runs(statement, counts, thought.content))


def _runs(statement: Span, counts: Sequence[Span], text: str) -> Iterator[Span]:
    """Yield the stretches of a statement that sentences which count make up."""
    start, end = statement
    run: Span | None = None
    for first, last in counts:
        if last <= start or first >= end:
            continue
        part = (max(first, start), min(last, end))
        if run is not None and not text[run[1] : part[0]].strip():
            run = (run[0], part[1])
            continue
        if run is not None:
            yield run
        run = part
    if run is not None:
        yield run


def _pairs(edges: Sequence[int]) -> list[Span]:
    return list(zip(edges[::2], edges[1::2], strict=True))


def _require_noted(thought: Thought) -> None:
    if not is_noted(thought):
        raise InvalidParams(messages.not_waiting(thought.id))
