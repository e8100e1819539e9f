"""The page docs/retrieval.md, made from the stages of a retrieval.

Law: the page is made from the program's own things: each stage names the function that is it, each parameter takes its
default and bounds from where they are enforced, and the members of the answer are those of its schema. What is no
longer there cannot stay on the page.

Source: ruling A9; promise 9; STYLE 24.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from typing import Final

from voice.core.messages.showing import WHY_LEFT_OUT
from voice.core.retrieval.candidates import admits, build_candidates, lift_relations
from voice.core.retrieval.early_termination import first_looks, next_looks
from voice.core.retrieval.params import TOP_K_MAX, RetrieveDefaults, RetrieveRequest, clean_params
from voice.core.retrieval.ranking import in_shown_order, rank_by_vector, rank_by_words, rank_fused, ranked
from voice.core.retrieval.searchable_text import holding
from voice.core.retrieval.selection import BEST, SOFTNESS, WEIGHT, best_of, placed_text, with_gains
from voice.core.retrieval.selection_rules import CALIBRATED, allocate, apply_floor, dedupe, floors_of
from voice.core.retrieval.values import LOCAL_FTS, LOCAL_HYBRID, LOCAL_PROVIDERS, LOCAL_VECTOR
from voice.core.text.normalise import content_hash
from voice.core.text.sentences import cap_span


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One step from the question to the snippets."""

    name: str
    about: str
    rules: tuple[Callable[..., object], ...]
    """The functions that are this step."""
    drops: tuple[str, ...] = ()
    """Why rows are left out here; reasons of the account."""


STAGES: Final[tuple[Stage, ...]] = (
    Stage(
        name="clean",
        about="Brings numbers into their bounds, with a warning, and rejects impossible requests.",
        rules=(clean_params,),
    ),
    Stage(
        name="search",
        about="The chosen provider finds the best rows of each table among those you may see.",
        rules=(rank_by_vector, rank_by_words, rank_fused),
    ),
    Stage(
        name="lift",
        about="A relation belongs to the text of its source entity, so finding it raises that entity.",
        rules=(lift_relations,),
    ),
    Stage(
        name="look",
        about="Fetches rows, the best first, until no further row could change the result.",
        rules=(first_looks, next_looks),
    ),
    Stage(
        name="admit",
        about="Checks again that you may see each fetched row, then builds and hashes its full text.",
        rules=(admits, build_candidates, content_hash),
        drops=("synthesis", "bare_name"),
    ),
    Stage(
        name="rerank",
        about="On request, a re-ranker reads the best rows with the question and raises those that answer.",
        rules=(best_of, placed_text, with_gains),
    ),
    Stage(
        name="phrase",
        about="If a turn's question quotes, keeps only rows with those words; `retrieve` names missing ones.",
        rules=(holding,),
        drops=("no_phrase",),
    ),
    Stage(
        name="floor",
        about="Keeps the rows of each source that reach the floor; if none does, lowers it once, to the best row.",
        rules=(apply_floor,),
        drops=("below_floor",),
    ),
    Stage(
        name="dedupe",
        about="Of rows that say the same, keeps the most trusted, then the best ranked.",
        rules=(dedupe,),
        drops=("duplicate",),
    ),
    Stage(
        name="allocate",
        about="Divides the places by the mix, at least one for each source; the other source fills free places.",
        rules=(allocate,),
        drops=("no_slot",),
    ),
    Stage(
        name="cap",
        about="Cuts texts at the end of a sentence between 600 and 800 characters, with exact spans.",
        rules=(cap_span,),
    ),
    Stage(
        name="order",
        about="Sorts by score; after re-ranking by rank; on request by date.",
        rules=(ranked, in_shown_order),
    ),
)

PROVIDERS: Final[dict[str, tuple[str, str, str]]] = {
    LOCAL_VECTOR: ("the cosine, no less than 0", "the cosine", "on the cosine"),
    LOCAL_HYBRID: (
        "both searches (vectors and words), the speaker, the neighbouring rows and the words they share with the query",
        "the cosine",
        "on the cosine",
    ),
    LOCAL_FTS: ("0.7 × words + 0.3 × recency", "the same", "none"),
}
"""What a local provider ranks by, what its results show as `score`, and where the floor applies."""

