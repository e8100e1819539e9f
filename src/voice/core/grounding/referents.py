"""Whom a pronoun of the answer means, where that is certain.

Law: "she", "he", "her" and "his" at the head of a sentence mean the one known person that was named last, in the same
sentence before the pronoun or in the sentence before; an item of a list is about the one known person its heading
names. Anybody else who might be meant (a second name, "her sister", a name that may be a person's) makes it
uncertain, and so does a name of the other gender; then the sentence must stand by itself. A name replaces the pronoun
for asking whom a claim is about and for nothing else: what the answer says stays as it was written. A pronoun that can
mean nobody ("Gina sold his boat", where no man is told of) is a sign that the claim was another person's.

Source: DESIGN 6 stage 4 (who did what to whom); ruling D1.
"""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import Literal

from voice.core.grounding.findings import Finding
from voice.core.grounding.headings import headings_of
from voice.core.grounding.passages import Passage
from voice.core.grounding.possessors import is_possessive
from voice.core.grounding.who import People, proper_names, same_name
from voice.core.text.first_names import MEN, WOMEN
from voice.core.text.patterns import late_pattern
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word, without_possessive, words

Gender = Literal["she", "he"]
_PRONOUNS: dict[str, Gender] = {
    **dict.fromkeys(word_set("she she's she'd she'll her"), "she"),
    **dict.fromkeys(word_set("he he's he'd he'll his"), "he"),
}
_ANY_FORM: dict[str, Gender] = {**_PRONOUNS, "hers": "she", "herself": "she", "him": "he", "himself": "he"}
_NOBODYS = 2.0
"""What it weighs when a pronoun can mean nobody: alone more than a supported sentence may have against it."""
_POSSESSIVE = word_set("her his")
_HEAD = 3
"""A pronoun among so many first words of a sentence is its subject, or owns it."""
_SOMEBODY: dict[Gender, frozenset[str]] = {
    "she": word_set(
        "sister mother mom mum mama daughter wife aunt niece grandmother grandma girlfriend woman lady girl"
    ),
    "he": word_set("brother father dad papa son husband uncle nephew grandfather grandpa boyfriend man boy guy"),
}
_ANYBODY = word_set(
    "friend colleague boss neighbour neighbor cousin doctor teacher partner child kid baby student nurse coach manager "
    "roommate flatmate stranger person someone somebody guest customer client assistant"
)
_ANIMALS = word_set("dog cat puppy pup kitten pet horse rabbit bird hamster")
_PLACED = word_set("in at near around outside inside through across via")
_MARKER = late_pattern(r"^\s*(?:[-*•‣◦▪●–—+]|\(?(?:\d{1,3}|[a-zA-Z])[.)])\s+")


def gender_of(name: str) -> Gender | None:
    """Return whether a first name is a woman's or a man's as far as a short list of common names tells."""
    key = name.casefold()
    if key in WOMEN:
        return "she"
    return "he" if key in MEN else None


def named_sentences(texts: Sequence[str], people: People) -> list[str]:
    """Return the sentences of an answer with each certain pronoun replaced by the name it means.

    Args:
        texts: the sentences, in order.
        people: who is known.
    """
    told: list[str] = []
    headings = headings_of(texts)
    for index, text in enumerate(texts):
        heading = headings[index]
        named = text if heading is None else _listed(text, texts[heading], people) or text
        told.append(_resolved(named, told[index - 1] if index else "", people))
    return told


def _listed(item: str, heading: str, people: People) -> str | None:
    """Return an item of a list with the one person its heading names before it; None when it names one itself."""
    if people.named_in(words(item)):
        return None
    named = people.named_in(words(heading))
    if len({people.find(word.key) for word in named}) != 1:
        return None
    return f"{without_possessive(named[0].text)} {_MARKER.sub('', item)}"


def _resolved(text: str, before: str, people: People) -> str:
    found = words(text)
    at, pronoun = next(((index, word) for index, word in enumerate(found[:_HEAD]) if word.key in _PRONOUNS), (0, None))
    if pronoun is None:
        return text
    own = text[: pronoun.start]
    name = person_meant(_PRONOUNS[pronoun.key], own if people.named_in(found[:at]) else f"{before}\n{own}", people)
    if name is None:
        return text
    owns = pronoun.key in _POSSESSIVE
    ending = "'s" if owns else pronoun.text[len(pronoun.key.partition("'")[0]) :]
    return f"{own}{name}{ending}{text[pronoun.end :]}"


