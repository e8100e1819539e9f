"""Settle the parameters of recall and the words of its query, and fit its result to a budget.

Law: any string is a valid query; a number out of range is clamped and said so, a name that does not exist is refused,
nothing is guessed. How many are weighed and how many come back are two numbers (ruling A15). Which scope is read in is
decided before (`voice.core.recall.scopes`; ruling A18).

What of a result fits as a door renders it. A budget that a program names bounds all that it is sent: identifiers, names
of members and warnings, too, not the contents alone (ruling J1). Pins and the current summary are never cut; when they
alone exceed the budget there are no candidates, and by how much is said (ruling A17). A candidate that does not fit is
skipped and the next smaller one tried (ruling D14).

The words of a query, for match contexts and for finding summaries. A summary's relevance is absolute: a share of the
query's telling words, whatever else is there (ruling G). The few summaries of a memory are weighed here and not
indexed: they change with every word of their capsule. A summary that holds every telling word of the query weighs as
much as a row whose BM25 is `WORDS_UNIT` does (`core.retrieval.fusion`).

Source: spec retrieval-contract, Core Interface and Default Scoping; rulings A15, A17, A18, A22, A24, C16, D14, G, J1;
spec retrieval-contract, Token Budget and Truncation; spec retrieval-contract, Local FTS Provider.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from voice.core.errors import InvalidParams
from voice.core.messages import memory as messages
from voice.core.messages.asking import number_clamped
from voice.core.recall.values import DEFAULT_MAX_CANDIDATES, CandidateResult, CurrentOf, RecallParams, RecallResult
from voice.core.records import Scope, require_utc
from voice.core.retrieval.params import order_meant
from voice.core.retrieval.values import LOCAL_HYBRID, Window
from voice.core.text.normalise import clean_text
from voice.core.text.word_weights import word_weight
from voice.core.text.words import Word, words

Measure = Callable[[RecallResult], int]
"""What a result takes as a door renders it; the counts in it are part of that."""


def fit_rendered(result: RecallResult, *, budget: int, measure: Measure) -> RecallResult:
    """Return the result with those of its candidates that fit, in their order, and with true counts.

    Args:
        result: everything that was chosen without a budget.
        budget: tokens for all that is rendered.
    """
    shown: list[CandidateResult] = []
    bare = _with(result, shown, budget)
    needed = measure(bare)
    if needed > budget:
        provenance = replace(bare.provenance, tokens_used=needed, over_budget_by=needed - budget)
        return replace(bare, provenance=provenance)
    for candidate in result.candidates:
        tried = _with(result, [*shown, candidate], budget)
        tokens = measure(tried)
        if tokens <= budget:
            shown.append(candidate)
            needed = tokens
    made = _with(result, shown, budget)
    return replace(made, provenance=replace(made.provenance, tokens_used=needed))


def _with(result: RecallResult, shown: Sequence[CandidateResult], budget: int) -> RecallResult:
    """Return the result with these candidates; for what it takes the whole budget is written, the longest number."""
    dropped = len(result.candidates) - len(shown)
    provenance = replace(
        result.provenance,
        returned_candidates=len(shown),
        dropped_by_budget=dropped,
        truncated_due_to_token_budget=dropped > 0,
        token_budget=budget,
        tokens_used=budget,
    )
    return replace(result, candidates=tuple(shown), provenance=provenance)


MAX_CANDIDATES = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest:
    """What a caller asked for; None is "not said"."""

    query: str = field(repr=False)
    scope: Scope = Scope()
    """What was named; an empty one names nothing, `Scope.ALL` everything."""
    surroundings: Scope = Scope()
    """What the entrance reads of a scoped memory where none was named (ruling A18)."""
    token_budget: int | None = None
    max_candidates: int | None = None
    limit: int | None = None
    order: str | None = None
    when: str | None = None
    provider: str | None = None
    include_private: bool = False
    include_redacted: bool = False
    now: datetime | None = None
    rerank: bool = False
    """Let the installed re-ranker read the best together with the query, and order by what it finds."""
    measure: Measure | None = None
    """What the result takes as the entrance renders it, which `token_budget` bounds then; None: its contents alone."""
    current: CurrentOf = "anybody"
    """Whose open conversation gives the current summary where no capsule does: the latest one; or only that which the
    scope names or `conversation` is."""
    conversation: str | None = None
    """The session that the caller itself is in."""


def clean_recall(request: RecallRequest, *, now: datetime, scope: Scope, window: Window) -> RecallParams:
    """Return the parameters that are meant, with a warning for each that was changed.

    Args:
        request: what the caller asked for.
        now: the instant it is asked at.
        scope: what it may see (`voice.core.recall.scopes.scope_of_read`).
        window: what `when` came to.

    Raises:
        InvalidParams: `order` is no order, `provider` names none, or `now` has no time zone.
    """
    warnings: list[str] = []
    budget, limit = request.token_budget, request.limit
    wanted = DEFAULT_MAX_CANDIDATES if request.max_candidates is None else request.max_candidates
    return RecallParams(
        query=clean_text(request.query),
        scope=scope,
        now=require_utc(now, "now"),
        token_budget=None if budget is None else _within("token_budget", budget, (0, None), warnings.append),
        max_candidates=_within("max_candidates", wanted, (1, MAX_CANDIDATES), warnings.append),
        include_redacted=request.include_redacted,
        include_private=request.include_private,
        provider=_provider(request.provider),
        window=window,
        limit=None if limit is None else _within("limit", limit, (1, None), warnings.append),
        order=order_meant(request.order),
        rerank=request.rerank,
        current=request.current,
        conversation=request.conversation,
        warnings=tuple(warnings),
    )


def _within(name: str, value: int, bounds: tuple[int, int | None], warn: Callable[[str], None]) -> int:
    least, most = bounds
    inside = max(least, value if most is None else min(value, most))
    if inside != value:
        warn(number_clamped(name, value, inside))
    return inside


def _provider(name: str | None) -> str:
    if name is None:
        return LOCAL_HYBRID
    if not name.strip():
        raise InvalidParams(messages.provider_unnamed(LOCAL_HYBRID))
    return name


_MARKED: Final = frozenset("+#@./\\_-:&*=<>~$%")
"""Signs that belong to a word they stand in: `C++`, `login.py`, `auth-bug`."""
_CLOSING: Final = ".,;:!?…\"'()[]{}«»“”‘’"
_READ: Final = 10_000
"""Characters of a query that are looked at here; the search itself reads all of it."""
_TERMS: Final = 24
_LEAST_STEM: Final = 3


def query_terms(query: str) -> tuple[str, ...]:
    """Return what to look for in a text in order to show where it matches; at most a few, in the query's order."""
    text = query[:_READ]
    marked = (token for raw in text.split() if _MARKED & set(token := raw.strip(_CLOSING)))
    plain = (form for word in _telling(text) for form in (word.text, _beginning(word)))
    return tuple(dict.fromkeys(term for term in (*marked, *plain) if term))[:_TERMS]


def weigher(query: str) -> Callable[[str], float]:
    """Return what weighs a text that is not indexed, on the scale of `Hit.lexical`; 0.0 without a common word."""
    wanted = {word.stem: word_weight(word.stem) for word in _telling(query[:_READ])}
    whole = sum(wanted.values()) or 1.0

    def weigh(text: str) -> float:
        held = {word.stem for word in words(text)}
        share = sum(weight for stem, weight in wanted.items() if stem in held) / whole
        return share / (1.0 + share)

    return weigh


def content_stems(texts: Iterable[str]) -> list[str]:
    """Return the stems of the telling words of `texts`, in order."""
    return [word.stem for text in texts for word in words(text) if not word.is_stop]


def _telling(text: str) -> Sequence[Word]:
    """Return the words that carry a topic, or all where none does ("who am I")."""
    found = words(text)
    return [word for word in found if not word.is_stop] or found


def _beginning(word: Word) -> str:
    """Return the part of the word as written that its inflections share, or nothing."""
    stem = word.stem
    is_beginning = len(stem) >= _LEAST_STEM and word.text.casefold().startswith(stem)
    return stem if is_beginning and stem.isascii() else ""
