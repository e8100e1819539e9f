"""Validate recall parameters and scopes, fit a rendered result to a budget, and weigh query terms.

Law: any string is a valid query; numbers are clamped with a warning, unknown names rejected. A program's budget covers
everything it receives, not only contents (ruling J1). Pins and current summary are never cut (ruling A17); a candidate
that does not fit is skipped (ruling D14). A summary's relevance is the share of the query's content words (ruling G).

A scope is `dimension=value` words, one value per dimension; `all` is everything, `here` the entrance's repository
and unscoped rows. If the memory has any scoped item, every read needs a scope, named or the entrance's default (ruling
A18).
Source: spec retrieval-contract, Core Interface, Scoping, Default Scoping, Token Budget, Local FTS Provider; rulings
A15-A24, C16.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from math import inf
from typing import Final

from voice.core.errors import InvalidParams, ScopeRequired
from voice.core.messages import memory as messages
from voice.core.recall.values import DEFAULT_MAX_CANDIDATES, CandidateResult, CurrentOf, RecallParams, RecallResult
from voice.core.records import Scope, require_utc
from voice.core.retrieval.params import clamped, order_meant
from voice.core.retrieval.values import LOCAL_HYBRID, Window
from voice.core.text.language_data import word_weight
from voice.core.text.normalise import clean_text
from voice.core.text.words import Word, words

Measure = Callable[[RecallResult], int]
"""Tokens of a result as an entrance renders it, counts included."""


def fit_rendered(result: RecallResult, *, budget: int, measure: Measure) -> RecallResult:
    """Return the result, chosen without a budget, with the candidates that fit one when rendered, and true counts."""
    shown: list[CandidateResult] = []
    fitted = _with_candidates(result, shown, budget)
    needed = measure(fitted)
    if needed > budget:  # pins and summary alone: no candidate fits (ruling A17)
        provenance = replace(fitted.provenance, tokens_used=needed, over_budget_by=needed - budget)
        return replace(fitted, provenance=provenance)
    for candidate in result.candidates:
        # Rendered as a whole each time: counts and separators take tokens as well.
        longer = _with_candidates(result, [*shown, candidate], budget)
        tokens = measure(longer)
        if tokens <= budget:
            shown.append(candidate)
            fitted, needed = longer, tokens
    return replace(fitted, provenance=replace(fitted.provenance, tokens_used=needed))


def _with_candidates(result: RecallResult, shown: Sequence[CandidateResult], budget: int) -> RecallResult:
    """Return the result with these candidates; `tokens_used` is set to the budget, its longest possible value."""
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
    """A caller's parameters; None means default."""

    query: str = field(repr=False)
    scope: Scope = Scope()
    """Named scope; empty names nothing, `Scope.ALL` everything."""
    surroundings: Scope = Scope()
    """The entrance's default scope of a scoped memory (ruling A18)."""
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
    measure: Measure | None = None
    """Counts rendered tokens for `token_budget`; None counts contents only."""
    current: CurrentOf = "anybody"
    """Whose open conversation gives the current summary: the latest one, or only the named or calling session."""
    conversation: str | None = None
    """The caller's own session."""


def clean_recall(request: RecallRequest, *, now: datetime, scope: Scope, window: Window) -> RecallParams:
    """Return valid parameters, with a warning for each change.

    Args:
        scope: what it may see (`voice.core.recall.params.scope_of_read`).
        window: parsed from `when`.

    Raises InvalidParams: unknown order or provider, or `now` without a time zone.
    """
    warnings: list[str] = []
    budget, limit = request.token_budget, request.limit
    wanted = DEFAULT_MAX_CANDIDATES if request.max_candidates is None else request.max_candidates
    return RecallParams(
        query=clean_text(request.query),
        scope=scope,
        now=require_utc(now, "now"),
        token_budget=None if budget is None else int(clamped("token_budget", budget, (0, inf), warnings.append)),
        max_candidates=clamped("max_candidates", wanted, (1, MAX_CANDIDATES), warnings.append),
        include_redacted=request.include_redacted,
        include_private=request.include_private,
        provider=_provider(request.provider),
        window=window,
        limit=None if limit is None else int(clamped("limit", limit, (1, inf), warnings.append)),
        order=order_meant(request.order),
        rerank=request.rerank,
        current=request.current,
        conversation=request.conversation,
        warnings=tuple(warnings),
    )


def _provider(name: str | None) -> str:
    if name is None:
        return LOCAL_HYBRID
    if not name.strip():
        raise InvalidParams(messages.provider_unnamed(LOCAL_HYBRID))
    return name


# Characters that belong to a word: `C++`, `login.py`, `auth-bug`.
_MARKED: Final = frozenset("+#@./\\_-:&*=<>~$%")
_CLOSING: Final = ".,;:!?…\"'()[]{}«»“”‘’"  # "(login.py)," is `login.py`
_READ: Final = 10_000  # characters of a query scanned for terms; the search itself reads all
_TERMS: Final = 24  # each is searched for in every shown text
_LEAST_STEM: Final = 3  # a shorter prefix would match anything


