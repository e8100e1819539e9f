"""Which stretches of a text can be read alone.

Law: a stretch begins and ends at sentence ends; stretches are ordered and disjoint. What joins what is one table: a
sentence that points back joins what stands before it, list items join their heading, a scrap joins its neighbour. What
states nothing (questions, greetings, code) is left out; a short text that would leave nothing is kept whole. What an
assistant says in a chat that is pasted into a text is no statement of who wrote the text.

Source: ruling A21; ruling C13 (half-open code-point offsets).
"""

from bisect import bisect_right

import regex

from voice.core.graph.statements import Kind, Sentence, is_mark, judge_sentence, list_mark_length
from voice.core.text.lazy import late_pattern
from voice.core.text.quoted_speech import blank_other_speakers
from voice.core.text.sentences import sentence_spans
from voice.core.text.word_lists import Language, guess_language

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
