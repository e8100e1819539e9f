"""The contract of retrieval providers, as tests that anybody can run against their own.

Law: what is promised in `voice.ports.retrieval_provider` and can be seen from outside is asked here, over a memory in
which each condition tells rows apart. A provider that passes can be searched with by name; one that leaks, ranks what
is far above what is near, scores by what else it found, or breaks at odd strings fails. Nothing but this package is
needed; any test runner will do.

    from voice.testing.retrieval_providers import RetrievalProviderContract

    class TestMine(RetrievalProviderContract):
        def make_provider(self, context):
            return Mine(context.index, context.embedder)

Source: spec retrieval-contract, Provider Contract, Custom Providers, Testing Retrieval; rulings C9, C17, G.
"""

import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from functools import update_wrapper
from typing import Final, NamedTuple

import anyio

from voice.core.errors import EmbedderUnavailable
from voice.core.records import Observation, Row, Scope, Table, Thought
from voice.core.retrieval.candidates import admits
from voice.core.retrieval.searchable_text import indexed_text
from voice.core.retrieval.values import Found, RowFilter, Window
from voice.ports.retrieval_provider import ProviderAnswer, ProviderContext, ProviderQuery, RetrievalProvider
from voice.testing.corpus import EDGE, HOME, NOW, TOPICS, Corpus, observation, thought

EVERYTHING: Final = RowFilter(tables=frozenset(Table))
QUESTION: Final = TOPICS[0]
ODD_STRINGS: Final = (  # ruling G: any of them is a query
    "auth bug?", "what's the kiln", "login.py", "C++", "auth-bug", "ログイン", '"', "'", "AND OR NOT", "*", "a" * 5_000,
    "kiln " * 20_000, "\x00kiln", "\ud800", "🏺", "%_\\", "NEAR(kiln)", "-kiln", "()", "   ", "the", "e\u0301",
)  # fmt: skip
FILTERS: Final[Mapping[str, RowFilter]] = {
    "everything": EVERYTHING,
    "one table": RowFilter(tables=frozenset({Table.OBSERVATIONS})),
    "entities": RowFilter(tables=frozenset({Table.ENTITIES})),
    "the graph": RowFilter(tables=frozenset(Table) - {Table.THOUGHTS}),
    "a scope": replace(EVERYTHING, scope=HOME),
    "a session": replace(EVERYTHING, scope=Scope(session_id=HOME.session_id)),
    "a repository": replace(EVERYTHING, scope=Scope(repo_id=HOME.repo_id)),
    "an agent": replace(EVERYTHING, scope=Scope(agent_id=HOME.agent_id)),
    "a user": replace(EVERYTHING, scope=Scope(user_id=HOME.user_id)),
    "part of a scope": replace(EVERYTHING, scope=Scope(repo_id=HOME.repo_id, user_id=HOME.user_id)),
    "a scope nobody is in": replace(EVERYTHING, scope=Scope(session_id="nobody")),
    "what was before a moment": replace(EVERYTHING, window=Window(end=EDGE)),
    "what was since a moment": replace(EVERYTHING, window=Window(start=EDGE)),
    "a moment": replace(EVERYTHING, window=Window(start=EDGE, end=EDGE + timedelta(microseconds=1))),  # half-open
    "the present": replace(EVERYTHING, window=Window(start=NOW)),
    "private rows too": replace(EVERYTHING, include_private=True),
    "a tag": replace(EVERYTHING, include_tags=("work",)),
    "one of two tags": replace(EVERYTHING, include_tags=("clay", "draft")),
    "neither of two tags": replace(EVERYTHING, exclude_tags=("clay", "draft")),
    "not a tag": replace(EVERYTHING, exclude_tags=("draft",)),
    "one tag and not another": replace(EVERYTHING, include_tags=("work",), exclude_tags=("clay",)),
    "what was superseded": replace(EVERYTHING, include_superseded=True),
    "all conditions at once": RowFilter(
        tables=frozenset({Table.THOUGHTS, Table.RELATIONS}),
        scope=HOME,
        window=Window(start=EDGE, end=NOW + timedelta(days=1)),
        include_private=True,
        include_tags=("clay", "work"),
        exclude_tags=("draft",),
        include_superseded=True,
    ),
}
_PLACES: Final = 6  # decimals of a score
_MANY: Final = 40  # rows that a limit cuts
_ENOUGH: Final = 100  # more rows than a table of the corpus has


class Trial(NamedTuple):
    """A memory, and the provider that is tried on it."""

    corpus: Corpus
    provider: RetrievalProvider


Check = Callable[["RetrievalProviderContract", Trial], Awaitable[None]]
Test = Callable[["RetrievalProviderContract"], None]


