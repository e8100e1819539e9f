"""Candidates, budget, redaction and how recall is asked, over a memory in dictionaries."""

from dataclasses import replace
from datetime import timedelta

import pytest

from recall_doubles import Overlap, recall_over, recalled
from recall_rows import BUG, KILN, REPO, distilled, ids, pinned, pins_of, said, spans
from recall_values import capsule, summary
from retrieval_doubles import NOW
from retrieval_rows import entity, thought
from voice.core.errors import InvalidParams, ScopeRequired
from voice.core.recall.values import REDACTED_TEXT, Capsule
from voice.core.records import Origin, Row, RowStatus, Scope, Table, TrustTier
from voice.core.retrieval.values import Found, Hit
from voice.ports.retrieval_provider import ProviderAnswer, ProviderQuery
from voice.services.recall.recall import POOL


class TestCandidates:
    @pytest.mark.requirement("s4:tier:candidates", "s4:tier:candidates-order", "s4:result:candidates", "s4:tier:order")
    def test_they_are_ranked_and_show_where_they_match(self) -> None:
        result = recalled(recall_over([BUG, KILN, thought("2", "A bug.")]), "authentication bug")
        assert [(one.entity.id, one.score) for one in result.candidates] == [("t:bug", 1.0), ("t:2", 0.5)]
        assert result.candidates[0].match_context == BUG.content

    @pytest.mark.requirement("ruling:C19", "s4:provenance:observation")
    def test_a_graph_row_gives_its_score_to_the_thought_it_rests_on(self) -> None:
        rows = [
            said("1", "We mended it at last, the bug."),
            distilled("1", "The authentication bug was mended.", "t:1"),
            distilled("2", "The authentication bug of nobody."),
            distilled("3", "The authentication bug of a removed note.", "t:3"),
            said("3", "Gone.", status=RowStatus.REMOVAL),
            replace(entity("1", "authentication bug", "a nuisance"), provenance=spans("t:1", "t:4")),
            said("4", "Nothing to see."),
        ]
        result = recalled(recall_over(rows), "authentication bug")
        found = {one.entity.id: (one.score, one.found_by) for one in result.candidates}
        assert found == {
            "t:1": (1.0, "o:1"), "o:2": (1.0, None), "o:3": (1.0, None), "e:1": (1.0, None),
        }  # fmt: skip
        assert (result.provenance.total_candidates, result.provenance.considered) == (4, 4)

    @pytest.mark.requirement("promise:6", "ruling:A13", "s4:redaction:excluded")
    def test_nothing_is_said_again_that_a_hidden_thought_said(self) -> None:
        rows: list[Row] = [
            said("1", "The bug.", status=RowStatus.REDACTED), distilled("1", "The bug one.", "t:1"),
            said("2", "The bug.", is_private=True), distilled("2", "The bug two.", "t:2"),
            said("3", "The bug.", is_summary=True), distilled("3", "The bug three.", "t:3"),
        ]  # fmt: skip
        result = recalled(recall_over(rows), "bug")
        assert (result.candidates, result.provenance.considered) == ((), 0)
        assert ids(recalled(recall_over(rows), "bug", include_private=True)) == ["t:2"]

    @pytest.mark.requirement("s4:dedupe:pins", "s4:dedupe:summary")
    def test_what_stands_above_is_not_found_again_by_id_or_by_text(self) -> None:
        rows: list[Row] = [
            BUG, said("copy", BUG.content.upper()), distilled("1", "An authentication bug.", "t:bug"),
            distilled("2", "The login is mended after the authentication bug."),
        ]  # fmt: skip
        work = capsule(summary=summary(content="The login is mended after the authentication bug."))
        service = recall_over(rows, pins=[pinned("1", "t:bug")], capsules=[work])
        assert ids(recalled(service, "authentication bug login")) == []
        assert ids(recalled(recall_over(rows), "authentication bug login")) != []

    @pytest.mark.requirement("ruling:C8")
    def test_of_rows_that_say_the_same_the_more_trusted_stays_under_the_better_score(self) -> None:
        rows: list[Row] = [
            distilled("1", "a bug", trust=TrustTier.RED),
            distilled("2", "A  BUG", trust=TrustTier.GREEN),
        ]
        (only,) = recalled(recall_over(rows), "bug").candidates
        assert only.entity.id == "o:2"

    @pytest.mark.requirement("ruling:C8")
    def test_what_found_the_less_trusted_one_finds_the_one_that_stays(self) -> None:
        rows: list[Row] = [
            said("1", "Mended it.", origin=Origin.MODEL),
            distilled("1", "The bug was mended.", "t:1"),
            distilled("2", "mended it."),
        ]
        (only,) = recalled(recall_over(rows), "bug mended").candidates
        assert (only.entity.id, only.score, only.found_by) == ("o:2", 1.0, "o:1")

    def test_summaries_of_other_capsules_are_found_by_their_words(self) -> None:
        def closed(key: str, text: str, **members: object) -> Capsule:
            written = summary(f"c:{key}", content=text, created_at=NOW, **members)
            return capsule(key, closed_at=NOW, summary=written)

        capsules = [
            closed("1", "The authentication bug is mended."),
            closed("2", "The kiln is warm."),
            closed("3", "Another bug.", is_private=True),
            closed("4", "A fallen bug.", evidence_refs=("t:gone",)),
        ]
        service = recall_over([BUG], capsules=capsules)
        result = recalled(service, "authentication bug")
        assert ids(result) == ["t:bug", "m:c:1"]
        assert 0.0 < result.candidates[1].score < 0.5
        assert ids(recalled(service, "authentication bug", scope=REPO)) == []
        assert ids(recalled(service, "authentication bug", when="before 2020")) == []

    def test_a_summary_beside_local_fts_is_scored_by_its_formula(self) -> None:
        work = capsule(closed_at=NOW, summary=summary(content="The bug.", created_at=NOW))
        rows: dict[str, Row] = {}
        service = recall_over([], capsules=[work], provider=Overlap(rows=rows, name="local-fts"))
        assert [one.score for one in recalled(service, "bug").candidates] == [0.65]

    @pytest.mark.requirement("ruling:A22", "s4:option:maxCandidates")
    def test_when_limits_what_is_found_and_order_arranges_it(self) -> None:
        rows = [said(f"{n}", f"bug {n} " + "bug of today " * n, created_at=NOW - timedelta(days=n)) for n in range(4)]
        service = recall_over(rows)
        assert sorted(ids(recalled(service, "bug", when="the last 2 days"))) == ["t:1", "t:2"]
        assert ids(recalled(service, "bug", order="created_at_asc")) == ["t:3", "t:2", "t:1", "t:0"]
        assert ids(recalled(service, "bug", order="created_at_desc", limit=2)) == ["t:0", "t:1"]
        with pytest.raises(InvalidParams):
            recalled(service, "bug", when="when pigs fly")


