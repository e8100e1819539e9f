"""Who did it and to whom: told by a passive, with "from" and "to", against another, or in German.

Law: "Ralf was fired by Uwe" tells what "Uwe fired Ralf" does, and not what "Ralf fired Uwe" does; who buys from Yusuf
is not bought from by him; who earns more than another is not out-earned; who moves from one place to another does not
move back. Each is a construction whose two parties stand plainly in the claim and in a sentence of the evidence, around
one verb; denied, doubted and mutual deeds ("met", "talked to") are left alone, and so is what any sentence tells as the
claim does.

Source: DESIGN 6 stage 4 (who did what to whom); ruling D1.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import regex

from voice.core.grounding.clauses import is_finite
from voice.core.grounding.findings import Finding
from voice.core.grounding.german_deeds import core_of
from voice.core.grounding.passages import Passage
from voice.core.grounding.who import SYMMETRIC
from voice.core.text.first_names import MEN, WOMEN
from voice.core.text.patterns import late_pattern
from voice.core.text.stems import stem_of
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word, fold_key, words

_MUTUAL = frozenset(map(stem_of, SYMMETRIC | word_set("talk speak chat argue live share split swap trade wait")))
_NAME = r"(?!(?:I|You|My|Your|Our|The|An?|He|She|It|We|They|This|That|There)\b)\p{Lu}[\p{L}-]+(?: \p{Lu}[\p{L}-]+)*"
_PARTY = rf"(?:(?:[Mm]y|[Yy]our|[Oo]ur|[Tt]he|[Aa]n?) \p{{Ll}}+|{_NAME}|I|[Yy]ou|me)(?:['’]s \p{{Ll}}+)?(?!['’\p{{L}}])"
_LEAD = r"(?:^\W*|[,;:.!?] |\b(?:and|but|that|because|when|while|after|before|since|as|where) )(?<!\bby |\bthan )"
_BE = r"(?:is|was|were|are|am|got|been|get|gets|(?:has|have|had) been)"
_BY_THE_WAY = r"(?:(?:just|also|even|already|once|later|then|finally|recently|badly|eventually|only) )?"
_SOON = r"(?:[^\s.,;:!?]+ ){0,6}?"
_PASSIVE = late_pattern(
    rf"{_LEAD}(?P<first>{_PARTY}) {_BE} {_BY_THE_WAY}(?P<verb>\p{{Ll}}+) {_SOON}by (?P<second>{_PARTY})"
)
_ACTIVE = late_pattern(
    rf"{_LEAD}(?P<first>{_PARTY}) (?:(?:has|have|had) )?{_BY_THE_WAY}(?P<verb>\p{{Ll}}+) (?P<second>{_PARTY})"
)
_TOWARDS = late_pattern(
    rf"{_LEAD}(?P<first>{_PARTY}) (?:(?:has|have|had) )?{_BY_THE_WAY}(?P<verb>\p{{Ll}}+) {_SOON}"
    rf"(?P<way>from|to) (?P<second>{_PARTY})"
)
_AGAINST = late_pattern(
    rf"{_LEAD}(?P<first>{_PARTY}) (?P<verb>\p{{Ll}}+) (?:[^\s.,;:!?]+ ){{0,3}}?"
    rf"(?P<way>(?:more|less|fewer|better|worse|\p{{Ll}}+er)\b(?: \p{{Ll}}+){{0,2}}?) than (?P<second>{_PARTY})"
)
_SIGNS = {_PASSIVE: (" by ",), _ACTIVE: (" ",), _TOWARDS: (" from ", " to ")}
"""Without one of these a pattern cannot match."""
_GERMAN_PARTY = (
    r"(?:[Ii]ch|[Dd]u|mir|dir|mich|dich|(?:[Mm]ein|[Dd]ein)(?:e|en|em|er)? \p{Lu}\p{Ll}+"
    r"|(?!(?:Ich|Du|Mein|Dein|Der|Die|Das|Er|Sie|Es|Wir)\b)\p{Lu}\p{Ll}+)"
)
_GERMAN_ACTIVE = late_pattern(
    rf"^\W*(?P<first>{_GERMAN_PARTY}) (?:habe|hast|hat) (?P<second>{_GERMAN_PARTY}) "
    r"(?:(?!nicht|nie|kein)[^\s.,;:!?]+ ){0,6}?(?P<verb>\p{Ll}+)\W*$"
)
_GERMAN_PASSIVE = late_pattern(
    rf"^\W*(?P<first>{_GERMAN_PARTY}) (?:wurde|wurdest|bin|bist|ist) (?:\p{{Ll}}+ )?von (?P<second>{_GERMAN_PARTY}) "
    r"(?:(?!nicht|nie|kein)[^\s.,;:!?]+ ){0,4}?(?P<verb>ge\p{Ll}+|\p{Ll}+(?:t|en))(?: worden)?\W*$"
)
_BY_PRONOUN = (
    late_pattern(rf"\b(?P<who>[Hh]e|[Ss]he|[Tt]hey) {_BY_THE_WAY}(?P<verb>\p{{Ll}}+) (?P<second>{_PARTY})[^.;!?]*"),
    late_pattern(rf"{_LEAD}(?P<first>{_PARTY}) {_BY_THE_WAY}(?P<verb>\p{{Ll}}+) (?P<who>him|her|them)\b[^.;!?]*"),
)
"""A deed one party of which is told by a pronoun."""
_HERS = word_set("she her")
_HIS = word_set("he him")
_FROM_TO = late_pattern(
    r"(?P<before>(?:[^\s.,;:!?]+ ){1,4}?)(?:from (?P<from>[^.;,]{1,40}?) to (?P<to>[^.;,]+)"
    r"|to (?P<to>[^.;,]{1,40}?) from (?P<from>[^.;,]+))",
    regex.IGNORECASE,
)
_PART = late_pattern(r"[\p{L}-]+")
_POSSESSIVE = late_pattern(r"['’]s\b")
_BE_FORMS = word_set("is was were are am been")
_TURNED = "the source has the two people the other way round"
_PLACES = "the source has the two the other way round"
_AGAINST_ANOTHER = "the source compares the two the other way round"


class _Deed(NamedTuple):
    """One party, what it does, and the other party; all in comparable forms."""

    doer: tuple[str, ...]
    verb: str
    other: tuple[str, ...]

    @property
    def turned(self) -> "_Deed":
        return _Deed(self.other, self.verb, self.doer)


def party_findings(text: str, found: Sequence[Word], passages: Sequence[Passage]) -> list[Finding]:
    """Return a finding for a claim that tells a deed, a comparison or a move of the evidence from the wrong side.

    Args:
        text: the claim.
        found: its words.
        passages: all evidence.
    """
    stated = [one for one in passages if not one.text.rstrip().endswith("?")]
    for deeds, may_tell, reason in _WAYS:
        claimed = set(deeds(text, found))
        likely = [one for one in stated if any(may_tell(one, deed) for deed in claimed)]
        told = {deed for one in likely for deed in _told(one, deeds(one.text, one.words))}
        if any(deed.turned in told | claimed and deed not in told for deed in claimed):
            told |= {deed for deed in claimed if any(_is_told_by_pronoun(deed, found, one) for one in stated)}
        if any(deed.turned in told and deed not in told for deed in claimed):
            return [Finding(flag="person", text=reason, effect="contradicted")]
    return []


def _names_both(passage: Passage, deed: _Deed) -> bool:
    """Return whether a sentence may tell a deed from either side: it has the names of both, as far as they have any."""
    if not passage.text.isascii():
        return True
    plain = passage.text.lower()
    return all(part in plain for party in (deed.doer, deed.other) if party != ("i",) for part in party if part != "my")


def _has_both(passage: Passage, move: _Deed) -> bool:
    """Return whether a sentence may tell a move from either side: it has both places."""
    return passage.stems.issuperset((*move.doer, *move.other))


def _told(passage: Passage, deeds: Iterator[_Deed]) -> Iterator[_Deed]:
    """Yield the deeds of a sentence whose parties are known: another speaker's "I" is not who asks."""
    yield from (one for one in deeds if not passage.speaker or ("i",) not in (one.doer, one.other))


