"""Cut a thought into observations of its own words, store it together with them, and repair partial stores.

Law: nothing is inferred or rewritten; cuts are at sentence ends. `_JOINS` decides what joins; questions, greetings and
pasted assistant messages are left out, but a short text is kept whole. A block of code goes with what stands before it,
from a long one the first lines are taken. Ids depend on thought and first place,
so distilling is idempotent. Identical text under one path is one observation. Approved thoughts give green rows, except
a model's words (rulings A12, H); partly approved ones only those sentences (ruling J2).

A thought and its rows are in one transaction (ruling I8); a row of several thoughts goes with the first, a relation
after its ends. Transactions are bounded, except for one large thought. Repair loses and duplicates nothing: unique
sentences of a missing thought become a new note.
Source: rulings A13, A21, C10, C13, F, H, I8, J2; docs/store.md.
"""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeVar

from blake3 import blake3

from voice.core.graph.entity_names import Named, NameIndex, ids_of_mentions
from voice.core.graph.thoughts.sentence_kinds import Kind, Sentence, is_mark, judge_sentence, list_mark_length
from voice.core.graph.thoughts.vouching import counting_spans
from voice.core.records import (
    EmbeddingStatus,
    Entity,
    GraphRow,
    Inheritance,
    Observation,
    Origin,
    Provenance,
    Relation,
    Row,
    RowStatus,
    Thought,
)
from voice.core.text.lazy import late_pattern
from voice.core.text.markdown import code_blocks
from voice.core.text.normalise import norm_v1
from voice.core.text.note_context import Path, blank_other_speakers, context_paths, path_offset
from voice.core.text.sentences import is_within, sentence_spans, span_at, speech_spans
from voice.core.text.word_lists import Language, guess_language
from voice.core.vouch import Vouch

AutoObservations = Literal["human", "off"]

_BASE36 = "0123456789abcdefghijklmnopqrstuvwxyz"
_KEY_LENGTH = 26  # digits of base 36 that 17 bytes fill


def may_promote(thought: Thought, setting: AutoObservations) -> bool:
    """Return whether a thought's observations enter the graph without review (rulings A21, H)."""
    if thought.vouched is not None:  # the owner's word outweighs the setting
        return thought.vouched in (Vouch.APPROVED, Vouch.PARTLY)
    return setting == "human" and thought.origin in {Origin.HUMAN, Origin.LOGGED}


def distil(thought: Thought, *, entities: Iterable[Named] | NameIndex = ()) -> tuple[Observation, ...]:
    """Distil `thought` into observations, ordered by first place (ruling A21).

    Empty for inactive thoughts and the inner voice's own (ruling A13).
    """
    if thought.is_synthesis or thought.status is not RowStatus.ACTIVE:
        return ()
    names = entities if isinstance(entities, NameIndex) else NameIndex.of(entities)
    # Even approved, a model's words stay a model's (rulings A12, H).
    is_approved = thought.vouched in (Vouch.APPROVED, Vouch.PARTLY) and thought.origin is not Origin.MODEL
    inherited = Inheritance.of((thought,), entered_by=Origin.HUMAN if is_approved else None)
    spans = counting_spans(thought, statement_spans(thought.content, in_dialogue=thought.speaker is not None))
    offsets = [path_offset(thought.content, *span) for span in spans]
    paths = context_paths(thought.content, offsets, source_ref=thought.source_ref, told=thought.created_at)
    places: dict[tuple[str, Path], list[Provenance]] = {}
    for (start, end), path in zip(spans, paths, strict=True):
        place = Provenance(thought_id=thought.id, start=start, end=end)
        places.setdefault((thought.content[start:end], path), []).append(place)
    return tuple(
        Observation(
            id=observation_id(thought.id, sources[0].start, sources[0].end),
            text=text,
            entity_ids=ids_of_mentions(names.mentions(text)),
            created_at=thought.created_at,
            recorded_at=thought.recorded_at,
            origin=thought.origin,
            speaker=thought.speaker,
            thread=thought.thread,
            context_path=path,
            provenance=tuple(sources),
            trust=inherited.trust,
            tags=inherited.tags,
            is_private=inherited.is_private,
            scope=inherited.scope,
        )
        for (text, path), sources in places.items()
    )


