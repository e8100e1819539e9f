"""How well evidence supports a sentence: one number, higher is worse.

Law: the score is lexical and deterministic. It weighs the claim's telling words (`voice.core.text.background`) against
the three evidence sentences that together hold most of them; a synonym or a near spelling counts as most of a match.
What stands at a sentence's end weighs extra: that is where new information is put, and where inventions are appended.
Hard facts (numbers, polarity, who) are not measured here but vetoed (`figures`, `polarity`, `who`).

Source: DESIGN 6 stage 3; GROUNDING "hand v2". The weights: docs/grounding.md says how they were chosen and validated.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise, takewhile
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein
from rapidfuzz.fuzz import partial_ratio

from voice.core.grounding.passages import Passage
from voice.core.text.background import weight_of
from voice.core.text.synonyms import synonyms_of
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word

_BEST = 3
_SCALE = 0.5
"""Puts the best balance of missed and false alarms on the dev sets at a threshold of 1.65."""
_NEAR_CREDIT = 0.8
_SYNONYM_CREDIT = 0.7
_REPORTING = word_set(
    "say said says mention mentions mentioned note notes noted state states stated share shares shared describe "
    "describes described talk talks talked discuss discusses discussed explain explains explained express "
    "expresses expressed report reports reported acknowledge acknowledges acknowledged according feel feels felt "
    "believe believes believed think thinks thought consider considers considering considered find finds finding "
    "found appreciate appreciates value values emphasize emphasizes emphasizing highlight highlights agree agrees "
    "assure assures ask asks plan plans view views encourage encourages suggest suggests recall recalls specific "
    "specifically particular particularly regarding recently currently also due based include includes including "
    "involve involving involves conversation various oneself aim aims serve serves remain remains reveal reveals "
    "indicate indicates "
)
_REPORTING_WEIGHT = 0.5


class Support(NamedTuple):
    """What the comparison of one claim with its evidence found."""

    score: float
    best: Passage | None
    used: tuple[Passage, ...]
    """At most three sentences, the best first."""
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
    new_at_end: float
    """Logarithm of 1 + the weight of the missing words at the claim's end."""


def score_of(features: Features) -> float:
    """Return the support score; 0 is word for word, `GroundingPolicy.support_threshold` the line."""
    return _SCALE * (
        1.5 * features.lacking
        + 0.6 * features.lacking_best
        + 1.0 * features.broken_pairs
        + 0.7 * features.distance
        + 0.3 * features.lost_weight
        + 0.4 * features.new_at_end
    )


def support_of(found: Sequence[Word], passages: Sequence[Passage]) -> Support:
    """Return how well `passages` support a sentence whose words are `found`."""
    content = [word for word in found if not word.is_stop]
    weights = _weights(content)
    total = sum(weights.values())
    used = _best_passages(weights, passages)
    if not used:
        lost = math.log1p(total)
        features = Features(1.0, 1.0, 1.0, 1.0, lost, lost) if content else Features(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        return Support(score_of(features), None, (), 0.0, 0.0, tuple(content), features)
    pool = frozenset[str]().union(*(passage.stems for passage in used))
    credit = {stem: _credit(stem, pool) for stem in weights}
    lost = sum(weight * (1 - credit[stem]) for stem, weight in weights.items())
    best_recall = _recall(weights, used[0])
    features = Features(
        lost / total,
        1 - best_recall,
        _broken_pairs(found, used),
        1 - partial_ratio(_flat(content), " ".join(_flat(p.words) for p in used)) / 100,
        math.log1p(lost),
        math.log1p(_new_at_end(content, weights, credit)),
    )
    missing = tuple(word for word in content if credit[word.stem] == 0)
    word_recall = _recall({stem: weight for stem, weight in weights.items() if not stem[:1].isdigit()}, used[0])
    return Support(score_of(features), used[0], used, best_recall, word_recall, missing, features)


def _recall(weights: Mapping[str, float], passage: Passage) -> float:
    total = sum(weights.values())
    return sum(weight for stem, weight in weights.items() if stem in passage.stems) / total if total else 0.0


def _new_at_end(content: Sequence[Word], weights: Mapping[str, float], credit: Mapping[str, float]) -> float:
    """Return the weight of the unbroken run of missing words that the claim ends with."""
    ending = takewhile(lambda word: credit[word.stem] < 0.5, reversed(content))
    return sum(weights[word.stem] for word in ending)


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
    return sum(weight * _credit(stem, held) for stem, weight in weights.items()) / total if total else 0.0


def _weights(content: Sequence[Word]) -> dict[str, float]:
    return {word.stem: _REPORTING_WEIGHT if word.key in _REPORTING else weight_of(word.stem) for word in content}


def _best_passages(weights: dict[str, float], passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """Return up to three passages, each adding the most weight to those before it; ties go to the earlier one."""
    chosen: list[Passage] = []
    open_stems = weights.keys() | set[str]()
    shared = [(passage, weights.keys() & passage.stems) for passage in passages]
    while len(chosen) < _BEST:
        gain, best = max(
            ((sum(weights[s] for s in stems & open_stems), -index) for index, (_, stems) in enumerate(shared)),
            default=(0.0, 0),
        )
        if gain <= 0:
            break
        passage, stems = shared[-best]
        chosen.append(passage)
        open_stems -= stems
    return tuple(chosen)


def _credit(stem: str, pool: frozenset[str]) -> float:
    if stem in pool:
        return 1.0
    if synonyms_of(stem) & pool:
        return _SYNONYM_CREDIT
    return _NEAR_CREDIT if any(_is_near(stem, other) for other in pool) else 0.0


def _is_near(stem: str, other: str) -> bool:
    """Return whether two stems are spellings or derivations of one word; digits never are."""
    if stem[:3] != other[:3] or min(len(stem), len(other)) < 4 or not (stem.isalpha() and other.isalpha()):
        return False
    shorter, longer = sorted((stem, other), key=len)
    if len(shorter) >= 5 and longer.startswith(shorter) and not longer.endswith("less"):
        return True
    return Levenshtein.normalized_similarity(stem, other) >= 0.84


def _broken_pairs(found: Sequence[Word], used: Sequence[Passage]) -> float:
    pairs = set(pairwise(word.stem for word in found))
    there = {pair for passage in used for pair in pairwise(word.stem for word in passage.words)}
    return 1 - len(pairs & there) / len(pairs) if pairs else 0.0


def _flat(found: Sequence[Word]) -> str:
    return " ".join(word.key for word in found)
