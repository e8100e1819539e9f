"""Cut a thought into observations: stretches of its own words that can be read alone.

Law: nothing is inferred and nothing is rewritten. An observation is a stretch of one thought, cut at sentence ends,
that can be read alone; a sentence that the thought says again, letter for letter and
under the same headings and bullets, is one observation that rests on every place. Its id is a function of the thought
and the first place, so distilling again changes nothing. It says when, by whom and in which thread it was said, and
inherits who may see it. Of a thought that its owner vouches for, what counts is green, but for what a model said: that
stays a model's claim (rulings A12, H). Of one vouched for in part nothing else is distilled (ruling J2).

Which stretches of a text can be read alone. A stretch begins and ends at sentence ends; stretches are ordered and
disjoint. What joins what is one table: a sentence that points back joins what stands before it, list items join their
heading, a scrap joins its neighbour. What states nothing (questions, greetings, code) is left out; a short text that
would leave nothing is kept whole. What an assistant says in a chat that is pasted into a text is no statement of who
wrote the text.

Source: rulings A13, A21, C10, C13, F, H, J2; ruling A21; ruling C13 (half-open code-point offsets).
"""

from bisect import bisect_right
from collections.abc import Iterable
from typing import Literal, assert_never

import regex
from blake3 import blake3

from voice.core.graph.entity_names import Named, NameIndex, ids_of_mentions
from voice.core.graph.thoughts.sentence_kinds import Kind, Sentence, is_mark, judge_sentence, list_mark_length
from voice.core.graph.thoughts.vouching import counting_spans
from voice.core.records import Inheritance, Observation, Origin, Provenance, RowStatus, Thought
from voice.core.text.context_path import Path, context_paths, stands_at
from voice.core.text.lazy import late_pattern
from voice.core.text.quoted_speech import blank_other_speakers
from voice.core.text.sentences import sentence_spans
from voice.core.text.word_lists import Language, guess_language
from voice.core.vouch import Vouch

AutoObservations = Literal["human", "off"]

_BASE36 = "0123456789abcdefghijklmnopqrstuvwxyz"
_KEY_LENGTH = 26


def may_promote(thought: Thought, setting: AutoObservations) -> bool:
    """Return whether observations of `thought` enter the graph at once (rulings A21, H), or the owner vouched for it.

    Args:
        thought: where they come from.
        setting: `auto_observations`; `off` is the strict reading.
    """
    if thought.vouched is not None:
        return thought.vouched in (Vouch.APPROVED, Vouch.PARTLY)
    match setting:
        case "off":
            return False
        case "human":
            return thought.origin in {Origin.HUMAN, Origin.LOGGED}
        case _:
            assert_never(setting)


def distil(thought: Thought, *, entities: Iterable[Named] | NameIndex = ()) -> tuple[Observation, ...]:
    """Return the observations of `thought` in the order of their first places (ruling A21).

    A text is one observation under the same headings and bullets; one of several lines stands where the least deep of
    them does.

    What the inner voice wrote itself and what is no longer active yields nothing (ruling A13).

    Args:
        thought: any thought.
        entities: whose names are looked for; pass a `NameIndex` when many thoughts are distilled.
    """
    if thought.is_synthesis or thought.status is not RowStatus.ACTIVE:
        return ()
    names = entities if isinstance(entities, NameIndex) else NameIndex.of(entities)
    vouches = thought.vouched in (Vouch.APPROVED, Vouch.PARTLY) and thought.origin is not Origin.MODEL
    inherited = Inheritance.of((thought,), entered_by=Origin.HUMAN if vouches else None)
    spans = counting_spans(thought, statement_spans(thought.content, in_dialogue=thought.speaker is not None))
    stands = [stands_at(thought.content, *span) for span in spans]
    paths = context_paths(thought.content, stands, source_ref=thought.source_ref)
    places: dict[tuple[str, Path], list[Provenance]] = {}
    for (start, end), path in zip(spans, paths, strict=True):
        place = Provenance(thought_id=thought.id, start=start, end=end)
        places.setdefault((thought.content[start:end], path), []).append(place)
    return tuple(_observation(thought, said, tuple(at), (names, inherited)) for said, at in places.items())


def observation_id(thought_id: str, start: int, end: int) -> str:
    """Return the id of the observation whose first place in `thought_id` is `[start, end)`; the same for ever."""
    number = int.from_bytes(blake3(f"{thought_id}\x00{start}\x00{end}".encode()).digest(length=17), "big")
    key = ""
    for _ in range(_KEY_LENGTH):
        number, digit = divmod(number, 36)
        key += _BASE36[digit]
    return f"o:{key}"


def _observation(
    thought: Thought, said: tuple[str, Path], places: tuple[Provenance, ...], shared: tuple[NameIndex, Inheritance]
) -> Observation:
    (text, path), (names, inherited) = said, shared
    return Observation(
        id=observation_id(thought.id, places[0].start, places[0].end),
        text=text,
        entity_ids=ids_of_mentions(names.mentions(text)),
        created_at=thought.created_at,
        recorded_at=thought.recorded_at,
        origin=thought.origin,
        speaker=thought.speaker,
        thread=thought.thread,
        context_path=path,
        provenance=places,
        trust=inherited.trust,
        tags=inherited.tags,
        is_private=inherited.is_private,
        scope=inherited.scope,
    )


_LONGEST = 700
"""Characters beyond which sentences that hang together are kept apart after all; snippets are cut near 800 (C12)."""

