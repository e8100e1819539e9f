"""A claim that is a sentence of the evidence nearly word for word: whatever differs is looked at by itself.

Law: where a claim repeats a sentence of the evidence and changes one word of it, that word is what the claim adds, and
all the rest being true makes it no truer. A changed fact (`voice.core.text.facts`: number, unit, negation, comparison,
order, amount) or name contradicts; a telling word that is neither a synonym nor another form of the source's, or a new
phrase, is not supported. A claim that any sentence of the evidence says in full is not looked at. "Your landlord" said
of a note's "my landlord" is no change (`addressed`). Works word by word, in any language; where no spaces stand between
words, character by character.

Source: DESIGN 6 stage 4 (numbers, negation, names, comparatives); ruling D1.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple
from unicodedata import decimal

from rapidfuzz.distance import Levenshtein

from voice.core.grounding.addressed import is_german, is_told_back, told_alike
from voice.core.grounding.changes import Change, change_finding
from voice.core.grounding.findings import Finding
from voice.core.grounding.passages import Passage
from voice.core.grounding.polarity import Opposites, by_the_opposite, says_the_same_turned
from voice.core.grounding.support import credit_of
from voice.core.text.facts import is_han_numeral
from voice.core.text.negation import is_negator
from voice.core.text.words import Word, is_unspaced, marks_matter, spelt

_LEAST = 4
"""Words that must stand in both, in order, for one to be a copy of the other."""
_COPIED = 0.7
"""Share of the claim that the source must hold in order."""
_COPIED_DENSE = 0.6
"""The same in text without spaces, where a name is two characters of few."""
_WHOLE = 0.85
"""Or of the source that the claim must hold: then the claim adds something to it."""
_WORTH_ALIGNING = 0.5
_HELD = 0.5

_GAP = 1
"""Characters between two changes of one word in text without spaces ("海口", "上海")."""
_SPREAD = 1.4
"""How much longer than the claim the stretch of the source may be in which the claim's words stand."""


class _Alignment(NamedTuple):
    """How a claim and a sentence of the evidence lie side by side."""

    equal: int
    changes: tuple[Change, ...]


def copy_findings(text: str, found: Sequence[Word], passages: Sequence[Passage]) -> list[Finding]:
    """Return what a claim changes in the sentence of the evidence that it otherwise repeats.

    Args:
        text: the claim.
        found: its words.
        passages: all evidence.

    Returns:
        the findings against the nearest such sentence; none when some sentence is repeated without a change that
        matters, or none is repeated at all.
    """
    stems = {word.stem for word in found}
    written = {char for stem in stems if not stem.isascii() for char in stem if is_unspaced(char)}
    likely = [one for one in passages if not stems.isdisjoint(one.stems) and _may_be_copied(stems, written, one)]
    if not likely:
        return []
    ours = list(_tokens(found))
    nearest, least, pool = 0, list[Finding](), frozenset[str]()
    for passage in likely:
        alignment = _aligned(text, ours, passage)
        if alignment is None or says_the_same_turned(found, passage.words):
            continue
        pool = pool or frozenset[str]().union(*(one.stems for one in passages))
        opposites = by_the_opposite(text, found, passage)
        changes = [change for change in alignment.changes if not _is_by(opposites, change)]
        findings = [one for change in changes if (one := change_finding(change, pool))]
        if not findings and _says_all(passage, found):
            return []
        if alignment.equal > nearest or (alignment.equal == nearest and not findings):
            nearest, least = alignment.equal, findings
    return list({finding.flag: finding for finding in reversed(least)}.values())


def _is_by(opposites: Opposites | None, change: Change) -> bool:
    """Return whether a change only says "cheap" for "not expensive", or the other way round."""
    if opposites is None:
        return False
    turned = {word.key for word in opposites}
    ours, theirs = (
        {word.stem for word in side if word.key not in turned and not word.is_stop and not is_negator(word)}
        for side in (change.ours, change.theirs)
    )
    return ours == theirs and any(word.key in turned or is_negator(word) for word in (*change.ours, *change.theirs))


def _may_be_copied(stems: set[str], written: set[str], passage: Passage) -> bool:
    """Return whether enough words are shared for an alignment to be worth its time."""
    shared = len(stems & passage.stems)
    if shared >= _WORTH_ALIGNING * len(stems) or _shares_characters(written, passage):
        return True
    return shared >= _LEAST and shared >= _WORTH_ALIGNING * len(passage.own_stems)


def _shares_characters(written: set[str], passage: Passage) -> bool:
    """Return whether a sentence has enough of the characters of a text without spaces: one changed is in two pairs."""
    return bool(written) and sum(char in passage.text for char in written) >= _WORTH_ALIGNING * len(written)