def observation_id(thought_id: str, start: int, end: int) -> str:
    """Return the stable id of the observation at `[start, end)` of a thought."""
    number = int.from_bytes(blake3(f"{thought_id}\x00{start}\x00{end}".encode()).digest(length=17), "big")
    key = ""
    for _ in range(_KEY_LENGTH):
        number, digit = divmod(number, 36)
        key += _BASE36[digit]
    return f"o:{key}"


_LONGEST = 700  # characters of joined sentences; snippets are cut near 800 (C12)
_LEAST_ALONE = 2  # content words of a sentence kept without a neighbour to join
_LONGEST_CODE = 1_500  # characters of a block of code
_STATEMENTS = frozenset({Kind.STATEMENT, Kind.DEPENDENT, Kind.ITEM, Kind.CODE_BLOCK})
_LEFT_OUT = frozenset({Kind.QUESTION, Kind.TALK, Kind.CODE})

_JOINS: dict[Kind, frozenset[Kind]] = {  # kinds of the preceding sentence that a sentence joins; others join none
    Kind.STATEMENT: frozenset({Kind.LEAD, Kind.SCRAP}),
    Kind.DEPENDENT: frozenset(Kind) - {Kind.CODE, Kind.CODE_BLOCK, Kind.TALK},
    Kind.SCRAP: frozenset({Kind.HEADING, Kind.LEAD, Kind.SCRAP, Kind.STATEMENT, Kind.DEPENDENT}),
    Kind.ITEM: frozenset({Kind.HEADING, Kind.LEAD, Kind.ITEM, Kind.SCRAP}),
    Kind.LEAD: frozenset({Kind.HEADING}),
    Kind.CODE_BLOCK: frozenset(Kind) - {Kind.CODE, Kind.TALK},
}

_LABEL_EDGES = "> \t\n"
_PARAGRAPH = late_pattern(r"\n[^\S\n]*\n")
_WORD = late_pattern(r"[\p{L}\p{M}]++(?:['’][\p{L}\p{M}]++)*+")


def statement_spans(text: str, *, in_dialogue: bool) -> tuple[tuple[int, int], ...]:
    """Return the self-contained half-open spans, in order; in one speaker's message short answers count."""
    own = blank_other_speakers(text)
    sentences = _sentences(own, guess_language(_WORD.findall(own)), in_dialogue=in_dialogue)
    spans = [_span(own, group) for group in _groups(own, sentences, in_dialogue=in_dialogue)]
    content = [sentence for sentence in sentences if sentence.kind not in _LEFT_OUT and sentence.content]
    if not spans and content:  # a short text is kept whole
        spans = [(content[0].start, content[-1].end)]
    trimmed = spans if own == text else [_trimmed(own, *span) for span in spans]
    return tuple((start, end) for start, end in trimmed if own[start:end] == text[start:end])


def _trimmed(own: str, start: int, end: int) -> tuple[int, int]:
    """Trim blanked labels and quotation marks from a span."""
    left = own[start:end].lstrip(_LABEL_EDGES)
    return end - len(left), end - len(left) + len(left.rstrip(_LABEL_EDGES))


def _sentences(text: str, language: Language, *, in_dialogue: bool) -> list[Sentence]:
    """Classify the sentences of `text`, without bare marks ("II."); a block of code counts as one sentence."""
    blocks = code_blocks(text)
    breaks = [match.start() for match in _PARAGRAPH.finditer(text)]
    found: list[Sentence] = []
    for start, end in sentence_spans(text):
        paragraph = bisect_right(breaks, start)
        block = span_at(blocks, start)
        if block is not None:
            found += _code_sentence(text, *block, paragraph) if start == block[0] else ()  # once a block
        elif not is_mark(text[start:end]):
            judged = judge_sentence(text, start, end, language=language, paragraph=paragraph, in_dialogue=in_dialogue)
            found.append(judged)
    return found


