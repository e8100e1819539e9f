"""Hard checks on names: that they are in the evidence, and who did what to whom.

Law: a name that no cited row holds is not supported. A claim about one person is contradicted by a sentence that is
certainly about another: first-person words of another speaker, another name as its subject, or the same two names the
other way round. Where it is not certain (a vocative, "you", "we", a pronoun) nothing is decided here.

Source: DESIGN 5 ("names one person while the evidence is by another"), DESIGN 6 stage 4; rulings D1, D5.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

import regex

from voice.core.grounding.findings import Finding
from voice.core.grounding.identifiers import identifier_findings
from voice.core.grounding.passages import Passage, speaker_of
from voice.core.grounding.support import Support
from voice.core.grounding.values import Evidence
from voice.core.text.background import is_known_word
from voice.core.text.patterns import late_pattern
from voice.core.text.stems import stem_of
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word, forms_in, language_of, words

FIRST_SINGULAR = word_set("i i'm i've i'd i'll im ive me my mine myself ich mein meine mir mich je mon ma yo mi")
FIRST_PLURAL = word_set("we we're we've we'd we'll us our ours ourselves wir uns unser unsere nous notre nosotros")
SECOND = word_set("you you're you've you'd you'll your yours yourself youre u ur du dein deine vous tu votre")
GREEK_ASKING = "πωσ ποιοσ ποια ποιο ποιον ποιοι που ποτε τι γιατι ποσο ποσα ποσοι ποσεσ"
"""Keys of the Greek words that ask; a capital at the head of a question makes them no names."""
_PLAIN_CAPITALS = word_set(
    "i monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
    "september october november december jan feb mar apr jun jul aug sep sept oct nov dec mr mrs ms dr prof yes no "
    "ok okay q1 q2 q3 q4",
    GREEK_ASKING,
)
_SURE = 0.5
_OWN_SHARE = 0.6
"""When the subject's own sentences hold this share of what the best sentence holds, it is not somebody else's."""
SYMMETRIC = word_set(
    "and with meet met marry married friend friends together both between versus vs or joined know knows resemble "
    "resembles date dated dates hug hugged kiss kissed neighbour neighbours neighbor neighbors cousin colleague "
    "partner sibling siblings twin roommate flatmate spouse fight fought argued divorced like near beside than"
)
"""Words of what two do with one another, whoever is named first."""


class People(NamedTuple):
    """The people known from the rows of this prompt: first names and full names, folded."""

    names: frozenset[str]

    def named_in(self, found: Sequence[Word]) -> list[Word]:
        """Return the words of `found` that name a known person, in order."""
        return [word for word in found if word.is_capital and self.find(word.key)]

    def find(self, key: str) -> str | None:
        """Return the known name that `key` means (also shortened: "Mel" for "Melanie"), or None."""
        return next((name for name in sorted(self.names) if same_name(key, name)), None)


def people_of(rows: Sequence[Evidence]) -> People:
    """Return the people of `rows`: their speakers; names of other things are not people."""
    speakers = {name for row in rows if (name := speaker_of(row))}
    return People(frozenset(words(name)[0].key for name in speakers if words(name)))


def same_name(ours: str, theirs: str) -> bool:
    """Return whether one is the other or its beginning, from three letters on ("Caro", "Caroline")."""
    shorter, longer = sorted((ours, theirs), key=len)
    return shorter == longer or (len(shorter) >= 3 and longer.startswith(shorter) and len(longer) - len(shorter) <= 6)


def proper_names(text: str, found: Sequence[Word]) -> list[Word]:
    """Return the words of a sentence that are names: capitals inside it, and at its start when no everyday word.

    In German every noun is a capital, so that a capital says nothing; there are none to be sure of.
    """
    if language_of(found) == "de":
        return []
    names: list[Word] = []
    capitals = sum(word.is_capital for word in found)
    if len(found) > 4 and capitals > 0.8 * len(found):
        return []
    for word in found:
        if not word.is_capital or word.is_stop or word.key in _PLAIN_CAPITALS or word.is_number:
            continue
        if _begins(text, word) and (is_known_word(word.key) or word.key.endswith(("ing", "ly", "ed"))):
            continue
        names.append(word)
    return names


def asked_names(question: str, found: Sequence[Word], rows: Sequence[Evidence]) -> list[Word]:
    """Return the words of a question that are names; in German, where every noun is capital, those the rows know."""
    if language_of(found) != "de":
        return proper_names(question, found)
    keys = {word.key for word in found if word.is_capital}
    names = dict.fromkeys(name for row in rows for name in (*row.entity_names, speaker_of(row) or ""))
    parts = ({word.key for word in words(name) if not word.is_stop} for name in names)
    known = frozenset[str]().union(*(part for part in parts if part <= keys))
    return [word for word in found if word.is_capital and word.key in known]


def _begins(text: str, word: Word) -> bool:
    """Return whether the word stands first in its sentence, line or quotation."""
    before = text[: word.start].rstrip(" \t*_#>-•–—\"'“‘«([")
    return not before or before[-1] in ".!?:;\n"


def name_findings(
    text: str, found: Sequence[Word], passages: Sequence[Passage], rows: Sequence[Evidence]
) -> list[Finding]:
    """Return a finding when the claim holds a name or another identifier that none of the cited rows holds.

    Args:
        text: the claim.
        found: its words.
        passages: the sentences that the citations touch; looked at first.
        rows: the cited rows; a name elsewhere in one of them was in the prompt, too.
    """
    if other := identifier_findings(text, (row.text for row in rows)):
        return other
    known = frozenset[str]().union(*(passage.stems for passage in passages))
    names = [word for word in proper_names(text, found) if word.stem not in known]
    if not names:
        return []
    texts = _texts_with(names, rows)
    keys = frozenset[str]().union(*map(forms_in, texts))
    lacking = [word for word in names if not _is_held(word, keys, texts)]
    if not lacking:
        return []
    if all(_begins(text, word) and not _is_subject(word, found) for word in lacking):
        return [
            Finding(flag="name", text="the answer begins with a word that may be a name", effect="note", weight=0.2)
        ]
    return [Finding(flag="name", text="the answer uses a name that no cited source holds", effect="unsupported")]


def _texts_with(names: Sequence[Word], rows: Sequence[Evidence]) -> list[str]:
    """Return what rows say, without those that surely hold none of `names`: most rows of a long page are such."""
    texts = [" ".join((row.text, row.speaker or "", *row.entity_names)) for row in rows]
    if any(word.text.isupper() or not word.text.isascii() for word in names):
        return texts
    beginnings = {word.stem[:3] for word in names} | {word.key[:3] for word in names}
    return [text for text in texts if not text.isascii() or any(start in text.lower() for start in beginnings)]


def _is_subject(word: Word, found: Sequence[Word]) -> bool:
    """Return whether a sentence's first word is surely a name: another capital, a possessive or a verb follows."""
    index = found.index(word)
    following = found[index + 1] if index + 1 < len(found) else None
    if following is None or word.key.endswith("s"):
        return False
    return word.text.endswith(("'s", "’s")) or following.key in _VERBS or following.key.endswith("ed")