_ABOUT_PARAMETER: Final[dict[str, str]] = {
    "query": "What to look for; not empty.",
    "top_k": "How many snippets to return.",
    "floor": "The lowest cosine to keep; falls to `min_floor` for a source that would be empty.",
    "mix": "Share of the knowledge graph: 0 thoughts only, 1 graph only.",
    "include_private": "Include private rows.",
    "include_tags": "Only rows with one of these tags.",
    "exclude_tags": "No rows with one of these tags.",
    "provider": "The retrieval provider that searches.",
    "scope": "Session, repository, agent and user; all that you name must match. Required once anything has a scope.",
    "surroundings": "The scope to read if you name none ([scope](recall.md#scope)).",
    "when": "A time in words, instead of the one in the query; an error if it is not understood.",
    "window": "The same as two instants.",
    "order": "`created_at_desc` or `created_at_asc`: the order of the result.",
    "limit": "S3's name for `top_k`; use one of the two.",
    "now": "The instant that times and recency count from; by default the clock's.",
    "speaker": "The person whose words rank higher in `local-hybrid`.",
    "as_of": "Search what the memory held at that instant, in its words of that time ([corrections](corrections.md)).",
    "lexical_only": "Rank by words alone, without an encoder; a warning says so.",
    "superseded": "Include replaced rows, each with its successor.",
    "explain": "Explain the whole run.",
    "rerank": "Let the installed re-ranker read the best rows with the question ([re-ranking](#re-ranking)).",
}
_BOUNDS: Final = {"top_k": f"1 to {TOP_K_MAX}", "floor": "0 to 1", "mix": "0 to 1"}

DIAGNOSTICS: Final[dict[str, str]] = {
    "provider": "The provider that encoded the query; `none` if no vectors were compared.",
    "model": "Its model.",
    "dim": "Numbers per vector.",
    "k_req": "How many snippets you asked for.",
    "k_ret": "How many snippets it returned.",
    "kg_candidates": "How many rows of the graph the search found to choose from.",
    "thought_candidates": "The same for thoughts.",
    "floor_used": "The lower of the two sources' floors.",
    "latency_ms": "Time the call took.",
    "no_results": "Only if there are no snippets.",
    "reason": "`floor_excluded_all` or `no_candidates`; only if there are no snippets.",
    "retrieval_provider": "The provider that searched.",
    "floor_kg": "The graph's floor.",
    "floor_thoughts": "The thoughts' floor.",
    "kg_slots": "Places reserved for the graph.",
    "thought_slots": "Places reserved for thoughts.",
    "backfilled": "Places that one source took from the other.",
    "excluded_other_model": "Rows without a vector of the current encoder.",
    "candidate_limit": "How many rows of a table the provider may return.",
    "searched": "For each table: how many rows you may see, and how many matched.",
    "time": "How the time was understood.",
    "when_unparsed": "Words of the query that sound like a time but were not understood.",
    "partial": "Whether the search ran out of time before it had seen every row.",
    "reranked": "Which re-ranker read how many rows; only if you asked for it.",
    "warnings": "Numbers brought into bounds, a lowered floor, and whatever else you should know.",
}
_HEAD: Final = """\
# Retrieval

<!-- Made from the program's own tables; `retrieval_markdown` in tools/reference/retrieval_page.py prints it. -->

How `voice retrieve` gets from a question to snippets, without a language model. `voice ask` finds its evidence in the
same way, but in the graph only, with vectors and words together, and with relations as rows of their own. `voice
retrieve --explain` shows each step of a run.
"""
_UNCOMPARED: Final = """\
A row without a vector of the current encoder has no cosine: `local-vector` does not find it; `local-hybrid` finds it by
its words and shows its own score. If no row has a vector, `local-vector` ranks by words. A warning says so
([another encoder](reembedding.md)).
"""
_FLOORS: Final = """\
An encoder without floors of its own takes those of the first line. They let the same share of noise (questions compared
with rows of another memory) pass: 12 % for `floor`, 42 % for `min_floor` (`python -m bench.calibrate --floors --data
FILE …`). The settings `retrieve.floor` and `retrieve.min_floor` override them.
"""
_RERANKING: Final = f"""\
## Re-ranking

With `--rerank` (`voice retrieve`, `voice recall`; `rerank` elsewhere), the installed re-ranker, which `ask` uses as
well, reads the best {BEST} rows of both searches with the question. Each row gains up to {WEIGHT} of rank by its logit
x: {WEIGHT} / (1 + e^(-x/{SOFTNESS:g})). Floors and mix stay the same and `score` stays the cosine, but rank decides the
order. In `recall` the `score` of a candidate includes the gain. If you name no provider, `local-hybrid` searches.

Download the built-in re-ranker with `voice models install reranker`. A re-ranker on another machine sees private rows
only with `SURR_ALLOW_PRIVATE_REMOTE=1`. [Gains and costs](retrieval-quality.md#re-ranking).
"""
_THIRD_PARTY: Final = """\
## A provider of your own

A package can add a provider through an entry point. `voice` calls it with a
`voice.ports.retrieval_provider.ProviderContext` and expects what
`voice.ports.retrieval_provider.RetrievalProvider` describes. A complete one, which ranks only by the words that a row
shares with the query:

<!-- file: my_package.py -->
```python
from voice.core.retrieval.values import Found
from voice.core.text.normalise import clean_text
from voice.ports.retrieval_provider import ProviderAnswer, ProviderContext, ProviderQuery
from voice.ports.search_index import IndexQuery


class Mine:
    name = "mine"
    is_deterministic = True

    def __init__(self, context: ProviderContext) -> None:
        self.index = context.index

    async def search(self, query: ProviderQuery) -> ProviderAnswer:
        await self.index.refresh()  # so that what was just written is found
        answer = await self.index.search(
            IndexQuery(
                filter=query.filter,  # what may be seen is the index's business, before any score
                vector=None,
                text=clean_text(query.text),
                weights=(0.0, 1.0),  # of meaning and of words
                limit=query.limit,
                exclude_ids=query.exclude_ids,
            )
        )
        found = [Found(hit=hit, score=hit.lexical, rank_score=hit.lexical) for hit in answer.hits]
        return ProviderAnswer(
            found=sorted(found, key=lambda one: (-one.rank_score, one.hit.table, one.hit.row_id)),
            admitted=answer.admitted,
            matched=answer.matched,
        )
```

```toml
[project.entry-points."voice.retrieval_providers"]
mine = "my_package:Mine"
```

Select it with `--provider mine` or `SURR_INNER_VOICE_RETRIEVAL=mine`. A local name always means the local provider.
`voice` checks again that you may see each row. It takes an answer as a whole or not at all: a score outside 0 to 1, a
table that does not fit the id, a row twice, too many rows, or an exception is a `retrieval_provider_error`. Its own
score is shown as `score`, and no floor applies. To test it, run the contract suite that the local providers pass:

```python
from my_package import Mine
from voice.testing.retrieval_providers import RetrievalProviderContract


class TestMine(RetrievalProviderContract):
    def make_provider(self, context):
        return Mine(context)
```
"""


