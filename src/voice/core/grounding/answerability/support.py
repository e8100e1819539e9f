"""How well evidence supports a sentence: one number, higher is worse.

Law: the score is lexical and deterministic. It weighs the claim's telling words (`voice.core.text.background`) against
the five evidence sentences that together hold most of them; a synonym or a near spelling counts as most of a match.
What stands at a sentence's end is a doubt of its own (`doubts`): that is where new information is put, and where
inventions are appended. Who speaks in the evidence tells next to nothing of what is said: such a name hardly weighs.
Hard facts (numbers, polarity, who) are not measured here but vetoed (`figures`, `polarity`, `who`).

Source: DESIGN 6 stage 3; GROUNDING "hand v2". How the weights were chosen and validated: docs/grounding-measured.md.
"""

from collections.abc import Sequence

from rapidfuzz.distance import Levenshtein

from voice.core.text.background import weight_of
from voice.core.text.number_words import GERMAN, ONES, TENS
from voice.core.text.stems import stem_of
from voice.core.text.synonyms import synonyms_of
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word

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


def credited_share(content: Sequence[Word], held: frozenset[str]) -> float:
    """Return the share of the weight of `content` that the stems `held` hold, themselves, by synonym or nearly."""
    weights = _weights(content)
    total = sum(weights.values())
    return sum(weight * credit_of(stem, held) for stem, weight in weights.items()) / total if total else 0.0


def _weights(content: Sequence[Word]) -> dict[str, float]:
    return {word.stem: _REPORTING_WEIGHT if word.key in _REPORTING else weight_of(word.stem) for word in content}


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
