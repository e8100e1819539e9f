"""What a conversation is about that began with private rows let in is told to who asks for it, or says it."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from played_turns import FIRED, KILN, MOVED, WHERE, ask, given, grounded, memory, quoting, scripted, tell
from voice.bootstrap import Services
from voice.core.errors import InvalidParams
from voice.core.grounding.values import GroundingPolicy
from voice.core.recall.params import RecallRequest
from voice.core.recall.pins import PinRequest
from voice.core.records import Scope
from voice.core.render.conversation import transcript_markdown
from voice.core.session.lifecycle import PRIVATE_TOPIC
from voice.core.settings.values import SessionSettings
from voice.entrypoints.shared.sessions import disclosed
from voice.ports.llm import LlmRequest
from voice.services.sessions.lifecycle import SessionFilter
from voice.services.sessions.lookup import shown_summary
from withheld_turns import TOPIC, Kind, both_kinds, confided

pytestmark = [pytest.mark.requirement("sessions:withheld-topic", "promise:6"), both_kinds]


async def topics(services: Services, **wanted: object) -> list[str]:
    return [each.thread_topic for each in await services.life.listed(limit=9, **wanted)]  # pyright: ignore[reportArgumentType]


async def test_a_list_tells_it_to_who_asks_for_it_alone(tmp_path: Path, kind: Kind) -> None:
    async with memory(tmp_path, grounded()) as services:
        turn = await confided(services, kind)
        await ask(services, new_topic="the kiln")
        listed = await services.life.listed(limit=9)
        told = await services.life.listed(limit=9, include_private=True)
        named = await services.life.named(turn.session.id)
        asked_for = await services.life.named(turn.session.id, include_private=True)
        said = await services.life.named("MY hiv  test")
    assert [each.thread_topic for each in listed] == [PRIVATE_TOPIC, "the kiln"]
    assert [each.thread_topic for each in told] == [TOPIC, "the kiln"]
    assert [each.id for each in listed] == [each.id for each in told]
    assert (named.thread_topic, asked_for.thread_topic, said.thread_topic) == (PRIVATE_TOPIC, TOPIC, TOPIC)


async def test_it_is_found_by_the_whole_of_it_and_by_a_part_only_where_it_is_asked_for(
    tmp_path: Path, kind: Kind
) -> None:
    async with memory(tmp_path, grounded()) as services:
        await confided(services, kind)
        await ask(services, new_topic="a test firing")
        found = {
            (about, private): await topics(services, include_private=private, wanted=SessionFilter(about=about))
            for about in ("Test", TOPIC, "iv", "conversation")
            for private in (False, True)
        }
        parts = [await services.life.listed(limit=1, skip=skip) for skip in range(3)]
    assert found["Test", False] == ["a test firing"]
    assert found["Test", True] == [TOPIC, "a test firing"]
    assert found[TOPIC, False] == found[TOPIC, True] == [TOPIC]
    assert (found["iv", False], found["iv", True]) == ([PRIVATE_TOPIC], [TOPIC])  # "private", "HIV"
    assert (found["conversation", False], found["conversation", True]) == ([PRIVATE_TOPIC], [])
    assert [[each.thread_topic for each in part] for part in parts] == [[PRIVATE_TOPIC], ["a test firing"], []]


async def test_comparisons_and_deletions_do_not_tell_it(tmp_path: Path, kind: Kind) -> None:
    async with memory(tmp_path, grounded()) as services:
        turn = await confided(services, kind)
        name = turn.session.id
        forked = await services.life.fork(name)
        veiled = await services.life.diff(name, forked.id)
        told = await services.life.diff(name, forked.id, include_private=True)
        with pytest.raises(InvalidParams) as refused:
            await services.life.delete(name)
        shown = await services.life.delete(name, with_forks=True, dry_run=True)
        said = await services.life.delete(TOPIC, with_forks=True, dry_run=True)
    assert (veiled.left.thread_topic, veiled.right.thread_topic) == (PRIVATE_TOPIC, PRIVATE_TOPIC)
    assert (told.left.thread_topic, told.right.thread_topic) == (TOPIC, f"from turn 1: {TOPIC}")
    assert f"{forked.id} ({PRIVATE_TOPIC})" in refused.value.message
    assert [each.thread_topic for each in shown.sessions] == [PRIVATE_TOPIC] * 2
    assert [each.thread_topic for each in said.sessions] == [TOPIC, PRIVATE_TOPIC]


async def test_reports_and_audits_tell_it_to_who_asks_for_it_alone(tmp_path: Path, kind: Kind) -> None:
    async with memory(tmp_path, grounded()) as services:
        turn = await confided(services, kind)
        forked = await services.life.fork(turn.session.id)
        await ask(services, session_id=forked.id, include_private=True)
        name, ids = turn.session.id, {turn.session.id, forked.id}
        reports = [await services.report(include_private=private) for private in (False, True)]
        audits = [await services.audit(include_private=private) for private in (False, True)]
        of_fork = await services.audit(forked.id)
        by_topic = await services.audit(TOPIC)
    veiled, told = ({row.key: row.topic for row in made.rows} for made in reports)
    assert veiled == dict.fromkeys(ids, PRIVATE_TOPIC)
    assert told == {name: TOPIC, forked.id: f"from turn 1: {TOPIC}"}
    assert [made.total.turns for made in reports] == [2, 2]
    assert [audit.topics for audit in audits] == [veiled, told]
    assert of_fork.topics == veiled
    assert by_topic.topics == {name: TOPIC}


async def test_a_file_holds_it_only_where_private_turns_leave(tmp_path: Path, kind: Kind) -> None:
    async with memory(tmp_path, grounded()) as services:
        turn = await confided(services, kind)
        written: dict[bool, str] = {}
        for private in (False, True):
            left = await services.transcripts.export(turn.session.id, include_private=private)
            assert left.private_turns == 1
            document = json.dumps(left.document.members())
            words = transcript_markdown(left.session, left.exchanges, timezone="UTC", include_private=private)
            written[private] = document + words
            path = tmp_path / f"{private}.json"
            path.write_text(document, encoding="utf-8")
            assert (await services.transcripts.bring_in(str(path), dry_run=True)).topic == PRIVATE_TOPIC
        assert (await services.life.named(turn.session.id, include_private=True)).thread_topic == TOPIC
    assert (TOPIC in written[False], WHERE in written[False]) == (False, False)
    assert (written[True].count(TOPIC), WHERE in written[True]) == (2, True)


async def test_who_cited_a_source_is_told_without_the_turns_that_are_withheld(tmp_path: Path, kind: Kind) -> None:
    async with memory(tmp_path, grounded()) as services:
        turn = await confided(services, kind)
        row = turn.exchange.sources[0].source_id
        veiled = await services.dossiers.citing(row, include_private=False)
        told = await services.dossiers.citing(row, include_private=True)
    assert (veiled.shown, veiled.hidden) == ((), 1)
    assert ([each.id for each in told.shown], told.hidden) == ([turn.exchange.id], 0)


async def test_a_public_question_is_not_read_with_what_was_asked_of_private_rows_before_it(
    tmp_path: Path, kind: Kind
) -> None:
    """ "And the ferry?" leans on the question before it: words of that one would choose what is found."""
    found: dict[bool, str] = {}
    for private in (False, True):
        seen: list[LlmRequest] = []
        async with memory(tmp_path / str(private), grounded(seen)) as services:
            await tell(services, "Jonas keeps the ferry tickets in a tin.")
            turn = await confided(services, kind)
            await tell(services, *KILN)
            again = await ask(services, "And what about it?", session_id=turn.session.id, include_private=private)
            assert again.session.id == turn.session.id
            found[private] = again.exchange.status
    assert found == {False: "refused", True: "answered"}


SHORT = given(session=SessionSettings(window_limit=2, window_keep=1), grounding=GroundingPolicy(single_source="green"))
"""Two turns are folded once a fourth is asked."""


async def told_further(services: Services, kind: Kind) -> str:
    """Return a session whose summary holds what a withheld turn said, and what public ones did after it."""
    name = (await confided(services, kind)).session.id
    await tell(services, *KILN)
    for _ in range(3):
        await ask(services, session_id=name)
    return name


@pytest.mark.requirement("sessions:withheld-summary")
async def test_a_summary_is_shown_without_the_sentences_of_turns_that_are_withheld(tmp_path: Path, kind: Kind) -> None:
    async with memory(tmp_path, scripted(quoting(MOVED), quoting(FIRED)), settings=SHORT) as services:
        session, turns = await services.life.show(await told_further(services, kind))
        assert session.rolling_summary is not None
        veiled, _ = disclosed(session, turns, include_private=False)
        told, _ = disclosed(session, turns, include_private=True)
        read = await shown_summary(services.sessions, session)
    assert told.rolling_summary == session.rolling_summary
    assert read == veiled.rolling_summary
    assert (MOVED in session.rolling_summary.text, FIRED in session.rolling_summary.text) == (True, True)
    assert (read is None) == session.rolling_summary.is_private == (kind == "used")
    assert read is None or (MOVED in read.text, FIRED in read.text) == (False, True)


@pytest.mark.requirement("sessions:withheld-summary")
async def test_recall_shows_a_summary_without_them_be_it_current_of_an_earlier_session_or_pinned(
    tmp_path: Path, kind: Kind
) -> None:
    async with memory(tmp_path, scripted(quoting(MOVED), quoting(FIRED)), settings=SHORT) as services:
        name = await told_further(services, kind)
        await ask(services, new_topic="the kiln", include_private=True)  # it has nothing to show
        public, private = (RecallRequest(query="kiln", scope=Scope.ALL, include_private=each) for each in (False, True))
        current = (await services.recall(public)).current_summary
        whole = (await services.recall(replace(private, scope=Scope(session_id=name)))).current_summary
        await services.pins.pin(PinRequest(target_id=f"m:{name}", reason="look", allow_private=True))
        veiled, told = [(await services.recall(each)).pins for each in (public, private)]
    assert whole is not None
    assert (MOVED in whole.content, FIRED in whole.content) == (True, True)
    assert [each.target.content for each in told] == [whole.content]
    assert [each.target.content for each in veiled] == ([] if current is None else [current.content])
    assert (current is None) == (kind == "used")
    assert current is None or (MOVED in current.content, FIRED in current.content) == (False, True)


def shown_in(seen: list[LlmRequest]) -> list[tuple[bool, bool]]:
    """Return of each prompt whether its summary says what the withheld turn said, and what the public ones did."""
    return [(f"] {MOVED}" in each.prompt, f"] {FIRED}" in each.prompt) for each in seen]


@pytest.mark.requirement("sessions:withheld-summary", "ruling:D20")
@pytest.mark.parametrize("private", [False, True])
async def test_the_prompt_of_a_public_question_holds_a_summary_without_them_and_is_proven(
    tmp_path: Path, kind: Kind, *, private: bool
) -> None:
    seen: list[LlmRequest] = []
    client = scripted(quoting(MOVED), quoting(FIRED), seen=seen)
    async with memory(tmp_path, client, settings=SHORT) as services:
        name = await told_further(services, kind)
        for _ in range(3):
            await ask(services, session_id=name, include_private=private)
        replays = await services.replays(name)
    assert seen, "somebody was asked"
    told = shown_in(seen)[4:]
    assert [each.proof for each in replays] == ["proven"] * 7
    assert [each.is_private for each in replays] == [True, False, False, False, private, private, private]
    assert [moved for moved, _ in told] == [private] * 3
    assert any(fired for _, fired in told) == (private or kind == "let in, not used")
