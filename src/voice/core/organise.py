"""What the organising tool is asked for and answers, and the links between notes that it stages.

Law: a number out of range is clamped and said so; an invalid value is refused. Thoughts alone are searched, by cosine,
and `sim_thresh` is strict. `confidence_min` can ask for more than the measured threshold of a kind, never for less.

Each line of the answer is the beginning of a source's first line below its headings, word for word. It is kept as the
inner voice's own, hence never a source again, and as private as its sources. Its JSON has the spec's members alone.

A link is what the person wrote, so it is sure. An end is of the type under which it is found, a thing where its note
gives it other names, else a note; an end that the graph lacks gets a candidate, so that the relation can be approved.
Source: spec rag-organize 2 to 4; rulings A1, A13, A14, A21, A22, A24, C1, C10, C12, C16, F, H; docs/import.md.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from voice.core.graph.entity_names import NOTE_TYPE
from voice.core.graph.review.candidates import THING
from voice.core.graph.review.extraction_results import FoundEntity, FoundRelation
from voice.core.graph.review.staging import StageLimits, is_below_every_threshold, stage_limits
from voice.core.graph.thoughts.vouching import is_unvouched
from voice.core.interchange.foreign.vault import Offers
from voice.core.messages import asking as messages
from voice.core.records import Inheritance, Origin, Provenance, Scope, Thought
from voice.core.retrieval.params import TOP_K_MAX, RetrieveDefaults, RetrieveRequest, clamped, clean_params
from voice.core.retrieval.values import LOCAL_VECTOR, RetrieveParams
from voice.core.text.normalise import norm_v1
from voice.core.text.prompt_injection import instruction_like
from voice.core.text.sentences import cap_span

SCORE_PLACES = 6  # decimals of a similarity
MAX_NODES = 30  # S1's own defaults: what is staged where the caller names no number
MAX_EDGES = 60
MOST_AT_ONCE = 500
"""Of either kind, however many are asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrganiseDefaults:
    """What the settings say where the caller says nothing; the values here are the spec's own."""

    top_k: int = 5
    sim_thresh: float = 0.5
    db_limit: int = 500
    auto_mark_removal: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OrganiseRequest:
    """The parameters of `inner_voice`; None is "not said". The last four are ours."""

    content: str = field(repr=False)
    top_k: int | None = None
    sim_thresh: float | None = None
    stage_kg: bool = False
    confidence_min: float | None = None
    max_nodes: int | None = None
    max_edges: int | None = None
    save: bool = True
    auto_mark_removal: bool | None = None
    scope: Scope = Scope()
    """What was named; an empty one names nothing, `Scope.ALL` everything (ruling A18)."""
    surroundings: Scope = Scope()
    """What the entrance reads of a scoped memory where none was named."""
    include_private: bool = False
    dry_run: bool = False
    """Answer and count, and change nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrganiseParams:
    """What is meant."""

    retrieve: RetrieveParams
    limits: StageLimits | None
    """None: nothing is to be staged."""
    saves: bool
    marks: bool
    """Whether the sources are marked for removal once something of them is staged."""
    dry_run: bool
    warnings: tuple[str, ...] = ()
    """What was clamped, or means nothing, in words (ruling C16)."""


def organise_params(request: OrganiseRequest, defaults: OrganiseDefaults) -> OrganiseParams:
    """Return the parameters that are meant. Raises InvalidParams: the question is empty, or a number is not one."""
    warnings: list[str] = []
    limits = _limits(request, warnings.append)
    marks = defaults.auto_mark_removal if request.auto_mark_removal is None else request.auto_mark_removal
    if request.auto_mark_removal and limits is None:
        warnings.append(messages.MARKS_NOTHING)
    return OrganiseParams(
        retrieve=_retrieve(request, defaults, warnings.append),
        limits=limits,
        saves=request.save and not request.dry_run,
        marks=marks and limits is not None,
        dry_run=request.dry_run,
        warnings=tuple(warnings),
    )


def _retrieve(request: OrganiseRequest, defaults: OrganiseDefaults, warn: Callable[[str], None]) -> RetrieveParams:
    top_k = defaults.top_k if request.top_k is None else clamped("top_k", request.top_k, (1, TOP_K_MAX), warn)
    floor = defaults.sim_thresh if request.sim_thresh is None else _share("sim_thresh", request.sim_thresh, warn)
    asked = RetrieveRequest(
        query=request.content,
        top_k=top_k,
        floor=floor,
        mix=0.0,  # thoughts alone (ruling A22)
        provider=LOCAL_VECTOR,
        scope=request.scope,
        include_private=request.include_private,
    )
    # `sim_thresh` is strict: no lower floor for a source that would be empty. `db_limit` counts what is scored.
    cleaned = clean_params(asked, RetrieveDefaults())
    return replace(cleaned, min_floor=floor, max_candidates_per_source=defaults.db_limit)


def _limits(request: OrganiseRequest, warn: Callable[[str], None]) -> StageLimits | None:
    if not request.stage_kg:
        return None
    least = 0.0 if request.confidence_min is None else _share("confidence_min", request.confidence_min, warn)
    if request.confidence_min is not None and is_below_every_threshold(least):
        warn(messages.confidence_without_effect(least))
    most = (0, MOST_AT_ONCE)
    return stage_limits(
        least,
        max_nodes=MAX_NODES if request.max_nodes is None else clamped("max_nodes", request.max_nodes, most, warn),
        max_edges=MAX_EDGES if request.max_edges is None else clamped("max_edges", request.max_edges, most, warn),
    )


def _share(name: str, value: float, warn: Callable[[str], None]) -> float:
    return float(clamped(name, value, (0.0, 1.0), warn))


ANSWER_CHARS: Final = 600  # S1: "truncate ~600 chars"
ANSWER_SOURCES: Final = 3  # S1: "first line of up to 3 top results"; the others are listed, but lend no words
PIPELINE: Final = "inner_voice"
_HEADING: Final = re.compile(r"#{1,6}\s")  # "# Move", not "#move"
_LEAST_CHARS: Final = 450  # an answer that is too long ends here at the earliest, with a sentence or a word


@dataclass(frozen=True, slots=True, kw_only=True)
class OrganiseSource:
    """A thought that was found."""

    thought_id: str
    similarity: float
    excerpt: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class OrganiseResult:
    """What came of it; the spec's members, and in what way it is less than was asked for."""

    synthesized_answer: str = field(repr=False)
    """Empty where nothing was found."""
    sources: tuple[OrganiseSource, ...] = ()
    """Best first."""
    saved_thought_id: str | None = None
    pending_entities: int = 0
    """Entities of the sources that wait for review, since this call or before; with `stage_kg` only."""
    pending_relationships: int = 0
    marked_for_removal: int = 0
    """Thoughts that this call marked."""
    dry_run: bool = False
    """Nothing was changed; the counts say what would be."""
    warnings: tuple[str, ...] = ()


