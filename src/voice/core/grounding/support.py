"""How well evidence supports a sentence: one number, higher is worse.

Law: the score is lexical and deterministic. It weighs the claim's telling words (`voice.core.text.background`) against
the five evidence sentences that together hold most of them; a synonym or a near spelling counts as most of a match.
What stands at a sentence's end is a doubt of its own (`doubts`): that is where new information is put, and where
inventions are appended. Who speaks in the evidence tells next to nothing of what is said: such a name hardly weighs.
Hard facts (numbers, polarity, who) are not measured here but vetoed (`figures`, `polarity`, `who`).

Source: DESIGN 6 stage 3; GROUNDING "hand v2". How the weights were chosen and validated: docs/grounding-measured.md.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise, takewhile
from typing import NamedTuple

from rapidfuzz.distance import Indel, Levenshtein
from rapidfuzz.fuzz import partial_ratio

from voice.core.grounding.doubts import together
from voice.core.grounding.passages import Passage
from voice.core.text.background import weight_of
from voice.core.text.number_words import GERMAN, ONES, TENS
from voice.core.text.stems import stem_of
from voice.core.text.synonyms import synonyms_of
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word, words

_BEST = 5
_SCALE = 0.41
"""Puts the best balance of missed and false alarms on the dev sets at a threshold of 1.65."""
_NEAR_CREDIT = 0.8
_SYNONYM_CREDIT = 0.7
_SPEAKER_WEIGHT = 0.2
_HELD = 0.5
_SAID = 2
"""So many telling words say what happens, and to what: "adopted a kitten"."""
_ADDED = 2
"""From this many telling words on, a new phrase at the end is a new statement, not a word of its own."""
_JOINTS = word_set(
    "after before because since while when during with without in on at from by for due until despite although though "
    "via near where alongside beside besides thanks"
)
"""Words that append a circumstance to a complete statement."""
_REPORTING = word_set(
    "say said says mention mentions mentioned note notes noted state states stated share shares shared describe "
    "describes described talk talks talked discuss discusses discussed explain explains explained express "
    "expresses expressed report reports reported acknowledge acknowledges acknowledged according feel feels felt "
    "believe believes believed think thinks thought consider considers considering considered find finds finding "
    "found appreciate appreciates value values emphasize emphasizes emphasizing highlight highlights agree agrees "
    "assure assures ask asks plan plans view views encourage encourages suggest suggests recall recalls specific "
    "specifically particular particularly regarding recently currently also due based include includes including "
    "involve involving involves conversation various oneself aim aims serve serves remain remains reveal reveals "
    "indicate indicates photo photos picture pictures pic image images"
)
_REPORTING_WEIGHT = 0.5
_NONE = frozenset[str]()


def _spellings() -> dict[str, frozenset[str]]:
    """Return the stems of each small number by every one of them: "5", "five", "funf"."""
    groups: dict[int, set[str]] = {}
    for word, value in (ONES | TENS | GERMAN).items():
        groups.setdefault(value, {str(value)}).add(stem_of(word))
    return {stem: frozenset(group) for group in groups.values() for stem in group}


_SPELT = _spellings()
"""What is the same number in words or in figures: "5 albums" are "five albums"."""
_BY_LETTERS = 2_000
"""So long a text at most is likened letter by letter: beyond, the time grows faster than its square…"""
_SEARCHED = 20_000
"""…and so long a one at most is searched for it."""


class Support(NamedTuple):
    """What the comparison of one claim with its evidence found."""

    score: float
    best: Passage | None
    used: tuple[Passage, ...]
    """At most five sentences, the best first."""
    best_recall: float
    """The share of the claim's weight that the best sentence alone holds."""
    word_recall: float
    """The same of the claim's words alone, its numbers left out: whether it is the same statement but for a figure."""
    missing: tuple[Word, ...]
    """The claim's content words that the used sentences lack, in order."""
    features: "Features"


class Features(NamedTuple):
    """The measures behind the score, each 0 when the claim is word for word in the evidence."""

    lacking: float
    """Share of the claim's weight that the used sentences lack."""
    lacking_best: float
    """The same for the best sentence alone."""
    broken_pairs: float
    """Share of the claim's neighbouring word pairs that are not neighbours in the evidence."""
    distance: float
    """1 - partial ratio of the claim with the used sentences."""
    lost_weight: float
    """Logarithm of 1 + the summed weight of the missing words."""
    lacking_said: float
    """Share of the first two telling words after the names that are missing: what the claim says of its subject."""
    new_at_end: float
    """Logarithm of 1 + the weight of the missing words at the claim's end."""
    added: float
    """1 when the claim ends with a circumstance that is new as a whole after a statement that is held, else 0."""