_VERBS = word_set(
    "is was has had did does will would can could says said went goes likes loves wants lives works thinks got gets "
    "made makes bought told asked gave took came left moved won lost met"
)


def _is_held(word: Word, keys: frozenset[str], texts: Sequence[str]) -> bool:
    if word.key in keys or word.stem in keys:
        return True
    if any(same_name(word.key, key) for key in keys if key[:3] == word.key[:3]):
        return True
    return word.text.isupper() and 2 <= len(word.text) <= 5 and _spelled_out(word.key, texts)


def _spelled_out(acronym: str, texts: Sequence[str]) -> bool:
    initials = "".join(word.key[0] for text in texts for word in words(text) if word.is_capital)
    return acronym in initials


def about_subject(text: str, found: Sequence[Word], passages: Sequence[Passage], people: People) -> list[Passage]:
    """Return the passages that may be about the person a claim is about; all of them when it is about no known one.

    What another speaker says of themselves, or in general, is no evidence for a claim about the person named.
    """
    subject = subject_of(text, found, people)
    if subject is None:
        return list(passages)
    named = [word.key for word in people.named_in(found)]
    return [passage for passage in passages if _aboutness(subject, named, passage) != "another"]


def subject_of(text: str, found: Sequence[Word], people: People) -> str | None:
    """Return the known person that the claim is about: the first one named, before its fourth word or after a comma."""
    lead = text.find(",")
    for index, word in enumerate(found):
        if word.is_capital and people.find(word.key):
            return word.key if index <= 2 or (0 <= lead < word.start) else None
    return None


