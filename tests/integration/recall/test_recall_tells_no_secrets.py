"""What recall, pins and capsules must not tell, and what must not be crowded out, wired as the program wires it."""

from dataclasses import replace
from datetime import timedelta

import pytest

from changed_rows import change
from pinned_memory import pin, put
from played_turns import NOW, ask, tell
from present import present
from store_values import tombstone
from voice.adapters.system.clock_and_ids import FixedClock
from voice.bootstrap import Services
from voice.core.errors import CapsuleClosed, InvalidParams, ScopeRequired
from voice.core.recall.capsules import MAX_EVIDENCE, NewSummary
from voice.core.recall.params import RecallRequest
from voice.core.recall.values import RecallResult, summary_id
from voice.core.records import Origin, RowStatus, Scope
from voice.ports.stores import WriteBatch
from voice.services.memory.ingest_values import NewThought
from voice.services.recall.capsules import OPEN_UNITS

REPO, OTHER = Scope(repo_id="/repo"), Scope(repo_id="/other")
HOUSE = ("The kiln moved to the shed behind the house.", "Marta fired the bowls in the kiln.")
VAULT = "The vault code is 4711 for the ferry."


async def recall(services: Services, query: str, **members: object) -> RecallResult:
    request = RecallRequest(query=query, **{"scope": Scope.ALL, "now": NOW, **members})  # pyright: ignore[reportArgumentType]
    return await services.recall(request)


def everything_said(result: RecallResult) -> str:
    current = [result.current_summary.content] if result.current_summary else []
    pins = [text for one in result.pins for text in (one.pin.reason, one.target.content)]
    return "\n".join([*pins, *current, *(one.entity.content for one in result.candidates)])


class TestScope:
    @pytest.mark.requirement("ruling:A18", "s4:scope:and")
    async def test_a_scoped_capsule_makes_the_memory_a_scoped_one(self, services: Services) -> None:
        await tell(services, "A plain note about the ferry.")
        secret = await services.capsules.open("secret work", REPO)
        await services.capsules.summarise(secret.id, NewSummary(content="The ferry password rotates weekly."))
        for listing in (
            recall(services, "ferry", scope=Scope()),
            services.capsules.listed(scope=Scope()),
            services.pins.listed(scope=Scope()),
        ):
            with pytest.raises(ScopeRequired):
                await listing
        elsewhere = await recall(services, "ferry", scope=Scope(), surroundings=OTHER)
        assert (elsewhere.current_summary, elsewhere.candidates, elsewhere.provenance.scope) == (None, (), OTHER)
        here = await recall(services, "ferry", scope=Scope(), surroundings=REPO)
        assert "password" in everything_said(here)

    @pytest.mark.requirement("ruling:A18")
    async def test_a_scoped_pin_does_so_too_even_when_it_has_expired(self, services: Services) -> None:
        (row,) = await tell(services, "A note about the ferry.", scope=REPO)
        await pin(services, row, lifetime=timedelta(seconds=1))
        derived = await services.graph.derived_from([row])
        gone = [row, *(each.id for each in derived)]
        await services.store.write(WriteBatch(tombstones=tuple(map(tombstone, gone))))
        assert not (await services.store.head()).has_scoped_rows
        with pytest.raises(ScopeRequired):
            await recall(services, "ferry", scope=Scope(), now=NOW + timedelta(days=1))

    @pytest.mark.requirement("ruling:A18", "s4:scope:default", "s4:tier:summary")
    async def test_a_session_alone_asks_for_no_scope_and_is_seen_beside_its_repository(
        self, services: Services
    ) -> None:
        await tell(services, *HOUSE)
        turn = await ask(services)
        assert (await recall(services, "kiln", scope=Scope())).current_summary is not None
        both = Scope(session_id=turn.exchange.session_id, repo_id="/repo")
        assert (await recall(services, "kiln", scope=both)).current_summary is None
        for row_id in {source.source_id for source in turn.exchange.sources}:
            await change(services, row_id, scope=REPO)
        assert (await recall(services, "kiln", scope=both)).current_summary is not None
        assert (await recall(services, "kiln", scope=replace(both, repo_id="/other"))).current_summary is None

    @pytest.mark.requirement("s4:tier:summary")
    async def test_the_capsules_of_others_do_not_crowd_out_the_current_summary(
        self, services: Services, clock: FixedClock
    ) -> None:
        mine = await services.capsules.open("mend the login", REPO)
        await put(services, mine.id, "The login cookie is never renewed by the server.")
        clock.advance(timedelta(minutes=1))
        for place in range(OPEN_UNITS):
            await services.capsules.open(f"other {place}", OTHER)
        shown = (await recall(services, "login", scope=REPO)).current_summary
        assert present(shown).id == summary_id(mine.id)

    @pytest.mark.requirement("s4:scope:and")
    async def test_no_thought_gets_into_a_capsule_of_another_scope_or_a_closed_one(self, services: Services) -> None:
        capsule = await services.capsules.open("mend the login", REPO)

        async def thread(scope: Scope, text: str) -> None:
            smuggled = NewThought(content=text, origin=Origin.HUMAN, thread=capsule.id, scope=scope)
            await services.ingest.remember([smuggled])

        for scope in (OTHER, Scope()):
            with pytest.raises(InvalidParams, match="another scope"):
                await thread(scope, "Smuggled into it.")
        await thread(REPO, "The login cookie was never renewed.")
        await services.capsules.close(capsule.id)
        with pytest.raises(CapsuleClosed):
            await thread(REPO, "Written after the end.")
        assert len((await services.capsules.show(capsule.id)).thoughts) == 1

    @pytest.mark.requirement("s4:scope:and")
    async def test_a_thought_that_got_there_all_the_same_is_not_shown(self, services: Services) -> None:
        capsule = await services.capsules.open("mend the login", REPO)
        (foreign,) = await tell(services, VAULT, scope=OTHER)
        await change(services, foreign, thread=capsule.id)
        assert (await services.capsules.show(capsule.id, include_private=True)).thoughts == ()
        assert (await recall(services, "vault", scope=REPO)).current_summary is None


