"""Turns and sessions as pages show them, with the notices beside an answer.

Law: what is shown was judged and is stored; each sentence has its mark in a word and a sign, and leads to what it rests
on. Of a private turn nothing is shown unless that was asked for, and that there is one is said (promise 6).

Notices beside an answer (`voice.entrypoints.shared.sessions`) are no part of the kept turn: a page shows them until
`MOST_TURNS` others had some, or the program ends, and those of a private question only where private turns are shown.
In the list of sessions a cost that nobody reported is unknown, and never nothing.
Source: rulings D1, D3, D6, D18, D22, H; promises 6, 9; DESIGN 8 Web.
"""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from voice.core.errors import DataFileError
from voice.core.grounding.values import PROVEN, SourceCitation
from voice.core.grounding.verifier_values import Verification
from voice.core.interchange.origin import Location
from voice.core.messages.showing import ALL_PROVEN
from voice.core.records import TRUST_RANK, TrustTier
from voice.core.render.answer import (
    NOT_REPLACED,
    MarkedSentence,
    Replacements,
    closest_passages,
    marked_sentences,
    notes_of,
    quoted_spans,
    sources_by_row,
)
from voice.core.render.verification import calibration_line
from voice.core.report.values import money
from voice.core.session.lifecycle import topic_of
from voice.core.session.values import DialogueExchange
from voice.core.text.display import counted
from voice.core.usage import Total
from voice.entrypoints.shared.sessions import quarantined_ids, turn_notices
from voice.entrypoints.web.pages.addresses import sentence_url, source_url
from voice.ports.row_queries import SessionFigures
from voice.ports.stores import SessionListItem
from voice.services.retrieval.source_locations import SourceLocations
from voice.services.runtime.turn import Turn
from voice.services.sessions.lifecycle import SessionFilter, StatusWanted, TopicWanted
from voice.services.sessions.report import sum_of

MOST_TURNS: Final = 200  # notices of turns that are kept


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnNotices:
    """What is told beside one answer."""

    lines: tuple[str, ...] = ()
    row_ids: tuple[str, ...] = ()
    is_private: bool = False
    """Whether private rows were let in, so that one may be named."""


@dataclass(frozen=True, slots=True)
class RecentNotices:
    """What was told beside the newest answers."""

    most: int = MOST_TURNS
    _by_exchange: OrderedDict[str, TurnNotices] = field(default_factory=OrderedDict[str, TurnNotices], repr=False)

    def hear(self, turn: Turn, *, include_private: bool) -> TurnNotices:
        """Keep what is to be told beside an answer, and return it; of one that is given again, what it was then."""
        lines = turn_notices(turn)
        if lines and not turn.replayed:  # given again: it was heard then
            named = quarantined_ids(turn)
            notices = TurnNotices(lines=lines, row_ids=named, is_private=include_private and bool(named))
            self._by_exchange[turn.exchange.id] = notices
            if len(self._by_exchange) > self.most:
                self._by_exchange.popitem(last=False)
        return self.of(turn.exchange.id, include_private=include_private)

    def of(self, exchange_id: str, *, include_private: bool) -> TurnNotices:
        """Return what is told beside a turn; nothing where that is not known any more, or is not to be shown."""
        notices = self._by_exchange.get(exchange_id, TurnNotices())
        return TurnNotices() if notices.is_private and not include_private else notices  # as if there were none


NOWHERE: Mapping[str, Location] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceView:
    """One row that a turn rests on, or that was found for it."""

    number: int
    url: str
    spans: tuple[str, ...]
    first: SourceCitation


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceView:
    """One sentence of an answer."""

    marked: MarkedSentence
    url: str
    sources: tuple[SourceView, ...]
    verification: Verification | None = None

    @property
    def others_word(self) -> TrustTier | None:
        """How far the best of its sources can be trusted; None where the person said, logged or approved one."""
        best = max((source.first.trust_tier for source in self.sources), key=TRUST_RANK.__getitem__, default=None)
        return None if best is TrustTier.GREEN else best

    @property
    def details(self) -> str | None:
        """How who checked it did in its calibration; None where rules decided, or that is unknown."""
        if self.marked.verifier is None or self.verification is None:
            return None
        return calibration_line(self.verification)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnView:
    """One turn."""

    exchange: DialogueExchange
    is_hidden: bool = False
    beside: TurnNotices = TurnNotices()
    locations: Mapping[str, Location] = field(default_factory=lambda: NOWHERE)
    replaced: Replacements = field(default_factory=lambda: NOT_REPLACED)

    @property
    def number(self) -> int:
        """Its place in the conversation, from 1."""
        return self.exchange.index + 1

    @property
    def sources(self) -> tuple[SourceView, ...]:
        """What the answer rests on; of a refusal, the closest passages that were found."""
        if not self.exchange.refused:
            return source_views(sources_by_row(self.exchange.sources))
        places = {row_id: at.label for row_id, at in self.locations.items()}
        return source_views(closest_passages(self.exchange, places))

    @property
    def sentences(self) -> tuple[SentenceView, ...]:
        """The sentences of an accepted answer."""
        return sentence_views(self.exchange, self.replaced)

    @property
    def outdated(self) -> int:
        """How many of its sources were replaced since."""
        return sum(source.first.source_id in self.replaced for source in self.sources)  # each source once

    @property
    def notes(self) -> tuple[str, ...]:
        """What was missing for an answer, and what can be done about it."""
        return tuple(f"{note[:1].upper()}{note[1:]}" for note in notes_of(self.exchange))

    @property
    def proven(self) -> str | None:
        """The one line on an answer all of whose claims are proven, which bear no sign; None where one is not."""
        claims = [each.marked.rung in PROVEN for each in self.sentences if each.marked.rung != "remark"]
        return ALL_PROVEN if claims and all(claims) else None

    @property
    def tokens(self) -> int | None:
        """How many tokens were reported; None where nobody said."""
        sides = (self.exchange.prompt_tokens, self.exchange.completion_tokens)  # of one side alone nothing can be said
        return None if None in sides else sum(side or 0 for side in sides)


