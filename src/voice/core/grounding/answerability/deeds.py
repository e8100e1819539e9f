"""Deeds that a note names where it tells of them: selling, stealing, marrying, closing down.

Law: who asks why the workshop was sold is not answered by notes that never speak of a sale, however much they tell of
the workshop. Only deeds of a closed list are looked at, that change whose a thing is, or what becomes of it: of others
("visit", "hold", "receive") a report often says nothing but what came of them. A note tells of such a deed by any word
of its line, beside anything else that the question tells; in a talk the one may name the deed and the other the thing.

Source: ruling D5 (evidence must say something of what is asked about).
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import regex

from voice.core.grounding.answerability.asked import ASKING
from voice.core.grounding.answerability.passages import Passage, all_passages
from voice.core.grounding.answerability.support import credit_of
from voice.core.grounding.values import Evidence
from voice.core.text.instants import is_told
from voice.core.text.patterns import late_pattern
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word, fold_key, words

_HELD = 0.5
_DEEDS = """
selling: sell sells / sold selling verkauft / sale sales seller buyer auction auctioned verkaufe verkaufte verkauf
buying: buy buys purchase / bought purchased gekauft / purchase order ordered get got gotten getting pay paid pays cost
 costs price spent spend shop shopping acquire acquired pick picked sold euro euros dollars kaufe kaufte kaufen bestellt
stealing: steal steals rob / stole stolen robbed gestohlen / theft thief thieves burglar burglary pickpocket missing
 gone stahl diebstahl dieb
marrying: marry marries / married geheiratet / wedding wed husband wife bride groom spouse honeymoon vows heiratete
 hochzeit verheiratet
divorcing: divorce divorces / divorced / separated separation split ex broke
closing: close closes shut / closed / shut shuts shutters closure closing ended gave
opening: open opens / opened / opening start started starts founded launch launched inaugurated began new
cancelling: cancel cancels / cancelled canceled / called postponed scrapped dropped against off
dying: die dies / died gestorben / dead death funeral passed killed widow widower buried grave tod starb beerdigung
inheriting: inherit inherits / inherited geerbt / inheritance left leave bequeathed will heir erbe
resigning: quit resign / resigned / quit left leave leaves leaving stopped notice resignation
lending: lend lends loan / lent loaned / borrow borrowed borrows loan return back
borrowing: borrow borrows / borrowed / lend lent lends loan loaned return back
breaking: break breaks smash / broke broken smashed / crack cracked snap snapped shattered damage damaged fracture
 fractured fell dropped tore torn wrecked split burst defect
winning: win wins / won gewonnen / victory winner prize award champion beat first trophy medal score gewann sieg
adopting: adopt adopts / adopted / adoption adopting shelter rescue rescued took
crashing: crash crashes / crashed / accident collision hit bumped dent dented unfall
repairing: repair repairs mend / repaired mended repariert / fix fixed mend replace replaced restore restored works
 working new