def render_organised(organised: OrganiseResult) -> dict[str, object]:
    """Return the result (schema: schemas/organise.schema.json)."""
    saved = organised.saved_thought_id
    return {
        "synthesized_answer": organised.synthesized_answer,
        **({} if saved is None else {"saved_thought_id": saved}),
        "sources": [
            {
                "thought_id": source.thought_id,
                "similarity": round(source.similarity, SCORE_PLACES),
                "excerpt": source.excerpt,
            }
            for source in organised.sources
        ],
        "staged": {
            "pending_entities": organised.pending_entities,
            "pending_relationships": organised.pending_relationships,
        },
        "marked_for_removal": organised.marked_for_removal,
    }


def answering_texts(notes: Sequence[Thought]) -> dict[str, str]:
    """Return the words for an answer by note: the owner's or approved ones of notes that give a model no orders."""
    texts = {each.id: _counting_text(each) for each in notes if not is_unvouched(each)}
    orders = instruction_like(texts)
    return {row_id: text for row_id, text in texts.items() if row_id not in orders}


def _counting_text(note: Thought) -> str:
    # Spans are flat: (start, end, start, end, …); without any the whole note counts.
    spans = note.vouched_spans
    parts = zip(spans[::2], spans[1::2], strict=True) if spans else [(0, len(note.content))]
    return "\n".join(note.content[start:end] for start, end in parts)


def excerpt_of(text: str) -> str:
    """Return the words of a source that are shown beside an answer."""
    start, end = cap_span(text)
    return text[start:end]


def left_out(notes: Sequence[Thought], answering: Collection[str]) -> Iterator[str]:
    """Yield why notes that were found are no sources."""
    waiting = [each.id for each in notes if is_unvouched(each)]
    if waiting:
        yield messages.waits_for_its_owner(", ".join(waiting))
    if orders := [each.id for each in notes if each.id not in (*answering, *waiting)]:  # the rest gives a model orders
        yield messages.left_out_as_order(", ".join(orders))