def _is_told_by_pronoun(deed: _Deed, found: Sequence[Word], passage: Passage) -> bool:
    """Return whether a sentence tells a deed, with all that is claimed of it, of one whom it named before.

    "Gave Nora my book; she gave me her starter" tells that Nora gave a starter, and not that she gave a book.
    """
    for match in (one for pattern in _BY_PRONOUN for one in pattern.finditer(passage.text)):
        parties = match.groupdict()
        first, second = (_party(parties[one]) if parties.get(one) else None for one in ("first", "second"))
        named = deed.doer if first is None else deed.other
        is_it = stem_of(fold_key(match["verb"])) == deed.verb and (first or second) in (deed.doer, deed.other)
        if not is_it or named == (first or second) or not _may_be_called(named, match["who"].lower()):
            continue
        before = {word.key for word in words(passage.text[: match.start()])}
        told = {word.stem for word in words(match[0])}
        telling = [word for word in found if not (word.is_stop or word.key in named)]
        if before.issuperset(named) and all(word.stem in told for word in telling):
            return True
    return False


def _may_be_called(named: Sequence[str], pronoun: str) -> bool:
    return not ((pronoun in _HERS and named[0] in MEN) or (pronoun in _HIS and named[0] in WOMEN))


def _deeds(text: str, found: Sequence[Word]) -> Iterator[_Deed]:
    said = _with_its_writer(text, found)
    for pattern, is_passive in ((_PASSIVE, True), (_ACTIVE, False), (_TOWARDS, False)):
        for match in pattern.finditer(said, overlapped=True) if any(sign in said for sign in _SIGNS[pattern]) else ():
            verb = stem_of(fold_key(match["verb"]))
            first, second = _party(match["first"]), _party(match["second"])
            if verb in _MUTUAL or first == second or match["verb"] in _BE_FORMS:
                continue
            if pattern is _TOWARDS and match["way"] == "from":
                yield _Deed(first, f"{verb} from", second)
            else:
                yield _Deed(second, verb, first) if is_passive else _Deed(first, verb, second)
    for pattern in (_GERMAN_ACTIVE, _GERMAN_PASSIVE):
        if match := pattern.match(text):
            sides = _german_party(match["first"]), _german_party(match["second"])
            doer, other = sides if pattern is _GERMAN_ACTIVE else sides[::-1]
            yield _Deed(doer, core_of(match["verb"]), other)


