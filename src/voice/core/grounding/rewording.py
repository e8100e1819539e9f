"""A copied sentence that was marked for one reworded stretch: whether a verifier may be heard on it.

Law: the copy check (`copies`) cannot tell "subdue" for "contain" from a changed report, so it marks both; that mark
alone, of all that a check can say, may be lifted by an opinion, and only where the wording is all that differs. With a
number, a name, a "not", a unit, a comparison, an order, an amount or a relation on either side of a difference, with an
opposite, or with more than two telling words that the evidence lacks, nobody is asked; nor in another language than
English, where the tables of such words have gaps.

Source: docs/adr/0004-what-a-verifier-may-lift.md; DESIGN 6 stages 4 and 5.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final, NamedTuple

from rapidfuzz.distance import Levenshtein

from voice.core.grounding.claims import Judged
from voice.core.grounding.passages import Passage
from voice.core.grounding.polarity import are_opposite
from voice.core.text.facts import fact_of
from voice.core.text.words import Word, marks_matter, words

ALTERED: Final = "altered"
_NEW_WORDS: Final = 2
"""Telling words at most that a claim may have and its evidence lacks; with more it says something more."""


class _Difference(NamedTuple):
    """A stretch of a claim and the stretch of the source in whose place it stands; either may be empty."""

    ours: Sequence[Word]
    theirs: Sequence[Word]


def is_reworded(text: str, judged: Judged) -> bool:
    """Return whether the copy check alone speaks against a claim, and nothing but wording differs from its source.

    Args:
        text: the claim.
        judged: its outcome by the rules.
    """
    flags = {finding.flag for finding in judged.findings}
    flags |= {finding.flag for part in judged.parts for finding in part.findings}
    if flags != {ALTERED} or judged.support is None or len(judged.support.missing) > _NEW_WORDS:
        return False
    ours = words(text)
    return any(_differs_in_wording(ours, passage) for passage in judged.support.used if _is_english(passage))


def _is_english(passage: Passage) -> bool:
    return not marks_matter(passage.words)


def _differs_in_wording(ours: Sequence[Word], passage: Passage) -> bool:
    found = list(_differences(ours, passage.words))
    return bool(found) and all(_is_wording(one, passage) for one in found)


def _differences(ours: Sequence[Word], theirs: Sequence[Word]) -> Iterator[_Difference]:
    """Yield what differs, but for what the source says before and after the claim's words."""
    for edit in Levenshtein.opcodes([one.text.lower() for one in ours], [one.text.lower() for one in theirs]):
        is_around = edit.tag == "insert" and (edit.dest_start == 0 or edit.dest_end == len(theirs))
        if edit.tag != "equal" and not is_around:
            yield _Difference(ours[edit.src_start : edit.src_end], theirs[edit.dest_start : edit.dest_end])


def _is_wording(difference: _Difference, passage: Passage) -> bool:
    """Return whether no word of a difference tells a fact or names anybody who is not known to be meant."""
    both = (*difference.ours, *difference.theirs)
    return not any(_is_telling_by_itself(word, passage) for word in both) and not any(
        are_opposite(one, two) for one, two in product(difference.ours, difference.theirs)
    )


def _is_telling_by_itself(word: Word, passage: Passage) -> bool:
    is_name = word.is_capital and not word.is_stop and word.stem not in passage.given
    return is_name or word.is_number or fact_of(word) is not None
