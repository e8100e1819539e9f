"""What is given to a sentence: the rows it cites with their days, speakers and places, the question and the day.

Law: whatever is given here needs no proof; whatever a sentence adds to it does. Nothing of rows that are not cited.

Source: DESIGN 6 "Guards".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from voice.core.grounding.quotation.markup import resolved
from voice.core.grounding.quotation.places import said_on
from voice.core.grounding.values import Evidence
from voice.core.text.words import forms_in

BEGINNING = 3


@dataclass(frozen=True, eq=False)
class Given:
    """What a sentence may repeat without proof; one value for all that cite the same rows, which are then read once."""

    rows: tuple[Evidence, ...]
    question: str = ""
    today: date | None = None
    owner: tuple[str, ...] = ()

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The cited rows as they read."""
        return tuple(resolved(row.text) for row in self.rows)

    @cached_property
    def places(self) -> tuple[str, ...]:
        """What stands beside the rows' own words, each once: context path, conversation, speaker, entities."""
        beside = (part for row in self.rows for part in (row.context, row.thread, row.speaker, *row.entity_names))
        return tuple(dict.fromkeys((*(part for part in beside if part), *self.owner)))

    @cached_property
    def days(self) -> tuple[date, ...]:
        """The days on which the rows were told, and until which they held."""
        told = (said_on(row) for row in self.rows)
        ends = (row.valid_until.date() for row in self.rows if row.valid_until)
        return tuple(dict.fromkeys(day for day in (*told, *ends) if day))

    @cached_property
    def forms(self) -> frozenset[str]:
        """Every word of the rows, their places and the question, as it is written and without its endings."""
        return frozenset[str]().union(*map(forms_in, (*self.texts, *self.places, self.question)))

    @cached_property
    def forms_by_beginning(self) -> Mapping[str, Sequence[str]]:
        """The same words by what they begin with, up to three letters of it."""
        found: dict[str, list[str]] = {}
        for form in self.forms:
            for length in range(min(len(form), BEGINNING) + 1):
                found.setdefault(form[:length], []).append(form)
        return found

    @cached_property
    def folded(self) -> tuple[str, ...]:
        """The rows, what stands beside them and the question, casefolded."""
        return tuple(text.casefold() for text in (*self.texts, *self.places, self.question))


def given_to(
    rows: Sequence[Evidence], *, question: str = "", today: date | None = None, owner: Sequence[str] = ()
) -> Given:
    """Return what is given to a sentence that cites `rows`."""
    return Given(tuple(rows), question, today, tuple(owner))