class TestRedaction:
    @pytest.mark.requirement("promise:6", "s4:redaction:excluded")
    async def test_nothing_tells_again_what_a_redacted_thought_said(self, services: Services) -> None:
        (thought,) = await tell(services, VAULT)
        (again,) = await services.graph.derived_from([thought])
        await pin(services, again.id, "keep 4711")
        work = await services.capsules.open("count the money")
        resting = NewSummary(content="4711 opens it.", evidence_refs=(again.id,))
        await services.capsules.summarise(work.id, resting)
        assert everything_said(await recall(services, "vault code")).count("4711") == 3
        await change(services, thought, status=RowStatus.REDACTED)
        for include_redacted in (False, True):
            told = await recall(services, "vault code", include_redacted=include_redacted)
            assert "4711" not in everything_said(told)
            assert told.pins == ()
        listed = await services.pins.listed(scope=Scope.ALL)
        assert [(view.pin.reason, view.state) for view in listed.pins] == [("[redacted]", "target not live")]
        assert (await services.capsules.show(work.id)).summary is None
        with pytest.raises(InvalidParams, match="repeats redacted"):
            await services.capsules.summarise(work.id, resting)

    @pytest.mark.requirement("promise:6", "ruling:H.5")
    async def test_nothing_tells_again_what_a_thought_says_that_became_private(self, services: Services) -> None:
        (thought,) = await tell(services, VAULT)
        (again,) = await services.graph.derived_from([thought])
        await pin(services, again.id)
        work = await services.capsules.open("count the money")
        await services.capsules.summarise(work.id, NewSummary(content="4711 opens it.", evidence_refs=(again.id,)))
        await change(services, thought, is_private=True)
        told = await recall(services, "vault code")
        assert "4711" not in everything_said(told)
        assert told.provenance.warnings == ()
        open_to = await recall(services, "vault code", include_private=True)
        assert [one.target.is_private for one in open_to.pins] == [True]
        assert present(open_to.current_summary).is_private
        assert (await services.pins.listed(scope=Scope.ALL)).hidden == 1

    @pytest.mark.requirement("promise:6", "ruling:D16")
    @pytest.mark.parametrize("changed", [{"status": RowStatus.REDACTED}, {"is_private": True}])
    async def test_a_talk_does_not_tell_what_a_thought_behind_its_sources_may_not(
        self, services: Services, changed: dict[str, object]
    ) -> None:
        thought, other = await tell(services, *HOUSE)
        turn = await ask(services)
        assert not {thought, other} & {source.source_id for source in turn.exchange.sources}
        assert (await recall(services, "kiln")).current_summary is not None
        for row_id in (thought, other):
            await change(services, row_id, **changed)
        assert (await recall(services, "kiln")).current_summary is None

    @pytest.mark.requirement("s4:redaction:shown", "promise:6")
    async def test_the_reason_of_a_pin_goes_with_what_its_target_said(self, services: Services) -> None:
        (row,) = await tell(services, VAULT)
        await pin(services, row, "the code is 4711")
        await change(services, row, status=RowStatus.REDACTED)
        (shown,) = (await recall(services, "vault", include_redacted=True)).pins
        assert (shown.pin.reason, shown.target.content) == ("[redacted]", "[redacted]")
        await services.store.write(WriteBatch(tombstones=(tombstone(row),)))
        (view,) = (await services.pins.listed(scope=Scope.ALL)).pins
        assert (view.pin.reason, view.state) == ("[redacted]", "target gone")

    @pytest.mark.requirement("s4:redaction:shown", "ruling:G.2g")
    async def test_redacted_rows_that_were_asked_for_are_not_crowded_out(self, services: Services) -> None:
        await tell(services, *(f"Kiln note {n} of today." for n in range(6)))
        (secret,) = await tell(services, "A kiln secret.")
        await change(services, secret, status=RowStatus.REDACTED)
        whole = await recall(services, "kiln", include_redacted=True, max_candidates=4)
        assert [one.entity.redacted for one in whole.candidates] == [False] * 4 + [True]
        assert (whole.provenance.considered, whole.provenance.warnings) == (5, ())
        short = await recall(services, "kiln", include_redacted=True, limit=2)
        assert [one.entity.redacted for one in short.candidates] == [False] * 2
        assert short.provenance.warnings == ("no place or budget left for 1 redacted row",)