def _aboutness(subject: str, named: Sequence[str], passage: Passage) -> Literal["subject", "another", "unknown"]:
    """Return whom a passage is about, seen from a claim about `subject` that names the people `named`."""
    speaker = words(passage.speaker)[0].key if passage.speaker and words(passage.speaker) else None
    if speaker is None:
        return "unknown"
    if same_name(speaker, subject) or _speaks_of(subject, passage):
        return "subject"
    if any(same_name(speaker, name) for name in named):
        return "unknown"
    return "unknown" if {word.key for word in passage.words} & SECOND else "another"


def only_person(names: Sequence[Word], people: People) -> Word | None:
    """Return the one known person among the names of a question; None when there is none, or several."""
    known = {person: name for name in names if (person := people.find(name.key))}
    return next(iter(known.values())) if len(known) == 1 else None


def is_of_person(person: str, passage: Passage) -> bool:
    """Return whether a passage is by a person, about them, or by nobody known: then it may be."""
    speaker = words(passage.speaker)[0].key if passage.speaker and words(passage.speaker) else None
    return speaker is None or same_name(speaker, person) or may_be_about(person, passage)


def may_be_about(person: str, passage: Passage) -> bool:
    """Return whether a passage of another speaker names the person as more than the one spoken to, or may mean them."""
    keys = {word.key for word in passage.words}
    return _speaks_of(person, passage) or bool(keys & SECOND and not keys & FIRST_SINGULAR)


def _speaks_of(subject: str, passage: Passage) -> bool:
    return any(
        word.is_capital and same_name(word.key, subject) and not is_vocative(passage, word) for word in passage.words
    )


def person_findings(found: Sequence[Word], whole: Support, own: Support, passages: Sequence[Passage]) -> list[Finding]:
    """Return a finding when the evidence for a claim is about somebody else.

    Args:
        found: the claim's words.
        whole: its support by all evidence.
        own: its support by what may be about its subject (`about_subject`).
        passages: all evidence; where one of its sentences has the two people as the claim has them, nothing is wrong.
    """
    if whole.best is None:
        return []
    if _is_reversed(found, whole.best) and not any(_is_straight(found, one) for one in passages):
        reason = "the source has the two people the other way round"
        return [Finding(flag="person", text=reason, effect="contradicted")]
    if whole.best_recall < _SURE or own.best_recall >= _OWN_SHARE * whole.best_recall:
        return []
    speaker = whole.best.speaker
    keys = {word.key for word in whole.best.words}
    if speaker is None or not keys & FIRST_SINGULAR or keys & SECOND:
        return [Finding(flag="person", text="the source is by or about somebody else", effect="note")]
    reason = f"the source says this of {speaker}, not of the person named"
    return [Finding(flag="person", text=reason, effect="contradicted")]


def is_vocative(passage: Passage, word: Word) -> bool:
    """Return whether a name is only being spoken to: set off by commas or marks, not part of the statement."""
    before = passage.text[: word.start].rstrip()
    after = passage.text[word.end :].lstrip()
    opens = not before or before[-1] in ",.!?;:" or bool(_GREETING.search(before))
    closes = not after or after[0] in ",.!?;:"
    return opens and closes


_GREETING = late_pattern(
    r"\b(?:hey|hi|hello|thanks|thank you|wow|yeah|yes|no|ok|okay|congrats|yep|cheers|aw+)$", regex.IGNORECASE
)