def _over_a_corpus(*, is_embedder_down: bool = False) -> Callable[[Check], Test]:
    """Return what makes a plain test of a check, so that no plugin of a test runner is needed."""

    def made(check: Check) -> Test:
        def test(self: "RetrievalProviderContract") -> None:
            async def run() -> None:
                corpus = await Corpus.make(is_embedder_down=is_embedder_down)
                await check(self, Trial(corpus, self.make_provider(corpus.context)))

            anyio.run(run)

        update_wrapper(test, check)
        vars(test).pop("__wrapped__")  # of which pytest would take the parameters for fixtures
        return test

    return made


class RetrievalProviderContract:
    """Tests of one provider; a subclass says how it is made."""

    def make_provider(self, context: ProviderContext) -> RetrievalProvider:
        """Return the provider under test, made as the program makes it."""
        raise NotImplementedError("say how your provider is made")

    @_over_a_corpus()
    async def test_it_has_a_name_and_says_whether_it_is_deterministic(self, on: Trial) -> None:
        """A provider is chosen by its name (spec: Provider Interface)."""
        assert on.provider.name, "the name is empty"
        assert on.provider.name == on.provider.name.strip(), "the name has white space around it"
        assert on.provider.is_deterministic in (True, False), "is_deterministic is neither True nor False"

    @_over_a_corpus()
    async def test_scores_lie_between_nought_and_one(self, on: Trial) -> None:
        """A score is relevance from 0.0 to 1.0, and so is each arm in its range (spec: ProviderSearchResult)."""
        for text in (QUESTION, "kiln", *ODD_STRINGS):
            for one in (await on.provider.search(_query(text))).found:
                _check_scores(one)

    @_over_a_corpus()
    async def test_what_is_near_ranks_above_what_is_far(self, on: Trial) -> None:
        """A row that says just what is asked stands above rows that are about something else."""
        for number, text in enumerate(TOPICS):
            found = _by_table(await on.provider.search(_query(text)))
            for table, prefix in ((Table.THOUGHTS, "t"), (Table.OBSERVATIONS, "o")):
                ids = [one.hit.row_id for one in found[table]]
                plain = [row_id for row_id in ids if row_id.startswith(f"{prefix}:plain")]
                assert plain[:1] == [f"{prefix}:plain{number}"], f"{plain[:1]} is first for what {number} says"

    @_over_a_corpus()
    async def test_results_come_best_first_and_each_once(self, on: Trial) -> None:
        """The order is (-rank_score, table, id), in which scores never rise (ruling C9)."""
        found = (await on.provider.search(_query(QUESTION))).found
        keys = [(-one.rank_score, one.hit.table, one.hit.row_id) for one in found]
        assert keys == sorted(keys), "the order is not (-rank_score, table, id)"
        scores = [one.score for one in found]
        assert scores == sorted(scores, reverse=True), "a score rises where the rank falls"
        ids = [one.hit.row_id for one in found]
        assert len(ids) == len(set(ids)), "a row comes twice"

    @_over_a_corpus()
    async def test_what_says_what_is_asked_is_found(self, on: Trial) -> None:
        """A row that holds the very words of the query is among the results."""
        assert "t:plain0" in _ids(await on.provider.search(_query(QUESTION))), "a row that says just this is not found"

    @_over_a_corpus()
    async def test_a_row_that_was_just_written_is_found(self, on: Trial) -> None:
        """What was remembered a moment ago can be found (refresh the index before a search)."""
        await on.provider.search(_query(QUESTION))  # opens the index before the row is there
        words = "Penguins walked through the greenhouse."
        await on.corpus.write((thought("new", words),))
        assert "t:new" in _ids(await on.provider.search(_query(words))), "what was written after a search is not found"

    @_over_a_corpus()
    async def test_nothing_that_fails_the_filter_is_returned(self, on: Trial) -> None:
        """Scope, time, privacy, tags, tables and the state of a row bind every result (spec: Scoping)."""
        rows = {row.id: row for row in on.corpus.rows}
        for name, row_filter in FILTERS.items():
            answer = await on.provider.search(_query(QUESTION, row_filter=row_filter))
            shown = [row_id for row_id in _ids(answer) if row_id not in rows or not admits(row_filter, rows[row_id])]
            assert not shown, f"with the filter for {name} it returned {shown}"

    @_over_a_corpus()
    async def test_what_passes_the_filter_and_says_it_is_found(self, on: Trial) -> None:
        """A filter leaves in what it names: any wanted tag will do, and a window holds its own beginning."""
        for name, row_filter in FILTERS.items():
            ids = _ids(await on.provider.search(_query(QUESTION, row_filter=row_filter)))
            wanted = [
                row.id
                for row in on.corpus.rows
                if isinstance(row, Thought | Observation)
                and QUESTION in indexed_text(row, {})
                and admits(row_filter, row)
            ]
            missing = sorted(set(wanted) - set(ids))
            assert not missing, f"with the filter for {name} it did not find {missing}"

    @_over_a_corpus()
    async def test_the_counts_are_true(self, on: Trial) -> None:
        """What fails the filter is not counted, and no more is matched than is admitted (ruling G)."""
        for name, row_filter in FILTERS.items():
            answer = await on.provider.search(_query(QUESTION, row_filter=row_filter))
            _check_counts(answer, _admitted(on.corpus.rows, row_filter), f"the filter for {name}")

    @_over_a_corpus()
    async def test_excluded_rows_are_neither_returned_nor_counted(self, on: Trial) -> None:
        """What is shown elsewhere already is as if it were not there (spec: Deduplication)."""
        first = await on.provider.search(_query(QUESTION))
        excluded = frozenset(_ids(first)[:-2])  # two are left to be found
        answer = await on.provider.search(replace(_query(QUESTION), exclude_ids=excluded))
        assert excluded.isdisjoint(_ids(answer)), "an excluded row came back"
        others = [row for row in on.corpus.rows if row.id not in excluded]
        _check_counts(answer, _admitted(others, EVERYTHING), "excluded rows")

    @_over_a_corpus()
    async def test_a_smaller_limit_gives_the_beginning_of_a_larger_one(self, on: Trial) -> None:
        """The limit cuts, per table, and changes neither a score nor an order nor a count (ruling G)."""
        days = range(1, _MANY + 1)  # enough for every limit below to cut
        text = "The kiln was fired and the vases cracked, time and again: {}."
        at = [NOW - timedelta(days=day) for day in days]
        await on.corpus.write(tuple(thought(f"many{day}", text.format(day), at=at[day - 1]) for day in days))
        await on.corpus.write(tuple(observation(f"many{day}", text.format(day), at=at[day - 1]) for day in days))
        whole = await on.provider.search(_query(QUESTION))
        every = _by_table(whole)
        for limit in (1, 2, 3, 5, 8, 17, _MANY):
            answer = await on.provider.search(replace(_query(QUESTION), limit=limit))
            some = _by_table(answer)
            for table in Table:
                wanted = every[table][:limit]
                assert some[table] == wanted, f"limit {limit} changes what is found in {table.value}"
            assert answer.admitted == whole.admitted, f"limit {limit} changes what is admitted"
            assert answer.matched == whole.matched, f"limit {limit} changes how many matched before it"

    @_over_a_corpus()
    async def test_a_score_does_not_depend_on_what_else_is_searched(self, on: Trial) -> None:
        """Scores are absolute: one table searched alone scores as it does among all (ruling G)."""
        every = _by_table(await on.provider.search(_query("kiln vases")))
        for table in Table:
            only = RowFilter(tables=frozenset({table}))
            alone = _by_table(await on.provider.search(_query("kiln vases", row_filter=only)))
            assert alone[table] == every[table], f"rows of {table.value} score otherwise when searched alone"

    @_over_a_corpus()
    async def test_the_same_search_gives_the_same_answer(self, on: Trial) -> None:
        """Same query, same data, same now: the same answer, unless the provider says otherwise (spec: Determinism)."""
        for text in (QUESTION, "kiln"):
            answers = [await on.provider.search(_query(text)) for _ in range(3)]
            assert not on.provider.is_deterministic or answers[0] == answers[1] == answers[2], "the answers differ"

    @_over_a_corpus()
    async def test_recency_is_measured_from_the_instant_of_the_query(self, on: Trial) -> None:
        """Where the age of a row counts, it is its age at `now`, not at any clock's (ruling G)."""
        text = "The otters came back to the mill."
        # Alike in all but their age: of one day, and each with nobody beside it.
        young, aged = thought("young", text, at=NOW), thought("aged", text, at=NOW - timedelta(hours=8))
        alone = (replace(row, scope=Scope(session_id=row.id)) for row in (young, aged))
        await on.corpus.write(tuple(alone))
        scores: list[tuple[float, ...]] = []
        for now in (NOW, NOW + timedelta(days=300)):  # a clock of its own would not see them differ
            found = {one.hit.row_id: one for one in (await on.provider.search(replace(_query(text), now=now))).found}
            scores.append(tuple(found[row_id].rank_score for row_id in ("t:young", "t:aged")))
        does_age_count = scores[0][0] != scores[0][1]  # a provider may leave age out
        assert not does_age_count or scores[0] != scores[1], "300 days later every age counts as it did"

    @_over_a_corpus()
    async def test_it_says_which_encoder_embedded_the_query(self, on: Trial) -> None:
        """The diagnostics name the encoder it was given, or none where no vectors were compared (S0's output)."""
        answer = await on.provider.search(_query(QUESTION))
        said, encoder = answer.embedding, on.corpus.embedder
        if said.provider == "none":
            assert (said.model, said.dim) == ("none", 0), "without an encoder there is a model or a dimension"
            assert all(one.hit.cosine is None for one in answer.found), "without an encoder there is a cosine"
        else:
            names = (encoder.provider, encoder.model, encoder.dim)
            assert (said.provider, said.model, said.dim) == names, "it names another encoder than it was given"
        assert 0 <= said.excluded_other_model <= sum(answer.admitted.values()), "more rows lack a vector than are"

    @_over_a_corpus()
    async def test_who_is_named_changes_nothing_but_the_order(self, on: Trial) -> None:
        """A query may name a speaker, known or not: what may be found is the same, with whatever filter."""
        for row_filter in FILTERS.values():
            plain = _query(QUESTION, row_filter=row_filter)
            for speaker in ("Anna", "nobody", '"', ""):
                answer = await on.provider.search(replace(plain, speaker=speaker))
                assert set(_ids(answer)) == set(_ids(await on.provider.search(plain))), "a speaker hides a row"
                for one in answer.found:
                    _check_scores(one)

    @_over_a_corpus()
    async def test_any_string_is_a_query(self, on: Trial) -> None:
        """No string makes a search fail (ruling G)."""
        for text in ODD_STRINGS:
            await on.provider.search(_query(text))

    @_over_a_corpus(is_embedder_down=True)
    async def test_an_encoder_that_is_down_is_said_so(self, on: Trial) -> None:
        """With the encoder down it fails as such, or it never needed one; nothing is used in its place (C17)."""
        try:
            answer = await on.provider.search(_query(QUESTION))
        except EmbedderUnavailable:
            return  # it says so, as it must
        assert answer.embedding.provider == "none", "it names an encoder that did not answer"


