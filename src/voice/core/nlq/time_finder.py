"""Find the time phrases of a question.

Law: a phrase counts only if no context gives it another meaning: quotation, title, known name, following noun ("Sunday
roast"). In doubt there is no window: without one a question finds too much, a wrong one hides the answer. Unparsed
times are reported.
Source: ruling E ("an unparsed phrase in a question → no window").
"""

from collections.abc import Sequence
from dataclasses import dataclass

from voice.core.graph.entity_names import Mention
from voice.core.nlq.calendar import Unit
from voice.core.nlq.phrase_matching import Match, RuleMatcher, Token, tokenise
from voice.core.nlq.phrase_tables.table import PhraseTable
from voice.core.nlq.relative_times import asks_ahead, asks_for_plans
from voice.core.text.dates import DateOrder
from voice.core.text.word_lists import is_stopword

_PROPER = frozenset({"month", "weekday", "weekdays", "seasons", "soft_month", "quarter", "half", "season", "feast"})
_CALENDAR_NAMES = (
    frozenset({"soft_month"}),
    frozenset({"season", "feast"}),
    frozenset({"year", "date", "year_month", "quarter", "decade"}),
)
_CLOSERS = frozenset(",.?!;()[]{}…\"'”’»\x00")  # after these nothing belongs to the phrase; "\x00" is a quotation
_NAME_MARKS = frozenset("-–—/&'\"\x00")  # marks after which a weekday is part of a name
_NEAR = frozenset({Unit.DAY, Unit.WEEK, Unit.FORTNIGHT, Unit.MONTH})  # "in ten years" means no day
MOST_READ = 4_000
"""Characters searched for a time; questions are shorter."""


@dataclass(frozen=True, slots=True)
class FoundTime:
    """A time phrase in a text."""

    match: Match
    start: int
    end: int
    is_possessive: bool
    names: tuple[str, ...]
    """Its calendar names: months, else seasons and feasts, else years and dates."""


