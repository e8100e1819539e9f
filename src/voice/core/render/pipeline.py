"""How a retrieval runs, as the page docs/retrieval.md.

Law: the page is made from the program's own things: each stage names the function that is it, each parameter takes its
default and bounds from where they are enforced, and the members of the answer are those of its form. What is no longer
there cannot stay on the page.

Source: ruling A9; promise 9; STYLE 24.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from typing import Final, get_args, get_type_hints

from voice.core.render.retrieval import WHY_LEFT_OUT, ExplainedDiagnosticsForm
from voice.core.retrieval.candidates import build_candidates, lift_relations
from voice.core.retrieval.dedupe import dedupe
from voice.core.retrieval.floor import apply_floor
from voice.core.retrieval.mix import allocate
from voice.core.retrieval.order import presented, ranked
from voice.core.retrieval.params import TOP_K_MAX, RetrieveDefaults, RetrieveRequest, clean_params
from voice.core.retrieval.phrases import holding
from voice.core.retrieval.profiles import CALIBRATED, floors_of
from voice.core.retrieval.rank import rank_by_vector, rank_by_words, rank_fused
from voice.core.retrieval.reranking import BEST, SOFTNESS, WEIGHT, best_of, placed_text, raised
from voice.core.retrieval.settling import first_looks, next_looks
from voice.core.retrieval.values import LOCAL_FTS, LOCAL_HYBRID, LOCAL_PROVIDERS, LOCAL_VECTOR, Dropped
from voice.core.retrieval.visibility import admits
from voice.core.text.capping import cap_span
from voice.core.text.normalise import content_hash


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One step from the question to the snippets."""

    name: str
    about: str
    rules: tuple[Callable[..., object], ...]
    """The functions that are this step."""
    source: str
    drops: tuple[str, ...] = ()
    """Why rows are left out here; reasons of the account."""


STAGES: Final[tuple[Stage, ...]] = (
    Stage(
        name="clean",
        about="Numbers are clamped with a warning; what cannot be meant is refused.",
        rules=(clean_params,),
        source="S0 Parameters; C16",
    ),
    Stage(
        name="search",
        about="The provider of that name finds the best rows of each table among those that may be seen.",
        rules=(rank_by_vector, rank_by_words, rank_fused),
        source="S0 Behavior 3; C1, C20, G",
    ),
    Stage(
        name="lift",
        about="A found relation stands in its source entity's text, so it lifts that entity.",
        rules=(lift_relations,),
        source="C2",
    ),
    Stage(
        name="look",
        about="Rows are fetched best first, until nothing that waits could change the choice.",
        rules=(first_looks, next_looks),
        source="S0 Performance Notes",
    ),
    Stage(
        name="admit",
        about="Each fetched row is asked again whether it may be seen; its whole text is made and hashed.",
        rules=(admits, build_candidates, content_hash),
        source="A10, A11, A13, C10, C19",
        drops=("synthesis", "bare_name"),
    ),
    Stage(
        name="rerank",
        about="Where that is asked for, a re-ranker reads the best that would be chosen, and raises what answers.",
        rules=(best_of, placed_text, raised),
        source="DESIGN 5",
    ),
    Stage(
        name="phrase",
        about="Where the question of a turn quotes, only rows with the quoted words stay; `retrieve` searches them.",
        rules=(holding,),
        source="E",
        drops=("no_phrase",),
    ),
    Stage(
        name="floor",
        about="Each source keeps what reaches the floor; a source that would be empty lowers it once to its best row.",
        rules=(apply_floor,),
        source="S0 Behavior 4; C3",
        drops=("below_floor",),
    ),
    Stage(
        name="dedupe",
        about="Of rows that say the same the most trusted stays, then the best ranked.",
        rules=(dedupe,),
        source="S0 Behavior 6; C7, C8",
        drops=("duplicate",),
    ),
    Stage(
        name="allocate",
        about="Places are divided by the mix, each source getting at least one; free places are back-filled.",
        rules=(allocate,),
        source="S0 Behavior 5; C5, C6",
        drops=("no_slot",),
    ),
    Stage(
        name="cap",
        about="Texts are cut at a sentence's end between 600 and 800 characters, with exact spans.",
        rules=(cap_span,),
        source="S0 Behavior 7; C12, C13",
    ),
    Stage(
        name="order",
        about="Best score first, re-ranked by rank, or by date where that was asked for.",
        rules=(ranked, presented),
        source="S0 Behavior 8; C9, E",
    ),
)

PROVIDERS: Final[dict[str, tuple[str, str, str]]] = {
    LOCAL_VECTOR: ("the cosine, no less than 0", "the cosine", "on the cosine"),
    LOCAL_HYBRID: (
        "both arms, the speaker, the rows next to it and the words they cover together, calibrated",
        "the cosine",
        "vector arm",
    ),
    LOCAL_FTS: ("0.7 of the words and 0.3 of the recency", "the same", "none"),
}
"""What a local provider ranks by, what its results show as `score`, and where the floor applies."""

