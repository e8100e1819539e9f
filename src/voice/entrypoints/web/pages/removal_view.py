"""What forgetting or redacting would take away, as a page shows it.

Law: values in, values out. A person must know what goes: what was meant, what rests on it and why it goes along, which
answers lose their words, and what still says it afterwards. Of a private row or turn nothing is told unless that is
asked for; it is counted (promise 6).

Source: docs/forgetting.md; promises 6, 9.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from blake3 import blake3

from voice.core.graph.removal.dependents import dependent_rows
from voice.core.graph.removal.forget_cascade import Act
from voice.core.records import Row
from voice.core.session.values import DialogueExchange
from voice.entrypoints.forms.forgotten import WHY_ALONG, counts_beside, kind_of, words_still_said
from voice.entrypoints.web.pages.links import session_url, source_url
from voice.services.removal.forget import Reached

SHOWN: Final = 20
"""Rows and turns of one kind that are shown one by one; the others are counted."""
_DIGEST_BYTES: Final = 16
_IT: Final = "it"


@dataclass(frozen=True, slots=True, kw_only=True)
class GoingRow:
    """A row that goes, or that stays and says it."""

    text: str
    kind: str
    url: str
    why: str = ""
    """Why it goes along; empty of what was meant."""
    is_private: bool = False
    """Whether its words are not told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnGoing:
    """An answer that loses its words."""

    url: str
    question: str
    """Empty where the question goes, too."""
    asked_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovalView:
    """What a page shows before something goes, and after."""

    act: Act
    meant: tuple[GoingRow, ...]
    along: tuple[GoingRow, ...]
    more_along: int
    turns: tuple[TurnGoing, ...]
    more_turns: int
    hidden_turns: int
    """Private ones, which are counted only."""
    still: tuple[GoingRow, ...]
    more_still: int
    beside: tuple[str, ...]
    """How much of each kind is reached, in words."""
    files: tuple[str, ...]
    unread: tuple[str, ...]
    is_empty: bool
    digest: str
    """Which rows go: what is confirmed is this and nothing else."""


def shown_rows(found: Reached) -> tuple[Row, ...]:
    """Return the rows whose words a page of this shows."""
    still = [each.row for each in found.rows.still_said[:SHOWN]]
    return (*found.rows.meant[:SHOWN], *found.rows.derived[:SHOWN], *still)


def going_ids(found: Reached) -> frozenset[str]:
    """Return the ids of the rows that go."""
    return frozenset(row.id for row in found.rows.going)


def removal_view(found: Reached, texts: Mapping[str, str], *, include_private: bool) -> RemovalView:
    """Return what a page shows.

    Args:
        found: what is reached.
        texts: what the rows say, by their ids.
        include_private: whether private rows and turns are told.
    """
    veiled = frozenset[str]() if include_private else found.private
    tied = dependent_rows(found.rows, found.before)[:SHOWN]
    meant = {row.id for row in found.rows.meant}
    turns = [each for each in found.exchanges if each.status == "answered" and not each.answer]
    told = [each for each in turns if include_private or not each.is_withheld]
    still = found.rows.still_said
    return RemovalView(
        act=found.act,
        meant=tuple(_going(row, texts, veiled) for row in found.rows.meant[:SHOWN]),
        along=tuple(_going(each.row, texts, veiled, why=_why(each.tie, each.to, meant)) for each in tied),
        more_along=max(0, len(found.rows.derived) - len(tied)),
        turns=tuple(map(_turn, told[:SHOWN])),
        more_turns=max(0, len(told) - SHOWN),
        hidden_turns=len(turns) - len(told),
        still=tuple(
            GoingRow(
                text=words_still_said(each, is_private=each.row.id in veiled),
                kind=kind_of(each.row),
                url=source_url(each.row.id),
            )
            for each in still[:SHOWN]
        ),
        more_still=max(0, len(still) - SHOWN),
        beside=tuple(counts_beside(found)),
        files=found.files,
        unread=found.unread,
        is_empty=found.is_empty,
        digest=digest_of(found),
    )


def digest_of(found: Reached) -> str:
    """Return one short text for what goes, each row as it stands, and for the turns that lose words by it."""
    rows = sorted(f"{row.id} {row.revision} {row.status}" for row in found.rows.going)
    turns = sorted(each.id for each in found.exchanges)
    return blake3("\n".join([*rows, *turns]).encode()).hexdigest(length=_DIGEST_BYTES)


def _going(row: Row, texts: Mapping[str, str], veiled: Collection[str], *, why: str = "") -> GoingRow:
    is_private = row.id in veiled
    return GoingRow(
        text="" if is_private else texts.get(row.id, ""),
        kind=kind_of(row),
        url=source_url(row.id),
        why=why,
        is_private=is_private,
    )


def _why(tie: str, to: str, meant: Collection[str]) -> str:
    return WHY_ALONG[tie].format(_IT if to in meant else "something that goes with it")


def _turn(exchange: DialogueExchange) -> TurnGoing:
    return TurnGoing(
        url=session_url(exchange.session_id, exchange.index, private=exchange.is_withheld),
        question=exchange.my_query,
        asked_at=exchange.timestamp,
    )
