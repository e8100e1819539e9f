"""Hard checks on names: that they are in the evidence, and who did what to whom.

Law: a name that no cited row holds is not supported. A claim about one person is contradicted by a sentence that is
certainly about another: first-person words of another speaker, another name as its subject, or the same two names the
other way round. Where it is not certain (a vocative, "you", "we", a pronoun) nothing is decided here.

Source: DESIGN 5 ("names one person while the evidence is by another"), DESIGN 6 stage 4; rulings D1, D5.
"""

from collections.abc import Sequence
from typing import NamedTuple

import regex

from voice.core.grounding.findings import Finding
from voice.core.grounding.passages import Passage, speaker_of
from voice.core.grounding.support import Support
from voice.core.grounding.values import Evidence
from voice.core.text.background import is_known_word
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word, words

_FIRST_SINGULAR = word_set("i i'm i've i'd i'll im ive me my mine myself ich mein meine mir mich je mon ma yo mi")
_FIRST_PLURAL = word_set("we we're we've we'd we'll us our ours ourselves wir uns unser unsere nous notre nosotros")
_SECOND = word_set("you you're you've you'd you'll your yours yourself youre u ur du dein deine vous tu votre")
_PLAIN_CAPITALS = word_set(
    "i monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
    "september october november december mr mrs ms dr prof yes no ok okay"
)
_SURE = 0.4
_RIVAL_SHARE = 0.75
_SYMMETRIC = word_set(
    "and with meet met marry married friend friends together both between versus vs or joined know knows"
)


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
    """Return the words of a sentence that are names: capitals inside it, and at its start when no everyday word."""
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


def _begins(text: str, word: Word) -> bool:
    """Return whether the word stands first in its sentence, line or quotation."""
    before = text[: word.start].rstrip(" \t*_#>-•–—\"'“‘«([")
    return not before or before[-1] in ".!?:;\n"


def name_findings(text: str, found: Sequence[Word], rows: Sequence[Evidence]) -> list[Finding]:
    """Return a finding when the claim holds a name that none of the cited `rows` holds."""
    names = proper_names(text, found)
    if not names:
        return []
    held = [word for row in rows for word in words(" ".join((row.text, row.speaker or "", *row.entity_names)))]
    keys = {word.key for word in held} | {word.stem for word in held}
    if all(_is_held(word, keys, held) for word in names):
        return []
    return [Finding(flag="name", text="the answer uses a name that no cited source holds", effect="unsupported")]


def _is_held(word: Word, keys: set[str], held: Sequence[Word]) -> bool:
    if word.key in keys or word.stem in keys:
        return True
    if any(same_name(word.key, key) for key in keys if key[:3] == word.key[:3]):
        return True
    return word.text.isupper() and 2 <= len(word.text) <= 5 and _spelled_out(word.key, held)


def _spelled_out(acronym: str, held: Sequence[Word]) -> bool:
    initials = "".join(word.key[0] for word in held if word.is_capital)
    return acronym in initials


def person_findings(text: str, found: Sequence[Word], support: Support, people: People) -> list[Finding]:
    """Return a finding when the best evidence is certainly about somebody else than the claim."""
    if support.best is None:
        return []
    subject = _subject(text, found, people)
    if subject is None:
        return []
    claimed = people.find(subject.key) or subject.key
    other = _certainly_about_another(claimed, found, support, people)
    if other is not None and support.best_recall >= _SURE:
        return [
            Finding(
                flag="person", text=f"the source says this of {other}, not of the person named", effect="contradicted"
            )
        ]
    if _is_reversed(found, support.best, people):
        return [Finding(flag="person", text="the source has the two people the other way round", effect="contradicted")]
    if _is_by_another(claimed, found, support, people):
        return [Finding(flag="person", text="the source is by or about somebody else", effect="note", weight=0.8)]
    return []


def _subject(text: str, found: Sequence[Word], people: People) -> Word | None:
    """Return the known person that the claim is about: the first one named, before its third word or a comma."""
    lead = text.find(",")
    for index, word in enumerate(found):
        if word.is_capital and people.find(word.key):
            return word if index <= 2 or (0 <= lead < word.start) else None
    return None


def _certainly_about_another(claimed: str, found: Sequence[Word], support: Support, people: People) -> str | None:
    best = support.used[0]
    speaker = best.speaker
    if speaker is None or not words(speaker):
        return None
    speaker_key = words(speaker)[0].key
    if same_name(speaker_key, claimed) or any(same_name(word.key, speaker_key) for word in people.named_in(found)):
        return None
    keys = {word.key for word in best.words}
    if not keys & _FIRST_SINGULAR or keys & (_SECOND | _FIRST_PLURAL):
        return None
    if any(same_name(word.key, claimed) and not _is_vocative(best, word) for word in best.words if word.is_capital):
        return None
    return None if _has_rival(claimed, support) else speaker


def _has_rival(claimed: str, support: Support) -> bool:
    """Return whether the claimed person says much the same in another used sentence."""
    share = max(1, len(support.used[0].stems))
    for passage in support.used[1:]:
        speaker = passage.speaker
        if speaker and words(speaker) and same_name(words(speaker)[0].key, claimed):
            common = len(passage.stems & support.used[0].stems)
            if common / share >= _RIVAL_SHARE:
                return True
    return False


def _is_vocative(passage: Passage, word: Word) -> bool:
    """Return whether a name is only being spoken to: set off by commas or marks, not part of the statement."""
    before = passage.text[: word.start].rstrip()
    after = passage.text[word.end :].lstrip()
    opens = not before or before[-1] in ",.!?;:" or bool(_GREETING.search(before))
    closes = not after or after[0] in ",.!?;:"
    return opens and closes


_GREETING = regex.compile(
    r"\b(?:hey|hi|hello|thanks|thank you|wow|yeah|yes|no|ok|okay|congrats|yep|cheers|aw+)$", regex.IGNORECASE
)


def _is_by_another(claimed: str, found: Sequence[Word], support: Support, people: People) -> bool:
    """Return whether no used sentence is by, about or to the claimed person, though its speaker is known."""
    named = [word.key for word in people.named_in(found)]
    for passage in support.used:
        speaker = words(passage.speaker)[0].key if passage.speaker and words(passage.speaker) else None
        keys = {word.key for word in passage.words}
        if speaker is None or any(same_name(speaker, name) for name in named) or keys & (_SECOND | _FIRST_PLURAL):
            return False
        if any(same_name(word.key, claimed) for word in passage.words if word.is_capital):
            return False
    return True


def _is_reversed(found: Sequence[Word], best: Passage, people: People) -> bool:
    """Return whether claim and source name the same two people around one verb in opposite order, both active."""
    ours, theirs = people.named_in(found), people.named_in(best.words)
    if len(ours) != 2 or len(theirs) != 2 or ours[0].key != theirs[1].key or ours[1].key != theirs[0].key:
        return False
    inner_ours = [word for word in found if ours[0].end <= word.start < ours[1].start]
    inner_theirs = [word for word in best.words if theirs[0].end <= word.start < theirs[1].start]
    keys = {word.key for word in (*inner_ours, *inner_theirs)}
    if keys & (_SYMMETRIC | {"by", "from"}):
        return False
    return bool({w.stem for w in inner_ours if not w.is_stop} & {w.stem for w in inner_theirs if not w.is_stop})
