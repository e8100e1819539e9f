"""What one changed stretch of a copied sentence does to what was said.

Law: asked only of a claim that repeats a sentence of the evidence (`copies`). What is read as the same is: another way
to write one number or date, both sides denying, a shortened name, a synonym, another form of a word, small words that
carry no fact. Everything else is a finding, and it names no free word of the claim.

Source: DESIGN 6 stage 4; rulings D1, D6.
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from voice.core.grounding.dating import passage_dates
from voice.core.grounding.findings import Finding, Flag
from voice.core.grounding.passages import Passage
from voice.core.grounding.polarity import are_opposite
from voice.core.grounding.support import credit_of
from voice.core.text.amounts import amounts
from voice.core.text.background import is_known_word
from voice.core.text.dates import bears_out, stated_dates
from voice.core.text.facts import NEARLY, FactKind, denied, fact_of
from voice.core.text.numbers import Quantity, same_quantity
from voice.core.text.patterns import late_pattern
from voice.core.text.slips import is_slip
from voice.core.text.stems import stem_of
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word, is_unspaced, language_of, spelt, words

_HELD = 0.5
_NEW_PHRASE = 3
"""From this many telling words on that no evidence holds, a new stretch is a statement of its own."""
_NEW_SHARE = 0.75
_STATEMENT = 4
"""Telling words that a source must have for what is added to it to be told from what is merely said otherwise."""
_SMALL = 4
"""Words that a stretch may have in which one fact is set against another; longer ones are said otherwise."""
_WORD_FOR_NOT = 3
"""Words on both sides of "no longer" in the place of "gladly": one adverb for another, whatever both mean."""
_REPLACED = 2
"""Words of the source at most in whose place a new phrase stands; more of them are said otherwise."""
_NICKNAME = 3
"""Letters by which a short name must be shorter than the long one: "Dan" is Daniel, "Daniel" is not Daniela."""
_NONE = word_set("no none nobody nothing nowhere never neither")
_ANY = word_set("any anyone anybody anything anywhere ever either")
_SAME_BOUNDS = (frozenset({"more", "above", "least"}), frozenset({"less", "below", "most"}))
"""Before a number "over", "more than" and "at least" are hardly told apart."""
_ABOUT = word_set("he she it they him her them his their i you we me us my your our who")
_JOINING = word_set("met meet meets married marry marries hugged kissed and or with & und oder mit και ή 和 与 by")
_SIGN = late_pattern(r"(?<![\p{L}\p{N}.,])(?<!\p{N} )(?:[-−+]|[<>≤≥±]\s?)$")
_ENDINGS = late_pattern(r"(?<=\p{L}{3})(?:e|en|er|es|em|n|s|st|t|te|ten|tes|ter|a|as|o|os)$")
_NOUN_ENDINGS = word_set("s n e en es er ern ς") | {""}
_PREFIXES = ("un", "dis", "in", "im", "ir", "il", "non")
_PARTICLES = frozenset("的了着过吗呢吧啊呀地得之有")


class Change(NamedTuple):
    """A stretch of a claim and the stretch of the source in whose place it stands; either may be empty."""

    text: str
    claim: Sequence[Word]
    passage: Passage
    source: Sequence[Word]
    start: int
    end: int
    source_start: int
    source_end: int
    marks_matter: bool
    is_only: bool
    """Whether nothing else differs."""

    @property
    def is_small(self) -> bool:
        """Whether one fact can be set against another in it."""
        return max(len(self.ours), len(self.theirs)) <= _SMALL

    @property
    def is_one_word(self) -> bool:
        """Whether it is the only change and a word for a word."""
        return self.is_only and len(self.ours) == len(self.theirs) == 1

    @property
    def ours(self) -> Sequence[Word]:
        """The claim's words."""
        return self.claim[self.start : self.end]

    @property
    def theirs(self) -> Sequence[Word]:
        """The source's words."""
        return self.source[self.source_start : self.source_end]

    def same(self, ours: Word, theirs: Word) -> bool:
        """Return whether two words are spelled alike."""
        return spelt(ours, marks_matter=self.marks_matter) == spelt(theirs, marks_matter=self.marks_matter)


def change_finding(change: Change, pool: frozenset[str]) -> Finding | None:
    """Return what is wrong with a change, the gravest first; None when it says the same.

    Args:
        change: where claim and source differ, or a number that both hold and that may be signed or measured otherwise.
        pool: the stems of all evidence: what is merely added must stand somewhere in it.
    """
    if (
        change.is_one_word
        and change.ours[0].key == change.theirs[0].key
        and not change.same(*change.ours, *change.theirs)
    ):
        return _altered("the answer has another word where it otherwise repeats the source")
    fact = change.is_small and (_denial(change) or _figure(change) or _word_of_a_kind(change) or _name(change))
    return fact or _other_word(change) or _new_phrase(change, pool)


