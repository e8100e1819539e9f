"""Pins and the current summary, over a memory in dictionaries."""

from dataclasses import replace
from datetime import timedelta

import pytest

from present import present
from recall_doubles import recall_over, recalled
from recall_rows import BUG, KILN, OTHER, REPO, distilled, pinned, pins_of, said, talk
from recall_values import capsule, summary
from retrieval_doubles import NOW
from retrieval_rows import entity, relation
from store_values import citation, full_exchange
from voice.core.recall.compose import tokens_of
from voice.core.recall.values import Capsule, RecalledEntity
from voice.core.records import Row, RowStatus, Scope
from voice.core.session.values import DialogueExchange


class TestPins:
    @pytest.mark.requirement("s4:tier:pins", "s4:tier:pins-order", "s4:result:pins", "s4:provenance:pin")
    def test_active_pins_come_newest_first_with_their_targets(self) -> None:
        kept = (
            pinned("old", "t:kiln", 9),
            pinned("new", "t:bug", 1, reason="read this first"),
            pinned("gone", "t:bug", 30, expires_at=NOW),
            pinned("soon", "t:kiln", 5, expires_at=NOW + timedelta(microseconds=1), scope=REPO),
        )
        result = recalled(recall_over([BUG, KILN], pins=kept), "nothing")
        assert [one.pin.id for one in result.pins] == ["p:new", "p:soon"]
        assert (result.pins[0].pin.reason, result.pins[0].target.content) == ("read this first", BUG.content)

    @pytest.mark.requirement("ruling:G.2d", "s4:scope:and")
    def test_a_pin_is_seen_only_where_it_and_its_target_are(self) -> None:
        rows = [said("in", "In scope.", scope=REPO), said("out", "Out of scope.", scope=OTHER), KILN]
        kept = (
            pinned("1", "t:in", scope=REPO),
            pinned("2", "t:in", 2, scope=OTHER),
            pinned("3", "t:out", 3, scope=REPO),
            pinned("4", "t:in", 4),
        )
        service = recall_over(rows, pins=kept)
        assert [one.pin.id for one in recalled(service, "x", scope=REPO).pins] == ["p:1"]
        assert [one.pin.id for one in recalled(service, "x").pins] == ["p:1", "p:3"]
        assert recalled(service, "x", scope=Scope(session_id="s")).pins == ()

    @pytest.mark.requirement("ruling:G.2d")
    def test_a_target_that_is_gone_is_counted_and_a_private_one_leaves_no_trace(self) -> None:
        rows = [
            said("secret", "Mine.", is_private=True),
            said("marked", "Marked.", status=RowStatus.REMOVAL),
            distilled("old", "Old.", status=RowStatus.SUPERSEDED),
        ]
        kept = [pinned(key, target) for key, target in (("1", "t:secret"), ("2", "t:marked"), ("3", "o:old"))]
        service = recall_over(rows, pins=[*kept, pinned("4", "t:forgotten"), pinned("5", "m:c:none")])
        result = recalled(service, "x")
        assert result.pins == ()
        (warning,) = result.provenance.warnings
        assert warning.startswith("4 pins point to a row that is gone")
        assert pins_of(recalled(service, "x", include_private=True)) == ["t:secret"]
        only = recalled(recall_over([KILN], pins=[pinned("1", "t:forgotten")]), "x")
        assert only.provenance.warnings[0].startswith("1 pin points")

    @pytest.mark.requirement("ruling:C19", "promise:6")
    def test_graph_rows_are_pinned_as_they_read_and_an_edge_into_the_dark_is_not(self) -> None:
        hidden = replace(entity("hid", "Hidden"), is_private=True)
        rows: list[Row] = [
            entity("ada", "Ada"), entity("acme", "Acme"), hidden,
            relation("w", "ada", "works_at", "acme"), relation("h", "ada", "knows", "hid"),
        ]  # fmt: skip
        kept = [pinned("1", "r:w", 1), pinned("2", "r:h", 2), pinned("3", "e:ada", 3)]
        result = recalled(recall_over(rows, pins=kept), "nothing")
        assert [one.target.content for one in result.pins] == ["Ada —works at→ Acme", "Ada (person): works at → Acme"]
        private = recalled(recall_over(rows, pins=kept), "nothing", include_private=True)
        assert [one.target.is_private for one in private.pins] == [False, True, True]

    @pytest.mark.requirement("s4:tier:pins-kept", "s4:budget:count-fixed", "ruling:A17")
    def test_pins_and_summary_over_the_budget_stay_whole_and_leave_no_candidates(self) -> None:
        work = capsule(summary=summary(content="The bug is fixed and the kiln is warm."))
        service = recall_over([BUG, KILN], pins=[pinned("1", "t:kiln")], capsules=[work])
        result = recalled(service, "authentication bug", token_budget=5)
        assert result.current_summary is not None
        assert (pins_of(result), result.candidates) == (["t:kiln"], ())
        fixed = tokens_of(result.pins[0].target) + tokens_of(result.current_summary)
        made = result.provenance
        assert (made.tokens_used, made.over_budget_by) == (fixed, fixed - 5)
        assert (made.considered, made.dropped_by_budget, made.truncated_due_to_token_budget) == (1, 1, True)

    def test_a_pinned_summary_stands_among_the_pins_alone(self) -> None:
        work = capsule(summary=summary())
        service = recall_over([KILN], pins=[pinned("1", "m:c:1")], capsules=[work], sessions=[talk("1", "We talked.")])
        result = recalled(service, "login")
        assert pins_of(result) == ["m:c:1"]
        assert present(result.current_summary).id == "m:s:1"
        alone = recalled(recall_over([KILN], pins=[pinned("1", "m:c:1")], capsules=[work]), "login")
        assert (alone.current_summary, alone.candidates) == (None, ())
        assert alone.provenance.warnings == ("the current summary is pinned, so it is listed among the pins",)

    def test_a_session_s_summary_can_be_pinned_and_a_hidden_one_is_not_called_gone(self) -> None:
        kept = [pinned("1", "m:s:1"), pinned("2", "m:s:2", 2)]
        quiet = talk("2", None, status="closed")
        result = recalled(recall_over([], pins=kept, sessions=[talk("1", "We talked.", status="closed"), quiet]), "x")
        assert (pins_of(result), result.provenance.warnings) == (["m:s:1"], ())


