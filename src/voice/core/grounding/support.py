"""How well evidence supports a sentence: one number, higher is worse.

Law: the score is lexical, deterministic and monotone: it never falls when a claim gains a word that the evidence lacks,
and never rises when evidence is added. It weighs the claim's telling words (`voice.core.text.background`) against the
three evidence sentences that together hold most of them; an inflection or a near spelling counts as most of a match.
Hard facts (numbers, polarity, who) are `voice.core.grounding.vetoes`' matter.

Source: DESIGN 6 stage 3; GROUNDING "hand v2". Weights: docs/grounding.md says how they were chosen.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein
from rapidfuzz.fuzz import partial_ratio

from voice.core.grounding.passages import Passage
from voice.core.text.background import weight_of
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word

_BEST = 3
_NEAR_CREDIT = 0.8
_REPORTING = word_set(
    "say said says mention mentions mentioned note notes noted state states stated share shares shared describe "
    "describes described talk talks talked discuss discusses discussed explain explains explained express expresses "
    "expressed report reports reported acknowledge acknowledges acknowledged according feel feels believe believes "
    "believed think thinks consider considers find finds specific recently currently also include includes including"
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


def score_of(features: Features) -> float:
    """Return the support score; 0 is word for word, `GroundingPolicy.support_threshold` the line."""
    return (
        2.0 * features.lacking
        + 0.8 * features.lacking_best
        + 0.5 * features.broken_pairs
        + 0.7 * features.distance
        + 0.25 * features.lost_weight
    )


def support_of(text: str, content: Sequence[Word], passages: Sequence[Passage]) -> Support:
    """Return how well `passages` support the sentence `text` whose content words are `content`."""
    weights = _weights(content)
    total = sum(weights.values())
    used = _best_passages(weights, passages)
    if not used or not total:
        features = Features(1.0, 1.0, 1.0, 1.0, math.log1p(total)) if content else Features(0.0, 0.0, 0.0, 0.0, 0.0)
        return Support(score_of(features), None, (), 0.0, tuple(content), features)
    pool = frozenset[str]().union(*(passage.stems for passage in used))
    credit = {stem: _credit(stem, pool) for stem in weights}
    lacking = sum(weight * (1 - credit[stem]) for stem, weight in weights.items())
    best_recall = sum(weight for stem, weight in weights.items() if stem in used[0].stems) / total
    features = Features(
        lacking / total,
        1 - best_recall,
        _broken_pairs(content, used),
        1 - partial_ratio(_flat(content), " ".join(_flat(p.words) for p in used)) / 100,
        math.log1p(lacking),
    )
    missing = tuple(word for word in content if credit[word.stem] == 0)
    return Support(score_of(features), used[0], used, best_recall, missing, features)


def carried_share(content: Sequence[Word], passages: Sequence[Passage]) -> float:
    """Return the share of a claim's weight that `passages` (those of one row) hold (ruling D2)."""
    weights = _weights(content)
    total = sum(weights.values())
    held = frozenset[str]().union(*(passage.stems for passage in passages)) if passages else frozenset[str]()
    return sum(weight for stem, weight in weights.items() if stem in held) / total if total else 0.0


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
    return _NEAR_CREDIT if any(_is_near(stem, other) for other in pool) else 0.0


def _is_near(stem: str, other: str) -> bool:
    """Return whether two stems are spellings or derivations of one word; digits never are."""
    if stem[:3] != other[:3] or min(len(stem), len(other)) < 4 or not (stem.isalpha() and other.isalpha()):
        return False
    shorter, longer = sorted((stem, other), key=len)
    if len(shorter) >= 5 and longer.startswith(shorter) and not longer.endswith("less"):
        return True
    return Levenshtein.normalized_similarity(stem, other) >= 0.84


def _broken_pairs(content: Sequence[Word], used: Sequence[Passage]) -> float:
    pairs = {(left.stem, right.stem) for left, right in zip(content, content[1:], strict=False)}
    if not pairs:
        return 0.0
    there: set[tuple[str, str]] = set()
    for passage in used:
        stems = [word.stem for word in passage.words if not word.is_stop]
        there.update(zip(stems, stems[1:], strict=False))
        there.update(zip(stems, stems[2:], strict=False))
    return 1 - len(pairs & there) / len(pairs)


def _flat(found: Sequence[Word]) -> str:
    return " ".join(word.key for word in found)