def _contradiction(flag: Flag, text: str) -> Finding:
    return Finding(flag=flag, text=text, effect="contradicted")


def _altered(text: str) -> Finding:
    return Finding(flag="altered", text=text, effect="unsupported")


def _denial(change: Change) -> Finding | None:
    ours, theirs = _denies(change.claim, change.ours, change.theirs), _denies(change.source, change.theirs, change.ours)
    if ours is theirs or _says_no_for_not_any(change) or _is_another_statement(change):
        return None
    if any(word.key in NEARLY for word in (*change.ours, *change.theirs)):
        reason = "the source says this nearly, the answer wholly, or the other way round"
        return Finding(flag="polarity", text=reason, effect="unsupported")
    reason = "the answer denies what the source affirms" if ours else "the answer affirms what the source denies"
    return _contradiction("polarity", reason)


def _denies(sentence: Sequence[Word], stretch: Sequence[Word], other: Sequence[Word]) -> bool:
    """Return whether a stretch denies, "nearly 40" aside."""
    after = {word.start: following for word, following in pairwise(sentence)}
    said = [
        word
        for word in stretch
        if word.key not in NEARLY or (word.start in after and not _carries(after[word.start], "number"))
    ]
    return denied(said) is not _is_prefixed(stretch, other)


def _is_another_statement(change: Change) -> bool:
    """Return whether the denying side tells more than the other, not only its denial ("but the landlord refused")."""
    if min(len(change.ours), len(change.theirs)) >= 1 and len(change.ours) + len(change.theirs) <= _WORD_FOR_NOT:
        return False
    sides = ([word for word in side if _tells(word) and not fact_of(word)] for side in (change.ours, change.theirs))
    ours, theirs = sides
    strange = [one for one in ours if not any(_says_the_same(one, other, change) for other in change.theirs)]
    missing = [one for one in theirs if not any(_says_the_same(other, one, change) for other in change.ours)]
    prefixed = _is_prefixed(change.ours, change.theirs) or _is_prefixed(change.theirs, change.ours)
    return bool(strange or missing) and not prefixed


def _says_no_for_not_any(change: Change) -> bool:
    """Return whether one side has "no" for the other's "not … any", with as many negations."""
    ours, theirs = ([word.key for word in side] for side in (change.claim, change.source))
    counts = [sum(_carries(word, "negation") for word in side) for side in (change.claim, change.source)]
    pairs = ((ours, theirs), (theirs, ours))
    return counts[0] == counts[1] and any(
        not _NONE.isdisjoint(one) and not _ANY.isdisjoint(other) for one, other in pairs
    )


def _is_prefixed(words_: Sequence[Word], others: Sequence[Word]) -> bool:
    """Return whether a word is one of the other side's with a denying prefix ("unhappy", "happy")."""
    stems = {other.stem for other in others}
    stripped = {
        stem
        for word in words_
        if not _carries(word, "negation")
        for prefix in _PREFIXES
        if (stem := word.stem.removeprefix(prefix)) != word.stem
    }
    return bool(stripped & stems)


def _figure(change: Change) -> Finding | None:
    """Return a finding when a number, a measure or a date stands for another."""
    ours, theirs = _kinds(change.ours), _kinds(change.theirs)
    if not {"number", "unit"} & ours or not {"number", "unit"} & theirs or _is_borne_out_date(change):
        return None
    claimed = _quantities(change.text, change.ours)
    stated = _quantities(change.passage.text, change.theirs)
    if not (claimed and stated):
        claimed = _quantities(change.text, _with_neighbours(change.claim, change.start, change.end))
        around = _with_neighbours(change.source, change.source_start, change.source_end)
        stated = _quantities(change.passage.text, around)
    if claimed and stated:
        other = next((one for one in claimed if not any(_same(one, two, change) for two in stated)), None)
        if other is not None:
            return _said("unit" if any(other.value == one.value for one in stated) else "number", stated[0], other)
    if _values(change.ours, "unit") != _values(change.theirs, "unit") and "number" not in ours | theirs:
        return _contradiction("unit", "the source measures in another unit than the answer")
    read = [(one.start, one.end) for one in claimed]
    unread = [
        word
        for word in change.ours
        if _carries(word, "number") and not any(start <= word.start and word.end <= end for start, end in read)
    ]
    if any(not change.same(one, two) for one in unread for two in change.theirs if _carries(two, "number")):
        return _contradiction("number", "the source gives another number than the answer")
    return None


