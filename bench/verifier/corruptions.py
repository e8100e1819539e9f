"""Sentences made false on purpose, and the same sentences made true in other words, for training alone.

Law: a pair that is made comes from one sentence of a source and says so: a true one rewords it (a name for "I", a
contraction written out, a clause or an interjection left out), a false one rewords it in the same way and then changes
one thing, so that nothing but the change tells them apart. What a false one brings stands in other sources of the same
file. The same seed makes the same pairs; nothing that is measured is ever made.

Source: docs/verifiers.md; the kinds are those of the adversary suite.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random
from typing import Final

import regex

from voice.core.text.facts import fact_of
from voice.core.text.sentences import sentences
from voice.core.text.synonyms import synonyms_of
from voice.core.text.words import Word, words

TRUE: Final = "true"
_FEWEST, _MOST = 4, 30
"""Telling words and words of a sentence that is used."""
_FALSE_EACH = 2
_OF_EACH_ROW = 3
_SPEAKER = regex.compile(r"^([A-Z][\p{L}'’]+(?: [A-Z][\p{L}'’]+)?): ")
_ASIDE = regex.compile(r"\[[^\]]*\]|\([^)]*\)")
_OPENING = regex.compile(
    r"^(?:(?:hey|hi|wow|oh|yeah|yes|no|well|thanks|so|and|but|also|haha|awesome|cool)\b[ ,!]*)+", regex.I
)
_CLAUSE = regex.compile(r"(?:, | )(?:and|but|so|because|which|while|although)\b ", regex.I)
_FULL: Final[Mapping[str, str]] = {
    "can't": "cannot", "won't": "will not", "n't": " not", "'re": " are", "'ve": " have", "'ll": " will", "'m": " am",
}  # fmt: skip
_AUXILIARY = regex.compile(
    r"\b(is|are|was|were|has|had|will|would|can|could|should|did|does|am)\b(?!n['’]t| not)", regex.I
)
_DENIAL = regex.compile(
    r"(?<=\b(?:is|are|was|were|has|had|have|would|could|should|did|does|do|will))(?:n['’]t| not)\b|\bnever ", regex.I
)
_TAIL = regex.compile(r"\b(?:with|in|at|for|from|during|near|after|before) (?:[\p{L}'’]+ ){1,3}[\p{L}'’]+(?=[.!]?$)")
_SAID: Final[Mapping[str, str]] = {
    "i'm": "{} is", "i am": "{} is", "i've": "{} has", "i have": "{} has", "i'd": "{} would", "i'll": "{} will",
    "i don't": "{} does not", "i do": "{} does", "my": "{}'s", "me": "{}", "myself": "{}", "mine": "{}'s", "i": "{}",
}  # fmt: skip
_FIRST = regex.compile(r"\b(?:I(?:['’](?:m|ve|d|ll)| (?:am|have|do(?:n['’]t)?)\b)?|[Mm]y(?:self)?|[Mm]e|[Mm]ine)\b")
_PRESENT = regex.compile(
    r"\b(I) (love|like|want|need|think|feel|know|hope|enjoy|work|live|play|plan|see|make|keep|find|get)\b"
)
_POSSESSIVE = regex.compile(r"['’]s$")
_COUNTED: Final = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """One claim that was made of a source's sentence."""

    kind: str
    """`true`, or what was done to it."""
    text: str = field(repr=False)
    sources: tuple[str, ...] = field(repr=False)

    @property
    def is_false(self) -> bool:
        """Whether something was changed."""
        return self.kind != TRUE


@dataclass(frozen=True, slots=True)
class _Pool:
    """What the sources of one file have to put in another's place."""

    sentences: Sequence[str]
    names: Sequence[str]
    after: Mapping[str, Sequence[str]]
    """By a small word, the telling words that come after it."""


@dataclass(frozen=True, slots=True)
class _Seed:
    """A sentence that is made into others."""

    claim: str
    row: str
    """Where it stands."""
    source: str
    """All that is shown with it."""
    pool: _Pool
    chance: Random

    def lacks(self, word: str) -> bool:
        """Return whether the source holds neither the word nor one that says the same."""
        said, (own, *_) = {one.stem for one in words(self.source)}, words(word)
        return own.stem not in said and said.isdisjoint(synonyms_of(own.stem))


def made_of(documents: Sequence[Sequence[str]], count: int, chance: Random) -> list[Made]:
    """Return about `count` claims made of sentences of `documents`, each of which is one list of sources.

    Every sentence gives a true one and up to two false ones; of the kinds that it allows, the rarest so far.
    """
    pool = _pool_of([source for sources in documents for source in sources])
    made: list[Made] = []
    kinds = Counter[str]()
    for sources, row, sentence in _sentences_of(documents, chance):
        if len(made) >= count:
            break
        claim = _reworded(sentence, row, chance)
        made.append(Made(kind=TRUE, text=claim, sources=sources))
        seed = _Seed(claim, row, "\n".join(sources), pool, chance)
        found = {kind: text for kind, change in _CHANGES.items() if (text := change(seed)) and text != claim}
        for kind in sorted(found, key=lambda one: kinds[one])[:_FALSE_EACH]:
            kinds[kind] += 1
            made.append(Made(kind=kind, text=found[kind], sources=sources))
    return made


def _sentences_of(documents: Sequence[Sequence[str]], chance: Random) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """Yield sentences that state something, in random order, each with its sources and its own row."""
    rows = [(tuple(sources), row) for sources in documents for row in sources]
    chance.shuffle(rows)
    for sources, row in rows:
        usable = [one for one in sentences(_ASIDE.sub("", _SPEAKER.sub("", row))) if _is_usable(one)]
        for sentence in chance.sample(usable, min(_OF_EACH_ROW, len(usable))):
            yield sources, row, sentence.strip()