"""
"""What each deed is called: the form in which a question asks for it behind whose deed it is, the forms that are it
anywhere, and further words that tell of it."""
_TOLD_BY = {
    "selling": late_pattern(r"\b(?:bought|buys?|buying|purchased?)\b[^.;!?]*\b(?:from|off)\b", regex.IGNORECASE),
    "closing": late_pattern(
        r"\bopen(?:s|ed)?\b[^.;!?]*\b(?:but|except(?:ing)?|apart from|other than|till?|until)\b", regex.IGNORECASE
    ),
}
"""Phrases that tell a deed from its other side: one buys of who sells, and what is open but on Sundays closes then."""
_ASKS = word_set("did do does didn't don't doesn't")
_SHORT = word_set("i you he she we they it")
_WHOSE = word_set("my our your his her their the this that")
_BY_THE_WAY = word_set("ever also already still just never actually really finally not recently originally")
_NO_DEED = word_set("to the a an my our his her their of for")
"""Words behind which a form is none of a deed: "want to sell", "the sold picture"."""


class Deed(NamedTuple):
    """A deed that a question asks about."""

    name: str
    """As one says it: "selling"."""
    forms: frozenset[str]
    """Keys of its own forms; where one is a small word of the sentence's language (German "die"), it is none."""
    telling: frozenset[str]
    """Keys of further words that tell of it."""
    beside: tuple[str, ...]
    """Stems of what else the question tells."""

    def is_told(self, row: Evidence, rows: Sequence[Evidence]) -> bool:
        """Return whether a row tells of it, with what others of `rows` say of the same thought or in the same talk."""
        passages = [passage for one in rows if _are_together(row, one) for passage in all_passages(one)]
        if not any(map(self._is_in, passages)):
            return False
        stems = frozenset[str]().union(*(passage.stems for passage in passages))
        return bool(row.speaker) or not self.beside or any(credit_of(stem, stems) >= _HELD for stem in self.beside)

    def _is_in(self, passage: Passage) -> bool:
        phrase = _TOLD_BY.get(self.name)
        return any(map(self._names, passage.words)) or (phrase is not None and phrase.search(passage.text) is not None)

    def _names(self, word: Word) -> bool:
        return word.key in self.telling or (word.key in self.forms and not word.is_stop)


def asked_deed(question: str) -> Deed | None:
    """Return the deed that `question` asks about; None where it asks about none of the list."""
    found = words(question.partition("\n")[0])
    behind = _behind_the_doer(found)
    for name, (asking, anywhere, telling) in _LISTED.items():
        deed = behind if behind is not None and behind.key in asking else _anywhere(found, anywhere)
        if deed is not None:
            others = (word for word in found if word is not deed and not word.is_stop and word.key not in ASKING)
            return Deed(name, asking | anywhere, telling, tuple(word.stem for word in others if not word.is_number))
    return None


def lacking_deed(question: str, evidence: Sequence[Evidence]) -> str | None:
    """Return which deed that `question` asks about `evidence` never tells of, in words; None when it may."""
    deed = asked_deed(question)
    if deed is None or any(deed.is_told(row, evidence) for row in evidence):
        return None
    return f"no note that was found speaks of {deed.name}"


def _are_together(row: Evidence, other: Evidence) -> bool:
    """Return whether two rows are of one thought, or of what was said on one day in a talk."""
    if row is other or not set(row.thought_ids).isdisjoint(other.thought_ids):
        return True
    days = (row.created_at.date(), other.created_at.date())
    return bool(row.speaker and other.speaker) and is_told(row.created_at) and days[0] == days[1]


def _anywhere(found: Sequence[Word], forms: frozenset[str]) -> Word | None:
    pairs = pairwise([None, *found])
    return next((word for before, word in pairs if word and word.key in forms and _may_be_done(before)), None)


def _may_be_done(before: Word | None) -> bool:
    return before is None or before.key not in _NO_DEED


def _behind_the_doer(found: Sequence[Word]) -> Word | None:
    """Return the word behind whose deed is asked for: "did Paula sell", "did my sister sell", "does she sell"."""
    at = next((place + 1 for place, word in enumerate(found) if word.key in _ASKS), len(found))
    rest = list(found[at:])
    if rest and rest[0].key in _SHORT:
        rest = rest[1:]
    elif rest and rest[0].key in _WHOSE:
        rest = rest[2:]
    while rest and (rest[0].is_capital or rest[0].key == "and"):
        rest = rest[1:]
    return next((word for word in rest if word.key not in _BY_THE_WAY), None)


def _listed(text: str) -> dict[str, tuple[frozenset[str], frozenset[str], frozenset[str]]]:
    lines = text.strip().replace("\n ", " ").split("\n")
    parts = (line.partition(":") for line in lines)
    forms = {name: [frozenset(map(fold_key, part.split())) for part in said.split("/")] for name, _, said in parts}
    return {name: (asking, anywhere, telling) for name, (asking, anywhere, telling) in forms.items()}


_LISTED = _listed(_DEEDS)