def _says_all(passage: Passage, found: Sequence[Word]) -> bool:
    """Return whether a sentence holds every telling word of a claim: what it leaves open another may say otherwise."""
    return all(word.is_stop or credit_of(word.stem, passage.stems) >= _HELD for word in found)


def _tokens(found: Sequence[Word]) -> Iterator[Word]:
    """Yield the words; of text without spaces, which comes in overlapping pairs, each character and number once."""
    chars = list(_characters(found))
    index = 0
    while index < len(chars):
        end = index + 1
        while end < len(chars) and _goes_on(chars[end - 1], chars[end]):
            end += 1
        run = "".join(word.text for word in chars[index:end])
        yield chars[index] if end == index + 1 else _character(run, chars[index].start)
        index = end


def _goes_on(before: Word, after: Word) -> bool:
    """Return whether two neighbours are one number ("十三", "1994" before "年")."""
    if before.end != after.start:
        return False
    return (is_han_numeral(before.text) and is_han_numeral(after.text)) or (
        before.text[-1].isdecimal() and after.text[0].isdecimal()
    )


def _characters(found: Sequence[Word]) -> Iterator[Word]:
    for index, word in enumerate(found):
        if not is_unspaced(word.text) or len(word.text) == 1:
            yield word
            continue
        following = found[index + 1] if index + 1 < len(found) else None
        is_last = following is None or following.start != word.start + 1
        for at, char in enumerate(word.text if is_last else word.text[:1], word.start):
            yield _character(char, at)


def _character(text: str, at: int) -> Word:
    return Word(text, at, at + len(text), text, text, is_stop=False, is_number=text[0].isdecimal())


def _aligned(text: str, ours: Sequence[Word], passage: Passage) -> _Alignment | None:
    """Return the two side by side when one is nearly the other, else None; accents count where they tell words apart.

    A claim all of whose words are spelled with other accents is compared without them.
    """
    theirs = list(_tokens(passage.words))
    strict = marks_matter(passage.words)
    found = _side_by_side(text, ours, passage, theirs, marks=strict)
    return found if found or not strict else _side_by_side(text, ours, passage, theirs, marks=False)


def _spelling(word: Word, *, marks: bool) -> str:
    """Return how a word is spelled; digits of every script are digits."""
    spelling = spelt(word, marks_matter=marks)
    return spelling if spelling.isascii() else "".join(str(decimal(char, char)) for char in spelling)


def _side_by_side(
    text: str, ours: Sequence[Word], passage: Passage, theirs: Sequence[Word], *, marks: bool
) -> _Alignment | None:
    left, right = ([_spelling(word, marks=marks) for word in side] for side in (ours, theirs))
    if is_told_back(ours, theirs):
        german = is_german(ours, theirs)
        left, right = told_alike(left, ours, is_german=german), told_alike(right, theirs, is_german=german)
    blocks: list[list[int]] = []
    pairs: list[tuple[int, int]] = []
    is_dense = any(is_unspaced(word.text) for word in ours)
    gap, copied = (_GAP, _COPIED_DENSE) if is_dense else (0, _COPIED)
    for edit in Levenshtein.opcodes(left, right):
        if edit.tag == "equal":
            pairs += zip(range(edit.src_start, edit.src_end), range(edit.dest_start, edit.dest_end), strict=True)
        elif blocks and edit.src_start - blocks[-1][1] <= gap and edit.dest_start - blocks[-1][3] <= gap:
            blocks[-1][1], blocks[-1][3] = edit.src_end, edit.dest_end
        else:
            blocks.append([edit.src_start, edit.src_end, edit.dest_start, edit.dest_end])
    equal = len(pairs)
    if equal < _LEAST or (equal < copied * len(left) and equal < _WHOLE * len(right)):
        return None
    if pairs[-1][1] - pairs[0][1] >= _SPREAD * len(left) + _LEAST:
        return None
    inner = [block for block in blocks if block[0] < block[1] or 0 < block[2] < block[3] < len(right)]
    same = [[i, i + 1, j, j + 1] for i, j in pairs if ours[i].is_number]
    is_only = len(inner) == 1

    def _change(block: Sequence[int], *, is_only: bool) -> Change:
        start, end, source_start, source_end = block
        return Change(text, ours, passage, theirs, start, end, source_start, source_end, marks, is_only)

    changes = [_change(block, is_only=is_only) for block in inner]
    figures = [_change(block, is_only=False) for block in same]
    return _Alignment(equal, (*changes, *figures))
