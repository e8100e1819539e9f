"""The properties of a question that decide which sentences of a passage answer it.

Source: DESIGN 5 "Evidence … is a passage"; rulings D1, D2.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from voice.core.answering.question_form import asks_for_many, asks_openly, form_of, is_answered_shortly, term_weights
from voice.core.answering.sentence_rendering import is_within
from voice.core.graph.thoughts.sentence_kinds import points_back
from voice.core.grounding.extractive.evidence_sentences import EvidenceSentence, match_credit
from voice.core.grounding.extractive.question_fit import Amount, answer_types, holds_amount
from voice.core.grounding.values import Evidence
from voice.core.text.dates import stated_dates
from voice.core.text.language_data import every_word
from voice.core.text.numbers import quantities
from voice.core.text.words import content_words, stems_in, words

_SHORTEST: Final = 3  # fewest letters of a word of a yes-or-no question that a deciding sentence shares
_MATCHES: Final = 0.5  # least credit for a word that counts as said, itself or by a synonym
_NUMBER: Final = 3.0  # what a number of the question counts in a line: "boat 12"


class WantedSentences(NamedTuple):
    """The properties of a question that decide which sentences answer it."""

    telling: Mapping[str, float]
    keys: frozenset[str]
    """Its topic words as it writes them."""
    words: frozenset[str]
    """The stems of all its words but the shortest…"""
    said: frozenset[str]
    """…and of those that neither ask nor are so short as "the", which a sentence that says all of it holds."""
    is_yes_no: bool
    is_short: bool
    """Whether one sentence answers it: "Who …?"."""
    wants_many: bool
    wants_day: bool
    is_open: bool
    """Whether several may: it asks for a reason, a way or an opinion."""
    amounts: frozenset[Amount]
    """What it asks an amount of."""

    @classmethod
    def of(cls, question: str) -> "WantedSentences":
        """Return the properties of a question."""
        found = words(question)
        types = answer_types(question)
        telling, asking = term_weights(question), every_word("forms", "yes_no", "short", "which", "what")
        return cls(
            keys=frozenset(word.key for word in found if word.stem in telling),
            telling=telling | {word.stem: _NUMBER for word in found if word.is_number},
            words=frozenset(word.stem for word in found if len(word.key) >= _SHORTEST),
            said=frozenset(word.stem for word in found if len(word.key) > _SHORTEST and word.key not in asking),
            is_yes_no=form_of(question, is_timed=False).kind == "yes_no",
            is_short=is_answered_shortly(question),
            wants_many=asks_for_many(question),
            wants_day="time" in types,
            amounts=frozenset(each for each in types if each != "time"),
            is_open=asks_openly(question),
        )

    def is_covered_by(self, lines: Sequence[EvidenceSentence]) -> bool:
        """Return whether sentences say all that is asked about, so that the day they were said on is its day.

        What is said in a conversation is of its day in any case.
        """
        stems = frozenset[str]().union(*(line.own_stems for line in lines))
        is_conversation = any(line.row.speaker is not None for line in lines)
        return is_conversation or all(match_credit(stem, stems) >= _MATCHES for stem in self.telling)

    def is_repeated_by(self, hit: Evidence) -> bool:
        """Return whether a sentence of a note says nothing but what the question says."""
        asked = self.words | self.telling.keys()
        return hit.speaker is None and {word.stem for word in content_words(hit.text)} <= asked

    def is_answered_by(self, hit: Evidence) -> bool:
        """Return whether a sentence of a note answers it alone: "Who …?", if it holds words of it; else all of them."""
        is_short = self.is_short and not self.is_yes_no and bool(self.telling.keys() & stems_in(hit.text))
        return hit.speaker is None and (is_short or self.is_told_whole_in(hit))

    def is_told_whole_in(self, hit: Evidence) -> bool:
        """Return whether a row with its path says all that is asked, and neither several things nor why or how are."""
        is_whole = self.said <= stems_in(f"{hit.text}\n{hit.context or ''}")
        return bool(self.telling) and is_whole and hit.speaker is None and not (self.is_open or self.wants_many)

    def continues_in(self, row: Evidence, hit: Evidence) -> bool:
        """Return whether a row points back, says more of the question than the hit before it, or hangs under that.

        A day that is asked for is more, where the hit states none.
        """
        own = stems_in(row.text) - stems_in(hit.text)
        is_day = self.wants_day and bool(stated_dates(row.text)) and not stated_dates(hit.text)
        is_more = is_day or bool(self.telling.keys() & own) or self.goes_on(row.text)
        return is_more or is_within(hit, row, deeper=True)

    def is_told_apart_in(self, hit: Evidence) -> bool:
        """Return whether an item is no part of a list that is asked for: it says more of the question than its path."""
        path = stems_in(hit.context or "")
        return path.isdisjoint(self.telling) or not self.telling.keys().isdisjoint(stems_in(hit.text) - path)

    def goes_on(self, text: str) -> bool:
        """Return whether a sentence points back to the one that answers, where more than that one may be wanted."""
        return not self.is_short and points_back(text)

    def answering(self, lines: Sequence[EvidenceSentence]) -> Sequence[EvidenceSentence]:
        """Return the sentences that each say all that some say of the question, with those behind them that go on."""
        weights = list(map(self.weight, lines))
        most = max(weights)
        if most < self.weight(*lines) or points_back(lines[weights.index(most)].text):
            return lines
        given, is_on = list[EvidenceSentence](), False
        for line, weight in zip(lines, weights, strict=True):
            is_on = weight == most or (is_on and (self.goes_on(line.text) or self.states_kind(line)))
            given += [line] if is_on else []
        return given

    def states_amount(self, line: EvidenceSentence) -> bool:
        """Return whether a sentence states an amount that is asked for, in numbers."""
        return bool(quantities(line.text)) and any(holds_amount(each, line.text) for each in self.amounts)

    def states_kind(self, line: EvidenceSentence) -> bool:
        """Return whether a sentence states a day or an amount where that is asked for."""
        return (self.wants_day and bool(stated_dates(line.text))) or self.states_amount(line)

    def weight(self, *lines: EvidenceSentence) -> float:
        """Return how much of the question some sentences say together."""
        return self.weight_of(*(line.own_stems for line in lines))

    def weight_of(self, *stems: frozenset[str]) -> float:
        """Return how much of the question some words say together, by their stems."""
        return sum(self.telling.get(stem, 0.0) for stem in frozenset[str]().union(*stems))