def _code_sentence(text: str, start: int, end: int, paragraph: int) -> Iterator[Sentence]:
    """Yield a block of code as a sentence: of a long one the first lines; nothing if it holds no word."""
    if end - start > _LONGEST_CODE:
        # Cut at a line end; a single longer line is left out.
        end = start + len(text[start : max(text.rfind("\n", start, start + _LONGEST_CODE), start)].rstrip())
    content = len(_WORD.findall(text, start, end))
    # The language behind a fence is a word of its own: "```python".
    if content > 1 or (content and not text.startswith(("```", "~~~"), start)):
        yield Sentence(Kind.CODE_BLOCK, start, end, content, stands=True, paragraph=paragraph)


def _groups(text: str, sentences: list[Sentence], *, in_dialogue: bool) -> list[list[Sentence]]:
    """Group sentences, without groups that state nothing."""
    groups: list[list[Sentence]] = [[]]
    speech = speech_spans(text)
    for sentence in sentences:
        if sentence.kind is Kind.TALK:
            continue
        if groups[-1] and is_within(speech, sentence.start) and is_within(speech, groups[-1][-1].end):
            groups[-1].append(sentence)  # alone, the words of somebody else would be the owner's
        elif _joins(sentence, groups[-1]) and not _turns_to_table(text, sentence, groups[-1][-1]):
            groups[-1].append(sentence)
        elif sentence.kind is not Kind.DEPENDENT or sentence.stands or sentence.content >= _LEAST_ALONE:
            groups.append([sentence])  # else left out: "It did." says nothing
    return [group for group in groups if _states(group, in_dialogue=in_dialogue)]


def _joins(sentence: Sentence, group: list[Sentence]) -> bool:
    if not group:
        return False
    last = group[-1]
    most = _LONGEST if sentence.kind is not Kind.CODE_BLOCK else _LONGEST + _LONGEST_CODE
    if last.kind not in _JOINS.get(sentence.kind, ()) or sentence.end - group[0].start > most:
        return False
    if sentence.kind is Kind.STATEMENT and any(member.kind in _STATEMENTS for member in group):
        return False  # one statement a group: each is cited alone
    # A blank line may part a heading or a lead-in from what it leads in.
    crosses_paragraphs = sentence.kind in (Kind.ITEM, Kind.CODE_BLOCK) or last.kind in (Kind.HEADING, Kind.LEAD)
    return crosses_paragraphs or sentence.paragraph == last.paragraph


def _turns_to_table(text: str, sentence: Sentence, last: Sentence) -> bool:
    """Return whether a table begins or ends between two items: it is no part of the list beside it."""
    is_row, was_row = (text.startswith("|", each.start) for each in (sentence, last))
    return is_row != was_row and sentence.kind is last.kind is Kind.ITEM


def _states(group: list[Sentence], *, in_dialogue: bool) -> bool:
    if any(member.kind in _STATEMENTS for member in group):
        return True
    scrap = next((member for member in group if member.kind is Kind.SCRAP), None)
    if scrap is None or in_dialogue or len(group) > 1:
        return scrap is not None  # in a dialogue "With Ana." answers
    # "Learned it from Ana" has content of its own, "[[Ana]]" has not.
    return scrap.content >= _LEAST_ALONE and not scrap.is_name


def _span(text: str, group: list[Sentence]) -> tuple[int, int]:
    start, end = group[0].start, group[-1].end
    if len(group) == 1:  # a longer list keeps its marks
        start += list_mark_length(text[start:end])
    return start, end


