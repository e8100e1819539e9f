"""What a person sees of a conversation's summary, and how it is made again."""

from collections.abc import Callable
from typing import cast

import anyio
import pytest

from cli_runner import Ran, Voice
from voice.bootstrap import open_services
from voice.core.records import Tombstone
from voice.core.settings.parse import parse_settings
from voice.ports.stores import WriteBatch

pytestmark = pytest.mark.requirement("sessions:summary")
Documented = Callable[[str, Ran], None]
QUESTION = "Where is the kiln?"


@pytest.fixture
def told(voice: Voice, monkeypatch: pytest.MonkeyPatch) -> Voice:
    """Return a voice that was asked four times in a conversation which folds after two."""
    monkeypatch.setenv("SURR_INNER_VOICE_WINDOW", "2")
    monkeypatch.setenv("SURR_INNER_VOICE_WINDOW_KEEP", "1")
    voice.ok("remember", "Moved the kiln to the shed. Anna Lund fired the kiln at cone 6 on Friday.")
    for question in (QUESTION, "Who fired the kiln?", QUESTION, "Who fired the kiln?"):
        voice.ok("ask", question)
    return voice


def bury(voice: Voice, words: str) -> None:
    """Take the observation that says so out of the memory."""

    async def forgotten() -> None:
        async with open_services(parse_settings({"embed.provider": "hash"}, {}, {}).settings, voice.home) as services:
            rows = [change.row for change in await services.store.changes(0, 100) if change.row_id.startswith("o:")]
            stones = [
                Tombstone(row_id=row.id, keyed_hash=f"k{row.id}", reason="forgotten", at=services.clock.now())
                for row in rows
                if row is not None and words in str(row)
            ]
            await services.store.write(WriteBatch(tombstones=tuple(stones)))

    anyio.run(forgotten)


def summary_in(ran: Ran) -> dict[str, object]:
    return cast("dict[str, dict[str, object]]", ran.json)["rolling_summary"]


def test_a_conversation_is_shown_with_its_summary_and_the_turns_behind_each_line(
    told: Voice, is_as_documented: Documented
) -> None:
    shown = told.ok("sessions", "show", QUESTION)
    assert "Summary of 2 earlier turns (revision 1):" in shown.out
    assert "Moved the kiln to the shed.  (turns 1, 2)" in shown.out
    assert all(f"\nturn {number}  x:" in shown.out for number in (1, 2, 3, 4))
    document = told.ok("sessions", "show", QUESTION, "--json")
    is_as_documented("cli/sessions-show", document)
    lines = cast("list[dict[str, object]]", summary_in(document)["lines"])
    assert [line["turns"] for line in lines] == [[1, 2], [2]]
    assert all(line["row_ids"] and line["written_by"] == "answer" for line in lines)


def test_a_summary_is_made_again_at_a_word_and_only_where_that_changes_it(
    told: Voice, is_as_documented: Documented
) -> None:
    same = told.ok("sessions", "summarise", QUESTION)
    assert same.err == "nothing to rewrite: the summary is up to date\n"
    assert "Moved the kiln to the shed.  (turns 1, 2)" in same.out
    bury(told, "Moved the kiln")
    made = told.ok("sessions", "summarise", QUESTION)
    assert made.err == "rewritten\n"
    assert "(revision 2)" in made.out
    assert "Moved the kiln" not in made.out
    bury(told, "Anna")
    assert "no sentence of these turns still holds" in told.ok("sessions", "summarise", QUESTION).out
    document = told.ok("sessions", "summarise", QUESTION, "--json")
    is_as_documented("cli/sessions-summarise", document)
    assert cast("dict[str, object]", document.json)["changed"] is False


def test_a_private_summary_is_not_shown_unless_it_is_asked_for(voice: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SURR_INNER_VOICE_WINDOW", "1")
    monkeypatch.setenv("SURR_INNER_VOICE_WINDOW_KEEP", "1")
    voice.ok("remember", "Moved the kiln to the shed.", "--private")
    for _ in range(2):
        voice.ok("ask", QUESTION, "--private")
    session = cast("list[dict[str, str]]", voice.ok("sessions", "list", "--json").json)[0]["id"]
    for command in ("show", "summarise"):
        assert "Moved the kiln" not in voice.ok("sessions", command, session).out
        assert "Moved the kiln" in voice.ok("sessions", command, session, "--private").out


@pytest.mark.requirement("ruling:D20")
def test_a_replay_says_which_revision_of_the_summary_a_prompt_showed(told: Voice) -> None:
    lines = [line for line in told.ok("sessions", "replay", QUESTION).out.splitlines() if "x:" in line]
    assert ["(summary revision 1)" in line for line in lines] == [False, False, False, True]