class TestBudget:
    @pytest.mark.requirement("ruling:D14", "s4:budget:fill", "s4:tier:candidates-evictable", "s4:budget:flag")
    def test_what_does_not_fit_is_skipped_and_the_next_smaller_one_tried(self) -> None:
        rows = [said("1", "bug"), said("2", "bug " + "and more " * 50), said("3", "bug three")]
        service = recall_over(rows)
        whole = recalled(service, "bug")
        assert (ids(whole), whole.provenance.truncated_due_to_token_budget) == (["t:1", "t:2", "t:3"], False)
        small = recalled(service, "bug", token_budget=10)
        made = small.provenance
        assert ids(small) == ["t:1", "t:3"]
        assert (made.total_candidates, made.considered, made.returned_candidates, made.dropped_by_budget) == (
            3,
            3,
            2,
            1,
        )
        assert made.tokens_used <= 10

    @pytest.mark.requirement("ruling:G.2g", "s4:provenance:totalCandidates")
    def test_a_thought_and_its_sentences_count_once_also_where_not_all_were_looked_at(self) -> None:
        notes = [said(f"{number}", f"The bug number {number}.") for number in range(POOL + 9)]
        lines = [distilled(f"{number}", f"The bug number {number}, told.", f"t:{number}") for number in range(POOL + 9)]
        few, many = (recalled(recall_over([*notes, *lines]), "bug", max_candidates=most) for most in (5, 500))
        assert [len(few.candidates), len(many.candidates)] == [5, POOL + 9]
        assert few.provenance.total_candidates == many.provenance.total_candidates == POOL + 9

    @pytest.mark.requirement("ruling:A15", "ruling:G.2g", "s4:provenance:totalCandidates")
    def test_how_many_are_weighed_and_how_many_return_are_two_numbers(self) -> None:
        service = recall_over([said(f"{n}", f"bug {n}") for n in range(9)])
        made = recalled(service, "bug", max_candidates=5, limit=2).provenance
        counts = (made.total_candidates, made.considered, made.returned_candidates, made.dropped_by_budget)
        assert counts == (9, 5, 2, 0)