class TestPrivacy:
    @pytest.mark.requirement("ruling:H.5", "promise:6")
    async def test_a_private_pin_leaves_no_trace_whatever_becomes_of_its_target(self, services: Services) -> None:
        (row,) = await tell(services, "My diagnosis is hemochromatosis.", is_private=True)
        await pin(services, row, "hemochromatosis!", allow_private=True)

        async def traces() -> tuple[object, ...]:
            told, listed = await recall(services, "diagnosis"), await services.pins.listed(scope=Scope.ALL)
            return told.pins, told.provenance.warnings, listed.pins, listed.hidden

        assert await traces() == ((), (), (), 1)
        for status in (RowStatus.SUPERSEDED, RowStatus.REMOVAL, RowStatus.REDACTED):
            await change(services, row, status=status)
            assert await traces() == ((), (), (), 1)
        await services.store.write(WriteBatch(tombstones=(tombstone(row),)))
        assert await traces() == ((), (), (), 1)
        (view,) = (await services.pins.listed(scope=Scope.ALL, include_private=True)).pins
        assert (view.pin.reason, view.state) == ("[redacted]", "target gone")
        gone = await recall(services, "diagnosis", include_private=True)
        assert gone.provenance.warnings[0].startswith("1 pin points")

    @pytest.mark.requirement("ruling:H.5")
    async def test_a_summary_is_private_with_a_thought_too_old_to_be_named(self, services: Services) -> None:
        capsule = await services.capsules.open("a long work")
        old = NOW - timedelta(days=1)
        await put(services, capsule.id, "The oldest is 4711 and private.", is_private=True, created_at=old)
        many = [f"Step {n} was done." for n in range(MAX_EVIDENCE)]
        await put(services, capsule.id, *many)
        summed = (await services.capsules.summarise(capsule.id, NewSummary(content="All steps, and 4711."))).summary
        assert summed is not None
        assert (len(summed.evidence_refs), summed.is_private) == (MAX_EVIDENCE, True)
        view = await services.capsules.show(capsule.id)
        assert (len(view.thoughts), view.hidden, view.summary) == (MAX_EVIDENCE, 1, None)

    @pytest.mark.requirement("ruling:H.5")
    async def test_a_summary_that_rests_on_nothing_is_as_private_as_its_capsule(self, services: Services) -> None:
        capsule = await services.capsules.open("count the money")
        await put(services, capsule.id, VAULT, is_private=True)
        await services.capsules.summarise(capsule.id, NewSummary(content="It is 4711.", evidence_refs=()))
        assert "4711" not in everything_said(await recall(services, "vault"))
        assert "4711" in everything_said(await recall(services, "vault", include_private=True))