def _said(flag: Flag, stated: Quantity, claimed: Quantity) -> Finding:
    return _contradiction(flag, f"the source says {stated.text}, the answer says {claimed.text}")


def _same(claimed: Quantity, stated: Quantity, change: Change) -> bool:
    """Return whether two figures agree in value, unit and sign."""
    if not same_quantity(claimed, stated) or ("%" in {claimed.unit, stated.unit} and claimed.unit != stated.unit):
        return False
    return _sign(change.text, claimed.start) == _sign(change.passage.text, stated.start)


def _sign(text: str, start: int) -> str:
    """Return the sign before a number, a currency's aside."""
    found = _SIGN.search(text[max(0, start - 5) : start].rstrip("$€£¥₹"))
    return found.group().strip() if found else ""


def _quantities(text: str, stretch: Sequence[Word]) -> list[Quantity]:
    """Return the quantities that touch a stretch of words."""
    return [one for one in _amounts_in(text) if one.start < stretch[-1].end and one.end > stretch[0].start]


@lru_cache(maxsize=64)
def _amounts_in(text: str) -> tuple[Quantity, ...]:
    return tuple(amounts(text, words(text)))


def _with_neighbours(sentence: Sequence[Word], start: int, end: int) -> Sequence[Word]:
    return sentence[max(0, start - 1) : end + 1]


def _is_borne_out_date(change: Change) -> bool:
    """Return whether the stretch stands in a date that the source gives, in whatever form."""
    low, high = change.ours[0].start, change.ours[-1].end
    claimed = [mention for mention in stated_dates(change.text) if mention.start < high and mention.end > low]
    stated = passage_dates(change.passage)
    first, last = change.theirs[0].start, change.theirs[-1].end
    stated = [mention for mention in stated if mention.start < last and mention.end > first] or stated
    return any(bears_out(mention, other) for mention in claimed for other in stated)


def _word_of_a_kind(change: Change) -> Finding | None:
    """Return a finding when a comparison, an order of events or an amount stands for another."""
    ours, theirs = _values(change.ours, "comparison"), _values(change.theirs, "comparison")
    is_one_sided = change.is_one_word and bool(ours) is not bool(theirs)
    if (
        ours and theirs and ours != theirs and not _is_turned(change) and not _is_same_bound(ours, theirs)
    ) or is_one_sided:
        return _contradiction("antonym", "the source compares otherwise than the answer")
    ours, theirs = _values(change.ours, "order"), _values(change.theirs, "order")
    if ours and theirs and ours != theirs:
        return _contradiction("antonym", "the source has another order of events than the answer")
    ours, theirs = _values(change.ours, "kin"), _values(change.theirs, "kin")
    if ours and theirs and ours != theirs:
        return _contradiction("name", "the source names another relation than the answer")
    ours, theirs = _values(change.ours, "amount"), _values(change.theirs, "amount")
    if ours and theirs and ours != theirs:
        reason = "the source says more or less than the answer"
        return Finding(flag="quantifier", text=reason, effect="unsupported")
    return None


def _is_same_bound(ours: set[str], theirs: set[str]) -> bool:
    return any(ours | theirs <= bound for bound in _SAME_BOUNDS)


def _is_turned(change: Change) -> bool:
    """Return whether "less" of one word stands for the comparative of its opposite ("less expensive", "cheaper")."""
    return any(are_opposite(one, two) or one.stem == two.stem for one in change.ours for two in change.theirs) and (
        ("less" in _values(change.ours, "comparison")) is not ("less" in _values(change.theirs, "comparison"))
        and max(len(change.ours), len(change.theirs)) > 1
    )


def _name(change: Change) -> Finding | None:
    """Return a finding when a name stands for another."""
    if language_of(change.source) == "de":
        return None
    ours, theirs = _names(change.claim, change.ours), _names(change.source, change.theirs)
    ours = [one for one in ours if one.stem not in change.passage.given]
    strange = [one for one in ours if not any(_is_same_name(one, other, change) for other in theirs)]
    if not strange or not theirs or _only_changes_places(change, strange):
        return None
    reason = "the answer names somebody or something else than the source there"
    return _contradiction("name", reason)


def _names(sentence: Sequence[Word], stretch: Sequence[Word]) -> list[Word]:
    return [
        word
        for word in stretch
        if word.is_capital
        and not word.is_stop
        and not word.is_number
        and fact_of(word) is None
        and not (word is sentence[0] and is_known_word(word.key))
    ]