class TestRedaction:
    ROWS: tuple[Row, ...] = (
        said("1", "The secret bug.", status=RowStatus.REDACTED, kind="tool_call", source_ref="bug.md"),
        said("2", "A later secret.", status=RowStatus.REDACTED, created_at=NOW),
        said("3", "A private secret.", status=RowStatus.REDACTED, is_private=True),
        distilled("1", "The secret sentence.", "t:1", status=RowStatus.REDACTED),
        distilled("2", "A secret of nobody.", status=RowStatus.REDACTED),
        BUG,
    )

    @pytest.mark.requirement("s4:redaction:shown", "s4:redaction:ids")
    def test_redacted_rows_that_are_asked_for_come_last_and_say_nothing(self) -> None:
        service = recall_over(self.ROWS, pins=[pinned("1", "t:2")])
        plain = recalled(service, "bug")
        assert (pins_of(plain), ids(plain)) == ([], ["t:bug"])
        result = recalled(service, "bug", include_redacted=True)
        assert pins_of(result) == ["t:2"]
        assert ids(result) == ["t:bug", "o:2", "t:1"]
        told = [result.pins[0].target, *(one.entity for one in result.candidates[1:])]
        assert {one.content for one in told} == {REDACTED_TEXT}
        last = result.candidates[-1]
        assert (last.entity.kind, last.entity.created_at) == ("tool_call", self.ROWS[0].created_at)
        assert (last.score, last.match_context, last.entity.source_ref) == (0.0, None, None)
        assert result.provenance.total_candidates == 3
        assert "secret" not in repr(result)

    def test_they_are_bound_by_scope_time_and_privacy(self) -> None:
        service = recall_over(self.ROWS)
        assert ids(recalled(service, "x", include_redacted=True, include_private=True)) == ["t:2", "o:2", "t:1", "t:3"]
        assert ids(recalled(service, "x", include_redacted=True, when="before 2020")) == []
        assert ids(recalled(service, "x", include_redacted=True, scope=REPO)) == []


class TestAsking:
    @pytest.mark.requirement("ruling:A18", "s4:scope:default", "s4:provenance:scopeIds")
    def test_a_scoped_memory_is_read_where_the_entrance_stands(self) -> None:
        service = recall_over([replace(BUG, scope=REPO), KILN])
        result = recalled(service, "bug", scope=Scope(), surroundings=REPO)
        assert (ids(result), result.provenance.scope) == (["t:bug"], REPO)
        with pytest.raises(ScopeRequired):
            recalled(service, "bug", scope=Scope())
        unscoped = recall_over([BUG])
        assert ids(recalled(unscoped, "bug", scope=Scope(), surroundings=REPO)) == ["t:bug"]

    @pytest.mark.requirement("s4:provider:interface", "s4:provenance:providerUsed", "s4:provenance:query")
    def test_the_provider_is_asked_for_what_may_be_seen_and_not_for_what_is_shown(self) -> None:
        rows: dict[str, Row] = {row.id: row for row in (BUG, KILN)}
        provider = Overlap(rows=rows, name="mine", is_deterministic=False)
        service = recall_over(rows.values(), pins=[pinned("1", "t:kiln")], provider=provider)
        result = recalled(service, "bug", include_private=True, max_candidates=300)
        (asked,) = provider.queries
        assert (asked.text, asked.now, asked.limit, asked.exclude_ids) == ("bug", NOW, 300, {"t:kiln"})
        assert (asked.filter.scope, asked.filter.include_private) == (Scope.ALL, True)
        assert (result.provenance.provider_used, result.provenance.query) == ("mine", "bug")
        assert result.provenance.warnings == ("results of mine may change from call to call",)
        with pytest.raises(InvalidParams, match="use one of mine"):
            recalled(service, "bug", provider="another")

    @pytest.mark.requirement("ruling:G.2a")
    def test_an_empty_query_brings_the_first_two_tiers(self) -> None:
        work = capsule(summary=summary())
        result = recalled(recall_over([BUG, KILN], pins=[pinned("1", "t:kiln")], capsules=[work]), " \x00")
        assert (pins_of(result), result.current_summary is None, result.candidates) == (["t:kiln"], False, ())
        assert result.provenance.warnings == ("the query is empty, so nothing was searched for",)

    @pytest.mark.requirement("promise:8")
    def test_the_clock_is_looked_at_only_when_no_moment_was_given(self) -> None:
        service = recall_over([BUG])
        assert recalled(service, "bug", now=None).provenance.now == NOW
        assert recalled(service, "bug", now=NOW - timedelta(days=1)).provenance.now == NOW - timedelta(days=1)

    @pytest.mark.requirement("promise:6", "s4:provider:custom")
    def test_a_careless_provider_cannot_show_what_may_not_be_seen(self) -> None:
        secret = said("secret", "The bug.", is_private=True)
        service = recall_over([secret, BUG, KILN], pins=[pinned("1", "t:kiln")], provider=Careless(rows={}))
        result = recalled(service, "bug")
        assert [(one.entity.id, one.score) for one in result.candidates] == [("t:bug", 1.0)]
        assert result.provenance.total_candidates == 1


class Careless(Overlap):
    """Returns what it should not, under scores that are none."""

    async def search(self, query: ProviderQuery) -> ProviderAnswer:
        found = [("t:secret", 0.5), ("t:bug", float("nan")), ("t:bug", 7.0), ("t:kiln", 0.3), ("t:nowhere", 0.2)]
        hits = [(Hit(row_id=row_id, table=Table.THOUGHTS, cosine=None, lexical=0.0), score) for row_id, score in found]
        return ProviderAnswer(
            found=[Found(hit=hit, score=score, rank_score=score) for hit, score in hits], admitted={}, matched={}
        )