_ABOUT_PARAMETER: Final[dict[str, str]] = {
    "query": "What to look for; any string but an empty one.",
    "top_k": "Snippets to return.",
    "floor": "Least cosine; may fall to `min_floor` for a source that would be empty.",
    "mix": "Share of the knowledge graph: 0 thoughts only, 1 graph only.",
    "include_private": "Let private rows in.",
    "include_tags": "Only rows with one of these tags.",
    "exclude_tags": "No rows with one of these tags.",
    "provider": "Which retrieval provider searches.",
    "scope": "Session, repository, agent and user; all that are named must match. Needed where anything is scoped.",
    "surroundings": "The scope that is read where none is named ([scope](recall.md#scope)).",
    "when": "A time in words, in place of the one in the query; one that is not understood is refused.",
    "window": "The same as two instants.",
    "order": "`created_at_desc` or `created_at_asc`: how the chosen are shown.",
    "limit": "S3's word for `top_k`; one of the two.",
    "now": "The instant that times and recency are measured from; the clock's by default.",
    "speaker": "The one person whose words count more where ranks are fused.",
    "as_of": "Find what the memory held at that instant, in the words of then ([corrections](corrections.md)).",
    "lexical_only": "Rank by words alone, without an encoder; flagged in the warnings.",
    "superseded": "Let rows in that were superseded, each with what took its place.",
    "explain": "Give the whole account.",
    "rerank": "Let the installed re-ranker read the best with the question ([re-ranking](#re-ranking)).",
}
_BOUNDS: Final = {"top_k": f"1 to {TOP_K_MAX}", "floor": "0 to 1", "mix": "0 to 1"}