@dataclass(frozen=True, slots=True)
class TimeFinder:
    """A text being searched in one language."""

    table: PhraseTable
    text: str
    reader: RuleMatcher
    mentions: Sequence[Mention]
    is_shouted: bool
    """Whether all words are capitalised, so that capitals mean nothing."""

    @classmethod
    def of(cls, text: str, table: PhraseTable, order: DateOrder | None, mentions: Sequence[Mention]) -> "TimeFinder":
        """Prepare `text` in the language of `table`."""
        tokens = table.marked(tokenise(text[:MOST_READ], order or table.date_order))
        words = [token for token in tokens if token.kind == "word"]
        is_shouted = len(words) > 2 and all(token.is_capitalised for token in words)
        return cls(table, text, table.grammar.reader(tokens), mentions, is_shouted)

    @property
    def tokens(self) -> Sequence[Token]:
        """The tokens of the text."""
        return self.reader.tokens

    def whole(self) -> Match | None:
        """Return the match of the whole text; for an explicit `when`."""
        end = len(self.tokens)
        while end and self.tokens[end - 1].text in _CLOSERS:  # "yesterday." is a time as well
            end -= 1
        if not end or len(self.text) > MOST_READ:  # the rest was not read, so it is not the whole
            return None
        return next((match for match in self.reader.matches("alone", 0) if match.end == end), None)

    def phrases(self) -> list[FoundTime]:
        """Return the time phrases in order, longest match, not overlapping."""
        found: list[FoundTime] = []
        at = 0
        while at < len(self.tokens):
            candidates = self.reader.matches("phrase", at) or self._to_come(at)
            match = self._valid_match(candidates) if candidates else self._bare_match(at)
            if match is not None:
                last = self.tokens[match.end - 1]
                found.append(
                    FoundTime(match, self.tokens[at].start, last.end, last.is_possessive, self._names_in(match))
                )
            # What was refused as a whole is not offered again in parts: "the last week of the tour" is not "last week".
            done = [match] if match else candidates[:1]
            at = max([at + 1, *(each.end for each in done)])
        return found

    def vague(self) -> str | None:
        """Return the first phrase about time that has no window; None if there is none."""
        found = (match for at in range(len(self.tokens)) for match in self.reader.matches("vague", at)[:1])
        match = next((match for match in found if not self._is_no_time(match)), None)
        return match and self.text[self.tokens[match.start].start : self.tokens[match.end - 1].end]

    def _is_no_time(self, match: Match) -> bool:
        return self._is_named(match) or self._is_refused(match) or (match.weak and self._is_modifier(match))

    def _to_come(self, at: int) -> Sequence[Match]:
        """ "For June" is a time only if plans are asked for, "in two weeks" only if something to come is."""
        language = self.table.language
        if plans := self.reader.matches("ahead", at):
            return plans if asks_for_plans(self.text, language) else ()
        later = [match for match in self.reader.matches("later", at) if getattr(match.value, "unit", None) in _NEAR]
        return later if later and asks_ahead(self.text, language) else ()

    def _valid_match(self, candidates: Sequence[Match]) -> Match | None:
        """Return the longest valid match; an excluded longest one excludes its parts."""
        if self._is_refused(candidates[0]):
            return None
        return next((match for match in candidates if self._is_meant(match) and not self._is_refused(match)), None)

    def _is_meant(self, match: Match) -> bool:
        if self._is_title(match) or self._is_named(match) or self._is_counted(match):
            return False
        if self._needs_complement(match) or self._is_nickname(match):
            return False
        return not (match.weak and self._is_modifier(match))

    def _is_refused(self, match: Match) -> bool:
        """ "How do you say yesterday in Spanish?": the context excludes it."""
        last = self.tokens[match.end - 1]
        start = self.tokens[match.core].start
        return self.table.refusals.hold(self.text, start, last.end, is_possessive=last.is_possessive)

    def _is_counted(self, match: Match) -> bool:
        """ "How many days until March 20?": asks for a duration."""
        opens = self.tokens[match.start].word in self.table.until
        return opens and match.start > 0 and "unit" in self.reader.classes[match.start - 1]

    def _needs_complement(self, match: Match) -> bool:
        """ "From yesterday on the lease": "on" belongs to the next phrase."""
        if self.tokens[match.end - 1].word not in self.table.onwards or match.end == len(self.tokens):
            return False
        return self.tokens[match.end].text not in _CLOSERS

    def _is_nickname(self, match: Match) -> bool:
        """ "The today show": an article and a noun around a day word."""
        if (
            match.end - match.start > 1
            or "date" in self.reader.classes[match.start]
            or not match.start
            or match.end == len(self.tokens)
        ):
            return False
        before, after = self.tokens[match.start - 1], self.tokens[match.end]
        if before.word not in self.table.articles or self.tokens[match.start].is_possessive:
            return False
        return after.kind == "word" and not is_stopword(after.text, self.table.language)

    def _bare_match(self, at: int) -> Match | None:
        """Return a weekday without a preposition, or a possessive month."""
        bare = filter(self._is_weekday, self.reader.matches("bare", at))
        return next(bare, None) or next(filter(self._is_owner, self.reader.matches("owner", at)), None)

    def _is_forename(self, match: Match) -> bool:
        """ "Wednesday Addams": followed by an unknown capitalised word."""
        after = self.tokens[match.end]
        if self.is_shouted or not after.is_capitalised or is_stopword(after.text, self.table.language):
            return False
        return all(mention.start != after.start for mention in self.mentions)

    def _is_owner(self, match: Match) -> bool:
        """ "March's entries": a possessive month that is not a first name."""
        owner = self.tokens[match.start]
        if not owner.is_possessive or owner.word in self.table.person_like or match.end == len(self.tokens):
            return False
        after = self.tokens[match.end]
        return after.kind == "word" and not after.is_capitalised and not self._is_refused(match)

    def _is_title(self, match: Match) -> bool:
        """Capitalised common words inside a sentence are a title ("Last Week Tonight")."""
        if self.table.nouns_are_capitalised or self.is_shouted:
            return False
        classes = self.reader.classes[match.core : match.end]
        if any("feast" in each for each in classes):
            return False
        return any(
            token.kind == "word"
            and not (token.opens_sentence or _PROPER & own.keys())
            and token.is_capitalised
            and not (len(token.text) > 1 and token.text.isupper())  # "LAST week" is stressed, no title
            for token, own in zip(self.tokens[match.core : match.end], classes, strict=True)
        )

    def _is_named(self, match: Match) -> bool:
        """A known name covers the time ("Friday" the cat), unless written in lower case."""
        start, end = self.tokens[match.core].start, self.tokens[match.end - 1].end
        return any(
            # +2: a token takes in the "'s" that follows a name.
            mention.start <= start and end <= mention.end + 2 and not self.text[mention.start].islower()
            for mention in self.mentions
        )

    def _is_modifier(self, match: Match) -> bool:
        """The following words make a weak phrase part of something else."""
        last = self.tokens[match.end - 1]
        if last.is_possessive:
            return True
        if match.end == len(self.tokens) or not self.table.joins_nouns:
            return False
        after = self.tokens[match.end]
        if after.text in _CLOSERS or after.word in self.table.closing or self._introduces(match):
            return False
        # "The fall of the wall", but not "in March of the job".
        is_linked = after.word in self.table.linking and not self._is_dated(match)
        if after.kind != "word" or after.start == last.end or is_linked:
            return after.text not in {"–", "—", "-"} or after.start == last.end
        is_verb = after.word in self.table.verbs_of_people or after.word.endswith("ed")
        if last.word in self.table.person_like and is_verb:
            return True
        return not (is_stopword(after.text, self.table.language) or self._starts_clause(match, after))

    def _introduces(self, match: Match) -> bool:
        """ "March 5: what happened?": a colon before a question."""
        if self.tokens[match.end].text != ":":
            return False
        following = self.tokens[match.end + 1 : match.end + 2]
        return self.tokens[match.start].opens_sentence or not any(token.is_capitalised for token in following)

    def _starts_clause(self, match: Match, after: Token) -> bool:
        """ "In March Sam moved": a subject or another time phrase follows."""
        opens = self.tokens[match.start].opens_sentence
        if after.is_capitalised:
            return opens or any(mention.start == after.start for mention in self.mentions)
        return bool(self.reader.matches("phrase", match.end)) or (
            after.word.endswith(("ed", "ing")) and self._is_dated(match)
        )

    def _is_dated(self, match: Match) -> bool:
        return "year" in self.reader.classes[match.end - 1] or "soft_month" in self.reader.classes[match.end - 1]

    def _names_in(self, match: Match) -> tuple[str, ...]:
        """Return the calendar names in the match; an ambiguous month with its context."""
        text = self.text[self.tokens[match.core].start : self.tokens[match.end - 1].end]
        for classes in _CALENDAR_NAMES:
            places = range(match.core, match.end)
            named = [self.tokens[at] for at in places if not classes.isdisjoint(self.reader.classes[at])]
            if named:
                return tuple(dict.fromkeys(text if t.word in self.table.soft else t.text for t in named))
        return ()

    def _is_weekday(self, match: Match) -> bool:
        """A weekday without a preposition: "What did Codex say Friday?"."""
        if self._is_named(match) or self._is_refused(match):
            return False
        # "Buy a Friday ticket": without a word of the past a weekday inside a sentence may be anything.
        if match.start and not any(token.word in self.table.past for token in self.tokens):
            return False
        if match.end < len(self.tokens) and (self.tokens[match.end].word == "the" or self._is_forename(match)):
            return False
        before = self.tokens[match.start - 1] if match.start else None
        if before is not None and (before.word in self.table.name_cues or before.word in _NAME_MARKS):
            return False
        if before is not None and before.is_capitalised and not before.opens_sentence:
            return False
        return not self._is_modifier(match)