def _query(text: str, *, row_filter: RowFilter = EVERYTHING) -> ProviderQuery:
    return ProviderQuery(text=text, filter=row_filter, limit=_ENOUGH, now=NOW)


def _ids(answer: ProviderAnswer) -> list[str]:
    return [one.hit.row_id for one in answer.found]


def _by_table(answer: ProviderAnswer) -> dict[Table, list[Found]]:
    return {table: [one for one in answer.found if one.hit.table is table] for table in Table}


def _admitted(rows: "list[Row] | tuple[Row, ...]", row_filter: RowFilter) -> dict[Table, list[str]]:
    seen = [row.id for row in rows if admits(row_filter, row)]
    return {table: [row_id for row_id in seen if row_id.startswith(_PREFIX[table])] for table in row_filter.tables}


_PREFIX: Final = {Table.THOUGHTS: "t:", Table.ENTITIES: "e:", Table.OBSERVATIONS: "o:", Table.RELATIONS: "r:"}


def _check_scores(one: Found) -> None:
    row_id, hit = one.hit.row_id, one.hit
    assert 0.0 <= one.score <= 1.0, f"{row_id} scores {one.score}"
    assert one.score == round(one.score, _PLACES), f"{one.score} has more than {_PLACES} places"
    assert math.isfinite(one.rank_score), f"{row_id} ranks by {one.rank_score}"
    assert hit.cosine is None or -1.0 <= hit.cosine <= 1.0, f"the cosine of {row_id} is {hit.cosine}"
    assert 0.0 <= hit.lexical <= 1.0, f"the words of {row_id} count {hit.lexical}"
    assert row_id.startswith(_PREFIX[hit.table]), f"{row_id} is no id of {hit.table.value}"


def _check_counts(answer: ProviderAnswer, admitted: Mapping[Table, list[str]], what: str) -> None:
    found = _by_table(answer)
    counted_unasked = sorted({*answer.admitted, *answer.matched} - admitted.keys())  # tables that nobody asked for
    assert not counted_unasked, f"with {what} it counts {counted_unasked}, which was not asked for"
    for table, ids in admitted.items():
        counted, matched = answer.admitted.get(table, 0), answer.matched.get(table, 0)
        assert counted == len(ids), f"with {what} it admitted {counted} of {table.value}, not {len(ids)}"
        assert matched <= counted, f"with {what} it matched more of {table.value} than it admitted"
        assert len(found[table]) == min(matched, _ENOUGH), f"with {what} it returned another number than it matched"