_ABOUT_DIAGNOSTIC: Final[dict[str, str]] = {
    "provider": "Who embedded the query; `none` when no vectors were compared.",
    "model": "Its model.",
    "dim": "Numbers per vector.",
    "k_req": "Snippets asked for.",
    "k_ret": "Snippets returned.",
    "kg_candidates": "Rows of the graph that the search returned to choose from.",
    "thought_candidates": "Thoughts likewise.",
    "floor_used": "The lower of the two sources' floors.",
    "latency_ms": "Time the call took.",
    "no_results": "There when there are no snippets.",
    "reason": "`floor_excluded_all` or `no_candidates`, there when there are no snippets.",
    "retrieval_provider": "Which provider searched.",
    "floor_kg": "The graph's floor.",
    "floor_thoughts": "The thoughts' floor.",
    "kg_slots": "Places set aside for the graph.",
    "thought_slots": "Places set aside for thoughts.",
    "backfilled": "Places that one source took over from the other.",
    "excluded_other_model": "Rows without a vector of the active encoder.",
    "candidate_limit": "Rows of a table that the provider was asked for.",
    "searched": "For each table: rows that may be seen, and rows that matched.",
    "time": "What the time was understood as.",
    "when_unparsed": "What in the query sounds like a time and was not understood as one.",
    "partial": "Whether time was up before every row was looked at.",
    "reranked": "Which re-ranker read how many rows; there where that was asked for.",
    "warnings": "What was clamped, a floor that was asked for and lowered, and what a reader should know.",
}
_HEAD: Final = """\
# Retrieval

<!-- Made from the program's own tables; `retrieval_markdown` in voice/core/render/pipeline.py prints it. -->

How `voice retrieve` (`inner_voice.retrieve`) gets from a question to snippets. No language model is asked and nothing
is written. The evidence of a turn takes the same way with the graph only, ranked by both arms, relations as rows of
their own. `voice retrieve --explain` shows one run of it, as tables or, with `--json`, in the form of
`retrieve-explain.schema.json`.
"""
_UNCOMPARED: Final = """\
A row that the present encoder has no vector of has no cosine: `local-vector` does not find it, and `local-hybrid` finds
it by its words and shows its own score, never 0. Where no row has one (another encoder wrote the memory),
`local-vector` ranks by words, too. Every door says so: `voice retrieve` on stderr, the library by a Python warning, MCP
beside the result, HTTP in the header `Voice-Warnings`, and `recall`, `organise`, `ask` and the page in their warnings
([another encoder](reembedding.md)).
"""
_FLOORS: Final = """\
An angle means nothing by itself: what one encoder gives to strangers another gives to an answer. So each encoder has
floors of its own, and one that has none takes the specs' (the first line). They are the cosines above which the same
share of noise lies as above the specs' with the default encoder: 12 % for `floor`, 42 % for `min_floor`; noise is
questions against rows of another memory. `python -m bench.calibrate --floors --data FILE …` prints them, with the
shares of noise and of evidence that pass, counted on questions that did not choose them. `retrieve.floor` and
`retrieve.min_floor`, where somebody sets them, win.
"""
_RERANKING: Final = f"""\
## Re-ranking

`voice retrieve --rerank` and `voice recall --rerank` (`rerank` in the library, over HTTP and as an argument of the MCP
tools; off by default) let the installed re-ranker, the one that `ask` uses, read the best {BEST} rows of both arms
together with the question. Each gains up to {WEIGHT} of rank by its logit x: {WEIGHT} / (1 + e^(-x/{SOFTNESS:g})). The
floors and the mix hold as ever, `score` stays the cosine, and the order is by rank; so the best may stand below one
with a higher score. In `recall` the candidate's `score` is the raised one. Without a provider named, `local-hybrid`
finds what is read. The account says who read how many rows, and what each gained.

`voice models install reranker` fetches the built-in one; without it the call fails with that line. A re-ranker that is
not on this machine sees private rows with `SURR_ALLOW_PRIVATE_REMOTE=1` only. What it gives and costs:
[benchmarks](benchmarks.md#re-ranking).
"""
_THIRD_PARTY: Final = """\
## A provider of your own

Any package can bring a provider by an entry point. Its object is called with a
`voice.ports.retrieval_provider.ProviderContext` (the search index, the rows for reading, the encoder, the clock) and
returns what `voice.ports.retrieval_provider.RetrievalProvider` describes. A whole one, `my_package.py`, which ranks by
the words that a row shares with the query and by nothing else:

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

It is imported when its name is first asked for, by `--provider mine` or `SURR_INNER_VOICE_RETRIEVAL=mine`. One that
cannot be loaded is an error that names it and its package. A local name always means the local provider. What it
returns is fetched and asked again whether it may be seen before it is even counted, so a careless one cannot leak. An
answer is taken whole or not at all: a score that is no number from 0 to 1, a table that is not its id's, a row twice or
more rows than were asked for, or anything it raises, is a `retrieval_provider_error` that names it. Its own score is
shown as `score` and no floor applies. Hold it to the contract with the suite the local ones pass:

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
    reasons = get_args(get_type_hints(Dropped)["reason"])
    parts = (
        _HEAD,
        _diagram(),
        _section("Stages", ("stage", "what it does", "rules", "source"), map(_stage_row, STAGES)),
        _section("Parameters", ("parameter", "default", "bounds", "meaning"), _parameter_rows()),
        _section("Providers", ("name", "ranks by", "`score`", "floor"), _provider_rows()),
        _UNCOMPARED,
        _section("Floors", ("encoder", "`floor`", "`min_floor`"), _floor_rows()),
        _FLOORS,
        _RERANKING,
        _section("Why a row is left out", ("reason", "meaning"), ((f"`{one}`", WHY_LEFT_OUT[one]) for one in reasons)),
        _section("Diagnostics", ("member", "meaning"), _diagnostic_rows()),
        _THIRD_PARTY,
    )
    return "\n".join(parts)


def _diagram() -> str:
    """Return the stages as a Mermaid flow chart, with what leaves it at each."""
    lines = ["```mermaid", "flowchart TD", '    question(["question"]) --> clean']
    names = [stage.name for stage in STAGES]
    lines += [f'    {stage.name}["{stage.name}: {stage.about}"]' for stage in STAGES]
    lines += [f"    {one} --> {after}" for one, after in zip(names, [*names[1:], "snippets"], strict=True)]
    lines += [f'    {stage.name} -. left out .-> {drop}(["{drop}"])' for stage in STAGES for drop in stage.drops]
    return "\n".join([*lines, '    snippets(["snippets and diagnostics"])', "```", ""])


def _section(title: str, heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [f"## {title}", "", f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows), ""])


def _stage_row(stage: Stage) -> tuple[str, ...]:
    rules = ", ".join(f"`{rule.__module__.removeprefix('voice.core.')}.{rule.__name__}`" for rule in stage.rules)
    return stage.name, stage.about, rules, stage.source


def _parameter_rows() -> Iterator[tuple[str, ...]]:
    defaults = RetrieveDefaults()
    for one in fields(RetrieveRequest):
        default = getattr(defaults, one.name, None)
        shown = "" if default is None else f"`{default}`"
        yield f"`{one.name}`", shown, _BOUNDS.get(one.name, ""), _ABOUT_PARAMETER[one.name]


def _provider_rows() -> Iterator[tuple[str, ...]]:
    for name in LOCAL_PROVIDERS:
        yield (f"`{name}`", *PROVIDERS[name])
    yield "any other", "as it says", "its own score", "none"


def _floor_rows() -> Iterator[tuple[str, ...]]:
    for model in CALIBRATED:
        own = floors_of(model)
        yield f"`{model}`", f"`{own.floor}`", f"`{own.min_floor}`"


def _diagnostic_rows() -> Iterator[tuple[str, ...]]:
    for member in get_type_hints(ExplainedDiagnosticsForm):
        yield f"`{member}`", _ABOUT_DIAGNOSTIC[member]