class TestPins:
    @pytest.mark.requirement("ruling:G.2d", "s4:tier:pins-order")
    async def test_a_target_stands_once_under_its_newest_pin(self, services: Services, clock: FixedClock) -> None:
        (row,) = await tell(services, "The kiln is in the shed.", scope=Scope(repo_id="/repo", user_id="ann"))
        await pin(services, row, "for ann")
        clock.advance(timedelta(minutes=1))
        await pin(services, row, "for all", scope=REPO)
        result = await recall(services, "kiln", now=NOW + timedelta(hours=1))
        assert [(one.pin.reason, one.target.id) for one in result.pins] == [("for all", row)]
        own = await recall(services, "kiln", scope=Scope(user_id="ann"), now=NOW + timedelta(hours=1))
        assert [one.pin.reason for one in own.pins] == ["for ann"]

    @pytest.mark.requirement("ruling:G.2d")
    async def test_a_summary_that_says_nothing_is_not_pinned_and_one_that_does_is_active(
        self, services: Services
    ) -> None:
        capsule = await services.capsules.open("look after the gate")
        with pytest.raises(InvalidParams, match="empty or outdated"):
            await pin(services, summary_id(capsule.id))
        (first,) = await put(services, capsule.id, "The vault is by the ferry and the gate is green.")
        await services.capsules.summarise(capsule.id, NewSummary(content="The vault is by the ferry."))
        await pin(services, summary_id(capsule.id))
        await put(services, capsule.id, "The gate was painted blue by Anna.")
        await change(services, first, status=RowStatus.SUPERSEDED)
        (shown,) = (await recall(services, "gate")).pins
        assert "blue" in shown.target.content
        assert [view.state for view in (await services.pins.listed(scope=Scope.ALL)).pins] == ["active"]

    @pytest.mark.requirement("ruling:H.5")
    async def test_a_summary_of_private_thoughts_alone_is_pinned_as_a_private_one(self, services: Services) -> None:
        capsule = await services.capsules.open("look after the gate")
        await put(services, capsule.id, "The gate was painted blue by Anna.", is_private=True)
        with pytest.raises(InvalidParams, match="private"):
            await pin(services, summary_id(capsule.id))
        await pin(services, summary_id(capsule.id), allow_private=True)
        assert (await services.pins.listed(scope=Scope.ALL)).hidden == 1


class TestCounts:
    @pytest.mark.requirement("ruling:G.2g", "s4:dedupe:pins")
    async def test_what_is_pinned_is_not_counted_nor_what_says_it_again(
        self, services: Services, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("voice.services.recall.recall.POOL", 3)
        rows = await tell(services, *(f"Kiln number {n} has a note." for n in range(5)))
        for row in rows:
            await pin(services, row)
        result = await recall(services, "kiln", max_candidates=1)
        assert (len(result.pins), result.candidates, result.provenance.total_candidates) == (5, (), 0)

    @pytest.mark.requirement("ruling:D14", "ruling:A15")
    async def test_what_does_not_fit_takes_no_place_of_the_limit(self, services: Services) -> None:
        long = "The kiln firing schedule is long and full of words. " * 60
        await tell(services, *(f"{long} {n}" for n in range(3)), "The kiln is hot.")
        result = await recall(services, "kiln firing schedule", token_budget=60, limit=1)
        assert [one.entity.content for one in result.candidates] == ["The kiln is hot."]
        made = result.provenance
        assert (made.returned_candidates, made.dropped_by_budget, made.truncated_due_to_token_budget) == (1, 3, True)


@pytest.mark.requirement("ruling:G.2g")
async def test_summaries_that_are_not_read_are_spoken_of(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voice.services.recall.recall.SUMMARIES", 2)
    for place in range(3):
        capsule = await services.capsules.open(f"work {place}")
        await services.capsules.close(capsule.id, NewSummary(content=f"The kiln was mended {place} times."))
    many = await recall(services, "kiln")
    assert (many.provenance.total_candidates, many.provenance.warnings) == (
        2,
        ("summaries of older capsules were not searched",),
    )
    monkeypatch.setattr("voice.services.recall.recall.SUMMARIES", 3)
    whole = await recall(services, "kiln")
    assert (whole.provenance.total_candidates, whole.provenance.warnings) == (3, ())