def turn_views(
    exchanges: Sequence[DialogueExchange],
    beside: RecentNotices | None = None,
    *,
    include_private: bool,
    locations: Mapping[str, Location] = NOWHERE,
    replaced: Replacements = NOT_REPLACED,
) -> tuple[TurnView, ...]:
    """Return turns as a page shows them, in their order, with what `beside` says of them; rows go by their ids."""
    notices = beside or RecentNotices()
    return tuple(
        TurnView(
            exchange=each,
            is_hidden=each.is_withheld and not include_private,
            beside=notices.of(each.id, include_private=include_private),
            locations=locations,
            replaced=replaced,
        )
        for each in exchanges
    )


async def locations_of(
    exchanges: Sequence[DialogueExchange], locations: SourceLocations, *, include_private: bool
) -> Mapping[str, Location]:
    """Return where the sources of turns stand, by their rows' ids; of private turns only where they are shown.

    Where what is known of folders cannot be read, nothing is told here: the page of a sentence says why.
    """
    shown = [each for each in exchanges if include_private or not each.is_withheld]
    try:
        return await locations.cited(one for each in shown for one in (*each.sources, *each.evidence_found))
    except DataFileError:  # the page of a sentence says why
        return NOWHERE


def is_called_by_question(topic: str, views: Sequence[TurnView]) -> bool:
    """Return whether a session is called by its first question, which is shown: its name would say that twice."""
    first = next((view for view in views if view.number == 1), None)
    if first is None or first.is_hidden:  # nothing is said twice that is not shown
        return False
    return topic_of(first.exchange.my_query, include_private=False) == topic


def sentence_views(exchange: DialogueExchange, replaced: Replacements = NOT_REPLACED) -> tuple[SentenceView, ...]:
    """Return the sentences of an accepted answer, in order; nothing of a refusal."""
    sources = {source.number: source for source in source_views(sources_by_row(exchange.sources))}
    return tuple(
        SentenceView(
            marked=marked,
            url=sentence_url(exchange.id, place, private=exchange.is_withheld),  # from 0, as `sentence_url` counts
            sources=tuple(sources[number] for number in marked.footnotes),
            verification=exchange.verification,
        )
        for place, marked in enumerate(marked_sentences(exchange, replaced))
    )


def source_views(cited: Sequence[Sequence[SourceCitation]]) -> tuple[SourceView, ...]:
    """Return rows with what is cited of each, in the order of their numbers."""
    return tuple(
        SourceView(
            number=number,
            url=source_url(row[0].source_id, row[0].span_start, row[0].span_end),
            spans=quoted_spans(row),
            first=row[0],
        )
        for number, row in enumerate(cited, start=1)
    )


State = Literal["all", "open", "expired", "closed", "resolved", "abandoned"]
STATES: Final[Mapping[State, str]] = {
    "all": "All",
    "open": "Open",
    "expired": "Idle",
    "closed": "Closed",
    "resolved": "Resolved",
    "abandoned": "Abandoned",
}
"""How a session, or its topic, can stand."""
_STATUS: Final[Mapping[State, StatusWanted]] = {"open": "open", "expired": "expired", "closed": "closed"}
_TOPIC: Final[Mapping[State, TopicWanted]] = {"resolved": "resolved", "abandoned": "abandoned"}


def session_filter(state: State, about: str) -> SessionFilter:
    """Return which sessions are listed."""
    return SessionFilter(status=_STATUS.get(state, "all"), topic_status=_TOPIC.get(state, "all"), about=about)


def session_facts(item: SessionListItem, figures: SessionFigures | None) -> tuple[str, ...]:
    """Return what the list tells of a session; its turns with those that it shares."""
    own = figures or sum_of(())
    return (counted(item.total_exchanges, "turn"), *totals_in_words(own))


def totals_in_words(figures: SessionFigures) -> tuple[str, ...]:
    """Return in words what sessions came to, without how many turns that were."""
    if not figures.turns:
        return ()
    failed = (f"{figures.errors:,} stopped or failed",) if figures.errors else ()
    return (f"{figures.refused:,} refused", *failed, counted(figures.tokens, "token"), cost_in_words(figures.cost))


def cost_in_words(cost: Total) -> str:
    """Return what something cost, and of how many turns that is unknown."""
    if not cost.unknown_count:
        return money(cost.known) if cost.known else "no cost"
    if not cost.known:
        return "cost unknown"
    return f"{money(cost.known)} plus {counted(cost.unknown_count, 'turn')} of unknown cost"
