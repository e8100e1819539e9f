"""Whether a sentence that says how many there are is right by the stretches that it cites.

Law: it counts what it cites and nothing else: so many items under a heading, so many days or notes that mention a word.
The heading and the word stand in every row that is cited, or in its place. That nothing was left out is for who
composed it to see to, so that a model's sentence is never proven so.

Source: DESIGN 6; ruling D1 ("the row's own date"); ruling D5 ("a statement is literally true").
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from voice.core.grounding.quotation.statements import statements_of
from voice.core.grounding.values import Evidence
from voice.core.text.context_path import page_name
from voice.core.text.display import counted
from voice.core.text.instants import has_date
from voice.core.text.lazy import late_pattern
from voice.core.text.words import stems_in

Unit = Literal["item", "day", "note"]
_SAID = late_pattern(
    r"\s*(?P<number>\d{1,3}) (?P<unit>item|day|note)s?"
    r"(?: under “(?P<head>[^“”\n]{1,200})”(?: in “(?P<title>[^“”\n]{1,200})”)?"
    r"| that mentions? “(?P<word>[^“”\n]{1,200})”):\s*"
)


class Cited(NamedTuple):
    """A stretch that a sentence cites."""

    row: Evidence
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CountOf:
    """What is counted."""

    unit: Unit
    head: str = ""
    """The heading or line that items stand under."""
    title: str = ""
    """The note that they stand in, where that is not its own heading."""
    word: str = ""
    """What days or notes mention."""

    def told(self, number: int) -> str:
        """Return that there are so many."""
        if self.word:
            mention = "mentions" if number == 1 else "mention"
            return f"{counted(number, self.unit)} that {mention} “{self.word}”:"
        within = f" in “{self.title}”" if self.title else ""
        return f"{counted(number, self.unit)} under “{self.head}”{within}:"

    def number(self, cited: Sequence[Cited]) -> int:
        """Return how many there are among stretches."""
        if self.unit == "item":
            return len(set(cited))
        if self.unit == "note":
            return len({each.row.thought_ids for each in cited})
        return len({each.row.created_at.date() for each in cited if has_date(each.row.created_at)})

    def holds(self, row: Evidence) -> bool:
        """Return whether a row stands where is counted, or mentions what is."""
        place = row.context or ""
        if self.word:
            return stems_in(self.word) <= stems_in(f"{row.text}\n{place}")
        steps = place.split(" › ")
        is_titled = not self.title or self.title in (steps[0], page_name(steps[0]))
        return is_titled and (self.head in steps or any(self.head in line for line in row.text.split("\n")))


def whole_sentence(cited: Cited) -> Cited:
    """Return the whole sentence of its row that a stretch stands in; the stretch itself where that is none."""
    row, start, end = cited
    spans = ((one.start, one.end) for one in statements_of(row.text) if one.start <= start and end <= one.end)
    return Cited(row, *next(spans, (start, end)))


def counts(sentence: str, cited: Sequence[Cited]) -> bool:
    """Return whether a sentence says how many its stretches are, and they are so many, each where it says."""
    found = _SAID.fullmatch(sentence)
    if found is None or not cited:
        return False
    unit: Unit = "item" if found["unit"] == "item" else "day" if found["unit"] == "day" else "note"
    of = CountOf(unit=unit, head=found["head"] or "", title=found["title"] or "", word=found["word"] or "")
    return int(found["number"]) == of.number(cited) and all(of.holds(each.row) for each in cited)