def _is_usable(sentence: str) -> bool:
    found = words(sentence)
    return (
        sum(not word.is_stop for word in found) >= _FEWEST
        and len(found) <= _MOST
        and not sentence.rstrip().endswith("?")
        and "\n" not in sentence
    )


def _pool_of(rows: Sequence[str]) -> _Pool:
    found: list[str] = []
    names = Counter[str]()
    after: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        for sentence in sentences(_ASIDE.sub("", _SPEAKER.sub("", row))):
            own = words(sentence)
            found.append(sentence.strip())
            names.update(_POSSESSIVE.sub("", word.text) for word in _names(own))
            for before, word in pairwise(own):
                if before.is_stop and _is_detail(word):
                    after[before.key].append(word.text)
    return _Pool(found, [name for name, _ in names.most_common(400)], after)


def _reworded(sentence: str, row: str, chance: Random) -> str:
    """Return what a sentence says, in words that are a little different; the person who speaks is named."""
    said = _OPENING.sub("", sentence).strip() or sentence
    if chance.random() < 0.5 and (clause := _CLAUSE.search(said)) and _is_usable(said[: clause.start()]):
        said = said[: clause.start()].rstrip(" ,") + "."
    if speaker := _SPEAKER.match(row):
        said = _PRESENT.sub(r"\1 \2s", said)
        said = _FIRST.sub(lambda one: _SAID.get(one[0].lower().replace("’", "'"), one[0]).format(speaker[1]), said)
    if chance.random() < 0.5:
        for short, full in _FULL.items():
            said = said.replace(short, full).replace(short.replace("'", "’"), full)
    return said[:1].upper() + said[1:]


def _replaced(text: str, word: Word, by: str) -> str:
    return text[: word.start] + by + text[word.end :]


def _names(found: Sequence[Word]) -> list[Word]:
    return [
        word
        for word in found[1:]
        if word.is_capital and len(word.text) > 2 and not (word.is_stop or word.is_number or fact_of(word))
    ]


def _is_detail(word: Word) -> bool:
    return word.text.islower() and len(word.text) > 3 and not (word.is_stop or word.is_number or fact_of(word))


def _number(seed: _Seed) -> str | None:
    """Return the claim with another number."""
    found = words(seed.claim)
    for word in found:
        if word.text.isascii() and word.text.isdigit():
            other = str(max(1, int(word.text) + seed.chance.choice((-7, -3, -2, -1, 1, 2, 3, 7))))
            return _replaced(seed.claim, word, other) if other not in seed.source else None
        if word.key in _COUNTED:
            other = seed.chance.choice([one for one in _COUNTED if one != word.key])
            return _replaced(seed.claim, word, other) if seed.lacks(other) else None
    return None


def _name(seed: _Seed) -> str | None:
    """Return the claim with another name."""
    found = _names(words(seed.claim))
    others = [name for name in seed.pool.names if name not in seed.source]
    if not (found and others):
        return None
    word, other = seed.chance.choice(found), seed.chance.choice(others)
    return _replaced(seed.claim, word, f"{other}'s" if _POSSESSIVE.search(word.text) else other)


def _negation(seed: _Seed) -> str | None:
    """Return the claim with a denial taken out, or put in."""
    if _DENIAL.search(seed.claim):
        return _DENIAL.sub("", seed.claim, count=1)
    found = _AUXILIARY.search(seed.claim)
    return f"{seed.claim[: found.end()]} not{seed.claim[found.end() :]}" if found else None


def _roles(seed: _Seed) -> str | None:
    """Return the claim with two of its names in one another's place."""
    found = [word for word in words(seed.claim) if word.is_capital and word.text in {*seed.pool.names}]
    pairs = [(one, two) for one in found for two in found if one.start < two.start and one.key != two.key]
    if not pairs:
        return None
    one, two = seed.chance.choice(pairs)
    return _replaced(_replaced(seed.claim, two, one.text), one, two.text)


def _other(seed: _Seed) -> str | None:
    """Return another source's sentence, said of whom this one is about."""
    strange = seed.chance.choice(seed.pool.sentences)
    return _reworded(strange, seed.row, seed.chance) if _is_usable(strange) and strange not in seed.source else None


def _detail(seed: _Seed) -> str | None:
    """Return the claim with a telling word of another source in the place of one of its own."""
    found = words(seed.claim)
    places = [(a, b) for a, b in pairwise(found) if _is_detail(b) and seed.pool.after.get(a.key)]
    if not places:
        return None
    before, word = seed.chance.choice(places)
    other = seed.chance.choice(seed.pool.after[before.key])
    return _replaced(seed.claim, word, other) if seed.lacks(other) else None


def _added(seed: _Seed) -> str | None:
    """Return the claim with a phrase added from the end of another source's sentence."""
    tail = _TAIL.search(seed.chance.choice(seed.pool.sentences))
    if tail is None or not any(_is_detail(word) and seed.lacks(word.text) for word in words(tail[0])):
        return None
    return f"{seed.claim.rstrip('.! ')} {tail[0]}."


_CHANGES: Final[Mapping[str, Callable[[_Seed], str | None]]] = {
    "number": _number,
    "name": _name,
    "negation": _negation,
    "roles": _roles,
    "other memory": _other,
    "detail": _detail,
    "added": _added,
}