def query_terms(query: str) -> tuple[str, ...]:
    """Return terms that locate a match in a text, in the query's order, at most `_TERMS`."""
    text = query[:_READ]
    marked = (token for raw in text.split() if _MARKED & set(token := raw.strip(_CLOSING)))
    plain = (form for word in _content_words(text) for form in (word.text, _prefix(word)))
    return tuple(dict.fromkeys(term for term in (*marked, *plain) if term))[:_TERMS]


def text_scorer(query: str) -> Callable[[str], float]:
    """Return a function that scores an unindexed text on the scale of `Hit.lexical`; 0.0 without a common word."""
    wanted = {word.stem: word_weight(word.stem) for word in _content_words(query[:_READ])}
    total = sum(wanted.values()) or 1.0  # no word: nothing matches, and nothing is divided by 0

    def weigh(text: str) -> float:
        stems = {word.stem for word in words(text)}
        share = sum(weight for stem, weight in wanted.items() if stem in stems) / total
        return share / (1.0 + share)  # as BM25 is mapped for `Hit.lexical`

    return weigh


def content_stems(texts: Iterable[str]) -> list[str]:
    """Return the stems of the content words, in order."""
    return [word.stem for text in texts for word in words(text) if not word.is_stop]


def _content_words(text: str) -> Sequence[Word]:
    """Return the content words, or all words if there are none ("who am I")."""
    found = words(text)
    return [word for word in found if not word.is_stop] or found


def _prefix(word: Word) -> str:
    """Return the prefix that a word's inflections share, or ""."""
    stem = word.stem
    # "happy" has the stem "happi", with which it does not begin: it is found as written only.
    is_prefix = len(stem) >= _LEAST_STEM and word.text.casefold().startswith(stem)
    return stem if is_prefix and stem.isascii() else ""


DIMENSIONS = ("session", "repo", "agent", "user")
EVERYTHING = "all"
HERE = "here"
UNSCOPED = Scope(or_unscoped=True)
"""Unscoped rows: the meaning of `here` outside a repository; any other named scope never shows them."""


def parse_scope(words: Sequence[str], *, names: Sequence[str] = (EVERYTHING, HERE)) -> Scope:
    """Parse words such as `("repo=/home/ann/kiln", "user=ann")`; no words give an empty scope.

    `here` gives `UNSCOPED`, which the entrance completes (`scope_of_directory`); where that has no directory, its
    `names` lack it.

    Raises InvalidParams: not `dimension=value`, unknown or repeated dimension.
    """
    if len(words) == 1 and words[0] in names:
        return Scope.ALL if words[0] == EVERYTHING else UNSCOPED
    named: dict[str, str] = {}
    for word in words:
        dimension, _, value = clean_text(word).partition("=")  # only the first "=": a path may hold one
        if dimension not in DIMENSIONS or not value.strip():
            raise InvalidParams(messages.scope_shape(", ".join(DIMENSIONS), " or ".join(map(repr, names))))
        if dimension in named:
            raise InvalidParams(messages.scope_twice(dimension))
        named[dimension] = value.strip()
    session_id, repo_id, agent_id, user_id = map(named.get, DIMENSIONS)
    return Scope(session_id=session_id, repo_id=repo_id, agent_id=agent_id, user_id=user_id)


def scope_of_directory(scope: Scope, repo_id: str | None) -> Scope:
    """Add the entrance's repository to the scope of `here`; other scopes are unchanged."""
    return replace(UNSCOPED, repo_id=repo_id) if scope == UNSCOPED else scope  # None: outside a repository


def scope_json(scope: Scope) -> dict[str, str]:
    """Return a scope's named dimensions, as `--json` prints them."""
    values = (scope.session_id, scope.repo_id, scope.agent_id, scope.user_id)
    return {dimension: value for dimension, value in zip(DIMENSIONS, values, strict=True) if value is not None}


def render_scope(scope: Scope) -> str:
    """Render a scope so that `parse_scope` reads it back."""
    if scope.everything or scope == UNSCOPED:
        return EVERYTHING if scope.everything else HERE
    return " ".join(f"{name}={value}" for name, value in scope_json(scope).items())


def scope_of_read(scope: Scope, surroundings: Scope, *, is_scoped: bool) -> Scope:
    """Return the effective scope of a read.

    Args:
        scope: the named one; may be empty.
        surroundings: the entrance's default; empty for none.
        is_scoped: whether the memory has any scoped item.

    Raises ScopeRequired: it has, and there is neither a named scope nor a default (ruling A18).
    """
    if not scope.is_empty:
        return scope
    if not is_scoped:  # no scope is needed before the first scoped item
        return Scope.ALL
    if surroundings.is_empty:
        raise ScopeRequired(messages.SCOPE_REQUIRED)
    return surroundings
