"""One score out of several: the calibrated sum.

Law: every part is absolute, so the sum of a row depends on the question and the row (and its neighbours), never on what
else was found. Ranks are never fused: on single turns of dialogue rank fusion was worse than words alone. The constants
are chosen by `python -m bench.calibrate`, not guessed; `docs/retrieval-quality.md` says what each gives, and what was
tried and left.

    own score  = vector × max(cosine, 0) + lexical × BM25 / WORDS_UNIT
    rank score = own score
               + neighbour × the best that the rows just before and after it lend of their own scores
               + coverage × what the question's words weigh that stand in the row or around it, each once
               + speaker, if the one person the question asks about said it
               - question × how much of a mere question the row is

A hit carries BM25 as a number in [0, 1): `BM25 / (BM25 + WORDS_UNIT)`. The sum uses BM25 itself: a long question has
much to match, and what it matches must be able to outweigh the cosine (as a share of what the question could reach at
most, words lost six points on long questions).

Source: DESIGN 5 (calibrated weighted sum); rulings C4, C9.
"""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from voice.core.retrieval.values import Hit

WORDS_UNIT: Final = 20.0
"""The BM25 score that weighs as much as a cosine of 1; good matches of single rows score 10 to 40."""
_PLACES: Final = 6
_ASKERS: Final = frozenset({"user", "human"})
"""What chats between a person and an assistant call the person."""
_OF_THE_ASKER: Final = """
i i'm i've i'd i'll me my mine myself ich mich mir mein meine meinem meinen meiner meines yo mi mis mí conmigo
"""
_FIRST_PERSON: Final = frozenset(_OF_THE_ASKER.split())
"""In the languages there are phrase tables for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FusionProfile:
    """How much each part counts, for one embedding model."""

    vector: float
    lexical: float
    speaker: float
    """Added to what the one person the question asks about said."""
    neighbour: float
    """Share of the best that the rows just before and just after lend."""
    coverage: float = 0.0
    """What the question's words in a row and those around it count for together."""
    question: float = 0.0
    """Taken from what is a mere question."""

    @property
    def weights(self) -> tuple[float, float]:
        """The (vector, lexical) weights, as a search index takes them."""
        return self.vector, self.lexical


_CALIBRATED: Final[dict[str, FusionProfile]] = {
    "all-MiniLM-L6-v2-int8": FusionProfile(
        vector=0.4, lexical=0.6, speaker=0.2, neighbour=0.5, coverage=0.3, question=0.1
    ),
}
DEFAULT_PROFILE: Final = FusionProfile(vector=0.4, lexical=0.6, speaker=0.2, neighbour=0.5, coverage=0.3, question=0.1)
"""For models that were not calibrated."""


def fusion_profile(model: str) -> FusionProfile:
    """Return the profile of an embedding model (ruling C4)."""
    return _CALIBRATED.get(model, DEFAULT_PROFILE)


def is_calibrated(model: str) -> bool:
    """Return whether what cosines of an embedding model are worth was measured."""
    return model in _CALIBRATED


def own_score(cosine: float | None, lexical: float, weights: tuple[float, float]) -> float:
    """Return what a row scores by itself, from its absolute arm scores and the (vector, lexical) weights."""
    vector, words = weights
    return vector * max(cosine or 0.0, 0.0) + words * lexical / (1.0 - lexical)


def hit_boosts(hit: Hit, profile: FusionProfile) -> tuple[tuple[str, float], ...]:
    """Return what a hit gains or loses beyond its own score, by name; nothing that is zero."""
    found: list[tuple[str, float]] = []
    if value := profile.neighbour * hit.neighbour:
        found.append(("neighbour", round(value, _PLACES)))
    if value := profile.coverage * hit.coverage:
        found.append(("coverage", round(value, _PLACES)))
    if value := profile.speaker * hit.is_speaker:
        found.append(("speaker", round(value, _PLACES)))
    if value := -profile.question * hit.asking:
        found.append(("question", round(value, _PLACES)))
    return tuple(found)


def rank_score(hit: Hit, weights: tuple[float, float], boosts: Iterable[tuple[str, float]] = ()) -> float:
    """Return the fused score of a hit: its own score and its boosts, to 6 places."""
    return round(own_score(hit.cosine, hit.lexical, weights) + sum(value for _, value in boosts), _PLACES)


def named_speaker(question: str, names: Iterable[str]) -> str | None:
    """Return the one name of `names` that the question says, or None when it says none or several.

    A name is said when all its words stand in the question next to one another, in any case. A question that says no
    name and asks in the first person ("when did I …", "my …") is about its asker, whom chats call `user`. For the
    benchmarks, whose data sets name their speakers and have no graph; a turn takes the persons that `parse_query`
    finds.
    """
    names, said = tuple(names), _words(question)
    found = {name for name in names if _stands_in(_words(name), said)}
    if not found and not _FIRST_PERSON.isdisjoint(said):
        found = {name for name in names if name.casefold() in _ASKERS}
    return found.pop() if len(found) == 1 else None


def _stands_in(name: list[str], words: list[str]) -> bool:
    width = len(name)
    return bool(name) and any(words[start : start + width] == name for start in range(len(words) - width + 1))


def _words(text: str) -> list[str]:
    folded = unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'")
    spaced = "".join(char if char.isalnum() or char == "'" or unicodedata.combining(char) else " " for char in folded)
    return [word.removesuffix("'s").strip("'") for word in spaced.split()]