_LEAST_ALONE = 2
"""Words of content of what is kept though nothing stands beside it that it could join."""
_STANDING = frozenset({Kind.STATEMENT, Kind.DEPENDENT, Kind.ITEM})
_SILENT = frozenset({Kind.QUESTION, Kind.TALK, Kind.CODE})
_ANNOUNCING = frozenset({Kind.HEADING, Kind.LEAD})

_JOINS: dict[Kind, frozenset[Kind]] = {
    Kind.STATEMENT: frozenset({Kind.LEAD, Kind.SCRAP}),
    Kind.DEPENDENT: frozenset(Kind) - {Kind.CODE, Kind.TALK},
    Kind.SCRAP: frozenset({Kind.HEADING, Kind.LEAD, Kind.SCRAP, Kind.STATEMENT, Kind.DEPENDENT}),
    Kind.ITEM: frozenset({Kind.HEADING, Kind.LEAD, Kind.ITEM, Kind.SCRAP}),
    Kind.HEADING: frozenset(),
    Kind.LEAD: frozenset({Kind.HEADING}),
    Kind.QUESTION: frozenset(),
    Kind.CODE: frozenset(),
    Kind.TALK: frozenset(),
}
"""Kind of a sentence → kinds of the sentence before it, in the open stretch, that it joins."""

_AROUND_LABELS = "> \t\n"
_FENCE = late_pattern(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", regex.MULTILINE | regex.DOTALL)
_PARAGRAPH = late_pattern(r"\n[^\S\n]*\n")
_WORD = late_pattern(r"[\p{L}\p{M}]++(?:['’][\p{L}\p{M}]++)*+")


def statement_spans(text: str, *, in_dialogue: bool) -> tuple[tuple[int, int], ...]:
    """Return the half-open spans of `text` that can be read alone, ordered and disjoint.

    Args:
        text: a thought's full text.
        in_dialogue: it is one speaker's message; short answers then count as statements.
    """
    own = blank_other_speakers(text)
    sentences = _judged(own, guess_language(_WORD.findall(own)))
    spans = [_span(own, group) for group in _groups(sentences, in_dialogue=in_dialogue)]
    found = tuple(spans) or _whole(sentences)
    trimmed = found if own == text else tuple(_trimmed(own, *span) for span in found)
    return tuple((start, end) for start, end in trimmed if own[start:end] == text[start:end])


def _trimmed(own: str, start: int, end: int) -> tuple[int, int]:
    """Return a span without the blanks at its ends that stand for labels, and without marks of quotation."""
    said = own[start:end].lstrip(_AROUND_LABELS)
    return end - len(said), end - len(said) + len(said.rstrip(_AROUND_LABELS))


def _judged(text: str, language: Language) -> list[Sentence]:
    """Return the sentences of `text` with their kinds, without fenced code and without bare marks ("II.")."""
    fences = [match.span() for match in _FENCE.finditer(text)]
    opened = [start for start, _ in fences]
    breaks = [match.start() for match in _PARAGRAPH.finditer(text)]
    judged: list[Sentence] = []
    for start, end in sentence_spans(text):
        fence = bisect_right(opened, start) - 1
        if (fence >= 0 and start < fences[fence][1]) or is_mark(text[start:end]):
            continue
        paragraph = bisect_right(breaks, start)
        judged.append(judge_sentence(text, start, end, language=language, paragraph=paragraph))
    return judged


def _groups(sentences: list[Sentence], *, in_dialogue: bool) -> list[list[Sentence]]:
    """Return the sentences put together, without the groups that state nothing."""
    groups: list[list[Sentence]] = [[]]
    for sentence in sentences:
        if sentence.kind is Kind.TALK:
            continue
        if _joins(sentence, groups[-1]):
            groups[-1].append(sentence)
        elif sentence.kind is not Kind.DEPENDENT or _stands_alone(sentence):
            groups.append([sentence])
    return [group for group in groups if _states(group, in_dialogue=in_dialogue)]


def _joins(sentence: Sentence, group: list[Sentence]) -> bool:
    if not group:
        return False
    last = group[-1]
    if last.kind not in _JOINS[sentence.kind] or sentence.end - group[0].start > _LONGEST:
        return False
    if sentence.kind is Kind.STATEMENT and any(member.kind in _STANDING for member in group):
        return False
    bridges = sentence.kind is Kind.ITEM or last.kind in _ANNOUNCING
    return bridges or sentence.paragraph == last.paragraph


def _stands_alone(sentence: Sentence) -> bool:
    return sentence.stands or sentence.content >= _LEAST_ALONE


def _states(group: list[Sentence], *, in_dialogue: bool) -> bool:
    if any(member.kind in _STANDING for member in group):
        return True
    scraps = [member for member in group if member.kind is Kind.SCRAP]
    return bool(scraps) and (in_dialogue or len(group) > 1 or _says_something(scraps[0]))


def _says_something(scrap: Sentence) -> bool:
    """Return whether a scrap says something by itself: "Learned it from Ana", and not "[[Ana]]"."""
    return scrap.content >= _LEAST_ALONE and not scrap.is_name


def _span(text: str, group: list[Sentence]) -> tuple[int, int]:
    start, end = group[0].start, group[-1].end
    if len(group) == 1:
        start += list_mark_length(text[start:end])
    return start, end


def _whole(sentences: list[Sentence]) -> tuple[tuple[int, int], ...]:
    """Return the one span of a text of which nothing stands alone, when it says anything at all."""
    said = [sentence for sentence in sentences if sentence.kind not in _SILENT and sentence.content]
    return ((said[0].start, said[-1].end),) if said else ()