def person_meant(gender: Gender, before: str, people: People) -> str | None:
    """Return the name of the one known person that a pronoun after the text `before` can mean; None when unsure.

    Args:
        gender: "she" or "he".
        before: what was said up to the pronoun: the sentence before and the beginning of its own.
        people: who is known.
    """
    found = words(before)
    if any(word.stem in _SOMEBODY[gender] or word.key in _SOMEBODY[gender] | _ANYBODY for word in found):
        return None
    known = [word for word in people.named_in(found) if gender_of(without_possessive(word.text)) in (gender, None)]
    if len({people.find(word.key) for word in known}) != 1 or _may_be_another(before, found, known[0], gender):
        return None
    return without_possessive(known[0].text)


def pronoun_findings(text: str, before: str, passages: Sequence[Passage], people: People) -> list[Finding]:
    """Return a note when a pronoun of the claim `text` can mean nobody: those it names are all of the other gender.

    Args:
        text: the claim.
        before: what was said before it, in the question and in the answer; whom that speaks of may be meant.
        passages: all evidence; a man or a woman that one of its sentences speaks of may be meant, too.
        people: who is known; a claim that names anybody else says nothing of whom it means.
    """
    found = words(text)
    meant: set[Gender] = {_ANY_FORM[word.key] for word in found if word.key in _ANY_FORM}
    named = people.named_in(found)
    if len(meant) != 1 or not named or any(word not in named for word in proper_names(text, found)):
        return []
    (gender,) = meant
    told = [*found, *words(before)]
    if any(
        gender_of(without_possessive(word.text)) in (gender, None)
        for word in [*named, *proper_names(before, words(before))]
    ):
        return []
    if {word.key for word in told} & (_SOMEBODY[gender] | _ANYBODY | _ANIMALS) or _is_told_of(gender, passages):
        return []
    if _is_the_only_one(gender, found, passages):
        return []
    reason = "a pronoun of the answer can mean nobody it names: the sources say this rather of somebody else"
    return [Finding(flag="person", text=reason, effect="note", weight=_NOBODYS)]


def _is_told_of(gender: Gender, passages: Sequence[Passage]) -> bool:
    """Return whether the evidence speaks of somebody of a gender without a name."""
    told = (word.key for one in passages for word in one.words)
    return any(key in _SOMEBODY[gender] or _ANY_FORM.get(key) == gender for key in told)


def _is_the_only_one(gender: Gender, found: Sequence[Word], passages: Sequence[Passage]) -> bool:
    """Return whether the evidence has one name alone where a claim has its pronoun: "Rustam's boat", "his boat"."""
    owned = {after.stem for one, after in pairwise(found) if _ANY_FORM.get(one.key) == gender}
    beside = {before.key for before, one in pairwise(found) if _ANY_FORM.get(one.key) == gender}
    return len({name for one in passages for name in _in_place(gender, one, owned, beside)}) == 1


def _in_place(gender: Gender, passage: Passage, owned: AbstractSet[str], beside: AbstractSet[str]) -> Iterator[str]:
    names = {word.start for word in proper_names(passage.text, passage.words)}
    for before, word, after in zip((None, *passage.words), passage.words, (*passage.words[1:], None), strict=False):
        owns = after is not None and after.stem in owned and is_possessive(passage.text, word)
        is_there = (
            before is not None
            and before.key in beside
            and word.start in names
            and not is_possessive(passage.text, word)
        )
        name = without_possessive(word.text)
        if (owns or is_there) and word.start in names and gender_of(name) in (gender, None):
            yield name


def _may_be_another(text: str, found: Sequence[Word], known: Word, gender: Gender) -> bool:
    """Return whether a name beside the known one may be a person's of that gender: it is not said to be a place."""
    others = [word for word in proper_names(text, found) if not same_name(word.key, known.key)]
    return any(
        gender_of(without_possessive(word.text)) in (gender, None) and not _is_placed(word, found) for word in others
    )


def _is_placed(name: Word, found: Sequence[Word]) -> bool:
    index = found.index(name)
    return index > 0 and found[index - 1].key in _PLACED