def _is_same_name(ours: Word, theirs: Word, change: Change) -> bool:
    shorter, longer = sorted((ours.key, theirs.key), key=len)
    if change.same(ours, theirs) or longer in (f"{shorter}ς", f"{shorter}s") or _is_acronym(ours, change):
        return True
    return len(shorter) >= _NICKNAME and longer.startswith(shorter) and len(longer) - len(shorter) >= _NICKNAME


def _is_acronym(word: Word, change: Change) -> bool:
    initials = "".join(other.key[0] for other in change.theirs if other.is_capital)
    return word.text.isupper() and len(initials) > 1 and word.key.startswith(initials)


def _only_changes_places(change: Change, strange: Sequence[Word]) -> bool:
    """Return whether names stand beside an "and" or a "by" that lets them change places, as often as in the source."""
    ours, theirs = (Counter(word.key for word in side) for side in (change.claim, change.source))
    around = change.claim[max(0, change.start - 1) : change.end + 1]
    return all(ours[word.key] == theirs[word.key] for word in strange) and any(word.key in _JOINING for word in around)


def _other_word(change: Change) -> Finding | None:
    """Return a finding when one telling word stands for another and all the rest is the source's."""
    if not (change.is_only and change.is_small) or _is_turned(change):
        return None
    ours, theirs = _open_words(change.ours, change.theirs), _open_words(change.theirs, change.ours)
    if any(is_unspaced(word.text) for word in (*ours, *theirs)):
        is_other = [word.key for word in ours] != [word.key for word in theirs]
    else:
        ours = [word for word in ours if not _is_named_for(word, change)]
        strange = [one for one in ours if not any(_says_the_same(one, two, change) for two in theirs)]
        is_other = change.is_one_word and bool(theirs and strange)
    reason = "the answer has another word where it otherwise repeats the source"
    return _altered(reason) if is_other else None


def _open_words(stretch: Sequence[Word], other: Sequence[Word]) -> list[Word]:
    """Return the telling words whose facts were not compared already: a unit with a unit, "sooner" with "earlier"."""
    kinds = _kinds(other)
    return [word for word in stretch if _tells(word) and ((fact := fact_of(word)) is None or fact.kind not in kinds)]


def _is_named_for(word: Word, change: Change) -> bool:
    """Return whether a name stands for a pronoun, or for whom the source is known to be about."""
    if not word.is_capital:
        return False
    return word.stem in change.passage.given or any(
        other.key in _ABOUT or _is_same_name(word, other, change) for other in change.theirs
    )


def _new_phrase(change: Change, pool: frozenset[str]) -> Finding | None:
    """Return a finding when a phrase that no evidence holds is put to what is otherwise the source's."""
    ours = [word for word in change.ours if _tells(word)]
    foreign = [word for word in ours if credit_of(word.stem, pool) < _HELD]
    if len(foreign) < max(_NEW_PHRASE, _NEW_SHARE * len(ours)) or len(change.theirs) > _REPLACED:
        return None
    if sum(_tells(word) for word in change.source) < _STATEMENT:
        return None
    reason = "the answer adds to what it otherwise repeats from the source"
    return _altered(reason)


def _tells(word: Word) -> bool:
    return not word.is_stop and word.key not in _PARTICLES and not _carries(word, "number")


def _says_the_same(ours: Word, theirs: Word, change: Change) -> bool:
    """Return whether two telling words are one: the same, a synonym, another form, a slip of the finger."""
    if is_unspaced(ours.text) or is_unspaced(theirs.text):
        return ours.key == theirs.key
    if change.marks_matter:
        one, two = (spelt(word, marks_matter=True) for word in (ours, theirs))
        if ours.is_capital:
            shorter, longer = sorted((one, two), key=len)
            return longer.startswith(shorter) and longer.removeprefix(shorter) in _NOUN_ENDINGS
        return _ENDINGS.sub("", one) == _ENDINGS.sub("", two)
    stems = stem_of(ours.key), stem_of(theirs.key)
    return stems[0] == stems[1] or credit_of(stems[0], frozenset({stems[1]})) >= _HELD or is_slip(ours.key, theirs.key)


def _carries(word: Word, kind: FactKind) -> bool:
    fact = fact_of(word)
    return fact is not None and fact.kind == kind


def _kinds(found: Sequence[Word]) -> set[FactKind]:
    return {fact.kind for word in found if (fact := fact_of(word))}


def _values(found: Sequence[Word], kind: FactKind) -> set[str]:
    return {fact.value for word in found if (fact := fact_of(word)) and fact.kind == kind}