def _with_its_writer(text: str, found: Sequence[Word]) -> str:
    """Return a sentence with the "I" that a note leaves out before its verb ("Bought the camera from Yusuf")."""
    if not found or not is_finite(found[0]) or found[0].key in ("can", "could", "will", "would"):
        return text
    first = found[0]
    return f"I {first.text.lower()}{text[first.end :]}"


def _party(written: str) -> tuple[str, ...]:
    """Return whom words mean: who asks and who is spoken to are one, and so are "my" and "your"."""
    keys = [fold_key(part) for part in _PART.findall(_POSSESSIVE.sub("", written))]
    if keys[0] in ("i", "me", "you"):
        return ("i",)
    if keys[0] in ("my", "your", "our"):
        return ("my", *keys[1:])
    return tuple(keys[1:] if keys[0] in ("the", "a", "an") else keys)


def _german_party(written: str) -> tuple[str, ...]:
    first, _, noun = written.partition(" ")
    key = fold_key(first)
    if key in ("ich", "du", "mir", "dir", "mich", "dich"):
        return ("i",)
    return ("my", fold_key(noun)) if noun else (key,)


def _comparisons(text: str, found: Sequence[Word]) -> Iterator[_Deed]:
    del found
    for match in _AGAINST.finditer(text) if " than " in text else ():
        verb = "be" if match["verb"] in _BE_FORMS else stem_of(match["verb"])
        first, second = _party(match["first"]), _party(match["second"])
        if first != second:
            yield _Deed(first, f"{verb} {match['way']}", second)


def _moves(text: str, found: Sequence[Word]) -> Iterator[_Deed]:
    """Yield from where to where something goes: by the last telling word of the one, the first of the other."""
    del found
    plain = text.lower()
    for match in _FROM_TO.finditer(text) if "from " in plain and "to " in plain else ():
        verbs = [word for word in words(match["before"]) if is_finite(word) and not word.is_stop]
        source, target = (
            [word.stem for word in words(match[way]) if not (word.is_stop or word.is_number)] for way in ("from", "to")
        )
        if verbs and source and target and source[0] != target[0]:
            yield _Deed((source[0],), verbs[-1].stem, (target[0],))


_WAYS = (
    (_deeds, _names_both, _TURNED),
    (_comparisons, _names_both, _AGAINST_ANOTHER),
    (_moves, _has_both, _PLACES),
)
"""What is looked for, which sentences may hold it, and what is wrong where it is told from the wrong side."""