def answer_of(texts: Sequence[str]) -> str:
    """Return the first lines of the best sources (`texts`, best first), at most `ANSWER_CHARS` characters.

    A longer answer ends with a sentence where one ends late enough, else with a word (ruling C12). A line that says the
    same as one before it is left out.
    """
    lines: dict[str, str] = {}
    for line in map(_first_line_of_text, texts[:ANSWER_SOURCES]):
        lines.setdefault(norm_v1(line), line)
    joined = "\n".join(line for line in lines.values() if line)
    start, end = cap_span(joined, lower=_LEAST_CHARS, upper=ANSWER_CHARS)
    return joined[start:end].rstrip()


def saved_answer(answer: str, sources: Sequence[Thought], *, row_id: str, now: datetime) -> Thought:
    """Return a non-empty answer as a thought of the inner voice's own (ruling A13), made of `sources`, best first.

    It is private if any source is, has all their tags, and the scope that they share (rulings C10, H).
    """
    inherited = Inheritance.of(tuple(sources))
    return Thought(
        id=row_id,
        content=answer,
        created_at=now,
        recorded_at=now,
        origin=Origin.MODEL,
        tags=inherited.tags,
        is_private=inherited.is_private,
        scope=inherited.scope,
        is_summary=True,  # keeps it from being a source ever again (ruling A13)
        summary_of=tuple(source.id for source in sources),
        pipeline=PIPELINE,
    )


def _first_line_of_text(text: str) -> str:
    """Return the first line that says something: a heading only where nothing stands below it."""
    lines = [line.strip() for line in text.splitlines() if norm_v1(line)]
    # A note of headings alone is shown by its first one.
    return next((line for line in lines if not _HEADING.match(line)), lines[0] if lines else "")


_SURE = 1.0  # a link is what the person wrote, not an inference


def settled(offers: Offers, known: Collection[str]) -> Offers:
    """Return the offers, links by note name, without handles (`@name`) that neither they nor the graph know."""
    # What a note is called by: `[[Kiln]]` means the note "The kiln" that has "Kiln" as another name.
    own = {norm_v1(name): each.name for each in offers.entities for name in (*each.aliases, each.name)}
    linked = {norm_v1(name) for each in offers.relations if not each.is_handle for name in (each.source, each.target)}
    there = own.keys() | linked | {norm_v1(each.source) for each in offers.relations} | set(known)
    kept = (each for each in offers.relations if not each.is_handle or norm_v1(each.target) in there)
    meant = (replace(each, target=own.get(norm_v1(each.target), each.target)) for each in kept)
    return replace(offers, relations=tuple(meant))


def links_of(offers: Offers) -> tuple[FoundRelation, ...]:
    """Return the links that are offered."""
    return tuple(
        FoundRelation(
            source=each.source, rel_type=each.rel_type, target=each.target, confidence=_SURE, mentions=each.mentions
        )
        for each in offers.relations
    )


def linked_names(offers: Offers) -> tuple[str, ...]:
    """Return the normalised names of all that is offered, each once."""
    ends = (name for each in offers.relations for name in (each.source, each.target))
    return tuple(dict.fromkeys(norm_v1(name) for name in (*(each.name for each in offers.entities), *ends)))


def given_names(offers: Offers) -> dict[str, tuple[str, ...]]:
    """Return the other names that each note gives what it is about, by the note's id."""
    return {span.thought_id: each.aliases for each in offers.entities for span in each.mentions}


def things_of(offers: Offers, *, known: Collection[str], types: Mapping[str, str]) -> tuple[FoundEntity, ...]:
    """Return the things offered that the graph does not know, under the type they are found by already."""
    names: dict[str, str] = {}
    aliases: dict[str, tuple[str, ...]] = {}
    mentions: dict[str, list[Provenance]] = {}
    for thing in offers.entities:
        # An alias, a link and a title may all name one thing: the first spelling is kept, every mention counts.
        key = norm_v1(thing.name)
        names.setdefault(key, thing.name)
        aliases[key] = (*aliases.get(key, ()), *thing.aliases)
        mentions.setdefault(key, []).extend(thing.mentions)
    for edge in offers.relations:
        for name in (edge.source, edge.target):
            names.setdefault(norm_v1(name), name)
            mentions.setdefault(norm_v1(name), []).extend(edge.mentions)
    return tuple(
        FoundEntity(
            name=name,
            entity_type=types.get(key, THING if aliases.get(key) else NOTE_TYPE),
            aliases=aliases.get(key, ()),
            confidence=_SURE,
            mentions=tuple(mentions[key]),
        )
        for key, name in names.items()
        if key not in known
    )