def retrieval_markdown() -> str:
    """Return docs/retrieval.md."""
    parts = (
        _HEAD,
        _section("Stages", ("stage", "what it does", "leaves out", "rules"), map(_stage_row, STAGES)),
        _section("Parameters", ("parameter", "default", "meaning"), _parameter_rows()),
        _section("Providers", ("name", "ranks by", "`score`", "floor"), _provider_rows()),
        _UNCOMPARED,
        _section("Floors", ("encoder", "`floor`", "`min_floor`"), _floor_rows()),
        _FLOORS,
        _RERANKING,
        _section("Diagnostics", ("member", "meaning"), _diagnostic_rows()),
        _THIRD_PARTY,
    )
    return "\n".join(parts)


def _section(title: str, heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [f"## {title}", "", f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows), ""])


def _stage_row(stage: Stage) -> tuple[str, ...]:
    rules = ", ".join(f"`{rule.__module__.removeprefix('voice.core.')}.{rule.__name__}`" for rule in stage.rules)
    drops = "; ".join(f"`{one}`: {WHY_LEFT_OUT[one]}" for one in stage.drops)
    return stage.name, stage.about, drops, rules


def _parameter_rows() -> Iterator[tuple[str, ...]]:
    defaults = RetrieveDefaults()
    for one in fields(RetrieveRequest):
        default = getattr(defaults, one.name, None)
        shown = "" if default is None else f"`{default}`"
        bounds = f" ({_BOUNDS[one.name]})" if one.name in _BOUNDS else ""
        yield f"`{one.name}`", shown + bounds, _ABOUT_PARAMETER[one.name]


def _provider_rows() -> Iterator[tuple[str, ...]]:
    for name in LOCAL_PROVIDERS:
        yield (f"`{name}`", *PROVIDERS[name])
    yield "any other", "as it says", "its own score", "none"


def _floor_rows() -> Iterator[tuple[str, ...]]:
    for model in CALIBRATED:
        own = floors_of(model)
        yield f"`{model}`", f"`{own.floor}`", f"`{own.min_floor}`"


def _diagnostic_rows() -> Iterator[tuple[str, ...]]:
    for member, about in DIAGNOSTICS.items():
        yield f"`{member}`", about