_NOTHING_CLAIMED = Features(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
_NOTHING_HELD = Features(1.0, 1.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0)


def unheld(features: Features) -> float:
    """Return how much of a claim the evidence lacks all over: words, pairs of words, the likeness of the whole."""
    return _SCALE * (
        1.5 * features.lacking
        + 0.6 * features.lacking_best
        + 1.6 * features.broken_pairs
        + 0.7 * features.distance
        + 0.3 * features.lost_weight
        + 0.25 * features.lacking_said
    )


def appended(features: Features) -> float:
    """Return how much a claim ends with that the evidence lacks."""
    return _SCALE * (0.66 * features.new_at_end + 1.5 * features.added)


def score_of(features: Features) -> float:
    """Return the support score; 0 is word for word, `GroundingPolicy.support_threshold` the line."""
    return together(unheld(features), appended(features))


def support_of(found: Sequence[Word], passages: Sequence[Passage]) -> Support:
    """Return how well `passages` support a sentence whose words are `found`."""
    content = [word for word in found if not word.is_stop]
    weights = weights_of(content, passages)
    total = sum(weights.values())
    used = _best_passages(weights, passages)
    if not used:
        lost = math.log1p(total)
        features = _NOTHING_HELD._replace(lost_weight=lost, new_at_end=lost) if content else _NOTHING_CLAIMED
        return Support(score_of(features), None, (), 0.0, 0.0, tuple(content), features)
    pool = frozenset[str]().union(*(passage.stems for passage in used))
    credit = {stem: credit_of(stem, pool) for stem in weights}
    lost = sum(weight * (1 - credit[stem]) for stem, weight in weights.items())
    best_recall = _recall(weights, used[0])
    features = Features(
        lost / total,
        1 - best_recall,
        _broken_pairs(found, used),
        1 - _likeness(content, [word for passage in used for word in passage.words]),
        math.log1p(lost),
        _lacking_said(content, weights, credit),
        math.log1p(_new_at_end(content, weights, credit)),
        float(_is_added(found, weights, credit)),
    )
    missing = tuple(word for word in content if credit[word.stem] == 0)
    word_recall = _recall({stem: weight for stem, weight in weights.items() if not stem[:1].isdigit()}, used[0])
    return Support(score_of(features), used[0], used, best_recall, word_recall, missing, features)


def tempered(own: Support, whole: Support) -> Support:
    """Return the support by a claim's own evidence, its measures halfway to those by all evidence.

    What only others say counts half: in a talk one names the thing and the other says what they did with it.
    """
    features = Features(*((ours + all_) / 2 for ours, all_ in zip(own.features, whole.features, strict=True)))
    return own._replace(score=score_of(features), features=features)


def weights_of(content: Sequence[Word], passages: Sequence[Passage]) -> dict[str, float]:
    """Return how telling each stem of a claim is; the name of somebody who speaks in the evidence is hardly."""
    speakers = {word.stem for name in {passage.speaker for passage in passages} if name for word in words(name)[:1]}
    weights = _weights(content)
    return {stem: min(weight, _SPEAKER_WEIGHT) if stem in speakers else weight for stem, weight in weights.items()}


def _recall(weights: Mapping[str, float], passage: Passage) -> float:
    total = sum(weights.values())
    return sum(weight for stem, weight in weights.items() if stem in passage.stems) / total if total else 0.0


def _lacking_said(content: Sequence[Word], weights: Mapping[str, float], credit: Mapping[str, float]) -> float:
    """Return the share of the first telling words that nothing in the evidence stands for: verb and object, mostly."""
    telling = [word for word in content if word.key not in _REPORTING and weights[word.stem] > _SPEAKER_WEIGHT]
    first = telling[:_SAID]
    return sum(credit[word.stem] == 0 for word in first) / len(first) if first else 0.0


def _new_at_end(content: Sequence[Word], weights: Mapping[str, float], credit: Mapping[str, float]) -> float:
    """Return the weight of the unbroken run of missing words that the claim ends with."""
    ending = takewhile(lambda word: credit[word.stem] < 0.5, reversed(content))
    return sum(weights[word.stem] for word in ending)


def _is_added(found: Sequence[Word], weights: Mapping[str, float], credit: Mapping[str, float]) -> bool:
    """Return whether a claim ends with a new circumstance ("after winning a prize") behind what the evidence holds."""
    held = max(
        (index for index, word in enumerate(found) if not word.is_stop and credit[word.stem] >= _HELD), default=-1
    )
    ending = found[held + 1 :]
    if sum(not word.is_stop for word in ending) < _ADDED:
        return False
    if not any(word.key in _JOINTS for word in takewhile(lambda word: word.is_stop, ending)):
        return False
    stems = {word.stem for word in found[: held + 1] if not word.is_stop}
    return sum(weights[stem] * credit[stem] for stem in stems) >= _HELD * sum(weights[stem] for stem in stems)


def carried_share(content: Sequence[Word], passages: Sequence[Passage]) -> float:
    """Return the share of a claim's weight that `passages` (those of one row) hold (ruling D2)."""
    weights = _weights(content)
    total = sum(weights.values())
    held = frozenset[str]().union(*(passage.stems for passage in passages)) if passages else frozenset[str]()
    return sum(weight for stem, weight in weights.items() if stem in held) / total if total else 0.0


def credited_share(content: Sequence[Word], held: frozenset[str]) -> float:
    """Return the share of the weight of `content` that the stems `held` hold, themselves, by synonym or nearly."""
    weights = _weights(content)
    total = sum(weights.values())
    return sum(weight * credit_of(stem, held) for stem, weight in weights.items()) / total if total else 0.0


def _weights(content: Sequence[Word]) -> dict[str, float]:
    return {word.stem: _REPORTING_WEIGHT if word.key in _REPORTING else weight_of(word.stem) for word in content}


def _best_passages(weights: dict[str, float], passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """Return up to five passages, each adding the most weight to those before it; ties go to the earlier one."""
    chosen: list[Passage] = []
    open_stems = weights.keys() | set[str]()
    shared = [
        (passage, weights.keys() & passage.stems) for passage in passages if not passage.stems.isdisjoint(weights)
    ]
    while len(chosen) < _BEST:
        gain, best = max(
            ((math.fsum(weights[s] for s in stems & open_stems), -index) for index, (_, stems) in enumerate(shared)),
            default=(0.0, 0),
        )
        if gain <= 0:
            break
        passage, stems = shared[-best]
        chosen.append(passage)
        open_stems -= stems
    return tuple(chosen)


def credit_of(stem: str, pool: frozenset[str]) -> float:
    """Return how much of a match a stem finds in `pool`: itself 1, a synonym or a near spelling most of it, else 0."""
    if stem in pool or not _SPELT.get(stem, _NONE).isdisjoint(pool):
        return 1.0
    if synonyms_of(stem) & pool:
        return _SYNONYM_CREDIT
    beginning = stem[:3]
    return _NEAR_CREDIT if any(_is_near(stem, other) for other in pool if other.startswith(beginning)) else 0.0


def _is_near(stem: str, other: str) -> bool:
    """Return whether two stems of one beginning are spellings or derivations of one word; digits never are."""
    if min(len(stem), len(other)) < 4 or not (stem.isalpha() and other.isalpha()):
        return False
    shorter, longer = sorted((stem, other), key=len)
    if len(shorter) >= 5 and longer.startswith(shorter) and not longer.endswith("less"):
        return True
    return Levenshtein.normalized_similarity(stem, other) >= 0.84


def _broken_pairs(found: Sequence[Word], used: Sequence[Passage]) -> float:
    pairs = set(pairwise(word.stem for word in found))
    there = {pair for passage in used for pair in pairwise(word.stem for word in passage.words)}
    return 1 - len(pairs & there) / len(pairs) if pairs else 0.0


def _likeness(content: Sequence[Word], said: Sequence[Word]) -> float:
    """Return how alike a claim's telling words are to the place of the evidence that is most like them, or the reverse.

    Letter by letter; of what is too long for that, the stretch that shares the most words stands for the longer of the
    two, and beside a text that is long itself whole telling words are compared.
    """
    ours, theirs = [word.key for word in content], [word.key for word in said]
    shorter, longer = sorted((ours, theirs), key=_length)
    if _length(shorter) <= _BY_LETTERS and _length(longer) <= _SEARCHED:
        return partial_ratio(" ".join(ours), " ".join(theirs)) / 100
    if _length(shorter) <= _BY_LETTERS:
        return partial_ratio(" ".join(shorter), " ".join(_nearest(shorter, longer, 2))[:_SEARCHED]) / 100
    fewer, more = sorted((ours, [word.key for word in said if not word.is_stop]), key=len)
    return Indel.normalized_similarity(fewer, _nearest(fewer, more, 1))


def _length(keys: Sequence[str]) -> int:
    return sum(map(len, keys)) + len(keys)


def _nearest(needle: Sequence[str], haystack: Sequence[str], times: int) -> Sequence[str]:
    """Return the stretch of `haystack`, so many times as long as `needle`, that holds the most of its words."""
    sought = frozenset(needle)
    shared = [0, *accumulate(key in sought for key in haystack)]
    width = min(times * len(needle), len(haystack))
    start = max(range(len(haystack) - width + 1), key=lambda one: shared[one + width] - shared[one])
    return haystack[start : start + width]