@dataclass(frozen=True, slots=True, kw_only=True)
class PartialNote:
    """Rows of a thought that was never stored."""

    thought_id: str
    rows: tuple[GraphRow, ...] = field(repr=False)
    """By id."""
    unsaid: tuple[Observation, ...] = field(repr=False)
    """Sentences that no other row has, in order."""
    kept: tuple[Entity, ...] = field(default=(), repr=False)
    """Entities that stay, updated."""

    @property
    def going(self) -> tuple[GraphRow, ...]:
        """Rows to delete."""
        staying = {row.id for row in self.kept}
        return tuple(row for row in self.rows if row.id not in staying)

    def note(self, new_id: str) -> Thought | None:
        """Return a note with its unique sentences; None if there are none."""
        if not self.unsaid:
            return None
        first = self.unsaid[0]
        return Thought(
            id=new_id,
            content="\n".join(row.text for row in self.unsaid),
            created_at=first.created_at,
            recorded_at=first.recorded_at,
            origin=first.origin,
            speaker=first.speaker,
            thread=first.thread,
            scope=first.scope,
            is_private=any(row.is_private for row in self.unsaid),
            tags=tuple(dict.fromkeys(tag for row in self.unsaid for tag in row.tags)),
        )


def partial_notes(torn: Iterable[GraphRow], said: Collection[str], named: Collection[str]) -> list[PartialNote]:
    """Group torn rows by missing thought, sorted by id.

    Args:
        said: normalised texts of all other rows.
        named: entity ids named by other rows.
    """
    of_note: dict[str, list[GraphRow]] = {}
    for row in torn:
        of_note.setdefault(row.provenance[0].thought_id, []).append(row)
    known = set(said)
    notes: list[PartialNote] = []
    for thought_id, rows in sorted(of_note.items()):
        unsaid = tuple(_new_sentences(rows, known))
        kept = tuple(without_description(row) for row in rows if isinstance(row, Entity) and row.id in named)
        ordered = tuple(sorted(rows, key=lambda row: row.id))
        notes.append(PartialNote(thought_id=thought_id, rows=ordered, unsaid=unsaid, kept=kept))
    return notes


def comparable_text(row: Row) -> str:
    """Return a row's normalised text for comparison."""
    return norm_v1(row.text if isinstance(row, Observation) else "")


def without_description(entity: Entity) -> Entity:
    """Return an entity without sources and description."""
    return replace(
        entity, provenance=(), description="", revision=entity.revision + 1, embedding_status=EmbeddingStatus.PENDING
    )


def _new_sentences(rows: Sequence[GraphRow], known: set[str]) -> Iterator[Observation]:
    """Yield live observations with a new text, adding it to `known`."""
    live = [row for row in rows if isinstance(row, Observation) and row.status is RowStatus.ACTIVE]
    for row in sorted(live, key=lambda row: (row.provenance[0].start, row.id)):
        if (text := comparable_text(row)) and text not in known:
            known.add(text)
            yield row


_R = TypeVar("_R", bound=Row)


def by_thought(thoughts: Iterable[Thought], rows: Sequence[GraphRow]) -> dict[str, tuple[GraphRow, ...]]:
    """Group rows by the thought they are stored with; rows of none of them are omitted."""
    places = {thought.id: place for place, thought in enumerate(thoughts)}
    sources = {
        row.id: [places[span.thought_id] for span in row.provenance if span.thought_id in places] for row in rows
    }
    first = {row_id: min(found) for row_id, found in sources.items() if found}
    ids = list(places)
    groups: dict[str, list[GraphRow]] = {}
    for row in rows:
        if row.id in first:
            ends = (row.source_id, row.target_id) if isinstance(row, Relation) else ()
            place = max(first[row.id], *(first.get(end, 0) for end in ends), 0)
            groups.setdefault(ids[place], []).append(row)
    return {thought_id: tuple(found) for thought_id, found in groups.items()}


_MOST_CHARS: Final = 5_000_000  # of notes in one batch; their statements say them again


def packed(groups: Iterable[Sequence[_R]], *, size: int) -> Iterator[list[_R]]:
    """Yield batches of up to `size` rows and a bounded length without splitting a group, so one may be larger."""
    pack: list[_R] = []
    chars = 0
    for group in groups:
        more = sum(len(row.content) for row in group if isinstance(row, Thought))
        if pack and (len(pack) + len(group) > size or chars + more > _MOST_CHARS):
            yield pack
            pack, chars = [], 0
        pack.extend(group)
        chars += more
    if pack:
        yield pack