class TestCurrentSummary:
    @pytest.mark.requirement("s4:tier:summary", "s4:result:currentSummary", "s4:tier:summary-kept")
    def test_it_is_that_of_the_capsule_opened_last(self) -> None:
        def work(key: str, hours: int, **members: object) -> Capsule:
            written = summary(f"c:{key}", content=f"Work {key}.", **members)
            return capsule(key, opened_at=NOW - timedelta(hours=hours), summary=written)

        older, newer = work("1", 9), work("2", 2)
        closed = replace(capsule("3", summary=summary("c:3")), opened_at=NOW, closed_at=NOW)
        secret = work("4", 1, is_private=True)
        service = recall_over([], capsules=[older, newer, closed, secret])
        shown = present(recalled(service, "x").current_summary)
        assert (shown.id, shown.content, shown.capsule_id, shown.confidence) == ("m:c:2", "Work 2.", "c:2", 0.5)
        private = present(recalled(service, "x", include_private=True).current_summary)
        assert private.id == "m:c:4"

    @pytest.mark.requirement("ruling:G.2h")
    def test_a_live_session_s_rolling_summary_is_the_current_summary(self) -> None:
        live, idle = talk("1", "We talked.", hours=3), talk("2", "Long ago.", hours=30)
        closed = talk("3", "Over.", status="closed")
        ahead = talk("4", "Of a clock that ran ahead.", hours=-3000)
        service = recall_over([], sessions=[live, idle, closed, ahead])
        for scope in (Scope.ALL, Scope(session_id="s:1")):
            shown = present(recalled(service, "x", scope=scope).current_summary)
            assert (shown.id, shown.scope, shown.content) == ("m:s:1", Scope(session_id="s:1"), "We talked.")
        for scope in (REPO, Scope(session_id="s:2"), Scope(session_id="s:9"), Scope(session_id="s:1", repo_id="/r")):
            assert recalled(service, "x", scope=scope).current_summary is None

    @pytest.mark.requirement("s4:provenance:summary")
    def test_a_capsule_without_a_summary_is_summed_up_by_what_the_reader_may_see(self) -> None:
        rows = [
            said("1", "The login token expired too early.", thread="c:1"),
            said("2", "The password is swordfish.", thread="c:1", is_private=True),
            said("3", "Out of scope.", thread="c:1", scope=OTHER),
            said("4", "Taken back.", thread="c:1", status=RowStatus.REDACTED),
            said("5", "Elsewhere.", thread="c:2"),
        ]
        service = recall_over(rows, capsules=[capsule()])
        shown = present(recalled(service, "x", scope=Scope.ALL).current_summary)
        assert (shown.is_private, shown.evidence_refs) == (False, ("t:1",))
        assert "swordfish" not in shown.content
        private = present(recalled(service, "x", include_private=True).current_summary)
        assert (private.is_private, private.evidence_refs) == (True, ("t:1", "t:2"))
        assert recalled(recall_over([], capsules=[capsule()]), "x").current_summary is None
        assert recalled(recall_over(rows, capsules=[capsule(scope=OTHER)]), "x", scope=REPO).current_summary is None

    @pytest.mark.requirement("ruling:H.5", "ruling:D16")
    def test_a_session_that_folded_nothing_tells_what_may_be_told_of_its_turns(self) -> None:
        source = replace(citation(), source_id="t:bug")
        base = full_exchange()
        supported = tuple(replace(sentence, rung="verified") for sentence in base.sentences)
        proven = replace(base, status="answered", sources=(source,), sentences=supported, is_private=False)
        private = replace(proven, is_private=True)
        orphan = replace(proven, sources=(replace(source, source_id="t:gone"),))

        def shown(*window: DialogueExchange, private_too: bool = False) -> RecalledEntity | None:
            service = recall_over([BUG], sessions=[talk("1", None, context_window=window)])
            return recalled(service, "x", include_private=private_too).current_summary

        told = present(shown(proven, orphan))
        assert (told.evidence_refs, told.is_private, told.confidence) == (("t:bug",), False, 1.0)
        assert shown(private) is None
        both = shown(proven, private, private_too=True)
        assert present(both).is_private
        assert shown(orphan) is None

    def test_a_pinned_summary_of_another_scope_is_not_shown(self) -> None:
        rows = [said("1", "The login token expired too early.", thread="c:1", scope=REPO)]
        service = recall_over(rows, capsules=[capsule(scope=OTHER)], pins=[pinned("1", "m:c:1", scope=REPO)])
        assert recalled(service, "x", scope=REPO).pins == ()
        service = recall_over(rows, capsules=[capsule(scope=REPO)], pins=[pinned("1", "m:c:1", scope=REPO)])
        assert len(recalled(service, "x", scope=REPO).pins) == 1
