"""What is to be known of a turn beside its answer, while the pages are served.

Law: the words are those of every other door (`voice.entrypoints.forms.turns`). They are no part of the kept turn; the
answer's page shows them until `MOST_TURNS` others had some to tell, or the program ends. Of a question that let
private rows in they are told only where private turns are shown, since they may name one (promise 6).

Source: DESIGN 8 Web; ruling D22; promises 6, 9.
"""

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final

from voice.entrypoints.forms.turns import kept_out_of, told_beside
from voice.services.runtime.turn import Turn

MOST_TURNS: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What is told beside one answer."""

    lines: tuple[str, ...] = ()
    row_ids: tuple[str, ...] = ()
    """The rows that the lines name."""
    is_private: bool = False
    """Whether private rows were let in, so that one may be named."""


@dataclass(frozen=True, slots=True)
class Beside:
    """What was told beside the newest answers."""

    most: int = MOST_TURNS
    """Turns that are kept in mind."""
    _told: OrderedDict[str, Told] = field(default_factory=OrderedDict[str, Told], repr=False)

    def hear(self, turn: Turn, *, include_private: bool) -> Told:
        """Take down what is to be told beside an answer, and return it; of one that is given again, what it was then.

        Args:
            turn: the turn.
            include_private: whether private rows were let in when it was asked.
        """
        lines = told_beside(turn)
        if lines and not turn.replayed:
            named = kept_out_of(turn)
            told = Told(lines=lines, row_ids=named, is_private=include_private and bool(named))
            self._told[turn.exchange.id] = told
            if len(self._told) > self.most:
                self._told.popitem(last=False)
        return self.of(turn.exchange.id, include_private=include_private)

    def of(self, exchange_id: str, *, include_private: bool) -> Told:
        """Return what is told beside a turn; nothing where that is not known any more, or is not to be shown.

        Args:
            exchange_id: the turn.
            include_private: whether private turns are shown.
        """
        told = self._told.get(exchange_id, Told())
        return Told() if told.is_private and not include_private else told