class _Deed(NamedTuple):
    """Who did what to whom, as far as the order of words tells."""

    doer: str
    other: str
    between: frozenset[str]
    """Keys of all words between the two."""
    verbs: frozenset[str]
    """Stems of the telling ones; of the small ones those that do something."""


def _deeds(found: Sequence[Word]) -> list[_Deed]:
    """Return the neighbouring names of a sentence, "I" and "you" among them, with what stands between."""
    actors = [word for word in found if _actor(word)]
    return [
        _Deed(
            _actor(first),
            _actor(second),
            frozenset(word.key for word in between),
            frozenset(word.stem for word in between if not word.is_stop or word.key in _SMALL_DEEDS)
            | frozenset(stem_of(word.key) for word in between if word.key in _SMALL_DEEDS),
        )
        for first, second in pairwise(actors)
        for between in [[word for word in found if first.end <= word.start < second.start]]
    ]


def _actor(word: Word) -> str:
    """Return whom a word names: a capital by its key, the person who asks as one; nobody by the empty string."""
    if word.key in _ASKER:
        return "i"
    is_name = word.is_capital and not word.is_stop and word.key not in _PLAIN_CAPITALS and not word.is_number
    return word.key if is_name else ""


_SMALL_DEEDS = word_set("gave give gives took take takes got get gets told tell tells left leave made make")
_ASKER = word_set("i i'm i've i'd i'll me you you're you've you'd you'll")


_WRITER = Word("I", 0, 0, "i", "i", True, False)


def _is_reversed(found: Sequence[Word], best: Passage) -> bool:
    """Return whether claim and source have the same two people around one verb in opposite order, both active."""
    theirs = _with_its_writer(best)
    there = {(deed.other, deed.doer): deed for deed in _deeds(theirs)}
    pairs = ((deed, there.get((deed.doer, deed.other))) for deed in _deeds(found))
    return any(turned is not None and _is_turned(deed, turned, (found, theirs), best) for deed, turned in pairs)


def is_turned_around(found: Sequence[Word], passages: Sequence[Passage]) -> bool:
    """Return whether sentences have the two people of `found` the other way round, and none has them as it has."""
    return any(_is_reversed(found, one) for one in passages) and not any(_is_straight(found, one) for one in passages)


def _with_its_writer(passage: Passage) -> Sequence[Word]:
    """Return the words of a sentence, with the "I" that a note leaves out before its verb ("Gave Ingrid a scarf")."""
    found = passage.words
    first = found[0].key if found else ""
    is_verb = first in _SMALL_DEEDS or (first.endswith("ed") and len(first) > len("red") + 1)
    if passage.speaker or not is_verb or any(_actor(word) == "i" for word in _first_clause(passage)):
        return found
    return [_WRITER, found[0]._replace(text=first), *found[1:]]


def _first_clause(passage: Passage) -> Sequence[Word]:
    """Return the words of a sentence before its first semicolon; what stands behind it has a subject of its own."""
    end = passage.text.partition(";")[0]
    return [word for word in passage.words if word.start < len(end)]


def _is_turned(deed: _Deed, turned: _Deed, sides: Sequence[Sequence[Word]], best: Passage) -> bool:
    """Return whether two deeds of the same two people, each named once on either side, share a directed verb."""
    actors = {deed.doer, deed.other}
    if len(actors) == 1 or ("i" in actors and best.speaker is not None):
        return False
    if any(sum(_actor(word) in actors for word in side) != len(actors) for side in sides):
        return False
    return not (deed.between | turned.between) & (SYMMETRIC | {"by", "from"}) and bool(deed.verbs & turned.verbs)


def _is_straight(found: Sequence[Word], passage: Passage) -> bool:
    """Return whether a sentence has two people of the claim in the claim's order around one of its verbs."""
    ours = [(deed.doer, deed.other, verb) for deed in _deeds(found) for verb in deed.verbs]
    return any((deed.doer, deed.other, verb) in ours for deed in _deeds(passage.words) for verb in deed.verbs)
